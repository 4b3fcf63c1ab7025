//! Fast paths for instructions with defined sources.

use gcn_emu::observe::Context;
use gcn_emu::step::{Family, Step};

use super::facts::UninitFacts;
use super::registers::UndefinedRegisters;
use super::repeats::Repeats;
use super::results::SharedResults;
use super::state::GroupState;

/// True if an instruction with defined register sources is certain to access only defined memory, without a search of
/// the memory shadow.
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
        // Instructions without a plan access memory through LDS_DIRECT.
        return !has_lds;
    };
    let has_scratch = context.wave.scratch.bytes_per_lane != 0;
    let has_global = || shared.global.has_any();
    let may_have_undefined = match plan.family {
        Family::Share => has_lds,
        Family::Flat => has_lds || has_scratch || has_global(),
        // GLOBAL and scalar memory instructions may access scratch by its address in global memory.
        Family::Scratch
        | Family::Buffer
        | Family::Global
        | Family::Scalar
        | Family::ScalarScratch
        | Family::ScalarBuffer => has_scratch || has_global() || plan.to_lds && has_lds,
        Family::Image => has_global(),
    };
    let version = group.lds.version();
    !may_have_undefined || repeats.has(context, step, exec, version, bases_number)
}

/// True if all registers that an instruction reads are defined.
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

/// Marks the destinations of an instruction with defined sources as defined. If the instruction may preserve undefined
/// bits of a destination, returns false and changes nothing.
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

/// Marks the destinations of an instruction as defined.
#[inline]
pub(super) fn define_written(registers: &mut UndefinedRegisters, facts: &UninitFacts, exec: u64) {
    registers.undefined &= !facts.scalar_written;
    for register in &facts.vector_written {
        registers.define_vector(*register, exec);
    }
}
