//! Code common to vector instructions: carries, masks and slow paths.
//!
//! These functions take the operation as a function of one lane's values. Its parameter types determine the number of
//! registers per operand. `floating` adds the effects of MODE.

use super::operands::{Positions, in_lanes, only_same, sources, used, write};
use super::scalar_operand;
use crate::lanes::{self, Bit, Lane, Lanes, NOTHING};
use crate::step::Step;
use crate::wave::Wave;

/// Executes an operation with a destination and one source.
#[inline(always)]
pub(super) fn one<A: Lane, R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A) -> R) {
    run(w, s, Positions::<1, 1, 1>, 0, |a, (), (), ()| (f(a), ()));
}

/// Executes an operation with a destination and two sources.
#[inline(always)]
pub(super) fn two<A: Lane, B: Lane, R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> R) {
    run(w, s, Positions::<1, 2, 1>, 0, |a, b, (), ()| (f(a, b), ()));
}

/// Executes an operation with a destination and three sources.
#[inline(always)]
pub(super) fn three<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C) -> R,
) {
    run(w, s, Positions::<1, 2, 3>, 0, |a, b, c, ()| {
        (f(a, b, c), ())
    });
}

/// [`two`] for a rare or large operation, which is [`compiled_once`].
#[inline(always)]
pub(super) fn staged2<A: Lane, B: Lane, R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> R) {
    compiled_once(w, s, Positions::<1, 2, 1>, 0, |a, b, (), ()| (f(a, b), ()));
}

/// [`three`] for a rare or large operation, which is [`compiled_once`].
#[inline(always)]
pub(super) fn staged3<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C) -> R,
) {
    compiled_once(w, s, Positions::<1, 2, 3>, 0, |a, b, c, ()| {
        (f(a, b, c), ())
    });
}

/// Executes an operation with a destination, two sources and a mask. The lane's bit of the mask is the last
/// argument of `f`.
#[inline(always)]
pub(super) fn select<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, bool) -> R,
) {
    let mask = scalar_operand::read(w, s.args[3]);
    run(w, s, Positions::<1, 2, 1>, mask, |a, b, (), bit: bool| {
        (f(a, b, bit), ())
    });
}

/// Executes an operation that computes a result and a mask from two sources. The operation has the signature that
/// [`run`] requires: an adapter closure would not be compiled for the host's vector level and, because it returns two
/// values, would be called for each lane instead of inlined.
#[inline(always)]
pub(super) fn carry<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, (), ()) -> (R, bool) + Copy,
) {
    let mask = run(w, s, Positions::<2, 3, 2>, 0, f);
    scalar_operand::write(w, s.args[1], mask);
}

/// [`carry`] for an operation that also reads a mask.
#[inline(always)]
pub(super) fn carry_through<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, (), bool) -> (R, bool) + Copy,
) {
    let carried = scalar_operand::read(w, s.args[4]);
    let mask = run(w, s, Positions::<2, 3, 2>, carried, f);
    scalar_operand::write(w, s.args[1], mask);
}

/// [`carry`] for an operation on three sources that is [`compiled_once`].
#[inline(always)]
pub(super) fn carry3<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C, ()) -> (R, bool),
) {
    let mask = compiled_once(w, s, Positions::<2, 3, 4>, 0, f);
    scalar_operand::write(w, s.args[1], mask);
}

/// [`carry3`] for an operation with a rare slow path (see [`with_slow_path`]). The fast path's mask is zero.
#[inline(always)]
pub(super) fn carry3_with_slow_path<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    fast: impl Fn(A, B, C, ()) -> (R, bool),
    any: impl Fn(A, B, C, ()) -> (R, bool),
) {
    let mask = with_slow_path(w, s, Positions::<2, 3, 4>, fast, any);
    scalar_operand::write(w, s.args[1], mask);
}

/// Executes an operation with a destination, two sources, and a value for each lane from `table`.
#[inline(always)]
pub(super) fn with_lanes<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    table: &'static Lanes,
    f: impl Fn(A, B, u32) -> R,
) {
    let (a, b, _) = sources::<1, 2, 0, A, B, ()>(w, s);
    let src = (a, b, [table, &NOTHING]);
    let result = lanes::map(src, 0, |a, b, c, ()| (f(a, b, c), ()));
    write::<R>(w, s, result);
}

/// Executes a comparison of two sources, and writes its mask with [`write_comparison`].
#[inline(always)]
pub(super) fn compare<A: Lane, B: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> bool) {
    let mask = run(w, s, Positions::<1, 2, 1>, 0, |a, b, (), ()| ((), f(a, b)));
    write_comparison(w, s, mask);
}

/// [`compare`] for an operation that is [`compiled_once`].
#[inline(always)]
pub(super) fn compare_compiled_once<A: Lane, B: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B) -> bool,
) {
    let mask = compiled_once(w, s, Positions::<1, 2, 1>, 0, |a, b, (), ()| ((), f(a, b)));
    write_comparison(w, s, mask);
}

/// [`compare`] with a constant result in every active lane.
#[inline(always)]
pub(super) fn compare_constant(w: &mut Wave, s: &Step, result: bool) {
    let mask = if result { w.exec() } else { 0 };
    write_comparison(w, s, mask);
}

/// Writes the mask of a comparison to the destination and, if the instruction requires it, to EXEC.
#[inline(always)]
fn write_comparison(w: &mut Wave, s: &Step, mask: u64) {
    scalar_operand::write(w, s.args[0], mask);
    if s.writes_exec {
        w.set_exec(mask);
    }
}

/// Computes all lanes from the given sources and the bits of `mask`, and writes the result, if there is one, to operand
/// 0. Returns the lanes' flags, which are 0 in inactive lanes. The operation is compiled separately for a uniform first
/// or second source; large operations use [`compiled_once`].
#[inline(always)]
pub(super) fn run<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
    Taken: Bit,
>(
    w: &mut Wave,
    s: &Step,
    at: Positions<X, Y, Z>,
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken) + Copy,
) -> u64 {
    let result = computed(w, s, at, mask, f);
    write::<R>(w, s, result)
}

/// Computes the results and flags of [`run`] without writing the results. Flags of inactive lanes may be set.
#[inline(always)]
pub(super) fn computed<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
    Taken: Bit,
>(
    w: &mut Wave,
    s: &Step,
    _: Positions<X, Y, Z>,
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken) + Copy,
) -> ([Lanes; 2], u64) {
    if const { A::IS_HALF } {
        return lanes::map(sources::<X, Y, Z, A, B, C>(w, s), mask, f);
    }
    // A uniform first or second source stays in host registers if the other sources are in lanes.
    let used = const { used(&[(X, A::DWORDS), (Y, B::DWORDS), (Z, C::DWORDS)]) };
    if s.in_lanes & used == used {
        lanes::map(in_lanes::<X, Y, Z, A, B, C>(w, s), mask, f)
    } else if const { A::DWORDS > 0 }
        && let Some(a) = only_same::<X, A>(w, s)
    {
        let (_, b, c) = in_lanes::<X, Y, Z, A, B, C>(w, s);
        lanes::map((a, b, c), mask, f)
    } else if const { B::DWORDS > 0 }
        && let Some(b) = only_same::<Y, B>(w, s)
    {
        let (a, _, c) = in_lanes::<X, Y, Z, A, B, C>(w, s);
        lanes::map((a, b, c), mask, f)
    } else {
        lanes::map(sources::<X, Y, Z, A, B, C>(w, s), mask, f)
    }
}

/// [`run`], compiled once for all locations of sources: sources not in vector registers are staged. With more copies,
/// the compiler would not inline a large operation but call it for each lane; for a rare operation, more copies are not
/// worth the compile time.
#[inline(always)]
pub(super) fn compiled_once<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
    Taken: Bit,
>(
    w: &mut Wave,
    s: &Step,
    _: Positions<X, Y, Z>,
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken),
) -> u64 {
    let src = sources::<X, Y, Z, A, B, C>(w, s);
    let result = lanes::map(src, mask, f);
    write::<R>(w, s, result)
}

/// [`run`] for an operation with a fast path and a rare slow path. `fast` returns a result and a flag that is true if
/// the result is invalid. If the flag of an active lane is true, `any` computes all lanes.
#[inline(always)]
pub(super) fn with_slow_path<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Taken: Bit,
>(
    w: &mut Wave,
    s: &Step,
    at: Positions<X, Y, Z>,
    fast: impl Fn(A, B, C, ()) -> (R, bool),
    any: impl Fn(A, B, C, ()) -> (R, Taken),
) -> u64 {
    let result = computed_with_slow_path(w, s, at, fast, any);
    write::<R>(w, s, result)
}

/// Computes the results and flags of [`with_slow_path`] without writing the results. Flags of inactive lanes may be
/// set.
#[inline(always)]
pub(super) fn computed_with_slow_path<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Taken: Bit,
>(
    w: &mut Wave,
    s: &Step,
    _: Positions<X, Y, Z>,
    fast: impl Fn(A, B, C, ()) -> (R, bool),
    any: impl Fn(A, B, C, ()) -> (R, Taken),
) -> ([Lanes; 2], u64) {
    let exec = w.exec();
    let src = sources::<X, Y, Z, A, B, C>(w, s);
    let (mut result, slow_lanes) = lanes::map(src, 0, fast);
    let mut bits = 0;
    if slow_lanes & exec != 0 {
        (result, bits) = lanes::map(src, 0, any);
    }
    (result, bits)
}

/// [`run`] for operations that do not benefit from wide vectors and need not be compiled for each vector level.
#[cold]
#[inline(never)]
pub(super) fn at_baseline<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
>(
    w: &mut Wave,
    s: &Step,
    at: Positions<X, Y, Z>,
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, ()),
) {
    compiled_once(w, s, at, mask, f);
}
