//! Values of a lane: in registers, and in masks.

/// A value that a lane holds in no, one or two registers.
pub trait Lane: Copy {
    /// Width in bits.
    const BITS: u32;
    /// Number of registers.
    const DWORDS: usize = Self::BITS.div_ceil(u32::BITS) as usize;
    /// True if it is a value in half precision, on which every operation is large.
    const IS_HALF: bool = false;
    /// The sign of a floating-point value, in its last dword; 0 of others.
    const SIGN: u32 = 0;
    /// First bit in a register, if it is in half precision there and a single-precision value here.
    const WIDENED: Option<u32> = None;
    /// From a lane's dwords; `high` counts with two registers only.
    fn join(low: u32, high: u32) -> Self;
    /// To a lane's dwords.
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
            #[allow(clippy::let_unit_value)] // One of the types is the unit.
            fn split(self) -> [u32; 2] {
                let $value = self;
                $split
            }
        })*
    };
}

// Values below a dword are in the low bits; written, they leave zeros above.
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

/// A lane's bit of a mask, or nothing where an operation has no mask.
pub trait Bit: Copy {
    /// True if there is one.
    const USED: bool;
    /// From a dword that is zero or not.
    fn from_word(word: u32) -> Self;
    /// All ones, or zero.
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
