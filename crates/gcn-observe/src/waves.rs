//! Per-wave and per-workgroup state of checkers.

use gcn_emu::wave::WaveId;

/// State of the waves that one thread runs.
pub(crate) type Waves<T> = States<WaveId, T>;
/// State of the workgroups that one thread runs.
pub(crate) type Groups<T> = States<[u32; 3], T>;

/// Map from keys to states. Lookup tries the most recently used state first, because a wave executes many instructions per
/// turn.
#[derive(Debug)]
pub(crate) struct States<K, T> {
    current: Option<(K, Box<T>)>,
    /// All other states. There are few, so a linear search is faster than hashing.
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
    /// Returns the state for a key, creating a missing one with `make`.
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

    /// Returns the state for a key, if there is one.
    #[inline]
    pub(crate) fn find(&mut self, key: K) -> Option<&mut T> {
        if !self.is_current(key) {
            let state = self.take(key)?;
            self.others.extend(self.current.replace((key, state)));
        }
        self.current()
    }

    /// Returns the most recently used state.
    #[inline]
    pub(crate) fn current(&mut self) -> Option<&mut T> {
        self.current.as_mut().map(|(_, state)| &mut **state)
    }

    #[inline]
    fn is_current(&self, key: K) -> bool {
        matches!(&self.current, Some((current, _)) if *current == key)
    }

    /// True if there is a state for a key that `is_meant` accepts.
    pub(crate) fn has(&self, is_meant: impl Fn(&K) -> bool) -> bool {
        let mut all = self.current.iter().chain(&self.others);
        all.any(|(key, _)| is_meant(key))
    }

    /// Removes and returns the state for a key other than the current one.
    #[cold]
    fn take(&mut self, key: K) -> Option<Box<T>> {
        let place = self.others.iter().position(|(other, _)| *other == key)?;
        Some(self.others.swap_remove(place).1)
    }

    /// Calls a function for every state.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut T)) {
        let current = self.current.iter_mut().map(|(_, state)| &mut **state);
        let others = self.others.iter_mut().map(|(_, state)| &mut **state);
        current.chain(others).for_each(change);
    }

    /// Removes and returns the state for a key.
    pub(crate) fn remove(&mut self, key: K) -> Option<Box<T>> {
        if self.is_current(key) {
            self.current.take().map(|(_, state)| state)
        } else {
            self.take(key)
        }
    }
}

impl<K: Copy + Eq, T: Default> States<K, T> {
    /// Returns the state for a key, creating a default one if it is missing.
    #[inline]
    pub(crate) fn get(&mut self, key: K) -> &mut T {
        self.get_or_make(key, T::default)
    }
}
