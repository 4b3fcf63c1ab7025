//! Loop over lanes.

use super::halves::narrowed;
use super::lane::{Bit, Lane};
use super::masks::signs;
use super::register::{BIT, HALF, LANES, Lanes};
use super::source::{Dwords, Lanewise};

/// Computes `f` for every lane from its three source values and its bit in `mask`. Returns the result's dwords and a
/// bit per lane. Must be called from a function in `at_each_level`.
#[inline(always)]
pub fn map<A: Lane, B: Lane, C: Lane, R: Lane, Given: Bit, Taken: Bit>(
    (a, b, c): (impl Lanewise, impl Lanewise, impl Lanewise),
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken),
) -> ([Lanes; 2], u64) {
    // The loop reads copies that nothing can alias, so the compiler vectorizes it and keeps values in registers.
    let [a_low, a_high] = copies::<A, _>(a);
    let [b_low, b_high] = copies::<B, _>(b);
    let [c_low, c_high] = copies::<C, _>(c);
    let mut result = [Lanes::ZERO; 2];
    // The mask is expanded before the loop over lanes and packed after it, so that the loop contains only vector
    // operations.
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
            A::join(a_low.of(lane), a_high.of(lane)),
            B::join(b_low.of(lane), b_high.of(lane)),
            C::join(c_low.of(lane), c_high.of(lane)),
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

/// Copies a source's dwords in the representation that the lane type needs.
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
