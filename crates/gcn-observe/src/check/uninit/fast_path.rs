//! Fast paths of instructions that read nothing undefined.

use gcn_emu::observe::Context;
use gcn_emu::step::{Family, Step};

use super::facts::UninitFacts;
use super::registers::UndefinedRegisters;
use super::repeats::Repeats;
use super::results::SharedResults;
use super::state::GroupState;

/// True if a memory instruction whose registers are defined is known to find all memory defined, without a look at the shadow
/// of what it accesses.
#[inline]
pub(super) fn accesses_defined(
    context: &Context<'_>,
    step: &Step,
    exec: u64,
    group: &GroupState,
    shared: &SharedResults,
    repeats: &mut Repeats,
    bases_number: Option<u64>,
) -> bool {
    let has_lds = group.lds.has_any();
    let Some(plan) = step.memory.as_deref() else {
        // LDS_DIRECT.
        return !has_lds;
    };
    let has_scratch = context.wave.scratch.bytes_per_lane != 0;
    let has_global = || shared.global.has_any();
    let may_have_undefined = match plan.family {
        Family::Share => has_lds,
        Family::Flat => has_lds || has_scratch || has_global(),
        Family::Scratch | Family::Buffer | Family::ScalarScratch => {
            has_scratch || has_global() || plan.to_lds && has_lds
        }
        Family::Global => has_global() || plan.to_lds && has_lds,
        Family::Scalar | Family::ScalarBuffer | Family::Image => has_global(),
    };
    let version = group.lds.version();
    !may_have_undefined || repeats.has(context, step, exec, version, bases_number)
}

/// True if nothing is undefined of what an instruction reads.
#[inline]
pub(super) fn reads_defined(
    registers: &UndefinedRegisters,
    facts: &UninitFacts,
    exec: u64,
) -> bool {
    let lanes = if facts.crosses { u64::MAX } else { exec };
    let read = facts.vector_read.iter();
    let undefined = read.fold(0, |all, register| all | registers.lanes(*register));
    undefined & lanes == 0 && registers.undefined & facts.scalar_read == 0
}

/// Marks as defined what an instruction writes, all of whose sources are defined. Returns false, and has done nothing, where it
/// leaves bits of a register as they are and these may be undefined.
#[inline]
pub(super) fn defines_result(
    registers: &mut UndefinedRegisters,
    facts: &UninitFacts,
    exec: u64,
) -> bool {
    if facts.writes_whole {
        define_written(registers, facts, exec);
        return true;
    }
    let mut written = facts.vector_written.iter();
    let is_defined = written.all(|it| registers.lanes(*it) == 0);
    if is_defined {
        registers.undefined &= !facts.scalar_written;
    }
    is_defined
}

/// Marks as defined everything that an instruction writes.
#[inline]
pub(super) fn define_written(registers: &mut UndefinedRegisters, facts: &UninitFacts, exec: u64) {
    registers.undefined &= !facts.scalar_written;
    for register in &facts.vector_written {
        registers.define_vector(*register, exec);
    }
}
