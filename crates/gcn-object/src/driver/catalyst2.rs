//! Reads Catalyst's OpenCL 2.0 programs from before driver 1912.05. Symbols `__ISA_&__OpenCL_NAME_kernel_binary` in the
//! `.text` section denote the kernels: a stub that begins with its size, then `amd_kernel_code_t`, which states the
//! offset of the code. Symbols `__OpenCL_&__OpenCL_NAME_kernel_metadata` denote the metadata of their arguments.

use std::ops::Range;

use super::arguments;
use super::chip::DriverChip;
use super::elf::{Elf, spend, text_of};
use super::model::{
    DriverError, DriverFormat, DriverKernel, DriverProgram, DriverWarning, processor,
};
use crate::descriptor::{KERNEL_CODE_SIZE, KernelDescriptor};

/// Machine types (`e_machine`) of 32-bit and 64-bit programs.
const MACHINES: [u16; 2] = [0xaf5a, 0xaf5b];
const PREFIX: &[u8] = b"__ISA_&__OpenCL_";
const SUFFIX: &[u8] = b"_kernel_binary";
const OPTIONS: &[u8] = b"__OpenCL_compiler_options";
const ACL_VERSION: &[u8] = b"acl_version_string";

/// Returns true for the machine types of Catalyst's OpenCL 2.0 programs.
pub(super) fn is_machine(machine: u16) -> bool {
    MACHINES.contains(&machine)
}

/// Returns the range of the code object that programs of later drivers contain in their `.text` section.
pub(super) fn code_object(file: &Elf) -> Option<Range<usize>> {
    let (_, section) = file.section(b".text").filter(|_| !is_old_format(file))?;
    Some(section.file.clone())
}

/// Returns true for the older format. In the newer format, the `.text` section contains an ELF file.
pub(super) fn is_old_format(file: &Elf) -> bool {
    file.section(b".text")
        .is_none_or(|(_, section)| !file.section_bytes(section).starts_with(b"\x7fELF"))
}

/// Reads a program, without its bytes, which the caller adds.
pub(super) fn read<'b>(file: &Elf) -> Result<DriverProgram<'b>, DriverError> {
    let chip = DriverChip::of_flags(file.flags);
    let mut program = DriverProgram::new(DriverFormat::CatalystOpenCl2, file.bits, chip);
    if !is_old_format(file) {
        return Err(DriverError::Unknown);
    }
    let mut names = file.name_budget();
    let mut metadata = arguments::all(file, &mut names)?;
    // Kernels do not overlap, so the file size limits their total size.
    let mut contents = file.bytes.len();
    for symbol in &file.symbols {
        let range = file.symbol_range(symbol);
        let text = || Some(text_of(file.bytes.get(range.clone()?)?));
        if program.compile_options.is_none() && symbol.name.is(OPTIONS) {
            program.compile_options = text();
        } else if program.producer.is_none() && symbol.name.is(ACL_VERSION) {
            program.producer = text();
        }
        let Some(name) = symbol.name.after(PREFIX) else {
            continue;
        };
        let Some(name) = name.read(&mut names)?.strip_suffix(SUFFIX) else {
            continue;
        };
        spend(&mut contents, &range, "kernels")?;
        let mut kernel = DriverKernel::named(name);
        let reason = match metadata.remove(name) {
            Some(Some(metadata)) => {
                let size =
                    |sizes: [u64; 3]| sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
                kernel.required_workgroup = metadata.reqd_workgroup_size.map(size);
                let arguments = metadata.args.into_iter();
                kernel.arguments = arguments.map(arguments::driver_argument).collect();
                None
            }
            Some(None) => Some("its metadata, which describes its arguments, cannot be read"),
            None => Some("it has no metadata, which would describe its arguments"),
        };
        program
            .warnings
            .extend(reason.map(|reason| DriverWarning::Metadata {
                kernel: kernel.name.clone(),
                reason,
            }));
        let bytes = range.clone().and_then(|range| file.bytes.get(range));
        let found = bytes.and_then(|bytes| {
            let stub = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
            let setup = bytes.get(stub..)?;
            let header = setup.first_chunk::<KERNEL_CODE_SIZE>()?;
            let descriptor = KernelDescriptor::decode_kernel_code(header);
            let entry = usize::try_from(descriptor.kernel_code_entry_byte_offset).ok()?;
            setup.get(entry..)?;
            Some((descriptor, stub + entry))
        });
        match found.zip(range) {
            Some(((descriptor, code), range)) => {
                kernel.file = range.start + code..range.end;
                if program.processor.is_none() {
                    program.processor = processor(&descriptor);
                }
                kernel.describe(descriptor);
            }
            None => program.warnings.push(DriverWarning::Code {
                kernel: kernel.name.clone(),
                reason: "its stub or its amd_kernel_code_t is broken",
            }),
        }
        program.kernels.push(kernel);
    }
    Ok(program)
}
