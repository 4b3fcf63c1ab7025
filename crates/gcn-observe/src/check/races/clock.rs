//! Clocks of waves, and what they know of each other's.

use std::sync::Arc;

use hashbrown::HashMap;

/// Clocks of other waves up to which what they did is ordered before. Waves that nothing is known of are missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct OrderedClocks(HashMap<u32, u32>);

impl OrderedClocks {
    /// True if all that a wave did up to a clock is ordered before.
    #[inline]
    pub(super) fn has(&self, wave: u32, clock: u32) -> bool {
        !self.0.is_empty() && self.0.get(&wave).is_some_and(|&known| known >= clock)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what a wave did up to a clock. Returns true if that is new.
    pub(super) fn add(&mut self, wave: u32, clock: u32) -> bool {
        let known = self.0.entry(wave).or_insert(0);
        let is_new = *known < clock;
        *known = clock.max(*known);
        is_new
    }

    /// Adds all that another one has.
    pub(super) fn join(&mut self, other: &OrderedClocks) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for (&wave, &clock) in &other.0 {
            self.add(wave, clock);
        }
    }
}

/// What a wave knows of others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Knowledge {
    /// Clocks that are ordered before all its accesses.
    pub(super) known: Arc<OrderedClocks>,
    /// Clocks that are ordered before its stores, atomics and GLC loads, but not before loads through the cache, which may hold what
    /// was there before.
    pub(super) past_cache: Arc<OrderedClocks>,
}

/// Knowledge of a wave by its own clock: that which it releases at one.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<(u32, Knowledge)>);

impl History {
    /// From a clock on it knows more.
    pub(super) fn push(&mut self, clock: u32, known: Knowledge) {
        match self.0.last_mut() {
            Some(last) if last.0 == clock => last.1 = known,
            _ => self.0.push((clock, known)),
        }
    }

    /// Knowledge at a clock.
    pub(super) fn at(&self, clock: u32) -> Option<&Knowledge> {
        let after = self.0.partition_point(|(since, _)| *since <= clock);
        Some(&self.0[after.checked_sub(1)?].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
