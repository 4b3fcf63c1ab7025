//! Registers that an executing instruction uses, after VGPR indexing and MOVREL.

use gcn_emu::observe::Instruction;
use gcn_emu::step::Arg;
use gcn_isa::uses::{RegisterUse, Registers, UnnumberedState, UsedLanes};
use gcn_isa::{Isa, regs};

/// Returns the register uses of an instruction, except destinations outside the wave's registers.
pub(crate) fn used(instruction: &Instruction<'_>) -> impl Iterator<Item = RegisterUse> {
    let is_moved = !std::ptr::eq(instruction.operands, &instruction.step.args);
    instruction
        .step
        .inst
        .uses()
        .registers()
        .filter_map(move |it| match it.operand() {
            Some(place) if is_moved => moved(it, *instruction.operands.get(place)?),
            _ => Some(it),
        })
}

/// Replaces the registers of a use with those of `arg`; `None` for a destination outside the wave's registers.
fn moved(it: RegisterUse, arg: Arg) -> Option<RegisterUse> {
    let registers = match (it.registers, arg) {
        (Registers::Vector { count, .. }, Arg::Vgpr(first)) => Registers::Vector { first, count },
        (Registers::Scalar { count, .. }, Arg::Scalar(first)) => Registers::Scalar { first, count },
        (_, Arg::None) => return None,
        (registers, _) => registers,
    };
    Some(RegisterUse { registers, ..it })
}

/// Returns the lanes of a vector register that a use may access, given EXEC.
pub(crate) fn lanes_of(lanes: UsedLanes, exec: u64) -> u64 {
    match lanes {
        UsedLanes::Active => exec,
        // The first lane in EXEC, or lane 0 if EXEC is 0.
        UsedLanes::First => exec & exec.wrapping_neg() | u64::from(exec == 0),
        UsedLanes::Scalar | UsedLanes::Selected | UsedLanes::Crossing => u64::MAX,
    }
}

/// Returns the name of a register range, such as `v[2:3]` or `vcc`.
pub(crate) fn name(isa: Isa, registers: Registers) -> String {
    match registers {
        Registers::Vector {
            first,
            count: 0 | 1,
        } => format!("v{first}"),
        Registers::Vector { first, count } => {
            format!("v[{first}:{}]", u16::from(first) + u16::from(count) - 1)
        }
        Registers::Scalar { first, count } => {
            regs::scalar_name(isa, first, count).unwrap_or_else(|| format!("s{first}"))
        }
        Registers::State(UnnumberedState::Scc) => "scc".to_owned(),
        Registers::State(_) => "state of the wave".to_owned(),
    }
}

/// Returns the `FindingKey::detail` of a finding about registers.
pub(crate) fn detail(registers: Registers) -> u64 {
    match registers {
        Registers::Vector { first, .. } => u64::from(first),
        Registers::Scalar { first, .. } => 1 << 8 | u64::from(first),
        Registers::State(_) => 1 << 9,
    }
}
