//! The 64-lane loop. Only here is SIMD thought about.
//!
//! A vector register is [`Lanes`]: one dword for each of the 64 lanes. An operation computes all lanes and
//! blends the result in under EXEC; with all lanes active the blend is a copy. There is one loop, [`map`]: every
//! vector instruction is a function of a lane's sources given to it. Tables of handlers are written in
//! `at_each_level`, which compiles them for several levels of the host's vector instructions; which of the tables
//! an instruction's handler is taken from is decided when it is decoded.
//!
//! Memory that a thread has for itself is read and written by lanes in `elements.rs`; `rows.rs` moves dwords between
//! lanes and registers; `halves.rs` converts values in half precision; `environment.rs` sees to it that the host computes as it is
//! expected to. `source.rs` says what a source of the loop may be.
//!
//! This is one of the modules that may use `unsafe`: what is compiled for instructions that not every host has is
//! called only where the host has been found to have them.

mod elements;
mod environment;
mod halves;
mod level;
mod rows;
mod source;
#[cfg(target_arch = "x86_64")]
mod vectors;

use std::sync::atomic::Ordering::Relaxed;

pub use elements::{Elements, Gather};
#[cfg(target_arch = "x86_64")]
pub(crate) use elements::{LOADED, load, store};
pub use environment::FloatEnvironment;
pub(crate) use halves::{Half, of_single, to_single};
pub use halves::{narrowed, widened};
use level::LEVEL;
pub(crate) use level::level;
pub use level::{LEVEL_VARIABLE, Level, LevelError};
pub use rows::{from_elements, permuted, to_elements};
use source::Dwords;
pub use source::{Lanewise, Same, Sign, SignBits, Signed, SourceLanes};

/// Lanes of a wave on every GCN generation.
pub const LANES: usize = 64;
/// Lanes whose bits fit a dword: masks are taken apart and put together in halves.
const HALF: usize = 32;

/// The bit of a lane within its half.
const BIT: [u32; HALF] = {
    let mut bits = [0; HALF];
    let mut lane = 0;
    while lane < HALF {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// A vector register: a dword per lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [u32; LANES]);

impl Lanes {
    /// All lanes zero.
    pub const ZERO: Lanes = Lanes([0; LANES]);

    /// The same value in every lane.
    #[inline]
    pub const fn splat(value: u32) -> Lanes {
        Lanes([value; LANES])
    }

    /// Writes `new` in the lanes whose bit in `exec` is set.
    #[inline(always)]
    pub fn blend(&mut self, new: &Lanes, exec: u64) {
        if exec == u64::MAX {
            *self = *new;
        } else {
            // The host's memory has this copy, not what has been computed: that stays in registers wherever all lanes are active.
            self.blend_in_memory(&{ *new }, exec);
        }
    }

    /// [`Lanes::blend`] of what is in memory anyway, if the host has masks for it: then it becomes a few instructions of handlers. Returns
    /// false if it has not.
    #[inline(always)]
    pub(crate) fn blend_by_masks(&mut self, new: &Lanes, exec: u64) -> bool {
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx512 as u8 {
            // SAFETY: the host has the level's features.
            unsafe { vectors::avx512::blend(self, new, exec) };
            return true;
        }
        let _ = (new, exec);
        false
    }

    /// [`Lanes::blend`] of what is in memory anyway.
    #[inline]
    pub(crate) fn blend_in_memory(&mut self, new: &Lanes, exec: u64) {
        if self.blend_by_masks(new, exec) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx2 as u8 {
            // SAFETY: the host has the level's features.
            unsafe { vectors::avx2::blend(self, new, exec) };
            return;
        }
        self.blend_by_bits(new, exec);
    }

    /// [`Lanes::blend_in_memory`] at [`Level::Baseline`]. Many call it: inlined into them it took much of the time in which this
    /// crate compiles.
    #[inline(never)]
    fn blend_by_bits(&mut self, new: &Lanes, exec: u64) {
        for half in 0..LANES / HALF {
            let active = (exec >> (half * HALF)) as u32;
            for (lane, bit) in BIT.iter().enumerate() {
                let lane = half * HALF + lane;
                let changed = (self.0[lane] ^ new.0[lane]) & keep_if(active & bit);
                self.0[lane] ^= changed;
            }
        }
    }
}

/// All ones if a bit is set, else zero.
#[inline(always)]
pub(crate) fn keep_if(bit: u32) -> u32 {
    u32::from(bit != 0).wrapping_neg()
}

/// The lanes whose bits are set in `mask`, in ascending order.
pub fn active(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}

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

#[cfg(not(target_arch = "x86_64"))]
fn best_level() -> Level {
    Level::Baseline
}

/// Declares what the levels have: `at_each_level` and the function that finds the best one. The macro made has
/// variables, whose dollar sign is given first so that it is none of this one's.
macro_rules! levels {
    ($d:tt $($Level:ident $at:ident [$($feature:tt)*];)*) => {
        #[cfg(target_arch = "x86_64")]
        fn best_level() -> Level {
            $(if true $(&& is_x86_feature_detected!($feature))* {
                return Level::$Level;
            })*
            Level::Baseline
        }

        /// Compiles functions for each level of the host's vectors and makes them call the one for the host. What is
        /// inlined into them and the closures written in them is compiled for the level as well. `FUSES` in them is what
        /// [`Level::fuses`] says of it.
        macro_rules! at_each_level {
            ($d(
                $d(#[$d meta:meta])*
                $d vis:vis fn $d name:ident $d(<$d($d G:ident: $d First:ident $d(+ $d Other:ident)*),+>)?
                ($d($d arg:ident: $d Arg:ty),* $d(,)?) $d(-> $d Result:ty)? $d body:block
            )*) => {$d(
                $d(#[$d meta])*
                $d vis fn $d name $d(<$d($d G: $d First $d(+ $d Other)*),+>)? ($d($d arg: $d Arg),*) $d(-> $d Result)? {
                    $(
                        #[cfg(target_arch = "x86_64")]
                        $(#[target_feature(enable = $feature)])*
                        fn $at $d(<$d($d G: $d First $d(+ $d Other)*),+>)? ($d($d arg: $d Arg),*) $d(-> $d Result)? {
                            #[allow(dead_code)] // Few have a use for it.
                            const FUSES: bool = $crate::lanes::Level::$Level.fuses();
                            $d body
                        }
                    )*
                    fn baseline $d(<$d($d G: $d First $d(+ $d Other)*),+>)? ($d($d arg: $d Arg),*) $d(-> $d Result)? {
                        #[allow(dead_code)]
                        const FUSES: bool = $crate::lanes::Level::Baseline.fuses();
                        $d body
                    }
                    match $crate::lanes::level() {
                        $(
                            #[cfg(target_arch = "x86_64")]
                            // SAFETY: the level is the host's: it has these features.
                            $crate::lanes::Level::$Level => unsafe { $at $d(::<$d($d G),+>)? ($d($d arg),*) },
                        )*
                        _ => baseline $d(::<$d($d G),+>)? ($d($d arg),*),
                    }
                }
            )*};
        }
    };
}

levels! { $
    Avx512 avx512 ["avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd" "avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt"];
    Avx2 avx2 ["avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt"];
}

#[expect(
    clippy::single_component_path_imports,
    reason = "a macro has no path without it"
)]
pub(crate) use at_each_level;

at_each_level! {
/// Sets registers to zero. Those of a kernel are few and read soon: the string instruction that a library's way to fill
/// memory takes from about that size on takes long to begin, and hands nothing on to loads before it has ended.
pub(crate) fn clear(registers: &mut [Lanes]) {
    let zero = std::hint::black_box(Lanes::ZERO);
    for register in registers {
        *register = zero;
    }
}
}

/// Contents of a register outside the file; resolved operands name none.
pub(crate) static NOTHING: Lanes = Lanes::ZERO;

/// Computes `f` for every lane from its values of three sources and its bit in `mask`: the result's dwords, and a bit
/// per lane. To be called in a function of `at_each_level`.
#[inline(always)]
pub fn map<A: Lane, B: Lane, C: Lane, R: Lane, Given: Bit, Taken: Bit>(
    (a, b, c): (impl Lanewise, impl Lanewise, impl Lanewise),
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken),
) -> ([Lanes; 2], u64) {
    // The loop reads copies, which nothing else can be the same as: so it is one of vectors that stay in registers.
    let [a_low, a_high] = copies::<A, _>(a);
    let [b_low, b_high] = copies::<B, _>(b);
    let [c_low, c_high] = copies::<C, _>(c);
    let mut result = [Lanes::ZERO; 2];
    // A mask is taken apart before the loop over the lanes and put together after it: that loop has vectors only.
    let mut given = [0; LANES];
    if Given::USED {
        let (low, high) = given.split_at_mut(HALF);
        for (half, mask) in [(low, mask as u32), (high, (mask >> HALF) as u32)] {
            for (given, bit) in half.iter_mut().zip(&BIT) {
                *given = mask & bit;
            }
        }
    }
    let mut taken = [0; LANES];
    for lane in 0..LANES {
        let (value, bit) = f(
            a.value(a_low.of(lane), a_high.of(lane)),
            b.value(b_low.of(lane), b_high.of(lane)),
            c.value(c_low.of(lane), c_high.of(lane)),
            Given::from_word(given[lane]),
        );
        let dwords = value.split();
        if R::DWORDS > 0 {
            result[0].0[lane] = dwords[0];
        }
        if R::DWORDS > 1 {
            result[1].0[lane] = dwords[1];
        }
        if Taken::USED {
            taken[lane] = bit.to_word();
        }
    }
    if R::WIDENED.is_some() {
        result[0] = narrowed(result[0]);
    }
    let bits = if Taken::USED { signs(taken) } else { 0 };
    (result, bits)
}

/// Copies of a source's dwords, as its values want them.
#[inline(always)]
fn copies<T: Lane, S: Lanewise>(source: S) -> [S::Dwords; 2] {
    let low = source.copy(0, T::DWORDS > 0);
    [
        match T::WIDENED {
            Some(up) => low.widened(up),
            None => low,
        },
        source.copy(1, T::DWORDS > 1),
    ]
}

/// A mask of the lanes whose dword is all ones rather than zero.
#[inline(always)]
pub(crate) fn signs(words: [u32; LANES]) -> u64 {
    // Each way has a copy of its own, not one in memory for all: what is computed stays in registers.
    // The level has been found by the time that there is a handler to run.
    #[cfg(target_arch = "x86_64")]
    {
        let level = LEVEL.load(Relaxed);
        if level == Level::Avx512 as u8 {
            // SAFETY: the host has the level's features.
            return unsafe { vectors::avx512::signs(Lanes(words)) };
        }
        if level == Level::Avx2 as u8 {
            // SAFETY: as above.
            return unsafe { vectors::avx2::signs(&Lanes(words)) };
        }
    }
    // No function for all: its words would be in memory, and callers would have a stack frame for it at every level.
    let (low, high) = words.split_at(HALF);
    let gather = |half: &[u32]| {
        let bits = half.iter().zip(&BIT).map(|(word, bit)| word & bit);
        u64::from(bits.fold(0, |bits, bit| bits | bit))
    };
    gather(low) | gather(high) << HALF
}

at_each_level! {
/// True if the 64-bit numbers in a pair of registers are all the same.
pub(crate) fn are_one(low: &Lanes, high: &Lanes) -> bool {
    are_apart_by::<0>(low, high)
}

/// True if each is one more than the one before, without a carry.
pub(crate) fn are_bytes(low: &Lanes, high: &Lanes) -> bool {
    are_apart_by::<1>(low, high)
}

/// True if each is two more than the one before, without a carry.
pub(crate) fn are_shorts(low: &Lanes, high: &Lanes) -> bool {
    are_apart_by::<2>(low, high)
}

/// True if each is `count` dwords, one to four, above the one before, without a carry.
pub(crate) fn are_dwords(count: u32, low: &Lanes, high: &Lanes) -> bool {
    match count {
        1 => are_apart_by::<4>(low, high),
        2 => are_apart_by::<8>(low, high),
        3 => are_apart_by::<12>(low, high),
        4 => are_apart_by::<16>(low, high),
        _ => false,
    }
}

/// Indices times a stride, and offsets.
pub(crate) fn sums(indices: &Lanes, stride: u32, offsets: &Lanes) -> Lanes {
    let mut sums = Lanes::ZERO;
    for (sum, (index, offset)) in sums.0.iter_mut().zip(indices.0.iter().zip(&offsets.0)) {
        *sum = index.wrapping_mul(stride).wrapping_add(*offset);
    }
    sums
}

/// Numbers with an offset added, of which some bits are kept and the low ones shifted out.
pub(crate) fn places(from: &Lanes, offset: u32, mask: u32, shift: u32) -> Lanes {
    let mut places = *from;
    for place in &mut places.0 {
        *place = (place.wrapping_add(offset) & mask) >> shift;
    }
    places
}

/// Shifts each lane down by `bits`.
pub(crate) fn shift_down(bits: u32, register: &mut Lanes) {
    for dword in &mut register.0 {
        *dword >>= bits;
    }
}

/// True if the active lanes' numbers, with an offset added and some bits kept, are none greater than another.
pub(crate) fn are_below(numbers: &Lanes, offset: u32, mask: u32, exec: u64, greatest: u32) -> bool {
    let mut beyond = [0; LANES];
    for (beyond, number) in beyond.iter_mut().zip(&numbers.0) {
        *beyond = keep_if(u32::from(number.wrapping_add(offset) & mask > greatest));
    }
    signs(beyond) & exec == 0
}

/// True if each lane has the same number in both. A library's way to compare memory costs a call and looks at less at once.
pub(crate) fn are_equal(a: &Lanes, b: &Lanes) -> bool {
    let differences = a.0.iter().zip(&b.0);
    differences.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// The lowest and the greatest of the active lanes' numbers; without active lanes, the lowest is above the greatest.
pub(crate) fn reach(numbers: &Lanes, exec: u64) -> (u32, u32) {
    let (mut lowest, mut greatest) = (u32::MAX, 0);
    for half in 0..LANES / HALF {
        let active = (exec >> (half * HALF)) as u32;
        for (&number, bit) in numbers.0[half * HALF..].iter().zip(&BIT) {
            let kept = keep_if(active & bit);
            lowest = lowest.min(number | !kept);
            greatest = greatest.max(number & kept);
        }
    }
    (lowest, greatest)
}

/// Sign-extends the lowest `bits` bits of each lane.
pub(crate) fn extend_sign(bits: u32, register: &mut Lanes) {
    let shift = u32::BITS - bits;
    for dword in &mut register.0 {
        *dword = ((*dword << shift) as i32 >> shift) as u32;
    }
}

/// Clears all but the lowest `bits` bits of each lane.
pub(crate) fn keep_low(bits: u32, register: &mut Lanes) {
    for dword in &mut register.0 {
        *dword &= (1 << bits) - 1;
    }
}

/// Inserts the lowest `bits` bits of each lane, fewer than all, into `old` at bit `place`.
pub(crate) fn insert(bits: u32, place: u32, new: &mut Lanes, old: &Lanes) {
    let low = (1 << bits) - 1;
    let keep = !(low << place);
    for (new, old) in new.0.iter_mut().zip(&old.0) {
        *new = old & keep | (*new & low) << place;
    }
}

/// Pairs of bytes as dwords.
pub(crate) fn widen_shorts(shorts: &[[u8; 2]; LANES]) -> Lanes {
    Lanes(shorts.map(|short| u16::from_le_bytes(short).into()))
}

/// Each lane's low byte.
pub(crate) fn bytes(register: &Lanes) -> [u8; LANES] {
    register.0.map(|dword| dword as u8)
}

/// Each lane's low two bytes.
pub(crate) fn shorts(register: &Lanes) -> [[u8; 2]; LANES] {
    register.0.map(|dword| (dword as u16).to_le_bytes())
}

/// Bytes as dwords.
pub(crate) fn widen(bytes: &[u8; LANES]) -> Lanes {
    Lanes(bytes.map(u32::from))
}

}

#[inline(always)]
fn are_apart_by<const STRIDE: u32>(low: &Lanes, high: &Lanes) -> bool {
    let (first, same) = (low.0[0], high.0[0]);
    let mut differ = 0;
    for lane in 0..LANES {
        differ |= low.0[lane] ^ first.wrapping_add(STRIDE * lane as u32);
        differ |= high.0[lane] ^ same;
    }
    differ == 0 && first.checked_add(STRIDE * LANES as u32).is_some()
}

/// Lanes whose addresses are looked at together: what fits a vector of addresses.
pub(crate) const GROUP: usize = 8;

/// Relation of the addresses of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// All addresses are the same.
    Same,
    /// Each is `stride` bytes behind the one before.
    Follow,
    /// Otherwise.
    Apart,
}

impl Pattern {
    /// To be called in a function of `at_each_level`.
    #[inline(always)]
    pub(crate) fn of(group: &[u64; GROUP], stride: u64) -> Pattern {
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx512 as u8 {
            // SAFETY: the host has the level's features.
            return unsafe { pattern_avx512(group, stride) };
        }
        let differ = |stride: u64| {
            let expected = (0..).map(|n: u64| group[0].wrapping_add(stride * n));
            let differences = group.iter().zip(expected).map(|(a, b)| a ^ b);
            differences.fold(0, |all, one| all | one) != 0
        };
        if !differ(stride) {
            Pattern::Follow
        } else if !differ(0) {
            Pattern::Same
        } else {
            Pattern::Apart
        }
    }
}

/// [`Pattern::of`] by masks of the host's.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn pattern_avx512(group: &[u64; GROUP], stride: u64) -> Pattern {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_cmpneq_epi64_mask, _mm512_set1_epi64,
    };
    // SAFETY: both are 64 bytes, of which every value is one of the other type.
    let vector = |values: [u64; GROUP]| -> __m512i { unsafe { std::mem::transmute(values) } };
    let behind = vector(std::array::from_fn(|n| stride.wrapping_mul(n as u64)));
    let base = _mm512_set1_epi64(group[0] as i64);
    let group = vector(*group);
    if _mm512_cmpneq_epi64_mask(group, _mm512_add_epi64(base, behind)) == 0 {
        Pattern::Follow
    } else if _mm512_cmpneq_epi64_mask(group, base) == 0 {
        Pattern::Same
    } else {
        Pattern::Apart
    }
}
