//! Reads Catalyst's OpenCL 1.2 programs. Symbols `__OpenCL_NAME_kernel` in the `.text` section denote the kernels. Each
//! kernel is a separate 32-bit ELF file with a table of encodings; the one for the program's chip has notes with
//! properties, and a `.text` section. Symbols `__OpenCL_NAME_metadata` denote text that describes the arguments.

use std::collections::HashMap;
use std::ops::Range;

use object::elf;

use super::chip::DriverChip;
use super::elf::{Elf, range, spend, text_of};
use super::metadata::MetadataText;
use super::model::{
    DriverError, DriverFormat, DriverKernel, DriverProgram, DriverWarning, UserData, UserDataClass,
};
use crate::descriptor::Rsrc2;
use crate::note::Note;

/// Machine type (`e_machine`) of programs for CPUs.
pub(super) const CPU: u16 = 0x7d4;
/// Prefix of all symbols.
const PREFIX: &[u8] = b"__OpenCL_";
/// Type of the program header that describes the table of encodings.
const ENCODINGS: u32 = 0x7000_0002;
/// Size in bytes of a table entry: machine, type, offset, size, flags.
const ENCODING_BYTES: usize = 20;
/// Note owner.
const CAL: &[u8] = b"ATI CAL";
/// Type of the note that contains pairs of property number and value.
const PROGRAM_INFO: u32 = 1;
/// Size of a pair in bytes.
const PAIR_BYTES: usize = 8;

/// Property numbers.
mod info {
    use std::ops::RangeInclusive;

    /// Number of user data entries.
    pub const USER_DATA_COUNT: u32 = 0x8000_1000;
    /// User data fields: class, slot, first register, number of registers.
    pub const USER_DATA: RangeInclusive<u32> = 0x8000_1001..=0x8000_1040;
    /// Number of fields per user data entry.
    pub const USER_DATA_FIELDS: u32 = 4;
    pub const VGPRS: u32 = 0x8000_1041;
    pub const SGPRS: u32 = 0x8000_1042;
    /// Scratch size per lane in dwords.
    pub const SCRATCH: u32 = 0x8000_1045;
    /// Register address in dwords.
    pub const COMPUTE_PGM_RSRC2: u32 = 0x2e13;
}

/// Returns true for Catalyst's GPU machine types, including chips that are missing from the chip table.
pub(super) fn is_machine(machine: u16) -> bool {
    (0x3f1..0x500).contains(&machine)
}

/// Reads a program, without its bytes, which the caller adds.
pub(super) fn read<'b>(file: &Elf) -> Result<DriverProgram<'b>, DriverError> {
    let chip = DriverChip::of_machine(file.machine);
    let mut program = DriverProgram::new(DriverFormat::Catalyst, file.bits, chip);
    let mut names = file.name_budget();
    // Kernels and metadata texts do not overlap, so the file size limits their total size.
    let mut contents = file.bytes.len();
    let mut kernels = Vec::new();
    let mut texts = HashMap::new();
    let mut options_end = 0;
    let comment = file.section(b".comment");
    for symbol in &file.symbols {
        let Some(name) = symbol.name.after(PREFIX) else {
            continue;
        };
        let name = name.read(&mut names)?;
        let range = file.symbol_range(symbol);
        if let Some(kernel) = name.strip_suffix(b"_kernel") {
            spend(&mut contents, &range, "kernels")?;
            kernels.push((kernel, range));
        } else if let Some(kernel) = name.strip_suffix(b"_metadata") {
            spend(&mut contents, &range, "metadata symbols")?;
            texts.insert(kernel, range);
        } else if name == b"compile_options" {
            let text = range.and_then(|range| {
                if comment.is_some_and(|(index, _)| index == symbol.section) {
                    options_end = range.end;
                }
                file.bytes.get(range)
            });
            program.compile_options = text.map(text_of);
        } else if name == b"0_global" || name == b"2_global" {
            program.constant_bytes = range.map_or(0, |range| range.len());
        }
    }
    // The driver's version string follows the options in the same section.
    program.producer = comment.and_then(|(_, section)| {
        let start = options_end.max(section.file.start);
        let text = text_of(file.bytes.get(start..section.file.end)?);
        (!text.is_empty()).then_some(text)
    });
    for (name, range) in kernels {
        let mut kernel = DriverKernel::named(name);
        let inner = range.filter(|range| !range.is_empty());
        let found = inner
            .ok_or("it is outside of the file")
            .and_then(|range| read_code(&mut kernel, file.bytes, range, chip));
        if let Err(reason) = found {
            program.warnings.push(DriverWarning::Code {
                kernel: kernel.name.clone(),
                reason,
            });
        }
        let text = texts.remove(name).flatten();
        match text.and_then(|range| file.bytes.get(range)) {
            Some(bytes) => {
                MetadataText::read(&String::from_utf8_lossy(bytes), file.bits).apply(&mut kernel)
            }
            None => program.warnings.push(DriverWarning::Metadata {
                kernel: kernel.name.clone(),
                reason: "it has no metadata, which would describe its arguments",
            }),
        }
        program.kernels.push(kernel);
    }
    Ok(program)
}

/// Finds the code and properties of a kernel in the kernel's ELF file, which is a range of the program's bytes.
fn read_code(
    kernel: &mut DriverKernel,
    bytes: &[u8],
    at: Range<usize>,
    chip: Option<&DriverChip>,
) -> Result<(), &'static str> {
    let base = at.start;
    let inner = bytes.get(at).ok_or("it is outside of the file")?;
    let file = Elf::parse(inner).map_err(|_| "it is not a readable ELF file")?;
    let encoding = encoding(&file, chip)?;
    let is_inside = |part: &Range<usize>| part.start >= encoding.start && part.end <= encoding.end;
    let section = file
        .sections
        .iter()
        .find(|section| section.has_name(b".text") && is_inside(&section.file))
        .ok_or("it has no section .text for the chip")?;
    kernel.file = base + section.file.start..base + section.file.end;
    let notes = file.segments.iter().find_map(|segment| {
        let part = range(segment.offset, segment.size, inner.len())?;
        (segment.kind == elf::PT_NOTE.0 && is_inside(&part)).then_some(part)
    });
    let notes = notes.and_then(|part| inner.get(part)).unwrap_or_default();
    let note = Note::all(notes).find(|note| note.owner == CAL && note.kind == PROGRAM_INFO);
    if let Some(note) = note {
        read_info(kernel, note.description);
    }
    Ok(())
}

/// Returns the range of a chip's encoding in a kernel's ELF file; the first encoding if the chip is unknown.
fn encoding(file: &Elf, chip: Option<&DriverChip>) -> Result<Range<usize>, &'static str> {
    let table = file
        .segments
        .first()
        .filter(|segment| segment.kind == ENCODINGS)
        .and_then(|segment| range(segment.offset, segment.size, file.bytes.len()))
        .and_then(|table| file.bytes.get(table))
        .ok_or("it has no table of encodings")?;
    let (entries, _) = table.as_chunks::<ENCODING_BYTES>();
    let mut entries = entries.iter().map(|entry| {
        let (words, _) = entry.as_chunks::<4>();
        let word = |index: usize| words.get(index).map_or(0, |word| u32::from_le_bytes(*word));
        (word(0), word(2), word(3))
    });
    let (_, offset, size) = entries
        .find(|(machine, ..)| chip.is_none_or(|chip| chip.has_encoding(*machine)))
        .ok_or("no encoding is for the program's chip")?;
    range(offset.into(), size.into(), file.bytes.len()).ok_or("its encoding is outside of it")
}

/// Reads the properties in the note.
fn read_info(kernel: &mut DriverKernel, description: &[u8]) {
    let (pairs, _) = description.as_chunks::<PAIR_BYTES>();
    let mut count = 0;
    let mut fields = [0; 64];
    for pair in pairs {
        let [a, b, c, d, e, f, g, h] = *pair;
        let number = u32::from_le_bytes([a, b, c, d]);
        let value = u32::from_le_bytes([e, f, g, h]);
        match number {
            info::USER_DATA_COUNT => count = value,
            info::VGPRS => kernel.vgprs = Some(value),
            info::SGPRS => kernel.sgprs = Some(value),
            info::SCRATCH => kernel.scratch_bytes_per_lane = Some(u64::from(value) * 4),
            info::COMPUTE_PGM_RSRC2 => kernel.rsrc2 = Some(Rsrc2(value)),
            _ if info::USER_DATA.contains(&number) => {
                let field = (number - info::USER_DATA.start()) as usize;
                if let Some(field) = fields.get_mut(field) {
                    *field = value;
                }
            }
            _ => {}
        }
    }
    let (entries, _) = fields.as_chunks::<{ info::USER_DATA_FIELDS as usize }>();
    let entries = entries.iter().take(count as usize);
    let user_data = entries.map(|&[class, slot, first, count]| UserData {
        class: UserDataClass::Catalyst { class, slot },
        first,
        count,
    });
    kernel.user_data = user_data.collect();
}
