//! Stable names of faults, as accepted by `gcn explain`.

use super::FaultKind;

/// Access to memory outside all allocations.
pub const UNMAPPED_ACCESS: &str = "unmapped-access";
/// Atomic whose address is not a multiple of its size.
pub const MISALIGNED_ATOMIC: &str = "misaligned-atomic";
/// Write to a register outside the kernel's allocation.
pub const REGISTER_OUT_OF_RANGE: &str = "register-out-of-range";
/// Words that do not decode.
pub const INVALID_INSTRUCTION: &str = "invalid-instruction";
/// Instruction that the emulator does not support.
pub const UNSUPPORTED_INSTRUCTION: &str = "unsupported-instruction";
/// Program counter outside the code.
pub const PC_OUTSIDE_CODE: &str = "pc-outside-code";
/// Program counter that is not a multiple of 4.
pub const MISALIGNED_PC: &str = "misaligned-pc";
/// Code modified by a store.
pub const CODE_CHANGED: &str = "code-changed";
/// Trap handler instruction outside a trap handler.
pub const OUTSIDE_TRAP_HANDLER: &str = "outside-trap-handler";
/// Wave that halted itself.
pub const HALTED_WAVE: &str = "halted-wave";
/// S_TRAP.
pub const TRAP: &str = "trap";
/// Waves that wait for each other.
pub const DEADLOCK: &str = "deadlock";
/// Wave that reached the instruction limit.
pub const INSTRUCTION_LIMIT: &str = "instruction-limit";
/// Host call that cannot be served.
pub const UNSUPPORTED_HOST_CALL: &str = "unsupported-host-call";
/// Run stopped by an observer.
pub const STOPPED_BY_OBSERVER: &str = "stopped-by-observer";
/// Run interrupted by the host.
pub const INTERRUPTED: &str = "interrupted";

/// Stable name of a fault.
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
