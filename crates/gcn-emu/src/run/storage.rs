//! Allocations kept from one run to the next. Allocating and filling the workgroup, waves and work-item IDs of a short
//! launch would take longer than the launch itself.

use std::cell::RefCell;

use gcn_isa::Isa;

use super::start::{DIMENSIONS, work_item_ids};
use crate::code::Code;
use crate::device::{Apertures, Device};
use crate::dispatch::Dispatch;
use crate::exec::memory::Transfer;
use crate::lanes::{LANES, Lanes};
use crate::lds::Lds;
use crate::wave::Wave;
use crate::workgroup::RunningGroup;

/// Maximum number of runs whose allocations are kept, for programs that alternate between a few kernels.
const KEPT: usize = 8;
/// Maximum number of threads whose allocations are kept for each of these runs.
const KEPT_THREADS: usize = 8;

thread_local! {
    /// Allocations of past runs that this thread has started, the latest last.
    static IDLE: RefCell<Vec<RunStorage>> = const { RefCell::new(Vec::new()) };
}

/// Allocations of a run.
pub(super) struct RunStorage {
    shape: StorageShape,
    /// Allocations that no thread of the run uses.
    threads: Vec<ThreadStorage>,
}

/// Allocations of one host thread.
pub(super) struct ThreadStorage {
    shape: StorageShape,
    /// Access of the current instruction.
    pub(super) transfer: Box<Transfer>,
    /// Ended workgroups, whose allocations (LDS, list of waves) are reused.
    #[allow(clippy::vec_box)]
    pub(super) groups: Vec<Box<RunningGroup>>,
    /// Ended waves, for reuse. The last one is reused first, since its registers are in the host's L1 cache.
    #[allow(clippy::vec_box)]
    pub(super) waves: Vec<Box<Wave>>,
    /// Work-item IDs of a full workgroup's waves.
    pub(super) ids: Vec<[Lanes; DIMENSIONS]>,
}

/// Properties that determine the allocations.
#[derive(Clone, Copy, PartialEq, Eq)]
struct StorageShape {
    isa: Isa,
    vgprs: usize,
    sgprs: u8,
    apertures: Apertures,
    lds_bytes: u32,
    group: [u32; DIMENSIONS],
}

impl RunStorage {
    /// Takes the allocations of an earlier run with the same shape, if there are any.
    pub(super) fn take(device: &Device, code: &Code, dispatch: &Dispatch) -> RunStorage {
        let shape = StorageShape {
            isa: code.isa(),
            vgprs: code.vgprs(),
            sgprs: code.sgprs(),
            apertures: device.config.apertures,
            lds_bytes: dispatch.lds_bytes,
            group: dispatch.group,
        };
        let idle = IDLE.with_borrow_mut(|idle| {
            let index = idle.iter().rposition(|run| run.shape == shape)?;
            Some(idle.remove(index))
        });
        idle.unwrap_or_else(|| RunStorage {
            shape,
            threads: Vec::new(),
        })
    }

    /// Takes the allocations of a thread, or creates them.
    pub(super) fn thread(&mut self) -> ThreadStorage {
        let StorageShape { group, .. } = self.shape;
        let items = group.iter().map(|&n| n as usize).product::<usize>();
        self.threads.pop().unwrap_or_else(|| ThreadStorage {
            shape: self.shape,
            transfer: Box::default(),
            groups: Vec::new(),
            waves: Vec::new(),
            ids: (0..items)
                .step_by(LANES)
                .map(|first| work_item_ids(group, first))
                .collect(),
        })
    }

    /// Adds the allocations of a thread that has ended, limited to those of one workgroup.
    pub(super) fn add(&mut self, mut thread: ThreadStorage) {
        thread.groups.truncate(1);
        thread.waves.truncate(thread.ids.len());
        thread.transfer.reset();
        self.threads.push(thread);
    }

    /// Keeps the allocations for a later run.
    pub(super) fn keep(mut self) {
        self.threads.truncate(KEPT_THREADS);
        IDLE.with_borrow_mut(|idle| {
            if idle.len() == KEPT {
                idle.remove(0);
            }
            idle.push(self);
        });
    }
}

impl ThreadStorage {
    /// Takes an unused workgroup, or creates one. The caller sets its ID, size and number of waves.
    pub(super) fn group(&mut self) -> Box<RunningGroup> {
        self.groups.pop().unwrap_or_else(|| {
            Box::new(RunningGroup {
                id: [0; DIMENSIONS],
                size: self.shape.group,
                count: 0,
                waves: Vec::new(),
                lds: Lds::new(self.shape.isa, self.shape.lds_bytes),
                slot: 0,
            })
        })
    }
}
