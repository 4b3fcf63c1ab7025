//! Modifiers of vector instructions: absolute value, negation, half and sub-dword selection, cross-lane reads, output
//! multipliers and clamps.
//!
//! [`Decoded`](crate::step::Decoded) holds the modifiers ([`crate::step::modifiers`]). Sign modifiers, the most
//! frequent ones, are applied as sources are fetched. A wrapper around the operation's handler ([`Modified`]) does the
//! rest: it stages modified sources in rows from which the operation reads them, and changes the result in place. The
//! operation's own handler is unaware of modifiers.

use std::hint::select_unpredictable as select;

use gcn_isa::Ty;

use super::env::Env;
use super::exact;
use super::float::{F16, Float};
use super::{operands, scalar_operand};
use crate::lanes::{HalfFloat, LANES, Lanes, NOTHING, at_each_level, widened};
use crate::step::modifiers::{HALF_BITS, ResultChange, SourceChange, SourcePart, bits, halves};
use crate::step::{
    Arg, Around, Handler, MAX_ARGS, Modified, ResultPart, Splats, StagedSource, Step, Unused,
};
use crate::wave::Wave;

/// Adds operand locations and modifiers to the step of a vector instruction, which already has the operation's
/// handler. A source that is neither a register nor a constant is staged in one of the wave's rows.
pub fn prepare(step: &mut Step) {
    let mut args = step.args;
    let mut staged = Vec::new();
    for (place, source) in step.sources() {
        let is_special = matches!(source.arg, Arg::Special(_));
        let is_crossed = source.cross_lane.is_some();
        if source.change == SourceChange::default() && !is_crossed && !is_special {
            continue;
        }
        if !is_special {
            args[place] = Arg::None;
        }
        staged.push(StagedSource {
            place,
            is_wide: source.is_wide,
            is_crossed,
            change: source.change,
        });
    }
    let result = step.result().filter(|_| !step.keeps_high);
    let (mut operation, splats) = step.with_operands(args);
    if splats.places != 0 {
        operation.around = Some(Box::new(Around::Splats(splats, operation.handler)));
        operation.handler = splatting_handler();
    }
    if staged.is_empty() && result.is_none() {
        *step = operation;
        return;
    }
    step.around = Some(Box::new(Around::Modifiers(Modified {
        operation,
        staged: staged.into(),
        result,
    })));
    step.handler = handler();
}

impl Modified {
    /// Returns the same modifiers with other registers in the operation.
    pub(super) fn with_registers(&self, args: [Arg; MAX_ARGS]) -> Modified {
        Modified {
            operation: self.operation.with_registers(args),
            staged: self.staged.clone(),
            ..*self
        }
    }

    /// Stages the modified sources in their rows. Returns the mask of lanes that receive the result.
    #[inline(always)]
    fn stage(&self, w: &mut Wave, s: &Step) -> u64 {
        let exec = w.exec();
        let found = match s.cross_lane() {
            Some(cross_lane) => cross_lane.finding(exec),
            None => u64::MAX,
        };
        let env = Env::of::<F16>(w.mode);
        for source in &self.staged {
            let arg = s.args[source.place];
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
            let Some([low, high, _]) = staged.source(source.place) else {
                continue;
            };
            let change = &source.change;
            match s.cross_lane() {
                _ if source.is_wide => (*low, *high) = (*from_low, *from_high),
                Some(cross_lane) if source.is_crossed => {
                    apply(change, env, &cross_lane.read(from_low, found), low);
                }
                _ => apply(change, env, from_low, low),
            }
        }
        match s.cross_lane() {
            Some(cross_lane) => cross_lane.written(exec, found),
            None => exec,
        }
    }

    /// Modifies the operation's result in the lanes of `exec`. Other lanes are restored from the wave's staging memory.
    #[inline(always)]
    fn finish(&self, w: &mut Wave, outcome: &ResultChange, exec: u64) {
        let mode = w.mode;
        let Some((registers, olds)) = result(w, self, outcome) else {
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
                // These types have no output multiplier, and integer operations implement clamping themselves.
                Ty::F16x2 | Ty::I16x2 => {}
                Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64 | Ty::B96 | Ty::B128 | Ty::B256 | Ty::B512 => {
                }
                Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64 | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => {}
            }
        }
        for (register, old) in registers.iter_mut().zip(olds) {
            if let Some(part) = outcome.part {
                put_part(part, register, old);
            }
            if exec != u64::MAX {
                register.blend(old, !exec);
            }
        }
    }
}

/// Moves the low bits of each lane to the selected part. The other bits are preserved, cleared or copies of the sign.
#[inline(always)]
fn put_part(part: ResultPart, register: &mut Lanes, old: &Lanes) {
    let ResultPart { selection, unused } = part;
    let (top, low) = (selection.top(), selection.low());
    let kept = match unused {
        Unused::Pad | Unused::Sext => 0,
        Unused::Preserve => !selection.mask(),
    };
    for (new, old) in register.0.iter_mut().zip(&old.0) {
        let part = bits(*new, top, top, unused == Unused::Sext);
        *new = old & kept | part << low;
    }
}

/// Returns the registers that an instruction writes, and the staging memory for their old values.
#[inline(always)]
fn result<'a>(
    w: &'a mut Wave,
    modified: &Modified,
    outcome: &ResultChange,
) -> Option<(&'a mut [Lanes], &'a mut [Lanes])> {
    let Arg::Vgpr(first) = modified.operation.args[0] else {
        return None;
    };
    let (first, dwords) = (usize::from(first), usize::from(outcome.dwords));
    let registers = w.vgprs.get_mut(first..first + dwords)?;
    Some((registers, &mut w.staging.old[..dwords]))
}

impl Splats {
    /// Copies the uniform sources to their staging rows.
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
/// Returns a handler that copies uniform sources to their staging rows and executes the operation.
fn splatting_handler() -> Handler {
    |w, s| {
        if let Some(Around::Splats(splats, operation)) = s.around.as_deref() {
            splats.put(w, s);
            operation(w, s);
        }
    }
}

/// Returns the handler of instructions with modifiers.
fn handler() -> Handler {
    |w, s| {
        let Some(Around::Modifiers(modified)) = s.around.as_deref() else {
            return;
        };
        let operation = &modified.operation;
        let exec = w.exec();
        let lanes = modified.stage(w, s);
        let is_crossed = s.cross_lane().is_some();
        if is_crossed {
            w.set_exec(lanes);
        }
        if let Some(outcome) = &modified.result
            && (outcome.part.is_some() || lanes != u64::MAX)
            && let Some((registers, olds)) = result(w, modified, outcome)
        {
            olds.copy_from_slice(registers);
        }
        (operation.handler)(w, operation);
        if let Some(outcome) = &modified.result {
            modified.finish(w, outcome, lanes);
        }
        if is_crossed {
            w.set_exec(exec);
        }
    }
}
}

/// Modifies a source's dwords. `env` determines the denormal handling of widened halves.
#[inline(always)]
fn apply(change: &SourceChange, env: Env, from: &Lanes, to: &mut Lanes) {
    let flip = change.flip;
    match change.part {
        SourcePart::Whole => each_of(from, to, |dword| dword ^ flip),
        SourcePart::Bits { up, down, extends } if extends => {
            each_of(from, to, |dword| bits(dword, up, down, true) ^ flip);
        }
        SourcePart::Bits { up, down, .. } => {
            each_of(from, to, |dword| bits(dword, up, down, false) ^ flip);
        }
        SourcePart::Halves { low, high } => {
            each_of(from, to, |dword| halves(dword, low, high) ^ flip);
        }
        SourcePart::Widened { up, flushes } => {
            let env = if flushes { Env::FLUSHING } else { env };
            each_of(&widened(*from, up), to, |dword| {
                let half = HalfFloat::<0>(f32::from_bits(dword));
                env.input(half).0.to_bits()
            })
        }
    }
}

/// Computes each lane from the same lane of another register.
#[inline(always)]
fn each_of(from: &Lanes, to: &mut Lanes, f: impl Fn(u32) -> u32) {
    for (to, from) in to.0.iter_mut().zip(&from.0) {
        *to = f(*from);
    }
}

/// Changes each lane in place.
#[inline(always)]
fn each(lanes: &mut [u32; LANES], f: impl Fn(u32) -> u32) {
    for dword in lanes {
        *dword = f(*dword);
    }
}

/// MODE: clamping turns NaNs into 0.
const DX10_CLAMP: u32 = 1 << 8;

#[inline(always)]
fn dx10_clamp(mode: u32) -> bool {
    mode & DX10_CLAMP != 0
}

/// Applies the output multiplier, then the clamp. The multiplier takes effect only if denormal results are flushed and
/// IEEE rules are off. Zeros and denormals become +0, but a result that halving makes denormal becomes a zero of the
/// same sign (errata E191).
#[inline(always)]
fn finish_float<F: Float>(mode: u32, outcome: &ResultChange, result: &mut [Lanes]) {
    let env = Env::of::<F>(mode);
    let nan_is_zero = dx10_clamp(mode);
    let power = i32::from(outcome.factor);
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

/// Changes each lane's value in place, in one or two registers.
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
