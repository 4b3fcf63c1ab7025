//! Launch arguments and their layout in the argument segment.

use crate::abi::hsa::{LaunchShape, PlacedBytes};
use crate::buffer::Buffer;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::parameters::lds_align;

/// Size of an LDS pointer in bytes.
const LDS_POINTER: u64 = 4;

/// Argument of a launch.
///
/// # Examples
/// ```
/// use gcn_runtime::Argument;
/// assert!(matches!(Argument::from(1.5f32), Argument::Bytes(bytes) if bytes == 1.5f32.to_le_bytes()));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Argument {
    /// Bytes of a scalar or structure.
    Bytes(Vec<u8>),
    /// Address of a buffer, which stays alive until the launch ends.
    Buffer(Buffer),
    /// Dynamic LDS per workgroup: size in bytes. The kernel receives the LDS address.
    Local(u32),
}

impl From<&Buffer> for Argument {
    fn from(buffer: &Buffer) -> Argument {
        Argument::Buffer(buffer.clone())
    }
}

macro_rules! values {
    ($($Type:ty)*) => {$(
        impl From<$Type> for Argument {
            fn from(value: $Type) -> Argument {
                Argument::Bytes(value.to_le_bytes().to_vec())
            }
        }
    )*};
}

values! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 }

impl Argument {
    /// Returns the size in the argument segment, in bytes.
    fn size(&self) -> u64 {
        match self {
            Argument::Bytes(bytes) => bytes.len() as u64,
            Argument::Buffer(_) => size_of::<u64>() as u64,
            Argument::Local(_) => LDS_POINTER,
        }
    }
}

/// Places arguments at the offsets in the metadata, or else consecutively with natural alignment of at most 16 bytes.
pub(crate) fn place(
    kernel: &Kernel,
    shape: &mut LaunchShape,
    arguments: &[Argument],
) -> Result<Vec<PlacedBytes>, Error> {
    let name = || kernel.name().to_owned();
    let known = kernel.description().metadata.as_ref();
    let known = known.is_some_and(|metadata| !metadata.args.is_empty());
    let wanted: Vec<&gcn_object::ArgumentMetadata> = kernel.arguments().collect();
    if known && wanted.len() != arguments.len() {
        return Err(Error::ArgumentCount {
            kernel: name(),
            wanted: wanted.len(),
            given: arguments.len(),
        });
    }
    let fixed_lds = kernel.fixed_lds();
    let mut end = 0u64;
    let mut placed = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let size = argument.size();
        let metadata = wanted.get(index);
        let offset = match metadata {
            Some(metadata) => metadata.offset,
            None => end.next_multiple_of(size.clamp(1, 16).next_power_of_two()),
        };
        if let Some(metadata) = metadata
            && metadata.size != size
        {
            return Err(Error::ArgumentSize {
                kernel: name(),
                index,
                wanted: metadata.size,
                given: size,
            });
        }
        end = offset.saturating_add(size);
        let bytes = match argument {
            Argument::Bytes(bytes) => bytes.clone(),
            Argument::Buffer(buffer) => buffer.address().to_le_bytes().to_vec(),
            Argument::Local(bytes) => {
                let align = lds_align(metadata.copied()) as u32;
                let used = fixed_lds.saturating_add(shape.dynamic_lds);
                let address = used.checked_next_multiple_of(align).unwrap_or(u32::MAX);
                shape.dynamic_lds = address.saturating_add(*bytes) - fixed_lds;
                address.to_le_bytes().to_vec()
            }
        };
        placed.push(PlacedBytes { offset, bytes });
    }
    Ok(placed)
}
