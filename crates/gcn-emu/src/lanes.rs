//! The 64-lane loop. Only here is SIMD thought about.
//!
//! A vector register is [`Lanes`]: one dword for each of the 64 lanes. An operation computes all lanes and
//! blends the result in under EXEC; with all lanes active the blend is a copy. There is one loop, [`map`]: every
//! vector instruction is a function of a lane's sources given to it. What calls it is a [`Kernel`], which is compiled
//! for several levels of the host's vector instructions; [`at_best`] chooses the best one that the host has.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

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
            return;
        }
        for half in 0..LANES / HALF {
            let active = (exec >> (half * HALF)) as u32;
            for (lane, bit) in BIT.iter().enumerate() {
                let lane = half * HALF + lane;
                if active & bit != 0 {
                    self.0[lane] = new.0[lane];
                }
            }
        }
    }
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
    /// How many registers.
    const DWORDS: usize;
    /// From a lane's dwords; `high` counts with two registers only.
    fn join(low: u32, high: u32) -> Self;
    /// To a lane's dwords.
    fn split(self) -> [u32; 2];
}

macro_rules! lane {
    ($($Type:ty, $dwords:literal, |$low:pat_param, $high:pat_param| $join:expr, |$value:pat_param| $split:expr;)*) => {
        $(impl Lane for $Type {
            const DWORDS: usize = $dwords;
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
    (),  0, |_, _| (),                                   |_| [0, 0];
    u16, 1, |low, _| low as u16,                         |v| [u32::from(v), 0];
    i16, 1, |low, _| low as i16,                         |v| [u32::from(v as u16), 0];
    u32, 1, |low, _| low,                                |v| [v, 0];
    i32, 1, |low, _| low as i32,                         |v| [v as u32, 0];
    f32, 1, |low, _| f32::from_bits(low),                |v| [v.to_bits(), 0];
    u64, 2, |low, high| wide(low, high),                 |v| [v as u32, (v >> 32) as u32];
    i64, 2, |low, high| wide(low, high) as i64,          |v| (v as u64).split();
    f64, 2, |low, high| f64::from_bits(wide(low, high)), |v| v.to_bits().split();
}

#[inline(always)]
fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Where a source's lanes are.
#[derive(Clone, Copy)]
pub enum Src<'a> {
    /// In the register file, from this register on.
    Reg(u8),
    /// The same value in every lane.
    Same(u64),
    /// Here: the low dwords, then the high ones.
    Here(&'a [Lanes]),
}

/// What a register outside of the file reads; resolved operands name none.
static NOTHING: Lanes = Lanes::ZERO;

/// Dword `dword` of a source's lanes. `room` holds it where it is not in memory yet.
#[inline(always)]
fn pick<'a>(
    file: &'a [Lanes],
    src: &'a Src<'_>,
    dword: usize,
    room: &'a mut Option<Lanes>,
) -> &'a Lanes {
    match *src {
        Src::Reg(first) => file.get(usize::from(first) + dword).unwrap_or(&NOTHING),
        Src::Same(value) => room.insert(Lanes::splat((value >> (32 * dword)) as u32)),
        Src::Here(lanes) => lanes.get(dword).unwrap_or(&NOTHING),
    }
}

/// A source's registers, as many as the type has.
macro_rules! sources {
    ($file:ident, $src:expr, $T:ty, $low:ident, $high:ident) => {
        let (mut low_room, mut high_room) = (None, None);
        let $low = if <$T>::DWORDS > 0 {
            pick($file, $src, 0, &mut low_room)
        } else {
            &NOTHING
        };
        let $high = if <$T>::DWORDS > 1 {
            pick($file, $src, 1, &mut high_room)
        } else {
            &NOTHING
        };
    };
}

/// A lane's bit of a mask, or nothing where an operation has no mask.
pub trait Bit: Copy {
    /// Whether there is one.
    const USED: bool;
    /// From a dword that is zero or not.
    fn from_word(word: u32) -> Self;
    /// `bit`, or zero.
    fn to_word(self, bit: u32) -> u32;
}

impl Bit for () {
    const USED: bool = false;
    #[inline(always)]
    fn from_word(_: u32) {}
    #[inline(always)]
    fn to_word(self, _: u32) -> u32 {
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
    fn to_word(self, bit: u32) -> u32 {
        if self { bit } else { 0 }
    }
}

/// A computation that is worth the host's widest vectors: [`at_best`] runs it. What it works on are parameters of
/// their own rather than parts of it, so that they go in the host's registers.
pub trait Kernel<A, B> {
    /// Computes a mask, 0 if there is nothing to say. To be inlined, so that it is compiled for each level.
    fn run(self, a: A, b: B, mask: u64) -> u64;
}

/// The host's vector instructions, as far as they matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Level {
    /// It has not been looked.
    Unknown,
    /// Those that every host of the architecture has.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 as servers have it.
    Avx512,
}

/// The host's level as a number; it is found at the first use.
static LEVEL: AtomicU8 = AtomicU8::new(Level::Unknown as u8);

#[cold]
#[inline(never)]
fn find_level() -> u8 {
    let level = best_level();
    LEVEL.store(level as u8, Relaxed);
    level as u8
}

/// Declares the functions in which [`Kernel`]s are compiled for a level, each with the features that the level has.
macro_rules! levels {
    ($($Level:ident $run:ident [$($feature:tt)*];)*) => {
        #[cfg(target_arch = "x86_64")]
        fn best_level() -> Level {
            $(if true $(&& levels!(@has $feature))* {
                return Level::$Level;
            })*
            Level::Baseline
        }

        #[cfg(not(target_arch = "x86_64"))]
        fn best_level() -> Level {
            Level::Baseline
        }

        $(
            #[cfg(target_arch = "x86_64")]
            $(#[target_feature(enable = $feature)])*
            fn $run<A, B, K: Kernel<A, B>>(kernel: K, a: A, b: B, mask: u64) -> u64 {
                kernel.run(a, b, mask)
            }
        )*

        /// Runs a computation with the widest vectors that the host has.
        #[inline(always)]
        pub fn at_best<A, B, K: Kernel<A, B>>(kernel: K, a: A, b: B, mask: u64) -> u64 {
            let mut level = LEVEL.load(Relaxed);
            if level == Level::Unknown as u8 {
                level = find_level();
            }
            $(
                #[cfg(target_arch = "x86_64")]
                if level == Level::$Level as u8 {
                    // SAFETY: the level is the one that `best_level` found: the host has its features.
                    return unsafe { $run(kernel, a, b, mask) };
                }
            )*
            kernel.run(a, b, mask)
        }
    };
    (@has $feature:tt) => {
        is_x86_feature_detected!($feature)
    };
}

levels! {
    Avx512 run_avx512 ["avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd" "avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt"];
    Avx2 run_avx2 ["avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt"];
}

/// Computes `f` for every lane from its values of three sources and its bit in `mask`. The result's first part goes
/// to the registers of `file` from `dst` on in the lanes that `exec` has; the second part, a bit per lane, is
/// returned, 0 where `exec` is. The destination may be among the sources. To be called in a [`Kernel`].
#[inline(always)]
pub fn map<
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
    Taken: Bit,
    F: Fn(A, B, C, Given) -> (R, Taken),
>(
    file: &mut [Lanes],
    dst: usize,
    src: &[Src<'_>; 3],
    mask: u64,
    exec: u64,
    f: F,
) -> u64 {
    let mut low = Lanes::ZERO;
    let mut high = Lanes::ZERO;
    // A mask is taken apart before the loop over the lanes and put together after it: that loop has vectors only.
    let mut given = [0; LANES];
    if Given::USED {
        for (lane, given) in given.iter_mut().enumerate() {
            *given = (mask >> (lane / HALF * HALF)) as u32 & BIT[lane % HALF];
        }
    }
    let mut taken = [0; LANES];
    {
        let file: &[Lanes] = file;
        sources!(file, &src[0], A, a_low, a_high);
        sources!(file, &src[1], B, b_low, b_high);
        sources!(file, &src[2], C, c_low, c_high);
        for lane in 0..LANES {
            let a = A::join(a_low.0[lane], a_high.0[lane]);
            let b = B::join(b_low.0[lane], b_high.0[lane]);
            let c = C::join(c_low.0[lane], c_high.0[lane]);
            let (value, bit) = f(a, b, c, Given::from_word(given[lane]));
            let dwords = value.split();
            if R::DWORDS > 0 {
                low.0[lane] = dwords[0];
            }
            if R::DWORDS > 1 {
                high.0[lane] = dwords[1];
            }
            if Taken::USED {
                taken[lane] = bit.to_word(BIT[lane % HALF]);
            }
        }
    }
    for (dword, new) in [&low, &high].into_iter().enumerate().take(R::DWORDS) {
        if let Some(register) = file.get_mut(dst + dword) {
            register.blend(new, exec);
        }
    }
    if Taken::USED {
        let (first, second) = taken.split_at(HALF);
        let gather = |half: &[u32]| u64::from(half.iter().fold(0, |bits, bit| bits | bit));
        (gather(first) | gather(second) << HALF) & exec
    } else {
        0
    }
}
