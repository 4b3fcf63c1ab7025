//! Propagation of undefined bits between lanes, and between lanes and scalar registers.

use gcn_emu::step::Arg;
use gcn_emu::wave::LANES;
use gcn_isa::effect::{AluOp, LaneMove};
use gcn_isa::swizzle::Pattern;
use gcn_isa::{Does, regs};

use super::evaluate::Evaluation;
use super::part::PartlyDefined;
use crate::filter::lanes;

impl Evaluation<'_> {
    /// Returns the lane number in the second source or, without one, the first active lane.
    fn lane(&self) -> PartlyDefined {
        match self.facts.sources[1] {
            Some(place) => {
                let lane = self.uniform(self.instruction.operands[place], 32);
                PartlyDefined {
                    value: lane.value % LANES as u64,
                    undefined: lane.undefined % LANES as u64,
                }
            }
            None => {
                let exec = self.instruction.exec;
                PartlyDefined::defined(u64::from(exec.trailing_zeros()) % LANES as u64)
            }
        }
    }

    pub(super) fn read_lane(&mut self) {
        let place = |place: Option<usize>| place.map(|place| self.instruction.operands[place]);
        let (Some(source), Some(Arg::Scalar(to))) =
            (place(self.facts.sources[0]), place(self.facts.destination))
        else {
            return;
        };
        let lane = self.lane();
        let bits = self.in_lane(source, lane.value as usize, 32).undefined;
        let bits = bits | PartlyDefined::any(lane.undefined, 32).undefined;
        self.shadow.set_scalar(to, bits as u32, self.origin);
    }

    pub(super) fn write_lane(&mut self) {
        let place = |place: Option<usize>| place.map(|place| self.instruction.operands[place]);
        let (Some(source), Some(Arg::Vgpr(to))) =
            (place(self.facts.sources[0]), place(self.facts.destination))
        else {
            return;
        };
        let (new, named) = (self.uniform(source, 32), self.lane());
        // Each of several lanes that an undefined number may name keeps its value or gets the new one.
        let keeps = PartlyDefined::any(named.undefined, 32);
        let may_be_named = |lane: &usize| (*lane as u64 ^ named.value) & !named.undefined == 0;
        for lane in (0..LANES).filter(may_be_named) {
            let old = self.in_lane(Arg::Vgpr(to), lane, 32);
            let bits = keeps.choose(old, new).undefined as u32;
            self.shadow
                .set_vector(to, lane, u32::MAX, bits, self.origin);
        }
    }

    pub(super) fn swap(&mut self) {
        let place = |place: Option<usize>| place.map(|place| self.instruction.operands[place]);
        let (Some(Arg::Vgpr(one)), Some(Arg::Vgpr(other))) =
            (place(self.facts.sources[0]), place(self.facts.destination))
        else {
            return;
        };
        let origins = (
            self.shadow.vector_origin(one),
            self.shadow.vector_origin(other),
        );
        for lane in lanes(self.instruction.exec) {
            let bits = (
                self.shadow.vector(one, lane),
                self.shadow.vector(other, lane),
            );
            self.shadow
                .set_vector(one, lane, u32::MAX, bits.1, origins.1);
            self.shadow
                .set_vector(other, lane, u32::MAX, bits.0, origins.0);
        }
    }

    /// Evaluates S_SET_GPR_IDX_IDX, which sets the index in M0, S_SET_GPR_IDX_MODE, which sets the operand mask, and
    /// S_SET_GPR_IDX_ON, which sets both (errata E143).
    pub(super) fn set_index(&mut self) {
        const INDEX: u32 = 0xff;
        const OPERANDS: u32 = 0xf000;
        let set = match self.instruction.step.inst.does() {
            Does::Alu(AluOp::SetIndex) => INDEX,
            Does::Control(_) => OPERANDS,
            _ => INDEX | OPERANDS,
        };
        let place = self.facts.sources[0].map(|place| self.instruction.operands[place]);
        let index = place.map_or(0, |arg| self.uniform(arg, 32).undefined as u32 & INDEX);
        let bits = self.shadow.scalar(regs::M0) & !set | index;
        let origin = if index == 0 {
            self.shadow.scalar_origin(regs::M0)
        } else {
            self.origin
        };
        self.shadow.set_scalar(regs::M0, bits, origin);
    }

    /// Evaluates DS_SWIZZLE, DS_PERMUTE and DS_BPERMUTE.
    pub(super) fn exchange(&mut self) {
        let exec = self.instruction.exec;
        let Some(plan) = self.instruction.step.memory.as_deref() else {
            return;
        };
        let isa = self.wave.isa;
        let from = if matches!(plan.does, Does::Lanes(LaneMove::Swizzle)) {
            plan.vaddr.unwrap_or(0)
        } else {
            plan.vdata
        };
        // Address bits that select the lane. The low two bits matter only if adding the offset can carry out of them.
        let selecting = if plan.offset % 4 == 0 { 0xfc } else { 0xff };
        let named = |this: &Self, lane: usize| {
            let address = this.in_lane(Arg::Vgpr(plan.vaddr.unwrap_or(0)), lane, 32);
            let lane = address.value.wrapping_add(plan.offset as u64) / 4 % LANES as u64;
            (lane as usize, address.undefined & selecting != 0)
        };
        let mut bits = [0; LANES];
        for lane in lanes(exec) {
            match plan.does {
                Does::Lanes(LaneMove::Swizzle) => {
                    let pattern = Pattern::unpack(isa, plan.offset as u16);
                    let other = usize::from(pattern.source(lane as u8)) % LANES;
                    if exec >> other & 1 != 0 {
                        bits[lane] = self.shadow.vector(from, other);
                    }
                }
                Does::Lanes(LaneMove::Pull) => {
                    let (other, is_undefined) = named(self, lane);
                    if exec >> other & 1 != 0 {
                        bits[lane] = self.shadow.vector(from, other);
                    }
                    if is_undefined {
                        bits[lane] = u32::MAX;
                    }
                }
                _ => {
                    let (other, is_undefined) = named(self, lane);
                    bits[other] = self.shadow.vector(from, lane);
                    if is_undefined {
                        bits = [u32::MAX; LANES];
                    }
                }
            }
        }
        for lane in lanes(exec) {
            self.shadow
                .set_vector(plan.vdst, lane, u32::MAX, bits[lane], self.origin);
        }
    }
}
