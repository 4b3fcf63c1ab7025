//! Iterator over the code objects in any kind of file.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use object::elf;
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{LittleEndian, pod};

use super::entry::{self, BundleEntry, is_bundle};
use super::error::BundleError;
use super::table::range;
use crate::bytes::Bytes;
use crate::driver;
use crate::error::ReadError;
use crate::object::CodeObject;
use crate::reader;

/// Section that contains a program's bundles.
const FAT_SECTION: &[u8] = b".hip_fatbin";
/// Section that contains the code object in a program compiled by AMD's OpenCL 2 compiler.
const OPENCL_SECTION: &[u8] = b".text";
/// Maximum total size of a file's compressed bundles after decompression, in bytes.
const MAX_TOTAL: u64 = 8 << 30;

/// Returns true for bundles, and for 64-bit ELF files for machines other than AMDGPU, which may contain bundles or a code
/// object. Of the 32-bit ELF files, only programs compiled by AMD's OpenCL 2 compiler count.
///
/// # Examples
/// ```
/// use gcn_object::is_container;
/// assert!(!is_container(&std::fs::read("tests/fixtures/scale-gfx803-v3.co")?), "a code object");
/// assert!(is_container(&std::fs::read(std::env::current_exe()?)?), "a host program");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn is_container(bytes: &[u8]) -> bool {
    is_bundle(bytes) || host(bytes).is_some() || driver::code_object_of_32_bits(bytes).is_some()
}

/// Returns the GPU code objects in a file, in file order: the file itself if it is a code object, the entries of an
/// offload bundle or of all bundles in the `.hip_fatbin` section of a program or library, or the code object in a
/// program compiled by AMD's OpenCL 2 compiler.
///
/// The iterator reads only tables and decompresses each bundle when it reaches it, so large libraries are cheap.
///
/// ```
/// # use gcn_object::{Flags, Version, write::Builder};
/// # let flags = Flags { mach: 0x2f, ..Flags::default() };
/// # let file = Builder::new(Version::V5, flags).build().expect("an empty object is valid");
/// for entry in gcn_object::code_objects(&file)? {
///     let entry = entry?;
///     assert_eq!(entry.target(), Some("gfx906"));
///     assert!(entry.kernel_names().is_ok_and(|names| names.is_empty()));
/// }
/// # Ok::<(), gcn_object::BundleError>(())
/// ```
///
/// # Errors
/// Fails if the file is of none of these kinds, its section headers cannot be read, or it is an invalid code object. If
/// a bundle is invalid, the iterator yields the error as its last element.
pub fn code_objects<'a>(bytes: impl Into<Bytes<'a>>) -> Result<CodeObjects<'a>, BundleError> {
    let bytes = bytes.into();
    let only = |entry| CodeObjects {
        bundles: Bytes::from(&[][..]),
        found: VecDeque::from([entry]),
        budget: 0,
    };
    let bundles = |bundles| CodeObjects {
        bundles,
        found: VecDeque::new(),
        budget: MAX_TOTAL,
    };
    if let Some(header) = host(&bytes) {
        let machine = header.e_machine(LittleEndian).0;
        if let Err(error) = header.sections(LittleEndian, &*bytes) {
            let reason = match reader::truncation_error(bytes.len(), header) {
                Some(cut) => cut.to_string(),
                None => error.to_string(),
            };
            return Err(BundleError::BrokenHost { machine, reason });
        }
        return match section(header, &bytes, FAT_SECTION) {
            Some(section) => Ok(bundles(section)),
            None => section(header, &bytes, OPENCL_SECTION)
                .and_then(|part| opencl_entry(part, &bytes))
                .map(only)
                .ok_or(BundleError::NoFatBinary { machine }),
        };
    }
    if is_bundle(&bytes) {
        return Ok(bundles(bytes));
    }
    if let Some(range) = driver::code_object_of_32_bits(&bytes) {
        let part = bytes.slice(range);
        let part = part.and_then(|part| opencl_entry(part, &bytes));
        return part.map(only).ok_or(BundleError::NotABundle);
    }
    let object = crate::read(bytes.clone()).map_err(|error| match error {
        ReadError::NotElf | ReadError::Class | ReadError::Machine { .. } => BundleError::NotABundle,
        error => BundleError::CodeObject(error),
    })?;
    Ok(only(BundleEntry {
        id: id("", &object),
        bytes,
        metadata: Arc::default(),
    }))
}

/// Iterator over the code objects in a file, created by [`code_objects`].
#[derive(Clone, Debug)]
pub struct CodeObjects<'a> {
    /// Remaining bundles and the padding between them.
    bundles: Bytes<'a>,
    /// Remaining entries of the current bundle.
    found: VecDeque<BundleEntry<'a>>,
    /// Number of bytes that may still be decompressed.
    budget: u64,
}

impl<'a> Iterator for CodeObjects<'a> {
    type Item = Result<BundleEntry<'a>, BundleError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.found.pop_front() {
                return Some(Ok(entry));
            }
            // Each compilation unit in a program has its own bundle, and the linker pads between them.
            let end = self.bundles.len();
            let at = next_bundle(&self.bundles)?;
            let bundle = self.bundles.slice(at..end)?;
            self.bundles = Bytes::from(&[][..]);
            match entry::read(&bundle, &mut self.budget) {
                Ok((entries, length)) => {
                    let is_code = |entry: &BundleEntry| entry.target().is_some();
                    self.found = entries.into_iter().filter(is_code).collect();
                    self.bundles = bundle.slice(length.max(1)..bundle.len())?;
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Returns the header of a 64-bit little-endian ELF file for a machine other than AMDGPU.
fn host(bytes: &[u8]) -> Option<&elf::FileHeader64<LittleEndian>> {
    let (header, _) = pod::from_bytes::<elf::FileHeader64<LittleEndian>>(bytes).ok()?;
    let is_host = header.is_supported()
        && header.is_class_64()
        && header.is_little_endian()
        && header.e_machine(LittleEndian) != elf::EM_AMDGPU;
    is_host.then_some(header)
}

/// Returns the contents of the section named `name`.
fn section<'a>(
    header: &elf::FileHeader64<LittleEndian>,
    bytes: &Bytes<'a>,
    name: &[u8],
) -> Option<Bytes<'a>> {
    let sections = header.sections(LittleEndian, &**bytes).ok()?;
    let found = sections
        .iter()
        .find(|section| sections.section_name(LittleEndian, section) == Ok(name))?;
    let (offset, size) = found.file_range(LittleEndian)?;
    let range: Range<usize> = range(offset, size)?;
    bytes.slice(range)
}

/// Creates the entry for a program compiled by AMD's OpenCL 2 compiler from its code object, and adds the kernel
/// metadata in the program.
fn opencl_entry<'a>(bytes: Bytes<'a>, program: &[u8]) -> Option<BundleEntry<'a>> {
    let object = crate::read(&*bytes).ok()?;
    object.isa_note?;
    let id = id("opencl-", &object);
    let metadata = driver::metadata_of_code_object(program).into();
    Some(BundleEntry {
        id,
        bytes,
        metadata,
    })
}

/// Returns an ID for an entry that has none in the file.
fn id(kind: &str, object: &CodeObject) -> String {
    format!("{kind}amdgcn-amd-amdhsa--{}", object.target_id())
}

/// Returns the offset of the next bundle.
fn next_bundle(bytes: &[u8]) -> Option<usize> {
    let (uncompressed, compressed) = (super::table::MAGIC, super::compressed::MAGIC);
    memchr::memchr2_iter(uncompressed[0], compressed[0], bytes)
        .find(|&at| bytes.get(at..).is_some_and(is_bundle))
}
