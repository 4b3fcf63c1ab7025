//! Atomic operations, which compute a new value from the old value and the data. They are common to LDS, GDS, global,
//! scratch, buffer and scalar memory.

use gcn_isa::Ty;
use gcn_isa::effect::AtomicOp;

/// Flushing of single-precision denormals. Double-precision denormals are always kept (errata E053).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Denormals {
    /// True if operands are flushed.
    pub flush_in: bool,
    /// True if results of arithmetic are flushed.
    pub flush_out: bool,
}

/// MODE: keep single-precision denormal operands.
const MODE_KEEP_IN: u32 = 1 << 4;
/// MODE: keep single-precision denormal results.
const MODE_KEEP_OUT: u32 = 1 << 5;

impl Denormals {
    /// Denormal handling of global memory, independent of MODE (errata E053).
    pub const FLUSHED: Denormals = Denormals {
        flush_in: true,
        flush_out: true,
    };

    /// Returns the denormal handling of LDS and GDS, which obey MODE.
    pub const fn of_mode(mode: u32) -> Denormals {
        Denormals {
            flush_in: mode & MODE_KEEP_IN == 0,
            flush_out: mode & MODE_KEEP_OUT == 0,
        }
    }
}

/// Returns the new value in memory. All values are bit patterns in the low bits.
///
/// `data` is the operand: the addend or other operand, the new value of a swap, the mask of [`AtomicOp::MaskOr`], the
/// limit of [`AtomicOp::Wrap`]. `second` is the additional operand: the comparison value of [`AtomicOp::CompareSwap`],
/// the bits of `MaskOr`, the addend of `Wrap`. For `CompareSwap`, DS instructions and others have the two in opposite
/// orders (errata E059, E090); callers must handle this.
#[inline(always)]
pub fn combine(
    op: AtomicOp,
    ty: Ty,
    old: u64,
    data: u64,
    second: u64,
    denormals: Denormals,
) -> u64 {
    let unused = 64 - 8 * u32::from(ty.bytes().min(8));
    let low = |value: u64| value << unused >> unused;
    let (old, data, second) = (low(old), low(data), low(second));
    let is_less = |a: u64, b: u64| match ty {
        Ty::I32 | Ty::I64 | Ty::I16 | Ty::I8 => ((a << unused) as i64) < (b << unused) as i64,
        Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64 => a < b,
        Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64 | Ty::B96 | Ty::B128 | Ty::B256 | Ty::B512 => a < b,
        // `FloatFormat` compares floats, and no atomic works on pairs.
        Ty::F16 | Ty::F32 | Ty::F64 | Ty::F16x2 | Ty::I16x2 => a < b,
    };
    let new = match op {
        AtomicOp::Swap => data,
        AtomicOp::CompareSwap => {
            let equal = match FloatFormat::of(ty) {
                Some(float) => float.equal(old, second, denormals),
                None => old == second,
            };
            if equal { data } else { old }
        }
        AtomicOp::Add => match FloatFormat::of(ty) {
            Some(float) => float.add(old, data, denormals),
            None => old.wrapping_add(data),
        },
        AtomicOp::Sub => old.wrapping_sub(data),
        AtomicOp::Rsub => data.wrapping_sub(old),
        AtomicOp::Inc => {
            if old >= data {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > data {
                data
            } else {
                old - 1
            }
        }
        AtomicOp::Min => match FloatFormat::of(ty) {
            Some(float) => float.select(old, data, denormals, |old, data| data < old),
            None if is_less(data, old) => data,
            None => old,
        },
        AtomicOp::Max => match FloatFormat::of(ty) {
            Some(float) => float.select(old, data, denormals, |old, data| data > old),
            None if is_less(old, data) => data,
            None => old,
        },
        AtomicOp::And => old & data,
        AtomicOp::Or => old | data,
        AtomicOp::Xor => old ^ data,
        AtomicOp::MaskOr => (old & !data) | second,
        AtomicOp::Wrap => {
            if old >= data {
                old.wrapping_sub(data)
            } else {
                old.wrapping_add(second)
            }
        }
    };
    low(new)
}

/// Bit layout of a binary IEEE 754 format.
#[derive(Clone, Copy)]
struct FloatFormat {
    sign: u64,
    exponent: u64,
    /// Bit that makes a NaN quiet.
    quiet: u64,
    /// True if denormals may be flushed.
    flushes: bool,
}

const F32: FloatFormat = FloatFormat {
    sign: 1 << 31,
    exponent: 0xff << 23,
    quiet: 1 << 22,
    flushes: true,
};
const F64: FloatFormat = FloatFormat {
    sign: 1 << 63,
    exponent: 0x7ff << 52,
    quiet: 1 << 51,
    flushes: false,
};

impl FloatFormat {
    fn of(ty: Ty) -> Option<FloatFormat> {
        match ty {
            Ty::F32 => Some(F32),
            Ty::F64 => Some(F64),
            // These instruction sets have no atomics on 16-bit floats.
            Ty::F16 | Ty::F16x2 => None,
            Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64 | Ty::B96 | Ty::B128 | Ty::B256 | Ty::B512 => None,
            Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64 => None,
            Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::I16x2 => None,
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign > self.exponent
    }

    fn is_signaling(self, bits: u64) -> bool {
        self.is_nan(bits) && bits & self.quiet == 0
    }

    fn flush(self, bits: u64, flush: bool) -> u64 {
        if flush && self.flushes && bits & self.exponent == 0 {
            bits & self.sign
        } else {
            bits
        }
    }

    /// Returns an integer ordered like the values, with −0 before +0.
    fn order(self, bits: u64) -> i64 {
        let magnitude = (bits & !self.sign) as i64;
        if bits & self.sign != 0 {
            -1 - magnitude
        } else {
            magnitude
        }
    }

    fn equal(self, a: u64, b: u64, denormals: Denormals) -> bool {
        let (a, b) = (
            self.flush(a, denormals.flush_in),
            self.flush(b, denormals.flush_in),
        );
        let both_zero = (a | b) & !self.sign == 0;
        !self.is_nan(a) && !self.is_nan(b) && (a == b || both_zero)
    }

    /// Returns `data` if `takes` is true for the order keys of `old` and `data`, otherwise `old`. A number is preferred
    /// to a quiet NaN; a signaling NaN takes precedence and is made quiet. The returned bits are the unmodified
    /// operand, since flushing affects the comparison only (errata E053).
    fn select(
        self,
        old: u64,
        data: u64,
        denormals: Denormals,
        takes: impl Fn(i64, i64) -> bool,
    ) -> u64 {
        if self.is_signaling(old) {
            old | self.quiet
        } else if self.is_signaling(data) {
            data | self.quiet
        } else if self.is_nan(old) && !self.is_nan(data) {
            data
        } else if self.is_nan(data) {
            old
        } else {
            let key = |bits| self.order(self.flush(bits, denormals.flush_in));
            if takes(key(old), key(data)) {
                data
            } else {
                old
            }
        }
    }

    /// Rounds to nearest, ties to even. If an operand is a NaN, returns the first NaN, made quiet.
    fn add(self, old: u64, data: u64, denormals: Denormals) -> u64 {
        if self.is_nan(old) {
            return old | self.quiet;
        }
        if self.is_nan(data) {
            return data | self.quiet;
        }
        let old = self.flush(old, denormals.flush_in);
        let data = self.flush(data, denormals.flush_in);
        let sum = if self.flushes {
            u64::from((f32::from_bits(old as u32) + f32::from_bits(data as u32)).to_bits())
        } else {
            (f64::from_bits(old) + f64::from_bits(data)).to_bits()
        };
        if self.is_nan(sum) {
            // ∞ − ∞ gives a NaN whose sign depends on the host (errata E190).
            self.sign | self.exponent | self.quiet
        } else {
            self.flush(sum, denormals.flush_out)
        }
    }
}
