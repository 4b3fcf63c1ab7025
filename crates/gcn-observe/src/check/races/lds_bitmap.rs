//! Bitmap of LDS dwords accessed since the last barrier.

use std::ops::Range;

use super::entry::AccessKind;

/// Bytes per bit.
const DWORD: u64 = 4;

/// Access modes that matter for conflicts. Two loads or two atomics do not conflict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessMode {
    Load,
    Store,
    Atomic,
}

impl AccessMode {
    /// All modes, in numeric order.
    pub(super) const ALL: [AccessMode; 3] =
        [AccessMode::Load, AccessMode::Store, AccessMode::Atomic];

    pub(super) fn of(kind: AccessKind) -> AccessMode {
        match kind {
            AccessKind::Load | AccessKind::CoherentLoad | AccessKind::SwapLoad => AccessMode::Load,
            AccessKind::Store => AccessMode::Store,
            AccessKind::Atomic | AccessKind::FailedSwap => AccessMode::Atomic,
        }
    }

    /// True if accesses by two waves may conflict.
    #[inline]
    pub(super) fn meets(self, other: AccessMode) -> bool {
        self != other || self == AccessMode::Store
    }
}

/// Overlap of an access with earlier ones in its dwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct DwordOverlap {
    /// With a possibly conflicting access by another wave.
    pub(super) others: bool,
    /// With itself: two of its elements share a dword.
    pub(super) itself: bool,
}

/// Dwords accessed in one mode by any wave, and by several waves.
#[derive(Debug, Default)]
struct SharedBits {
    all: Vec<u64>,
    several: Vec<u64>,
}

/// Accessed dwords, by wave and mode.
#[derive(Debug, Default)]
pub(super) struct LdsBitmap {
    /// Number of 64-bit words needed for LDS.
    words: usize,
    /// By way.
    by_all: [SharedBits; AccessMode::ALL.len()],
    /// Indexed by wave, then by mode.
    own: Vec<u64>,
    /// Dwords of the access being entered; zero in between.
    bits: Vec<u64>,
}

/// Collects the dwords of an access.
struct Collector<'a> {
    bits: &'a mut [u64],
    /// Word of the last element, with bits not written back yet.
    word: u64,
    open: u64,
}

impl Collector<'_> {
    #[inline]
    fn put(&mut self, word: u64, bits: u64) {
        if word != self.word {
            self.flush();
            self.word = word;
        }
        self.open |= bits;
    }

    fn flush(&mut self) {
        // What is beyond LDS is nobody's.
        if let Some(bits) = self.bits.get_mut(self.word as usize) {
            *bits |= self.open;
        }
        self.open = 0;
    }

    /// Adds the dwords of some bytes, and returns their number.
    fn add(&mut self, bytes: Range<u64>) -> u64 {
        let (mut first, end) = (bytes.start / DWORD, bytes.end.div_ceil(DWORD));
        let all = end - first;
        while first < end {
            let (word, bit) = (first / 64, first % 64);
            let count = (end - first).min(64 - bit);
            self.put(word, u64::MAX >> (64 - count) << bit);
            first += count;
        }
        all
    }

    /// Adds elements of `bytes` bytes each, and returns the number of their dwords.
    fn add_all(&mut self, bytes: u64, elements: impl Iterator<Item = u64>) -> u64 {
        let dwords = bytes.div_ceil(DWORD);
        let mask = u64::MAX >> (64 - dwords.clamp(1, 64));
        let mut all = 0;
        elements.for_each(|at| {
            let (word, bit) = (at / DWORD / 64, at / DWORD % 64);
            if at % DWORD == 0 && bit + dwords <= 64 {
                self.put(word, mask << bit);
                all += dwords;
            } else {
                all += self.add(at..at + bytes);
            }
        });
        self.flush();
        all
    }
}

impl LdsBitmap {
    /// Clears the bitmap, and sets the size of LDS.
    pub(super) fn begin(&mut self, bytes: usize) {
        self.words = bytes.div_ceil(64 * DWORD as usize);
        for it in &mut self.by_all {
            for bits in [&mut it.all, &mut it.several] {
                bits.clear();
                bits.resize(self.words, 0);
            }
        }
        self.own.clear();
        self.bits.resize(self.words, 0);
    }

    /// Enters an access by a wave of the workgroup to elements of `bytes` bytes each. `reach` is the range that
    /// covers them.
    pub(super) fn enter(
        &mut self,
        wave: u32,
        way: AccessMode,
        reach: &Range<u64>,
        bytes: u64,
        elements: impl Iterator<Item = u64>,
    ) -> DwordOverlap {
        let mut collector = Collector {
            bits: &mut self.bits,
            word: 0,
            open: 0,
        };
        let count = collector.add_all(bytes, elements);
        let of_wave = self.words * AccessMode::ALL.len();
        let own = wave as usize * of_wave;
        if self.own.len() < own + of_wave {
            self.own.resize(own + of_wave, 0);
        }
        let own = &mut self.own[own..own + of_wave];
        let size = 64 * DWORD;
        let end = (reach.end.div_ceil(size) as usize).min(self.words);
        let start = ((reach.start / size) as usize).min(end);
        let (mut met, mut different) = (0, 0);
        for word in start..end {
            let bits = std::mem::take(&mut self.bits[word]);
            different += u64::from(bits.count_ones());
            for other in AccessMode::ALL {
                let number = other as usize;
                let by_all = &mut self.by_all[number];
                let (all, several) = (&mut by_all.all[word], &mut by_all.several[word]);
                let own = &mut own[number * self.words + word];
                let others = *all & !*own | *several;
                if way.meets(other) {
                    met |= bits & others;
                }
                if way == other {
                    *several |= bits & others;
                    *all |= bits;
                    *own |= bits;
                }
            }
        }
        DwordOverlap {
            others: met != 0,
            itself: different != count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enters elements given as byte ranges of equal size.
    fn enter(
        touched: &mut LdsBitmap,
        wave: u32,
        kind: AccessKind,
        all: &[(u64, u64)],
    ) -> DwordOverlap {
        let bytes = all[0].1 - all[0].0;
        assert!(all.iter().all(|it| it.1 - it.0 == bytes));
        let first = all.iter().map(|it| it.0).min().unwrap();
        let last = all.iter().map(|it| it.1).max().unwrap();
        let all = all.iter().map(|it| it.0);
        touched.enter(wave, AccessMode::of(kind), &(first..last), bytes, all)
    }

    const NOTHING: DwordOverlap = DwordOverlap {
        others: false,
        itself: false,
    };
    const OTHERS: DwordOverlap = DwordOverlap {
        others: true,
        itself: false,
    };

    #[test]
    fn a_store_meets_loads_and_stores_of_other_waves() {
        use AccessKind::{Load, Store};
        let mut touched = LdsBitmap::default();
        touched.begin(1024);
        let it = &mut touched;
        assert_eq!(enter(it, 0, Store, &[(0, 4), (8, 12)]), NOTHING);
        assert_eq!(enter(it, 1, Store, &[(4, 8), (12, 16)]), NOTHING);
        assert_eq!(enter(it, 0, Load, &[(0, 4)]), NOTHING);
        assert_eq!(enter(it, 1, Load, &[(8, 9)]), OTHERS);
        assert_eq!(enter(it, 1, Store, &[(0, 1)]), OTHERS);
        // Now both have stored there.
        assert_eq!(enter(it, 0, Load, &[(0, 4)]), OTHERS);
        assert_eq!(enter(it, 1, Load, &[(0, 4)]), OTHERS);
        // Loads alone do not meet.
        assert_eq!(enter(it, 0, Load, &[(248, 264)]), NOTHING);
        assert_eq!(enter(it, 1, Load, &[(248, 264)]), NOTHING);
        assert_eq!(enter(it, 1, Load, &[(248, 264)]), NOTHING);
        // The first of several loads counts all the same.
        assert_eq!(enter(it, 1, Store, &[(260, 264)]), OTHERS);
        it.begin(1024);
        assert_eq!(enter(it, 2, Store, &[(0, 1024)]), NOTHING);
    }

    #[test]
    fn atomics_meet_all_but_each_other() {
        use AccessKind::{Atomic, FailedSwap, Load, Store};
        let mut touched = LdsBitmap::default();
        touched.begin(256);
        let it = &mut touched;
        assert!(!enter(it, 0, Atomic, &[(0, 4), (0, 4)]).others);
        assert_eq!(enter(it, 1, Atomic, &[(0, 4)]), NOTHING);
        assert_eq!(enter(it, 1, FailedSwap, &[(4, 8)]), NOTHING);
        assert_eq!(enter(it, 0, Load, &[(0, 4)]), OTHERS);
        assert_eq!(enter(it, 0, Store, &[(4, 8)]), OTHERS);
        assert_eq!(enter(it, 1, Atomic, &[(4, 8)]), OTHERS);
        // The wave's own atomic is in order with it.
        assert_eq!(enter(it, 2, Atomic, &[(8, 12)]), NOTHING);
        assert_eq!(enter(it, 2, Load, &[(8, 12)]), NOTHING);
    }

    #[test]
    fn elements_of_a_store_meet_each_other() {
        use AccessKind::Store;
        let mut touched = LdsBitmap::default();
        touched.begin(512);
        let it = &mut touched;
        let both = enter(it, 0, Store, &[(0, 4), (256, 260), (2, 6)]);
        assert!(both.itself && !both.others);
        // The same wave may store there again.
        assert_eq!(enter(it, 0, Store, &[(252, 260), (0, 8)]), NOTHING);
    }

    #[test]
    fn what_is_beyond_lds_is_nobodys() {
        use AccessKind::{Load, Store};
        let mut touched = LdsBitmap::default();
        touched.begin(256);
        let it = &mut touched;
        let beyond = [(256, 260), (1 << 32, (1 << 32) + 4)];
        assert!(!enter(it, 0, Store, &beyond).others);
        assert!(!enter(it, 1, Store, &beyond).others);
        assert!(!enter(it, 0, Store, &[(252, 272)]).others);
        assert_eq!(enter(it, 1, Load, &[(252, 256)]), OTHERS);
    }
}
