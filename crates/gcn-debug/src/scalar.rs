//! Typed scalar values: registers, memory elements, literals.

use std::fmt;

use gcn_emu::half_bits;
use half::f16;

/// Type of a [`Scalar`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ScalarType {
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

use ScalarType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Scalar types with their names and their sizes in bytes.
const TYPES: [(ScalarType, &str, u8); 11] = [
    (U8, "u8", 1),
    (I8, "i8", 1),
    (U16, "u16", 2),
    (I16, "i16", 2),
    (F16, "f16", 2),
    (U32, "u32", 4),
    (I32, "i32", 4),
    (F32, "f32", 4),
    (U64, "u64", 8),
    (I64, "i64", 8),
    (F64, "f64", 8),
];

impl ScalarType {
    /// Returns the type with the given name.
    ///
    /// # Examples
    /// ```
    /// use gcn_debug::ScalarType;
    /// assert_eq!(ScalarType::named("f32"), Some(ScalarType::F32));
    /// assert_eq!(ScalarType::named("float"), None);
    /// ```
    pub fn named(name: &str) -> Option<ScalarType> {
        TYPES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns the unsigned integer type with the given size in bytes, or `None` if the size is not 1, 2, 4 or 8.
    pub fn unsigned(bytes: u64) -> Option<ScalarType> {
        [U8, U16, U32, U64]
            .into_iter()
            .find(|ty| ty.bytes() == bytes)
    }

    /// Returns the signed integer type with the given size in bytes, or `None` if the size is not 1, 2, 4 or 8.
    pub fn signed(bytes: u64) -> Option<ScalarType> {
        [I8, I16, I32, I64]
            .into_iter()
            .find(|ty| ty.bytes() == bytes)
    }

    /// Returns the floating-point type with the given size in bytes, or `None` if the size is not 2, 4 or 8.
    pub fn float(bytes: u64) -> Option<ScalarType> {
        [F16, F32, F64].into_iter().find(|ty| ty.bytes() == bytes)
    }

    /// Returns the name, such as `f32`.
    pub fn name(self) -> &'static str {
        TYPES
            .iter()
            .find(|row| row.0 == self)
            .map_or("", |row| row.1)
    }

    /// Returns the size in bytes.
    pub fn bytes(self) -> u64 {
        TYPES
            .iter()
            .find(|row| row.0 == self)
            .map_or(0, |row| row.2.into())
    }

    /// True for a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    /// True for a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes())
    }
}

/// Scalar value: bits and their type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Type of the value.
    pub ty: ScalarType,
    /// Bit pattern, zero-extended to 64 bits.
    pub bits: u64,
}

/// Output format, as selected by gdb's format letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Default for the type: decimal for integers, floating point for floats.
    #[default]
    Natural,
    /// `d`: signed decimal.
    Signed,
    /// `u`: unsigned decimal.
    Unsigned,
    /// `x` or `a`: hexadecimal.
    Hex,
    /// `t`: binary.
    Binary,
    /// `f`: bits reinterpreted as a float of the same size.
    Float,
    /// `i`: disassembly, only for the `x` command.
    Instruction,
}

impl Format {
    /// Returns the format for a gdb format letter.
    pub fn of_letter(letter: char) -> Option<Format> {
        Some(match letter {
            'd' => Format::Signed,
            'u' => Format::Unsigned,
            'x' | 'a' => Format::Hex,
            't' => Format::Binary,
            'f' => Format::Float,
            'i' => Format::Instruction,
            _ => return None,
        })
    }
}

impl Scalar {
    /// Creates a scalar from the low bits of `bits`.
    pub fn new(ty: ScalarType, bits: u64) -> Scalar {
        let bits = bits & ty.mask();
        Scalar { ty, bits }
    }

    /// Creates an unsigned dword.
    pub fn u32(value: u32) -> Scalar {
        Scalar::new(U32, value.into())
    }

    /// Creates an unsigned quadword.
    pub fn u64(value: u64) -> Scalar {
        Scalar::new(U64, value)
    }

    /// Creates a Boolean: 1 or 0, as in C.
    pub fn truth(is_true: bool) -> Scalar {
        Scalar::new(I32, is_true.into())
    }

    /// Creates an integer of the first type among I32, I64 and U64 that can hold the value, or wraps it to U64.
    pub fn of_integer(value: i128) -> Scalar {
        let ty = if i32::try_from(value).is_ok() {
            I32
        } else if i64::try_from(value).is_ok() {
            I64
        } else {
            U64
        };
        Scalar::new(ty, value as u64)
    }

    /// Returns the value as an integer; floating-point values are truncated.
    pub fn integer(self) -> i128 {
        if self.ty.is_float() {
            return self.float() as i128;
        }
        let unused = 64 - 8 * self.ty.bytes() as u32;
        if self.ty.is_signed() {
            i128::from((self.bits << unused) as i64 >> unused)
        } else {
            i128::from(self.bits)
        }
    }

    /// Returns the value as a floating-point number.
    pub fn float(self) -> f64 {
        match self.ty {
            F16 => f16::from_bits(self.bits as u16).to_f64(),
            F32 => f64::from(f32::from_bits(self.bits as u32)),
            F64 => f64::from_bits(self.bits),
            _ => self.integer() as f64,
        }
    }

    /// True if the value is nonzero.
    pub fn is_true(self) -> bool {
        if self.ty.is_float() {
            self.float() != 0.0
        } else {
            self.bits != 0
        }
    }

    /// Converts the value to another type. Integers wrap, conversions to floating point round, and conversions from
    /// floating point to integers truncate.
    pub fn convert(self, ty: ScalarType) -> Scalar {
        match ty {
            F16 => Scalar::new(ty, half_bits(self.float()).into()),
            F32 => Scalar::new(ty, (self.float() as f32).to_bits().into()),
            F64 => Scalar::new(ty, self.float().to_bits()),
            _ => Scalar::new(ty, self.integer() as u64),
        }
    }

    /// Formats the value.
    ///
    /// # Examples
    /// ```
    /// use gcn_debug::{Format, Scalar};
    /// let bits = Scalar::u32(0x3f80_0000);
    /// assert_eq!(bits.text(Format::Float), "1");
    /// assert_eq!(bits.text(Format::Hex), "0x3f800000");
    /// assert_eq!(Scalar::u32(u32::MAX).text(Format::Signed), "-1");
    /// ```
    pub fn text(self, format: Format) -> String {
        let bytes = self.ty.bytes();
        let retyped = |ty| Scalar { ty, ..self };
        match format {
            Format::Natural | Format::Instruction if self.ty.is_float() => match self.ty {
                F64 => self.float().to_string(),
                _ => (self.float() as f32).to_string(),
            },
            Format::Natural | Format::Instruction => self.integer().to_string(),
            Format::Unsigned => self.bits.to_string(),
            Format::Hex => format!("{:#x}", self.bits),
            Format::Binary => format!("{:#b}", self.bits),
            Format::Signed => {
                let ty = ScalarType::signed(bytes);
                retyped(ty.unwrap_or(self.ty)).integer().to_string()
            }
            Format::Float => match ScalarType::float(bytes) {
                Some(ty) => retyped(ty).text(Format::Natural),
                None => self.integer().to_string(),
            },
        }
    }
}

/// Formats the value as [`Format::Natural`].
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Format::Natural))
    }
}
