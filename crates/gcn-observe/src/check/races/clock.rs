//! Vector clocks of waves.

use std::sync::Arc;

/// Number of consecutive waves in a block, the unit in which clocks are shared.
const BLOCK: u32 = 16;

/// Clocks of consecutive waves; 0 if unknown.
type Block = [u32; BLOCK as usize];

/// For each wave, the clock up to which its operations happen before. Sets share equal blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct OrderedClocks(Vec<(u32, Arc<Block>)>);

impl OrderedClocks {
    fn find(&self, wave: u32) -> Result<usize, usize> {
        self.0
            .binary_search_by_key(&(wave / BLOCK), |(number, _)| *number)
    }

    /// True if a wave's operations up to `clock` happen before.
    #[inline]
    pub(super) fn has(&self, wave: u32, clock: u32) -> bool {
        let at = |index: usize| self.0[index].1[(wave % BLOCK) as usize];
        !self.0.is_empty() && self.find(wave).is_ok_and(|index| at(index) >= clock.max(1))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a wave's operations up to `clock`. Returns true if they are new.
    pub(super) fn add(&mut self, wave: u32, clock: u32) -> bool {
        if self.has(wave, clock) {
            return false;
        }
        let index = self.find(wave).unwrap_or_else(|index| {
            self.0.insert(index, (wave / BLOCK, Arc::default()));
            index
        });
        Arc::make_mut(&mut self.0[index].1)[(wave % BLOCK) as usize] = clock;
        true
    }

    /// Adds the clocks of another set.
    pub(super) fn join(&mut self, other: &OrderedClocks) {
        let mut index = 0;
        for (number, theirs) in &other.0 {
            while self.0.get(index).is_some_and(|(own, _)| own < number) {
                index += 1;
            }
            match self.0.get_mut(index) {
                Some((own, known)) if own == number => join_block(known, theirs),
                _ => self.0.insert(index, (*number, theirs.clone())),
            }
        }
    }
}

/// Merges a block into another one for the same waves.
fn join_block(known: &mut Arc<Block>, theirs: &Arc<Block>) {
    if Arc::ptr_eq(known, theirs) {
        return;
    }
    let all: Block = std::array::from_fn(|wave| known[wave].max(theirs[wave]));
    if all == **theirs {
        known.clone_from(theirs);
    } else if all != **known {
        *Arc::make_mut(known) = all;
    }
}

/// Clocks of the waves that a wave has synchronized with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Knowledge {
    /// Clocks that happen before all accesses of the wave.
    pub(super) known: Arc<OrderedClocks>,
    /// Clocks that happen before the wave's stores, atomics and GLC loads, but not before its cached loads, which may
    /// return stale values.
    pub(super) past_cache: Arc<OrderedClocks>,
}

/// A wave's knowledge as a function of its clock. A release at a clock publishes the knowledge at that clock.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<(u32, Knowledge)>);

impl History {
    /// Sets the knowledge that applies from `clock` onwards.
    pub(super) fn push(&mut self, clock: u32, known: Knowledge) {
        match self.0.last_mut() {
            Some(last) if last.0 == clock => last.1 = known,
            _ => self.0.push((clock, known)),
        }
    }

    /// Returns the knowledge at a clock.
    pub(super) fn at(&self, clock: u32) -> Option<&Knowledge> {
        let after = self.0.partition_point(|(since, _)| *since <= clock);
        Some(&self.0[after.checked_sub(1)?].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_the_latest_of_all_that_are_joined() {
        let clocks = |of: &[(u32, u32)]| {
            let mut clocks = OrderedClocks::default();
            for &(wave, clock) in of {
                clocks.add(wave, clock);
            }
            clocks
        };
        let mut known = clocks(&[(40, 3), (7, 2), (u32::MAX, 1)]);
        assert!(!known.add(40, 3) && !known.add(40, 1) && known.add(40, 4));
        assert!(known.has(40, 4) && !known.has(40, 5) && !known.has(41, 0));
        let before = known.clone();
        known.join(&clocks(&[(6, 1), (7, 1), (40, 9), (90, 1)]));
        let all = [(6, 1), (7, 2), (40, 9), (90, 1), (u32::MAX, 1)];
        assert_eq!(known, clocks(&all));
        assert!(before.has(40, 4) && !before.has(40, 9));
        known.join(&before);
        assert_eq!(known, clocks(&all));
    }

    #[test]
    fn history_says_what_was_known_at_a_clock() {
        let known = |wave| {
            let mut known = OrderedClocks::default();
            known.add(wave, 1);
            Knowledge {
                known: Arc::new(known),
                ..Knowledge::default()
            }
        };
        let mut history = History::default();
        assert_eq!(history.at(9), None);
        history.push(3, known(1));
        history.push(5, known(2));
        history.push(5, known(3));
        assert_eq!(history.at(2), None);
        assert_eq!(history.at(4), Some(&known(1)));
        assert_eq!(history.at(5), Some(&known(3)));
    }
}
