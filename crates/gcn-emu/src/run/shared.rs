//! State that the threads of a run share: workgroups that have not begun, and what has stopped the run.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::place::WavePlace;
use crate::code::Code;
use crate::device::Device;
use crate::dispatch::{Dispatch, RESIDENT_GROUPS_WAITING};
use crate::fault::{Fault, FaultKind, Site};
use crate::observe::Dispatched;
use crate::wave::{Waiting, Wave, WaveId};

/// Workgroups that a thread takes at once if there are more than all threads can keep alive, so that none need be there
/// for another to end. Neighbours work on data that are neighbours, which one thread's caches better hold.
const CLAIM: u64 = 64;

/// Length of S_BARRIER.
const BARRIER_BYTES: u64 = 4;

/// State that the threads of a run share.
pub(super) struct Shared<'a> {
    pub(super) device: &'a Device,
    pub(super) code: &'a Code,
    pub(super) dispatch: &'a Dispatch,
    /// Number of the dispatch on its device.
    pub(super) id: u64,
    pub(super) groups: [u64; 3],
    pub(super) total: u128,
    /// Workgroups that a thread takes at once.
    pub(super) claim: u64,
    /// Number of the next workgroup that no thread has taken.
    pub(super) next: CachePadded<AtomicU64>,
    /// Threads that still have workgroups.
    pub(super) working: CachePadded<AtomicUsize>,
    /// Workgroups that a thread can keep alive.
    pub(super) slots: usize,
    pub(super) stop: AtomicBool,
    pub(super) fault: Mutex<Option<Fault>>,
}

/// Something in cache lines of its own: a thread that changes it takes nothing else from the others' caches.
#[repr(align(128))]
pub(super) struct CachePadded<T>(pub(super) T);

impl<'a> Shared<'a> {
    /// State of `threads` threads that run a dispatch.
    pub(super) fn new(
        device: &'a Device,
        code: &'a Code,
        dispatch: &'a Dispatch,
        threads: usize,
        slots: usize,
    ) -> Shared<'a> {
        let groups = dispatch.groups();
        let total = dispatch.group_count();
        Shared {
            device,
            code,
            dispatch,
            id: device.next_dispatch(),
            groups,
            total,
            claim: if total > (threads * RESIDENT_GROUPS_WAITING) as u128 {
                CLAIM
            } else {
                1
            },
            next: CachePadded(AtomicU64::new(0)),
            working: CachePadded(AtomicUsize::new(threads)),
            slots,
            stop: AtomicBool::new(false),
            fault: Mutex::new(None),
        }
    }

    /// The dispatch, for observers.
    pub(super) fn dispatched(&self) -> Dispatched<'a> {
        Dispatched {
            id: self.id,
            device: self.device,
            dispatch: self.dispatch,
            code: self.code,
        }
    }

    /// Makes every thread stop.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Reports code that was changed while it was executed, if there is no other fault. It has the name of the first wave,
    /// since it is not known which one stored.
    pub(super) fn check_code(&self) {
        if let Some(address) = self.code.changed(&self.device.memory) {
            self.report(Fault {
                kind: FaultKind::CodeChanged,
                wave: WaveId::default(),
                lane: None,
                pc: address,
                text: self.text(address),
                from: None,
                nearest: None,
            });
        }
    }

    /// The fault that has stopped the run, if one has.
    pub(super) fn into_fault(self) -> Option<Fault> {
        self.fault
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The next workgroups in order, x fastest: their numbers.
    pub(super) fn claim(&self) -> Range<u64> {
        let first = self.next.0.fetch_add(self.claim, Relaxed);
        let end = u128::from(first + self.claim).min(self.total);
        first..end as u64
    }

    /// Workgroup number `n` in x, y, z.
    pub(super) fn group(&self, n: u64) -> [u32; 3] {
        let [x, y, _] = self.groups;
        [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
    }

    /// Place of a wave.
    pub(super) fn place(&self, wave: &Wave) -> WavePlace {
        // A wave at a barrier goes on behind it, one at a GWS resource tries again.
        let pc = match wave.waiting {
            Waiting::Barrier => wave.pc.wrapping_sub(BARRIER_BYTES),
            _ => wave.pc,
        };
        WavePlace {
            wave: wave.id,
            pc,
            text: self.text(pc),
            exec: wave.exec(),
            waiting: wave.waiting,
        }
    }

    /// Place of the first violation.
    pub(super) fn site(&self, (wave, pc): (WaveId, u64)) -> Site {
        Site {
            wave,
            pc,
            text: self.text(pc),
        }
    }

    /// The text of the instruction at `pc`, if there is one.
    pub(super) fn text(&self, pc: u64) -> Option<String> {
        match self.code.step(pc) {
            Some(Ok(step)) => Some(step.inst.text()),
            _ => None,
        }
    }

    pub(super) fn report(&self, fault: Fault) {
        self.stop();
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
    }
}
