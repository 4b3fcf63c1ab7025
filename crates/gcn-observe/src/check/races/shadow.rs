//! Shadow memory: the last accesses to each byte.
//!
//! A row covers 256 bytes, which is one dword for each of 64 lanes. It has a single [`ShadowCell`] as long as it is
//! accessed as a whole. After that, it has a cell per quarter or dword, or a cell per byte once part of a dword has been
//! accessed. Cells of dwords and bytes are stored as single accesses until one of them needs more than one.

use std::mem::take;
use std::ops::Range;

use gcn_emu::observe::{ShareAccess, Span};

use super::access::{AccessKind, PastAccess};
use super::cell::{Conflicts, HappensBefore, ShadowCell};
use super::lds_queue::Backlog;

/// Size of a row in bytes.
pub(super) const ROW: usize = 256;
/// Size of a quarter of a row in bytes: one byte for each lane.
pub(super) const QUARTER: usize = 64;
const DWORD: usize = 4;

/// Cells of a row: one for the whole row, or one for each part.
#[derive(Debug)]
pub(super) enum ShadowRow {
    Whole(ShadowCell),
    Quarters(Box<[ShadowCell; ROW / QUARTER]>),
    Dwords(Cells<{ ROW / DWORD }>),
    Bytes(Cells<ROW>),
}

/// Cells of a row that is divided into `N` parts.
#[derive(Debug)]
pub(super) enum Cells<const N: usize> {
    /// Each cell has at most one access.
    Single(Box<[PastAccess; N]>),
    Full(Box<[ShadowCell; N]>),
}

impl<const N: usize> Cells<N> {
    /// Creates cells as copies of fewer, larger ones. Returns `None` if the memory limit is reached.
    fn new(cells: &[ShadowCell], may_grow: &impl Fn(u64) -> bool) -> Option<Cells<N>> {
        let times = N / cells.len();
        let fits = cells
            .iter()
            .all(|cell| PastAccess::from_cell(*cell).is_some());
        let size = match fits {
            true => size_of::<[PastAccess; N]>(),
            false => size_of::<[ShadowCell; N]>(),
        };
        let cell = |number: usize| cells[number / times];
        may_grow(size as u64).then(|| match fits {
            true => Cells::Single(Box::new(std::array::from_fn(|number| {
                PastAccess::from_cell(cell(number)).unwrap_or_default()
            }))),
            false => Cells::Full(Box::new(std::array::from_fn(cell))),
        })
    }

    fn cell(&self, index: usize) -> ShadowCell {
        match self {
            Cells::Single(accesses) => accesses[index].cell(),
            Cells::Full(cells) => cells[index],
        }
    }

    /// Records an access to a range of cells. Stops if the memory limit is reached.
    #[inline]
    fn touch(
        &mut self,
        cells: Range<usize>,
        access: &mut CellAccess<'_, '_>,
        may_grow: &impl Fn(u64) -> bool,
    ) {
        let mut first = cells.start;
        if let Cells::Single(accesses) = self {
            let Some((index, cell)) = access.touch(&mut accesses[cells.clone()]) else {
                return;
            };
            if !may_grow(size_of::<[ShadowCell; N]>() as u64) {
                return;
            }
            first += index;
            let mut full = Box::new(std::array::from_fn(|index| accesses[index].cell()));
            full[first] = cell;
            *self = Cells::Full(full);
            first += 1;
        }
        if let Cells::Full(all) = self {
            access.touch(&mut all[first..cells.end]);
        }
    }

    /// Records a plain load of a cell if the representation can hold the result. Otherwise, records nothing and returns false.
    #[inline(always)]
    fn touch_by_load(
        &mut self,
        index: usize,
        at: u64,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) -> bool {
        match self {
            Cells::Single(accesses) => {
                let access = &mut accesses[index];
                let is_stored = access.is_none()
                    || !access.kind().writes() && view.layout.same_agent(*access, now);
                is_stored && access.touch_by_load(now, view, at, met).is_ok()
            }
            Cells::Full(cells) => cells[index].touch_by_load(now, view, at, met).is_ok(),
        }
    }
}

/// An access to adjacent cells.
struct CellAccess<'a, 'v> {
    now: PastAccess,
    view: &'a HappensBefore<'v>,
    met: &'a mut Conflicts,
    /// Address of the next cell, and the size of a cell.
    at: u64,
    size: usize,
}

impl CellAccess<'_, '_> {
    /// Records the access in cells. Stops if `S` cannot hold a cell's new value, and returns the cell's index and that value.
    #[inline]
    fn touch<S: StoredCell>(&mut self, cells: &mut [S]) -> Option<(usize, ShadowCell)> {
        let (now, view) = (self.now, self.view);
        let is_plain_load = now.kind() == AccessKind::Load && !self.met.wants_writes;
        // Adjacent cells mostly have equal histories. Unless something was found in one cell, equal ones get the same result.
        let mut last: Option<[S; 2]> = None;
        for (index, stored) in cells.iter_mut().enumerate() {
            let at = self.at;
            self.at = at.wrapping_add(self.size as u64);
            if is_plain_load {
                if let Err(cell) = stored.touch_by_load(now, view, at, self.met) {
                    return Some((index, cell));
                }
                continue;
            }
            if let Some([before, after]) = last
                && *stored == before
            {
                *stored = after;
                continue;
            }
            let (before, found) = (*stored, self.met.found());
            let mut cell = before.cell();
            cell.touch(now, view, at, self.met);
            let Some(after) = S::from_cell(cell) else {
                return Some((index, cell));
            };
            *stored = after;
            last = (self.met.found() == found).then_some([before, after]);
        }
        None
    }
}

/// Representation of a cell in a row.
trait StoredCell: Copy + PartialEq {
    fn cell(self) -> ShadowCell;

    /// Converts a cell. Returns `None` if the representation cannot hold its accesses.
    fn from_cell(cell: ShadowCell) -> Option<Self>;

    /// Records a plain load; `met` must not collect writes. Fails with the new cell if the representation cannot hold it.
    fn touch_by_load(
        &mut self,
        now: PastAccess,
        view: &HappensBefore<'_>,
        at: u64,
        met: &mut Conflicts,
    ) -> Result<(), ShadowCell>;
}

impl StoredCell for ShadowCell {
    #[inline(always)]
    fn cell(self) -> ShadowCell {
        self
    }

    #[inline(always)]
    fn from_cell(cell: ShadowCell) -> Option<ShadowCell> {
        Some(cell)
    }

    #[inline(always)]
    fn touch_by_load(
        &mut self,
        now: PastAccess,
        view: &HappensBefore<'_>,
        at: u64,
        met: &mut Conflicts,
    ) -> Result<(), ShadowCell> {
        self.load_plainly(now, view, at, met);
        Ok(())
    }
}

impl StoredCell for PastAccess {
    #[inline(always)]
    fn cell(self) -> ShadowCell {
        ShadowCell::of_one(self)
    }

    #[inline(always)]
    fn from_cell(cell: ShadowCell) -> Option<PastAccess> {
        cell.only_access()
    }

    #[inline(always)]
    fn touch_by_load(
        &mut self,
        now: PastAccess,
        view: &HappensBefore<'_>,
        at: u64,
        met: &mut Conflicts,
    ) -> Result<(), ShadowCell> {
        let mut cell = self.cell();
        cell.load_plainly(now, view, at, met);
        *self = cell.only_access().ok_or(cell)?;
        Ok(())
    }
}

impl Default for ShadowRow {
    fn default() -> ShadowRow {
        ShadowRow::Whole(ShadowCell::default())
    }
}

impl ShadowRow {
    /// Number of bytes that each cell covers.
    #[inline(always)]
    fn size(&self) -> usize {
        match self {
            ShadowRow::Whole(_) => ROW,
            ShadowRow::Quarters(_) => QUARTER,
            ShadowRow::Dwords(_) => DWORD,
            ShadowRow::Bytes(_) => 1,
        }
    }

    fn cell(&self, index: usize) -> ShadowCell {
        match self {
            ShadowRow::Whole(cell) => *cell,
            ShadowRow::Quarters(cells) => cells[index],
            ShadowRow::Dwords(cells) => cells.cell(index),
            ShadowRow::Bytes(cells) => cells.cell(index),
        }
    }

    #[inline]
    fn has_cells_for(&self, bytes: &Range<usize>) -> bool {
        let size = self.size();
        bytes.start.is_multiple_of(size) && bytes.end.is_multiple_of(size)
    }

    /// Splits cells until a range consists of whole cells. Returns false if the memory limit is reached.
    #[cold]
    fn split(&mut self, bytes: &Range<usize>, may_grow: &impl Fn(u64) -> bool) -> bool {
        let fits = |size| bytes.start.is_multiple_of(size) && bytes.end.is_multiple_of(size);
        let cells: Vec<ShadowCell> = (0..ROW / self.size())
            .map(|index| self.cell(index))
            .collect();
        let parts = [QUARTER, DWORD, 1];
        let part = parts
            .into_iter()
            .find(|&part| part < self.size() && fits(part));
        let row = match part {
            Some(QUARTER) => may_grow(size_of::<[ShadowCell; ROW / QUARTER]>() as u64)
                .then(|| ShadowRow::Quarters(Box::new([cells[0]; ROW / QUARTER]))),
            Some(DWORD) => Cells::new(&cells, may_grow).map(ShadowRow::Dwords),
            _ => Cells::new(&cells, may_grow).map(ShadowRow::Bytes),
        };
        match row {
            Some(row) => {
                *self = row;
                true
            }
            None => false,
        }
    }

    /// Checks and records an access to bytes of the row, whose address is `base`. `may_grow` returns true if it permits the
    /// allocation of a number of bytes; if it does not, the access is not recorded.
    pub(super) fn touch(
        &mut self,
        bytes: Range<usize>,
        base: u64,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
        may_grow: impl Fn(u64) -> bool,
    ) {
        if !self.has_cells_for(&bytes) && !self.split(&bytes, &may_grow) {
            return;
        }
        let size = self.size();
        met.cell = size;
        let mut access = CellAccess {
            now,
            view,
            met,
            at: base + bytes.start as u64,
            size,
        };
        let cells = bytes.start / size..bytes.end / size;
        match self {
            ShadowRow::Whole(cell) => {
                access.touch(std::slice::from_mut(cell));
            }
            ShadowRow::Quarters(quarters) => {
                access.touch(&mut quarters[cells]);
            }
            ShadowRow::Dwords(dwords) => dwords.touch(cells, &mut access, &may_grow),
            ShadowRow::Bytes(bytes) => bytes.touch(cells, &mut access, &may_grow),
        }
    }

    /// Records a plain load of a single dword or byte cell, if `met` collects no writes and the row can hold the result.
    /// Otherwise, records nothing and returns false. `at` is the address of the first byte.
    #[inline(always)]
    pub(super) fn touch_cell_by_load(
        &mut self,
        bytes: Range<usize>,
        at: u64,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) -> bool {
        if bytes.len() != self.size() || !self.has_cells_for(&bytes) || met.wants_writes {
            return false;
        }
        met.cell = bytes.len();
        match self {
            ShadowRow::Dwords(cells) => {
                cells.touch_by_load(bytes.start / DWORD, at, now, view, met)
            }
            ShadowRow::Bytes(cells) => cells.touch_by_load(bytes.start, at, now, view, met),
            ShadowRow::Whole(_) | ShadowRow::Quarters(_) => false,
        }
    }

    /// Calls `each` for each location of two rows, with the index of its first byte and its cells in both rows. Skips
    /// locations whose cells equal those of the previous one.
    pub(super) fn both(rows: [&ShadowRow; 2], mut each: impl FnMut(usize, [ShadowCell; 2])) {
        let sizes = rows.map(ShadowRow::size);
        let mut last = None;
        for byte in (0..ROW).step_by(sizes[0].min(sizes[1])) {
            let cells = [0, 1].map(|row| rows[row].cell(byte / sizes[row]));
            if last != Some(cells) {
                each(byte, cells);
                last = Some(cells);
            }
        }
    }

    /// Calls `each` for each written part of a byte range, with its last write.
    pub(super) fn writes(
        &self,
        bytes: Range<usize>,
        mut each: impl FnMut(Range<usize>, PastAccess),
    ) {
        let size = self.size();
        for index in bytes.start / size..bytes.end.div_ceil(size) {
            let (start, write) = (index * size, self.cell(index).last_write());
            if !write.is_none() {
                each(start.max(bytes.start)..(start + size).min(bytes.end), write);
            }
        }
    }

    /// True if all cells of a byte range satisfy a predicate. False if the cells are too coarse for the range.
    pub(super) fn all(&self, bytes: Range<usize>, is: impl Fn(&ShadowCell) -> bool) -> bool {
        let size = self.size();
        let mut cells = bytes.start / size..bytes.end / size;
        self.has_cells_for(&bytes) && cells.all(|index| is(&self.cell(index)))
    }
}

/// Calls `each` for each row of a range, with the row number and the part of the row inside the range.
pub(super) fn rows(range: Range<u64>, mut each: impl FnMut(u64, Range<usize>)) {
    let mut at = range.start;
    while at < range.end {
        let row = at / ROW as u64;
        // Saturates in the last row, whose end is not representable. No range contains its last byte.
        let end = (row + 1).saturating_mul(ROW as u64).min(range.end);
        let from = (at % ROW as u64) as usize;
        each(row, from..from + (end - at) as usize);
        at = end;
    }
}

/// Shadow of a workgroup's LDS. It may be reused: accesses by one workgroup happen before those by later ones.
#[derive(Debug, Default)]
pub(super) struct LdsShadow {
    rows: Vec<ShadowRow>,
    backlog: Backlog,
}

impl LdsShadow {
    /// Sets the size in bytes.
    pub(super) fn resize(&mut self, bytes: usize) {
        self.rows
            .resize_with(bytes.div_ceil(ROW), ShadowRow::default);
        self.backlog.resize(self.rows.len() * ROW);
    }

    /// Discards the queue at a barrier, which orders its accesses before all later ones.
    pub(super) fn barrier(&mut self) {
        self.backlog.clear();
    }

    /// Queues an LDS access without ordering effects; see [`Backlog::keep`]. Returns false if the access was not queued,
    /// and must be passed to [`LdsShadow::touch_all`].
    pub(super) fn keep(
        &mut self,
        access: &ShareAccess<'_>,
        is_apart: bool,
        now: PastAccess,
        wave: u32,
    ) -> bool {
        self.backlog.keep(access, is_apart, now, wave)
    }

    /// True if the queue must be emptied before another access is queued.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.backlog.is_full()
    }

    /// Returns the lane of a queued access that touched an address.
    pub(super) fn lane_of(&self, access: PastAccess, at: u64) -> Option<usize> {
        self.backlog.lane_of(access, at)
    }

    /// Checks and records an access; `now` returns the entry for a span's first lane. Bytes beyond LDS are ignored.
    pub(super) fn touch_all(
        &mut self,
        spans: &[Span],
        now: impl Fn(usize) -> PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) {
        for Span { lane, bytes } in spans {
            self.touch(bytes.clone(), now(*lane), view, met);
        }
    }

    fn touch(
        &mut self,
        range: Range<u64>,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) {
        if self.backlog.meets(&range) {
            self.settle(view);
        }
        let wave = view.layout.wave(now).wrapping_sub(view.group.start);
        self.backlog.note(&range, now.kind(), wave);
        self.note(range, now, view, met);
    }

    /// Moves the queued accesses into the rows.
    #[cold]
    pub(super) fn settle(&mut self, view: &HappensBefore<'_>) {
        let mut backlog = take(&mut self.backlog);
        let mut met = Conflicts::default();
        backlog.each(|range, now| self.note(range, now, view, &mut met));
        debug_assert!(met.conflicts.is_empty(), "they were kept apart from those");
        backlog.settled();
        self.backlog = backlog;
    }

    fn note(
        &mut self,
        range: Range<u64>,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) {
        let size = (self.rows.len() * ROW) as u64;
        rows(range.start.min(size)..range.end.min(size), |row, bytes| {
            let base = row * ROW as u64;
            self.rows[row as usize].touch(bytes, base, now, view, met, |_| true);
        });
    }
}
