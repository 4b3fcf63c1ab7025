//! The global data share and the global wave synchronisation resources.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gcn_isa::effect::GwsOp;

use crate::lds::Share;

/// Bytes of the global data share.
pub const GDS_BYTES: u32 = 0x1_0000;

/// Global data share. An instruction has it to itself, for all its lanes.
#[derive(Debug)]
pub struct Gds {
    bytes: Mutex<Vec<u8>>,
}

impl Default for Gds {
    fn default() -> Gds {
        Gds::new(GDS_BYTES)
    }
}

impl Gds {
    /// GDS of `bytes` zero bytes: the allocation that dispatches have (checklist 2.9).
    pub fn new(bytes: u32) -> Gds {
        Gds {
            bytes: Mutex::new(vec![0; bytes.min(GDS_BYTES) as usize]),
        }
    }

    /// The bytes, for the one who holds them.
    pub fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The range that an instruction may access: M0 bits 15:0 bytes from M0 bits 31:16 on (errata E037).
    pub fn share(bytes: &mut [u8], m0: u32) -> Share<'_> {
        Share::new(bytes, (m0 >> 16) as usize, u64::from(m0 as u16))
    }
}

/// Global wave synchronisation resources (errata E048), and how many threads wait for one of them to change.
#[derive(Debug, Default)]
pub struct Gws {
    state: Mutex<GdsState>,
}

/// Number of resources.
pub const GWS_RESOURCES: usize = 64;

#[derive(Debug)]
struct GdsState {
    resources: [Resource; GWS_RESOURCES],
    /// Goes up with everything that may release a waiter.
    changes: u64,
    /// Threads that have seen `changes` as it is and found all their waves blocked.
    idle: usize,
    /// The logical number of the wave whose turn it is to count in order (errata E049).
    turn: u16,
}

impl Default for GdsState {
    fn default() -> GdsState {
        GdsState {
            resources: [Resource::default(); GWS_RESOURCES],
            changes: 0,
            idle: 0,
            turn: 0,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Resource {
    /// As a semaphore.
    counter: u32,
    /// Waves that have arrived at the barrier.
    arrived: u32,
    /// Number of releases of waiters: a barrier that opened, SEMA_RELEASE_ALL.
    releases: u64,
}

/// Ticket that a waiting wave gets at its first try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    resource: u8,
    releases: u64,
}

impl Gws {
    /// All resources idle.
    pub fn new() -> Gws {
        Gws::default()
    }

    fn lock(&self) -> MutexGuard<'_, GdsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `op` on a resource (taken modulo 64). `ticket` is the wave's own, nothing at the first try; false if the
    /// wave must try again.
    pub fn perform(
        &self,
        op: GwsOp,
        resource: u32,
        value: u32,
        ticket: &mut Option<Ticket>,
    ) -> bool {
        let mut state = self.lock();
        let index = resource as usize % GWS_RESOURCES;
        let it = &mut state.resources[index];
        let mine = Ticket {
            resource: index as u8,
            releases: it.releases,
        };
        let waited = ticket.take();
        let released =
            waited.is_some_and(|t| t.resource == mine.resource && t.releases != mine.releases);
        let (done, changed) = match op {
            GwsOp::Init => {
                it.counter = value;
                (true, true)
            }
            GwsOp::SemaV => {
                it.counter = it.counter.saturating_add(1);
                (true, true)
            }
            GwsOp::SemaBr => {
                it.counter = it.counter.saturating_add(value);
                (true, true)
            }
            GwsOp::SemaReleaseAll => {
                it.releases += 1;
                it.arrived = 0;
                (true, true)
            }
            GwsOp::SemaP if released => (true, false),
            GwsOp::SemaP if it.counter > 0 => {
                it.counter -= 1;
                (true, false)
            }
            GwsOp::Barrier if released => (true, false),
            GwsOp::Barrier if waited.is_none() && it.arrived >= value => {
                it.arrived = 0;
                it.releases += 1;
                (true, true)
            }
            GwsOp::Barrier => {
                it.arrived += u32::from(waited.is_none());
                (false, false)
            }
            GwsOp::SemaP => (false, false),
        };
        if !done {
            *ticket = Some(mine);
        }
        if changed {
            state.changes += 1;
            state.idle = 0;
        }
        done
    }

    /// True if it is the turn of the wave with this logical number to count in order.
    pub fn has_turn(&self, number: u16) -> bool {
        self.lock().turn == number
    }

    /// The turn of the wave after the one with this number.
    pub fn pass_turn(&self, number: u16) {
        let mut state = self.lock();
        state.turn = number.wrapping_add(1);
        state.changes += 1;
        state.idle = 0;
    }

    /// Number of events that may release a waiter.
    pub fn changes(&self) -> u64 {
        self.lock().changes
    }

    /// A thread all of whose waves are blocked, and were when there had been `seen` changes, waits for another. True
    /// if one has happened, false if none can: all `threads` wait.
    pub fn wait(&self, seen: u64, registered: &mut bool, threads: usize) -> Option<bool> {
        let mut state = self.lock();
        if state.changes != seen {
            return Some(true);
        }
        if !*registered {
            *registered = true;
            state.idle += 1;
        }
        (state.idle >= threads).then_some(false)
    }

    /// A thread has no more waves, and releases none any more.
    pub fn retire(&self) {
        let mut state = self.lock();
        state.changes += 1;
        state.idle = 0;
    }
}
