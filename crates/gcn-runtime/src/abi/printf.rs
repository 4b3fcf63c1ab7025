//! Kernel output: reads printf records from a buffer and converts them to text.
//!
//! A hidden argument contains the buffer's address. The buffer starts with the number of bytes used and the capacity,
//! one dword each, followed by the records. The object's metadata contains the formats, as `number:arguments:size of
//! each:…:text`. An OpenCL record consists of a format number and the arguments. A HIP record
//! (`-mprintf-kind=buffered`) starts with a dword that contains its size and a flag for constant formats. The format's
//! hash or text and 64-bit arguments follow. HIP kernels without a buffer print through host calls (`hostcall.rs`), with
//! the same arguments.
//!
//! Sources: LLVM's lowering of OpenCL and HIP `printf` for AMDGPU (sizes, widening, strings in the record, escapes,
//! hashes); `__printf_alloc` of AMD's device libraries (the buffer header).

mod directive;
mod words;

use std::collections::HashMap;
use std::ops::ControlFlow;

use gcn_emu::memory::{AllocError, Memory};

pub(crate) use words::print_words;

use crate::abi::owned::Owned;
use directive::AND_MORE;

pub(crate) use directive::MAX_TEXT;

/// Size of the buffer in bytes, including its header, as in AMD's OpenCL.
pub const BUFFER_BYTES: u32 = 4 << 20;
/// Size of the buffer's header in bytes.
const HEAD_BYTES: u32 = 8;
/// Size of a dword in bytes.
const DWORD: usize = 4;
/// Size of a HIP format's hash, in bytes.
const HASH_BYTES: usize = 8;
/// Fields in the first dword of a HIP record: flag for a format stored as a hash, and size of the record.
const CONSTANT_FORMAT: u32 = 1 << 1;
const RECORD_BYTES_SHIFT: u32 = 2;

/// Printf buffer in guest memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PrintfBuffer {
    /// Address of the header.
    pub(crate) address: u64,
}

impl PrintfBuffer {
    /// Allocates an empty buffer.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub(crate) fn new(memory: &mut Owned) -> Result<PrintfBuffer, AllocError> {
        let address = memory.allocate("the printf buffer", u64::from(BUFFER_BYTES))?;
        let buffer = PrintfBuffer { address };
        buffer.clear(memory.memory());
        Ok(buffer)
    }

    /// Empties the buffer.
    pub(crate) fn clear(&self, memory: &Memory) {
        memory.store_u32(self.address, 0);
        memory.store_u32(self.address + 4, BUFFER_BYTES);
    }

    /// Returns the bytes of all records, limited to the buffer even if the kernel has corrupted the header.
    fn records(&self, memory: &Memory) -> Vec<u8> {
        let used = memory.load_u32(self.address).unwrap_or(0);
        let used = used.min(BUFFER_BYTES - HEAD_BYTES);
        let mut bytes = vec![0; used as usize];
        if memory.read(self.address + u64::from(HEAD_BYTES), &mut bytes) {
            bytes
        } else {
            Vec::new()
        }
    }

    /// Formats the records in buffer order.
    pub(crate) fn text(&self, memory: &Memory, formats: &Formats) -> Vec<u8> {
        let records = self.records(memory);
        let mut rest = &records[..];
        let mut text = Vec::new();
        while let Some((first, behind)) = rest.split_first_chunk::<DWORD>() {
            let first = u32::from_le_bytes(*first);
            if text.len() >= MAX_TEXT {
                if !text.ends_with(AND_MORE) {
                    text.extend(AND_MORE);
                }
                break;
            }
            match formats.print(first, behind, &mut text) {
                Some(next) => rest = next,
                None => {
                    text.extend(format!("\n(a record of the unknown format {first})\n").bytes());
                    rest = formats.behind_unknown(first, behind);
                }
            }
        }
        text
    }
}

/// Printf formats of a code object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Formats {
    by_number: Vec<PrintfFormat>,
    /// HIP formats by hash.
    by_hash: HashMap<u64, Vec<u8>>,
}

impl Formats {
    /// Parses the metadata strings. Returns an error for each malformed string.
    pub(crate) fn parse(strings: &[String]) -> (Formats, Vec<FormatError>) {
        let mut formats = Formats::default();
        let mut errors = Vec::new();
        for string in strings {
            if let Some((hash, text)) = hashed(string) {
                formats.by_hash.insert(hash, text.as_bytes().to_vec());
                continue;
            }
            match PrintfFormat::parse(string) {
                Ok(format) => formats.by_number.push(format),
                Err(error) => errors.push(error),
            }
        }
        (formats, errors)
    }

    /// Skips a record that has an unknown format and starts with the dword `first`. OpenCL records do not contain their
    /// length, so the next record is assumed to start at the next valid format number.
    fn behind_unknown<'a>(&self, first: u32, record: &'a [u8]) -> &'a [u8] {
        if !self.by_hash.is_empty() {
            let bytes = ((first >> RECORD_BYTES_SHIFT) as usize).saturating_sub(DWORD);
            return record.get(bytes..).unwrap_or_default();
        }
        let is_number = |dword: &[u8; DWORD]| {
            let number = u32::from_le_bytes(*dword);
            self.by_number.iter().any(|format| format.number == number)
        };
        let dwords = record.as_chunks::<DWORD>().0;
        let next = dwords.iter().position(is_number);
        next.map_or(&[], |index| &record[index * DWORD..])
    }

    /// Appends the text of a record that starts with the dword `first`, and returns the remaining bytes. Returns `None`
    /// if the format is unknown or a HIP record is truncated.
    fn print<'a>(&self, first: u32, record: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
        if self.by_hash.is_empty() {
            let format = self
                .by_number
                .iter()
                .find(|format| format.number == first)?;
            return Some(format.print(record, out));
        }
        // The length includes the first dword.
        let bytes = ((first >> RECORD_BYTES_SHIFT) as usize).checked_sub(DWORD)?;
        let (record, behind) = record.split_at_checked(bytes)?;
        if first & CONSTANT_FORMAT == 0 {
            print_words(record, out);
        } else {
            let (hash, arguments) = record.split_first_chunk::<HASH_BYTES>()?;
            words::print(
                self.by_hash.get(&u64::from_le_bytes(*hash))?,
                arguments,
                out,
            );
        }
        Some(behind)
    }
}

/// Parses a HIP format, `0:0:hash,text`, into hash and text. OpenCL's format numbers start at 1.
fn hashed(string: &str) -> Option<(u64, &str)> {
    let (hash, text) = string.strip_prefix("0:0:")?.split_once(',')?;
    Some((u64::from_str_radix(hash, 16).ok()?, text))
}

/// OpenCL format from the metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PrintfFormat {
    number: u32,
    /// Argument sizes from the metadata, which apply even if LLVM stored fewer bytes in the record. The last sizes may be
    /// missing (errata E231).
    sizes: Vec<usize>,
    /// Text with escapes resolved.
    text: Vec<u8>,
}

/// Malformed format string in the metadata.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the printf format `{0}` is not number:arguments:sizes…:text")]
#[non_exhaustive]
pub struct FormatError(pub String);

impl PrintfFormat {
    /// Parses `number:arguments:size:…:text`. The sizes of arguments that LLVM omits from the record may be missing.
    ///
    /// # Errors
    /// Fails if the string is malformed.
    pub(crate) fn parse(string: &str) -> Result<PrintfFormat, FormatError> {
        let wrong = || FormatError(string.to_owned());
        let mut rest = string;
        let mut next = || -> Option<u32> {
            let (field, after) = rest.split_once(':')?;
            let number = field.trim().parse().ok()?;
            rest = after;
            Some(number)
        };
        let number = next().ok_or_else(wrong)?;
        let count = next().ok_or_else(wrong)?;
        // Colons in the text are escaped, so the text is not mistaken for sizes.
        let sizes = (0..count).map_while(|_| next().map(|size| size as usize));
        let sizes: Vec<usize> = sizes.collect();
        Ok(PrintfFormat {
            number,
            sizes,
            text: unescaped(rest),
        })
    }

    /// Appends the text for arguments at the start of `record`, and returns the remaining bytes.
    fn print<'a>(&self, record: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let mut arguments = record;
        let mut sizes = self.sizes.iter();
        directive::each(&self.text, out, |directive, out| {
            let mut next = || {
                let size = (*sizes.next()?).min(arguments.len());
                let (argument, behind) = arguments.split_at(size);
                arguments = behind;
                Some(argument)
            };
            let conversion = char::from(directive.conversion);
            let directive = directive.resolved(|| next().map_or(0, directive::bits) as i32);
            match next() {
                Some(argument) => directive.print(argument, out),
                None => out.extend(format!("(no argument for %{conversion})").bytes()),
            }
            ControlFlow::Continue(())
        });
        let unused: usize = sizes.sum();
        arguments.get(unused..).unwrap_or_default()
    }
}

/// Resolves the compiler's escapes: letters, and octal numbers for colons.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes().peekable();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let letter = match bytes.peek() {
            Some(b'a') => Some(0x07),
            Some(b'b') => Some(0x08),
            Some(b'f') => Some(0x0c),
            Some(b'n') => Some(b'\n'),
            Some(b'r') => Some(b'\r'),
            Some(b't') => Some(b'\t'),
            Some(b'v') => Some(0x0b),
            _ => None,
        };
        if let Some(letter) = letter {
            bytes.next();
            out.push(letter);
            continue;
        }
        let mut value: Option<u8> = None;
        while let Some(digit) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) {
            value = Some(
                value
                    .unwrap_or(0)
                    .wrapping_mul(8)
                    .wrapping_add(digit - b'0'),
            );
        }
        out.push(value.unwrap_or(b'\\'));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::directive::MAX_FIELD;
    use super::*;

    fn printed(format: &str, arguments: &[&[u8]]) -> String {
        let sizes: String = arguments.iter().map(|a| format!("{}:", a.len())).collect();
        let text = format.replace(':', "\\72");
        let formats = formats(&format!("7:{}:{sizes}{text}", arguments.len()));
        let memory = Memory::new();
        let mut owned = Owned::new(&memory);
        let buffer = PrintfBuffer::new(&mut owned).expect("memory");
        let mut record = 7u32.to_le_bytes().to_vec();
        record.extend(arguments.concat());
        // Print the record twice to check that its end is found.
        let both = record.repeat(2);
        memory.store_u32(buffer.address, both.len() as u32);
        memory.write(buffer.address + u64::from(HEAD_BYTES), &both);
        let text = String::from_utf8(buffer.text(&memory, &formats)).expect("text");
        let (first, second) = text.split_at(text.len() / 2);
        assert_eq!(first, second);
        first.to_owned()
    }

    fn formats(string: &str) -> Formats {
        let (formats, errors) = Formats::parse(&[string.to_owned()]);
        assert_eq!(errors, []);
        formats
    }

    fn int(value: i32) -> [u8; 4] {
        value.to_le_bytes()
    }

    #[test]
    fn integers() {
        // Expected output matches C's `printf`.
        let cases: &[(&str, i32, &str)] = &[
            ("%d", -5, "-5"),
            ("%5d|", 42, "   42|"),
            ("%-5d|", 42, "42   |"),
            ("%05d", -42, "-0042"),
            ("%+d", 7, "+7"),
            ("% d", 7, " 7"),
            ("%.4d", 7, "0007"),
            ("%.0d|", 0, "|"),
            ("%x", -1, "ffffffff"),
            ("%#X", 255, "0XFF"),
            ("%#o", 8, "010"),
            ("%hhd", 0x1ff, "-1"),
            ("%hu", -1, "65535"),
            ("%u", -1, "4294967295"),
            ("%c!", 65, "A!"),
            ("100%% %d:", 1, "100% 1:"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(printed(format, &[&int(*value)]), *expected, "{format}");
        }
        assert_eq!(
            printed("%ld", &[&(-1i64 << 40).to_le_bytes()]),
            "-1099511627776"
        );
        assert_eq!(printed("%p", &[&0x1234u64.to_le_bytes()]), "0x1234");
    }

    #[test]
    fn floats() {
        // Expected output matches C's `printf`.
        let cases: &[(&str, f64, &str)] = &[
            ("%f", 1.5, "1.500000"),
            ("%8.2f|", -3.1423, "   -3.14|"),
            ("%08.2f", -3.1423, "-0003.14"),
            ("%.0f", 2.5, "2"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.1E", 1.25e-10, "1.3E-10"),
            ("%g", 100000.0, "100000"),
            ("%g", 1000000.0, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%#g", 1.0, "1.00000"),
            ("%g", 0.0, "0"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", -10.5, "-0x1.5p+3"),
            ("%.2a", 1.999, "0x1.00p+1"),
            ("%A", 0.1, "0X1.999999999999AP-4"),
            ("%f", f64::INFINITY, "inf"),
            ("%F", f64::NAN, "NAN"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(
                printed(format, &[&value.to_le_bytes()]),
                *expected,
                "{format}"
            );
        }
        assert_eq!(printed("%.3f", &[&0.1f32.to_le_bytes()]), "0.100");
    }

    #[test]
    fn vectors_and_strings() {
        let vector: Vec<u8> = [1.0f32, 2.5, -3.0, 4.0]
            .iter()
            .flat_map(|f| f.to_le_bytes())
            .collect();
        assert_eq!(
            printed("%v4hlf", &[&vector]),
            "1.000000,2.500000,-3.000000,4.000000"
        );
        assert_eq!(printed("[%5.1v3hlf]", &[&vector]), "[  1.0,  2.5, -3.0]");
        // Two characters are stored as two dwords, but four as one.
        let pair: Vec<u8> = [1i32, -2].iter().flat_map(|i| i.to_le_bytes()).collect();
        assert_eq!(printed("%v2hhd", &[&pair]), "1,-2");
        assert_eq!(printed("%v4hhu", &[&[1, 2, 255, 4]]), "1,2,255,4");
        assert_eq!(printed("%s|%d", &[b"abc\0", &int(1)]), "abc|1");
        assert_eq!(printed("%s|", &[b"abcd"]), "abcd|");
        assert_eq!(printed("%.2s|%5s|", &[b"abcd", b"xy\0\0"]), "ab|   xy|");
        assert_eq!(printed("%s", &[&[0, 0xff, 0xff, 0xff]]), "");
    }

    #[test]
    fn an_argument_without_a_size_is_not_in_the_record() {
        let formats = ["1:1:%F\\n", "2:2:8:%F %d\\n", "3:0:next 1\\72 2\\n"].map(str::to_owned);
        let (formats, errors) = Formats::parse(&formats);
        assert_eq!(errors, []);
        let mut out = Vec::new();
        let mut print =
            |number, record: &[u8]| formats.print(number, record, &mut out).map(<[u8]>::len);
        assert_eq!(print(1, &[3, 0, 0, 0]), Some(4));
        assert_eq!(print(2, &1.5f64.to_le_bytes()), Some(0));
        assert_eq!(print(3, &[]), Some(0));
        let expected = "(no argument for %F)\n1.500000 (no argument for %d)\nnext 1: 2\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }

    #[test]
    fn a_text_that_is_too_long_says_so() {
        let mut out = vec![b'.'; MAX_TEXT];
        directive::each(b"%d of %d\n", &mut out, |_, _| panic!("there is no room"));
        assert!(out.ends_with(b".\n(and more)\n"));
        out.truncate(MAX_TEXT);
        directive::each(b"the end\n", &mut out, |_, _| panic!("there is nothing"));
        assert!(out.ends_with(b".the end\n"));
    }

    #[test]
    fn what_is_no_format() {
        assert!(PrintfFormat::parse("1").is_err());
        assert!(PrintfFormat::parse("x:0:text").is_err());
        assert_eq!(printed("50%! %y %d", &[&int(3)]), "50%! %y 3");
        let memory = Memory::new();
        let mut owned = Owned::new(&memory);
        let buffer = PrintfBuffer::new(&mut owned).expect("memory");
        memory.store_u32(buffer.address, u32::MAX);
        assert!(
            buffer
                .text(&memory, &Formats::default())
                .starts_with(b"\n(a record")
        );
        // A record with an unknown format does not hide later records.
        for (dword, value) in [(0, 16), (2, 9), (3, 8), (4, 1), (5, 7)] {
            memory.store_u32(buffer.address + 4 * dword, value);
        }
        let text = buffer.text(&memory, &formats("1:1:4:seven is %d"));
        assert_eq!(text, b"\n(a record of the unknown format 9)\nseven is 7");
        // A truncated record, and one with an excessive size.
        let short = formats("1:1:4000000000:%d %d %99999999999d");
        memory.store_u32(buffer.address, 8);
        assert!(buffer.text(&memory, &short).len() < 2 * MAX_FIELD);
    }
}
