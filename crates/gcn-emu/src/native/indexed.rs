//! VGPR indexing: sequences of V_MOV_B32 between S_SET_GPR_IDX_ON and S_SET_GPR_IDX_OFF, as compilers emit them for
//! arrays in registers.

use std::mem::offset_of;

use gcn_isa::effect::AluOp;
use gcn_isa::{Does, Ty, regs};
use iced_x86::code_asm::{
    AsmMemoryOperand, CodeLabel, dword_ptr, eax, edx, qword_ptr, r14, rax, rbx, word_ptr,
};

use super::access::ScalarSource;
use super::frame::Frame;
use super::host::{MaskRegister, OTHER, Place, SCRATCH, Width};
use super::lane::is_plain;
use super::places::{Assembly, EmitError, ROW, scalar};
use crate::exec::alu::indexing::{self, INDEX, OPERANDS, OPERANDS_SHIFT};
use crate::lanes::Sign;
use crate::step::{Arg, Step};

/// Bits of the operand mask.
const SOURCE: u32 = 1;
const DESTINATION: u32 = 1 << 3;

/// Indexed moves between vector registers.
#[derive(Clone, Debug)]
pub(super) struct IndexedMoves {
    index: ScalarSource,
    operands: u32,
    moves: Vec<IndexedMove>,
}

#[derive(Clone, Copy, Debug)]
struct IndexedMove {
    to: u8,
    from: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Vgpr(u8),
    Scalar(ScalarSource),
}

impl IndexedMoves {
    /// Converts the sequence at the start of a list of instructions. Returns it with its number of instructions, or
    /// `None` if the list starts with other instructions.
    pub(super) fn new(steps: &[Step]) -> Option<(IndexedMoves, usize)> {
        let [on, rest @ ..] = steps else {
            return None;
        };
        let (Does::Alu(AluOp::IndexOn), Arg::Imm(operands)) = (on.inst.does(), on.args[1]) else {
            return None;
        };
        let index = ScalarSource::new(on.args[0])?;
        let is_off = |step: &Step| indexing::switches_off(&step.inst);
        let count = rest.iter().position(is_off)?;
        let moves = rest[..count].iter().map(IndexedMove::new);
        let moves = IndexedMoves {
            index,
            operands: operands as u32 & OPERANDS,
            moves: moves.collect::<Option<_>>()?,
        };
        Some((moves, count + 2))
    }

    /// Number of vector registers that the wave must have for the operands that are not indexed.
    pub(super) fn vgprs(&self) -> usize {
        let registers = self.moves.iter().flat_map(|it| {
            let from = match it.from {
                Source::Vgpr(from) if self.operands & SOURCE == 0 => Some(from),
                _ => None,
            };
            let to = (self.operands & DESTINATION == 0).then_some(it.to);
            [from, to]
        });
        let last = registers.flatten().max();
        last.map_or(0, |last| usize::from(last) + 1)
    }
}

impl IndexedMove {
    fn new(step: &Step) -> Option<IndexedMove> {
        let is_copy = is_plain(step)
            && !step.keeps_high
            && step.signs[1] == Sign::Kept
            && step
                .sources()
                .all(|(_, source)| source.change == Default::default());
        let types = step.inst.row().alu_types();
        if !is_copy || step.inst.does() != Does::Alu(AluOp::Move) || types.result != Ty::B32 {
            return None;
        }
        // A register that the wave lacks even without an index is not indexed.
        let is_indexed = |mask: u32| {
            let mut operands = step.indexed.operands();
            operands.any(|(bit, ..)| 1 << bit == mask)
        };
        let Arg::Vgpr(to) = step.args[0] else {
            return None;
        };
        let from = match step.args[1] {
            Arg::Vgpr(_) if !is_indexed(SOURCE) => return None,
            _ if !is_indexed(DESTINATION) => return None,
            Arg::Vgpr(from) => Source::Vgpr(from),
            arg => Source::Scalar(ScalarSource::new(arg)?),
        };
        Some(IndexedMove { to, from })
    }
}

impl Assembly {
    /// Emits indexed moves. If the wave lacks an indexed register, the code jumps to `outside` before it changes
    /// anything.
    pub(super) fn move_indexed(
        &mut self,
        it: &IndexedMoves,
        outside: CodeLabel,
    ) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        match it.index {
            ScalarSource::Register(register) => {
                asm.mov(eax, dword_ptr(scalar(register)))?;
                asm.and(eax, INDEX as i32)?;
            }
            ScalarSource::Constant(value) => asm.mov(eax, value & INDEX)?,
        }
        let indexed = it.moves.iter().flat_map(|it| {
            let from = match it.from {
                Source::Vgpr(from) => Some(from),
                _ => None,
            };
            [(SOURCE, from), (DESTINATION, Some(it.to))]
        });
        let indexed = indexed.filter(|(bit, _)| it.operands & bit != 0);
        if let Some(last) = indexed.filter_map(|(_, register)| register).max() {
            asm.lea(edx, dword_ptr(rax + i32::from(last)))?;
            asm.cmp(edx, dword_ptr(r14 + offset_of!(Frame, vgpr_count)))?;
            asm.jae(outside)?;
        }
        asm.mov(edx, dword_ptr(scalar(regs::M0)))?;
        asm.and(edx, !(INDEX | OPERANDS << OPERANDS_SHIFT) as i32)?;
        asm.or(edx, eax)?;
        if it.operands != 0 {
            asm.or(edx, (it.operands << OPERANDS_SHIFT) as i32)?;
        }
        asm.mov(dword_ptr(scalar(regs::M0)), edx)?;
        asm.shl(eax, ROW.trailing_zeros())?;
        let (mut active, mut done) = (asm.create_label(), asm.create_label());
        asm.cmp(qword_ptr(scalar(regs::EXEC_LO)), -1)?;
        asm.jne(active)?;
        self.indexed_rows(it, true)?;
        self.asm.jmp(done)?;
        self.asm.set_label(&mut active)?;
        self.indexed_rows(it, false)?;
        self.asm.set_label(&mut done)?;
        self.asm.zero_bytes()?;
        Ok(())
    }

    fn indexed_rows(&mut self, it: &IndexedMoves, all_active: bool) -> Result<(), EmitError> {
        let row = |bit: u32, register: u8, offset: usize| -> AsmMemoryOperand {
            let offset = usize::from(register) * ROW + offset;
            if it.operands & bit == 0 {
                rbx + offset
            } else {
                rbx + rax + offset
            }
        };
        for moved in &it.moves {
            for slice in 0..ROW / self.width.bytes() {
                let offset = slice * self.width.bytes();
                let from = match moved.from {
                    Source::Vgpr(from) => Place::Memory(row(SOURCE, from, offset)),
                    Source::Scalar(ScalarSource::Register(register)) => {
                        Place::Uniform(scalar(register))
                    }
                    Source::Scalar(ScalarSource::Constant(value)) => self.constant(|_| value),
                };
                let to = row(DESTINATION, moved.to, offset);
                self.load(OTHER, from)?;
                if !all_active {
                    self.merge_slice(slice, to)?;
                }
                self.store(to, OTHER)?;
            }
        }
        Ok(())
    }

    /// Replaces the inactive lanes of a slice in [`OTHER`] with those in memory.
    fn merge_slice(&mut self, slice: usize, to: AsmMemoryOperand) -> Result<(), EmitError> {
        let first = slice * self.width.lanes();
        if self.width == Width::Avx512 {
            let inactive = MaskRegister::SCRATCH;
            let bits = word_ptr(scalar(regs::EXEC_LO) + first / u8::BITS as usize);
            self.asm.kmovw(inactive.k(), bits)?;
            self.asm.knotw(inactive.k(), inactive.k())?;
            self.load_where(inactive, OTHER, Place::Memory(to), true)?;
            return Ok(());
        }
        let lane_bits = self.constant(|lane| 1u32.wrapping_shl(first as u32 % u32::BITS + lane));
        let zero = self.constant(|_| 0);
        let exec = Place::Uniform(scalar(regs::EXEC_LO + (first as u32 / u32::BITS) as u8));
        self.load(SCRATCH, exec)?;
        self.vpand(SCRATCH, SCRATCH, lane_bits)?;
        self.vpcmpeqd(SCRATCH, SCRATCH, zero)?;
        self.vblendvps(OTHER, OTHER, Place::Memory(to), SCRATCH)?;
        Ok(())
    }
}
