//! Mutations of host code, for the test that checks that other tests notice them.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True while a test mutates or lists operations.
static IS_ON: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State {
    mutated: None,
    emitted: BTreeSet::new(),
});

struct State {
    /// Name of the operation whose results are corrupted.
    mutated: Option<String>,
    /// Operations that have been emitted.
    emitted: BTreeSet<String>,
}

/// Corrupts the results of one kind of operation from now on, or of none.
pub fn mutate(name: Option<&str>) {
    IS_ON.store(true, Relaxed);
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.mutated = name.map(str::to_owned);
}

/// The operations that have been emitted since the last call, by name; none before the first call of [`mutate`].
pub fn take_emitted() -> BTreeSet<String> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut state.emitted)
}

/// True if an operation that is emitted is to be wrong.
pub(super) fn is_mutated(name: impl FnOnce() -> String) -> bool {
    IS_ON.load(Relaxed) && {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name();
        let is_mutated = state.mutated.as_ref() == Some(&name);
        state.emitted.insert(name);
        is_mutated
    }
}
