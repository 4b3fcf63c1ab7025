//! Segments of code: the words of a range of memory, and the instructions of those that have been executed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use gcn_isa::effect::{Condition, Control};
use gcn_isa::simm::Hwreg;
use gcn_isa::uses::{Registers, UnnumberedState};
use gcn_isa::{Does, Field, Inst, Isa, decode};

use crate::block::{Block, BlockEntry};
use crate::exec::alu;
use crate::memory::{ExecutableRange, Memory};
use crate::step::Step;

/// Dwords of a page.
const PAGE: usize = 64;
/// Bytes of a dword.
pub(crate) const DWORD: u64 = 4;

/// The place of the instruction that begins in a dword; empty until the instruction is first executed.
pub(crate) type Slot = OnceLock<BlockPlace>;

/// Dwords of code.
#[derive(Default)]
struct Page {
    /// Empty until an instruction of the page is executed: most code of a large object is never run.
    slots: OnceLock<Box<[Slot; PAGE]>>,
    /// Dwords whose instructions have been followed to their successors, a bit each.
    followed: AtomicU64,
    /// Dwords that a branch goes to, a bit each.
    targets: AtomicU64,
}

/// The place of an instruction in a block; of a dword that is no instruction a block without steps.
#[derive(Debug)]
pub(crate) struct BlockPlace {
    block: Arc<Block>,
    /// Number of the step.
    from: u32,
}

impl BlockPlace {
    pub(crate) fn new(block: &Arc<Block>, from: usize) -> BlockPlace {
        BlockPlace {
            block: Arc::clone(block),
            from: from as u32,
        }
    }

    /// An entry there.
    #[inline(always)]
    pub(crate) fn get(&self) -> BlockEntry<'_> {
        BlockEntry {
            block: &self.block,
            from: self.from as usize,
        }
    }
}

/// A segment.
pub(crate) struct CodeSegment {
    /// Number of the first dword.
    first: usize,
    pub(crate) words: Box<[u32]>,
    pages: Box<[Page]>,
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
        let pages = std::iter::repeat_with(Page::default)
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

    /// The slot of the instruction at dword number `index`; nothing outside of the segment.
    #[inline]
    pub(crate) fn slot(&self, index: usize) -> Option<&Slot> {
        let offset = index.wrapping_sub(self.first);
        if offset >= self.words.len() {
            return None;
        }
        let page = self.pages.get(offset / PAGE)?;
        let slots = page
            .slots
            .get_or_init(|| Box::new([const { OnceLock::new() }; PAGE]));
        Some(&slots[offset % PAGE])
    }

    /// The place of the instruction this number of dwords from the segment's begin; nothing if it has not been executed.
    #[inline(always)]
    pub(crate) fn decoded(&self, offset: usize) -> Option<&BlockPlace> {
        let slots = self.pages.get(offset / PAGE)?.slots.get()?;
        slots[offset % PAGE].get()
    }

    /// The page that has the dword with number `index`, and the dword's bit.
    fn page(&self, index: usize) -> Option<(&Page, u64)> {
        let offset = index.wrapping_sub(self.first);
        Some((self.pages.get(offset / PAGE)?, 1 << (offset % PAGE)))
    }

    /// True if a branch that has been followed goes to dword number `index`.
    pub(crate) fn is_target(&self, index: usize) -> bool {
        let page = self.page(index);
        page.is_some_and(|(page, bit)| page.targets.load(Relaxed) & bit != 0)
    }

    /// Follows the code from dword number `index` on, on all paths but those by addresses in registers, and notes the targets of its
    /// branches.
    pub(crate) fn follow(&self, isa: Isa, index: usize) {
        let mut pending = vec![index];
        while let Some(mut next) = pending.pop() {
            while let Some((page, bit)) = self.page(next)
                && page.followed.fetch_or(bit, Relaxed) & bit == 0
            {
                let words = self.words_from(next);
                let Ok(inst) = decode(isa, &words[..words.len().min(2)]) else {
                    break;
                };
                next += inst.dwords();
                if matches!(inst.does(), Does::Branch(_) | Does::Fork) {
                    let distance = inst.get(Field::Simm16) as u16 as i16;
                    let target = next.wrapping_add_signed(distance.into());
                    if let Some((page, bit)) = self.page(target) {
                        page.targets.fetch_or(bit, Relaxed);
                        pending.push(target);
                    }
                }
                if !may_go_on(&inst) {
                    break;
                }
            }
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        let pages = self.pages.iter().filter_map(|page| page.slots.get());
        pages.flat_map(|slots| slots.iter())
    }

    /// The instructions that have been executed.
    pub(crate) fn executed(&self) -> impl Iterator<Item = &Step> {
        executed(self.slots())
    }

    /// The blocks that have been executed.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let places = self.slots().filter_map(|slot| Some(slot.get()?.get()));
        places.filter_map(|it| (it.from == 0).then_some(it.block))
    }

    /// The number of the first executed instruction that memory, with the segment at `base`, holds otherwise; `None` as well
    /// where memory does not hold it at all. What lies between instructions may be data, which a kernel may store to.
    pub(crate) fn changed(&self, memory: &Memory, base: u64) -> Option<usize> {
        self.pages.iter().enumerate().find_map(|(number, page)| {
            let slots = page.slots.get()?;
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
            let changed = executed(slots.iter()).find(|step| {
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

/// The instructions that have been executed, of those with these slots.
fn executed<'a>(slots: impl Iterator<Item = &'a Slot>) -> impl Iterator<Item = &'a Step> {
    slots.filter_map(|slot| {
        let BlockEntry { block, from } = slot.get()?.get();
        block.steps().get(from)
    })
}

/// True of an instruction after which a wave may execute the one behind it, now or when a function returns.
fn may_go_on(inst: &Inst) -> bool {
    let uses = inst.uses();
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others go on at the next instruction"
    )]
    match inst.does() {
        Does::Branch(condition) => condition != Condition::Always || uses.calls(),
        // Those with a destination are calls.
        Does::Jump => uses
            .registers()
            .any(|it| it.written != 0 && it.operand().is_some()),
        Does::Control(Control::End) | Does::ReturnFromTrap => false,
        _ => true,
    }
}

/// True if an instruction that has this for its first dword reads the hardware register with the counters.
fn reads_counters(isa: Isa, word: u32) -> bool {
    // Few have such bits: the rest is not decoded.
    let is_it = Hwreg::unpack(word as u16).id == alu::hardware::IB_STS;
    let counters = Registers::State(UnnumberedState::Hardware(alu::hardware::IB_STS));
    let names_one = |inst: Inst| inst.uses().registers().any(|it| it.registers == counters);
    is_it && decode(isa, &[word]).is_ok_and(names_one)
}
