//! Named buffers for launches made by a program: kernel arguments and the program's allocations.

use std::ops::Range;

use gcn_args::parameter_type::source_type;
use gcn_debug::{NamedBuffer, ScalarType};
use gcn_runtime::Kernel;
use gcn_runtime::memory::Memory;
use gcn_runtime::parameters::{Parameter, Takes};

/// Size of a pointer in bytes.
const POINTER: usize = 8;

/// Returns a kernel's parameter names from its metadata or debug information. Unnamed parameters are `arg0` and so on.
pub(crate) fn parameter_names(kernel: &Kernel) -> Vec<String> {
    let parameters = kernel.parameters().unwrap_or_default();
    let declared = || {
        let lines = kernel.module().object().source_lines().ok().flatten()?;
        let names = lines.parameters(kernel.description().entry_address).ok()?;
        (names.len() == parameters.len()).then_some(names)
    };
    let has_names = parameters.iter().all(|it| it.name.is_some());
    let declared = if has_names { None } else { declared() };
    let declared = declared.unwrap_or_default();
    let name = |it: &Parameter<'_>| {
        let known = it.name.map(str::to_owned);
        let known = known.or_else(|| declared.get(it.index).cloned().flatten());
        known.unwrap_or_else(|| format!("arg{}", it.index))
    };
    parameters.iter().map(name).collect()
}

/// Returns the buffers of a launch with the kernarg segment `segment`. A pointer argument becomes a buffer that extends
/// to the end of its allocation. A by-value argument becomes a buffer in the segment. All live allocations follow.
pub(crate) fn buffers(
    kernel: &Kernel,
    names: &[String],
    segment: Option<Range<u64>>,
    memory: &Memory,
) -> Vec<NamedBuffer> {
    let parameters = kernel.parameters().unwrap_or_default();
    let arguments = parameters.iter().zip(names).filter_map(|(it, name)| {
        let segment = segment.as_ref()?;
        let place = segment.start.checked_add(it.offset)?;
        let (address, bytes) = match it.takes {
            Takes::Buffer => pointed(memory, place)?,
            Takes::Value => (place, it.size),
            Takes::Local { .. } | Takes::Other(_) => return None,
        };
        let ty = source_type(it).and_then(|(ty, _)| ScalarType::named(ty.name()));
        let ty = ty
            .or_else(|| ScalarType::unsigned(bytes))
            .unwrap_or(ScalarType::U32);
        Some(NamedBuffer {
            name: name.clone(),
            address,
            bytes,
            ty,
        })
    });
    let allocations = memory.allocations();
    let allocations = allocations
        .iter()
        .filter(|it| !it.is_freed)
        .map(|it| NamedBuffer {
            name: it.name.to_string(),
            address: it.base,
            bytes: it.len,
            ty: ScalarType::U32,
        });
    arguments.chain(allocations).collect()
}

/// Reads the pointer at `place`. Returns its value and the number of bytes from there to the end of the allocation, or
/// `None` if it does not point into a live allocation.
fn pointed(memory: &Memory, place: u64) -> Option<(u64, u64)> {
    let mut bytes = [0; POINTER];
    let address = memory
        .read(place, &mut bytes)
        .then(|| u64::from_le_bytes(bytes))?;
    let allocation = memory.nearest(address)?;
    let offset = address.checked_sub(allocation.base)?;
    let left = allocation.len.checked_sub(offset)?;
    (left > 0 && !allocation.is_freed).then_some((address, left))
}
