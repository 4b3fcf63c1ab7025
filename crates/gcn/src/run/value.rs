//! Numbers of eleven types: as text, as bytes of memory, as JSON.

use std::fmt;

use half::f16;

/// The type of a scalar or of a buffer's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Type {
    U8,
    I8,
    U16,
    I16,
    F16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
}

/// Every type with its name, its size in bytes and what its bits are.
const TYPES: [(Type, &str, usize, Bits); 11] = [
    (Type::U8, "u8", 1, Bits::Unsigned),
    (Type::I8, "i8", 1, Bits::Signed),
    (Type::U16, "u16", 2, Bits::Unsigned),
    (Type::I16, "i16", 2, Bits::Signed),
    (Type::F16, "f16", 2, Bits::Float),
    (Type::U32, "u32", 4, Bits::Unsigned),
    (Type::I32, "i32", 4, Bits::Signed),
    (Type::F32, "f32", 4, Bits::Float),
    (Type::U64, "u64", 8, Bits::Unsigned),
    (Type::I64, "i64", 8, Bits::Signed),
    (Type::F64, "f64", 8, Bits::Float),
];

/// What the bits of a type are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bits {
    /// A number from 0 on.
    Unsigned,
    /// A number in two's complement.
    Signed,
    /// IEEE floating point.
    Float,
}

/// The names of types in OpenCL C and C++, as compilers write them into metadata.
const SOURCE_TYPES: &[(&str, Type)] = &[
    ("char", Type::I8),
    ("signed char", Type::I8),
    ("uchar", Type::U8),
    ("unsigned char", Type::U8),
    ("bool", Type::U8),
    ("short", Type::I16),
    ("ushort", Type::U16),
    ("unsigned short", Type::U16),
    ("half", Type::F16),
    ("_Float16", Type::F16),
    ("__half", Type::F16),
    ("__fp16", Type::F16),
    ("int8_t", Type::I8),
    ("uint8_t", Type::U8),
    ("int16_t", Type::I16),
    ("uint16_t", Type::U16),
    ("int32_t", Type::I32),
    ("uint32_t", Type::U32),
    ("int64_t", Type::I64),
    ("uint64_t", Type::U64),
    ("int", Type::I32),
    ("uint", Type::U32),
    ("unsigned int", Type::U32),
    ("unsigned", Type::U32),
    ("float", Type::F32),
    ("long", Type::I64),
    ("long long", Type::I64),
    ("ptrdiff_t", Type::I64),
    ("intptr_t", Type::I64),
    ("ulong", Type::U64),
    ("unsigned long", Type::U64),
    ("unsigned long long", Type::U64),
    ("size_t", Type::U64),
    ("uintptr_t", Type::U64),
    ("double", Type::F64),
];

/// Words of a source type that do not change its size.
const QUALIFIERS: &[&str] = &[
    "const",
    "volatile",
    "restrict",
    "__restrict",
    "__global",
    "global",
    "__constant",
];

/// The beginning of a vector's type in HIP's headers; the element type and the number of lanes follow.
const HIP_VECTOR: &str = "HIP_vector_type<";

/// The type of this name in a source.
fn by_name(name: &str) -> Option<Type> {
    let row = SOURCE_TYPES.iter().find(|row| row.0 == name);
    row.map(|row| row.1)
}

/// A vector of a source type.
fn vector(base: &str, lanes: &str) -> Option<(Type, usize)> {
    let lanes = lanes.parse().ok().filter(|n| (1..=16).contains(n))?;
    Some((by_name(base.trim())?, lanes))
}

/// What makes a value wrong, in one sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ValueError {
    /// No number at all.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// A number beyond the type.
    #[error("{text} does not fit {ty}")]
    Range {
        /// As written.
        text: String,
        /// The type.
        ty: Type,
    },
    /// A fraction where the type has none.
    #[error("{text} is not a whole number, but {ty} needs one")]
    NotWhole {
        /// As written.
        text: String,
        /// The type.
        ty: Type,
    },
    /// What stands before `:` or `*` is no type.
    #[error("`{0}` is not a type; there are u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64")]
    Type(String),
    /// What stands behind `*` is no count.
    #[error("`{0}` is not a number of elements")]
    Count(String),
    /// What stands behind the count is unknown.
    #[error(
        "`{0}` does not fill a buffer; there are iota[(start,step)], fill(x) and random(seed[,lo,hi])"
    )]
    Fill(String),
    /// `local:` without a number.
    #[error("`{0}` is not a number of bytes; dynamic LDS is written local:BYTES")]
    Local(String),
    /// `@` without a name.
    #[error("no file is named; the bytes of a file are written @FILE")]
    File,
    /// Nothing is written.
    #[error("the value is empty")]
    Empty,
    /// A number in a structure without its type.
    #[error("{0} in a structure needs its type, as in f32:{0}")]
    Untyped(String),
    /// A structure that does not end.
    #[error("`{0}` is not a structure, such as {{u32:1, f32:2.5}}")]
    Struct(String),
    /// Structures in structures without end.
    #[error("structures are nested more than {MAX_NESTING} deep")]
    Nesting,
    /// What is not a member of a structure.
    #[error("`{0}` is not a member of a structure")]
    Member(String),
    /// `hex:` without pairs of digits.
    #[error("`{0}` is not bytes in hexadecimal, two digits each")]
    Hex(String),
    /// A file of no whole number of elements.
    #[error("the file has {bytes} bytes, which is no whole number of {ty}")]
    Partial {
        /// Its size.
        bytes: u64,
        /// The type of the elements.
        ty: Type,
    },
}

/// Structures in structures at most.
pub const MAX_NESTING: usize = 16;

impl Type {
    /// The type of this name.
    pub fn named(name: &str) -> Option<Type> {
        TYPES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The type of one element of a source type such as `float`, `uint4`, `__global float *`, and how many there are
    /// in it (4 in `uint4`).
    pub fn of_source(name: &str) -> Option<(Type, usize)> {
        let unqualified = name.trim_end_matches(['*', ' ', '&']);
        // The elements of a buffer of pointers are none that can be written.
        if name.matches('*').count() > 1 || unqualified.contains('*') {
            return None;
        }
        if let Some(inner) = unqualified.strip_prefix(HIP_VECTOR) {
            let (base, lanes) = inner.split_once('>')?.0.split_once(',')?;
            // `4u`, or `(unsigned int)4`, as demanglers write it.
            let (_, lanes) = lanes.rsplit_once(')').unwrap_or(("", lanes));
            return vector(base, lanes.trim().trim_end_matches('u'));
        }
        let words: Vec<&str> = unqualified
            .split_whitespace()
            .filter(|word| !QUALIFIERS.contains(word))
            .collect();
        let words = words.join(" ");
        let base = words.trim_end_matches(|c: char| c.is_ascii_digit());
        match by_name(&words) {
            Some(ty) => Some((ty, 1)),
            None => vector(base, words.get(base.len()..)?),
        }
    }

    /// How many elements a vector of so many takes the room of: one of three that of four.
    pub fn room(lanes: usize) -> usize {
        if lanes == 3 { 4 } else { lanes }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// In bytes.
    pub fn size(self) -> usize {
        self.row().2
    }

    /// What its bits are.
    pub fn bits(self) -> Bits {
        self.row().3
    }

    fn row(self) -> &'static (Type, &'static str, usize, Bits) {
        &TYPES[self as usize]
    }

    /// The little-endian bytes of a number, in the first [`Type::size`] of eight.
    ///
    /// # Errors
    /// The text is no number, or none of this type. A signed type takes bit patterns in `0x`, `0o` and `0b` too.
    pub fn parse(self, text: &str) -> Result<Element, ValueError> {
        let text = text.trim();
        let wrong = || ValueError::NotANumber(text.to_owned());
        let range = || ValueError::Range {
            text: text.to_owned(),
            ty: self,
        };
        let bytes = match self {
            Type::F64 => text.parse::<f64>().map_err(|_| wrong())?.to_bits(),
            Type::F32 => u64::from(text.parse::<f32>().map_err(|_| wrong())?.to_bits()),
            Type::F16 => {
                u64::from(f16::from_f64(text.parse::<f64>().map_err(|_| wrong())?).to_bits())
            }
            _ => {
                let Some((value, base)) = integer(text) else {
                    let is_float = text.parse::<f64>().is_ok();
                    let is_whole =
                        !text.contains(|c: char| !c.is_ascii_digit() && !matches!(c, '+' | '-'));
                    if is_float && is_whole {
                        return Err(range());
                    }
                    let not_whole = ValueError::NotWhole {
                        text: text.to_owned(),
                        ty: self,
                    };
                    return Err(if is_float { not_whole } else { wrong() });
                };
                let bits = self.size() * 8;
                let unsigned = 0..=(i128::from(u64::MAX) >> (64 - bits));
                let signed = -(1 << (bits - 1))..=(1i128 << (bits - 1)) - 1;
                let fits = match self.bits() {
                    Bits::Signed => {
                        signed.contains(&value)
                            || (base == Base::Pattern && unsigned.contains(&value))
                    }
                    Bits::Unsigned | Bits::Float => unsigned.contains(&value),
                };
                if !fits {
                    return Err(range());
                }
                value as u64
            }
        };
        // Not the names of infinity and of what is no number.
        let is_finite_text = text.contains(|c: char| c.is_ascii_digit());
        let element = Element {
            ty: self,
            bits: bytes,
        };
        if self.bits() == Bits::Float && is_finite_text && !element.float().is_finite() {
            return Err(range());
        }
        Ok(element)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How an integer was written.
#[derive(PartialEq, Eq)]
pub enum Base {
    /// Without a prefix.
    Decimal,
    /// With a prefix: bits rather than a number.
    Pattern,
}

/// An integer in decimal, or with `0x`, `0o` or `0b`; underscores between digits are ignored.
pub fn integer(text: &str) -> Option<(i128, Base)> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase().replace('_', "");
    let prefixed = [("0x", 16), ("0o", 8), ("0b", 2)]
        .into_iter()
        .find_map(|(prefix, radix)| Some((lower.strip_prefix(prefix)?, radix)));
    let (digits, radix) = prefixed.unwrap_or((&lower, 10));
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    let base = if prefixed.is_some() {
        Base::Pattern
    } else {
        Base::Decimal
    };
    Some((if negative { -value } else { value }, base))
}

/// A number of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    /// Its type.
    pub ty: Type,
    /// Its bits; those beyond the type's size are not looked at.
    pub bits: u64,
}

impl Element {
    /// From the first bytes of memory; nothing if there are too few.
    pub fn from_bytes(ty: Type, bytes: &[u8]) -> Option<Element> {
        let mut all = [0; 8];
        let size = ty.size();
        all.get_mut(..size)?.copy_from_slice(bytes.get(..size)?);
        Some(Element {
            ty,
            bits: u64::from_le_bytes(all),
        })
    }

    /// Those that bytes of memory are, without a rest.
    pub fn all(ty: Type, bytes: &[u8]) -> impl Iterator<Item = Element> {
        let elements = bytes.chunks_exact(ty.size());
        elements.filter_map(move |bytes| Element::from_bytes(ty, bytes))
    }

    /// As bytes of memory.
    pub fn to_bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.ty.size()].to_vec()
    }

    /// As a double; integers of 64 bits are rounded.
    pub fn float(self) -> f64 {
        match self.ty {
            Type::F64 => f64::from_bits(self.bits),
            Type::F32 => f64::from(f32::from_bits(self.bits as u32)),
            Type::F16 => f16::from_bits(self.bits as u16).to_f64(),
            _ => self.integer() as f64,
        }
    }

    /// As an integer; floating-point numbers give their bits.
    pub fn integer(self) -> i128 {
        let unused = 64 - self.ty.size() * 8;
        match self.ty.bits() {
            Bits::Signed => i128::from((self.bits << unused).cast_signed() >> unused),
            Bits::Unsigned | Bits::Float => i128::from(self.bits << unused >> unused),
        }
    }

    /// Whether it is as close to `expected` as asked: within `tolerance`, absolute for small values and relative
    /// for those above 1. Not-a-number agrees with itself.
    pub fn agrees(self, expected: Element, tolerance: f64) -> bool {
        if self.ty.bits() != Bits::Float {
            let distance = self.integer().abs_diff(expected.integer());
            return distance == 0
                || distance as f64 <= tolerance * (expected.float().abs()).max(1.0);
        }
        let (value, expected) = (self.float(), expected.float());
        let close = || (value - expected).abs() <= tolerance * expected.abs().max(1.0);
        value == expected
            || (value.is_nan() && expected.is_nan())
            || (value.is_finite() && expected.is_finite() && close())
    }

    /// As JSON: a number, or text for what JSON has no number for.
    pub fn json(self) -> serde_json::Value {
        match self.ty.bits() {
            Bits::Float if self.float().is_finite() => {
                // The shortest decimal of the type itself, not of the double it would become.
                self.to_string()
                    .parse::<f64>()
                    .map_or(serde_json::Value::Null, serde_json::Value::from)
            }
            Bits::Float => self.to_string().into(),
            Bits::Signed => (self.integer() as i64).into(),
            Bits::Unsigned => (self.integer() as u64).into(),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Powers of ten between which decimals without exponent are readable.
        const PLAIN: std::ops::Range<f64> = 1e-4..1e16;
        let scientific =
            self.float() != 0.0 && self.float().is_finite() && !PLAIN.contains(&self.float().abs());
        match (self.ty, scientific) {
            (Type::F64, false) => write!(f, "{}", f64::from_bits(self.bits)),
            (Type::F64, true) => write!(f, "{:e}", f64::from_bits(self.bits)),
            (Type::F32, false) => write!(f, "{}", f32::from_bits(self.bits as u32)),
            (Type::F32, true) => write!(f, "{:e}", f32::from_bits(self.bits as u32)),
            (Type::F16, false) => write!(f, "{}", f16::from_bits(self.bits as u16)),
            (Type::F16, true) => write!(f, "{:e}", f16::from_bits(self.bits as u16).to_f32()),
            _ => write!(f, "{}", self.integer()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_in_the_order_of_the_table() {
        for (index, row) in TYPES.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(Type::named(row.1), Some(row.0));
        }
    }

    #[test]
    fn numbers_are_read() {
        for (ty, text, bits) in [
            (Type::U32, "42", 42),
            (Type::U32, "0x10", 16),
            (Type::U32, "0b101", 5),
            (Type::U32, "1_000", 1000),
            (Type::I32, "-1", 0xffff_ffff),
            (Type::I32, "0xffffffff", 0xffff_ffff),
            (Type::I8, "-128", 0x80),
            (Type::U64, "18446744073709551615", u64::MAX),
            (Type::I64, "-9223372036854775808", 1 << 63),
            (Type::F32, "1.5", 0x3fc0_0000),
            (Type::F32, "-0", 0x8000_0000),
            (Type::F32, "3", 0x4040_0000),
            (Type::F64, "1e3", 0x408f_4000_0000_0000),
            (Type::F16, "1.5", 0x3e00),
            (Type::F32, "inf", 0x7f80_0000),
        ] {
            let element = ty.parse(text).unwrap();
            assert_eq!(
                Element::from_bytes(ty, &element.to_bytes()).unwrap().bits,
                bits,
                "{ty}:{text}"
            );
        }
    }

    #[test]
    fn wrong_numbers_are_refused() {
        for (ty, text, message) in [
            (Type::U8, "256", "256 does not fit u8"),
            (Type::U32, "-1", "-1 does not fit u32"),
            (Type::I8, "128", "128 does not fit i8"),
            (Type::I32, "2147483648", "2147483648 does not fit i32"),
            (
                Type::U32,
                "1.5",
                "1.5 is not a whole number, but u32 needs one",
            ),
            (Type::U32, "x", "`x` is not a number"),
            (Type::F32, "", "`` is not a number"),
            (Type::F16, "65536", "65536 does not fit f16"),
            (Type::F32, "1e60", "1e60 does not fit f32"),
            (Type::F64, "-1e309", "-1e309 does not fit f64"),
            (
                Type::U32,
                "99999999999999999999999999999999999999999999",
                "99999999999999999999999999999999999999999999 does not fit u32",
            ),
            (Type::I32, "--1", "`--1` is not a number"),
        ] {
            assert_eq!(ty.parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn source_types_are_understood() {
        for (name, expected) in [
            ("float*", Some((Type::F32, 1))),
            ("uint", Some((Type::U32, 1))),
            ("float4*", Some((Type::F32, 4))),
            ("uchar3", Some((Type::U8, 3))),
            ("const unsigned long *", Some((Type::U64, 1))),
            ("struct pair", None),
            ("float77", None),
        ] {
            assert_eq!(Type::of_source(name), expected, "{name}");
        }
    }

    #[test]
    fn elements_are_written_so_that_they_can_be_read() {
        for (ty, text) in [
            (Type::F32, "0.1"),
            (Type::F32, "1e-10"),
            (Type::F64, "1.7976931348623157e308"),
            (Type::F16, "0.1"),
            (Type::F32, "NaN"),
            (Type::F32, "-inf"),
            (Type::I8, "-1"),
            (Type::U64, "18446744073709551615"),
        ] {
            let element = ty.parse(text).unwrap();
            assert_eq!(ty.parse(&element.to_string()).unwrap(), element, "{text}");
        }
        assert_eq!(Type::F32.parse("0.1").unwrap().json().to_string(), "0.1");
        assert_eq!(
            Type::F32.parse("nan").unwrap().json().to_string(),
            "\"NaN\""
        );
    }

    #[test]
    fn agreement_is_absolute_for_small_and_relative_for_large() {
        let f = |text: &str| Type::F32.parse(text).unwrap();
        assert!(f("1000").agrees(f("1001"), 1e-3));
        assert!(!f("1000").agrees(f("1002"), 1e-3));
        assert!(f("0").agrees(f("0.0009"), 1e-3));
        assert!(f("nan").agrees(f("nan"), 0.0));
        assert!(!f("nan").agrees(f("1"), 1.0));
        assert!(f("inf").agrees(f("inf"), 0.0));
        assert!(!f("inf").agrees(f("-inf"), 1.0));
        let u = |text: &str| Type::U64.parse(text).unwrap();
        assert!(!u("18446744073709551615").agrees(u("18446744073709551614"), 0.0));
        assert!(u("5").agrees(u("6"), 1.0));
    }
}
