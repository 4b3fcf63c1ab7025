//! Events of a run, and the traits of observers that receive them.
//!
//! All threads of a run share an [`Observer`]. For each thread, it creates a [`WaveObserver`], which only that thread
//! calls. The observer declares which [`Events`] both want. A run has a fixed set of observers ([`Observers`]), chosen
//! when it starts. Instruction handlers know nothing about observers: the step loop is compiled separately for runs
//! without and with observers.
//!
//! Two kinds of events cost almost nothing per instruction. An observer that watches registers is called for an
//! arithmetic instruction only if the instruction uses a watched one ([`Events::WATCHED`]). An observer of sequences
//! receives the instructions that a wave has executed up to a branch ([`Events::SEQUENCE`]).

mod context;

mod access;
mod debugger;
mod set;

use gcn_isa::uses::RegisterSet;

pub use crate::checkpoint::{Checkpoint, LastingState};
use crate::dispatch::Stats;
pub use crate::exec::memory::{Access, LaneSpace, Shape, ShareAccess, Span};
use crate::fault::{Fault, FaultKind};
pub use crate::memory::{MemoryChange, MemoryChangeKind};
use crate::scoreboard::Retired;
pub use crate::step::ShareElements;
use crate::step::{MemoryPlan, Step};

pub use access::{AccessValue, MemoryEvent, Phase};
pub use context::{Context, Dispatched, Instruction};
pub use debugger::{Debugger, Paused, Resting, Turn};
pub use set::Observers;
pub(crate) use set::{Overlook, Watchers};

bitflags::bitflags! {
    /// Set of event kinds.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct Events: u32 {
        /// Calls to [`Observer::dispatch_begins`] and [`Observer::dispatch_ends`].
        const DISPATCH = 1;
        /// Calls to [`WaveObserver::wave_begins`] and [`WaveObserver::wave_ends`].
        const WAVE = 1 << 1;
        /// Calls to [`WaveObserver::issues`].
        const ISSUE = 1 << 2;
        /// Calls to [`WaveObserver::completes`].
        const COMPLETE = 1 << 3;
        /// Calls to [`WaveObserver::skipped`].
        const SKIP = 1 << 4;
        /// Calls to [`WaveObserver::accesses`], before an access.
        const ACCESS = 1 << 5;
        /// Calls to [`WaveObserver::accessed`], after an access.
        const ACCESSED = 1 << 6;
        /// Calls to [`WaveObserver::retires`].
        const RETIRE = 1 << 7;
        /// Calls to [`WaveObserver::barrier_arrives`] and [`WaveObserver::barrier_opens`].
        const BARRIER = 1 << 8;
        /// Calls to [`WaveObserver::gws_blocks`], [`WaveObserver::gws_resumes`], [`WaveObserver::gws_begins`] and
        /// [`WaveObserver::gws_ends`].
        const GWS = 1 << 9;
        /// Calls to [`Observer::memory_changes`].
        const MEMORY = 1 << 10;
        /// Calls to [`WaveObserver::manages_cache`].
        const CACHE = 1 << 11;
        /// Calls to [`WaveObserver::issues`], except for S_WAITCNT and for ALU instructions and branches that use no
        /// register of [`WaveObserver::watched`]. Instructions without a call cost almost nothing.
        const WATCHED = 1 << 12;
        /// Calls to [`WaveObserver::executed`].
        const SEQUENCE = 1 << 13;
        /// Maintenance of the wait counters, without a call: operations have IDs, and a wave's scoreboard records which
        /// are outstanding. [`Events::ISSUE`], [`Events::COMPLETE`] and [`Events::RETIRE`] include this.
        const COUNTERS = 1 << 14;
        /// Calls to [`WaveObserver::issues`] for S_WAITCNT, for observers of [`Events::WATCHED`] that maintain their
        /// own wait counters.
        const WAIT = 1 << 15;
        /// Calls to [`WaveObserver::accessed`] only for stores and atomics outside LDS. Loads, LDS accesses and waits
        /// can then become host code.
        const STORED = 1 << 16;
        /// Calls to [`WaveObserver::accesses`] only for stores and atomics outside LDS, otherwise like
        /// [`Events::STORED`].
        const STORES = 1 << 17;
    }
}

impl Events {
    /// Events before an access by a memory instruction.
    #[inline(always)]
    pub(crate) fn before(plan: Option<&MemoryPlan>) -> Events {
        match plan.is_some_and(MemoryPlan::stores_outside_lds) {
            true => Self::ACCESS.union(Self::STORES),
            false => Self::ACCESS,
        }
    }

    /// Events after an access by a memory instruction.
    #[inline(always)]
    pub(crate) fn after(plan: Option<&MemoryPlan>) -> Events {
        match plan.is_some_and(MemoryPlan::stores_outside_lds) {
            true => Self::ACCESSED.union(Self::STORED),
            false => Self::ACCESSED,
        }
    }

    /// Events that any instruction may cause, even without a memory access.
    pub(crate) const INSTRUCTION: Events = Self::ISSUE.union(Self::COMPLETE).union(Self::SKIP);
    /// Events of an LDS access that an observer may ignore.
    pub(crate) const OVERLOOKED: Events = Self::WATCHED.union(Self::ACCESS).union(Self::ACCESSED);
    /// Events that an LDS access may still cause if all observers ignore it.
    pub(crate) const NOT_OVERLOOKED: Events = Self::INSTRUCTION.union(Self::RETIRE);
    /// Events that loads, LDS accesses and waits do not cause.
    pub(crate) const WITHOUT_LOADS: Events = Self::DISPATCH
        .union(Self::WAVE)
        .union(Self::MEMORY)
        .union(Self::STORED)
        .union(Self::STORES);
    /// Events at the issue of an instruction other than S_WAITCNT.
    pub(crate) const ISSUES: Events = Self::ISSUE.union(Self::WATCHED);
    /// Events at the issue of S_WAITCNT.
    pub(crate) const WAIT_ISSUES: Events = Self::ISSUE.union(Self::WAIT);
    /// Events that need the wait counters, for [`OperationId`]s or retiring operations.
    pub(crate) const OPERATIONS: Events = Self::ISSUE
        .union(Self::COMPLETE)
        .union(Self::RETIRE)
        .union(Self::COUNTERS);
}

/// Observer of runs and of a device's memory. All threads of a run share it.
pub trait Observer: Send + Sync {
    /// Events that the observer and its [`WaveObserver`]s want. This is called once, when the observer is added to a
    /// set.
    fn wants(&self) -> Events;

    /// Events of [`Observer::wants`] that the [`WaveObserver`]s want in a dispatch that has begun. An observer may omit
    /// events that it knows to be irrelevant.
    fn wants_in(&self, _dispatch: &Dispatched<'_>) -> Events {
        self.wants()
    }

    /// True if the [`WaveObserver`]s may ignore LDS accesses. Otherwise, [`WaveObserver::overlooks`] is never called.
    fn may_overlook(&self) -> bool {
        false
    }

    /// Creates an observer for the waves of a host thread. The thread drops it after its last wave, before
    /// [`Observer::dispatch_ends`]. Returns `None` if the observer wants no wave events.
    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        None
    }

    /// Called when a dispatch begins. Its scratch has been allocated.
    fn dispatch_begins(&self, _dispatch: &Dispatched<'_>) {}

    /// Called when a dispatch has ended, successfully or with a fault.
    fn dispatch_ends(&self, _dispatch: &Dispatched<'_>, _stats: &Stats, _fault: Option<&Fault>) {}

    /// Called for a memory operation of the host, on the thread that performs it.
    fn memory_changes(&self, _change: &MemoryChange<'_>) {}
}

/// Observer of the waves that one host thread runs.
pub trait WaveObserver: Send {
    /// Called when a wave begins. Its registers have the initial values of the ABI.
    fn wave_begins(&mut self, _context: &Context<'_>) {}

    /// Called when a wave ends, exactly once for each wave that has begun. With [`Events::COUNTERS`], its scoreboard
    /// still holds the outstanding operations.
    fn wave_ends(&mut self, _context: &Context<'_>, _end: WaveEnd<'_>) {}

    /// Registers of the wave for [`Events::WATCHED`]. This is called at the beginning of each turn of the wave, and
    /// after each reported instruction. Instructions with VGPR indexing or MOVREL are always reported, since they may
    /// access any register.
    fn watched(&mut self, _context: &Context<'_>) -> RegisterSet {
        RegisterSet::ALL
    }

    /// Called before an instruction executes, and only once if it blocks and is retried. [`WaveObserver::completes`]
    /// follows, unless the wave ends with a fault or at a limit, or the run stops.
    fn issues(&mut self, _context: &Context<'_>, _instruction: &Instruction<'_>) {}

    /// Called after an instruction has executed. The wave's `pc` is the address at which it continues.
    fn completes(&mut self, _context: &Context<'_>, _instruction: &Instruction<'_>) {}

    /// Called after a wave has executed consecutive instructions. Together, the sequences cover the wave's execution
    /// without gaps, including instructions that MODE skips. `context.pc` is the address of the first instruction. A
    /// sequence ends at the latest at a taken branch, at the end of a wave's turn, or before the wave ends. A faulting
    /// instruction is included.
    fn executed(&mut self, _context: &Context<'_>, _sequence: &[Step]) {}

    /// Called for an instruction that is not executed. Neither its issue nor its completion is reported.
    fn skipped(&mut self, _context: &Context<'_>, _step: &Step, _why: Skip) {}

    /// True if the observer does not need the [`Events::WATCHED`], [`Events::ACCESS`] and [`Events::ACCESSED`] events
    /// of an LDS access. This is called before these events, for observers that want any of them and [may
    /// ignore](Observer::may_overlook) LDS accesses. If no observer needs the events, the instruction takes little more
    /// time than without observers. This is not called if memory operations take effect late.
    fn overlooks(&mut self, _context: &Context<'_>, _access: &ShareAccess<'_>) -> bool {
        false
    }

    /// Called before an instruction accesses memory.
    fn accesses(&mut self, _context: &Context<'_>, _event: &MemoryEvent<'_>) -> Verdict {
        Verdict::Allow
    }

    /// Called after an instruction has accessed memory.
    fn accessed(&mut self, _context: &Context<'_>, _event: &MemoryEvent<'_>) {}

    /// Called before an instruction invalidates or writes back a cache. The instruction accesses no memory, and has
    /// no effect in the emulator.
    fn manages_cache(&mut self, _context: &Context<'_>, _instruction: &Instruction<'_>) {}

    /// Called when an operation no longer holds a wait counter, so that the program may rely on the effect that the
    /// counter tracks.
    fn retires(&mut self, _context: &Context<'_>, _retired: &Retired) {}

    /// Called when a wave has arrived at its workgroup's barrier.
    fn barrier_arrives(&mut self, _context: &Context<'_>) {}

    /// Called when all waves of a workgroup that have not ended have arrived at its barrier.
    fn barrier_opens(&mut self, _dispatch: &Dispatched<'_>, _group: [u32; 3]) {}

    /// Called when a wave blocks at a global wave synchronization resource, or to await its turn in an ordered count.
    fn gws_blocks(&mut self, _context: &Context<'_>) {}

    /// Called when a blocked wave continues.
    fn gws_resumes(&mut self, _context: &Context<'_>) {}

    /// Called before a wave operates on a global wave synchronization resource, but not again when a blocked wave
    /// retries.
    fn gws_begins(&mut self, _context: &Context<'_>) {}

    /// Called when an operation on a resource is complete. The wave may have been blocked in the meantime.
    fn gws_ends(&mut self, _context: &Context<'_>) {}
}

/// Reason why a wave ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveEnd<'a> {
    /// The wave executed S_ENDPGM.
    Program,
    /// The wave faulted, or an observer vetoed an access. If the fault belongs to a lane, the lanes below it have
    /// completed the instruction.
    Fault(&'a FaultKind, Option<u8>),
    /// The wave reached the instruction limit.
    Limit,
    /// The host interrupted the run.
    Interrupt,
    /// The run stopped, because another wave faulted or no wave could continue.
    Stopped,
}

/// Reason why an instruction is not executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Skip {
    /// MODE makes the wave skip vector instructions (S_SETVSKIP, errata E206).
    Mode,
    /// The destination is outside the wave's registers (checklist 1.6, 1.7).
    Destination,
}

/// Observer's decision about an access before it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Continue.
    Allow,
    /// Stop the run with this message.
    Veto(Box<str>),
}
