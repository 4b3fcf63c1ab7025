//! Modifiers of a vector instruction's encoding: absolute values and negations, halves, parts of
//! registers, other lanes, factors and clamps.
//!
//! Decoding works out the modifiers as shifts and masks that are the same for all lanes ([`crate::step::modifiers`]).
//! Signs, which most ask for, are taken off and turned over as sources are fetched. What else there is becomes an
//! instruction around the instruction ([`Modified`]): sources of which something is asked are changed into the wave's
//! rows for such, the operation is done with those, and what it has written is changed where it is. The operation's own handler
//! knows nothing of all this.

use std::hint::select_unpredictable as select;

use gcn_isa::effect::AluOp;
use gcn_isa::{Does, Field, Ty};

use super::env::Env;
use super::exact;
use super::float::{F16, Float};
use super::{operands, scalar_operand};
use crate::lanes::{HalfFloat, LANES, Lanes, NOTHING, at_each_level, widened};
use crate::step::modifiers::{
    Asked, Change, DWORD, HALF_BITS, How, LOW, ResultChange, Taken, source_number,
};
use crate::step::{
    Arg, Around, CrossLane, Handler, MAX_ARGS, Modified, Placed, Splats, Step, SubDword,
};
use crate::wave::Wave;

/// The number of the source that DPP reads from other lanes.
const CROSSED: usize = 0;

/// Makes a vector instruction do what its encoding asks beyond its operation: VOP3, VOP3P, SDWA and DPP may ask something.
/// A source that is neither register nor constant becomes one in the wave's rows for such.
pub fn apply(step: &mut Step) {
    let inst = step.inst;
    let asked = Asked::of(&inst);
    let cross_lane = CrossLane::of(&inst);
    let sub_dword = SubDword::of(&inst);
    // Packed instructions whose sources are not packed mix precisions.
    let is_mixed = inst.layout().has(Field::OpSelHi)
        && (inst.row().slots()).any(|slot| slot.field == Field::Src0 && slot.ty == Ty::F32);
    step.signs = asked.signs(&inst, is_mixed);
    let mut args = step.args;
    let mut changes = Vec::new();
    for ((place, slot), arg) in inst.row().slots().enumerate().zip(&mut args) {
        let Some(number) = source_number(slot.field) else {
            continue;
        };
        let change = Change {
            place,
            number,
            is_wide: slot.ty.bytes() > DWORD,
            how: match sub_dword.and_then(|parts| parts.source(slot.field)) {
                _ if is_mixed => {
                    // A product is rounded, and flushed, before it is added to (errata E195).
                    let is_unfused = matches!(inst.does(), Does::Alu(AluOp::Mix(AluOp::MulAdd, _)));
                    asked.of_mixed(place, is_unfused)
                }
                part => asked.of_source(place, slot, part),
            },
        };
        let reads_others = number == CROSSED && cross_lane.is_some();
        let is_other = matches!(arg, Arg::Special(_));
        if change.how == How::default() && !reads_others && !is_other {
            continue;
        }
        if let Arg::Const(bits) = arg
            && let Some(changed) = change.how.of_constant(*bits)
        {
            *arg = Arg::Const(changed);
            continue;
        }
        if !is_other {
            *arg = Arg::None;
        }
        changes.push(change);
    }
    let mut result = ResultChange::of(&inst, asked.high & 1 != 0);
    if result.only_merges() && cross_lane.is_none() {
        result.part = None;
        step.keeps_high = true;
    }
    let (mut operation, splats) = step.with(args);
    if splats.places != 0 {
        operation.around = Some(Box::new(Around::Splats(splats, operation.handler)));
        operation.handler = splatting_handler();
    }
    if changes.is_empty() && result.is_nothing() {
        *step = operation;
        return;
    }
    step.around = Some(Box::new(Around::Modifiers(Modified {
        operation,
        changes: changes.into(),
        cross_lane,
        result,
    })));
    step.handler = handler();
}

impl Modified {
    /// The same of an operation with other registers.
    pub(super) fn with_registers(&self, args: [Arg; MAX_ARGS]) -> Modified {
        Modified {
            operation: self.operation.with_registers(args),
            changes: self.changes.clone(),
            cross_lane: self.cross_lane.clone(),
            ..*self
        }
    }

    /// Puts the changed sources in their rows. Returns the lanes that the result is for.
    #[inline(always)]
    fn change(&self, w: &mut Wave, s: &Step) -> u64 {
        let exec = w.exec();
        let found = match &self.cross_lane {
            Some(cross_lane) => cross_lane.finding(exec),
            None => u64::MAX,
        };
        let halves = Env::of::<F16>(w.mode);
        for change in &self.changes {
            let arg = s.args[change.place];
            let bits: u64 = scalar_operand::read(w, arg);
            let (registers, _, mut staged) = w.split_for_sources();
            let splat;
            let [from_low, from_high] = if let Arg::Vgpr(first) = arg {
                let first = usize::from(first);
                [first, first + 1].map(|n| registers.get(n).unwrap_or(&NOTHING))
            } else {
                splat = [bits, bits >> u32::BITS].map(|dword| Lanes::splat(dword as u32));
                [&splat[0], &splat[1]]
            };
            let Some([low, high, _]) = staged.source(change.place) else {
                continue;
            };
            match &self.cross_lane {
                _ if change.is_wide => (*low, *high) = (*from_low, *from_high),
                Some(cross_lane) if change.number == CROSSED => {
                    change
                        .how
                        .apply(halves, &cross_lane.read(from_low, found), low);
                }
                _ => change.how.apply(halves, from_low, low),
            }
        }
        match &self.cross_lane {
            Some(cross_lane) => cross_lane.written(exec, found),
            None => exec,
        }
    }

    /// Changes what the operation has written in the lanes of `exec`; the others' is what was there, which the wave's
    /// staging has.
    #[inline(always)]
    fn finish(&self, w: &mut Wave, exec: u64) {
        let outcome = &self.result;
        let mode = w.mode;
        let Some((registers, olds)) = result(w, self) else {
            return;
        };
        if outcome.clamp || outcome.factor != 0 {
            match outcome.ty {
                Ty::F32 => finish_float::<f32>(mode, outcome, registers),
                Ty::F64 => finish_float::<f64>(mode, outcome, registers),
                Ty::F16 => finish_float::<F16>(mode, outcome, registers),
                Ty::F16x2 if outcome.clamp => {
                    let nan_is_zero = dx10_clamp(mode);
                    let half = |bits| F16(bits).clamped(nan_is_zero).0;
                    each(&mut registers[0].0, |lane| {
                        u32::from(half(lane as u16))
                            | u32::from(half((lane >> HALF_BITS) as u16)) << HALF_BITS
                    });
                }
                // Integers have no factor, and their operations clamp by themselves.
                Ty::F16x2 | Ty::I16x2 => {}
                Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64 | Ty::B96 | Ty::B128 | Ty::B256 | Ty::B512 => {
                }
                Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64 | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => {}
            }
        }
        for (register, old) in registers.iter_mut().zip(olds) {
            if let Some(Placed {
                top,
                extends,
                low,
                keep,
            }) = outcome.part
            {
                for (new, old) in register.0.iter_mut().zip(&old.0) {
                    let part = *new << top;
                    let part = if extends {
                        (part as i32 >> top) as u32
                    } else {
                        part >> top
                    };
                    *new = old & keep | part << low;
                }
            }
            if exec != u64::MAX {
                register.blend(old, !exec);
            }
        }
    }
}

/// Registers that an instruction writes, and the staging for what they had before.
#[inline(always)]
fn result<'a>(w: &'a mut Wave, modified: &Modified) -> Option<(&'a mut [Lanes], &'a mut [Lanes])> {
    let Arg::Vgpr(first) = modified.operation.args[0] else {
        return None;
    };
    let (first, dwords) = (usize::from(first), modified.result.dwords);
    let registers = w.vgprs.get_mut(first..first + dwords)?;
    Some((registers, &mut w.staging.old[..dwords]))
}

impl Splats {
    /// Puts the sources into their rows.
    #[inline(always)]
    fn put(self, w: &mut Wave, s: &Step) {
        let mut places = self.places;
        while places != 0 {
            let place = places.trailing_zeros() as usize;
            places &= places - 1;
            let (_, scalars, mut staged) = w.split_for_sources();
            let (Some(arg), Some([low, high, _])) = (s.args.get(place), staged.source(place))
            else {
                continue;
            };
            if let Some([first, second]) = operands::same::<u64>(scalars, *arg) {
                *low = Lanes::splat(first);
                if self.wide >> place & 1 != 0 {
                    *high = Lanes::splat(second);
                }
            }
        }
    }
}

at_each_level! {
/// The handler of an operation of which sources that are the same in all lanes are put into their rows before.
fn splatting_handler() -> Handler {
    |w, s| {
        if let Some(Around::Splats(splats, operation)) = s.around.as_deref() {
            splats.put(w, s);
            operation(w, s);
        }
    }
}

/// The handler of a modified instruction.
fn handler() -> Handler {
    |w, s| {
        let Some(Around::Modifiers(modified)) = s.around.as_deref() else {
            return;
        };
        let operation = &modified.operation;
        let exec = w.exec();
        let lanes = modified.change(w, s);
        if modified.cross_lane.is_some() {
            w.set_exec(lanes);
        }
        let finishes = !modified.result.is_nothing();
        if finishes
            && (modified.result.part.is_some() || lanes != u64::MAX)
            && let Some((registers, olds)) = result(w, modified)
        {
            olds.copy_from_slice(registers);
        }
        (operation.handler)(w, operation);
        if finishes {
            modified.finish(w, lanes);
        }
        if modified.cross_lane.is_some() {
            w.set_exec(exec);
        }
    }
}
}

impl How {
    /// A constant source changed; nothing if that needs MODE.
    fn of_constant(&self, bits: u64) -> Option<u64> {
        if matches!(self.taken, Taken::Widened { .. }) {
            return None;
        }
        let mut changed = Lanes::ZERO;
        self.apply(Env::KEEPING, &Lanes::splat(bits as u32), &mut changed);
        Some(changed.0[0].into())
    }

    /// Changes a source's dwords; halves to be widened have the denormals that `halves` says.
    #[inline(always)]
    fn apply(&self, halves: Env, from: &Lanes, to: &mut Lanes) {
        let flip = self.flip;
        match self.taken {
            Taken::Whole => each_of(from, to, |dword| dword ^ flip),
            Taken::Part { up, down, extends } if extends => each_of(from, to, |dword| {
                ((dword << up) as i32 >> down) as u32 ^ flip
            }),
            Taken::Part { up, down, .. } => {
                each_of(from, to, |dword| dword << up >> down ^ flip);
            }
            Taken::Halves { low, high } => each_of(from, to, |dword| {
                (dword >> low & LOW | (dword >> high) << HALF_BITS) ^ flip
            }),
            Taken::Widened { up, flushes } => {
                let halves = if flushes { Env::FLUSHING } else { halves };
                each_of(&widened(*from, up), to, |dword| {
                    let half = HalfFloat::<0>(f32::from_bits(dword));
                    halves.input(half).0.to_bits()
                })
            }
        }
    }
}

/// Makes lanes of others.
#[inline(always)]
fn each_of(from: &Lanes, to: &mut Lanes, f: impl Fn(u32) -> u32) {
    for (to, from) in to.0.iter_mut().zip(&from.0) {
        *to = f(*from);
    }
}

/// Changes each lane.
#[inline(always)]
fn each(lanes: &mut [u32; LANES], f: impl Fn(u32) -> u32) {
    for dword in lanes {
        *dword = f(*dword);
    }
}

/// MODE: clamping makes 0 of NaN.
const DX10_CLAMP: u32 = 1 << 8;

#[inline(always)]
fn dx10_clamp(mode: u32) -> bool {
    mode & DX10_CLAMP != 0
}

/// The output factor, then the clamp. The factor counts only where denormal results are flushed and IEEE rules are off; zeros
/// and denormals lose their sign, but not what halving brings below the least normal number (errata E191).
#[inline(always)]
fn finish_float<F: Float>(mode: u32, outcome: &ResultChange, result: &mut [Lanes]) {
    let env = Env::of::<F>(mode);
    let nan_is_zero = dx10_clamp(mode);
    let power = outcome.factor;
    if power != 0 && env.takes_factor(mode) {
        let normal: u64 = 1 << F::FRACTION;
        let least = if power < 0 { normal << 1 } else { normal };
        let finished = |value: F, product: F| {
            let magnitude = value.magnitude();
            let small = F::signed(0, value.negative() & (magnitude >= normal));
            let product = select(magnitude < least, small, product);
            select(value.is_any_nan(), value, product)
        };
        if env.is_nearest() {
            let factor = F::power_of_two(power);
            values(result, |value: F| finished(value, value.times(factor)));
        } else {
            values(result, |value: F| {
                finished(value, exact::ldexp(env, value, power))
            });
        }
    }
    if outcome.clamp {
        values(result, |value: F| value.clamped(nan_is_zero));
    }
}

/// Changes each lane's value, of one register or two.
#[inline(always)]
fn values<F: Float>(registers: &mut [Lanes], f: impl Fn(F) -> F) {
    match registers {
        [low] => each(&mut low.0, |dword| f(F::join(dword, 0)).split()[0]),
        [low, high] => {
            for (low, high) in low.0.iter_mut().zip(&mut high.0) {
                [*low, *high] = f(F::join(*low, *high)).split();
            }
        }
        _ => {}
    }
}
