//! Checkpoints: saved states of a run on one thread.

use std::fmt;
use std::ops::Range;

use crate::device::{Device, SavedCalls};
use crate::dispatch::Stats;
use crate::gds::GwsState;
use crate::schedule::Schedule;
use crate::wave::{Lanes, Wave, WaveId};
use crate::workgroup::RunningGroup;

/// Approximate size of a wave's state in bytes, besides its vector registers: scalar registers, wait counters, staging
/// rows.
const WAVE_BYTES: usize = 12 << 10;

/// State of a run between two turns of workgroups, to which the run can return: waves, LDS, GDS, synchronization
/// resources, the shader clock and the schedule, but not memory.
pub struct Checkpoint {
    pub(crate) groups: Vec<RunningGroup>,
    pub(crate) progress: RunProgress,
    /// Number of the first unclaimed workgroup.
    pub(crate) next: u64,
    pub(crate) schedule: Schedule,
    pub(crate) device: SavedDevice,
}

/// Progress of a thread through the workgroups of a dispatch.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunProgress {
    pub(crate) stats: Stats,
    /// First violation of the first wave that has one, among the waves that the thread has run.
    pub(crate) violation: Option<(WaveId, u64)>,
    /// Workgroups that the thread has claimed and not begun.
    pub(crate) claimed: Range<u64>,
    /// True once no workgroup is left to claim.
    pub(crate) exhausted: bool,
    /// True once all waves of the thread have been blocked at the same time.
    pub(crate) anyone_waits: bool,
    /// Number of rounds since a workgroup last began or ended.
    pub(crate) rounds: u64,
    /// Round in progress.
    pub(crate) round: Round,
}

/// Round of turns, one for each resident workgroup.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Round {
    /// Index of the workgroup whose turn is next.
    pub(crate) index: usize,
    /// Number of instructions that the thread had executed before the workgroup's first turn in the round.
    pub(crate) begin: u64,
    /// Maximum number of instructions in consecutive turns of a workgroup.
    pub(crate) long_turn: u64,
    /// True if no workgroup has made progress in the round.
    pub(crate) all_blocked: bool,
    /// Number of changes to synchronization resources before the round.
    pub(crate) seen: u64,
}

/// Device state that outlives a run, except the contents of memory: GDS, the shader clock, and the address at which
/// scratch is allocated. To repeat a run exactly, restore this state first.
#[derive(Clone, Debug)]
pub struct LastingState {
    /// Contents of the GDS; `None` if it is all zeros.
    gds: Option<Box<[u8]>>,
    ticks: u64,
    next_address: u64,
}

impl LastingState {
    /// Saves the state of a device.
    pub fn save(device: &Device) -> LastingState {
        let gds = device.gds.lock();
        LastingState {
            gds: gds.iter().any(|byte| *byte != 0).then(|| gds[..].into()),
            ticks: device.ticks(),
            next_address: device.memory.next_address(),
        }
    }

    /// Restores the state of the same device, which must be idle. Allocations made since keep their addresses.
    pub fn restore(&self, device: &Device) {
        let mut gds = device.gds.lock();
        match &self.gds {
            Some(saved) => gds.copy_from_slice(saved),
            None => gds.fill(0),
        }
        device.set_ticks(self.ticks);
        device.memory.place_from(self.next_address);
    }
}

/// Device state shared by all waves, except memory.
pub(crate) struct SavedDevice {
    lasting: LastingState,
    gws: GwsState,
    calls: Option<SavedCalls>,
}

impl SavedDevice {
    /// Saves the state; `None` if the state of host calls cannot be saved.
    pub(crate) fn save(device: &Device) -> Option<SavedDevice> {
        let calls = match &device.host_calls {
            Some(host) => Some(host.save()?),
            None => None,
        };
        Some(SavedDevice {
            lasting: LastingState::save(device),
            gws: device.gws.save(),
            calls,
        })
    }

    pub(crate) fn restore(&self, device: &Device) {
        self.lasting.restore(device);
        device.gws.restore(&self.gws);
        if let (Some(host), Some(saved)) = (&device.host_calls, &self.calls) {
            host.restore(saved);
        }
    }
}

impl Checkpoint {
    /// Number of instructions that the dispatch had executed.
    pub fn instructions(&self) -> u64 {
        self.progress.stats.instructions
    }

    /// Device state that outlives the run; restore it before repeating the run.
    pub fn lasting(&self) -> &LastingState {
        &self.device.lasting
    }

    /// Wave `id`; `None` if it had not begun or had already ended.
    pub fn wave(&self, id: WaveId) -> Option<&Wave> {
        let group = self.groups.iter().find(|it| it.id == id.group)?;
        group.waves.get(id.wave as usize)?.as_deref()
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let wave = |wave: &Wave| WAVE_BYTES + wave.vgprs.len() * size_of::<Lanes>();
        let group =
            |group: &RunningGroup| group.lds.bytes().len() + group.begun().map(wave).sum::<usize>();
        let gds = self
            .device
            .lasting
            .gds
            .as_ref()
            .map_or(0, |bytes| bytes.len());
        self.groups.iter().map(group).sum::<usize>() + gds
    }
}

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("instructions", &self.instructions())
            .field("groups", &self.groups.len())
            .finish_non_exhaustive()
    }
}
