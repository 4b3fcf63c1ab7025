//! Exceptional arithmetic results: divisions by zero, NaNs computed from numbers, and conversions of out-of-range
//! numbers to integers.
//!
//! Compilers compute such values speculatively, in lanes and on paths that do not need them, and discard them with a
//! select. Moves, selects and arithmetic therefore propagate the origin of an exceptional value, and the checker reports
//! the value when it is used: a floating-point value by a store or atomic outside scratch, an integer by any operation
//! except a move or select.

mod facts;
mod values;
mod origins;

use std::sync::Arc;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{
    Context, Events, Instruction, MemoryEvent, Observer, Phase, Verdict, WaveEnd, WaveObserver,
};

use crate::by_step::ByStep;
use crate::filter::lanes;
use crate::finding::{Finding, FindingKey, FindingPlace, Findings, Kind, Side};
use crate::integer_range::IntegerRange;
use crate::scratch::scratch_place;
use crate::waves::Waves;

use facts::{ArithFacts, FloatSource, OperandException};
use origins::{ExceptionCause, ExceptionId, ExceptionShadow, Exceptions};
use values::{FloatBits, exponent_register};

pub(super) struct Arith {
    findings: Arc<Findings>,
}

impl Arith {
    pub(super) fn new(findings: Arc<Findings>) -> Arith {
        Arith { findings }
    }
}

impl Observer for Arith {
    fn wants(&self) -> Events {
        Events::WAVE | Events::ISSUE | Events::COMPLETE | Events::ACCESS | Events::ACCESSED
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(ArithWatch {
            findings: self.findings.clone(),
            facts: ByStep::default(),
            origins: Exceptions::default(),
            waves: Waves::default(),
            issued: IssuedSources::default(),
        }))
    }
}

/// An exceptional source value.
struct SpecialSource {
    lane: usize,
    bits: u32,
    origin: ExceptionId,
}

/// Sources of the instruction being executed, saved because its result may overwrite them.
#[derive(Default)]
struct IssuedSources {
    /// Lanes in which a source is a NaN.
    nan: u64,
    /// Lanes in which the operation itself causes an exception.
    exceptional: u64,
    sources: Vec<SpecialSource>,
}

/// Checker for the waves of one thread.
struct ArithWatch {
    findings: Arc<Findings>,
    facts: ByStep<Arc<ArithFacts>>,
    origins: Exceptions,
    waves: Waves<ExceptionShadow>,
    issued: IssuedSources,
}

/// Mask of all bits except the sign.
const MAGNITUDE: u32 = u32::MAX >> 1;

impl ArithWatch {
    fn facts(&mut self, instruction: &Instruction<'_>) -> Arc<ArithFacts> {
        let make = |step: &_| Arc::new(ArithFacts::of(step));
        self.facts.of(instruction.step, make).clone()
    }

    /// Reports the use of an exceptional value.
    fn report(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        (origin, lane): (ExceptionId, usize),
        use_of: &str,
    ) {
        let made = self.origins.made(origin);
        let (kind, message, label) = match made.cause {
            ExceptionCause::Division | ExceptionCause::Quotient => (
                Kind::DivideByZero,
                "divides by zero".to_owned(),
                "divides by zero",
            ),
            ExceptionCause::Nan => (
                Kind::NanProduced,
                "produces a NaN from operands that are not NaN".to_owned(),
                "makes a NaN",
            ),
            ExceptionCause::Conversion(range) => {
                let converted = &self.waves.get(context.id()).converted;
                let number = converted.get(&(made.pc, lane)).map(|it| it.text());
                let message = match number {
                    Some(number) => {
                        format!("converts {number}, which is out of the range of {range}")
                    }
                    None => format!("converts a number out of the range of {range}"),
                };
                (Kind::FloatToIntOverflow, message, "converts it")
            }
        };
        let id = context.id();
        let key = FindingKey::at(kind, made.pc);
        self.findings.report(key, Some(id), || {
            let place = FindingPlace::new(made.pc, &made.inst, Some(id)).lane(lane);
            let mut finding = Finding::at(kind, place, message).in_dispatch(context.dispatched);
            finding.label = label.to_owned();
            finding.sides.push(Side {
                label: use_of.to_owned(),
                place: Some(FindingPlace::of(context, instruction).lane(lane)),
            });
            finding
        });
    }

    /// Reports uses of exceptional integers, and records the exceptional sources and lanes of the operation.
    fn look_at_sources(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let facts = self.facts(instruction);
        let exec = instruction.exec;
        self.issued.sources.clear();
        (self.issued.nan, self.issued.exceptional) = (0, 0);
        if !self.waves.get(context.id()).is_empty() {
            self.exceptional_sources(context, instruction, &facts);
        }
        for &it in &facts.sources {
            for lane in lanes(exec & !self.issued.nan) {
                let is_nan = FloatBits::of(context, instruction, it, lane).is_nan();
                self.issued.nan |= u64::from(is_nan) << lane;
            }
        }
        let denominator = match (facts.exception, &facts.sources[..]) {
            (Some(OperandException::Division), [denominator, ..]) => denominator,
            (Some(OperandException::Conversion(range)), [source]) => {
                let shadow = self.waves.get(context.id());
                for lane in lanes(exec) {
                    let value = FloatBits::of(context, instruction, *source, lane);
                    let number = value.number();
                    // Math functions also convert NaN arguments, and then select another result.
                    let is_out = !number.is_nan() && !range.holds(number);
                    self.issued.exceptional |= u64::from(is_out) << lane;
                    if is_out {
                        shadow.converted.insert((context.pc, lane), value);
                    }
                }
                return;
            }
            _ => return,
        };
        for lane in lanes(exec) {
            let is_zero = FloatBits::of(context, instruction, *denominator, lane).is_zero();
            self.issued.exceptional |= u64::from(is_zero) << lane;
        }
    }

    fn exceptional_sources(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        facts: &ArithFacts,
    ) {
        let exec = instruction.exec;
        let shadow = self.waves.get(context.id());
        let mut used: Vec<(ExceptionId, usize)> = Vec::new();
        for &register in &facts.vectors.read {
            let row = context.wave.vgpr(register);
            for lane in lanes(shadow.lanes(register) & exec) {
                let Some(origin) = shadow.get(register, lane) else {
                    continue;
                };
                let is_integer = self.origins.made(origin).cause.is_integer();
                if !is_integer || facts.moves {
                    let bits = row.0[lane];
                    let source = SpecialSource { lane, bits, origin };
                    self.issued.sources.push(source);
                    continue;
                }
                // The value is reported only once, and results computed from it are not reported.
                shadow.set(register, lane, None);
                if used.iter().all(|(other, _)| *other != origin) {
                    used.push((origin, lane));
                }
            }
        }
        for at in used {
            self.report(context, instruction, at, "the first use of the result");
        }
    }

    /// Records the origins of an instruction's result.
    fn look_at_result(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let facts = self.facts(instruction);
        let step = instruction.step;
        let plan = step.memory.as_deref();
        if plan.is_some_and(|plan| plan.does.intent().is_some()) {
            return;
        }
        let shadow = self.waves.get(context.id());
        for &register in &facts.vectors.written {
            shadow.clear(register, instruction.exec);
        }
        match (facts.exception, facts.result) {
            (Some(OperandException::Conversion(range)), _) => {
                self.converted(context, instruction, &facts, range);
            }
            (_, Some(result)) => self.computed(context, instruction, result),
            (_, None) => self.moved(context, &facts),
        }
    }

    /// Returns the origin of the first exceptional source in a lane.
    fn inherited(&self, lane: usize) -> Option<ExceptionId> {
        let mut sources = self.issued.sources.iter();
        sources.find(|it| it.lane == lane).map(|it| it.origin)
    }

    /// Records the origins of integers converted from out-of-range numbers.
    fn converted(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        facts: &ArithFacts,
        range: IntegerRange,
    ) {
        for lane in lanes(self.issued.exceptional) {
            let origin = match self.inherited(lane) {
                Some(origin) => self.origins.converted(origin),
                None => {
                    let cause = ExceptionCause::conversion(range);
                    Some(self.origins.of(cause, context.pc, &instruction.step.inst))
                }
            };
            for &register in &facts.vectors.written {
                self.waves.get(context.id()).set(register, lane, origin);
            }
        }
    }

    /// Records the origins of exceptional floating-point results.
    fn computed(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        result: FloatSource,
    ) {
        let Some(register) = exponent_register(instruction, result) else {
            return;
        };
        for lane in lanes(instruction.exec) {
            let value = FloatBits::of(context, instruction, result, lane);
            if !value.is_special() {
                continue;
            }
            let has = |mask: u64| mask >> lane & 1 != 0;
            let cause = if has(self.issued.exceptional) {
                Some(ExceptionCause::Division)
            } else if value.is_nan() && !has(self.issued.nan) {
                Some(ExceptionCause::Nan)
            } else {
                None
            };
            let inst = &instruction.step.inst;
            let made = cause.map(|cause| self.origins.of(cause, context.pc, inst));
            let origin = self.inherited(lane).or(made);
            self.waves.get(context.id()).set(register, lane, origin);
        }
    }

    /// Propagates origins through moves and selects, which may change the sign.
    fn moved(&mut self, context: &Context<'_>, facts: &ArithFacts) {
        let shadow = self.waves.get(context.id());
        for source in &self.issued.sources {
            let is_integer = self.origins.made(source.origin).cause.is_integer();
            let mask = if is_integer { u32::MAX } else { MAGNITUDE };
            for &register in &facts.vectors.written {
                let bits = context.wave.vgpr(register).0[source.lane];
                if bits & mask == source.bits & mask {
                    shadow.set(register, source.lane, Some(source.origin));
                }
            }
        }
    }

    /// Reports the exceptional values that a store or atomic writes, or records their origins if it writes to scratch.
    fn look_at_stores(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        let facts = self.facts(event.instruction);
        let shadow = self.waves.get(context.id());
        if shadow.is_empty() && shadow.scratch.is_empty() {
            return;
        }
        let mut stored: Vec<(ExceptionId, usize)> = Vec::new();
        for (index, &register) in facts.vectors.stored.iter().enumerate() {
            for lane in lanes(event.lanes()) {
                let origin = shadow.get(register, lane);
                match scratch_place(context, event, lane, index) {
                    Some(place) => match origin {
                        Some(origin) => {
                            shadow.scratch.insert(place, origin);
                        }
                        None => {
                            shadow.scratch.remove(&place);
                        }
                    },
                    None => {
                        let is_new =
                            |origin: &ExceptionId| stored.iter().all(|(it, _)| it != origin);
                        stored.extend(origin.filter(is_new).map(|origin| (origin, lane)));
                    }
                }
            }
        }
        for at in stored {
            self.report(context, event.instruction, at, "the store of the result");
        }
    }

    /// Sets the origins of loaded values: those recorded for scratch, none for other memory.
    fn look_at_loads(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        let facts = self.facts(event.instruction);
        let shadow = self.waves.get(context.id());
        for (index, &register) in facts.vectors.written.iter().enumerate() {
            shadow.clear(register, event.instruction.exec);
            if shadow.scratch.is_empty() || event.access().bytes < 4 {
                continue;
            }
            for lane in lanes(event.lanes()) {
                let place = scratch_place(context, event, lane, index);
                let origin = place.and_then(|place| shadow.scratch.get(&place).copied());
                shadow.set(register, lane, origin);
            }
        }
    }
}

impl WaveObserver for ArithWatch {
    fn wave_ends(&mut self, context: &Context<'_>, _end: WaveEnd<'_>) {
        self.waves.remove(context.id());
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        self.look_at_sources(context, instruction);
    }

    fn completes(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        self.look_at_result(context, instruction);
    }

    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        if matches!(event.intent(), Some(Intent::Store | Intent::Atomic)) {
            self.look_at_stores(context, event);
        }
        Verdict::Allow
    }

    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        if event.phase == Phase::After {
            self.look_at_loads(context, event);
        }
    }
}
