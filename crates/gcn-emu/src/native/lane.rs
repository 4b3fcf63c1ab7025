//! Moves between one lane of a vector register and a scalar register.

use gcn_isa::effect::AluOp;
use gcn_isa::{Does, regs};
use iced_x86::code_asm::{dword_ptr, eax, edx, qword_ptr, rax, rbx};

use super::access::ScalarSource;
use super::places::{Assembly, EmitError, ROW, scalar};
use crate::lanes::LANES;
use crate::step::{Arg, Executor, Step};
use crate::wave::SCALARS;

/// Move of a dword to or from a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneMove {
    /// Vector register that is read or written.
    pub(super) vgpr: u8,
    lane: Lane,
    other: Other,
}

/// Selected lane.
#[derive(Clone, Copy, Debug)]
enum Lane {
    /// First active lane, or lane 0 if none is active.
    FirstActive,
    /// Lane given by the low bits of a scalar operand.
    Numbered(ScalarSource),
}

/// Scalar operand of a move.
#[derive(Clone, Copy, Debug)]
enum Other {
    To(u8),
    From(ScalarSource),
}

/// True for a vector instruction without relative addressing, DPP or partial results.
pub(super) fn is_plain(step: &Step) -> bool {
    matches!(step.run, Executor::Vector)
        && step.relative.is_none()
        && step.cross_lane().is_none()
        && step.result().is_none()
}

impl LaneMove {
    /// Converts an instruction; `None` if it is not a lane move.
    pub(super) fn new(step: &Step) -> Option<LaneMove> {
        let op = match step.inst.does() {
            Does::Alu(op) if is_plain(step) => op,
            _ => return None,
        };
        let numbered = || ScalarSource::new(step.args[2]).map(Lane::Numbered);
        let (vgpr, lane, other) = match (op, step.args[0], step.args[1]) {
            (AluOp::ReadFirstLane, Arg::Scalar(to), Arg::Vgpr(from)) => {
                (from, Lane::FirstActive, Other::To(to % SCALARS as u8))
            }
            (AluOp::ReadLane, Arg::Scalar(to), Arg::Vgpr(from)) => {
                (from, numbered()?, Other::To(to % SCALARS as u8))
            }
            (AluOp::WriteLane, Arg::Vgpr(to), from) => {
                (to, numbered()?, Other::From(ScalarSource::new(from)?))
            }
            _ => return None,
        };
        Some(LaneMove { vgpr, lane, other })
    }
}

impl Assembly {
    pub(super) fn move_lane(&mut self, it: LaneMove) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        let row = usize::from(it.vgpr) * ROW;
        let last = LANES as u32 - 1;
        let mut element = dword_ptr(rbx + rax * 4 + row);
        match it.lane {
            Lane::FirstActive => {
                asm.mov(rax, qword_ptr(scalar(regs::EXEC_LO)))?;
                // For a source of 0, the result is 64, or still 0 on hosts without TZCNT; both become lane 0.
                asm.tzcnt(rax, rax)?;
                asm.and(eax, last)?;
            }
            Lane::Numbered(ScalarSource::Register(register)) => {
                asm.mov(eax, dword_ptr(scalar(register)))?;
                asm.and(eax, last)?;
            }
            Lane::Numbered(ScalarSource::Constant(lane)) => {
                element = dword_ptr(rbx + (row + (lane & last) as usize * 4));
            }
        }
        match it.other {
            Other::To(register) => {
                asm.mov(edx, element)?;
                asm.mov(dword_ptr(scalar(register)), edx)?;
            }
            Other::From(ScalarSource::Register(register)) => {
                asm.mov(edx, dword_ptr(scalar(register)))?;
                asm.mov(element, edx)?;
            }
            Other::From(ScalarSource::Constant(value)) => asm.mov(element, value)?,
        }
        Ok(())
    }
}
