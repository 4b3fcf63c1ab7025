//! Encodes numbers, strings and names in the file's tables.

use hashbrown::HashMap;

/// Size of the file header in bytes.
pub(super) const FILE_HEADER: u64 = 64;
/// Size of a program header in bytes.
pub(super) const PROGRAM_HEADER: u64 = 56;
/// Size of a section header in bytes.
pub(super) const SECTION_HEADER: u64 = 64;
/// Size of a symbol in bytes.
pub(super) const SYMBOL: u64 = 24;
/// Size of a relocation in bytes.
pub(super) const RELA: u64 = 24;
/// Size of a dynamic table entry in bytes.
pub(super) const DYNAMIC: u64 = 16;
/// Size of a hash table entry in bytes.
pub(super) const HASH_WORD: u64 = 4;
/// Alignment in bytes of tables with 64-bit numbers.
pub(super) const WORD_ALIGN: u64 = 8;
/// First reserved section index (`SHN_LORESERVE`).
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

/// Rounds `offset` up to a multiple of `align`, a power of two; zero counts as one. This cannot overflow, since the
/// input is no larger than `MAX_IMAGE_BYTES`.
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

    /// Pads with zeros up to `offset`.
    pub(super) fn pad(&mut self, offset: u64) {
        self.0.resize(offset as usize, 0);
    }
}

/// String table without duplicates, in insertion order.
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

    /// Returns the offset of a name; zero, the offset of the empty name, if it was not added.
    pub(super) fn offset(&self, name: &str) -> u32 {
        self.offsets.get(name).copied().unwrap_or(0)
    }
}
