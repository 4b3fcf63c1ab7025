//! Lowering of instructions to graph operations. This module lowers vector instructions without cross-lane effects,
//! and `scalar.rs` scalar instructions.
//!
//! Floating-point operations use the host's instructions, with a guard ([`Lowered::guard`]) where the host's result can
//! differ from the emulated one. If an active lane fails the guard, the interpreter executes the lane's slice and the
//! remaining ones. NaNs therefore need no code here (errata E190).

use std::cell::Cell;
use std::collections::BTreeMap;

use gcn_isa::effect::{AluOp, Shift, Test, Value, body};
use gcn_isa::{Does, Field, Isa, Ty, regs};

use super::access::{Accesses, ScalarSet, pair};
use super::graph::{Binary, Graph, Id, Op, Predicate, Unary};
use super::record::{Recorded, RecordedFlag, Recorder};
use crate::exec::alu::env::Env;
use crate::exec::alu::rule::Rule;
use crate::lanes::Sign;
use crate::step::{Arg, Executor, SourceChange, SourcePart, Step, Unused};
use crate::wave::SCALARS;

/// Host denormal mode of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Denormals {
    /// Denormals are preserved.
    Kept,
    /// Denormal sources and results are flushed to zero.
    Flushed,
}

/// Maximum number of masks that a part writes.
pub(super) const MASKS: usize = 8;

/// Mask that a part writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaskResult {
    pub(super) mask: Id,
    pub(super) is_inverted: bool,
}

/// Lowered sequence of vector instructions, or of scalar instructions.
#[derive(Debug)]
pub(super) struct Lowered {
    pub(super) graph: Graph,
    /// Vector registers that the sequence writes.
    pub(super) vgprs: BTreeMap<u8, Id>,
    /// Masks that the sequence writes, by the first of their scalar registers.
    pub(super) masks: BTreeMap<u8, MaskResult>,
    /// Scalar registers that scalar instructions write.
    pub(super) scalars: BTreeMap<u8, Id>,
    /// SCC, if the sequence writes it.
    pub(super) scc: Option<MaskResult>,
    /// Mask of the lanes in which the host's result can differ from the instruction's.
    pub(super) guard: Option<Id>,
    /// Denormal mode, if it matters.
    pub(super) denormals: Option<Denormals>,
    pub(super) accesses: Accesses,
}

impl Lowered {
    /// True if lanes may be left to the interpreter.
    pub(super) fn may_fail(&self) -> bool {
        self.guard.is_some() || !self.accesses.all.is_empty()
    }
}

/// Builder of a graph.
pub(super) struct Builder {
    pub(super) recorder: Recorder,
    pub(super) isa: Isa,
    pub(super) mode: u32,
    pub(super) state: State,
    /// Scalar registers that the instructions read.
    read: Cell<ScalarSet>,
}

/// Values of the registers that the instructions have written so far.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    vgprs: BTreeMap<u8, Id>,
    masks: BTreeMap<u8, MaskResult>,
    pub(super) scalars: BTreeMap<u8, Id>,
    pub(super) scc: Option<MaskResult>,
    /// Single-precision and double-precision results that still need a guard. One comparison guards two results.
    pub(super) unguarded: Option<Id>,
    pub(super) unguarded_wide: Option<[Id; 2]>,
    guard: Option<Id>,
    pub(super) denormals: Option<Denormals>,
    pub(super) accesses: Accesses,
}

impl Builder {
    pub(super) fn new(isa: Isa, mode: u32) -> Builder {
        Builder {
            recorder: Recorder::default(),
            isa,
            mode,
            state: State::default(),
            read: Cell::new(0),
        }
    }

    /// Adds an instruction. A builder holds either vector or scalar instructions. Returns false, and changes nothing,
    /// if the instruction cannot be lowered together with the previous ones.
    pub(super) fn add(&mut self, step: &Step) -> bool {
        let before = self.state.clone();
        let is_added = match step.run {
            Executor::Scalar => self.lower_scalar(step).is_some(),
            Executor::Memory => self.access(step).is_some(),
            _ => self.lower(step).is_some(),
        };
        let is_complete = !self.recorder.take_incomplete();
        if !(is_added && is_complete) {
            self.state = before;
        }
        is_added && is_complete
    }

    /// Records scalar registers that the instructions read.
    pub(super) fn note_read(&self, registers: ScalarSet) {
        self.read.set(self.read.get() | registers);
    }

    /// Scalar registers that the instructions read.
    pub(super) fn read(&self) -> ScalarSet {
        self.read.get()
    }

    /// Scalar registers that the instructions write.
    pub(super) fn written(&self) -> ScalarSet {
        let masks = self.state.masks.keys().map(|first| pair(*first));
        let scalars = self.state.scalars.keys().map(|register| 1 << register);
        masks.chain(scalars).fold(0, |all, set| all | set)
    }

    /// True if an instruction accesses memory.
    pub(super) fn has_accesses(&self) -> bool {
        !self.state.accesses.all.is_empty()
    }

    pub(super) fn finish(mut self) -> Lowered {
        if let Some(last) = self.state.unguarded.take() {
            self.guard(last, last);
        }
        if let Some(last) = self.state.unguarded_wide.take() {
            self.guard_wide(last, last);
        }
        // Copy registers in the graph, so that all sources are read before any register is written.
        let State { vgprs, scalars, .. } = &mut self.state;
        for id in vgprs.values_mut().chain(scalars.values_mut()) {
            let op = self.recorder.op(*id);
            if op.is_leaf() && !matches!(op, Op::Const(_)) {
                *id = self.recorder.add(Op::Unary(Unary::Copy, *id));
            }
        }
        let State {
            vgprs,
            masks,
            scalars,
            scc,
            guard,
            denormals,
            accesses,
            ..
        } = self.state;
        Lowered {
            graph: self.recorder.into_graph(),
            vgprs,
            masks,
            scalars,
            scc,
            guard,
            denormals,
            accesses,
        }
    }

    /// Guards the lanes in which either of two results is a NaN.
    pub(super) fn guard(&mut self, a: Id, b: Id) {
        let unordered = Binary::CompareF32(Predicate::Unordered);
        self.guard_by(self.recorder.binary(unordered, a, b));
    }

    /// Guards the lanes outside a mask.
    pub(super) fn guard_unless(&mut self, mask: Id) {
        let zero = self.recorder.constant(0);
        self.guard_by(self.recorder.binary(Binary::Equal, mask, zero));
    }

    /// Guards the lanes in a mask.
    pub(super) fn guard_by(&mut self, mask: Id) {
        self.state.guard = Some(match self.state.guard {
            Some(guard) => self.recorder.binary(Binary::Or, guard, mask),
            None => mask,
        });
    }

    /// Dword of an operand.
    pub(super) fn dword(&self, arg: Arg, n: u8) -> Option<Id> {
        match arg {
            Arg::Vgpr(first) => {
                let register = first.checked_add(n)?;
                let known = self.state.vgprs.get(&register).copied();
                Some(known.unwrap_or_else(|| self.recorder.add(Op::Vgpr(register))))
            }
            Arg::Scalar(first) => {
                let register = (first + n) % SCALARS as u8;
                self.note_read(1 << register);
                if let Some(known) = self.state.scalars.get(&register) {
                    return Some(*known);
                }
                let is_written = |first: &u8| register.wrapping_sub(*first) < 2;
                if self.state.masks.keys().any(is_written) {
                    return None;
                }
                Some(self.recorder.add(Op::Scalar(register)))
            }
            Arg::Const(value) => Some(self.recorder.constant((value >> (32 * n)) as u32)),
            Arg::None | Arg::Special(_) | Arg::Imm(_) => None,
        }
    }

    /// Source operand at an index, with its sign modifier applied.
    pub(super) fn source(&self, step: &Step, place: usize) -> Option<Recorded<'_>> {
        let slot = step.inst.row().slots().nth(place)?;
        let is_signed = matches!(slot.ty, Ty::I16 | Ty::I32 | Ty::I64);
        let r = &self.recorder;
        let all = step.sources().find(|(it, _)| *it == place);
        let change = all.map_or_else(Default::default, |(_, source)| source.change);
        match slot.ty {
            Ty::B16 | Ty::U16 | Ty::I16 if step.signs[place] == Sign::Kept => {
                let id = self.part(self.dword(step.args[place], 0)?, change)?;
                let id = self.short(id, is_signed);
                Some(Recorded::dword(r, id, is_signed))
            }
            Ty::B32 | Ty::U32 | Ty::I32 | Ty::F32 => {
                let id = self.part(self.dword(step.args[place], 0)?, change)?;
                let sign = step.signs[place];
                if sign != Sign::Kept && slot.ty != Ty::F32 {
                    return None;
                }
                let id = self.with_sign(id, sign);
                Some(Recorded::dword(r, id, is_signed))
            }
            Ty::B64 | Ty::U64 | Ty::I64
                if step.signs[place] == Sign::Kept && change == Default::default() =>
            {
                let arg = step.args[place];
                let dwords = [self.dword(arg, 0)?, self.dword(arg, 1)?];
                Some(Recorded::wide(r, dwords, is_signed))
            }
            _ => None,
        }
    }

    /// Part of a dword that an integer source selects.
    fn part(&self, id: Id, change: SourceChange) -> Option<Id> {
        let shift = |by, id, count| self.recorder.add(Op::ShiftBy(by, id, count));
        match change.part {
            _ if change.flip != 0 => None,
            SourcePart::Whole => Some(id),
            SourcePart::Bits { up, down, extends } => {
                let by = if extends {
                    Shift::Arithmetic
                } else {
                    Shift::Right
                };
                Some(shift(by, shift(Shift::Left, id, up as u8), down as u8))
            }
            SourcePart::Halves { .. } | SourcePart::Widened { .. } => None,
        }
    }

    /// Low half of a dword, extended to 32 bits.
    fn short(&self, id: Id, is_signed: bool) -> Id {
        let r = &self.recorder;
        if is_signed {
            let high = r.add(Op::ShiftBy(Shift::Left, id, 16));
            r.add(Op::ShiftBy(Shift::Arithmetic, high, 16))
        } else {
            r.binary(Binary::And, id, r.constant(u16::MAX.into()))
        }
    }

    /// Puts an integer result of at most a dword into the selected part of its destination register.
    fn placed(&self, step: &Step, id: Id) -> Option<Id> {
        let r = &self.recorder;
        let merged = |id, bits: u32| {
            let old = self.dword(step.args[0], 0)?;
            let rest = r.binary(Binary::And, old, r.constant(!bits));
            Some(r.binary(Binary::Or, id, rest))
        };
        if step.keeps_high {
            return merged(id, u16::MAX.into());
        }
        let Some(change) = step.result() else {
            return Some(id);
        };
        let part = change.part?;
        if change.factor != 0 || change.clamp || change.dwords != 1 {
            return None;
        }
        let shift = |by, id, count: u32| r.add(Op::ShiftBy(by, id, count as u8));
        let (top, low) = (part.selection.top(), part.selection.low());
        // Bits of the selected part, with zeros or copies of the sign above it.
        let high = shift(Shift::Left, id, top);
        let padded = shift(Shift::Right, high, top - low);
        Some(match part.unused {
            Unused::Pad => padded,
            Unused::Sext => shift(Shift::Arithmetic, high, top - low),
            Unused::Preserve => merged(padded, part.selection.mask())?,
        })
    }

    /// Applies a sign modifier to the dword that holds the sign of a floating-point number.
    pub(super) fn with_sign(&self, id: Id, sign: Sign) -> Id {
        let r = &self.recorder;
        match sign {
            Sign::Kept => id,
            Sign::Off => r.binary(Binary::And, id, r.constant(u32::MAX >> 1)),
            Sign::Over => r.binary(Binary::Xor, id, r.constant(1 << 31)),
            Sign::On => r.binary(Binary::Or, id, r.constant(1 << 31)),
        }
    }

    /// Source operand of one dword at an index, with its sign modifier applied.
    pub(super) fn float(&self, step: &Step, place: usize) -> Option<Id> {
        let source = self.source(step, place)?;
        match *source.ids() {
            [id] => Some(id),
            _ => None,
        }
    }

    /// Current value of a mask operand.
    pub(super) fn mask(&self, arg: Arg) -> Option<RecordedFlag<'_>> {
        let first = mask_register(arg)?;
        if let Some(known) = self.state.masks.get(&first) {
            let flag = RecordedFlag::new(&self.recorder, known.mask);
            return Some(if known.is_inverted { !flag } else { flag });
        }
        self.note_read(pair(first));
        let mask = self.recorder.add(Op::Mask(first));
        Some(RecordedFlag::new(&self.recorder, mask))
    }

    pub(super) fn set_mask(&mut self, arg: Arg, result: MaskResult) -> Option<()> {
        let first = mask_register(arg)?;
        // EXEC is constant within a part.
        let is_exec = first >= regs::EXEC_LO;
        let is_full = self.state.masks.len() == MASKS && !self.state.masks.contains_key(&first);
        if is_exec || is_full {
            return None;
        }
        self.state.masks.insert(first, result);
        Some(())
    }

    pub(super) fn set_vgprs(&mut self, arg: Arg, ids: &[Id]) -> Option<()> {
        let Arg::Vgpr(first) = arg else {
            return None;
        };
        for (register, id) in (first..).zip(ids) {
            self.state.vgprs.insert(register, *id);
        }
        Some(())
    }

    /// Requests a denormal mode, which all instructions of a part share.
    fn denormals(&mut self, wanted: Denormals) -> Option<()> {
        match self.state.denormals {
            Some(denormals) if denormals != wanted => None,
            _ => {
                self.state.denormals = Some(wanted);
                Some(())
            }
        }
    }

    /// Requests host settings equivalent to an operation's floating-point environment. Returns `None` if no settings
    /// are equivalent.
    pub(super) fn settings(&mut self, env: Env, rounds: bool) -> Option<()> {
        if rounds && !env.is_nearest() {
            None
        } else if env.keeps_denormals() {
            self.denormals(Denormals::Kept)
        } else if env.has_denormals_of(Env::FLUSHING) {
            self.denormals(Denormals::Flushed)
        } else {
            None
        }
    }

    /// Requests the host settings that an operation's rule requires, as in [`Builder::settings`].
    pub(super) fn follow(&mut self, rule: Rule) -> Option<()> {
        let env = rule.environment.of::<f32>(self.isa, self.mode);
        self.settings(env, rule.rounds)
    }

    fn lower(&mut self, step: &Step) -> Option<()> {
        let inst = &step.inst;
        let is_plain = matches!(step.run, Executor::Vector)
            && step.cross_lane().is_none()
            && !step.writes_exec
            && step.relative.is_none()
            && !(inst.layout().has(Field::Clamp) && inst.flag(Field::Clamp));
        // EXEC has fewer lanes while the interpreter finishes a part, so no instruction of the part may read EXEC as
        // a value.
        let reads_exec =
            |arg: &Arg| matches!(arg, Arg::Scalar(first) if *first + 1 >= regs::EXEC_LO);
        if !is_plain || step.args.iter().any(reads_exec) {
            return None;
        }
        // Partial registers are supported for integers only.
        let types = inst.row().alu_types();
        let has_parts = step.keeps_high
            || step.result().is_some()
            || step
                .sources()
                .any(|(_, source)| source.change != Default::default());
        let may_have_parts = !types.result.is_float() && !types.source.is_float();
        if has_parts && !may_have_parts {
            return None;
        }
        match inst.does() {
            Does::Compare(test, _) => self.comparison(step, test),
            Does::Alu(AluOp::Dot(_)) if has_parts => None,
            Does::Alu(op) => self.operation(step, op),
            _ => None,
        }
    }

    fn comparison(&mut self, step: &Step, test: Test) -> Option<()> {
        let ty = step.inst.row().alu_types().source;
        let result = if test == Test::Class {
            self.class(step).filter(|_| ty == Ty::F32)?
        } else if ty == Ty::F64 {
            self.compare_doubles(step, test)?
        } else if ty == Ty::F32 {
            // Only the denormal mode of sources matters for a comparison.
            let env = Env::of::<f32>(self.mode).with_results_as_sources();
            self.settings(env, false)?;
            let predicate = predicate(test)?;
            let (a, b) = (self.float(step, 1)?, self.float(step, 2)?);
            let mask = self.recorder.binary(Binary::CompareF32(predicate), a, b);
            MaskResult {
                mask,
                is_inverted: false,
            }
        } else {
            let (a, b) = (self.source(step, 1)?, self.source(step, 2)?);
            compared(test, a, b)?.into()
        };
        self.set_mask(step.args[0], result)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the interpreter executes all others"
    )]
    fn operation(&mut self, step: &Step, op: AluOp) -> Option<()> {
        let types = step.inst.row().alu_types();
        let (op, is_reversed) = op.in_order();
        let (first, second) = if is_reversed { (1, 0) } else { (0, 1) };
        if op == AluOp::DivScale {
            return self.division_scale(step);
        }
        if types.carries {
            if step.result().is_some() {
                return None;
            }
            // Operands are destination, carry-out mask, sources and carry-in mask.
            let pair = [self.source(step, 2)?, self.source(step, 3)?];
            let (a, b) = (pair[first], pair[second]);
            let (result, flag) = match op {
                AluOp::Add => a.overflowing_add(b),
                AluOp::Sub => a.overflowing_sub(b),
                AluOp::MulAdd if types.result == Ty::U64 => {
                    let (low, high, c) = (a.wrapping_mul(b), a.mul_high(b), self.source(step, 4)?);
                    let product = [low.ids()[0], high.ids()[0]];
                    let sum = Recorded::wide(&self.recorder, product, false).wrapping_add(c);
                    (sum, sum.less(c))
                }
                AluOp::AddCarry => body::add_carry(a, b, self.mask(step.args[4])?),
                AluOp::SubBorrow => body::sub_borrow(a, b, self.mask(step.args[4])?),
                _ => return None,
            };
            let (ids, mask) = (result.ids().to_vec(), flag.into());
            self.set_vgprs(step.args[0], &ids)?;
            return self.set_mask(step.args[1], mask);
        }
        if types.result.is_float() && !matches!(types.result, Ty::F32 | Ty::F64) {
            return None;
        }
        let result = match op {
            AluOp::Convert if types.source == Ty::F32 && !types.result.is_float() => {
                vec![self.integer_of_float(step, types.result)?]
            }
            AluOp::FrexpExponent if types.source == Ty::F32 => vec![self.exponent(step)?],
            AluOp::Dot(4) if types.result == Ty::I32 => vec![self.dot_bytes(step)?],
            _ if types.result == Ty::F64 => self.double(step, op, [first, second])?.to_vec(),
            AluOp::Select => {
                let pair = [self.source(step, 1)?, self.source(step, 2)?];
                // V_CNDMASK selects the second source where the condition is set.
                let flag = self.mask(step.args[3])?;
                let (one, other) = (pair[first], pair[second]);
                Recorded::select(flag, one, other).ids().to_vec()
            }
            AluOp::Move => self.source(step, 1)?.ids().to_vec(),
            _ if types.result == Ty::F32 => vec![self.single(step, op, [first, second])?],
            _ => {
                let mut sources = [self.source(step, 1)?; 3];
                for place in 2..step.inst.row().slots().count() {
                    *sources.get_mut(place - 1)? = self.source(step, place)?;
                }
                if is_reversed {
                    sources.swap(0, 1);
                }
                let is_short = types.result.bytes() == 2;
                if is_short {
                    // The interpreter executes all other 16-bit operations.
                    match op {
                        AluOp::Add | AluOp::Sub | AluOp::Mul | AluOp::MulAdd => {}
                        AluOp::Min | AluOp::Max | AluOp::Min3 | AluOp::Max3 | AluOp::Med3 => {}
                        AluOp::Shift(_) => {
                            sources[1] = sources[1] & sources[1].constant(u64::from(u16::BITS - 1));
                        }
                        _ => return None,
                    }
                }
                // Operations without a carry do not read this mask.
                let unused = RecordedFlag::new(&self.recorder, sources[0].ids()[0]);
                let result = body::evaluate(op, sources, unused)?;
                let dwords = usize::from(types.result.dwords().max(1));
                let mut ids = result.ids().get(..dwords)?.to_vec();
                if is_short {
                    ids[0] = self.short(ids[0], false);
                }
                ids
            }
        };
        let result = match *result {
            [id] => vec![self.placed(step, id)?],
            _ if step.result().is_some() => return None,
            _ => result,
        };
        self.set_vgprs(step.args[0], &result)
    }

    /// Dot product of signed bytes, plus the third source.
    fn dot_bytes(&self, step: &Step) -> Option<Id> {
        let [a, b, c] = [1, 2, 3].map(|place| {
            let is_plain = step.signs[place] == Sign::Kept;
            self.dword(step.args[place], 0).filter(|_| is_plain)
        });
        let (a, b, c) = (a?, b?, c?);
        let r = &self.recorder;
        let products = |bytes| {
            let [a, b] = [a, b].map(|a| r.add(Op::Unary(bytes, a)));
            r.binary(Binary::MulAddPairs, a, b)
        };
        let sum = r.binary(
            Binary::Add,
            products(Unary::EvenBytes),
            products(Unary::OddBytes),
        );
        Some(r.binary(Binary::Add, sum, c))
    }
}

/// First register of a mask. Slices write their bits of a mask before later slices read theirs, so masks must not
/// overlap.
fn mask_register(arg: Arg) -> Option<u8> {
    match arg {
        Arg::Scalar(first) if first.is_multiple_of(2) => Some(first),
        _ => None,
    }
}

/// Host predicate of a floating-point comparison.
pub(super) fn predicate(test: Test) -> Option<Predicate> {
    use Test::*;
    Some(match test {
        Lt => Predicate::Less,
        Eq => Predicate::Equal,
        Le => Predicate::LessOrEqual,
        Gt => Predicate::Greater,
        Lg => Predicate::LessOrGreater,
        Ge => Predicate::GreaterOrEqual,
        O => Predicate::Ordered,
        U => Predicate::Unordered,
        Nge => Predicate::NotGreaterOrEqual,
        Nlg => Predicate::EqualOrUnordered,
        Ngt => Predicate::NotGreater,
        Nle => Predicate::NotLessOrEqual,
        Neq => Predicate::NotEqual,
        Nlt => Predicate::NotLess,
        F | Tru | Class => return None,
    })
}

/// Lowers an integer comparison.
pub(super) fn compared<'r>(
    test: Test,
    a: Recorded<'r>,
    b: Recorded<'r>,
) -> Option<RecordedFlag<'r>> {
    use Test::*;
    Some(match test {
        Lt => a.less(b),
        Le => !b.less(a),
        Gt => b.less(a),
        Ge => !a.less(b),
        Eq => a.equals(b),
        Neq | Lg => !a.equals(b),
        F | O | U | Nge | Nlg | Ngt | Nle | Nlt | Tru | Class => return None,
    })
}

impl From<RecordedFlag<'_>> for MaskResult {
    fn from(flag: RecordedFlag<'_>) -> MaskResult {
        MaskResult {
            mask: flag.mask,
            is_inverted: flag.is_inverted,
        }
    }
}
