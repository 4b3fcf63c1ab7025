//! First pass over a section, which finds instruction boundaries and branch targets.

use std::hint::black_box;
use std::ops::Range;
use std::thread;

use gcn_isa::{Decoder, Inst, Skimmed};

use super::code::WORD;
use super::names::PlacedSymbol;

/// Maximum instruction length in words.
const LONGEST: usize = 2;
/// Minimum number of words per thread.
const CHUNK_WORDS: usize = 1 << 15;

/// A section's words, and the symbols at which instructions must begin.
pub(crate) struct SectionWords<'a> {
    pub(crate) decoder: &'static Decoder,
    pub(crate) words: &'a [[u8; WORD]],
    pub(crate) places: &'a [PlacedSymbol<'a>],
}

/// An instruction or data word in a section.
pub(crate) enum ListedItem {
    Inst(Inst, Skimmed),
    /// A word that cannot be decoded, or that is data.
    Data(u32),
}

impl ListedItem {
    /// Length of the item in words.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        match self {
            ListedItem::Inst(inst, _) => inst.dwords(),
            ListedItem::Data(_) => 1,
        }
    }
}

/// Range of words without a symbol or end of data inside.
pub(crate) struct SymbolGap {
    /// Words at which items of the gap may begin.
    pub(crate) words: Range<usize>,
    /// End of the words that the gap's instructions may occupy.
    pub(crate) limit: usize,
    /// True if a symbol marks the words as data.
    pub(crate) is_data: bool,
}

impl SymbolGap {
    /// Maximum length in words for an instruction at word `at`.
    #[inline]
    pub(crate) fn max_words(&self, at: usize) -> usize {
        if self.is_data {
            0
        } else {
            self.limit.saturating_sub(at)
        }
    }
}

impl SectionWords<'_> {
    /// Splits `range` at symbols and at the ends of their data.
    pub(crate) fn between_symbols(&self, range: Range<usize>) -> impl Iterator<Item = SymbolGap> {
        let mut next = 0;
        let mut at = range.start;
        std::iter::from_fn(move || {
            if at >= range.end {
                return None;
            }
            let places = self.places.get(next..).unwrap_or_default();
            next += places.partition_point(|place| place.word <= at);
            let before = next.checked_sub(1).and_then(|last| self.places.get(last));
            let symbol = self.places.get(next).map(|place| place.word);
            let limit = symbol.unwrap_or(self.words.len());
            let mut end = limit.min(range.end);
            let data_end = before.map_or(0, |place| place.all_data_end);
            let is_data = at < data_end;
            if is_data {
                end = end.min(data_end);
            }
            let words = at..end;
            at = end;
            Some(SymbolGap {
                words,
                limit,
                is_data,
            })
        })
    }

    #[inline]
    fn word(&self, at: usize) -> u32 {
        self.words
            .get(at)
            .map_or(0, |&bytes| u32::from_le_bytes(bytes))
    }

    /// Decodes the item at word `at`: an instruction no longer than `limit` words, or a data word.
    #[inline]
    pub(crate) fn item(&self, at: usize, limit: usize) -> ListedItem {
        let window = [self.word(at), self.word(at + 1)];
        let available = limit.min(self.words.len() - at).min(LONGEST);
        match self.decoder.decode(&window[..available]) {
            Ok((inst, skimmed)) => ListedItem::Inst(inst, skimmed),
            Err(_) => ListedItem::Data(window[0]),
        }
    }

    /// Length and branch target of the item at the start of `words`, consistent with [`SectionWords::item`]. An
    /// instruction must fit in `words`.
    #[inline(always)]
    fn skim(&self, words: &[[u8; WORD]]) -> Skimmed {
        let first = words.first().map_or(0, |&bytes| u32::from_le_bytes(bytes));
        let skimmed = self.decoder.skim(first);
        skimmed
            .filter(|item| item.dwords <= words.len())
            .unwrap_or(Skimmed {
                dwords: 1,
                branch: None,
            })
    }

    /// Finds the items in `range`, assuming that one begins at the start of the range.
    fn skim_range(&self, range: Range<usize>) -> RangeItems {
        let mut look = RangeItems {
            begins: BitSet::new(range.len()),
            branches: Vec::new(),
            end: range.start,
        };
        for between in self.between_symbols(range.clone()) {
            let limit = if between.is_data { 0 } else { between.limit };
            let words = self.words.get(..limit).unwrap_or_default();
            let mut at = look.end;
            while at < between.words.end {
                look.begins.set(at - range.start);
                let item = self.skim(words.get(at..).unwrap_or_default());
                if let Some(target) = branch_target(at, &item) {
                    look.branches.push((at, target));
                }
                at = next_item(at, item.dwords);
            }
            look.end = at;
        }
        look
    }
}

/// Start of the item after an item of `words` words at `at`. Written as a branch, so the processor predicts it and
/// starts on the next item speculatively.
#[inline(always)]
fn next_item(at: usize, words: usize) -> usize {
    if words == 1 {
        at + black_box(1) // `black_box` keeps the compiler from merging the branches.
    } else {
        at + words
    }
}

/// Word that the branch at word `at` targets; `None` if the item is not a branch, or on overflow.
pub(crate) fn branch_target(at: usize, item: &Skimmed) -> Option<usize> {
    let distance = isize::try_from(item.branch?).ok()?;
    (at + item.dwords).checked_add_signed(distance)
}

/// Items found in a range of words.
struct RangeItems {
    /// Item starts, relative to the start of the range.
    begins: BitSet,
    /// Branches with their targets, as word indices.
    branches: Vec<(usize, usize)>,
    /// Word after the last item.
    end: usize,
}

/// Bitmaps of item starts and branch targets, with one bit per word and one for the end of the section.
pub(crate) struct Map {
    begins: BitSet,
    labels: BitSet,
}

impl Map {
    /// Builds the map of a section. Each thread processes a chunk as if an item began at its start; if the previous
    /// chunk ends elsewhere, words are decoded again until both agree.
    pub(crate) fn new(run: &SectionWords) -> Map {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let chunk = run.words.len().div_ceil(threads).max(CHUNK_WORDS);
        Map::in_chunks(run, chunk.next_multiple_of(u64::BITS as usize))
    }

    /// Builds the map in chunks of `chunk` words, which must be a multiple of 64.
    fn in_chunks(run: &SectionWords, chunk: usize) -> Map {
        let count = run.words.len();
        let ranges: Vec<Range<usize>> = (0..count)
            .step_by(chunk)
            .map(|begin| begin..count.min(begin + chunk))
            .collect();
        let looks: Vec<RangeItems> = thread::scope(|scope| {
            let others: Vec<_> = ranges
                .iter()
                .skip(1)
                .map(|range| {
                    let look = move || run.skim_range(range.clone());
                    (look, thread::Builder::new().spawn_scoped(scope, look))
                })
                .collect();
            let first = ranges.first().map(|range| run.skim_range(range.clone()));
            let others = others.into_iter().map(|(look, thread)| match thread {
                Ok(thread) => thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => look(), // The host has no more threads.
            });
            first.into_iter().chain(others).collect()
        });
        let mut begins = BitSet(Vec::with_capacity(count / u64::BITS as usize + 1));
        let mut targets = BitSet::new(count + 1);
        let mut begin = 0;
        for (range, mut look) in ranges.into_iter().zip(looks) {
            let agreed = run.resync(&range, begin, &mut look, &mut targets);
            for &(at, target) in &look.branches {
                if at >= agreed {
                    targets.set(target);
                }
            }
            // If they never agree, `agreed` is the start of the item after the chunk.
            begin = if agreed < range.end { look.end } else { agreed };
            begins.0.append(&mut look.begins.0);
        }
        begins.0.resize((count + 1).div_ceil(u64::BITS as usize), 0);
        begins.set(count);
        // Labels are possible only where items begin.
        for (target, begin) in targets.0.iter_mut().zip(&begins.0) {
            *target &= begin;
        }
        Map {
            begins,
            labels: targets,
        }
    }

    /// Returns true if an item begins at `word`.
    pub(crate) fn begins(&self, word: usize) -> bool {
        self.begins.get(word)
    }

    /// First word in `word..end` that can have a label, or `end`.
    pub(crate) fn next_label(&self, word: usize, end: usize) -> usize {
        self.labels.next(word..end).unwrap_or(end)
    }

    /// Returns true if `word` is a branch target where an item begins, and so can have a label.
    #[inline]
    pub(crate) fn is_label(&self, word: usize) -> bool {
        self.labels.get(word)
    }
}

impl SectionWords<'_> {
    /// Decodes a range again from the item start `begin` until item starts agree with `look`. Returns the word where
    /// they agree, or else the start of the item after the range.
    fn resync(
        &self,
        range: &Range<usize>,
        begin: usize,
        look: &mut RangeItems,
        targets: &mut BitSet,
    ) -> usize {
        let mut at = range.start;
        let mut next = begin;
        while at < range.end {
            if at == next && look.begins.get(at - range.start) {
                return at;
            }
            look.begins.clear(at - range.start);
            if at == next {
                look.begins.set(at - range.start);
                for between in self.between_symbols(at..at + 1) {
                    let limit = at + between.max_words(at);
                    let item = self.skim(self.words.get(at..limit).unwrap_or_default());
                    if let Some(target) = branch_target(at, &item) {
                        targets.set(target);
                    }
                    next = at + item.dwords;
                }
            }
            at += 1;
        }
        next.max(at)
    }
}

/// Set of small numbers, as a bitmap; numbers beyond its capacity are ignored.
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(capacity: usize) -> BitSet {
        BitSet(vec![0; capacity.div_ceil(u64::BITS as usize)])
    }

    #[inline]
    fn set(&mut self, index: usize) {
        if let Some(bits) = self.0.get_mut(index / u64::BITS as usize) {
            *bits |= 1 << (index % u64::BITS as usize);
        }
    }

    fn clear(&mut self, index: usize) {
        if let Some(bits) = self.0.get_mut(index / u64::BITS as usize) {
            *bits &= !(1 << (index % u64::BITS as usize));
        }
    }

    /// Smallest element in `range`.
    fn next(&self, range: Range<usize>) -> Option<usize> {
        let place = range.start / u64::BITS as usize;
        // Stops at the end of the range: most ranges have no element, and callers would scan the same words again.
        let places = place..range.end.div_ceil(u64::BITS as usize).min(self.0.len());
        let (&first, others) = self.0.get(places)?.split_first()?;
        let first = first & u64::MAX << (range.start % u64::BITS as usize);
        let mut bits = (place..).zip(std::iter::once(first).chain(others.iter().copied()));
        let (place, bits) = bits.find(|&(_, bits)| bits != 0)?;
        let next = place * u64::BITS as usize + bits.trailing_zeros() as usize;
        (next < range.end).then_some(next)
    }

    #[inline]
    fn get(&self, index: usize) -> bool {
        self.0
            .get(index / u64::BITS as usize)
            .is_some_and(|bits| bits >> (index % u64::BITS as usize) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcn_isa::Isa;

    #[test]
    fn chunks_give_the_map_of_the_whole() {
        // Two-word `ds_read_b32`, whose second word may look like `s_branch`; `s_nop`; and pseudorandom words.
        let mut state = 1u64;
        let words: Vec<[u8; WORD]> = (0..20_000)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let word = match state >> 61 {
                    0 | 1 => 0xd86c_0000,
                    2 => 0xbf82_0000 | (state >> 40 & 0xffff) as u32,
                    3 => 0xbf80_0000,
                    _ => (state >> 32) as u32,
                };
                word.to_le_bytes()
            })
            .collect();
        for isa in Isa::ALL {
            let run = SectionWords {
                decoder: isa.decoder(),
                words: &words,
                places: &[],
            };
            let whole = Map::in_chunks(&run, words.len().next_multiple_of(64));
            for chunk in [64, 128, 1024] {
                let map = Map::in_chunks(&run, chunk);
                assert_eq!(map.begins.0, whole.begins.0, "{isa}, {chunk}");
                assert_eq!(map.labels.0, whole.labels.0, "{isa}, {chunk}");
            }
        }
    }
}
