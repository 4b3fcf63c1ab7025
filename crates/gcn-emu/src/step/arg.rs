//! Operands, resolved.

use crate::lanes::Sign;
use crate::registers::OPERANDS;

/// Bytes of a dword.
pub(super) const DWORD: usize = 4;

/// The most operands that a row has.
pub const MAX_ARGS: usize = OPERANDS;

/// An operand, resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arg {
    /// No operand.
    #[default]
    None,
    /// Vector registers from this one on. Sources beyond the allocation are v0 already (checklist 1.6).
    Vgpr(u8),
    /// Scalar registers from this one on, 0..=127.
    Scalar(u8),
    /// A scalar source that is not a register: 235..=254 without constants (apertures, VCCZ, EXECZ, SCC, LDS_DIRECT).
    Special(u8),
    /// A constant, extended to 64 bits as the operand's type says.
    Const(u64),
    /// A number that is not a source: SIMM16 and the like.
    Imm(i64),
}

/// Sign modifiers of an instruction's sources, at their places among the operands.
pub type Signs = [Sign; MAX_ARGS];
