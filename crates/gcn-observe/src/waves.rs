//! State that a checker keeps for each wave.

use gcn_emu::wave::WaveId;

/// States of the waves that one thread runs. A wave has turns of many instructions, so that the one asked for is mostly
/// the one of the last time: it is found without a look at the others.
#[derive(Debug)]
pub(crate) struct Waves<T> {
    current: Option<(WaveId, Box<T>)>,
    /// They are few: a search costs less than a hash.
    others: Vec<(WaveId, Box<T>)>,
}

impl<T> Default for Waves<T> {
    fn default() -> Waves<T> {
        Waves {
            current: None,
            others: Vec::new(),
        }
    }
}

impl<T: Default> Waves<T> {
    /// The state of a wave; a new one has the default.
    #[inline]
    pub(crate) fn get(&mut self, id: WaveId) -> &mut T {
        if self
            .current
            .as_ref()
            .is_none_or(|(current, _)| *current != id)
        {
            self.change(id);
        }
        &mut self.current.get_or_insert_with(|| (id, Box::default())).1
    }

    #[cold]
    fn change(&mut self, id: WaveId) {
        let state = self.take(id).unwrap_or_default();
        self.others.extend(self.current.replace((id, state)));
    }

    /// Takes the state of another wave than the current one out.
    fn take(&mut self, id: WaveId) -> Option<Box<T>> {
        let place = self.others.iter().position(|(other, _)| *other == id)?;
        Some(self.others.swap_remove(place).1)
    }

    /// Changes the states of all waves.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut T)) {
        let current = self.current.iter_mut().map(|(_, state)| &mut **state);
        let others = self.others.iter_mut().map(|(_, state)| &mut **state);
        current.chain(others).for_each(change);
    }

    /// Forgets a wave.
    pub(crate) fn remove(&mut self, id: WaveId) {
        if self
            .current
            .as_ref()
            .is_some_and(|(current, _)| *current == id)
        {
            self.current = None;
        } else {
            self.take(id);
        }
    }
}
