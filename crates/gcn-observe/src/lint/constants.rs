//! Propagation of PC-relative addresses (S_GETPC and additions to its result) and of a function's return address, dword
//! by dword, through scalar registers and lanes of vector registers.

use std::ops::RangeInclusive;

use gcn_isa::effect::AluOp;
use gcn_isa::uses::{RegisterUse, Registers, UnnumberedState as WaveState};
use gcn_isa::{Does, Encoding, Inst, Operand, Ty, regs};

use super::program::LintStep;

/// First register of the pair that holds the return address in LLVM's calling convention.
pub(super) const LINK: u8 = 30;

/// Callee-saved scalar registers in LLVM's calling convention.
const KEPT: RangeInclusive<u8> = 32..=105;

/// Number of lanes in a vector register.
const LANES: u32 = 64;

/// Location of a dword.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Scalar(u8),
    Lane { register: u8, lane: u8 },
}

/// A known dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum KnownValue {
    Number(u32),
    /// Half of the function's return address.
    Return {
        is_high: bool,
    },
}

/// Values that are known at a program point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Constants {
    /// Locations with known values, sorted.
    known: Vec<(Place, KnownValue)>,
    /// SCC as a carry, if known.
    carry: Option<bool>,
    /// Bitmap of the scalar registers that the function has written.
    written: u128,
}

/// Returns a bitmap of scalar registers.
fn bits(registers: impl IntoIterator<Item = u8>) -> u128 {
    let bit = |register: u8| 1_u128.checked_shl(register.into()).unwrap_or(0);
    registers.into_iter().fold(0, |all, it| all | bit(it))
}

/// Locations that an instruction sets to known values, and the resulting carry.
type KnownResults = (Vec<(Place, KnownValue)>, Option<bool>);

impl Constants {
    /// Returns the values known on entry to a function. `link` is the first register of the pair with the return address.
    pub(super) fn called(link: u8) -> Constants {
        let half = |is_high: bool| {
            let register = Place::Scalar(link.saturating_add(is_high.into()));
            (register, KnownValue::Return { is_high })
        };
        Constants {
            known: vec![half(false), half(true)],
            ..Constants::default()
        }
    }

    /// Joins the values of another path. Returns true if this state changed.
    pub(super) fn join(&mut self, other: &Constants) -> bool {
        let before = (self.known.len(), self.carry, self.written);
        self.known.retain(|it| other.known.contains(it));
        if self.carry != other.carry {
            self.carry = None;
        }
        self.written |= other.written;
        before != (self.known.len(), self.carry, self.written)
    }

    /// Returns the facts at a function's return that its callers need.
    pub(super) fn at_end(&self) -> Constants {
        Constants {
            written: self.written,
            ..Constants::default()
        }
    }

    /// Returns the values from before a call that remain valid after it. The callee is assumed to preserve the vector
    /// registers that its caller needs.
    pub(super) fn behind(mut self, callee: &Constants) -> Constants {
        self.forget_scalars(callee.written);
        self.carry = None;
        self
    }

    /// Returns the values that remain valid after a call to an unknown function.
    pub(super) fn behind_unknown(self) -> Constants {
        self.behind(&Constants {
            written: !bits(KEPT),
            ..Constants::default()
        })
    }

    fn get(&self, place: Place) -> Option<KnownValue> {
        let known = self.known.iter().find(|(it, _)| *it == place);
        known.map(|(_, value)| *value)
    }

    /// Returns the value of a register, if it is a known number.
    fn register(&self, register: u8) -> Option<u32> {
        match self.get(Place::Scalar(register))? {
            KnownValue::Number(value) => Some(value),
            KnownValue::Return { .. } => None,
        }
    }

    /// Returns the address in a pair of registers, if known.
    pub(super) fn address(&self, first: u8) -> Option<u64> {
        let (low, high) = (self.register(first)?, self.register(first.checked_add(1)?)?);
        Some(u64::from(low) | u64::from(high) << 32)
    }

    /// True if a pair of registers contains the return address.
    fn returns_by(&self, first: u8) -> bool {
        let has = |register, is_high| {
            self.get(Place::Scalar(register)) == Some(KnownValue::Return { is_high })
        };
        has(first, false) && has(first.saturating_add(1), true)
    }

    /// True if a jump through a pair of registers is a tail call, because other registers contain the return address.
    pub(super) fn is_tail_call(&self, first: u8) -> bool {
        let is_ready = |(place, _): &(Place, KnownValue)| match place {
            Place::Scalar(register) => self.returns_by(*register),
            Place::Lane { .. } => false,
        };
        !self.returns_by(first) && self.known.iter().any(is_ready)
    }

    fn set(&mut self, place: Place, value: KnownValue) {
        let index = self.known.partition_point(|(it, _)| *it < place);
        self.known.insert(index, (place, value));
    }

    fn forget_scalars(&mut self, registers: u128) {
        self.written |= registers;
        self.known.retain(|(place, _)| match place {
            Place::Scalar(register) => registers & bits([*register]) == 0,
            Place::Lane { .. } => true,
        });
    }

    fn forget(&mut self, it: &RegisterUse) {
        match it.registers {
            Registers::Scalar { first, count } => {
                self.forget_scalars(bits(first..first.saturating_add(count)));
            }
            Registers::Vector { first, count } => {
                let last = first.saturating_add(count.saturating_sub(1));
                self.known.retain(|(place, _)| match place {
                    Place::Scalar(_) => true,
                    Place::Lane { register, .. } => !(first..=last).contains(register),
                });
            }
            Registers::State(WaveState::Scc) => self.carry = None,
            Registers::State(_) => {}
        }
    }

    /// Updates the values for an executed instruction.
    pub(super) fn step(&mut self, step: &LintStep) {
        let results = self.results(&step.inst, step.following());
        let lane = self.lane_written(&step.inst);
        for (it, _) in step.uses.iter().filter(|(it, _)| it.written != 0) {
            match lane {
                Some(lane) => self.known.retain(|(place, _)| *place != lane),
                None => self.forget(it),
            }
        }
        if let Some((values, carry)) = results {
            for (place, value) in values {
                self.set(place, value);
            }
            self.carry = carry;
        }
    }

    /// Returns the lane that a V_WRITELANE instruction writes, if the lane's number is known.
    fn lane_written(&self, inst: &Inst) -> Option<Place> {
        let is_one = inst.does() == Does::Alu(AluOp::WriteLane);
        let mut operands = inst.row().slots().map(|slot| inst.operand(slot));
        match is_one.then(|| operands.next())?? {
            Operand::Vgprs { first, .. } => self.lane(first, operands.nth(1)?),
            Operand::Scalar { .. }
            | Operand::Literal(_)
            | Operand::Off
            | Operand::Imm(_)
            | Operand::ScalarOffset { .. } => None,
        }
    }

    /// Returns a lane of a vector register, if the lane's number is known.
    fn lane(&self, register: u8, number: Operand) -> Option<Place> {
        let lane = (self.number(number)? % LANES) as u8;
        Some(Place::Lane { register, lane })
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only these make addresses, and move them"
    )]
    fn results(&self, inst: &Inst, following: u64) -> Option<KnownResults> {
        let mut operands = inst.row().slots().map(|slot| inst.operand(slot));
        let to = match operands.next()? {
            Operand::Scalar { code, .. } => Place::Scalar(code),
            // V_WRITELANE; other instructions are not followed.
            _ => self.lane_written(inst)?,
        };
        let second = || match to {
            Place::Scalar(register) => Place::Scalar(register.saturating_add(1)),
            Place::Lane { .. } => to,
        };
        let moved = |from: Place, to| Some((to, self.get(from)?));
        let Does::Alu(op) = inst.does() else {
            return None;
        };
        let ty = inst.row().slots().next()?.ty;
        match op {
            AluOp::GetPc => {
                let high = (following >> u32::BITS) as u32;
                let halves = [(to, following as u32), (second(), high)];
                let known = halves.map(|(place, half)| (place, KnownValue::Number(half)));
                Some((known.to_vec(), self.carry))
            }
            AluOp::Move if inst.encoding == Encoding::Sop1 && ty == Ty::B64 => {
                let from = scalar(operands.next()?)?;
                let low = moved(Place::Scalar(from), to);
                let high = moved(Place::Scalar(from.checked_add(1)?), second());
                Some((low.into_iter().chain(high).collect(), self.carry))
            }
            AluOp::Move | AluOp::WriteLane if inst.encoding != Encoding::Sopk => {
                let from = Place::Scalar(scalar(operands.next()?)?);
                Some((vec![moved(from, to)?], self.carry))
            }
            AluOp::ReadLane => {
                let Operand::Vgprs { first, .. } = operands.next()? else {
                    return None;
                };
                let from = self.lane(first, operands.next()?)?;
                Some((vec![moved(from, to)?], self.carry))
            }
            AluOp::Add | AluOp::AddCarry if inst.encoding == Encoding::Sop2 && ty == Ty::U32 => {
                let (a, b) = (operands.next()?, operands.next()?);
                let carry = if op == AluOp::AddCarry {
                    self.carry?
                } else {
                    false
                };
                let sum =
                    u64::from(self.number(a)?) + u64::from(self.number(b)?) + u64::from(carry);
                // A sum of two constants is not an address.
                let is_known = |it| scalar(it).is_some_and(|code| code < regs::ZERO);
                let known = || {
                    (
                        vec![(to, KnownValue::Number(sum as u32))],
                        Some(sum >> u32::BITS != 0),
                    )
                };
                (is_known(a) || is_known(b)).then(known)
            }
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "these are no numbers")]
    fn number(&self, operand: Operand) -> Option<u32> {
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

/// Returns the code of a scalar operand.
fn scalar(operand: Operand) -> Option<u8> {
    match operand {
        Operand::Scalar { code, .. } => Some(code),
        Operand::Vgprs { .. }
        | Operand::Literal(_)
        | Operand::Off
        | Operand::Imm(_)
        | Operand::ScalarOffset { .. } => None,
    }
}
