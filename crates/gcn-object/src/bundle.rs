//! Files that hold code objects: offload bundles as `hipcc --genco` leaves them, plain and compressed, host programs with
//! such bundles in their section `.hip_fatbin`, and the programs of AMD's OpenCL 2 compiler, which miners and assemblers
//! still make: an ELF file for a machine of its own, with the code object in its section `.text` ("AmdCL2 binary format"
//! in CLRX's documentation).
//!
//! The layouts are those of "Bundled Code Object File Layout" and "Compression and Decompression" in Clang's "Clang
//! Offload Bundler". A plain bundle is a magic text, the number of entries, then for each its offset, its size and its
//! name; numbers have 64 bits. A compressed one is a header of three versions before a stream of zlib or zstd.

use std::fmt;
use std::io::Read;
use std::ops::{Deref, Range};
use std::sync::Arc;

use object::elf;
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{LittleEndian, pod};
use thiserror::Error;

use crate::reader::{CodeObject, ReadError};
use crate::target::IsaVersion;

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED_MAGIC: &[u8] = b"CCOB";
/// The section of a host program that bundles are in.
const FAT_SECTION: &[u8] = b".hip_fatbin";
/// The section of a program of AMD's OpenCL 2 compiler that is a code object.
const OPENCL_SECTION: &[u8] = b".text";
/// What a compressed bundle may grow to: the largest libraries have some hundred MiB.
const MAX_UNCOMPRESSED: u64 = 1 << 30;

/// What a stream grows by at most, as a rule: zlib's by no more than 1032.
const USUAL_RATIO: u64 = 1032;

/// How far a stream of zstd may refer back, which has to be kept beside what it has become. Clang's do not go beyond it, nor
/// does the program `zstd` without being told so.
const MAX_WINDOW: u64 = 128 << 20;

/// One file in a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleEntry<'a> {
    /// Kind and target, such as `hipv4-amdgcn-amd-amdhsa--gfx906`.
    pub id: String,
    /// The file; empty for the host's part.
    pub bytes: EntryBytes<'a>,
}

/// The bytes of a file in a bundle: where they are, or a part of what has been decompressed, which all of a bundle share.
/// That may be large, so nothing copies it.
#[derive(Clone)]
pub struct EntryBytes<'a>(Bytes<'a>);

#[derive(Clone)]
enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Part(Part),
}

/// A range of shared bytes.
#[derive(Clone)]
struct Part(Arc<Vec<u8>>, Range<usize>);

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        self.0.get(self.1.clone()).unwrap_or_default()
    }
}

impl Deref for EntryBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Part(part) => part.as_ref(),
        }
    }
}

impl fmt::Debug for EntryBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

impl PartialEq for EntryBytes<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for EntryBytes<'_> {}

impl BundleEntry<'_> {
    /// The target id at the end of the name, such as `gfx906:xnack-`; `None` for the host's part.
    pub fn target(&self) -> Option<&str> {
        let at = self.id.rfind("-gfx")?;
        self.id.get(at + 1..)
    }

    /// Reads the file as a code object.
    ///
    /// # Errors
    /// Those of [`read`](crate::read).
    pub fn read(&self) -> Result<CodeObject, ReadError> {
        match &self.bytes.0 {
            Bytes::Borrowed(bytes) => crate::read(bytes),
            Bytes::Part(part) => crate::read_owned(part.clone()),
        }
    }
}

/// Why bytes are not an offload bundle.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BundleError {
    /// The magic text is missing.
    #[error("not an offload bundle")]
    NotABundle,
    /// A version of the compressed form that does not exist yet.
    #[error("version {version} of compressed offload bundles is not known, only 1 to 3")]
    CompressedVersion {
        /// As stated.
        version: u16,
    },
    /// A method of compression that does not exist yet.
    #[error("the offload bundle is compressed by method {method}, not zlib (0) or zstd (1)")]
    CompressionMethod {
        /// As stated.
        method: u16,
    },
    /// The compressed stream is broken.
    #[error("the offload bundle cannot be decompressed: {reason}")]
    Decompression {
        /// What the decoder says.
        reason: String,
    },
    /// Its stream refers back too far.
    #[error(
        "the offload bundle's stream of zstd refers back by {window} bytes, more than the {MAX_WINDOW} that are kept"
    )]
    Window {
        /// By how many bytes.
        window: u64,
    },
    /// It would be larger than any real one.
    #[error(
        "an offload bundle claims {size} bytes when decompressed; those of a file may have {MAX_UNCOMPRESSED} in all"
    )]
    TooLarge {
        /// As stated.
        size: u64,
    },
    /// It ends within its table.
    #[error("the offload bundle ends within its table of entries")]
    Truncated,
    /// An entry reaches beyond the end of the file.
    #[error("entry {id} reaches beyond the end of the offload bundle")]
    Outside {
        /// Its name.
        id: String,
    },
    /// A program for another machine, without code for GPUs.
    #[error(
        "a program for {} without offload bundles (it has no section .hip_fatbin) or code of AMD's OpenCL compiler",
        machine_name(*machine)
    )]
    NoFatBinary {
        /// `e_machine`.
        machine: u16,
    },
    /// A program for another machine whose sections cannot be found.
    #[error("a program for {} whose section headers cannot be read: {reason}", machine_name(*machine))]
    BrokenHost {
        /// `e_machine`.
        machine: u16,
        /// What is wrong with them.
        reason: String,
    },
}

/// What people call a machine of an ELF file.
fn machine_name(machine: u16) -> String {
    let name = match elf::Machine(machine) {
        elf::EM_X86_64 => "x86-64",
        elf::EM_AARCH64 => "AArch64",
        elf::EM_PPC64 => "PowerPC",
        elf::EM_RISCV => "RISC-V",
        _ => return format!("machine {machine}"),
    };
    name.to_owned()
}

/// The bytes begin as an offload bundle does.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(COMPRESSED_MAGIC)
}

/// The bytes are a bundle, or an ELF file for another machine than AMDGPU, which may hold bundles or a code object.
pub fn is_container(bytes: &[u8]) -> bool {
    is_bundle(bytes) || host(bytes).is_some()
}

/// The entries of all bundles in a file that [`is_container`] says is one, in the order of the file; for a program of AMD's
/// OpenCL 2 compiler the only one, named for the target in its notes.
///
/// # Errors
/// The first bundle that cannot be read, or the code object of an OpenCL program.
pub fn container_entries(bytes: &[u8]) -> Result<Vec<BundleEntry<'_>>, BundleError> {
    let Some(header) = host(bytes) else {
        return bundle_entries(bytes);
    };
    let machine = header.e_machine(LittleEndian).0;
    if let Err(error) = header.sections(LittleEndian, bytes) {
        let reason = match crate::reader::missing(bytes.len(), header) {
            Some(cut) => cut.to_string(),
            None => error.to_string(),
        };
        return Err(BundleError::BrokenHost { machine, reason });
    }
    let Some(section) = section(header, bytes, FAT_SECTION) else {
        return opencl_entry(header, bytes)
            .map(|entry| vec![entry])
            .ok_or(BundleError::NoFatBinary { machine });
    };
    let mut entries = Vec::new();
    let mut rest = section;
    let mut room = MAX_UNCOMPRESSED;
    // Each unit of the program brings its own, and a linker fills up between them.
    while let Some(at) = next_bundle(rest) {
        let bundle = rest.get(at..).unwrap_or_default();
        let (mut found, length) = read(bundle, &mut room)?;
        entries.append(&mut found);
        rest = bundle.get(length.max(1)..).unwrap_or_default();
    }
    Ok(entries)
}

/// The entries of an offload bundle, plain or compressed, in the order of the file.
///
/// # Errors
/// The bytes are no bundle, or a broken one.
pub fn bundle_entries(bytes: &[u8]) -> Result<Vec<BundleEntry<'_>>, BundleError> {
    read(bytes, &mut { MAX_UNCOMPRESSED }).map(|(entries, _)| entries)
}

/// The entries of the bundle at the begin of the bytes, and how many bytes it takes. What is decompressed is taken
/// off the `room` for it.
fn read<'a>(bytes: &'a [u8], room: &mut u64) -> Result<(Vec<BundleEntry<'a>>, usize), BundleError> {
    if bytes.starts_with(COMPRESSED_MAGIC) {
        let (plain, length) = decompressed(bytes, *room)?;
        *room = room.saturating_sub(plain.len() as u64);
        let (places, _) = read_plain(&plain)?;
        let plain = Arc::new(plain);
        let entry = |(id, place): Named| BundleEntry {
            id,
            bytes: EntryBytes(Bytes::Part(Part(plain.clone(), place))),
        };
        return Ok((places.into_iter().map(entry).collect(), length));
    }
    let (places, length) = read_plain(bytes)?;
    let entry = |(id, place): Named| BundleEntry {
        id,
        bytes: EntryBytes(Bytes::Borrowed(bytes.get(place).unwrap_or_default())),
    };
    Ok((places.into_iter().map(entry).collect(), length))
}

/// An entry's name, and where its bytes are.
type Named = (String, Range<usize>);

/// The names of a plain bundle's entries and where they are, and how many bytes it takes.
fn read_plain(bytes: &[u8]) -> Result<(Vec<Named>, usize), BundleError> {
    let mut table = bytes.strip_prefix(MAGIC).ok_or(BundleError::NotABundle)?;
    let count = number(&mut table)?;
    let mut entries = Vec::new();
    let mut end = 0;
    // The count may be a lie; running out of table ends the loop.
    for _ in 0..count {
        let (offset, size) = (number(&mut table)?, number(&mut table)?);
        let length = usize::try_from(number(&mut table)?).map_err(|_| BundleError::Truncated)?;
        let (id, rest) = table
            .split_at_checked(length)
            .ok_or(BundleError::Truncated)?;
        table = rest;
        let id = String::from_utf8_lossy(id).into_owned();
        match range(offset, size).filter(|place| place.end <= bytes.len()) {
            Some(place) => {
                end = end.max(place.end);
                entries.push((id, place));
            }
            None => return Err(BundleError::Outside { id }),
        }
    }
    let table_end = bytes.len() - table.len();
    Ok((entries, end.max(table_end)))
}

/// How a version of the compressed form states its sizes, which follow magic text, version and method.
struct Sizes {
    /// Bytes of a size.
    width: usize,
    /// The size of the compressed file comes before that of the plain one.
    has_total: bool,
}

const VERSIONS: [Sizes; 3] = [
    Sizes {
        width: 4,
        has_total: false,
    },
    Sizes {
        width: 4,
        has_total: true,
    },
    Sizes {
        width: 8,
        has_total: true,
    },
];
/// The hash of the plain bundle, which only tells bundles apart.
const HASH_BYTES: usize = 8;
const ZLIB: u16 = 0;
const ZSTD: u16 = 1;

/// The plain bundle in a compressed one, and how many bytes that takes.
fn decompressed(bytes: &[u8], room: u64) -> Result<(Vec<u8>, usize), BundleError> {
    let mut rest = bytes
        .strip_prefix(COMPRESSED_MAGIC)
        .ok_or(BundleError::NotABundle)?;
    let version = small_number(&mut rest, 2)? as u16;
    let method = small_number(&mut rest, 2)? as u16;
    let sizes = usize::from(version)
        .checked_sub(1)
        .and_then(|index| VERSIONS.get(index))
        .ok_or(BundleError::CompressedVersion { version })?;
    let total = match sizes.has_total {
        true => Some(small_number(&mut rest, sizes.width)?),
        false => None,
    };
    let size = small_number(&mut rest, sizes.width)?;
    if size > room {
        return Err(BundleError::TooLarge { size });
    }
    let stream = rest.get(HASH_BYTES..).ok_or(BundleError::Truncated)?;
    let header = bytes.len() - stream.len();
    // Without the size it goes to the end.
    let length = match total {
        None => bytes.len(),
        Some(total) => usize::try_from(total)
            .ok()
            .filter(|&total| (header..=bytes.len()).contains(&total))
            .ok_or(BundleError::Truncated)?,
    };
    let stream = stream.get(..length - header).unwrap_or_default();
    let broken = |reason: String| BundleError::Decompression { reason };
    // Growing copies; but what the header says may be a lie, and little grows more.
    let likely = (length as u64).saturating_mul(USUAL_RATIO).min(size + 1);
    let mut plain = Vec::new();
    plain
        .try_reserve_exact(usize::try_from(likely).unwrap_or(0))
        .map_err(|error| broken(error.to_string()))?;
    // One byte more shows that the size is wrong.
    let result = match method {
        ZLIB => flate2::read::ZlibDecoder::new(stream)
            .take(size + 1)
            .read_to_end(&mut plain),
        ZSTD => {
            let window = window(stream).unwrap_or(0);
            if window > MAX_WINDOW {
                return Err(BundleError::Window { window });
            }
            // The decoder panics where it finds no memory for its window, which it enlarges by copying it.
            let needed = 4 * window.min(size) as usize;
            Vec::<u8>::new()
                .try_reserve_exact(needed)
                .map_err(|error| broken(error.to_string()))?;
            let decoder = ruzstd::decoding::StreamingDecoder::new(stream)
                .map_err(|error| broken(error.to_string()))?;
            Pieces(decoder).take(size + 1).read_to_end(&mut plain)
        }
        _ => return Err(BundleError::CompressionMethod { method }),
    };
    result.map_err(|error| broken(error.to_string()))?;
    if plain.len() as u64 != size {
        return Err(broken(format!(
            "it does not have the {size} bytes that it states"
        )));
    }
    Ok((plain, length))
}

/// Reads no more than so many bytes at once: the decoder of zstd keeps all that it is asked for.
struct Pieces<R>(R);

const PIECE: usize = 1 << 16;

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = buffer.len().min(PIECE);
        self.0.read(buffer.get_mut(..piece).unwrap_or_default())
    }
}

/// How far the first frame of a stream of zstd refers back, in bytes; nothing if its header is not all there. What else is
/// wrong with it is found by who decompresses it ("Frame_Header" in RFC 8878).
fn window(stream: &[u8]) -> Option<u64> {
    /// Bytes of the magic number.
    const MAGIC_BYTES: usize = 4;
    /// The frame has no window beside its contents.
    const SINGLE_SEGMENT: u8 = 1 << 5;
    let (&flags, mut rest) = stream.get(MAGIC_BYTES..)?.split_first()?;
    if flags & SINGLE_SEGMENT == 0 {
        let &window = rest.first()?;
        let base = 1u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
    rest = rest.get(dictionary..)?;
    small_number(&mut rest, 1 << (flags >> 6)).ok()
}

/// The header of an ELF file of 64 bits that is not for AMDGPU.
fn host(bytes: &[u8]) -> Option<&elf::FileHeader64<LittleEndian>> {
    let (header, _) = pod::from_bytes::<elf::FileHeader64<LittleEndian>>(bytes).ok()?;
    let is_host = header.is_supported()
        && header.is_class_64()
        && header.is_little_endian()
        && header.e_machine(LittleEndian) != elf::EM_AMDGPU;
    is_host.then_some(header)
}

fn section<'a>(
    header: &elf::FileHeader64<LittleEndian>,
    bytes: &'a [u8],
    name: &[u8],
) -> Option<&'a [u8]> {
    let sections = header.sections(LittleEndian, bytes).ok()?;
    let found = sections
        .iter()
        .find(|section| sections.section_name(LittleEndian, section) == Ok(name))?;
    found.data(LittleEndian, bytes).ok()
}

/// The code object of a program of AMD's OpenCL 2 compiler.
fn opencl_entry<'a>(
    header: &elf::FileHeader64<LittleEndian>,
    bytes: &'a [u8],
) -> Option<BundleEntry<'a>> {
    let code = section(header, bytes, OPENCL_SECTION)?;
    let isa = crate::read(code).ok()?.isa_note?;
    let IsaVersion {
        major,
        minor,
        stepping,
    } = isa;
    Some(BundleEntry {
        id: format!("opencl-amdgcn-amd-amdhsa--gfx{major}{minor}{stepping:x}"),
        bytes: EntryBytes(Bytes::Borrowed(code)),
    })
}

/// Where the next bundle begins.
fn next_bundle(bytes: &[u8]) -> Option<usize> {
    let begins = |at: &usize| bytes.get(*at..).is_some_and(is_bundle);
    (0..bytes.len()).find(begins)
}

fn number(table: &mut &[u8]) -> Result<u64, BundleError> {
    small_number(table, 8)
}

/// A number of `width` bytes, at most eight.
fn small_number(table: &mut &[u8], width: usize) -> Result<u64, BundleError> {
    let (bytes, rest) = table
        .split_at_checked(width)
        .ok_or(BundleError::Truncated)?;
    *table = rest;
    let digits = bytes.iter().rev();
    Ok(digits.fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn range(offset: u64, size: u64) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn plain(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut table = MAGIC.to_vec();
        table.extend((entries.len() as u64).to_le_bytes());
        let names: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
        let mut offset = (table.len() + names) as u64;
        for (id, bytes) in entries {
            for number in [offset, bytes.len() as u64, id.len() as u64] {
                table.extend(number.to_le_bytes());
            }
            table.extend(id.bytes());
            offset += bytes.len() as u64;
        }
        entries.iter().for_each(|(_, bytes)| table.extend(*bytes));
        table
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).expect("memory is large enough");
        encoder.finish().expect("memory is large enough")
    }

    /// A compressed bundle of each version, with the same stream.
    fn compressed(version: u16, size: u64, stream: &[u8]) -> Vec<u8> {
        let sizes = &VERSIONS[usize::from(version) - 1];
        let mut bytes = COMPRESSED_MAGIC.to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(ZLIB.to_le_bytes());
        let header = 8 + sizes.width * (1 + usize::from(sizes.has_total)) + HASH_BYTES;
        let total = (header + stream.len()) as u64;
        if sizes.has_total {
            bytes.extend(&total.to_le_bytes()[..sizes.width]);
        }
        bytes.extend(&size.to_le_bytes()[..sizes.width]);
        bytes.extend([0; HASH_BYTES]);
        bytes.extend(stream);
        bytes
    }

    #[test]
    fn every_version_of_the_compressed_form_is_read() {
        let bundle = plain(&[
            ("host-x86_64--", b""),
            ("hipv4-amdgcn-amd-amdhsa--gfx906", b"code"),
        ]);
        for version in 1..=3 {
            let bytes = compressed(version, bundle.len() as u64, &zlib(&bundle));
            let entries = bundle_entries(&bytes).expect("it is a bundle");
            let found: Vec<_> = entries.iter().map(|e| (e.target(), &e.bytes[..])).collect();
            assert_eq!(found, [(None, &b""[..]), (Some("gfx906"), &b"code"[..])]);
            for length in 0..bytes.len() {
                assert!(
                    bundle_entries(&bytes[..length]).is_err(),
                    "{version}: {length}"
                );
            }
        }
    }

    /// Entries of a compressed bundle are parts of what has been decompressed: many that share bytes take no more memory.
    #[test]
    fn entries_of_a_compressed_bundle_are_not_copied() {
        const ENTRIES: u64 = 1000;
        let id = b"hip-amdgcn-amd-amdhsa--gfx803";
        let mut bundle = MAGIC.to_vec();
        bundle.extend(ENTRIES.to_le_bytes());
        let offset = bundle.len() as u64 + ENTRIES * (24 + id.len() as u64);
        for _ in 0..ENTRIES {
            for number in [offset, 4096, id.len() as u64] {
                bundle.extend(number.to_le_bytes());
            }
            bundle.extend(id);
        }
        bundle.extend([7; 4096]);
        let bytes = compressed(3, bundle.len() as u64, &zlib(&bundle));
        let entries = bundle_entries(&bytes).expect("it is a bundle");
        assert_eq!(entries.len() as u64, ENTRIES);
        let first = &entries[0];
        for entry in &entries {
            assert_eq!(entry.bytes.as_ptr(), first.bytes.as_ptr());
            assert_eq!(entry.bytes[..], [7; 4096]);
        }
    }

    /// What one bundle takes of a program's allowance, the next does not have.
    #[test]
    fn bundles_of_a_program_share_an_allowance() {
        let bundle = plain(&[("hip-amdgcn-amd-amdhsa--gfx803", &[0; 4096])]);
        let bytes = compressed(3, bundle.len() as u64, &zlib(&bundle));
        let size = bundle.len() as u64;
        let mut room = size + size / 2;
        assert!(read(&bytes, &mut room).is_ok());
        let error = read(&bytes, &mut room).err();
        assert_eq!(error, Some(BundleError::TooLarge { size }));
    }

    /// A frame of zstd with this header, that holds the bytes as they are.
    fn zstd(header: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd];
        frame.extend(header);
        // The last block, not compressed.
        frame.extend(&((bytes.len() as u32) << 3 | 1).to_le_bytes()[..3]);
        frame.extend(bytes);
        frame
    }

    /// What has to be kept beside the contents is bounded, however it is stated.
    #[test]
    fn a_stream_that_refers_back_too_far_is_refused() {
        let bundle = plain(&[("hip-amdgcn-amd-amdhsa--gfx803", &[7; 256])]);
        let size = bundle.len() as u64;
        let entries = |header: &[u8]| {
            let mut bytes = compressed(3, size, &zstd(header, &bundle));
            bytes[6..8].copy_from_slice(&ZSTD.to_le_bytes());
            bundle_entries(&bytes).map(|entries| entries[0].bytes.to_vec())
        };
        let good = Ok(vec![7; 256]);
        // A window of 2^27 bytes, and the next larger one.
        assert_eq!(entries(&[0, 17 << 3]), good);
        let window = MAX_WINDOW + MAX_WINDOW / 8;
        assert_eq!(
            entries(&[0, 17 << 3 | 1]),
            Err(BundleError::Window { window })
        );
        let window = (1 << 41) + 7 * (1 << 38);
        assert_eq!(entries(&[0, 0xff]), Err(BundleError::Window { window }));
        // The window is the contents, of a size in four and in eight bytes.
        let in_four = [&[0xa0][..], &(size as u32).to_le_bytes()].concat();
        assert_eq!(entries(&in_four), good);
        let window = u64::MAX;
        let in_eight = [&[0xe0][..], &window.to_le_bytes()].concat();
        assert_eq!(entries(&in_eight), Err(BundleError::Window { window }));
        // What is cut off in its header is for the decoder to tell.
        assert_eq!(super::window(&[0x28, 0xb5, 0x2f, 0xfd, 0]), None);
    }

    #[test]
    fn a_reader_in_pieces_asks_for_no_more_than_a_piece() {
        struct Asked(usize);
        impl Read for Asked {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.0 = self.0.max(buffer.len());
                Ok(buffer.len())
            }
        }
        let mut pieces = Pieces(Asked(0));
        let mut all = Vec::with_capacity(8 * PIECE);
        let read = pieces.by_ref().take(8 * PIECE as u64).read_to_end(&mut all);
        assert_eq!(read.ok(), Some(8 * PIECE));
        assert_eq!(pieces.0.0, PIECE);
    }

    #[test]
    fn a_stream_that_lies_about_its_size_is_no_bundle() {
        let bundle = plain(&[("hip-amdgcn-amd-amdhsa--gfx803", &[0; 4096])]);
        let stream = zlib(&bundle);
        for size in [0, bundle.len() as u64 - 1, bundle.len() as u64 + 1] {
            let bytes = compressed(2, size, &stream);
            let error = bundle_entries(&bytes);
            assert!(
                matches!(error, Err(BundleError::Decompression { .. })),
                "{error:?}"
            );
        }
        let bytes = compressed(3, u64::MAX, &stream);
        let error = bundle_entries(&bytes);
        assert_eq!(error, Err(BundleError::TooLarge { size: u64::MAX }));
        let mut bytes = compressed(3, 1, &stream);
        bytes[4] = 4;
        let error = bundle_entries(&bytes);
        assert_eq!(error, Err(BundleError::CompressedVersion { version: 4 }));
    }
}
