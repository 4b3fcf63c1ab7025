//! Buffer regions that a program has mapped, for checks of conflicting kernel accesses.
//!
//! The host owns a region from the end of the map command to the start of the unmap command. Host accesses are not
//! observed. To detect host writes after unmapping, the contents are saved when the program unmaps the region, and compared
//! when the next launch that uses the memory begins. In between, only commands may change the memory, and they report their
//! writes to [`Memory`]. A launch discards the saved contents of all memory that it uses, since it may write there.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gcn_emu::memory::{Listener, Memory, MemoryChange, MemoryChangeKind};
use gcn_emu::observe::Observers;
use gcn_emu::run::{AccessRule, Restricted};

/// Maximum total size of saved contents in bytes. Regions beyond the limit are not compared.
const MAX_BYTES: usize = 256 << 20;
/// Maximum number of changed ranges that are reported per region.
const MAX_CHANGES: usize = 64;

/// Mapped regions, and saved contents of unmapped regions.
///
/// # Examples
/// ```
/// use gcn_report::program::Watch;
/// use gcn_report::settings::{CheckSettings, Settings};
/// use gcn_runtime::{AccessRule, Device};
/// let device = Device::new("gfx900")?;
/// let settings = Settings { check: Some(CheckSettings::default()), ..Settings::default() };
/// let watch = Watch::new(&settings, &device)?;
/// let regions = watch.checks().and_then(|checks| checks.mapped_regions()).expect("bounds is a default check");
/// let (memory, xs) = (device.memory(), device.buffer("xs", &[0u32; 4])?);
/// let region = xs.address()..xs.address() + 16;
/// regions.map(region.clone(), true);
/// assert_eq!(regions.launch(memory, vec![region.clone()]).rules[0].rule, AccessRule::MappedForWriting);
/// let contents = regions.contents(memory, &region, true);
/// let contents = regions.unmap(&region, true, contents).expect("no command has written there");
/// regions.keep(contents);
/// // The program continues to write through its pointer.
/// memory.store_u32(xs.address() + 4, 5).expect("the address is in the buffer");
/// let launch = regions.launch(memory, vec![region.clone()]);
/// let expected = (AccessRule::WrittenAfterUnmap, xs.address() + 4);
/// assert_eq!((launch.rules[0].rule, launch.rules[0].range.start), expected);
/// drop(launch);
/// assert!(regions.launch(memory, vec![region]).rules.is_empty(), "the first launch may have written them");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct MappedRegions {
    state: Mutex<RegionState>,
}

#[derive(Debug, Default)]
struct RegionState {
    mapped: Vec<MappedRegion>,
    /// Contents of regions at the time of unmapping.
    unmapped: Vec<RegionContents>,
    /// Sizes in bytes of all contents that are still alive, including those not in `unmapped`.
    charges: Vec<(Weak<()>, usize)>,
    /// Address ranges that each running launch uses.
    running: Vec<Vec<Range<u64>>>,
}

impl RegionState {
    /// True if a running launch uses memory in the range.
    fn is_in_use(&self, range: &Range<u64>) -> bool {
        self.running.iter().flatten().any(|it| overlap(it, range))
    }

    /// Charges `bytes` until the result is dropped. Returns `None` if the total would exceed [`MAX_BYTES`].
    fn charge(&mut self, bytes: usize) -> Option<Arc<()>> {
        self.charges.retain(|(charge, _)| charge.strong_count() > 0);
        let charged: usize = self.charges.iter().map(|(_, bytes)| bytes).sum();
        if charged.saturating_add(bytes) > MAX_BYTES {
            return None;
        }
        let charge = Arc::new(());
        self.charges.push((Arc::downgrade(&charge), bytes));
        Some(charge)
    }
}

/// Running launch, and the access rules that apply to it.
#[derive(Debug)]
pub struct RunningLaunch<'a> {
    /// Rules that checkers apply to accesses by the launch.
    pub rules: Vec<Restricted>,
    regions: &'a MappedRegions,
    reached: Vec<Range<u64>>,
}

impl Drop for RunningLaunch<'_> {
    fn drop(&mut self) {
        let running = &mut self.regions.state().running;
        if let Some(own) = running.iter().position(|it| *it == self.reached) {
            running.swap_remove(own);
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct MappedRegion {
    range: Range<u64>,
    is_written: bool,
    /// Number of changes that commands have made to the region since it was mapped.
    commands: u64,
}

/// Saved contents of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionContents {
    address: u64,
    bytes: Vec<u8>,
    /// Value of [`MappedRegion::commands`] when the contents were saved.
    commands: u64,
    _charge: Arc<()>,
}

/// True if two ranges overlap.
fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

impl RegionContents {
    fn range(&self) -> Range<u64> {
        self.address..self.address + self.bytes.len() as u64
    }

    /// Returns the first [`MAX_CHANGES`] ranges of changed bytes.
    fn changes(&self, memory: &Memory) -> Vec<Range<u64>> {
        let mut now = vec![0; self.bytes.len()];
        if !memory.read(self.address, &mut now) || now == self.bytes {
            return Vec::new();
        }
        let mut changes: Vec<Range<u64>> = Vec::new();
        let pairs = self.bytes.iter().zip(&now);
        for (address, _) in (self.address..).zip(pairs).filter(|(_, (a, b))| a != b) {
            let count = changes.len();
            match changes.last_mut() {
                Some(last) if last.end == address => last.end += 1,
                _ if count == MAX_CHANGES => break,
                _ => changes.push(address..address + 1),
            }
        }
        changes
    }
}

impl MappedRegions {
    fn state(&self) -> MutexGuard<'_, RegionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a command has mapped a region. `is_written` is true if the host may write it.
    pub fn map(&self, range: Range<u64>, is_written: bool) {
        let mut state = self.state();
        state.unmapped.retain(|it| !overlap(&it.range(), &range));
        state.mapped.push(MappedRegion {
            range,
            is_written,
            commands: 0,
        });
    }

    /// Reads the contents of a region when its unmap command is enqueued. Returns `None` if the region cannot be compared
    /// later: its map command has not ended, a launch or another mapping may write it, or the contents are too large.
    pub fn contents(
        &self,
        memory: &Memory,
        range: &Range<u64>,
        is_written: bool,
    ) -> Option<RegionContents> {
        let mut state = self.state();
        let bytes = usize::try_from(range.end - range.start).ok()?;
        let is_own = |it: &&MappedRegion| it.range == *range && it.is_written == is_written;
        let own = state.mapped.iter().position(|it| is_own(&it))?;
        let others = state.mapped.iter().enumerate().filter(|(n, _)| *n != own);
        let is_shared = others
            .map(|(_, other)| other)
            .any(|other| other.is_written && overlap(&other.range, range));
        if is_shared || state.is_in_use(range) {
            return None;
        }
        let mut contents = RegionContents {
            address: range.start,
            _charge: state.charge(bytes)?,
            bytes: vec![0; bytes],
            commands: state.mapped[own].commands,
        };
        drop(state);
        memory
            .read(range.start, &mut contents.bytes)
            .then_some(contents)
    }

    /// Records that a command unmaps a region. `contents` were read when the command was enqueued. Returns them for
    /// [`MappedRegions::keep`], unless a command has written to the region since or a running launch uses it.
    pub fn unmap(
        &self,
        range: &Range<u64>,
        is_written: bool,
        contents: Option<RegionContents>,
    ) -> Option<RegionContents> {
        let mut state = self.state();
        let is_own = |it: &MappedRegion| it.range == *range && it.is_written == is_written;
        let own = state.mapped.iter().position(is_own)?;
        let own = state.mapped.remove(own);
        let is_in_use = state.is_in_use(range);
        contents.filter(|it| it.commands == own.commands && !is_in_use)
    }

    /// Saves the contents of an unmapped region. Call this after recording the program's writes, which discards contents.
    pub fn keep(&self, contents: RegionContents) {
        self.state().unmapped.push(contents);
    }

    /// Records a launch that uses the ranges `reached` until the result is dropped.
    pub fn launch(&self, memory: &Memory, reached: Vec<Range<u64>>) -> RunningLaunch<'_> {
        let mut state = self.state();
        let is_reached = |range: &Range<u64>| reached.iter().any(|it| overlap(it, range));
        let mapped = state.mapped.iter().filter(|it| is_reached(&it.range));
        let mut rules: Vec<Restricted> = mapped
            .map(|it| Restricted {
                range: it.range.clone(),
                rule: match it.is_written {
                    true => AccessRule::MappedForWriting,
                    false => AccessRule::MappedForReading,
                },
            })
            .collect();
        let compared: Vec<RegionContents> = state
            .unmapped
            .extract_if(.., |it| is_reached(&it.range()))
            .collect();
        state.running.push(reached.clone());
        drop(state);
        let changes = compared.iter().flat_map(|it| it.changes(memory));
        rules.extend(changes.map(|range| Restricted {
            range,
            rule: AccessRule::WrittenAfterUnmap,
        }));
        RunningLaunch {
            rules,
            regions: self,
            reached,
        }
    }

    /// Counts a memory change, and discards the saved contents and mappings that it invalidates.
    fn memory_changes(&self, change: &MemoryChange<'_>) {
        let mut state = self.state();
        let is_of = |range: &Range<u64>| overlap(range, &change.range);
        match change.kind {
            MemoryChangeKind::Read | MemoryChangeKind::ReadAsResults => {}
            MemoryChangeKind::Written | MemoryChangeKind::Undefined => {
                state.unmapped.retain(|it| !is_of(&it.range()));
                let mapped = state.mapped.iter_mut();
                mapped
                    .filter(|it| is_of(&it.range))
                    .for_each(|it| it.commands += 1);
            }
            MemoryChangeKind::Allocated | MemoryChangeKind::Freed => {
                state.unmapped.retain(|it| !is_of(&it.range()));
                state.mapped.retain(|it| !is_of(&it.range));
            }
        }
    }
}

/// Listener that forwards memory changes to the observers and the mapped regions.
#[derive(Debug)]
pub(super) struct ChangeListener {
    pub(super) observers: Observers,
    pub(super) regions: Arc<MappedRegions>,
}

impl Listener for ChangeListener {
    fn memory_changes(&self, change: &MemoryChange<'_>) {
        self.observers.memory_changes(change);
        self.regions.memory_changes(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_that_exist_count_until_they_are_dropped() {
        let (memory, regions) = (Memory::new(), MappedRegions::default());
        let region = |bytes: u64| {
            let address = memory.allocate("a region", bytes).expect("memory");
            regions.map(address..address + bytes, true);
            address..address + bytes
        };
        let (large, small) = (region(MAX_BYTES as u64), region(4));
        let contents = regions.contents(&memory, &large, true);
        // The unmap command is still pending.
        assert!(contents.is_some());
        assert_eq!(regions.contents(&memory, &small, true), None);
        drop(contents);
        assert!(regions.contents(&memory, &small, true).is_some());
    }
}
