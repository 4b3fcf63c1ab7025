//! Reads programs for OpenCL drivers that have their own ABI: Catalyst's for OpenCL 1.2 (32-bit and 64-bit) and, before
//! driver 1912.05, for OpenCL 2.0, and the container of Mesa's Gallium compute. They contain GCN code, but are not HSA
//! code objects: most lack kernel descriptors, and kernels get their arguments through resource tables or grid
//! parameters that only the driver creates.
//!
//! The formats follow CLRX's documentation ("AMD Catalyst handling", "Gallium handling") and its test files; Gallium's
//! configuration follows Mesa's loader (`ac_binary.c`).

// In dependency order: a module uses only those above it.
mod chip;
mod model;
mod elf;
mod metadata;
mod arguments;
mod catalyst;
mod catalyst2;
mod gallium;

pub use chip::DriverChip;
pub use model::{
    DriverArgument, DriverArgumentKind, DriverError, DriverFormat, DriverKernel, DriverProgram,
    DriverWarning, PointerSpace, UserData, UserDataClass,
};

use std::ops::Range;

use crate::bytes::Bytes;
use crate::metadata::KernelMetadata;
use elf::Elf;

/// Returns the kernel metadata in a Catalyst OpenCL 2.0 program that contains a code object; empty if malformed.
pub(crate) fn metadata_of_code_object(bytes: &[u8]) -> Vec<KernelMetadata> {
    let file = Elf::parse(bytes).ok();
    let file = file.filter(|file| catalyst2::is_machine(file.machine));
    let all = file.and_then(|file| arguments::all(&file, &mut file.name_budget()).ok());
    all.unwrap_or_default().into_values().flatten().collect()
}

/// Returns the range of the code object in a 32-bit Catalyst OpenCL 2.0 program.
pub(crate) fn code_object_of_32_bits(bytes: &[u8]) -> Option<Range<usize>> {
    let machine = Elf::machine_of(bytes)?;
    let file = catalyst2::is_machine(machine).then(|| Elf::parse(bytes))?;
    catalyst2::code_object(&file.ok().filter(|file| file.bits == 32)?)
}

/// Returns true for programs that [`read_driver_program`] handles: those for drivers with their own ABI. This includes
/// programs that these drivers produce for CPUs, for which the reader returns [`DriverError::Cpu`].
///
/// # Examples
/// ```
/// assert!(!gcn_object::is_driver_program(b"text"));
/// let object = std::fs::read("tests/fixtures/scale-gfx803-v3.co")?;
/// assert!(!gcn_object::is_driver_program(&object), "an HSA code object");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn is_driver_program(bytes: &[u8]) -> bool {
    match Elf::machine_of(bytes) {
        Some(catalyst::CPU) => true,
        Some(machine) if catalyst::is_machine(machine) => true,
        Some(machine) if catalyst2::is_machine(machine) => {
            Elf::parse(bytes).is_ok_and(|elf| catalyst2::is_old_format(&elf))
        }
        Some(_) => false,
        None => gallium::is_container(bytes),
    }
}

/// Reads a Catalyst or Gallium program. The result keeps the bytes, either borrowed from a slice or shared
/// ([`Bytes::shared`]).
///
/// Memory use is bounded by a small multiple of the input size. Kernels whose code cannot be found have no code and are
/// reported in [`DriverProgram::warnings`].
///
/// # Errors
/// Fails if the bytes are not a driver program, or the program is malformed or for a CPU.
///
/// # Examples
/// ```
/// use gcn_object::{DriverError, read_driver_program};
/// let error = read_driver_program(&b"text"[..]).unwrap_err();
/// assert_eq!(error, DriverError::Unknown);
/// ```
pub fn read_driver_program<'a>(
    bytes: impl Into<Bytes<'a>>,
) -> Result<DriverProgram<'a>, DriverError> {
    let data = bytes.into();
    let mut program = match Elf::machine_of(&data) {
        None if gallium::is_container(&data) => gallium::read(&data)?,
        Some(catalyst::CPU) => return Err(DriverError::Cpu),
        Some(machine) if catalyst::is_machine(machine) => catalyst::read(&Elf::parse(&data)?)?,
        Some(machine) if catalyst2::is_machine(machine) => catalyst2::read(&Elf::parse(&data)?)?,
        _ => return Err(DriverError::Unknown),
    };
    program.data = data;
    Ok(program)
}
