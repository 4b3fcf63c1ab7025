//! Mutation of host code, for a test of the other tests' ability to detect wrong code.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True once a test has called [`mutate`].
static IS_ON: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State {
    mutated: None,
    emitted: BTreeSet::new(),
});

struct State {
    /// Name of the operation whose results are corrupted.
    mutated: Option<String>,
    /// Names of the operations emitted since the last [`take_emitted`].
    emitted: BTreeSet<String>,
}

/// Starts to corrupt the results of operations with this name, or stops if `name` is `None`.
pub fn mutate(name: Option<&str>) {
    IS_ON.store(true, Relaxed);
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.mutated = name.map(str::to_owned);
}

/// Takes the names of the operations emitted since the last call. Recording starts with the first call to [`mutate`].
pub fn take_emitted() -> BTreeSet<String> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut state.emitted)
}

/// Records an emitted operation. Returns true if its result must be corrupted.
pub(super) fn is_mutated(name: impl FnOnce() -> String) -> bool {
    IS_ON.load(Relaxed) && {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name();
        let is_mutated = state.mutated.as_ref() == Some(&name);
        state.emitted.insert(name);
        is_mutated
    }
}
