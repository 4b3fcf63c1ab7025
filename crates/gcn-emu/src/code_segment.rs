//! Segments of code: the words of a range of memory, and the instructions of those that have been executed.

use std::sync::{Arc, OnceLock};

use gcn_isa::uses::RegisterSet;
use gcn_isa::{DecodeError, Inst, Isa, decode};

use gcn_isa::simm::Hwreg;
use gcn_isa::uses::{Registers, UnnumberedState};

use crate::exec::alu;
use crate::memory::{ExecutableRange, Memory};
use crate::step::Step;

/// Dwords of a page.
const PAGE: usize = 64;
/// Bytes of a dword.
pub(crate) const DWORD: u64 = 4;

/// A decoded instruction or the reason it is none; empty until the instruction is first executed.
pub(crate) type Slot = OnceLock<Result<BlockEntry, DecodeError>>;

/// The instructions that begin in some dwords.
type Page = [Slot; PAGE];

/// Place of an instruction: its number in a block, whose instructions are executed one after the other.
#[derive(Debug)]
pub(crate) struct BlockEntry {
    pub(crate) block: Arc<[Step]>,
    pub(crate) number: usize,
    /// Registers that each instruction of the block uses, for runs whose observers watch some.
    pub(crate) used: Arc<OnceLock<Box<[RegisterSet]>>>,
}

/// A segment.
pub(crate) struct CodeSegment {
    /// Number of the first dword.
    first: usize,
    pub(crate) words: Box<[u32]>,
    /// By dwords, in pages that come into being at their first execution: most code of a large object is never run.
    pages: Box<[OnceLock<Box<Page>>]>,
    /// True if any of it, wherever it is entered, reads the counters of outstanding operations.
    pub(crate) reads_counters: bool,
}

impl CodeSegment {
    /// Bytes whose first dword has the number `first`. Those after the last whole dword are not code.
    pub(crate) fn new(isa: Isa, first: usize, bytes: &[u8]) -> CodeSegment {
        let words: Box<[u32]> = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let pages = std::iter::repeat_with(OnceLock::new)
            .take(words.len().div_ceil(PAGE))
            .collect();
        CodeSegment {
            first,
            pages,
            reads_counters: words.iter().any(|&word| reads_counters(isa, word)),
            words,
        }
    }

    /// The words from the dword with number `index` on; none outside of the segment.
    pub(crate) fn words_from(&self, index: usize) -> &[u32] {
        let words = self.words.get(index.wrapping_sub(self.first)..);
        words.unwrap_or_default()
    }

    /// The place of the instruction at dword number `index`; nothing outside of the segment.
    #[inline]
    pub(crate) fn slot(&self, index: usize) -> Option<&Slot> {
        let offset = index.wrapping_sub(self.first);
        if offset >= self.words.len() {
            return None;
        }
        let page = self.pages.get(offset / PAGE)?;
        let page = page.get_or_init(|| Box::new([const { OnceLock::new() }; PAGE]));
        Some(&page[offset % PAGE])
    }

    /// The outcome for the instruction this number of dwords from the segment's begin; nothing if it has not been executed.
    #[inline(always)]
    pub(crate) fn decoded(&self, offset: usize) -> Option<&Result<BlockEntry, DecodeError>> {
        let page = self.pages.get(offset / PAGE)?.get()?;
        page[offset % PAGE].get()
    }

    /// The instructions that have been executed.
    pub(crate) fn executed(&self) -> impl Iterator<Item = &Step> {
        let pages = self.pages.iter().filter_map(OnceLock::get);
        pages.flat_map(|page| executed(page))
    }

    /// The number of the first executed instruction that memory, with the segment at `base`, holds otherwise; `None` as well
    /// where memory does not hold it at all. What lies between instructions may be data, which a kernel may store to.
    pub(crate) fn changed(&self, memory: &Memory, base: u64) -> Option<usize> {
        self.pages.iter().enumerate().find_map(|(number, page)| {
            let page = page.get()?;
            let first = number * PAGE;
            let words = self.words.get(first..)?;
            // The last instruction may end in the next page.
            let words = words.get(..=PAGE).unwrap_or(words);
            let mut now = [0; PAGE + 1];
            let now = &mut now[..words.len()];
            memory.load_dwords(base + first as u64 * DWORD, now)?;
            if *words == *now {
                return None;
            }
            let changed = executed(page).find(|step| {
                let begin = step.index.wrapping_sub(self.first) - first;
                let dwords = begin..begin + usize::from(step.bytes) / DWORD as usize;
                words[dwords.clone()] != now[dwords]
            })?;
            Some(changed.index)
        })
    }
}

/// Segments of other code that has been jumped to. They stay: a kernel may be anywhere in them.
#[derive(Default)]
pub(crate) struct FoundSegments(OnceLock<Box<FoundSegment>>);

struct FoundSegment {
    range: ExecutableRange,
    segment: CodeSegment,
    others: FoundSegments,
}

impl FoundSegments {
    fn iter(&self) -> impl Iterator<Item = &FoundSegment> {
        let first = self.0.get().map(Box::as_ref);
        std::iter::successors(first, |found| found.others.0.get().map(Box::as_ref))
    }

    /// The segments.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &CodeSegment> {
        self.iter().map(|found| &found.segment)
    }

    /// Keeps a segment. Another thread may do the same at the same time: what comes second is of no use, and is kept as well.
    pub(crate) fn add(&self, range: ExecutableRange, segment: CodeSegment) {
        let mut found = Box::new(FoundSegment {
            range,
            segment,
            others: FoundSegments::default(),
        });
        let mut end = self;
        while let Err(refused) = end.0.set(found) {
            found = refused;
            if let Some(there) = end.0.get() {
                end = &there.others;
            }
        }
    }

    /// The address of the first executed instruction that memory holds otherwise.
    pub(crate) fn changed(&self, memory: &Memory) -> Option<u64> {
        self.iter().find_map(|found| {
            let index = found.segment.changed(memory, found.range.base)?;
            let offset = index.wrapping_sub(found.segment.first) as u64 * DWORD;
            Some(found.range.base + offset)
        })
    }

    /// True if memory still has all of them.
    pub(crate) fn are_current(&self, memory: &Memory) -> bool {
        let is_there = |it: &FoundSegment| memory.executable(it.range.base) == Some(it.range);
        self.iter().all(is_there) && self.changed(memory).is_none()
    }
}

/// The instructions that begin in a page and have been executed.
fn executed(page: &Page) -> impl Iterator<Item = &Step> {
    page.iter().filter_map(|slot| match slot.get()? {
        Ok(place) => Some(&place.block[place.number]),
        Err(_) => None,
    })
}

/// True if an instruction that has this for its first dword reads the hardware register with the counters.
fn reads_counters(isa: Isa, word: u32) -> bool {
    // Few have such bits: the rest is not decoded.
    let is_it = Hwreg::unpack(word as u16).id == alu::hardware::IB_STS;
    let counters = Registers::State(UnnumberedState::Hardware(alu::hardware::IB_STS));
    let names_one = |inst: Inst| inst.uses().registers().any(|it| it.registers == counters);
    is_it && decode(isa, &[word]).is_ok_and(names_one)
}
