//! Numbers, strings and names of the tables in the file.

use hashbrown::HashMap;

/// Size of the file header.
pub(super) const FILE_HEADER: u64 = 64;
/// Size of a program header.
pub(super) const PROGRAM_HEADER: u64 = 56;
/// Size of a section header.
pub(super) const SECTION_HEADER: u64 = 64;
/// Size of a symbol.
pub(super) const SYMBOL: u64 = 24;
/// Size of a relocation.
pub(super) const RELA: u64 = 24;
/// Size of a dynamic table entry.
pub(super) const DYNAMIC: u64 = 16;
/// Size of a hash table entry.
pub(super) const HASH_WORD: u64 = 4;
/// Alignment of tables of 64-bit numbers.
pub(super) const WORD_ALIGN: u64 = 8;
/// First section index with a special meaning.
pub(super) const MAX_SECTIONS: usize = 0xff00;

pub(super) const DYNSYM: &str = ".dynsym";
pub(super) const HASH: &str = ".hash";
pub(super) const DYNSTR: &str = ".dynstr";
pub(super) const RELA_DYN: &str = ".rela.dyn";
pub(super) const DYNAMIC_NAME: &str = ".dynamic";
pub(super) const SYMTAB: &str = ".symtab";
pub(super) const STRTAB: &str = ".strtab";
pub(super) const SHSTRTAB: &str = ".shstrtab";
/// Names of the tables that the builder generates.
pub(super) const RESERVED_NAMES: [&str; 8] = [
    DYNSYM,
    HASH,
    DYNSTR,
    RELA_DYN,
    DYNAMIC_NAME,
    SYMTAB,
    STRTAB,
    SHSTRTAB,
];

/// Rounds up to a multiple of a power of two; zero counts as one. This cannot overflow, since the input is no larger
/// than `MAX_IMAGE_BYTES`.
pub(super) fn align_up(offset: u64, align: u64) -> u64 {
    offset.next_multiple_of(align.max(1))
}

/// Writer of consecutive little-endian numbers.
#[derive(Default)]
pub(super) struct ByteWriter(pub(super) Vec<u8>);

impl ByteWriter {
    pub(super) fn u8(&mut self, number: u8) {
        self.0.push(number);
    }

    pub(super) fn u16(&mut self, number: u16) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn zeros(&mut self, count: u64) {
        self.pad(self.0.len() as u64 + count);
    }

    /// Pads with zeros up to an offset.
    pub(super) fn pad(&mut self, offset: u64) {
        self.0.resize(offset as usize, 0);
    }
}

/// A string table without duplicates, in order of insertion.
pub(super) struct Strings<'a> {
    pub(super) bytes: Vec<u8>,
    offsets: HashMap<&'a str, u32>,
}

impl Default for Strings<'_> {
    fn default() -> Self {
        Self {
            bytes: vec![0],
            offsets: HashMap::from([("", 0)]),
        }
    }
}

impl<'a> Strings<'a> {
    pub(super) fn add(&mut self, name: &'a str) {
        if !self.offsets.contains_key(name) {
            self.offsets.insert(name, self.bytes.len() as u32);
            self.bytes.extend(name.as_bytes());
            self.bytes.push(0);
        }
    }

    /// Offset of a name; zero, the empty name, if it was not added.
    pub(super) fn offset(&self, name: &str) -> u32 {
        self.offsets.get(name).copied().unwrap_or(0)
    }
}
