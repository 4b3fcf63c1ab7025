//! Cache of facts about a kernel's instructions, computed once per instruction.

use gcn_emu::step::Step;

/// Facts about a kernel's instructions, indexed by instruction number.
pub(crate) struct ByStep<T>(Vec<Option<Box<T>>>);

impl<T> Default for ByStep<T> {
    fn default() -> ByStep<T> {
        ByStep(Vec::new())
    }
}

impl<T> ByStep<T> {
    /// Returns the facts about the instruction with number `index`, if they have been computed.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index)?.as_deref()
    }

    /// Returns the facts about an instruction, computing them with `make` on first use.
    #[inline]
    pub(crate) fn of(&mut self, step: &Step, make: impl FnOnce(&Step) -> T) -> &T {
        if self.get(step.index).is_none() {
            self.keep(step.index, make(step));
        }
        self.0[step.index].as_deref().expect("it is kept")
    }

    #[cold]
    fn keep(&mut self, index: usize, facts: T) {
        if self.0.len() <= index {
            self.0.resize_with(index + 1, || None);
        }
        self.0[index] = Some(Box::new(facts));
    }
}
