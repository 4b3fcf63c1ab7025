//! Conversion specifications in printf formats, such as `%5.2f`.
//!
//! Sources: "printf" in the OpenCL C specification; `fprintf` in the C standard.

use std::ops::ControlFlow;

use half::f16;

/// Approximate maximum size of printed text in bytes. Field widths can make text much longer than its format.
pub(crate) const MAX_TEXT: usize = 64 << 20;
/// Text that replaces everything beyond [`MAX_TEXT`] bytes.
pub(super) const AND_MORE: &[u8] = b"\n(and more)\n";
/// Maximum field width and precision, to limit the memory that a format can request.
pub(super) const MAX_FIELD: usize = 1 << 12;

/// Conversion specification, such as `%-08.3v4hlf`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conversion {
    flags: ConversionFlags,
    width: FieldSize,
    precision: Option<FieldSize>,
    /// Number of vector elements; 1 for a scalar.
    lanes: usize,
    /// Length modifier: `hh`, `h`, `hl`, `l`, `ll`, or empty.
    length: Vec<u8>,
    pub(super) conversion: u8,
}

/// Field width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FieldSize {
    /// Number written in the format.
    Given(usize),
    /// `*`: value of an argument.
    Argument,
}

impl FieldSize {
    fn parse(rest: &mut &[u8]) -> FieldSize {
        if let Some(after) = rest.strip_prefix(b"*") {
            *rest = after;
            return FieldSize::Argument;
        }
        FieldSize::Given(number(rest).unwrap_or(0))
    }

    fn given(self) -> usize {
        match self {
            FieldSize::Given(count) => count,
            FieldSize::Argument => 0,
        }
    }
}

/// Flags between `%` and the width.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct ConversionFlags {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
}

/// Appends a format's text, replacing each conversion with the output of `print`. Stops when `print` returns `Break`.
/// Once `out` has [`MAX_TEXT`] bytes, appends [`AND_MORE`] instead of the next conversion and all that follows.
pub(super) fn each(
    format: &[u8],
    out: &mut Vec<u8>,
    mut print: impl FnMut(Conversion, &mut Vec<u8>) -> ControlFlow<()>,
) {
    let mut text = format;
    while let Some(at) = text.iter().position(|byte| *byte == b'%') {
        if out.len() >= MAX_TEXT {
            out.extend(AND_MORE);
            return;
        }
        out.extend(&text[..at]);
        text = &text[at..];
        if text.starts_with(b"%%") {
            out.push(b'%');
            text = &text[2..];
            continue;
        }
        let Some((directive, after)) = Conversion::parse(text) else {
            // Not a C conversion, so copy it unchanged.
            out.push(b'%');
            text = &text[1..];
            continue;
        };
        text = after;
        if print(directive, out).is_break() {
            return;
        }
    }
    out.extend(text);
}

impl Conversion {
    /// Parses the conversion at the start of `text`, and returns the remaining text.
    pub(super) fn parse(text: &[u8]) -> Option<(Conversion, &[u8])> {
        let mut rest = text.strip_prefix(b"%")?;
        let mut flags = ConversionFlags::default();
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
        let width = FieldSize::parse(&mut rest);
        let precision = match rest.strip_prefix(b".") {
            Some(after) => {
                rest = after;
                Some(FieldSize::parse(&mut rest))
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
        b"diouxXcspnfFeEgGaA".contains(conversion).then(|| {
            let directive = Conversion {
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

    /// Replaces asterisks with arguments from `next`. A negative width aligns left. A negative precision is ignored.
    pub(super) fn resolved(mut self, mut next: impl FnMut() -> i32) -> Conversion {
        if self.width == FieldSize::Argument {
            let width = next();
            self.flags.left |= width < 0;
            self.width = FieldSize::Given(width.unsigned_abs() as usize);
        }
        if self.precision == Some(FieldSize::Argument) {
            self.precision = usize::try_from(next()).ok().map(FieldSize::Given);
        }
        self
    }

    /// True if C integers with this length modifier have 64 bits.
    pub(super) fn is_long(&self) -> bool {
        matches!(&self.length[..], b"l" | b"ll" | b"j" | b"z" | b"t")
    }

    fn precision(&self) -> Option<usize> {
        self.precision.map(FieldSize::given)
    }

    /// Appends a formatted argument. Vector elements are separated by commas.
    pub(super) fn print(&self, argument: &[u8], out: &mut Vec<u8>) {
        if self.conversion == b'n' {
            return;
        }
        if self.conversion == b's' {
            let text = self.string(argument);
            return self.pad(Vec::new(), text, out);
        }
        // A vector of three elements has the size of four.
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

    /// Returns the characters of a `%s` argument, up to a zero, the end of the argument or the precision.
    fn string(&self, argument: &[u8]) -> Vec<u8> {
        let end = argument.iter().position(|byte| *byte == 0);
        let text = &argument[..end.unwrap_or(argument.len())];
        text[..text.len().min(self.precision().unwrap_or(usize::MAX))].to_vec()
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

    /// Returns the size in bytes of the type that the length modifier selects, at most `stored`.
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
            (false, ConversionFlags { plus: true, .. }) => b"+".to_vec(),
            (false, ConversionFlags { space: true, .. }) => b" ".to_vec(),
            (false, _) => Vec::new(),
        }
    }

    /// Appends digits padded to the precision. A precision disables the `0` flag.
    fn pad_integer(&self, prefix: Vec<u8>, mut digits: Vec<u8>, out: &mut Vec<u8>) {
        match self.precision() {
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

    /// Appends a field padded to the width.
    fn fill(&self, prefix: Vec<u8>, text: Vec<u8>, zero: bool, out: &mut Vec<u8>) {
        let room = self.width.given().min(MAX_FIELD);
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
        let precision = self.precision().map(|precision| precision.min(MAX_FIELD));
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

/// Decodes up to eight bytes as a little-endian number.
pub(super) fn bits(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(all)
}

/// Decodes a half, single or double, according to its size.
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
    // Rust writes 1.5e7 and 1.5e-7; C writes at least two exponent digits and the sign.
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

/// Formats a number as `1.8p+3`. Without a precision, uses as many digits as the value requires.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    /// Size of the fraction in bits and in hexadecimal digits.
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
