//! What OpenCL kernels print: the buffer that they write records into, and the text that these become.
//!
//! A kernel gets the address of the buffer as a hidden argument: a dword of bytes used, a dword of bytes there are,
//! then the records. A record is a format's number and its arguments, one after the other. The formats are in the
//! object's metadata, as `number:arguments:size of each:…:text`.
//!
//! Sources: LLVM's lowering of OpenCL `printf` for AMDGPU (sizes, widening, strings in the record, escapes);
//! `__printf_alloc` of AMD's device libraries (the head of the buffer); "printf" in the OpenCL C specification.

use half::f16;

use crate::memory::{AllocError, Memory};

/// Bytes of the buffer, as much as AMD's OpenCL gives.
pub const BUFFER_BYTES: u32 = 4 << 20;
/// Bytes before the first record: how many are used, how many there are.
const HEAD_BYTES: u32 = 8;
/// Arguments are stored in multiples of a dword.
const DWORD: usize = 4;
/// Characters of a field at most, so that a format cannot ask for more memory than there is.
const MAX_FIELD: usize = 1 << 12;

/// The buffer of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Its guest address.
    pub address: u64,
}

impl Buffer {
    /// Allocates an empty buffer.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(memory: &mut Memory) -> Result<Buffer, AllocError> {
        let address = memory.allocate("the printf buffer", u64::from(BUFFER_BYTES))?;
        memory.store_u32(address + 4, BUFFER_BYTES);
        Ok(Buffer { address })
    }

    /// The records as bytes, as far as the kernel has not made a mess of the head.
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

    /// What was printed, in the order of the buffer.
    pub fn text(&self, memory: &Memory, formats: &[Format]) -> Vec<u8> {
        let records = self.records(memory);
        let mut rest = &records[..];
        let mut text = Vec::new();
        while let Some((number, arguments)) = rest.split_first_chunk::<DWORD>() {
            let number = u32::from_le_bytes(*number);
            let Some(format) = formats.iter().find(|format| format.number == number) else {
                // Nothing says how long the record is.
                text.extend(format!("\n(a record of the unknown format {number})\n").bytes());
                break;
            };
            rest = format.print(arguments, &mut text);
        }
        text
    }
}

/// A format of the metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Format {
    number: u32,
    /// Bytes of each argument in the record.
    /// They count even where LLVM stored less (errata E231).
    sizes: Vec<usize>,
    /// With escapes resolved.
    text: Vec<u8>,
}

/// Why a string of the metadata is no format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the printf format `{0}` is not number:arguments:sizes…:text")]
pub struct FormatError(pub String);

impl Format {
    /// Reads `number:arguments:size:…:text`.
    ///
    /// # Errors
    /// It has another form.
    pub fn parse(string: &str) -> Result<Format, FormatError> {
        let wrong = || FormatError(string.to_owned());
        let mut rest = string;
        let mut next = || -> Option<u32> {
            let (field, after) = rest.split_once(':')?;
            rest = after;
            field.trim().parse().ok()
        };
        let number = next().ok_or_else(wrong)?;
        let count = next().ok_or_else(wrong)?;
        let mut sizes = Vec::new();
        for _ in 0..count {
            sizes.push(next().ok_or_else(wrong)? as usize);
        }
        Ok(Format {
            number,
            sizes,
            text: unescaped(rest),
        })
    }

    /// Appends the text of a record whose arguments begin `record`, and returns what is behind them.
    fn print<'a>(&self, record: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let mut arguments = record;
        let mut sizes = self.sizes.iter();
        let mut text = &self.text[..];
        while let Some(at) = text.iter().position(|byte| *byte == b'%') {
            out.extend(&text[..at]);
            text = &text[at..];
            if text.starts_with(b"%%") {
                out.push(b'%');
                text = &text[2..];
                continue;
            }
            let Some((directive, after)) = Directive::parse(text) else {
                // Not one that C knows: as it stands.
                out.push(b'%');
                text = &text[1..];
                continue;
            };
            text = after;
            let size = sizes.next().copied().unwrap_or(0).min(arguments.len());
            let (argument, behind) = arguments.split_at(size);
            arguments = behind;
            directive.print(argument, out);
        }
        out.extend(text);
        let unused: usize = sizes.sum();
        arguments.get(unused..).unwrap_or_default()
    }
}

/// Resolves the escapes that the compiler puts in: letters, and octal numbers for the colon.
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

/// `%-08.3v4hlf` and its like.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Directive {
    flags: Flags,
    width: usize,
    precision: Option<usize>,
    /// Elements of a vector; 1 for a scalar.
    lanes: usize,
    /// `hh`, `h`, `hl`, `l`, `ll` or nothing.
    length: Vec<u8>,
    conversion: u8,
}

/// The characters between `%` and the width.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
}

impl Directive {
    /// Reads the directive that `text` begins with, and returns what is behind it.
    fn parse(text: &[u8]) -> Option<(Directive, &[u8])> {
        let mut rest = text.strip_prefix(b"%")?;
        let mut flags = Flags::default();
        while let Some((first, after)) = rest.split_first() {
            match first {
                b'-' => flags.left = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'#' => flags.alternate = true,
                b'0' => flags.zero = true,
                _ => break,
            }
            rest = after;
        }
        let width = number(&mut rest).unwrap_or(0);
        let precision = match rest.strip_prefix(b".") {
            Some(after) => {
                rest = after;
                Some(number(&mut rest).unwrap_or(0))
            }
            None => None,
        };
        let lanes = match rest.strip_prefix(b"v") {
            Some(after) => {
                rest = after;
                number(&mut rest).filter(|n| matches!(n, 2 | 3 | 4 | 8 | 16))?
            }
            None => 1,
        };
        let letters = rest
            .iter()
            .take_while(|byte| matches!(byte, b'h' | b'l' | b'j' | b'z' | b't' | b'L'))
            .count();
        let (length, rest) = rest.split_at(letters);
        let (conversion, rest) = rest.split_first()?;
        b"diouxXcspfFeEgGaA".contains(conversion).then(|| {
            let directive = Directive {
                flags,
                width,
                precision,
                lanes,
                length: length.to_vec(),
                conversion: *conversion,
            };
            (directive, rest)
        })
    }

    /// Appends an argument; the elements of a vector with commas between.
    fn print(&self, argument: &[u8], out: &mut Vec<u8>) {
        if self.conversion == b's' {
            let text = self.string(argument);
            return self.pad(Vec::new(), text, out);
        }
        // A vector of three takes the room of four.
        let places = if self.lanes == 3 { 4 } else { self.lanes };
        let each = argument.len() / places;
        for lane in 0..self.lanes {
            if lane > 0 {
                out.push(b',');
            }
            let element = &argument[lane * each..(lane + 1) * each];
            self.print_element(element, out);
        }
    }

    /// The bytes of `%s`: in the record if the compiler knew them. They end with the room for them, or before a zero.
    fn string(&self, argument: &[u8]) -> Vec<u8> {
        let end = argument.iter().position(|byte| *byte == 0);
        let text = &argument[..end.unwrap_or(argument.len())];
        text[..text.len().min(self.precision.unwrap_or(usize::MAX))].to_vec()
    }

    fn print_element(&self, element: &[u8], out: &mut Vec<u8>) {
        let bits = bits(element);
        match self.conversion {
            b'c' => self.pad(Vec::new(), vec![bits as u8], out),
            b'p' => self.pad(Vec::new(), format!("{bits:#x}").into_bytes(), out),
            b'd' | b'i' => {
                let value = self.signed(bits, element.len());
                let digits = value.unsigned_abs().to_string().into_bytes();
                self.pad_integer(self.sign(value < 0), digits, out);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = self.unsigned(bits, element.len());
                let (prefix, digits) = match self.conversion {
                    b'o' => ("0", format!("{value:o}")),
                    b'x' => ("0x", format!("{value:x}")),
                    b'X' => ("0X", format!("{value:X}")),
                    _ => ("", value.to_string()),
                };
                let shown = self.flags.alternate && value != 0;
                let prefix = if shown { prefix } else { "" };
                self.pad_integer(prefix.as_bytes().to_vec(), digits.into_bytes(), out);
            }
            _ => self.print_float(float(element), out),
        }
    }

    /// Bytes of the type that the length names; small ones are stored in a dword.
    fn type_bytes(&self, stored: usize) -> usize {
        match &self.length[..] {
            b"hh" => 1,
            b"h" => 2,
            _ => stored,
        }
        .min(stored)
    }

    fn unsigned(&self, bits: u64, stored: usize) -> u64 {
        let unused = 64 - 8 * self.type_bytes(stored).clamp(1, 8);
        bits << unused >> unused
    }

    fn signed(&self, bits: u64, stored: usize) -> i64 {
        let unused = 64 - 8 * self.type_bytes(stored).clamp(1, 8);
        (bits << unused).cast_signed() >> unused
    }

    fn sign(&self, negative: bool) -> Vec<u8> {
        match (negative, self.flags) {
            (true, _) => b"-".to_vec(),
            (false, Flags { plus: true, .. }) => b"+".to_vec(),
            (false, Flags { space: true, .. }) => b" ".to_vec(),
            (false, _) => Vec::new(),
        }
    }

    /// Appends digits with at least as many as the precision asks for; a precision switches the flag 0 off.
    fn pad_integer(&self, prefix: Vec<u8>, mut digits: Vec<u8>, out: &mut Vec<u8>) {
        match self.precision {
            Some(0) if digits == b"0" => digits.clear(),
            Some(precision) if precision > digits.len() => {
                let zeros = precision.min(MAX_FIELD) - digits.len().min(MAX_FIELD);
                digits.splice(0..0, std::iter::repeat_n(b'0', zeros));
            }
            _ => {}
        }
        let zero = self.flags.zero && self.precision.is_none();
        self.fill(prefix, digits, zero, out);
    }

    fn pad(&self, prefix: Vec<u8>, text: Vec<u8>, out: &mut Vec<u8>) {
        self.fill(prefix, text, false, out);
    }

    /// Appends a field of at least the width.
    fn fill(&self, prefix: Vec<u8>, text: Vec<u8>, zero: bool, out: &mut Vec<u8>) {
        let room = self.width.min(MAX_FIELD);
        let missing = room.saturating_sub(prefix.len() + text.len());
        let filler = |byte: u8| std::iter::repeat_n(byte, missing);
        if self.flags.left {
            out.extend(prefix);
            out.extend(text);
            out.extend(filler(b' '));
        } else if zero {
            out.extend(prefix);
            out.extend(filler(b'0'));
            out.extend(text);
        } else {
            out.extend(filler(b' '));
            out.extend(prefix);
            out.extend(text);
        }
    }

    fn print_float(&self, value: f64, out: &mut Vec<u8>) {
        let mut prefix = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        let upper = self.conversion.is_ascii_uppercase();
        if !magnitude.is_finite() {
            let text = if magnitude.is_nan() { "nan" } else { "inf" };
            let text = if upper {
                text.to_uppercase()
            } else {
                text.to_owned()
            };
            return self.pad(prefix, text.into_bytes(), out);
        }
        let precision = self.precision.map(|precision| precision.min(MAX_FIELD));
        let text = match self.conversion.to_ascii_lowercase() {
            b'f' => fixed(magnitude, precision.unwrap_or(6), self.flags.alternate),
            b'e' => scientific(magnitude, precision.unwrap_or(6), self.flags.alternate),
            b'g' => general(magnitude, precision.unwrap_or(6), self.flags.alternate),
            _ => {
                prefix.extend(b"0x");
                hexadecimal(magnitude, precision, self.flags.alternate)
            }
        };
        if upper {
            prefix.make_ascii_uppercase();
        }
        let text = if upper { text.to_uppercase() } else { text };
        self.fill(prefix, text.into_bytes(), self.flags.zero, out);
    }
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at(digits);
    *rest = after;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// The first eight bytes as a number.
fn bits(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(all)
}

/// A number of half, single or double precision, by its size.
fn float(bytes: &[u8]) -> f64 {
    let bits = bits(bytes);
    match bytes.len() {
        2 => f16::from_bits(bits as u16).to_f64(),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$}");
    if point && precision == 0 {
        text + "."
    } else {
        text
    }
}

fn scientific(value: f64, precision: usize, point: bool) -> String {
    // Rust writes 1.5e7 and 1.5e-7, C at least two digits and the sign.
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    let point = if point && precision == 0 { "." } else { "" };
    format!("{digits}{point}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let precision = precision.max(1);
    let text = scientific(value, precision - 1, keep_zeros);
    let exponent: i64 = text
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    let digits = i64::try_from(precision).unwrap_or(i64::MAX);
    let text = if (-4..digits).contains(&exponent) {
        fixed(value, (digits - 1 - exponent) as usize, keep_zeros)
    } else {
        text
    };
    if keep_zeros {
        return text;
    }
    let (digits, exponent) = match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), format!("e{exponent}")),
        None => (text, String::new()),
    };
    let digits = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        &digits
    };
    format!("{digits}{exponent}")
}

/// `1.8p+3`; without a precision as many digits as the value has.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    /// Bits and hexadecimal digits of the fraction.
    const BITS: u32 = 52;
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let fraction = bits & ((1 << BITS) - 1);
    let (mut lead, mut exponent) = match (bits >> BITS) as i32 {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        biased => (1, biased - 1023),
    };
    let mut digits = fraction;
    if let Some(precision) = precision.filter(|precision| *precision < DIGITS) {
        let dropped = 4 * (DIGITS - precision);
        let whole = lead << BITS | fraction;
        let (kept, rest) = (whole >> dropped, whole & ((1 << dropped) - 1));
        let half = 1u64 << (dropped - 1);
        let up = rest > half || rest == half && kept & 1 == 1;
        let rounded = (kept + u64::from(up)) << dropped;
        lead = rounded >> BITS;
        digits = rounded & ((1 << BITS) - 1);
        if lead > 1 {
            (lead, exponent) = (1, exponent + 1);
        }
    }
    let all = format!("{digits:013x}");
    let shown = match precision {
        Some(precision) => format!("{all:0<precision$}")[..precision].to_owned(),
        None => all.trim_end_matches('0').to_owned(),
    };
    let dot = if shown.is_empty() && !point { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{lead}{dot}{shown}p{sign}{}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: &str, arguments: &[&[u8]]) -> String {
        let sizes: String = arguments.iter().map(|a| format!("{}:", a.len())).collect();
        let text = format.replace(':', "\\72");
        let format =
            Format::parse(&format!("7:{}:{sizes}{text}", arguments.len())).expect("a format");
        let mut memory = Memory::new();
        let buffer = Buffer::new(&mut memory).expect("memory");
        let mut record = 7u32.to_le_bytes().to_vec();
        record.extend(arguments.concat());
        // Twice, so that the first record's end is where the second begins.
        let both = record.repeat(2);
        memory.store_u32(buffer.address, both.len() as u32);
        memory.write(buffer.address + u64::from(HEAD_BYTES), &both);
        let text = String::from_utf8(buffer.text(&memory, &[format])).expect("text");
        let (first, second) = text.split_at(text.len() / 2);
        assert_eq!(first, second);
        first.to_owned()
    }

    fn int(value: i32) -> [u8; 4] {
        value.to_le_bytes()
    }

    #[test]
    fn integers() {
        // As C's printf.
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
        // As C's printf.
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
        // Two characters are stored as two dwords, four as one.
        let pair: Vec<u8> = [1i32, -2].iter().flat_map(|i| i.to_le_bytes()).collect();
        assert_eq!(printed("%v2hhd", &[&pair]), "1,-2");
        assert_eq!(printed("%v4hhu", &[&[1, 2, 255, 4]]), "1,2,255,4");
        assert_eq!(printed("%s|%d", &[b"abc\0", &int(1)]), "abc|1");
        assert_eq!(printed("%s|", &[b"abcd"]), "abcd|");
        assert_eq!(printed("%.2s|%5s|", &[b"abcd", b"xy\0\0"]), "ab|   xy|");
        assert_eq!(printed("%s", &[&[0, 0xff, 0xff, 0xff]]), "");
    }

    #[test]
    fn what_is_no_format() {
        assert!(Format::parse("1").is_err());
        assert!(Format::parse("x:0:text").is_err());
        assert!(Format::parse("1:2:4:text").is_err());
        assert_eq!(printed("50%! %y %d", &[&int(3)]), "50%! %y 3");
        let mut memory = Memory::new();
        let buffer = Buffer::new(&mut memory).expect("memory");
        memory.store_u32(buffer.address, u32::MAX);
        assert!(buffer.text(&memory, &[]).starts_with(b"\n(a record"));
        // A record that ends too soon, and one that asks for too much.
        let short = Format::parse("0:1:4000000000:%d %d %99999999999d").expect("a format");
        memory.store_u32(buffer.address, 8);
        assert!(buffer.text(&memory, &[short]).len() < 2 * MAX_FIELD);
    }
}
