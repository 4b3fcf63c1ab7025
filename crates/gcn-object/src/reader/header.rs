//! Reads the file header and the section headers.

use object::LittleEndian;
use object::elf;
use object::read::elf::{FileHeader as _, SectionTable};

use crate::elf::ELFOSABI_AMDGPU_HSA;
use crate::error::ReadError;
use crate::target::Version;

pub(super) type Header = elf::FileHeader64<LittleEndian>;
pub(super) const LE: LittleEndian = LittleEndian;

pub(super) fn malformed(what: &'static str) -> impl Fn(object::read::Error) -> ReadError {
    move |error| ReadError::Malformed {
        what,
        reason: error.to_string(),
    }
}

/// Returns the error for a file that ends before the end of its section headers, which come last in most files.
pub(crate) fn truncation_error(length: usize, header: &Header) -> Option<ReadError> {
    let table = u64::from(header.e_shnum(LE)) * u64::from(header.e_shentsize(LE));
    let end = header.e_shoff(LE).checked_add(table)?;
    let is_cut = end > length as u64;
    is_cut.then_some(ReadError::Cut { length, end })
}

/// Returns the file header of a code object, its version, and true if it is linked.
pub(super) fn file_header(bytes: &[u8]) -> Result<(&Header, Version, bool), ReadError> {
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(ReadError::NotElf);
    }
    let (header, _) =
        object::pod::from_bytes::<Header>(bytes).map_err(|()| ReadError::Malformed {
            what: "file header",
            reason: "the file ends in it".to_owned(),
        })?;
    if !header.is_supported() || !header.is_class_64() || !header.is_little_endian() {
        return Err(ReadError::Class);
    }
    let machine = header.e_machine(LE);
    if machine != elf::EM_AMDGPU {
        return Err(ReadError::Machine { machine: machine.0 });
    }
    let os_abi = header.e_ident().os_abi;
    if os_abi.0 != ELFOSABI_AMDGPU_HSA {
        return Err(ReadError::OsAbi { os_abi: os_abi.0 });
    }
    let abi_version = header.e_ident().abi_version;
    let version =
        Version::from_abi_version(abi_version).ok_or(ReadError::AbiVersion { abi_version })?;
    let linked = match header.e_type(LE) {
        elf::ET_DYN | elf::ET_EXEC => true,
        elf::ET_REL => false,
        other => return Err(ReadError::Type { kind: other.0 }),
    };
    Ok((header, version, linked))
}

/// Returns the section headers of a code object; empty if it contains none.
pub(super) fn section_headers<'a>(
    header: &Header,
    bytes: &'a [u8],
) -> Result<SectionTable<'a, Header>, ReadError> {
    header.sections(LE, bytes).map_err(|error| {
        truncation_error(bytes.len(), header).unwrap_or_else(|| malformed("section headers")(error))
    })
}
