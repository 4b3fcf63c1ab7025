//! Operands of vector instructions. Sources are read in place, from vector registers or staging rows. Results are
//! written under EXEC.

use crate::lanes::{Lane, Lanes, NOTHING, Same, Sign, SignBits, SourceLanes, at_each_level};
use crate::registers::RegisterRow;
use crate::step::{Arg, Step};
use crate::wave::{SCALARS, Scalars, Wave};

/// Position of the result among the operands.
const RESULT: usize = 0;

/// Returns the sources at the given operand indexes, with sign modifiers applied.
#[inline(always)]
pub(super) fn sources<
    'a,
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
>(
    w: &'a mut Wave,
    s: &Step,
) -> SourceOperands<'a> {
    // The most frequent case is tested first.
    let used = const { used(&[(X, A::DWORDS), (Y, B::DWORDS), (Z, C::DWORDS)]) };
    if s.in_lanes & used == used {
        in_lanes::<X, Y, Z, A, B, C>(w, s)
    } else {
        staged::<X, Y, Z, A, B, C>(w, s)
    }
}

/// Slow path of [`sources`]: at least one of them is not in vector registers or has a sign modifier.
#[inline(never)]
fn staged<'a, const X: usize, const Y: usize, const Z: usize, A: Lane, B: Lane, C: Lane>(
    w: &'a mut Wave,
    s: &Step,
) -> SourceOperands<'a> {
    stage::<X, A>(w, s);
    stage::<Y, B>(w, s);
    stage::<Z, C>(w, s);
    (
        staged_or_register::<X, A>(w, s),
        staged_or_register::<Y, B>(w, s),
        staged_or_register::<Z, C>(w, s),
    )
}

/// Copies the source at a place to its staging row if it is not in vector registers or has a sign modifier. The row
/// keeps the unmodified source too, since it may be read again, and has a separate dword for the modified one.
#[inline(always)]
fn stage<const PLACE: usize, T: Lane>(w: &mut Wave, s: &Step) {
    if T::DWORDS == 0 {
        return;
    }
    let (registers, scalars, mut staged) = w.split_for_sources();
    let Some([low, high, changed]) = staged.source(PLACE) else {
        return;
    };
    let is_signed = is_signed::<PLACE, T>(s);
    if let Arg::Vgpr(first) = s.args[PLACE] {
        if !is_signed {
            return;
        }
        let [first, second] = registers_from::<T>(registers, first);
        *low = *first;
        if T::DWORDS > 1 {
            *high = *second;
        }
    } else if let Some([first, second]) = same::<T>(scalars, s.args[PLACE]) {
        *low = Lanes::splat(first);
        if T::DWORDS > 1 {
            *high = Lanes::splat(second);
        }
    }
    if is_signed {
        let [keep, flip] = *sign_bits::<PLACE, T>(s);
        let last = if T::DWORDS > 1 { high } else { low };
        for (to, from) in changed.0.iter_mut().zip(&last.0) {
            *to = from & keep ^ flip;
        }
    }
}

/// Returns the source at a place that [`stage`] has prepared.
#[inline(always)]
fn staged_or_register<'a, const PLACE: usize, T: Lane>(w: &'a Wave, s: &Step) -> SourceLanes<'a> {
    if T::DWORDS > 0 && is_signed::<PLACE, T>(s) {
        let changed = w.vgprs.changed(PLACE);
        let low = w.vgprs.dword(RegisterRow::staged(PLACE), 0);
        [if T::DWORDS > 1 { low } else { changed }, changed]
    } else {
        source_in_lanes::<PLACE, T>(w, s)
    }
}

/// True if the source at a place has a sign modifier.
#[inline(always)]
fn is_signed<const PLACE: usize, T: Lane>(s: &Step) -> bool {
    T::SIGN != 0 && s.signs[PLACE] != Sign::Kept
}

pub(super) type SourceOperands<'a> = (SourceLanes<'a>, SourceLanes<'a>, SourceLanes<'a>);

/// Returns the sources at the given operand indexes, each in vector registers or its staging row.
#[inline(always)]
pub(super) fn in_lanes<
    'a,
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
>(
    w: &'a Wave,
    s: &Step,
) -> SourceOperands<'a> {
    (
        source_in_lanes::<X, A>(w, s),
        source_in_lanes::<Y, B>(w, s),
        source_in_lanes::<Z, C>(w, s),
    )
}

/// Returns the masks of the sign modifier of the source at a place, from a table. Computing them would need more host
/// registers, which an operation would have to save even for sources without sign modifiers.
#[inline(always)]
fn sign_bits<const PLACE: usize, T: Lane>(s: &Step) -> &'static SignBits {
    let all = const { &Sign::all(T::SIGN) };
    &all[s.signs[PLACE] as usize]
}

/// Returns the dwords of the source at a place, with its sign modifier applied, if it is uniform and all other sources
/// are in lanes.
#[inline(always)]
pub(super) fn only_same<const PLACE: usize, T: Lane>(w: &Wave, s: &Step) -> Option<Same> {
    if usize::from(s.only_same) != PLACE {
        return None;
    }
    let [keep, flip] = *sign_bits::<PLACE, T>(s);
    let mut dwords = same::<T>(w.scalars(), s.args[PLACE])?;
    if T::DWORDS > 0 {
        let last = &mut dwords[T::DWORDS - 1];
        *last = *last & keep ^ flip;
    }
    Some(dwords)
}

/// Returns the dwords of a source that is a constant or in scalar registers; `None` for other sources.
#[inline(always)]
pub(super) fn same<T: Lane>(scalars: &Scalars, arg: Arg) -> Option<Same> {
    match arg {
        Arg::Const(bits) => Some([bits as u32, (bits >> u32::BITS) as u32]),
        Arg::Scalar(code) => {
            let dword = |n: usize| scalars[(usize::from(code) + n) % SCALARS];
            Some([dword(0), dword(T::DWORDS.saturating_sub(1))])
        }
        Arg::None | Arg::Vgpr(_) | Arg::Special(_) | Arg::Imm(_) => None,
    }
}

/// Returns the bit set of the places of operands that have dwords.
pub(super) const fn used(operands: &[(usize, usize); 3]) -> u8 {
    let (mut set, mut n) = (0, 0);
    while n < operands.len() {
        let (place, dwords) = operands[n];
        if dwords > 0 {
            set |= 1 << place;
        }
        n += 1;
    }
    set
}

/// Writes the destination in the active lanes. Returns the active lanes whose bit in `bits` is set.
#[inline(always)]
pub(super) fn write<R: Lane>(
    w: &mut Wave,
    s: &Step,
    ([low, high], bits): ([Lanes; 2], u64),
) -> u64 {
    let exec = w.exec();
    if R::DWORDS == 0 {
        return bits & exec;
    }
    if exec == u64::MAX && !(R::BITS == u16::BITS && s.keeps_high) {
        if let Some(register) = w.vgprs.dword_mut(s.rows[RESULT], 0) {
            *register = low;
        }
        if R::DWORDS > 1
            && let Some(register) = w.vgprs.dword_mut(s.rows[RESULT], 1)
        {
            *register = high;
        }
    } else {
        // Results go to memory only on this path, so that the fast path needs no stack frame, whose setup takes time.
        let Wave { vgprs, staging, .. } = &mut *w;
        staging.results[0] = low;
        if R::DWORDS > 1 {
            staging.results[1] = high;
        } else if R::BITS == u32::BITS
            && let Some(register) = vgprs.dword_mut(s.rows[RESULT], 0)
            && register.blend_by_masks(&staging.results[0], exec)
        {
            return bits & exec;
        }
        write_part(w, s, R::DWORDS, R::BITS == u16::BITS);
    }
    bits & exec
}

at_each_level! {
/// Writes the one or two dwords of the staged results in the active lanes.
fn write_part(w: &mut Wave, s: &Step, dwords: usize, is_short: bool) {
    let exec = w.exec();
    let [low, high] = &mut w.staging.results;
    if let Some(register) = w.vgprs.dword_mut(s.rows[RESULT], 0) {
        if is_short && s.keeps_high {
            for (new, old) in low.0.iter_mut().zip(&register.0) {
                *new |= old & !u32::from(u16::MAX);
            }
        }
        register.blend_in_memory(low, exec);
    }
    if dwords > 1
        && let Some(register) = w.vgprs.dword_mut(s.rows[RESULT], 1)
    {
        register.blend_in_memory(high, exec);
    }
}
}

/// Positions of an operation's three sources among an instruction's operands.
#[derive(Clone, Copy)]
pub(super) struct Positions<const X: usize, const Y: usize, const Z: usize>;

/// Returns a source in vector registers or its staging row.
#[inline(always)]
fn source_in_lanes<'a, const PLACE: usize, T: Lane>(w: &'a Wave, s: &Step) -> SourceLanes<'a> {
    if T::DWORDS == 0 {
        return [&NOTHING; 2];
    }
    let row = s.rows[PLACE];
    let last = w.vgprs.dword(row, T::DWORDS.saturating_sub(1));
    [w.vgprs.dword(row, 0), last]
}

/// Returns the registers of a value that starts at register `first`.
#[inline(always)]
fn registers_from<T: Lane>(registers: &[Lanes], first: u8) -> SourceLanes<'_> {
    let register = |n: usize| registers.get(usize::from(first) + n).unwrap_or(&NOTHING);
    [register(0), register(T::DWORDS.saturating_sub(1))]
}
