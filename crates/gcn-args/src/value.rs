//! Dynamically typed numbers, converted to and from text and bytes.
//!
//! A [`Value`] is a number with its [`Type`], for front ends that learn the types of arguments only at run time, such as
//! a command line or a dynamically typed language.
//!
//! ```
//! use gcn_args::value::{Type, Value};
//!
//! let half = Type::F16.parse("1.5")?;
//! assert_eq!(half.to_bytes(), [0x00, 0x3e]);
//! assert_eq!(half.to_string(), "1.5");
//! let numbers: Vec<Value> = Value::all(Type::I16, &[1, 0, 0xff, 0xff]).collect();
//! assert_eq!(numbers, [Value::from(1i16), Value::from(-1i16)]);
//! assert_eq!(Type::of_source("const float4 *"), Some((Type::F32, 4)));
//! # Ok::<(), gcn_args::value::ValueError>(())
//! ```

mod types;

mod error;
mod source;

use std::fmt;

use gcn_emu::half_bits;
use gcn_runtime::Argument;
use half::f16;

pub use error::{MAX_NESTING, ValueError};
pub use types::{NumberEncoding, Type};

impl Type {
    /// Parses a number of this type. Integers are decimal or start with `0x`, `0o` or `0b`, and may contain underscores.
    /// With a prefix, bit patterns of negative numbers are also accepted.
    ///
    /// # Errors
    /// Returns a [`ValueError`] if the text is not a number, is out of range, or is an integer with a fraction or exponent.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Type;
    /// assert_eq!(Type::I32.parse("0xffff_ffff")?.integer(), -1);
    /// assert_eq!(Type::U8.parse("256").unwrap_err().to_string(), "256 does not fit u8");
    /// # Ok::<(), gcn_args::value::ValueError>(())
    /// ```
    pub fn parse(self, text: &str) -> Result<Value, ValueError> {
        let text = text.trim();
        let wrong = || ValueError::NotANumber(text.to_owned());
        let range = || ValueError::Range {
            text: text.to_owned(),
            ty: self,
        };
        let bits = match self {
            Type::F64 => text.parse::<f64>().map_err(|_| wrong())?.to_bits(),
            Type::F32 => u64::from(text.parse::<f32>().map_err(|_| wrong())?.to_bits()),
            Type::F16 => half_bits(text.parse::<f64>().map_err(|_| wrong())?).into(),
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
                let fits = match self.encoding() {
                    NumberEncoding::Signed => {
                        signed.contains(&value)
                            || (base == Base::Pattern && unsigned.contains(&value))
                    }
                    NumberEncoding::Unsigned | NumberEncoding::Float => unsigned.contains(&value),
                };
                if !fits {
                    return Err(range());
                }
                value as u64 & (u64::MAX >> (64 - bits))
            }
        };
        // Text without digits is `inf`, `nan` or similar.
        let is_finite_text = text.contains(|c: char| c.is_ascii_digit());
        let value = Value { ty: self, bits };
        if self.encoding() == NumberEncoding::Float && is_finite_text && !value.float().is_finite()
        {
            return Err(range());
        }
        Ok(value)
    }
}

/// Notation of an integer.
#[derive(PartialEq, Eq)]
pub(crate) enum Base {
    /// Decimal number, without a prefix.
    Decimal,
    /// Bit pattern, with a radix prefix.
    Pattern,
}

/// Parses an integer, which is decimal unless prefixed with `0x`, `0o` or `0b`. Underscores are ignored.
pub(crate) fn integer(text: &str) -> Option<(i128, Base)> {
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

/// Number with its type.
///
/// # Examples
/// ```
/// use gcn_args::value::{Type, Value};
/// let value = Value { ty: Type::F32, bits: 0x3fc0_0000 };
/// assert_eq!(value, Value::from(1.5f32));
/// assert_eq!(value.float(), 1.5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// Type of the number.
    pub ty: Type,
    /// Bit pattern, zero-extended to 64 bits.
    pub bits: u64,
}

impl Value {
    /// Decodes a value from the start of little-endian bytes. Returns `None` if there are too few bytes.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::{Type, Value};
    /// assert_eq!(Value::from_bytes(Type::I16, &[0xfe, 0xff, 7]), Some(Value::from(-2i16)));
    /// assert_eq!(Value::from_bytes(Type::I32, &[1, 2, 3]), None);
    /// ```
    pub fn from_bytes(ty: Type, bytes: &[u8]) -> Option<Value> {
        let mut all = [0; 8];
        let size = ty.size();
        all.get_mut(..size)?.copy_from_slice(bytes.get(..size)?);
        Some(Value {
            ty,
            bits: u64::from_le_bytes(all),
        })
    }

    /// Decodes consecutive values from little-endian bytes. Ignores an incomplete value at the end.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::{Type, Value};
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let bytes: Vec<u8> = device.buffer("xs", &[1.0f32, -2.5])?.read()?;
    /// let texts: Vec<String> = Value::all(Type::F32, &bytes).map(|value| value.to_string()).collect();
    /// assert_eq!(texts, ["1", "-2.5"]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn all(ty: Type, bytes: &[u8]) -> impl Iterator<Item = Value> {
        let elements = bytes.chunks_exact(ty.size());
        elements.filter_map(move |bytes| Value::from_bytes(ty, bytes))
    }

    /// Encodes the value as [`Type::size`] little-endian bytes.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Value;
    /// assert_eq!(Value::from(0x1234u16).to_bytes(), [0x34, 0x12]);
    /// ```
    pub fn to_bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.ty.size()].to_vec()
    }

    /// Converts the value to `f64`. Large 64-bit integers are rounded.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::{Type, Value};
    /// assert_eq!(Value { ty: Type::F16, bits: 0x3e00 }.float(), 1.5);
    /// assert_eq!(Value::from(-3i8).float(), -3.0);
    /// ```
    pub fn float(self) -> f64 {
        match self.ty {
            Type::F64 => f64::from_bits(self.bits),
            Type::F32 => f64::from(f32::from_bits(self.bits as u32)),
            Type::F16 => f16::from_bits(self.bits as u16).to_f64(),
            _ => self.integer() as f64,
        }
    }

    /// Returns the value of an integer, or the bit pattern of a floating-point number.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Value;
    /// assert_eq!(Value::from(u64::MAX).integer(), i128::from(u64::MAX));
    /// assert_eq!(Value::from(-1i8).integer(), -1);
    /// assert_eq!(Value::from(1.0f32).integer(), 0x3f80_0000);
    /// ```
    pub fn integer(self) -> i128 {
        let unused = 64 - self.ty.size() * 8;
        match self.ty.encoding() {
            NumberEncoding::Signed => i128::from((self.bits << unused).cast_signed() >> unused),
            NumberEncoding::Unsigned | NumberEncoding::Float => {
                i128::from(self.bits << unused >> unused)
            }
        }
    }

    /// True for a floating-point NaN.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Value;
    /// assert!(Value::from(f32::NAN).is_nan());
    /// assert!(!Value::from(f32::NAN.to_bits()).is_nan(), "an integer with the same bits");
    /// ```
    pub fn is_nan(self) -> bool {
        self.ty.encoding() == NumberEncoding::Float && self.float().is_nan()
    }
}

macro_rules! values {
    ($($Type:ty: $ty:ident, $bits:expr;)*) => {$(
        impl From<$Type> for Value {
            fn from(number: $Type) -> Value {
                let bits: fn($Type) -> u64 = $bits;
                Value { ty: Type::$ty, bits: bits(number) }
            }
        }
    )*};
}

values! {
    u8: U8, u64::from;
    i8: I8, |n| u64::from(n.cast_unsigned());
    u16: U16, u64::from;
    i16: I16, |n| u64::from(n.cast_unsigned());
    u32: U32, u64::from;
    i32: I32, |n| u64::from(n.cast_unsigned());
    f32: F32, |n| u64::from(n.to_bits());
    u64: U64, |n| n;
    i64: I64, i64::cast_unsigned;
    f64: F64, f64::to_bits;
}

impl From<Value> for Argument {
    fn from(value: Value) -> Argument {
        Argument::Bytes(value.to_bytes())
    }
}

/// Writes the shortest decimal that [`Type::parse`] converts to the same value. `f16` integers are written in full.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Range of magnitudes printed without an exponent.
        const WITHOUT_EXPONENT: std::ops::Range<f64> = 1e-4..1e16;
        let scientific = self.float() != 0.0
            && self.float().is_finite()
            && !WITHOUT_EXPONENT.contains(&self.float().abs());
        match (self.ty, scientific) {
            (Type::F64, false) => write!(f, "{}", f64::from_bits(self.bits)),
            (Type::F64, true) => write!(f, "{:e}", f64::from_bits(self.bits)),
            (Type::F32, false) => write!(f, "{}", f32::from_bits(self.bits as u32)),
            (Type::F32, true) => write!(f, "{:e}", f32::from_bits(self.bits as u32)),
            (Type::F16, false) => write!(f, "{}", shortest(f16::from_bits(self.bits as u16))),
            (Type::F16, true) => write!(f, "{:e}", shortest(f16::from_bits(self.bits as u16))),
            _ => write!(f, "{}", self.integer()),
        }
    }
}

/// Returns the number with the fewest digits that rounds to `half`, or `half` itself if it is an integer.
fn shortest(half: f16) -> f64 {
    /// Number of significant digits that distinguish all `f16` values.
    const DIGITS: usize = 5;
    let exact = half.to_f64();
    if exact.fract() == 0.0 {
        return exact;
    }
    let rounded = |places: usize| format!("{exact:.places$e}").parse::<f64>().ok();
    let mut candidates = (0..DIGITS).filter_map(rounded);
    let found = candidates.find(|candidate| half_bits(*candidate) == half.to_bits());
    found.unwrap_or(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_host_are_values() {
        for (value, ty, text) in [
            (Value::from(200u8), Type::U8, "200"),
            (Value::from(-2i8), Type::I8, "-2"),
            (Value::from(60_000u16), Type::U16, "60000"),
            (Value::from(-2i16), Type::I16, "-2"),
            (Value::from(4_000_000_000u32), Type::U32, "4000000000"),
            (Value::from(-2i32), Type::I32, "-2"),
            (Value::from(-0.5f32), Type::F32, "-0.5"),
            (Value::from(u64::MAX), Type::U64, "18446744073709551615"),
            (Value::from(-2i64), Type::I64, "-2"),
            (Value::from(1e300), Type::F64, "1e300"),
        ] {
            assert_eq!(ty.parse(text), Ok(value), "{ty}:{text}");
            assert_eq!(value.to_string(), text);
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
            let value = ty.parse(text).unwrap();
            assert_eq!(
                Value::from_bytes(ty, &value.to_bytes()).unwrap().bits,
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
    fn half_precision_is_written_with_few_digits() {
        for text in [
            "0.1", "0.3333", "-1.001", "512.5", "8192", "65504", "6e-8", "-0", "inf", "NaN",
        ] {
            let value = Type::F16.parse(text).unwrap();
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn values_are_written_so_that_they_can_be_read() {
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
            let value = ty.parse(text).unwrap();
            assert_eq!(ty.parse(&value.to_string()).unwrap(), value, "{text}");
        }
    }
}
