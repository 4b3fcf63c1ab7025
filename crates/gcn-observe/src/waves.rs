//! State that a checker keeps for each wave or workgroup.

use gcn_emu::wave::WaveId;

/// States of the waves that one thread runs.
pub(crate) type Waves<T> = States<WaveId, T>;
/// States of the workgroups that one thread runs.
pub(crate) type Groups<T> = States<[u32; 3], T>;

/// States by key. A wave has turns of many instructions, so that the one asked for is mostly the one of the last time: it is
/// found without a look at the others.
#[derive(Debug)]
pub(crate) struct States<K, T> {
    current: Option<(K, Box<T>)>,
    /// The other states, which are few: a search costs less than a hash.
    others: Vec<(K, Box<T>)>,
}

impl<K, T> Default for States<K, T> {
    fn default() -> States<K, T> {
        States {
            current: None,
            others: Vec::new(),
        }
    }
}

impl<K: Copy + Eq, T> States<K, T> {
    /// The state that has a key; a new one is made.
    #[inline]
    pub(crate) fn get_or_make(&mut self, key: K, make: impl FnOnce() -> T) -> &mut T {
        if !self.is_current(key) {
            let state = self.take(key);
            let state = state.unwrap_or_else(|| Box::new(make()));
            self.others.extend(self.current.replace((key, state)));
        }
        match &mut self.current {
            Some((_, state)) => state,
            None => unreachable!("it was made current"),
        }
    }

    /// The state that has a key, if one has.
    #[inline]
    pub(crate) fn find(&mut self, key: K) -> Option<&mut T> {
        if !self.is_current(key) {
            let state = self.take(key)?;
            self.others.extend(self.current.replace((key, state)));
        }
        self.current()
    }

    /// The one that was asked for last.
    #[inline]
    pub(crate) fn current(&mut self) -> Option<&mut T> {
        self.current.as_mut().map(|(_, state)| &mut **state)
    }

    #[inline]
    fn is_current(&self, key: K) -> bool {
        matches!(&self.current, Some((current, _)) if *current == key)
    }

    /// Takes the state of another key than the current one out.
    #[cold]
    fn take(&mut self, key: K) -> Option<Box<T>> {
        let place = self.others.iter().position(|(other, _)| *other == key)?;
        Some(self.others.swap_remove(place).1)
    }

    /// Changes all states.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut T)) {
        let current = self.current.iter_mut().map(|(_, state)| &mut **state);
        let others = self.others.iter_mut().map(|(_, state)| &mut **state);
        current.chain(others).for_each(change);
    }

    /// Forgets the state of a key, and gives it.
    pub(crate) fn remove(&mut self, key: K) -> Option<Box<T>> {
        if self.is_current(key) {
            self.current.take().map(|(_, state)| state)
        } else {
            self.take(key)
        }
    }
}

impl<K: Copy + Eq, T: Default> States<K, T> {
    /// The state that has a key; a new one has the default.
    #[inline]
    pub(crate) fn get(&mut self, key: K) -> &mut T {
        self.get_or_make(key, T::default)
    }
}
