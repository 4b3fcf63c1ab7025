//! Stable names of faults, which `gcn explain` explains.

use super::FaultKind;

/// An access of memory that belongs to no allocation.
pub const UNMAPPED_ACCESS: &str = "unmapped-access";
/// An atomic operation whose address is no multiple of its size.
pub const MISALIGNED_ATOMIC: &str = "misaligned-atomic";
/// A write to a register that the kernel does not have.
pub const REGISTER_OUT_OF_RANGE: &str = "register-out-of-range";
/// Words that are no instruction.
pub const INVALID_INSTRUCTION: &str = "invalid-instruction";
/// An instruction that is not executed.
pub const UNSUPPORTED_INSTRUCTION: &str = "unsupported-instruction";
/// A program counter that has left the code.
pub const PC_OUTSIDE_CODE: &str = "pc-outside-code";
/// A program counter that is no multiple of 4.
pub const MISALIGNED_PC: &str = "misaligned-pc";
/// Code that a store has changed.
pub const CODE_CHANGED: &str = "code-changed";
/// An instruction of trap handlers.
pub const OUTSIDE_TRAP_HANDLER: &str = "outside-trap-handler";
/// A wave that has halted itself.
pub const HALTED_WAVE: &str = "halted-wave";
/// S_TRAP.
pub const TRAP: &str = "trap";
/// Waves that wait for each other.
pub const DEADLOCK: &str = "deadlock";
/// A wave that has executed as many instructions as it may.
pub const INSTRUCTION_LIMIT: &str = "instruction-limit";
/// A call to the host that nobody answers.
pub const UNSUPPORTED_HOST_CALL: &str = "unsupported-host-call";
/// An access that an observer has refused.
pub const STOPPED_BY_OBSERVER: &str = "stopped-by-observer";
/// A stop from outside.
pub const INTERRUPTED: &str = "interrupted";

/// The stable name of a fault.
///
/// # Examples
/// ```
/// use gcn_emu::fault::FaultKind;
/// assert_eq!(gcn_emu::fault::names::of(&FaultKind::Halted), "halted-wave");
/// ```
pub fn of(kind: &FaultKind) -> &'static str {
    match kind {
        FaultKind::Unmapped { .. } => UNMAPPED_ACCESS,
        FaultKind::Misaligned { .. } => MISALIGNED_ATOMIC,
        FaultKind::RegisterOutOfRange { .. } => REGISTER_OUT_OF_RANGE,
        FaultKind::Undecodable(_) => INVALID_INSTRUCTION,
        FaultKind::NotExecuted | FaultKind::Image(_) => UNSUPPORTED_INSTRUCTION,
        FaultKind::PcOutside { .. } => PC_OUTSIDE_CODE,
        FaultKind::PcMisaligned { .. } => MISALIGNED_PC,
        FaultKind::CodeChanged => CODE_CHANGED,
        FaultKind::OutsideTrapHandler => OUTSIDE_TRAP_HANDLER,
        FaultKind::Halted => HALTED_WAVE,
        FaultKind::Trap(_) => TRAP,
        FaultKind::Blocked { .. } => DEADLOCK,
        FaultKind::Limit(_) => INSTRUCTION_LIMIT,
        FaultKind::HostCall(_) => UNSUPPORTED_HOST_CALL,
        FaultKind::Vetoed(_) => STOPPED_BY_OBSERVER,
        FaultKind::Interrupted => INTERRUPTED,
    }
}
