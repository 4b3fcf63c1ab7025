//! Scalar registers that hold addresses which follow from the program counter: S_GETPC and what is added to it.

use gcn_isa::sop::{Sop1, Sop2};
use gcn_isa::uses::{RegisterUse, Registers, UnnumberedState as WaveState};
use gcn_isa::{Inst, Op, Operand, regs};

use super::program::Step;

/// Known values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Constants {
    /// Registers in order, with their values.
    known: Vec<(u8, u32)>,
    /// SCC, as a carry.
    carry: Option<bool>,
}

/// Registers with the values that an instruction sets them to, and its carry.
type Results = (Vec<(u8, u32)>, Option<bool>);

impl Constants {
    /// Keeps what is the same on another way. Returns true if that is less than before.
    pub(super) fn join(&mut self, other: &Constants) -> bool {
        let before = (self.known.len(), self.carry);
        self.known.retain(|it| other.known.contains(it));
        if self.carry != other.carry {
            self.carry = None;
        }
        before != (self.known.len(), self.carry)
    }

    /// The value of a register.
    fn register(&self, register: u8) -> Option<u32> {
        let known = self.known.iter().find(|(it, _)| *it == register);
        known.map(|(_, value)| *value)
    }

    /// The address in a pair of registers.
    pub(super) fn address(&self, first: u8) -> Option<u64> {
        let (low, high) = (self.register(first)?, self.register(first.checked_add(1)?)?);
        Some(u64::from(low) | u64::from(high) << 32)
    }

    fn set(&mut self, register: u8, value: u32) {
        let place = self.known.partition_point(|(it, _)| *it < register);
        self.known.insert(place, (register, value));
    }

    fn forget(&mut self, it: &RegisterUse) {
        match it.registers {
            Registers::Scalar { first, count } => self
                .known
                .retain(|(register, _)| !(first..first.saturating_add(count)).contains(register)),
            Registers::State(WaveState::Scc) => self.carry = None,
            Registers::Vector { .. } | Registers::State(_) => {}
        }
    }

    /// An instruction is executed.
    pub(super) fn step(&mut self, step: &Step) {
        let results = self.results(&step.inst, step.following());
        for (it, _) in step.uses.iter().filter(|(it, _)| it.written != 0) {
            self.forget(it);
        }
        if let Some((values, carry)) = results {
            for (register, value) in values {
                self.set(register, value);
            }
            self.carry = carry;
        }
    }

    /// Registers that an instruction sets to known values, and its carry.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these make addresses")]
    fn results(&self, inst: &Inst, following: u64) -> Option<Results> {
        let mut operands = inst.row().slots().map(|slot| inst.operand(slot));
        let Operand::Scalar { code: to, .. } = operands.next()? else {
            return None;
        };
        let two = |value: u64| vec![(to, value as u32), (to + 1, (value >> 32) as u32)];
        match inst.op {
            Op::Sop1(Sop1::S_GETPC_B64) => Some((two(following), self.carry)),
            Op::Sop1(Sop1::S_MOV_B64) => match operands.next()? {
                Operand::Scalar { code, .. } => Some((two(self.address(code)?), self.carry)),
                _ => None,
            },
            Op::Sop1(Sop1::S_MOV_B32) => match operands.next()? {
                Operand::Scalar { code, .. } => {
                    Some((vec![(to, self.register(code)?)], self.carry))
                }
                _ => None,
            },
            Op::Sop2(op @ (Sop2::S_ADD_U32 | Sop2::S_ADDC_U32)) => {
                let (a, b) = (operands.next()?, operands.next()?);
                let carry = if op == Sop2::S_ADDC_U32 {
                    self.carry?
                } else {
                    false
                };
                let sum = u64::from(self.value(a)?) + u64::from(self.value(b)?) + u64::from(carry);
                // Other sums are no addresses.
                let is_known = |it| matches!(it, Operand::Scalar { code, .. } if code < regs::ZERO);
                (is_known(a) || is_known(b)).then(|| (vec![(to, sum as u32)], Some(sum >> 32 != 0)))
            }
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "these are no numbers")]
    fn value(&self, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Literal(value) => Some(value),
            Operand::Scalar { code, .. } if code < regs::ZERO => self.register(code),
            Operand::Scalar { code, .. } if code <= regs::SIXTY_FOUR => {
                Some((code - regs::ZERO).into())
            }
            Operand::Scalar { code, .. } if code <= regs::MINUS_SIXTEEN => {
                Some(u32::from(code - regs::SIXTY_FOUR).wrapping_neg())
            }
            _ => None,
        }
    }
}
