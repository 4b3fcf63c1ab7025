//! Operands of vector instructions: sources are read in place; those that are no vector registers, or that `modifiers` has
//! changed, from the wave's staging. Results are written under EXEC.

use crate::lanes::{Lane, Lanes, NOTHING, Same, Sign, SignBits, Signed, SourceLanes};
use crate::step::{Arg, MAX_ARGS, Step};
use crate::wave::{SCALARS, Scalars, Wave};

/// The sources at the places, with their signs.
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
) -> Sources<'a> {
    // What most instructions have is looked for once, ahead of the rest.
    let used = const { used(&[(X, A::DWORDS), (Y, B::DWORDS), (Z, C::DWORDS)]) };
    if s.in_registers & used == used {
        registers::<X, Y, Z, A, B, C>(w, s)
    } else {
        staged::<X, Y, Z, A, B, C>(w, s)
    }
}

/// [`sources`] of which one at least is in no vector register or has something done to its sign.
#[inline(never)]
fn staged<'a, const X: usize, const Y: usize, const Z: usize, A: Lane, B: Lane, C: Lane>(
    w: &'a mut Wave,
    s: &Step,
) -> Sources<'a> {
    let (registers, scalars, staging) = w.split_for_sources();
    let [a, b, c] = &mut staging.sources;
    if s.signs == const { [Sign::Kept; MAX_ARGS] } {
        (
            source::<A>(registers, scalars, s.args[X], a),
            source::<B>(registers, scalars, s.args[Y], b),
            source::<C>(registers, scalars, s.args[Z], c),
        )
    } else {
        (
            with_sign::<X, A>(s, registers, scalars, a),
            with_sign::<Y, B>(s, registers, scalars, b),
            with_sign::<Z, C>(s, registers, scalars, c),
        )
    }
}

pub(super) type Sources<'a> = (SourceLanes<'a>, SourceLanes<'a>, SourceLanes<'a>);

/// The sources at the places, those that are in vector registers and whose signs are left alone.
#[inline(always)]
pub(super) fn registers<
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
) -> Sources<'a> {
    (
        in_registers::<X, A>(w, s),
        in_registers::<Y, B>(w, s),
        in_registers::<Z, C>(w, s),
    )
}

/// The sources at the places, wherever they are, and what is done to their signs. Few instructions need it, and every
/// operation has it: it is not part of each.
#[inline(never)]
pub(super) fn anywhere<
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
) -> (Signed<'a>, Signed<'a>, Signed<'a>) {
    let (registers, scalars, staging) = w.split_for_sources();
    let [a, b, c] = &mut staging.sources;
    (
        signed::<X, A>(s, source::<A>(registers, scalars, s.args[X], a)),
        signed::<Y, B>(s, source::<B>(registers, scalars, s.args[Y], b)),
        signed::<Z, C>(s, source::<C>(registers, scalars, s.args[Z], c)),
    )
}

/// A source and what its place among the operands has for its signs.
#[inline(always)]
fn signed<'a, const PLACE: usize, T: Lane>(s: &Step, source: SourceLanes<'a>) -> Signed<'a> {
    let bits = sign_bits::<PLACE, T>(s);
    Signed { source, bits }
}

/// Sign modifier of the source at a place. It is read from a table: computing it takes enough of the host's
/// registers that an operation has to save some, whether or not its sources have anything done to their signs.
#[inline(always)]
fn sign_bits<const PLACE: usize, T: Lane>(s: &Step) -> &'static SignBits {
    let all = const { &Sign::all(T::SIGN) };
    &all[s.signs[PLACE] as usize]
}

/// The dwords of the source at a place, if it is the same in all lanes and the only one of those used that is not in vector
/// registers.
#[inline(always)]
pub(super) fn only_same<const PLACE: usize, T: Lane>(w: &Wave, s: &Step, used: u8) -> Option<Same> {
    if !s.in_registers & used != 1 << PLACE {
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

/// The dwords of a source that is a constant or in scalar registers.
#[inline(always)]
fn same<T: Lane>(scalars: &Scalars, arg: Arg) -> Option<Same> {
    match arg {
        Arg::Const(bits) => Some([bits as u32, (bits >> u32::BITS) as u32]),
        Arg::Scalar(code) => {
            let dword = |n: usize| scalars[(usize::from(code) + n) % SCALARS];
            Some([dword(0), dword(T::DWORDS.saturating_sub(1))])
        }
        Arg::None | Arg::Vgpr(_) | Arg::Special(_) | Arg::Imm(_) => None,
    }
}

/// The set of the places whose operands have registers.
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

/// Writes the destination in the active lanes. Returns those of them whose bit is set.
#[inline(always)]
pub(super) fn write<R: Lane>(
    w: &mut Wave,
    s: &Step,
    ([mut low, high], bits): ([Lanes; 2], u64),
) -> u64 {
    let exec = w.exec();
    if let Arg::Vgpr(first) = s.args[0] {
        let first = usize::from(first);
        if R::DWORDS > 0
            && let Some(register) = w.vgprs.get_mut(first)
        {
            if R::BITS == u16::BITS && s.keeps_high {
                for (new, old) in low.0.iter_mut().zip(&register.0) {
                    *new |= old & !u32::from(u16::MAX);
                }
            }
            register.blend(&low, exec);
        }
        if R::DWORDS > 1
            && let Some(register) = w.vgprs.get_mut(first + 1)
        {
            register.blend(&high, exec);
        }
    }
    bits & exec
}

/// Positions of an operation's three sources among an instruction's operands.
#[derive(Clone, Copy)]
pub(super) struct Positions<const X: usize, const Y: usize, const Z: usize>;

/// A source's registers, read in place. What is no vector register is put in every lane of `staging`, where a source that
/// has been changed is already.
#[inline(always)]
fn source<'a, T: Lane>(
    registers: &'a [Lanes],
    scalars: &Scalars,
    arg: Arg,
    staging: &'a mut [Lanes; 2],
) -> SourceLanes<'a> {
    if T::DWORDS == 0 {
        return [&NOTHING; 2];
    }
    if let Arg::Vgpr(first) = arg {
        return registers_from::<T>(registers, first);
    }
    if let Some([low, high]) = same::<T>(scalars, arg) {
        staging[0] = Lanes::splat(low);
        if T::DWORDS > 1 {
            staging[1] = Lanes::splat(high);
        }
    }
    [&staging[0], &staging[1]]
}

/// The source at a place, in a staging if it is in no vector registers or if anything is done to its signs. A source of one
/// dword stays in the staging as it was: it may be read again.
#[inline(always)]
fn with_sign<'a, const PLACE: usize, T: Lane>(
    s: &Step,
    registers: &'a [Lanes],
    scalars: &Scalars,
    staging: &'a mut [Lanes; 2],
) -> SourceLanes<'a> {
    if T::SIGN == 0 || s.signs[PLACE] == Sign::Kept {
        return source::<T>(registers, scalars, s.args[PLACE], staging);
    }
    if let Arg::Vgpr(first) = s.args[PLACE] {
        let [low, high] = registers_from::<T>(registers, first);
        *staging = [*low, *high];
    } else {
        source::<T>(registers, scalars, s.args[PLACE], staging);
    }
    let [keep, flip] = *sign_bits::<PLACE, T>(s);
    let [low, high] = staging;
    if T::DWORDS == 1 {
        *high = *low;
    }
    for dword in &mut high.0 {
        *dword = *dword & keep ^ flip;
    }
    if T::DWORDS == 1 {
        [high, high]
    } else {
        [low, high]
    }
}

/// A source that is in vector registers and whose sign is left alone.
#[inline(always)]
fn in_registers<'a, const PLACE: usize, T: Lane>(w: &'a Wave, s: &Step) -> SourceLanes<'a> {
    if T::DWORDS == 0 {
        return [&NOTHING; 2];
    }
    registers_from::<T>(&w.vgprs, s.registers[PLACE])
}

#[inline(always)]
fn registers_from<T: Lane>(registers: &[Lanes], first: u8) -> SourceLanes<'_> {
    let register = |n: usize| registers.get(usize::from(first) + n).unwrap_or(&NOTHING);
    [register(0), register(T::DWORDS.saturating_sub(1))]
}
