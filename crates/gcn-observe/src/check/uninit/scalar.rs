//! Propagation of undefined bits through scalar ALU instructions.

use gcn_emu::step::Arg;
use gcn_isa::effect::AluOp;
use gcn_isa::{Encoding, Ty, regs};

use super::apply::apply;
use super::evaluate::Evaluation;
use super::facts::UndefinedFlow;
use super::part::{PartlyDefined, ones};
use super::registers::SCC;

impl Evaluation<'_> {
    /// Evaluates a scalar instruction.
    pub(super) fn scalar(&mut self) {
        use UndefinedFlow::{Alu, Equal};
        let class = self.facts.class;
        let inst = &self.instruction.step.inst;
        let slots = || inst.row().slots();
        let width_at = |place: Option<usize>| {
            let slot = place.and_then(|place| slots().nth(place));
            slot.map_or(32, |slot| u32::from(slot.ty.bytes()) * 8)
                .max(32)
        };
        let source = |number: usize| {
            let place = self.facts.sources[number];
            place.map_or(PartlyDefined::default(), |place| {
                self.uniform(self.instruction.operands[place], width_at(Some(place)))
            })
        };
        let (mut a, mut b) = (source(0), source(1));
        let first = self.facts.sources[0].and_then(|place| slots().nth(place));
        if inst.encoding == Encoding::Sopk && first.is_some_and(|slot| slot.ty == Ty::U32) {
            // S_CMPK with an unsigned type zero-extends the constant.
            b.value &= u64::from(u16::MAX);
        }
        let operand = |number: usize| Some(self.instruction.operands[self.facts.sources[number]?]);
        if class.cancels() && operand(0) == operand(1) {
            (a.undefined, b.undefined) = (0, 0);
        }
        let destination =
            self.facts
                .destination
                .and_then(|place| match self.instruction.operands[place] {
                    Arg::Scalar(first) => Some((first, width_at(Some(place)))),
                    _ => None,
                });
        let width = destination.map_or(64, |(_, width)| width);
        let scc = PartlyDefined {
            value: if self.wave.scc { u64::MAX } else { 0 },
            undefined: if self.shadow.scalar(SCC) == 0 {
                0
            } else {
                u64::MAX
            },
        };
        let old = destination.map_or(PartlyDefined::default(), |(first, width)| {
            self.uniform(Arg::Scalar(first), width)
        });
        let carry = match class {
            Alu(AluOp::AddCarry | AluOp::SubBorrow) => scc.undefined & 1,
            _ => 0,
        };
        let result = match class {
            Alu(AluOp::Select) => scc.choose(a, b),
            Alu(AluOp::MoveIf) => scc.choose(a, old),
            Alu(AluOp::SetBit(_)) => {
                let number = u64::from(width - 1);
                let bit = 1 << (a.value & number);
                PartlyDefined {
                    value: old.value,
                    undefined: old.undefined & !bit
                        | PartlyDefined::any(a.undefined & number, width).undefined,
                }
            }
            Alu(AluOp::TestBit(_)) => {
                let number = u64::from(width_at(self.facts.sources[0]) - 1);
                let bit = b.value & number;
                PartlyDefined::any(a.undefined & 1 << bit | b.undefined & number, 1)
            }
            Equal => {
                let differ = (a.value ^ b.value) & !(a.undefined | b.undefined) != 0;
                PartlyDefined::any(if differ { 0 } else { a.undefined | b.undefined }, 1)
            }
            Alu(AluOp::SaveExec(op) | AluOp::WriteExec(op)) => {
                op.apply(a, PartlyDefined::defined(self.instruction.exec))
            }
            Alu(op) => {
                let width = if op.counts_source() {
                    width_at(self.facts.sources[0])
                } else {
                    width
                };
                let sources = [a, b, PartlyDefined::default()];
                apply(op, sources, scc, width, self.facts.is_signed)
                    .unwrap_or(PartlyDefined::any(1, width))
            }
            UndefinedFlow::Any | UndefinedFlow::Lanes | UndefinedFlow::Memory => {
                PartlyDefined::any(1, width)
            }
        };
        match class {
            Alu(AluOp::TestBit(_)) | Equal => {
                self.shadow
                    .set_scalar(SCC, result.undefined as u32 & 1, self.origin);
                return;
            }
            Alu(AluOp::SaveExec(_)) => {
                self.set_pair(regs::EXEC_LO, 64, result.undefined);
                if let Some((first, width)) = destination {
                    self.set_pair(first, width, 0);
                }
            }
            Alu(AluOp::WriteExec(_)) => {
                self.set_pair(regs::EXEC_LO, 64, result.undefined);
                if let Some((first, width)) = destination {
                    self.set_pair(first, width, result.undefined);
                }
            }
            _ => {
                if let Some((first, width)) = destination {
                    self.set_pair(first, width, result.undefined);
                }
            }
        }
        if self.facts.scalar_written >> SCC & 1 != 0 {
            let own = PartlyDefined {
                value: result.value & ones(width),
                undefined: result.undefined & ones(width),
            };
            let is_undefined = if self.facts.tests_result {
                own.may_be_zero_or_not()
            } else {
                (a.undefined | b.undefined | carry) != 0
            };
            self.shadow
                .set_scalar(SCC, is_undefined.into(), self.origin);
        }
    }

    pub(super) fn set_pair(&mut self, first: u8, width: u32, undefined: u64) {
        self.shadow.set_scalar(first, undefined as u32, self.origin);
        if width > u32::BITS {
            let high = (undefined >> u32::BITS) as u32;
            self.shadow
                .set_scalar(first.wrapping_add(1), high, self.origin);
        }
    }
}
