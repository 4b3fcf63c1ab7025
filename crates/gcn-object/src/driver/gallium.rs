//! Reads the container of Mesa's Gallium compute: a table of kernels with their arguments, then sections. One section
//! is an ELF file whose `.text` section contains the code of all kernels, and whose `.AMDGPU.config` section contains
//! pairs of register address and value for each kernel, in address order. Since LLVM 4, `amd_kernel_code_t` also
//! precedes each kernel's code. All numbers are 32 bits wide.

use std::ops::Range;

use object::elf;

use super::elf::{Elf, range};
use super::model::{
    DriverArgument, DriverArgumentKind, DriverError, DriverFormat, DriverKernel, DriverProgram,
    DriverWarning, PointerSpace, UserData, UserDataClass, processor,
};
use crate::descriptor::{KERNEL_CODE_SIZE, KernelDescriptor, Rsrc1, Rsrc2};
use crate::target::processor_name;

/// Minimum size in bytes of a kernel in the table: name length, section, offset, number of arguments.
const KERNEL_BYTES: usize = 16;
/// Words per argument.
const ARGUMENT_WORDS: usize = 6;
/// Types of code sections: 0, the only type before Mesa 17, and 2, which later versions use for executables.
const CODE_SECTIONS: [u32; 2] = [0, 2];
/// Register addresses in the configuration, in bytes.
const COMPUTE_PGM_RSRC1: u32 = 0xb848;
const COMPUTE_PGM_RSRC2: u32 = 0xb84c;
const COMPUTE_TMPRING_SIZE: u32 = 0xb860;
/// Unit of bits 12 to 24 in `COMPUTE_TMPRING_SIZE`, in bytes of scratch per wave.
const SCRATCH_UNIT: u64 = 1024;
/// Lanes per wave.
const LANES: u64 = 64;
/// Size in bytes of a pair in the configuration.
const PAIR_BYTES: usize = 8;
/// Allocation granularity of SGPRs and VGPRs.
const SGPR_BLOCK: u32 = 8;
const VGPR_BLOCK: u32 = 4;
/// Initial user data before LLVM 4: the address of the grid sizes and arguments, and the scratch address.
const USER_DATA: [UserData; 2] = [
    UserData {
        class: UserDataClass::GridAndArguments,
        first: 0,
        count: 2,
    },
    UserData {
        class: UserDataClass::Scratch,
        first: 2,
        count: 2,
    },
];

/// Parsed tables of a container.
struct Container<'a> {
    kernels: Vec<KernelEntry<'a>>,
    /// File range of the ELF file.
    code: Range<usize>,
}

/// Kernel in the table.
struct KernelEntry<'a> {
    name: &'a [u8],
    /// Code offset in the `.text` section.
    offset: u64,
    arguments: Vec<[u32; ARGUMENT_WORDS]>,
}

/// Reader of consecutive numbers and byte strings.
struct FieldReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FieldReader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let part = self.bytes.get(self.at..)?.get(..length)?;
        self.at += length;
        Some(part)
    }

    fn word(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().copied().map(u32::from_le_bytes)
    }

    fn rest(&self) -> usize {
        self.bytes.len() - self.at
    }
}

impl<'a> Container<'a> {
    /// Reads the tables; `None` if they are malformed or no section contains code: the file is then of another kind.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut cursor = FieldReader { bytes, at: 0 };
        let count = cursor.word()? as usize;
        if count == 0 || count > cursor.rest() / KERNEL_BYTES {
            return None;
        }
        let mut kernels = Vec::with_capacity(count);
        for _ in 0..count {
            let length = cursor.word()? as usize;
            let name = cursor.take(length)?;
            let _section = cursor.word()?;
            let offset = cursor.word()?.into();
            let arguments = cursor.word()? as usize;
            let words = cursor.take(arguments.checked_mul(ARGUMENT_WORDS * 4)?)?;
            let (arguments, _) = words.as_chunks::<{ ARGUMENT_WORDS * 4 }>();
            let argument = |bytes: &[u8; ARGUMENT_WORDS * 4]| {
                let (words, _) = bytes.as_chunks::<4>();
                std::array::from_fn(|at| words.get(at).map_or(0, |word| u32::from_le_bytes(*word)))
            };
            kernels.push(KernelEntry {
                name,
                offset,
                arguments: arguments.iter().map(argument).collect(),
            });
        }
        let sections = cursor.word()?;
        for _ in 0..sections {
            let _section = cursor.word()?;
            let kind = cursor.word()?;
            let size = cursor.word()?;
            // The rest is a byte vector with a length prefix. Its size is also stated before it, without and with the prefix.
            let (with_length, length) = (cursor.word()?, cursor.word()?);
            if length != size || with_length != size.checked_add(4)? {
                return None;
            }
            let start = cursor.at;
            let contents = cursor.take(size as usize)?;
            if CODE_SECTIONS.contains(&kind) && contents.starts_with(b"\x7fELF") {
                let code = start..cursor.at;
                return Some(Self { kernels, code });
            }
        }
        None
    }
}

/// Returns true if `bytes` contains a Gallium container.
pub(super) fn is_container(bytes: &[u8]) -> bool {
    Container::read(bytes).is_some()
}

/// Reads a program, without its bytes, which the caller adds.
pub(super) fn read<'b>(bytes: &[u8]) -> Result<DriverProgram<'b>, DriverError> {
    let container = Container::read(bytes).ok_or(DriverError::Unknown)?;
    let inner = bytes.get(container.code.clone()).unwrap_or_default();
    let file = Elf::parse(inner)?;
    let (text_index, text) = file.section(b".text").ok_or(DriverError::NoCode)?;
    let code = file.section_bytes(text);
    let start = container.code.start + text.file.start;
    // Symbol values in address order, the order of the configuration.
    let mut symbols: Vec<u64> = file
        .symbols
        .iter()
        .filter(|symbol| symbol.is_global && symbol.section == text_index)
        .map(|symbol| symbol.value)
        .collect();
    symbols.sort_unstable();
    let mut offsets: Vec<u64> = container
        .kernels
        .iter()
        .map(|kernel| kernel.offset)
        .collect();
    offsets.extend(&symbols);
    offsets.push(code.len() as u64);
    offsets.sort_unstable();
    let config = file
        .section(b".AMDGPU.config")
        .map(|(_, section)| file.section_bytes(section))
        .unwrap_or_default();
    let per_kernel = config.len().checked_div(symbols.len()).unwrap_or(0);
    let comment = file.section(b".comment");
    let producer = comment.map(|(_, section)| String::from_utf8_lossy(file.section_bytes(section)));
    let mut program = DriverProgram::new(DriverFormat::Gallium, file.bits, None);
    program.processor = flags_processor(&file);
    program.producer = producer
        .map(|text| text.trim_matches('\0').replace('\0', ", "))
        .filter(|text| !text.is_empty());
    program.constant_bytes = file
        .section(b".rodata")
        .map_or(0, |(_, section)| section.file.len());
    for entry in &container.kernels {
        let mut kernel = DriverKernel::named(entry.name);
        kernel.arguments = arguments(&entry.arguments);
        let end = offsets.partition_point(|&other| other <= entry.offset);
        let end = offsets.get(end).copied().unwrap_or(entry.offset);
        let length = end.saturating_sub(entry.offset);
        match range(entry.offset, length, code.len()).filter(|part| !part.is_empty()) {
            Some(part) => {
                let header = code.get(part.clone()).and_then(kernel_code);
                let skipped = header.as_ref().map_or(0, |(_, size)| *size);
                kernel.address = (part.start + skipped) as u64;
                kernel.file = start + part.start + skipped..start + part.end;
                if let Ok(index) = symbols.binary_search(&entry.offset) {
                    let at = index * per_kernel;
                    read_config(
                        &mut kernel,
                        config.get(at..at + per_kernel).unwrap_or_default(),
                    );
                }
                if let Some((descriptor, _)) = header {
                    if program.processor.is_none() {
                        program.processor = processor(&descriptor);
                    }
                    kernel.describe(descriptor);
                }
            }
            None => program.warnings.push(DriverWarning::Code {
                kernel: kernel.name.clone(),
                reason: "its offset is outside of the section .text",
            }),
        }
        program.kernels.push(kernel);
    }
    Ok(program)
}

/// Returns the processor named in the ELF flags, which LLVM has set since version 7.
fn flags_processor(file: &Elf) -> Option<String> {
    let [mach, ..] = file.flags.to_le_bytes();
    let is_amdgpu = file.machine == elf::EM_AMDGPU.0;
    let name = is_amdgpu.then(|| processor_name(mach)).flatten();
    name.map(str::to_owned)
}

/// Decodes the `amd_kernel_code_t` at the start of a kernel, if present. Also returns the number of bytes before the
/// code. Fields with few valid values distinguish the structure from instructions.
fn kernel_code(bytes: &[u8]) -> Option<(KernelDescriptor, usize)> {
    let header = bytes.first_chunk::<KERNEL_CODE_SIZE>()?;
    let descriptor = KernelDescriptor::decode_kernel_code(header);
    let code = descriptor.kernel_code.as_ref()?;
    let entry = usize::try_from(descriptor.kernel_code_entry_byte_offset).ok()?;
    let is_header = code.kernel_code_version[0] == 1
        && code.kernel_code_version[1] <= 2
        && code.machine_kind <= 1
        && (KERNEL_CODE_SIZE..=bytes.len()).contains(&entry);
    is_header.then_some((descriptor, entry))
}

/// Reads the register values of a kernel.
fn read_config(kernel: &mut DriverKernel, config: &[u8]) {
    let (pairs, _) = config.as_chunks::<PAIR_BYTES>();
    for pair in pairs {
        let [a, b, c, d, e, f, g, h] = *pair;
        let value = u32::from_le_bytes([e, f, g, h]);
        match u32::from_le_bytes([a, b, c, d]) {
            COMPUTE_PGM_RSRC1 => kernel.rsrc1 = Some(Rsrc1(value)),
            COMPUTE_PGM_RSRC2 => kernel.rsrc2 = Some(Rsrc2(value)),
            COMPUTE_TMPRING_SIZE => {
                let units = u64::from(value >> 12 & 0x1fff);
                kernel.scratch_bytes_per_lane = Some(units * SCRATCH_UNIT / LANES);
            }
            _ => {}
        }
    }
    if let Some(rsrc1) = kernel.rsrc1 {
        kernel.sgprs = Some((rsrc1.granulated_wavefront_sgpr_count() + 1) * SGPR_BLOCK);
        kernel.vgprs = Some((rsrc1.granulated_workitem_vgpr_count() + 1) * VGPR_BLOCK);
    }
    if let Some(rsrc2) = kernel.rsrc2 {
        let given = rsrc2.user_sgpr_count();
        let exists = |data: &UserData| data.first + data.count <= given;
        kernel.user_data = USER_DATA.into_iter().filter(exists).collect();
    }
}

/// Reads arguments and computes their offsets from sizes and alignments: the driver stores them consecutively.
fn arguments(entries: &[[u32; ARGUMENT_WORDS]]) -> Vec<DriverArgument> {
    let mut end = Some(0_u32);
    let placed = entries.iter().map(|words| {
        let [_, _, size, align, ..] = *words;
        let offset = end.and_then(|end| end.checked_next_multiple_of(align.max(1)));
        end = offset.and_then(|offset| offset.checked_add(size));
        DriverArgument {
            offset,
            ..argument(words)
        }
    });
    placed.collect()
}

/// Converts an argument's words: kind, size, size and alignment on the GPU, sign extension, semantics.
fn argument(words: &[u32; ARGUMENT_WORDS]) -> DriverArgument {
    let [kind, _, size, _, _, meaning] = *words;
    let pointer = |space| DriverArgumentKind::Pointer {
        space,
        slot: None,
        is_const: false,
    };
    let image = |read| DriverArgumentKind::Image {
        slot: None,
        read,
        write: !read,
    };
    let kind = match (meaning, kind) {
        (1, _) => DriverArgumentKind::GridDimension,
        (2, _) => DriverArgumentKind::GridOffset,
        (3, _) => DriverArgumentKind::ImageSize,
        (4, _) => DriverArgumentKind::ImageFormat,
        (_, 0) => DriverArgumentKind::Value,
        (_, 1) => pointer(PointerSpace::Constant),
        (_, 2) => pointer(PointerSpace::Global),
        (_, 3) => pointer(PointerSpace::Local),
        (_, 4 | 6) => image(true),
        (_, 5 | 7) => image(false),
        (_, 8) => DriverArgumentKind::Sampler,
        (_, other) => DriverArgumentKind::Other(other),
    };
    DriverArgument {
        name: None,
        type_name: None,
        kind,
        offset: None,
        size: Some(size),
    }
}
