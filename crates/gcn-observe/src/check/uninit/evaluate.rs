//! Propagation of undefined bits through ALU instructions.

use gcn_emu::observe::{Context, Instruction};
use gcn_emu::step::Arg;
use gcn_emu::wave::LANES;
use gcn_emu::wave::Wave;
use gcn_isa::dpp::Permutation;
use gcn_isa::effect::AluOp;
use gcn_isa::uses::{RegisterUse, Registers, Unit, UnnumberedState, UsedLanes};
use gcn_isa::{Field, regs};

use super::apply::apply;
use super::facts::{UndefinedFlow, UninitFacts, is_lane_mask};
use super::origin::UndefinedOrigin;
use super::part::{PartlyDefined, ones};
use super::registers::{SCC, UndefinedRegisters};
use crate::filter::lanes;

/// Evaluation of an instruction that may read or preserve undefined bits.
pub(super) struct Evaluation<'a> {
    pub(super) wave: &'a Wave,
    pub(super) instruction: &'a Instruction<'a>,
    pub(super) facts: &'a UninitFacts,
    pub(super) shadow: &'a mut UndefinedRegisters,
    /// Origin of the undefined bits in the results.
    pub(super) origin: UndefinedOrigin,
    /// Value of LDS_DIRECT.
    lds_direct: PartlyDefined,
}

/// A source of a vector instruction.
#[derive(PartialEq)]
struct EvaluatedSource {
    arg: Arg,
    /// First bit and number of bits in the register or register pair.
    from: u32,
    width: u32,
    is_signed: bool,
    /// DPP lane permutation.
    permutation: Option<Permutation>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(
        context: &Context<'a>,
        instruction: &'a Instruction<'a>,
        facts: &'a UninitFacts,
        shadow: &'a mut UndefinedRegisters,
    ) -> Evaluation<'a> {
        let origin = origin_of_sources(facts, shadow, instruction.exec);
        Evaluation {
            wave: context.wave,
            instruction,
            facts,
            shadow,
            origin,
            lds_direct: PartlyDefined::default(),
        }
    }

    /// Sets the value of LDS_DIRECT. If it has undefined bits, `origin` returns their origin.
    pub(super) fn with_lds_direct(
        self,
        value: PartlyDefined,
        origin: impl FnOnce() -> UndefinedOrigin,
    ) -> Evaluation<'a> {
        Evaluation {
            origin: if value.undefined == 0 {
                self.origin
            } else {
                origin()
            },
            lds_direct: value,
            ..self
        }
    }

    /// Updates the shadow of the instruction's destinations.
    pub(super) fn run(mut self) {
        let is_scalar = self.facts.unit == Unit::Scalar;
        let op = match self.facts.class {
            UndefinedFlow::Alu(op) => op,
            UndefinedFlow::Equal => return self.scalar(),
            UndefinedFlow::Any => return self.generic(),
            UndefinedFlow::Lanes => return self.exchange(),
            UndefinedFlow::Memory => return,
        };
        match op.in_order().0 {
            AluOp::ReadLane | AluOp::ReadFirstLane => self.read_lane(),
            AluOp::WriteLane => self.write_lane(),
            AluOp::Swap => self.swap(),
            AluOp::SetIndex | AluOp::IndexOn => self.set_index(),
            AluOp::MoveIf
            | AluOp::SetBit(_)
            | AluOp::TestBit(_)
            | AluOp::SaveExec(_)
            | AluOp::WriteExec(_) => self.scalar(),
            AluOp::Select if is_scalar => self.scalar(),
            AluOp::Select | AluOp::Packed(..) => self.vector(op),
            _ if is_scalar => self.scalar(),
            _ => self.vector(op),
        }
    }

    /// Returns the value of a source that all lanes share.
    pub(super) fn uniform(&self, arg: Arg, width: u32) -> PartlyDefined {
        let pair = |low: u64, high: u64| (low | high << u32::BITS) & ones(width);
        match arg {
            Arg::Scalar(first) => {
                let next = first.wrapping_add(1);
                let value = |register| u64::from(self.wave.scalar(register));
                let undefined = |register| u64::from(self.shadow.scalar(register));
                PartlyDefined {
                    value: pair(value(first), value(next)),
                    undefined: pair(undefined(first), undefined(next)),
                }
            }
            Arg::Special(regs::SCC) => PartlyDefined {
                value: self.wave.special(regs::SCC),
                undefined: u64::from(self.shadow.scalar(SCC)) & 1,
            },
            Arg::Special(regs::VCCZ) => {
                let vcc = self.uniform(Arg::Scalar(regs::VCC_LO), u64::BITS);
                PartlyDefined {
                    value: self.wave.special(regs::VCCZ),
                    undefined: vcc.may_be_zero_or_not().into(),
                }
            }
            Arg::Special(regs::LDS_DIRECT) => self.lds_direct,
            Arg::Special(code) => PartlyDefined::defined(self.wave.special(code)),
            Arg::Const(value) => PartlyDefined::defined(value),
            Arg::Imm(value) => PartlyDefined::defined(value as u64 & ones(width)),
            Arg::None | Arg::Vgpr(_) => PartlyDefined::default(),
        }
    }

    /// Returns the value of a source in a lane.
    pub(super) fn in_lane(&self, arg: Arg, lane: usize, width: u32) -> PartlyDefined {
        let Arg::Vgpr(first) = arg else {
            return self.uniform(arg, width);
        };
        let pair =
            |low: u32, high: u32| (u64::from(low) | u64::from(high) << u32::BITS) & ones(width);
        let next = first.wrapping_add(1);
        let wide = width > u32::BITS;
        let high = |of: &dyn Fn(u8) -> u32| if wide { of(next) } else { 0 };
        let value = |register| self.wave.vgpr(register).0[lane];
        let undefined = |register| self.shadow.vector(register, lane);
        PartlyDefined {
            value: pair(value(first), high(&value)),
            undefined: pair(undefined(first), high(&undefined)),
        }
    }

    /// Returns SRC0, SRC1 and SRC2.
    fn sources(&self) -> [Option<EvaluatedSource>; 3] {
        let inst = &self.instruction.step.inst;
        let layout = inst.layout();
        let mut sources = [None, None, None];
        for (number, place) in self.facts.sources.iter().enumerate() {
            let slot = place.and_then(|place| Some((place, inst.row().slots().nth(place)?)));
            let Some((place, slot)) = slot else {
                continue;
            };
            let selection = [Field::Src0Sel, Field::Src1Sel].get(number).copied();
            let sign = [Field::Src0Sext, Field::Src1Sext].get(number).copied();
            let selected = selection.filter(|field| layout.has(*field));
            let bits = u32::from(slot.ty.bytes()) * 8;
            let (from, width) = match selected {
                Some(field) => selection_bits(inst.get(field)),
                None if bits == 16 && layout.has(Field::OpSel) => {
                    let is_high = inst.get(Field::OpSel) >> number & 1 != 0;
                    (if is_high { 16 } else { 0 }, 16)
                }
                None => (0, bits.clamp(16, 64)),
            };
            let is_signed = selected.is_some() && sign.is_some_and(|field| inst.flag(field));
            let crosses = number == 0 && layout.has(Field::DppCtrl);
            sources[number] = Some(EvaluatedSource {
                arg: self.instruction.operands[place],
                from,
                width,
                is_signed,
                permutation: crosses
                    .then(|| Permutation::unpack(inst.get(Field::DppCtrl) as u16))
                    .flatten(),
            });
        }
        sources
    }

    /// Returns the value of a source in a written lane. By DPP, it is 0 without a valid source lane.
    fn fetch(&self, source: &Option<EvaluatedSource>, lane: usize) -> PartlyDefined {
        let Some(source) = source else {
            return PartlyDefined::default();
        };
        let mut from = lane;
        if let Some(permutation) = source.permutation {
            let other = permutation.source(lane as u8).map(usize::from);
            match other.filter(|other| self.instruction.exec >> other & 1 != 0) {
                Some(other) => from = other,
                None => return PartlyDefined::default(),
            }
        }
        let registers = self.in_lane(source.arg, from, if source.width > 32 { 64 } else { 32 });
        if source.width >= 32 && source.from == 0 {
            return registers;
        }
        registers.extracted(source.from, source.width, source.is_signed)
    }

    /// Returns the active lanes, without those that DPP disables.
    fn written_lanes(&self) -> u64 {
        let exec = self.instruction.exec;
        match self.instruction.step.cross_lane() {
            Some(dpp) => dpp.written(exec, dpp.finding(exec)),
            None => exec,
        }
    }

    fn vector(&mut self, op: AluOp) {
        let inst = &self.instruction.step.inst;
        let Some(place) = self.facts.destination else {
            return self.generic();
        };
        let (Some(slot), Arg::Vgpr(first)) = (
            inst.row().slots().nth(place),
            self.instruction.operands[place],
        ) else {
            return self.generic();
        };
        let width = u32::from(slot.ty.bytes()) * 8;
        let sources = self.sources();
        let (op, is_reversed) = op.in_order();
        let cancels = self.facts.class.cancels() && sources[0] == sources[1];
        let written = self.facts.uses.iter();
        let mut written = written.filter(|it| it.operand() == Some(place) && it.written != 0);
        let written = written.next().map_or(u32::MAX, |it| it.written);
        let mut carries = 0;
        let mut found = Vec::with_capacity(LANES);
        for lane in lanes(self.written_lanes()) {
            let [mut a, mut b, c] = [0, 1, 2].map(|number| self.fetch(&sources[number], lane));
            if cancels {
                (a.undefined, b.undefined) = (0, 0);
            }
            if is_reversed {
                (a, b) = (b, a);
            }
            let mask = self.lane_mask(lane);
            let result = match op {
                AluOp::Select => mask.choose(a, b),
                AluOp::Packed(..) => self.packed(&sources, lane),
                op => apply(op, [a, b, c], mask, width, self.facts.is_signed)
                    .unwrap_or(PartlyDefined::any(1, width)),
            };
            let read = a.undefined | b.undefined | c.undefined | mask.undefined;
            carries |= u64::from(read != 0) << lane;
            found.push((lane, result.undefined));
        }
        for (lane, undefined) in found {
            let (mask, bits) = self.placed(undefined, width, written);
            self.shadow.set_vector(first, lane, mask, bits, self.origin);
            if width > u32::BITS {
                let high = (undefined >> u32::BITS) as u32;
                let next = first.wrapping_add(1);
                self.shadow
                    .set_vector(next, lane, u32::MAX, high, self.origin);
            }
        }
        self.set_lane_masks(carries);
    }

    /// Returns the mask of the destination bits that are written, and the undefined bits among them.
    fn placed(&self, undefined: u64, width: u32, written: u32) -> (u32, u32) {
        /// `dst_unused:UNUSED_SEXT`.
        const SEXT: u64 = 1;
        let inst = &self.instruction.step.inst;
        if inst.layout().has(Field::DstSel) {
            let (low, count) = selection_bits(inst.get(Field::DstSel));
            let part = PartlyDefined {
                value: 0,
                undefined,
            };
            let is_signed = inst.get(Field::DstUnused) == SEXT;
            let part = part.extracted(0, count, is_signed);
            return (written, (part.undefined << low) as u32);
        }
        let undefined = undefined as u32;
        match (width, written) {
            (16, 0xffff_0000) => (written, undefined << 16),
            (16, _) => (written, undefined & 0xffff),
            _ => (written, undefined),
        }
    }

    /// Returns a lane's bit of the V_CNDMASK mask or of the carry-in, broadcast to all bits.
    fn lane_mask(&self, lane: usize) -> PartlyDefined {
        let step = self.instruction.step;
        let masks = self.facts.uses.iter();
        let mut masks = masks.filter(|it| it.read != 0 && is_lane_mask(step, it));
        let Some(Registers::Scalar { first, .. }) = masks.next().map(|it| it.registers) else {
            return PartlyDefined::default();
        };
        let mask = self.uniform(Arg::Scalar(first), u64::BITS);
        let all = |bits: u64| if bits >> lane & 1 == 0 { 0 } else { u64::MAX };
        PartlyDefined {
            value: all(mask.value),
            undefined: all(mask.undefined),
        }
    }

    /// Returns the result of a packed operation. A half is undefined if a selected source half has undefined bits.
    fn packed(&self, sources: &[Option<EvaluatedSource>; 3], lane: usize) -> PartlyDefined {
        let inst = &self.instruction.step.inst;
        let low = inst.get(Field::OpSel);
        let high = inst.get(Field::OpSelHi) | inst.get(Field::OpSelHi2) << 2;
        let half = |selection: u64| {
            let halves = sources.iter().enumerate().filter_map(|(number, source)| {
                let source = source.as_ref()?;
                let bits = self.in_lane(source.arg, lane, u32::BITS).undefined;
                Some(bits >> (16 * (selection >> number & 1)) & 0xffff)
            });
            halves.fold(0, |all, bits| all | bits)
        };
        let low = PartlyDefined::any(half(low), 16).undefined;
        let high = PartlyDefined::any(half(high), 16).undefined;
        PartlyDefined {
            value: 0,
            undefined: low | high << 16,
        }
    }

    /// Sets the undefined bits of the lane masks that a vector instruction writes, such as a carry-out.
    fn set_lane_masks(&mut self, undefined: u64) {
        let uses = self.facts.uses.iter().filter(|it| it.written != 0);
        for it in uses {
            if let Registers::Scalar { first, count } = it.registers {
                for number in 0..count.min(2) {
                    let bits = (undefined >> (32 * u32::from(number))) as u32;
                    let register = first.wrapping_add(number);
                    self.shadow.set_scalar(register, bits, self.origin);
                }
            }
        }
    }

    /// Returns the lanes whose results depend on undefined source bits.
    fn any(&self) -> u64 {
        let step = self.instruction.step;
        let exec = self.instruction.exec;
        let mut any = if self.lds_direct.undefined == 0 {
            0
        } else {
            u64::MAX
        };
        for it in self.facts.uses.iter().filter(|it| it.read != 0) {
            match it.registers {
                Registers::Vector { first, count } => {
                    for register in (0..count).map(|n| first.wrapping_add(n)) {
                        let with = self.shadow.lanes_with(register, it.read);
                        any |= match it.lanes {
                            UsedLanes::Active | UsedLanes::Scalar => with & exec,
                            UsedLanes::Crossing => self.brought(with),
                            UsedLanes::First | UsedLanes::Selected if with & exec != 0 => u64::MAX,
                            UsedLanes::First | UsedLanes::Selected => 0,
                        };
                    }
                }
                Registers::Scalar { first, .. }
                    if is_lane_mask(step, it) && self.facts.unit == Unit::Vector =>
                {
                    any |= self.uniform(Arg::Scalar(first), 64).undefined & exec;
                }
                Registers::Scalar { first, count } => {
                    let mut registers = (0..count).map(|n| first.wrapping_add(n));
                    if registers.any(|register| self.shadow.scalar(register) & it.read != 0) {
                        any = u64::MAX;
                    }
                }
                Registers::State(UnnumberedState::Scc) => {
                    if self.shadow.scalar(SCC) != 0 {
                        any = u64::MAX;
                    }
                }
                Registers::State(_) => {}
            }
        }
        any
    }

    /// Returns the lanes that read an active lane in `with`. Without DPP, each active lane may read any other.
    fn brought(&self, with: u64) -> u64 {
        let inst = &self.instruction.step.inst;
        let exec = self.instruction.exec;
        let permutation = if inst.layout().has(Field::DppCtrl) {
            Permutation::unpack(inst.get(Field::DppCtrl) as u16)
        } else {
            None
        };
        let Some(permutation) = permutation else {
            return if with & exec == 0 { 0 } else { exec };
        };
        let reads = |lane: &usize| {
            let from = permutation.source(*lane as u8);
            from.is_some_and(|from| with & exec & 1 << from != 0)
        };
        (0..LANES)
            .filter(reads)
            .fold(0, |all, lane| all | 1 << lane)
    }

    fn generic(&mut self) {
        let exec = self.written_lanes();
        let step = self.instruction.step;
        let any = self.any();
        let is_vector = self.facts.unit != Unit::Scalar;
        let row = step.inst.row();
        let written: Vec<RegisterUse> = self
            .facts
            .uses
            .iter()
            .filter(|it| it.written != 0)
            .copied()
            .collect();
        for it in written {
            match it.registers {
                Registers::Vector { first, count } => {
                    let slot = it.operand().and_then(|place| row.slots().nth(place));
                    let width = slot.map_or(32, |slot| u32::from(slot.ty.bytes()) * 8);
                    let (mask, bits) = self.placed(ones(width.min(32)), width, it.written);
                    for register in (0..count).map(|n| first.wrapping_add(n)) {
                        for lane in lanes(exec) {
                            let bits = if any >> lane & 1 == 0 { 0 } else { bits };
                            self.shadow
                                .set_vector(register, lane, mask, bits, self.origin);
                        }
                    }
                }
                Registers::Scalar { first, count: 2 }
                    if is_vector && (it.operand().is_none() || is_lane_mask(step, &it)) =>
                {
                    self.set_pair(first, 64, any & exec);
                }
                Registers::Scalar { first, count } => {
                    let bits = if any == 0 { 0 } else { it.written };
                    for register in (0..count).map(|n| first.wrapping_add(n)) {
                        self.shadow.set_scalar(register, bits, self.origin);
                    }
                }
                Registers::State(UnnumberedState::Scc) => {
                    self.shadow.set_scalar(SCC, (any != 0).into(), self.origin);
                }
                Registers::State(_) => {}
            }
        }
    }
}

/// Returns the origin of the undefined bits in one of the registers that an instruction reads.
pub(super) fn origin_of_sources(
    facts: &UninitFacts,
    shadow: &UndefinedRegisters,
    exec: u64,
) -> UndefinedOrigin {
    let vector = |mask: u64| {
        let mut registers = facts.vector_read.iter();
        registers.find(|register| shadow.lanes_with(**register, u32::MAX) & mask != 0)
    };
    let scalars = facts.scalar_read & shadow.undefined;
    if let Some(register) = vector(exec) {
        shadow.vector_origin(*register)
    } else if scalars != 0 {
        shadow.scalar_origin(scalars.trailing_zeros() as u8)
    } else {
        vector(u64::MAX).map_or(UndefinedOrigin::Unknown, |register| {
            shadow.vector_origin(*register)
        })
    }
}

/// Returns the first bit and the number of bits of an SDWA selection.
fn selection_bits(selection: u64) -> (u32, u32) {
    match selection {
        0..=3 => (8 * selection as u32, 8),
        4 => (0, 16),
        5 => (16, 16),
        _ => (0, 32),
    }
}
