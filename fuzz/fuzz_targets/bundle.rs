//! Random offload bundle tables in headers of the compressed form. The streams are complete and their checksums valid,
//! which a fuzzer would not find by itself, so that it reaches their contents.
#![no_main]

use libfuzzer_sys::{arbitrary, fuzz_target};

/// Parts of a compressed bundle.
#[derive(arbitrary::Arbitrary, Debug)]
struct Bundle<'a> {
    version: u16,
    is_zstd: bool,
    /// Sizes in the header that replace the correct ones.
    wrong_total: Option<u64>,
    wrong_size: Option<u64>,
    /// Contents of the table, and bytes after it.
    count: u64,
    entries: Vec<(u16, u16, &'a str)>,
    rest: &'a [u8],
    /// Bytes after the bundle: a program may contain several bundles, with anything in between.
    trailing: &'a [u8],
}

fuzz_target!(|bundle: Bundle| {
    let mut bytes = bundle.compressed();
    bytes.extend(bundle.trailing);
    if let Ok(entries) = gcn_object::code_objects(&bytes) {
        for entry in entries.flatten() {
            let _ = entry.target();
            let _ = entry.kernel_names();
            let _ = entry.read();
        }
    }
});

impl Bundle<'_> {
    fn plain(&self) -> Vec<u8> {
        let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        bytes.extend(self.count.to_le_bytes());
        for &(offset, size, id) in &self.entries {
            for number in [u64::from(offset), u64::from(size), id.len() as u64] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(id.bytes());
        }
        bytes.extend(self.rest);
        bytes
    }

    fn compressed(&self) -> Vec<u8> {
        let plain = self.plain();
        let version = self.version % 5;
        let width = if version == 3 { 8 } else { 4 };
        let stream = if self.is_zstd { zstd(&plain) } else { zlib(&plain) };
        let sizes = if version == 1 { 1 } else { 2 };
        let header = 4 + 2 + 2 + sizes * width + 8;
        let mut bytes = b"CCOB".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(u16::from(self.is_zstd).to_le_bytes());
        if sizes == 2 {
            let total = self.wrong_total.unwrap_or((header + stream.len()) as u64);
            bytes.extend(&total.to_le_bytes()[..width]);
        }
        let size = self.wrong_size.unwrap_or(plain.len() as u64);
        bytes.extend(&size.to_le_bytes()[..width]);
        bytes.extend([0; 8]);
        bytes.extend(stream);
        bytes
    }
}

/// zlib stream (RFC 1950) with stored blocks.
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (low, high) = bytes.iter().fold((1, 0), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65521;
        (low, (high + low) % 65521)
    });
    stream.extend((high << 16 | low).to_be_bytes());
    stream
}

/// zstd stream (RFC 8878) with raw blocks.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    /// Descriptor of a single-segment frame with a four-byte content size.
    const DESCRIPTOR: u8 = 0b1010_0000;
    let mut stream = 0xfd2f_b528u32.to_le_bytes().to_vec();
    stream.push(DESCRIPTOR);
    stream.extend((bytes.len() as u32).to_le_bytes());
    let mut blocks = bytes.chunks(1 << 17).peekable();
    while let Some(block) = blocks.next() {
        let head = (block.len() as u32) << 3 | u32::from(blocks.peek().is_none());
        stream.extend(&head.to_le_bytes()[..3]);
        stream.extend(block);
    }
    stream
}
