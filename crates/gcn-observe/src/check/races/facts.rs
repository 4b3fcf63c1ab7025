//! Per-instruction facts about memory accesses.

use gcn_emu::fault::Intent;
use gcn_emu::step::Step;
use gcn_isa::Does;

use super::access::AccessKind;
use super::run::RaceDispatch;
use super::synchronization::is_swap;

/// Facts about an instruction that accesses memory.
#[derive(Clone, Copy)]
pub(super) struct AccessFacts {
    pub(super) site: u16,
    pub(super) kind: AccessKind,
    pub(super) does: Does,
    /// The instruction may acquire: it is a returning atomic or a GLC load.
    pub(super) acquires: bool,
    /// The access uses the scalar cache.
    pub(super) is_scalar: bool,
    /// The instruction is a vector compare-and-swap.
    pub(super) is_swap: bool,
    /// The LDS queue may hold the access: it is a load, store or atomic without ordering effects.
    pub(super) may_queue: bool,
}

impl AccessFacts {
    pub(super) fn of(step: &Step, intent: Intent, pc: u64, run: &RaceDispatch) -> AccessFacts {
        let plan = step.memory.as_deref();
        let is_coherent = plan.is_some_and(|plan| plan.loads_coherently);
        let kind = match intent {
            Intent::Load if is_coherent => AccessKind::CoherentLoad,
            Intent::Load if run.swap_loads.contains(pc) => AccessKind::SwapLoad,
            Intent::Load => AccessKind::Load,
            Intent::Store => AccessKind::Store,
            Intent::Atomic => AccessKind::Atomic,
        };
        let is_swap = plan.is_some_and(is_swap);
        let does = plan.map_or(Does::LdsNop, |plan| plan.does);
        AccessFacts {
            site: run.site(pc, &step.inst),
            kind,
            does,
            acquires: is_coherent || kind == AccessKind::Atomic && step.inst.returns_old(),
            is_scalar: plan.is_some_and(|plan| plan.family.is_scalar()),
            is_swap,
            may_queue: match kind {
                AccessKind::Load => true,
                AccessKind::Atomic => {
                    let is_plain = matches!(does, Does::Atomic(..));
                    is_plain && !is_swap && !run.means.orders
                }
                AccessKind::Store => {
                    let is_plain = matches!(
                        does,
                        Does::Store(_) | Does::StoreHigh(_) | Does::StoreTwo(..)
                    );
                    is_plain && !run.means.needs_counters()
                }
                AccessKind::CoherentLoad | AccessKind::FailedSwap | AccessKind::SwapLoad => false,
            },
        }
    }
}
