//! The global data share and the global wave synchronisation resources.

/// Global data share.
#[derive(Debug, Default)]
pub struct Gds {}

impl Gds {
    /// Zeroed.
    pub fn new() -> Gds {
        Gds::default()
    }
}

/// Global wave synchronisation resources (errata E048).
#[derive(Debug, Default)]
pub struct Gws {}

impl Gws {
    /// All resources idle.
    pub fn new() -> Gws {
        Gws::default()
    }

    /// Whether another thread could still release a waiter.
    pub fn may_change(&self, _threads: usize) -> bool {
        false
    }
}
