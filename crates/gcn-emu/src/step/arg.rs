//! Resolved operands.

use crate::lanes::Sign;
use crate::registers::OPERANDS;

/// Size of a dword in bytes.
pub(super) const DWORD: usize = 4;

/// Maximum number of operands of an instruction.
pub const MAX_ARGS: usize = OPERANDS;

/// Resolved operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Arg {
    /// No operand.
    #[default]
    None,
    /// Vector registers starting at this one. Sources beyond the allocation are already replaced with v0 (checklist
    /// 1.6).
    Vgpr(u8),
    /// Scalar registers starting at this one, 0..=127.
    Scalar(u8),
    /// Scalar source other than a register or constant, in 235..=254 (apertures, VCCZ, EXECZ, SCC, LDS_DIRECT).
    Special(u8),
    /// Constant, extended to 64 bits according to the operand's type.
    Const(u64),
    /// Immediate that is not a source: SIMM16 and similar.
    Imm(i64),
}

/// Sign modifiers of an instruction's sources, by operand index.
pub type Signs = [Sign; MAX_ARGS];
