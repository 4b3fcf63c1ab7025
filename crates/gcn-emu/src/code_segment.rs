//! Code segments: the words of a memory range and the instructions decoded from them.

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

/// Number of dwords per page.
const PAGE: usize = 64;
/// Size of a dword in bytes.
pub(crate) const DWORD: u64 = 4;

/// Position in its block of the instruction that starts at a dword; empty until the block is decoded.
pub(crate) type Slot = OnceLock<BlockPlace>;

/// Decoding state of [`PAGE`] dwords of code.
#[derive(Default)]
struct Page {
    /// Allocated when code in the page is first reached: most code of a large object never runs.
    slots: OnceLock<Box<[Slot; PAGE]>>,
    /// Bitmap of dwords whose instructions have been followed to their successors.
    followed: AtomicU64,
    /// Bitmap of dwords that are branch targets.
    targets: AtomicU64,
}

/// Position of an instruction in a block. For a dword that does not decode, the block has no steps.
#[derive(Debug)]
pub(crate) struct BlockPlace {
    block: Arc<Block>,
    /// Index of the step.
    from: u32,
}

impl BlockPlace {
    pub(crate) fn new(block: &Arc<Block>, from: usize) -> BlockPlace {
        BlockPlace {
            block: Arc::clone(block),
            from: from as u32,
        }
    }

    /// Returns this position as an entry.
    #[inline(always)]
    pub(crate) fn get(&self) -> BlockEntry<'_> {
        BlockEntry {
            block: &self.block,
            from: self.from as usize,
        }
    }
}

/// Contiguous range of code words.
pub(crate) struct CodeSegment {
    /// Index of the first dword.
    first: usize,
    pub(crate) words: Box<[u32]>,
    pages: Box<[Page]>,
    /// True if any dword decodes to an instruction that reads the wait counters.
    pub(crate) reads_counters: bool,
}

impl CodeSegment {
    /// Creates a segment whose first dword has index `first`. Bytes after the last whole dword are ignored.
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

    /// Words from dword `index` to the end; empty outside the segment.
    pub(crate) fn words_from(&self, index: usize) -> &[u32] {
        let words = self.words.get(index.wrapping_sub(self.first)..);
        words.unwrap_or_default()
    }

    /// Slot of the instruction at dword `index`; `None` outside the segment.
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

    /// Position of the instruction at a dword offset in the segment; `None` if it has not been decoded.
    #[inline(always)]
    pub(crate) fn decoded(&self, offset: usize) -> Option<&BlockPlace> {
        let slots = self.pages.get(offset / PAGE)?.slots.get()?;
        slots[offset % PAGE].get()
    }

    /// Page that contains dword `index`, and the dword's bit in the page's bitmaps.
    fn page(&self, index: usize) -> Option<(&Page, u64)> {
        let offset = index.wrapping_sub(self.first);
        Some((self.pages.get(offset / PAGE)?, 1 << (offset % PAGE)))
    }

    /// True if a followed branch targets dword `index`.
    pub(crate) fn is_target(&self, index: usize) -> bool {
        let page = self.page(index);
        page.is_some_and(|(page, bit)| page.targets.load(Relaxed) & bit != 0)
    }

    /// Records branch targets reachable from dword `index`, along all paths except jumps to addresses in registers.
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

    /// Instructions decoded so far.
    pub(crate) fn executed(&self) -> impl Iterator<Item = &Step> {
        executed(self.slots())
    }

    /// Blocks decoded so far.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let places = self.slots().filter_map(|slot| Some(slot.get()?.get()));
        places.filter_map(|it| (it.from == 0).then_some(it.block))
    }

    /// Index of the first decoded instruction that differs from memory, for a segment loaded at `base`; `None` if
    /// there is none or memory does not contain the segment. Words between instructions are ignored: they may be data
    /// that the kernel writes.
    pub(crate) fn changed(&self, memory: &Memory, base: u64) -> Option<usize> {
        self.pages.iter().enumerate().find_map(|(number, page)| {
            let slots = page.slots.get()?;
            let first = number * PAGE;
            let words = self.words.get(first..)?;
            // The last instruction may extend into the next page.
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

/// Append-only list of segments outside a kernel's own code that the kernel has jumped to. Segments are never removed,
/// since a wave may be executing in any of them.
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

    pub(crate) fn segments(&self) -> impl Iterator<Item = &CodeSegment> {
        self.iter().map(|found| &found.segment)
    }

    /// Appends a segment. If another thread has added the same segment, the duplicate is kept but never used.
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

    /// Address of the first decoded instruction that differs from memory.
    pub(crate) fn changed(&self, memory: &Memory) -> Option<u64> {
        self.iter().find_map(|found| {
            let index = found.segment.changed(memory, found.range.base)?;
            let offset = index.wrapping_sub(found.segment.first) as u64 * DWORD;
            Some(found.range.base + offset)
        })
    }

    /// True if memory still contains all segments unchanged.
    pub(crate) fn are_current(&self, memory: &Memory) -> bool {
        let is_there = |it: &FoundSegment| memory.executable(it.range.base) == Some(it.range);
        self.iter().all(is_there) && self.changed(memory).is_none()
    }
}

/// Decoded instructions in `slots`.
fn executed<'a>(slots: impl Iterator<Item = &'a Slot>) -> impl Iterator<Item = &'a Step> {
    slots.filter_map(|slot| {
        let BlockEntry { block, from } = slot.get()?.get();
        block.steps().get(from)
    })
}

/// True if execution may continue at the following instruction, either directly or after a function returns.
fn may_go_on(inst: &Inst) -> bool {
    let uses = inst.uses();
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others go on at the next instruction"
    )]
    match inst.does() {
        Does::Branch(condition) => condition != Condition::Always || uses.calls(),
        // Jumps with a destination register are calls.
        Does::Jump => uses
            .registers()
            .any(|it| it.written != 0 && it.operand().is_some()),
        Does::Control(Control::End) | Does::ReturnFromTrap => false,
        _ => true,
    }
}

/// True if an instruction whose first dword is `word` reads the hardware register that holds the wait counters.
fn reads_counters(isa: Isa, word: u32) -> bool {
    // Few words match, and only those need decoding.
    let is_it = Hwreg::unpack(word as u16).id == alu::hardware::IB_STS;
    let counters = Registers::State(UnnumberedState::Hardware(alu::hardware::IB_STS));
    let names_one = |inst: Inst| inst.uses().registers().any(|it| it.registers == counters);
    is_it && decode(isa, &[word]).is_ok_and(names_one)
}
