//! Code ready to run: each instruction decoded once, at its first execution, and shared by all threads.

use std::sync::OnceLock;

use gcn_isa::{DecodeError, Does, Inst, Isa, Kind, Operand, Ty, decode, regs};

use crate::exec;
use crate::wave::Wave;

/// Code in memory, for one kernel's number of registers.
pub struct Code {
    isa: Isa,
    base: u64,
    words: Box<[u32]>,
    steps: Box<[OnceLock<Result<Step, DecodeError>>]>,
    vgprs: usize,
    sgprs: u8,
}

/// An instruction's handler: it has everything it needs in the wave and the step.
pub type Handler = fn(&mut Wave, &Step);

/// An instruction, decoded.
#[derive(Clone, Debug)]
pub struct Step {
    /// The instruction.
    pub inst: Inst,
    /// Its length in bytes.
    pub bytes: u8,
    /// Its operands, in the order of its row.
    pub args: [Arg; MAX_ARGS],
    /// How it runs.
    pub run: Run,
}

/// The most operands that a row has.
pub const MAX_ARGS: usize = 6;

/// An operand, resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arg {
    /// There is none.
    #[default]
    None,
    /// Vector registers from this one on. Sources beyond the allocation are v0 already (checklist 1.6).
    Vgpr(u8),
    /// Scalar registers from this one on, 0..=127.
    Scalar(u8),
    /// A scalar source that is not a register: 235..=254 without constants (apertures, VCCZ, EXECZ, SCC).
    Special(u8),
    /// A constant, extended to 64 bits as the operand's type says.
    Const(u64),
    /// A number that is not a source: SIMM16 and the like.
    Imm(i64),
}

/// How an instruction runs.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// By its handler.
    Alu(Handler),
    /// In two steps, addresses and access.
    Memory,
    /// By the step loop.
    Flow,
    /// Not at all: its destination is outside the wave's registers (checklist 1.6, 1.7). Counters still complete.
    Cancelled,
    /// It cannot: not executed by this emulator.
    Missing,
}

impl Code {
    /// Code at address `base` for a kernel with so many vector and scalar registers.
    /// Bytes after the last whole dword are not code.
    pub fn new(isa: Isa, base: u64, bytes: &[u8], vgprs: usize, sgprs: u8) -> Code {
        let words: Box<[u32]> = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let steps = std::iter::repeat_with(OnceLock::new)
            .take(words.len())
            .collect();
        Code {
            isa,
            base,
            words,
            steps,
            vgprs: vgprs.max(1),
            sgprs,
        }
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Vector registers of the kernel.
    pub fn vgprs(&self) -> usize {
        self.vgprs
    }

    /// SGPRs of the kernel.
    pub fn sgprs(&self) -> u8 {
        self.sgprs
    }

    /// The instruction at `pc`; nothing outside the code.
    #[inline]
    pub fn step(&self, pc: u64) -> Option<&Result<Step, DecodeError>> {
        let offset = pc.wrapping_sub(self.base);
        if offset % 4 != 0 {
            return None;
        }
        let index = usize::try_from(offset / 4).ok()?;
        let slot = self.steps.get(index)?;
        Some(slot.get_or_init(|| {
            let words = &self.words[index..];
            decode(self.isa, &words[..words.len().min(2)]).map(|inst| self.prepare(inst))
        }))
    }

    fn prepare(&self, inst: Inst) -> Step {
        let mut args = [Arg::None; MAX_ARGS];
        let mut cancelled = false;
        for (arg, slot) in args.iter_mut().zip(inst.row().slots()) {
            let writes = slot.access != gcn_isa::Access::Read;
            *arg = match inst.operand(slot) {
                Operand::Vgprs { first, count } => {
                    let inside = usize::from(first) + usize::from(count) <= self.vgprs;
                    cancelled |= writes && !inside && inst.shows(slot);
                    Arg::Vgpr(if inside { first } else { 0 })
                }
                Operand::Scalar { code, count } if code < 128 => {
                    let inside = code >= self.isa.sgprs()
                        || u16::from(code) + u16::from(count) <= u16::from(self.sgprs);
                    cancelled |= writes && !inside;
                    Arg::Scalar(if inside { code } else { 0 })
                }
                Operand::Scalar { code, .. } => match regs::inline(self.isa, code) {
                    Some(regs::Inline::Int(i)) => Arg::Const(i64::from(i) as u64),
                    Some(regs::Inline::Float(_)) => {
                        Arg::Const(regs::float_bits(code, slot.ty).unwrap_or(0))
                    }
                    None => Arg::Special(code),
                },
                Operand::Literal(value) => Arg::Const(extend_literal(value, slot.ty)),
                Operand::Imm(value) => Arg::Imm(value),
                Operand::Off | Operand::ScalarOffset { .. } => Arg::None,
            };
        }
        let run = if cancelled {
            Run::Cancelled
        } else {
            match inst.does() {
                Does::Alu(_) => exec::alu::handler(&inst).map_or(Run::Missing, Run::Alu),
                Does::Branch(_) | Does::Jump | Does::Fork | Does::Control(_) => Run::Flow,
                _ => Run::Memory,
            }
        };
        Step {
            inst,
            bytes: inst.dwords() as u8 * 4,
            args,
            run,
        }
    }
}

/// A 32-bit literal as an operand: sign-extended for 64-bit signed integers, the high half of a double,
/// zero-extended otherwise.
fn extend_literal(value: u32, ty: Ty) -> u64 {
    match ty {
        Ty::F64 => u64::from(value) << 32,
        Ty::I64 => i64::from(value as i32) as u64,
        _ => u64::from(value),
    }
}

impl Step {
    /// The instruction's number (SIMM16 and the like), 0 if it has none.
    pub fn immediate(&self) -> i64 {
        let is_immediate = |slot: &&gcn_isa::Slot| {
            matches!(
                slot.kind,
                Kind::Branch
                    | Kind::Simm16
                    | Kind::Waitcnt
                    | Kind::Hwreg
                    | Kind::SendMsg
                    | Kind::Unsigned
                    | Kind::Signed
            )
        };
        let arg = self
            .inst
            .row()
            .slots()
            .zip(&self.args)
            .find(|(slot, _)| is_immediate(slot))
            .map(|(_, arg)| *arg);
        if let Some(Arg::Imm(value)) = arg {
            value
        } else {
            0
        }
    }
}
