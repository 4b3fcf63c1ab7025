//! State shared by the threads of a run: workgroups that have not begun, and the fault that has stopped the run.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::place::WavePlace;
use super::start::{DIMENSIONS, GroupStart, Template};
use crate::code::Code;
use crate::device::Device;
use crate::dispatch::{Dispatch, RESIDENT_GROUPS_WAITING};
use crate::fault::{Fault, FaultKind, Site};
use crate::lanes::Lanes;
use crate::observe::Dispatched;
use crate::wave::{GroupShape, Waiting, Wave, WaveId};
use crate::workgroup::RunningGroup;

/// Number of workgroups that a thread claims at once, if there are too many to keep all of them resident. In that case,
/// no workgroup may depend on another one being resident. Neighboring workgroups often access neighboring data, so one
/// thread runs them while the data is cached.
const CLAIM: u64 = 64;

/// Size of S_BARRIER in bytes.
const BARRIER_BYTES: u64 = 4;

/// State shared by the threads of a run.
pub(super) struct Shared<'a> {
    pub(super) device: &'a Device,
    pub(super) code: &'a Code,
    pub(super) dispatch: &'a Dispatch,
    /// Number of the dispatch, unique among the devices that share memory.
    pub(super) id: u64,
    pub(super) groups: [u64; 3],
    pub(super) total: u128,
    /// Number of workgroups that a thread claims at once.
    pub(super) claim: u64,
    /// Number of the next unclaimed workgroup.
    pub(super) next: CachePadded<AtomicU64>,
    /// Number of threads that still have workgroups.
    pub(super) working: CachePadded<AtomicUsize>,
    /// Maximum number of resident workgroups of a thread.
    pub(super) slots: usize,
    pub(super) stop: AtomicBool,
    pub(super) fault: Mutex<Option<Fault>>,
}

/// Value in its own cache lines, to avoid false sharing.
#[repr(align(128))]
pub(super) struct CachePadded<T>(pub(super) T);

impl<'a> Shared<'a> {
    /// Creates the state of `threads` threads that run a dispatch.
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

    /// Returns the dispatch as observers see it.
    pub(super) fn dispatched(&self) -> Dispatched<'a> {
        Dispatched {
            id: self.id,
            device: self.device,
            dispatch: self.dispatch,
            code: self.code,
        }
    }

    /// Returns the data for starting the waves of `group`, with the thread's scratch at `scratch`.
    pub(super) fn starting<'b>(
        &'b self,
        group: &RunningGroup,
        template: &'b Template<'b>,
        ids: &'b [[Lanes; DIMENSIONS]],
        scratch: u64,
    ) -> GroupStart<'b> {
        let dispatch = self.dispatch;
        let is_full = group.size == dispatch.group;
        GroupStart {
            dispatch,
            config: &self.device.config,
            template,
            ids: if is_full { ids } else { &[] },
            scratch,
            scratch_offset: group.slot as u64 * dispatch.scratch_bytes_per_group(),
            scratch_bytes: dispatch.scratch_bytes_per_wave(),
            id: group.id,
            size: group.size,
            items: group.items(),
            shape: GroupShape {
                lds_bytes: group.lds.bytes().len() as u32,
                waves: group.count as u32,
            },
            cleared: None,
        }
    }

    /// Makes all threads stop.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Reports code that was changed during execution, if there is no other fault. The fault names the first wave,
    /// because the storing wave is unknown.
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

    /// Fault that has stopped the run, if any.
    pub(super) fn into_fault(self) -> Option<Fault> {
        self.fault
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the next workgroups, with x varying fastest, and returns their numbers.
    pub(super) fn claim(&self) -> Range<u64> {
        let first = self.next.0.fetch_add(self.claim, Relaxed);
        let end = u128::from(first + self.claim).min(self.total);
        first..end as u64
    }

    /// Coordinates of workgroup number `n`.
    pub(super) fn group(&self, n: u64) -> [u32; 3] {
        let [x, y, z] = self.groups;
        // Most grids have one dimension and need no slow division.
        if (y, z) == (1, 1) {
            return [n as u32, 0, 0];
        }
        [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
    }

    /// Position of a wave.
    pub(super) fn place(&self, wave: &Wave) -> WavePlace {
        // A wave at a barrier continues after it; a wave at a GWS resource tries again.
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

    /// Site of the instruction at an address in a wave.
    pub(super) fn site(&self, (wave, pc): (WaveId, u64)) -> Site {
        Site {
            wave,
            pc,
            text: self.text(pc),
        }
    }

    /// Text of the instruction at `pc`, if there is one.
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
