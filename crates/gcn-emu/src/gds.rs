//! Global data share (GDS) and global wave synchronization (GWS) resources.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gcn_isa::effect::GwsOp;

use crate::lds::Share;

/// Size of the global data share in bytes.
pub const GDS_BYTES: u32 = 0x1_0000;

/// Global data share. An instruction locks it for all its lanes.
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
    /// Creates a GDS allocation of `bytes` zero bytes, at most 64 KiB (checklist 2.9).
    pub fn new(bytes: u32) -> Gds {
        Gds {
            bytes: Mutex::new(vec![0; bytes.min(GDS_BYTES) as usize]),
        }
    }

    /// Locks the GDS and returns its bytes.
    pub fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Range that an instruction may access: M0 bits 15:0 give its size and bits 31:16 its base (errata E037).
    pub fn share(bytes: &mut [u8], m0: u32) -> Share<'_> {
        Share::new(bytes, (m0 >> 16) as usize, u64::from(m0 as u16))
    }
}

/// Global wave synchronization resources (errata E048), with the number of threads waiting for a change.
#[derive(Debug, Default)]
pub struct Gws {
    state: Mutex<GwsState>,
}

/// Number of GWS resources.
pub const GWS_RESOURCES: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct GwsState {
    resources: [Resource; GWS_RESOURCES],
    /// Incremented by every event that may release a waiter.
    changes: u64,
    /// Number of threads that found all their waves blocked at the current value of `changes`.
    idle: usize,
    /// Logical number of the wave whose turn it is in an ordered count (errata E049).
    turn: u16,
}

impl Default for GwsState {
    fn default() -> GwsState {
        GwsState {
            resources: [Resource::default(); GWS_RESOURCES],
            changes: 0,
            idle: 0,
            turn: 0,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Resource {
    /// Semaphore value.
    counter: u32,
    /// Number of waves at the barrier.
    arrived: u32,
    /// Number of times that a barrier or SEMA_RELEASE_ALL has released all waiters.
    releases: u64,
}

/// Ticket that a waiting wave receives at its first attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    resource: u8,
    releases: u64,
}

impl Gws {
    /// Creates the resources in their idle state.
    pub fn new() -> Gws {
        Gws::default()
    }

    fn lock(&self) -> MutexGuard<'_, GwsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives logical wave 0 the turn in ordered counts. Call this before each run: waves are numbered anew, but the
    /// resources keep their state, so that one kernel can prepare them for the next.
    pub(crate) fn begin_run(&self) {
        self.lock().turn = 0;
    }

    /// Copies the state of all resources.
    pub(crate) fn save(&self) -> GwsState {
        self.lock().clone()
    }

    /// Restores a saved state.
    pub(crate) fn restore(&self, saved: &GwsState) {
        self.lock().clone_from(saved);
    }

    /// Performs `op` on a resource (modulo 64). `ticket` belongs to the wave and is `None` at the first attempt.
    /// Returns false if the wave must retry.
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

    /// True if it is the turn of logical wave `number` in an ordered count.
    pub fn has_turn(&self, number: u16) -> bool {
        self.lock().turn == number
    }

    /// Ends the turn of logical wave `number` and begins the turn of the next wave.
    pub fn pass_turn(&self, number: u16) {
        let mut state = self.lock();
        state.turn = number.wrapping_add(1);
        state.changes += 1;
        state.idle = 0;
    }

    /// Number of events so far that may have released a waiter.
    pub fn changes(&self) -> u64 {
        self.lock().changes
    }

    /// Registers a thread as waiting because all its waves were blocked after `seen` changes. Returns true if another
    /// change has happened since, false if no change can happen because all `threads` threads wait, and `None` if the
    /// thread must keep waiting.
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

    /// Makes waiting threads register again, because a thread has run out of waves and can no longer release a waiter.
    pub fn retire(&self) {
        let mut state = self.lock();
        state.changes += 1;
        state.idle = 0;
    }
}
