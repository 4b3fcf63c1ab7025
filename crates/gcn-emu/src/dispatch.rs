//! Kernel dispatches: sizes, initial register contents and statistics.

use std::ops::Range;

use crate::lanes::LANES;
use crate::wave::WaveId;

/// Scratch size per host thread up to which more than [`RESIDENT_GROUPS`] workgroups may be resident.
const SCRATCH_BYTES: u64 = 4 << 20;

/// Number of resident workgroups per thread below which another begins after each round of turns, so that workgroups
/// that wait for each other finish soon. With this many or more, another begins only if all resident ones block, seem
/// to wait or run long.
pub(crate) const RESIDENT_GROUPS: usize = 8;

/// Maximum number of resident workgroups per thread: the number of one-wave workgroups that the largest GCN chips hold
/// (64 compute units with 40 waves each). A dispatch that synchronizes all its workgroups, through a resource
/// (checklist 2.30) or through memory (errata E243), therefore runs here if it runs on those chips, unless scratch
/// lowers the maximum ([`Dispatch::resident_groups`]).
pub(crate) const RESIDENT_GROUPS_WAITING: usize = 64 * 40;

/// Kernel launch after the ABI has been applied.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Name of the kernel, if known.
    pub kernel: Option<String>,
    /// Address range of the kernel arguments, if known.
    pub kernarg: Option<Range<u64>>,
    /// Address of the first instruction.
    pub entry: u64,
    /// Grid size in work-items (x, y, z), all nonzero.
    pub grid: [u32; 3],
    /// Workgroup size in work-items (x, y, z), all nonzero and at most 1024 in total.
    pub group: [u32; 3],
    /// LDS size per workgroup in bytes.
    pub lds_bytes: u32,
    /// Scratch size per lane in bytes.
    pub scratch_bytes_per_lane: u32,
    /// Memory that the kernel may access only in certain ways. The emulator does not enforce this; observers may
    /// report violations.
    pub restricted: Vec<Restricted>,
    /// True if caches are invalidated before the dispatch, for example by the acquire fence of an AQL packet. Emulated
    /// memory is coherent, so only observers use this.
    pub acquires: bool,
    /// Initial register contents.
    pub initial: Initial,
}

/// Memory range with restricted access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restricted {
    /// Address range.
    pub range: Range<u64>,
    /// Restriction.
    pub rule: AccessRule,
}

/// Access restriction and its origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessRule {
    /// Read-only: every argument that points to the allocation is declared read-only.
    ArgumentsRead,
    /// Read-only: the host created the buffer as read-only.
    ReadOnly,
    /// Write-only: the host created the buffer as write-only.
    WriteOnly,
    /// Read-only: the host has mapped the memory for reading.
    MappedForReading,
    /// No access: the host has mapped the memory for writing.
    MappedForWriting,
    /// Write-only: the host wrote to the memory through a pointer to a region that it had already unmapped.
    WrittenAfterUnmap,
    /// No access: the kernel received only other sub-buffers of the buffer.
    OutsideSubBuffers,
}

/// Register contents that hardware sets before the first instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Initial {
    /// Scalar registers, starting with s0.
    pub sgprs: Vec<InitialSgpr>,
    /// Number of dimensions (1..=3) of work-item IDs in v0, v1, v2.
    pub work_item_ids: u8,
    /// MODE.
    pub mode: u32,
}

/// Initial contents of a scalar register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialSgpr {
    /// Value shared by all waves.
    Value(u32),
    /// Workgroup ID in dimension 0, 1 or 2.
    GroupId(u8),
    /// Bit 31: first wave of its workgroup. Lower bits: number of waves.
    GroupInfo,
    /// Dword 0 or 1 of the scratch descriptor: address of the host thread's scratch.
    ScratchBase(u8),
    /// Byte offset of the wave's scratch from the start of the host thread's scratch.
    ScratchWaveOffset,
    /// Low half of FLAT_SCRATCH_INIT on GCN 1.4: address of the host thread's scratch.
    FlatScratchLow,
    /// High half of FLAT_SCRATCH_INIT on GCN 1.4.
    FlatScratchHigh,
}

/// Statistics of a finished run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Number of instructions executed, counted per wave.
    pub instructions: u64,
    /// Number of waves run.
    pub waves: u64,
    /// Number of workgroups run.
    pub groups: u64,
    /// Number of memory violations that did not stop the run, counted per lane (checklist 1.9).
    pub violations: u64,
}

/// Sizes of a dispatch, in work-items.
///
/// # Examples
/// ```
/// use gcn_emu::run::GridShape;
/// use gcn_emu::wave::WaveId;
/// let shape = GridShape { grid: [100, 3, 1], group: [32, 4, 1] };
/// assert_eq!(shape.group_size([0, 0, 0]), [32, 3, 1]);
/// assert_eq!(shape.group_size([3, 0, 0]), [4, 3, 1], "at the edge of the grid");
/// let id = |group, wave, lane| shape.local_id(WaveId { group, wave }, lane);
/// assert_eq!(id([0, 0, 0], 1, 5), [5, 2, 0]);
/// assert_eq!(id([3, 0, 0], 0, 5), [1, 1, 0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridShape {
    /// Grid size in work-items (x, y, z), all nonzero.
    pub grid: [u32; 3],
    /// Workgroup size in work-items (x, y, z), all nonzero.
    pub group: [u32; 3],
}

impl GridShape {
    /// Actual size of a workgroup in work-items; workgroups at the edge of the grid may be partial.
    pub fn group_size(&self, group: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|d| {
            let begin = u64::from(group[d]) * u64::from(self.group[d]);
            let rest = u64::from(self.grid[d]).saturating_sub(begin);
            rest.min(u64::from(self.group[d])) as u32
        })
    }

    /// Local ID of the work-item in a lane of a wave.
    pub fn local_id(&self, wave: WaveId, lane: usize) -> [u32; 3] {
        let number = wave.wave as usize * LANES + lane;
        local_id(self.group_size(wave.group), number as u32)
    }
}

/// Converts a flat local ID to x, y, z in a workgroup of size `size`; x varies fastest.
#[inline]
pub(crate) fn local_id(size: [u32; 3], number: u32) -> [u32; 3] {
    let [x, y, _] = size.map(|size| size.max(1));
    [number % x, number / x % y, number / x / y]
}

impl Dispatch {
    /// Grid and workgroup sizes.
    pub fn shape(&self) -> GridShape {
        GridShape {
            grid: self.grid,
            group: self.group,
        }
    }

    /// Number of workgroups in x, y, z; the last ones may be partial.
    pub fn groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| u64::from(self.grid[d]).div_ceil(u64::from(self.group[d].max(1))))
    }

    /// Total number of workgroups.
    pub(crate) fn group_count(&self) -> u128 {
        self.groups().map(u128::from).iter().product()
    }

    /// Number of waves in a full workgroup.
    pub fn waves_per_group(&self) -> u64 {
        self.items_per_group().div_ceil(LANES as u64)
    }

    /// Number of work-items in a full workgroup, at most [`u64::MAX`].
    pub(crate) fn items_per_group(&self) -> u64 {
        let sizes = self.group.iter().map(|&n| u64::from(n));
        sizes.fold(1, u64::saturating_mul)
    }

    /// Scratch bytes needed by each host thread of the run.
    pub fn scratch_bytes_per_thread(&self) -> u64 {
        self.scratch_bytes_per_group() * self.resident_groups() as u64
    }

    /// Maximum number of workgroups resident on a host thread. Each needs its own scratch.
    pub(crate) fn resident_groups(&self) -> usize {
        let affordable = SCRATCH_BYTES
            .checked_div(self.scratch_bytes_per_group())
            .map_or(RESIDENT_GROUPS_WAITING, |groups| groups as usize);
        if affordable < RESIDENT_GROUPS {
            // A small grid may have fewer workgroups.
            affordable.max(self.group_count().clamp(1, RESIDENT_GROUPS as u128) as usize)
        } else {
            affordable.min(RESIDENT_GROUPS_WAITING)
        }
    }

    /// Maximum number of waves resident in a run on `threads` host threads.
    pub fn resident_waves(&self, threads: usize) -> u64 {
        let groups = (self.resident_groups() as u128 * threads as u128).min(self.group_count());
        self.waves_per_group().saturating_mul(groups as u64)
    }

    /// Scratch bytes per workgroup.
    pub(crate) fn scratch_bytes_per_group(&self) -> u64 {
        self.scratch_bytes_per_wave() * self.waves_per_group()
    }

    /// Scratch bytes per wave.
    pub(crate) fn scratch_bytes_per_wave(&self) -> u64 {
        u64::from(self.scratch_bytes_per_lane.next_multiple_of(4)) * LANES as u64
    }
}
