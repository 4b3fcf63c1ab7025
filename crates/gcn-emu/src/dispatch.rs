//! A kernel's launch: its sizes, the registers that its waves begin with, and what its end amounts to.

use std::ops::Range;

use crate::lanes::LANES;
use crate::wave::WaveId;

/// Bytes of scratch with which a host thread keeps more workgroups alive than it must.
const SCRATCH_BYTES: u64 = 4 << 20;

/// Workgroups that a thread keeps alive at once while they do something. One runs at a time; another starts only when
/// the ones before have had a turn, so that few workgroups that wait for each other soon finish.
pub(crate) const RESIDENT_GROUPS: usize = 8;

/// Workgroups that a thread keeps alive while all of them wait: as many one-wave workgroups as the largest chips of the
/// time hold at once (64 compute units of 40 waves), so that a dispatch that synchronises all its workgroups, by a
/// resource (checklist 2.30) or by memory (errata E243), runs here if it runs there.
pub(crate) const RESIDENT_GROUPS_WAITING: usize = 64 * 40;

/// A kernel's launch, after the ABI has been applied.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel's name, where it is known.
    pub kernel: Option<String>,
    /// Addresses of its arguments, where they are known.
    pub kernarg: Option<Range<u64>>,
    /// Address of the first instruction.
    pub entry: u64,
    /// Work-items in x, y, z; none zero.
    pub grid: [u32; 3],
    /// Work-items of a workgroup in x, y, z; none zero, 1024 at most in all.
    pub group: [u32; 3],
    /// Bytes of LDS that a workgroup has.
    pub lds_bytes: u32,
    /// Bytes of scratch that each lane has.
    pub scratch_bytes_per_lane: u32,
    /// Memory that the kernel may access in some ways only. It is not kept from others: observers may report them.
    pub restricted: Vec<Restricted>,
    /// The caches are invalidated before it begins, as the acquire fence of a packet has it. Memory is coherent here, so that
    /// only observers look at this.
    pub acquires: bool,
    /// Contents of the first registers.
    pub initial: Initial,
}

/// Memory that a kernel may access in some ways only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restricted {
    /// Addresses.
    pub range: Range<u64>,
    /// The ways.
    pub rule: AccessRule,
}

/// Ways in which a kernel may access memory, and who says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessRule {
    /// The kernel only loads: all its arguments that point to the allocation are declared so.
    ArgumentsRead,
    /// The kernel only loads: the host has made the buffer so.
    ReadOnly,
    /// The kernel only stores: the host has made the buffer so.
    WriteOnly,
    /// The kernel only loads: the host has mapped the memory to read it.
    MappedForReading,
    /// The kernel has no access: the host has mapped the memory and may write it.
    MappedForWriting,
    /// The kernel only stores: the host has changed the memory by a pointer to a region that it had unmapped.
    WrittenAfterUnmap,
    /// The kernel has no access: it was given other parts of the buffer.
    OutsideSubBuffers,
}

/// Registers as the hardware sets them before the first instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Initial {
    /// s0 and on.
    pub sgprs: Vec<InitialSgpr>,
    /// Work-item ids in v0, v1, v2: how many dimensions, 1..=3.
    pub work_item_ids: u8,
    /// MODE.
    pub mode: u32,
}

/// Contents of a scalar register before the first instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialSgpr {
    /// The same for all waves.
    Value(u32),
    /// Workgroup id in dimension 0, 1, 2.
    GroupId(u8),
    /// First wave of its workgroup in bit 31 and the number of waves below.
    GroupInfo,
    /// Dword 0 or 1 of the scratch descriptor: address of the thread's scratch.
    ScratchBase(u8),
    /// Offset of the wave's scratch behind that address, in bytes.
    ScratchWaveOffset,
    /// Low half of FLAT_SCRATCH_INIT on GCN 1.4: the same address.
    FlatScratchLow,
    /// High half.
    FlatScratchHigh,
}

/// Totals of a finished run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Instructions executed, one for each wave that did.
    pub instructions: u64,
    /// Waves run.
    pub waves: u64,
    /// Workgroups run.
    pub groups: u64,
    /// Memory violations that did not stop the run, one for each lane (checklist 1.9).
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
    /// Work-items of the grid in x, y, z; none zero.
    pub grid: [u32; 3],
    /// Work-items of a workgroup in x, y, z; none zero.
    pub group: [u32; 3],
}

impl GridShape {
    /// Work-items of a workgroup in x, y, z: one at the edge of the grid has only those that the grid has.
    pub fn group_size(&self, group: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|d| {
            let begin = u64::from(group[d]) * u64::from(self.group[d]);
            let rest = u64::from(self.grid[d]).saturating_sub(begin);
            rest.min(u64::from(self.group[d])) as u32
        })
    }

    /// The ID within its workgroup of the work-item that a lane of a wave runs.
    pub fn local_id(&self, wave: WaveId, lane: usize) -> [u32; 3] {
        let number = wave.wave as usize * LANES + lane;
        local_id(self.group_size(wave.group), number as u32)
    }
}

/// The ID of a work-item in a workgroup of this size by its number: x is fastest.
#[inline]
pub(crate) fn local_id(size: [u32; 3], number: u32) -> [u32; 3] {
    let [x, y, _] = size.map(|size| size.max(1));
    [number % x, number / x % y, number / x / y]
}

impl Dispatch {
    /// The sizes.
    pub fn shape(&self) -> GridShape {
        GridShape {
            grid: self.grid,
            group: self.group,
        }
    }

    /// Workgroups in x, y, z; the last ones may be partial.
    pub fn groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| u64::from(self.grid[d]).div_ceil(u64::from(self.group[d].max(1))))
    }

    /// Workgroups in all.
    pub(crate) fn group_count(&self) -> u128 {
        self.groups().map(u128::from).iter().product()
    }

    /// Waves of a full workgroup.
    pub fn waves_per_group(&self) -> u64 {
        self.group
            .iter()
            .map(|&n| u64::from(n))
            .product::<u64>()
            .div_ceil(LANES as u64)
    }

    /// Bytes of scratch that a host thread of the run needs.
    pub fn scratch_bytes_per_thread(&self) -> u64 {
        self.scratch_bytes_per_group() * self.resident_groups() as u64
    }

    /// Workgroups that a host thread of the run may have begun and not ended, at most: all of them need their scratch.
    pub(crate) fn resident_groups(&self) -> usize {
        let affordable = SCRATCH_BYTES
            .checked_div(self.scratch_bytes_per_group())
            .map_or(RESIDENT_GROUPS_WAITING, |groups| groups as usize);
        affordable.clamp(RESIDENT_GROUPS, RESIDENT_GROUPS_WAITING)
    }

    /// Waves that a run on `threads` host threads may have begun and not ended, at most.
    pub fn resident_waves(&self, threads: usize) -> u64 {
        let groups = (self.resident_groups() as u128 * threads as u128).min(self.group_count());
        self.waves_per_group().saturating_mul(groups as u64)
    }

    /// Bytes of scratch of a workgroup.
    pub(crate) fn scratch_bytes_per_group(&self) -> u64 {
        self.scratch_bytes_per_wave() * self.waves_per_group()
    }

    /// Bytes of scratch of a wave.
    pub(crate) fn scratch_bytes_per_wave(&self) -> u64 {
        u64::from(self.scratch_bytes_per_lane.next_multiple_of(4)) * LANES as u64
    }
}
