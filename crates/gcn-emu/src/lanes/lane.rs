//! Lane values in registers and masks.

/// Value that a lane holds in zero, one or two registers.
pub trait Lane: Copy {
    /// Width in bits.
    const BITS: u32;
    /// Number of registers.
    const DWORDS: usize = Self::BITS.div_ceil(u32::BITS) as usize;
    /// True for half-precision values, whose operations compile to a lot of code.
    const IS_HALF: bool = false;
    /// Sign bit of a floating-point value in its last dword; 0 for other types.
    const SIGN: u32 = 0;
    /// Bit position in the register, for values stored in half precision and computed in single precision.
    const WIDENED: Option<u32> = None;
    /// Creates a value from a lane's dwords; `high` is ignored unless the value takes two registers.
    fn join(low: u32, high: u32) -> Self;
    /// Splits the value into a lane's dwords.
    fn split(self) -> [u32; 2];
}

macro_rules! lane {
    ($($Type:ty, $sign:expr, |$low:pat_param, $high:pat_param| $join:expr, |$value:pat_param| $split:expr;)*) => {
        $(impl Lane for $Type {
            const BITS: u32 = u8::BITS * size_of::<$Type>() as u32;
            const SIGN: u32 = $sign;
            #[inline(always)]
            fn join($low: u32, $high: u32) -> $Type { $join }
            #[inline(always)]
            #[allow(clippy::let_unit_value)] // One of the types is `()`.
            fn split(self) -> [u32; 2] {
                let $value = self;
                $split
            }
        })*
    };
}

// Values narrower than a dword use the low bits; writing them zeros the rest.
#[rustfmt::skip]
lane! {
    (),  0,       |_, _| (),                                   |_| [0, 0];
    u16, 0,       |low, _| low as u16,                         |v| [u32::from(v), 0];
    i16, 0,       |low, _| low as i16,                         |v| [u32::from(v as u16), 0];
    u32, 0,       |low, _| low,                                |v| [v, 0];
    i32, 0,       |low, _| low as i32,                         |v| [v as u32, 0];
    f32, 1 << 31, |low, _| f32::from_bits(low),                |v| [v.to_bits(), 0];
    u64, 0,       |low, high| wide(low, high),                 |v| [v as u32, (v >> 32) as u32];
    i64, 0,       |low, high| wide(low, high) as i64,          |v| (v as u64).split();
    f64, 1 << 31, |low, high| f64::from_bits(wide(low, high)), |v| v.to_bits().split();
}

#[inline(always)]
fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Bit of a lane mask, or `()` for operations without a mask.
pub trait Bit: Copy {
    /// True if the operation has a mask.
    const USED: bool;
    /// Converts from a dword: zero is false, anything else true.
    fn from_word(word: u32) -> Self;
    /// Converts to all ones or zero.
    fn to_word(self) -> u32;
}

impl Bit for () {
    const USED: bool = false;
    #[inline(always)]
    fn from_word(_: u32) {}
    #[inline(always)]
    fn to_word(self) -> u32 {
        0
    }
}

impl Bit for bool {
    const USED: bool = true;
    #[inline(always)]
    fn from_word(word: u32) -> bool {
        word != 0
    }
    #[inline(always)]
    fn to_word(self) -> u32 {
        u32::from(self).wrapping_neg()
    }
}
