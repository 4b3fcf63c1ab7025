//! Reads kernel metadata in Catalyst's OpenCL 2.0 programs: a header, two or three names, an entry for each argument,
//! and then each argument's name and type. The driver fills in the first arguments.
//!
//! The layout of the argument segment follows CLRX's documentation ("AMD Catalyst OpenCL 2.0 ABI"): values are
//! consecutive and aligned to their size, or to the element size for vectors; images, samplers, structures and queues
//! are addresses.

use std::collections::HashMap;

use super::elf::{Elf, spend};
use super::model::{DriverArgument, DriverArgumentKind, DriverError, PointerSpace};
use crate::metadata::{Access, AddressSpace, ArgumentMetadata, KernelMetadata, ValueKind};

/// Prefix of the symbols that contain kernel metadata.
const PREFIX: &[u8] = b"__OpenCL_&__OpenCL_";
/// Suffix of the symbols that contain kernel metadata.
const SUFFIX: &[u8] = b"_kernel_metadata";
/// Prefix and suffix of kernel symbols in a code object.
const SYMBOL: [&str; 2] = ["&__OpenCL_", "_kernel"];

/// Arguments that the driver fills in.
const SETUP: [(&str, ValueKind); 6] = [
    ("_.global_offset_0", ValueKind::HiddenGlobalOffsetX),
    ("_.global_offset_1", ValueKind::HiddenGlobalOffsetY),
    ("_.global_offset_2", ValueKind::HiddenGlobalOffsetZ),
    ("_.printf_buffer", ValueKind::HiddenPrintfBuffer),
    ("_.vqueue_pointer", ValueKind::HiddenDefaultQueue),
    ("_.aqlwrap_pointer", ValueKind::HiddenCompletionAction),
];

/// Offsets and sizes in the metadata, in bytes. They depend on the program's word size.
struct MetadataOffsets {
    word: usize,
    /// Minimum size of the header.
    header: usize,
    /// Offset of the required workgroup size.
    required_workgroup: usize,
    /// Offset of the lengths of the two names after the header.
    names: usize,
    argument_count: usize,
    /// Size of a header that contains a hint length, in its second to last word.
    newer_header: usize,
    /// Size of an argument entry.
    entry: usize,
}

const LAYOUT_32: MetadataOffsets = MetadataOffsets {
    word: 4,
    header: 112,
    required_workgroup: 48,
    names: 72,
    argument_count: 104,
    newer_header: 164,
    entry: 64,
};
const LAYOUT_64: MetadataOffsets = MetadataOffsets {
    word: 8,
    header: 168,
    required_workgroup: 56,
    names: 96,
    argument_count: 160,
    newer_header: 272,
    entry: 88,
};

/// Fields of an entry. They follow the entry size, the lengths of name and type, and two more words.
mod field {
    pub const WORDS: usize = 5;
    /// Number of vector elements, or structure size in bytes.
    pub const COUNT: usize = 0;
    pub const TYPE: usize = 12;
    pub const SPACE: usize = 24;
    pub const IS_POINTER: usize = 28;
    pub const IS_VOLATILE: usize = 32;
    pub const IS_RESTRICT: usize = 33;
    pub const IS_PIPE: usize = 34;
    pub const KIND: usize = 36;
    pub const IS_CONST: usize = 40;
}

/// Returns the metadata of all kernels in a program, by source name; `None` for metadata that cannot be read.
///
/// # Errors
/// Fails if names or symbol contents overlap.
pub(super) fn all<'f>(
    file: &Elf<'f>,
    names: &mut usize,
) -> Result<HashMap<&'f [u8], Option<KernelMetadata>>, DriverError> {
    let mut all = HashMap::new();
    let mut contents = file.bytes.len();
    for symbol in &file.symbols {
        let Some(name) = symbol.name.after(PREFIX) else {
            continue;
        };
        let Some(name) = name.read(names)?.strip_suffix(SUFFIX) else {
            continue;
        };
        let range = file.symbol_range(symbol);
        spend(&mut contents, &range, "metadata symbols")?;
        let bytes = range.and_then(|range| file.bytes.get(range));
        let metadata = bytes.and_then(|bytes| read(bytes, file.bits, name));
        all.insert(name, metadata);
    }
    Ok(all)
}

/// Reads an unsigned number of `size` bytes.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    let digits = bytes.iter().rev();
    Some(digits.fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// Splits off a zero-terminated string of a given length.
fn text(bytes: &[u8], length: u64) -> Option<(String, &[u8])> {
    let (text, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    Some((String::from_utf8_lossy(text).into_owned(), rest.get(1..)?))
}

/// Reads a kernel's metadata.
fn read(bytes: &[u8], bits: u8, name: &[u8]) -> Option<KernelMetadata> {
    let layout = if bits == 64 { &LAYOUT_64 } else { &LAYOUT_32 };
    let word = |at: usize| number(bytes, at, layout.word);
    let size = |at: usize| usize::try_from(word(at)?).ok();
    let header = size(0)?;
    if header < layout.header {
        return None;
    }
    let lengths = [size(layout.names)?, size(layout.names + layout.word)?];
    let names = lengths.iter().try_fold(header, |at, &length| {
        at.checked_add(length)?.checked_add(1) // A zero follows.
    })?;
    let has_hint = header >= layout.newer_header;
    let hint = if has_hint {
        size(layout.newer_header - 2 * layout.word)?
    } else {
        0
    };
    // Drivers since Crimson store a zero byte here even if there is no hint, which shifts the entry size by a byte.
    let is_shifted = number(bytes, names, 4)? == (layout.entry as u64) << 8;
    let first = if hint != 0 || is_shifted {
        names.checked_add(hint)?.checked_add(1)?
    } else {
        names
    };
    let count = usize::try_from(word(layout.argument_count)?).ok()?;
    let entries = bytes.get(first..)?;
    // The list ends with an empty entry.
    let length = count.checked_add(1)?.checked_mul(layout.entry)?;
    let (entries, mut texts) = entries.split_at_checked(length)?;
    let mut args = Vec::with_capacity(count);
    let mut end = 0;
    for entry in entries.chunks_exact(layout.entry).take(count) {
        let word = |index: usize| number(entry, index * layout.word, layout.word);
        if word(0)? != layout.entry as u64 {
            return None;
        }
        let (name, rest) = text(texts, word(1)?)?;
        let (type_name, rest) = text(rest, word(2)?)?;
        texts = rest;
        let own = entry.get(field::WORDS * layout.word..)?;
        let (mut argument, align) = argument(own, layout.word as u64)?;
        let setup = SETUP.iter().find(|(setup, _)| *setup == name);
        if let Some((_, kind)) = setup {
            argument.value_kind = kind.clone();
            argument.address_space = None;
        }
        argument.offset = u64::next_multiple_of(end, align);
        end = argument.offset + argument.size;
        argument.name = Some(name);
        argument.type_name = Some(type_name);
        args.push(argument);
    }
    let required = |axis: usize| word(layout.required_workgroup + axis * layout.word);
    let required = [required(0)?, required(1)?, required(2)?];
    let name = String::from_utf8_lossy(name).into_owned();
    let [before, after] = SYMBOL;
    Some(KernelMetadata {
        args,
        symbol: format!("{before}{name}{after}"),
        name,
        reqd_workgroup_size: Some(required).filter(|sizes| *sizes != [0; 3]),
        kernarg_segment_size: end,
        kernarg_segment_align: 16,
        wavefront_size: 64,
        ..KernelMetadata::default()
    })
}

/// Returns the size of a scalar type in bytes.
fn scalar_bytes(number: u64) -> Option<u64> {
    Some(match number {
        2 | 6 => 1,
        3 | 7 => 2,
        4 | 8 | 11 => 4,
        5 | 9 | 12 => 8,
        _ => return None,
    })
}

/// Reads an argument without its offset and names. Also returns its alignment. `word` is the address size in bytes.
fn argument(entry: &[u8], word: u64) -> Option<(ArgumentMetadata, u64)> {
    let fact = |at: usize| number(entry, at, 4);
    let flag = |at: usize| Some(number(entry, at, 1)? != 0);
    let kind = fact(field::KIND)?;
    let scalar = fact(field::TYPE)?;
    let address = |value_kind: ValueKind| ArgumentMetadata {
        value_kind,
        size: word,
        ..ArgumentMetadata::default()
    };
    let buffer = |space: AddressSpace| ArgumentMetadata {
        address_space: Some(space),
        ..address(ValueKind::GlobalBuffer)
    };
    let is_pointer = fact(field::IS_POINTER)? != 0;
    let argument = match (is_pointer, kind, scalar) {
        (true, _, 7) if flag(field::IS_PIPE)? => ArgumentMetadata {
            is_pipe: true,
            ..address(ValueKind::Pipe)
        },
        (true, _, 7 | 15) => {
            let pointer = match fact(field::SPACE)? {
                3 => ArgumentMetadata {
                    address_space: Some(AddressSpace::Local),
                    ..address(ValueKind::DynamicSharedPointer)
                },
                4 => buffer(AddressSpace::Global),
                5 => buffer(AddressSpace::Constant),
                _ => return None,
            };
            ArgumentMetadata {
                is_const: number(entry, field::IS_CONST, 4)? != 0,
                is_volatile: flag(field::IS_VOLATILE)?,
                is_restrict: flag(field::IS_RESTRICT)?,
                ..pointer
            }
        }
        (false, 1, 0) => address(ValueKind::Sampler),
        (false, 2, 1..=3) => ArgumentMetadata {
            access: Some(match scalar {
                1 => Access::ReadOnly,
                2 => Access::WriteOnly,
                _ => Access::ReadWrite,
            }),
            ..address(ValueKind::Image)
        },
        (false, 7, 18) => address(ValueKind::Queue),
        // Pointer to a structure.
        (false, 4, 15) => buffer(AddressSpace::Constant),
        (false, 4, _) => {
            let bytes = scalar_bytes(scalar)?;
            let elements = match fact(field::COUNT)? {
                // Three elements occupy the space of four.
                3 => 4,
                elements @ (1 | 2 | 4 | 8 | 16) => elements,
                _ => return None,
            };
            let value = ArgumentMetadata {
                value_kind: ValueKind::ByValue,
                size: elements * bytes,
                ..ArgumentMetadata::default()
            };
            return Some((value, bytes));
        }
        _ => return None,
    };
    Some((argument, word))
}

/// Converts argument metadata to a driver program's argument.
pub(super) fn driver_argument(argument: ArgumentMetadata) -> DriverArgument {
    let pointer = |space: PointerSpace| DriverArgumentKind::Pointer {
        space,
        slot: None,
        is_const: argument.is_const,
    };
    let access = argument.access.as_ref();
    let kind = match argument.value_kind {
        ValueKind::GlobalBuffer if argument.address_space == Some(AddressSpace::Constant) => {
            pointer(PointerSpace::Constant)
        }
        ValueKind::GlobalBuffer | ValueKind::HiddenPrintfBuffer => pointer(PointerSpace::Global),
        ValueKind::DynamicSharedPointer => pointer(PointerSpace::Local),
        ValueKind::Image => DriverArgumentKind::Image {
            slot: None,
            read: access != Some(&Access::WriteOnly),
            write: access != Some(&Access::ReadOnly),
        },
        ValueKind::Sampler => DriverArgumentKind::Sampler,
        ValueKind::Pipe => DriverArgumentKind::Pipe,
        ValueKind::Queue => DriverArgumentKind::Queue,
        ValueKind::HiddenGlobalOffsetX
        | ValueKind::HiddenGlobalOffsetY
        | ValueKind::HiddenGlobalOffsetZ => DriverArgumentKind::GridOffset,
        _ => DriverArgumentKind::Value,
    };
    let number = |number: u64| u32::try_from(number).ok();
    DriverArgument {
        name: argument.name,
        type_name: argument.type_name,
        kind,
        offset: number(argument.offset),
        size: number(argument.size),
    }
}
