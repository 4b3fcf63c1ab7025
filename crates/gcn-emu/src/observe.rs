//! Events of a run, and the interface of what watches it.
//!
//! An [`Observer`] is shared by the threads of a run; for each of them it makes a [`WaveObserver`], which that thread
//! alone calls. Both declare, once, the [`Events`] that they want. A run has a set of them ([`Observers`]), chosen when it
//! starts. Handlers know nothing of all this: the step loop is compiled for runs without observers, and for runs with a set of them.
//!
//! Two events cost next to nothing per instruction: an observer that watches registers is called for arithmetic only where
//! one of them is used ([`Events::WATCHED`]), and one that asks for sequences is given the instructions that a wave has
//! executed up to a branch ([`Events::SEQUENCE`]).

mod context;

mod access;
mod debugger;
mod set;

use std::ops::{BitAnd, BitOr};

use gcn_isa::uses::RegisterSet;

use crate::dispatch::Stats;
pub use crate::exec::memory::{Access, LaneSpace, Shape, ShareAccess, Span};
use crate::fault::{Fault, FaultKind};
pub use crate::memory::{MemoryChange, MemoryChangeKind};
use crate::scoreboard::Retired;
pub use crate::step::ShareElements;
use crate::step::Step;

pub use access::{AccessValue, MemoryEvent, Phase};
pub use context::{Context, Dispatched, Instruction};
pub(crate) use debugger::StopPoints;
pub use debugger::{Debugger, Paused, Turn};
pub use set::Observers;
pub(crate) use set::{Overlook, Watchers};

/// A set of kinds of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Events(u32);

impl Events {
    /// No event.
    pub const NONE: Events = Events(0);
    /// [`Observer::dispatch_begins`], [`Observer::dispatch_ends`].
    pub const DISPATCH: Events = Events(1);
    /// [`WaveObserver::wave_begins`], [`WaveObserver::wave_ends`].
    pub const WAVE: Events = Events(1 << 1);
    /// [`WaveObserver::issues`].
    pub const ISSUE: Events = Events(1 << 2);
    /// [`WaveObserver::completes`].
    pub const COMPLETE: Events = Events(1 << 3);
    /// [`WaveObserver::skipped`].
    pub const SKIP: Events = Events(1 << 4);
    /// [`WaveObserver::accesses`], before memory is accessed.
    pub const ACCESS: Events = Events(1 << 5);
    /// [`WaveObserver::accessed`], after it was.
    pub const ACCESSED: Events = Events(1 << 6);
    /// [`WaveObserver::retires`].
    pub const RETIRE: Events = Events(1 << 7);
    /// [`WaveObserver::barrier_arrives`], [`WaveObserver::barrier_opens`].
    pub const BARRIER: Events = Events(1 << 8);
    /// [`WaveObserver::gws_blocks`], [`WaveObserver::gws_resumes`], [`WaveObserver::gws_begins`], [`WaveObserver::gws_ends`].
    pub const GWS: Events = Events(1 << 9);
    /// [`Observer::memory_changes`].
    pub const MEMORY: Events = Events(1 << 10);
    /// [`WaveObserver::manages_cache`].
    pub const CACHE: Events = Events(1 << 11);
    /// [`WaveObserver::issues`], but of S_WAITCNT never, and of instructions of the ALU and of branches only for those that use
    /// a register of [`WaveObserver::watched`]: the others cost next to nothing.
    pub const WATCHED: Events = Events(1 << 12);
    /// [`WaveObserver::executed`].
    pub const SEQUENCE: Events = Events(1 << 13);
    /// No event: the wait counters are kept, so that operations have numbers, and a wave's scoreboard says which are outstanding.
    /// [`Events::ISSUE`], [`Events::COMPLETE`] and [`Events::RETIRE`] ask for it too.
    pub const COUNTERS: Events = Events(1 << 14);
    /// [`WaveObserver::issues`] of S_WAITCNT, for observers of [`Events::WATCHED`] that keep wait counters of their own.
    pub const WAIT: Events = Events(1 << 15);
    /// All events.
    pub const ALL: Events = Events((1 << 16) - 1);

    /// Events that each instruction, of memory or not, may cause.
    pub(crate) const INSTRUCTION: Events = Events(Self::ISSUE.0 | Self::COMPLETE.0 | Self::SKIP.0);
    /// Events of an access of LDS that an observer may overlook.
    pub(crate) const OVERLOOKED: Events =
        Events(Self::WATCHED.0 | Self::ACCESS.0 | Self::ACCESSED.0);
    /// Events that an access of LDS may cause though it is overlooked.
    pub(crate) const NOT_OVERLOOKED: Events = Events(Self::INSTRUCTION.0 | Self::RETIRE.0);
    /// Events of an instruction that issues, but for S_WAITCNT.
    pub(crate) const ISSUES: Events = Events(Self::ISSUE.0 | Self::WATCHED.0);
    /// Events of S_WAITCNT when it issues.
    pub(crate) const WAIT_ISSUES: Events = Events(Self::ISSUE.0 | Self::WAIT.0);
    /// Events of which the wait counters are a part: [`OperationId`]s, and what retires.
    pub(crate) const OPERATIONS: Events =
        Events(Self::ISSUE.0 | Self::COMPLETE.0 | Self::RETIRE.0 | Self::COUNTERS.0);

    /// The same without some.
    #[must_use]
    pub const fn without(self, others: Events) -> Events {
        Events(self.0 & !others.0)
    }

    /// Both.
    #[must_use]
    pub const fn or(self, others: Events) -> Events {
        Events(self.0 | others.0)
    }

    /// Tests for a common event.
    #[inline(always)]
    pub const fn any(self, of: Events) -> bool {
        self.0 & of.0 != 0
    }
}

impl BitAnd for Events {
    type Output = Events;
    fn bitand(self, other: Events) -> Events {
        Events(self.0 & other.0)
    }
}

impl BitOr for Events {
    type Output = Events;
    fn bitor(self, other: Events) -> Events {
        self.or(other)
    }
}

/// Watches runs, and the memory of a device. All threads of a run share it.
pub trait Observer: Send + Sync {
    /// Events that it and its [`WaveObserver`]s want. They are asked for once, when it is put into a set.
    fn wants(&self) -> Events;

    /// Events of [`Observer::wants`] that its [`WaveObserver`]s want in a dispatch, which has begun. An observer that knows ahead
    /// that some would tell it nothing leaves them out.
    fn wants_in(&self, _dispatch: &Dispatched<'_>) -> Events {
        self.wants()
    }

    /// True if its [`WaveObserver`]s may overlook accesses of LDS: others are not asked ([`WaveObserver::overlooks`]).
    fn may_overlook(&self) -> bool {
        false
    }

    /// An observer of the waves that one host thread is about to run. The thread drops it after its last wave, before
    /// [`Observer::dispatch_ends`]. `None` where no event of waves is wanted.
    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        None
    }

    /// A dispatch begins. Its scratch has been allocated.
    fn dispatch_begins(&self, _dispatch: &Dispatched<'_>) {}

    /// A dispatch has ended, successfully or by a fault.
    fn dispatch_ends(&self, _dispatch: &Dispatched<'_>, _stats: &Stats, _fault: Option<&Fault>) {}

    /// The host has changed memory. Called in the thread that did.
    fn memory_changes(&self, _change: &MemoryChange<'_>) {}
}

/// Watches the waves that one host thread runs.
pub trait WaveObserver: Send {
    /// A wave begins. Its registers are as the ABI sets them.
    fn wave_begins(&mut self, _context: &Context<'_>) {}

    /// A wave ends. Each wave that has begun ends once; what is still outstanding is on its scoreboard, with [`Events::COUNTERS`].
    fn wave_ends(&mut self, _context: &Context<'_>, _end: WaveEnd<'_>) {}

    /// The registers of the wave that [`Events::WATCHED`] is about. They are asked for when a turn of the wave begins, and after
    /// each instruction that was reported; one that VGPR indexing or MOVREL may lead anywhere is always reported.
    fn watched(&mut self, _context: &Context<'_>) -> RegisterSet {
        RegisterSet::ALL
    }

    /// An instruction is about to execute: once, also if it blocks and is tried again. [`WaveObserver::completes`] follows,
    /// unless the wave ends by a fault, at a limit or because the run stops.
    fn issues(&mut self, _context: &Context<'_>, _instruction: &Instruction<'_>) {}

    /// An instruction has executed; the wave's `pc` is where it goes on.
    fn completes(&mut self, _context: &Context<'_>, _instruction: &Instruction<'_>) {}

    /// A wave has executed instructions that follow each other; before it those of its last such event, and none between.
    /// Those that MODE skips are among them. `context.pc` is the address of the first. It comes at the latest at a
    /// branch taken, at the end of a wave's turn, and before the wave ends; of an instruction that faults as well.
    fn executed(&mut self, _context: &Context<'_>, _sequence: &[Step]) {}

    /// An instruction is not executed; neither issue nor completion is reported.
    fn skipped(&mut self, _context: &Context<'_>, _step: &Step, _why: Skip) {}

    /// An instruction is about to access LDS: asked of those that [may overlook](Observer::may_overlook) it and want
    /// [`Events::WATCHED`], [`Events::ACCESS`] or [`Events::ACCESSED`], before these. True if the observer needs none of them. Where no observer does, the instruction takes
    /// little more time than unobserved. It is not asked where memory operations take effect late.
    fn overlooks(&mut self, _context: &Context<'_>, _access: &ShareAccess<'_>) -> bool {
        false
    }

    /// An instruction is about to access memory.
    fn accesses(&mut self, _context: &Context<'_>, _event: &MemoryEvent<'_>) -> Verdict {
        Verdict::Allow
    }

    /// An instruction has accessed memory.
    fn accessed(&mut self, _context: &Context<'_>, _event: &MemoryEvent<'_>) {}

    /// An instruction is about to invalidate or write back a cache. It accesses no memory, and changes nothing here.
    fn manages_cache(&mut self, _context: &Context<'_>, _instruction: &Instruction<'_>) {}

    /// An operation no longer holds a wait counter: the program may rely on what that counter stands for.
    fn retires(&mut self, _context: &Context<'_>, _retired: &Retired) {}

    /// A wave has arrived at its workgroup's barrier.
    fn barrier_arrives(&mut self, _context: &Context<'_>) {}

    /// All waves of a workgroup that have not ended have arrived.
    fn barrier_opens(&mut self, _dispatch: &Dispatched<'_>, _group: [u32; 3]) {}

    /// A wave blocks at a global wave synchronisation resource, or until its turn to count in order comes.
    fn gws_blocks(&mut self, _context: &Context<'_>) {}

    /// A blocked wave goes on.
    fn gws_resumes(&mut self, _context: &Context<'_>) {}

    /// A wave is about to do something to a global wave synchronisation resource; not again if it blocks there.
    fn gws_begins(&mut self, _context: &Context<'_>) {}

    /// The operation is done; the wave may have been blocked meanwhile.
    fn gws_ends(&mut self, _context: &Context<'_>) {}
}

/// Reason why a wave ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveEnd<'a> {
    /// By S_ENDPGM.
    Program,
    /// By a fault of its own, or by a veto.
    Fault(&'a FaultKind),
    /// At the limit of instructions.
    Limit,
    /// The host interrupted the run.
    Interrupt,
    /// The run stopped: another wave has ended by a fault, or no wave can go on.
    Stopped,
}

/// Reason for which an instruction is not executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Skip {
    /// MODE says that vector instructions are skipped (S_SETVSKIP, errata E206).
    Mode,
    /// The destination is outside the wave's registers (checklist 1.6, 1.7).
    Destination,
}

/// An observer's decision on an access before it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Go on.
    Allow,
    /// Stop the run with this message.
    Veto(Box<str>),
}
