//! Programs of OpenCL drivers that have an ABI of their own: Catalyst's, for OpenCL 1.2 (32 and 64 bits) and, before driver
//! 1912.05, for OpenCL 2.0; and the container of Mesa's Gallium compute. They hold code for GCN, but are no code objects of
//! the HSA runtime: most have no kernel descriptors, and a kernel gets its arguments through tables of resources or grid
//! parameters that only its driver makes.
//!
//! The layouts are those of CLRX's documentation ("AMD Catalyst handling", "Gallium handling") and of the files that its
//! tests have; Gallium's configuration is read as Mesa's loader reads it (`ac_binary.c`).

// In the order of dependencies.
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

/// The metadata of the kernels in a program of Catalyst's OpenCL 2.0 that holds a code object; empty if it is broken.
pub(crate) fn metadata_of_code_object(bytes: &[u8]) -> Vec<KernelMetadata> {
    let file = Elf::parse(bytes).ok();
    let file = file.filter(|file| catalyst2::is_machine(file.machine));
    let all = file.and_then(|file| arguments::all(&file, &mut file.name_budget()).ok());
    all.unwrap_or_default().into_values().flatten().collect()
}

/// The range of the code object in a program of Catalyst's OpenCL 2.0 of 32 bits.
pub(crate) fn code_object_of_32_bits(bytes: &[u8]) -> Option<Range<usize>> {
    let machine = Elf::machine_of(bytes)?;
    let file = catalyst2::is_machine(machine).then(|| Elf::parse(bytes))?;
    catalyst2::code_object(&file.ok().filter(|file| file.bits == 32)?)
}

/// Tells if the bytes are a program of a driver with an ABI of its own, as [`read_driver_program`] reads them. Programs that
/// the same drivers make for CPUs count as such too, so that the reader can say what they are.
///
/// # Examples
/// ```
/// assert!(!gcn_object::is_driver_program(b"text"));
/// let object = std::fs::read("tests/fixtures/scale-gfx803-v3.co")?;
/// assert!(!gcn_object::is_driver_program(&object), "a program of HSA");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn is_driver_program(bytes: &[u8]) -> bool {
    match Elf::machine_of(bytes) {
        Some(catalyst::CPU) => true,
        Some(machine) if catalyst::is_machine(machine) => true,
        Some(machine) if catalyst2::is_machine(machine) => {
            Elf::parse(bytes).is_ok_and(|elf| catalyst2::is_old(&elf))
        }
        Some(_) => false,
        None => gallium::is_container(bytes),
    }
}

/// Reads a program of Catalyst or Gallium, which keeps the bytes: borrowed from a slice, or shared ([`Bytes::shared`]).
///
/// The program takes no more memory than a small multiple of the bytes. Kernels whose code cannot be found are in
/// [`DriverProgram::warnings`], and have no code.
///
/// # Errors
/// The bytes are no such program, or a broken one.
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
