//! The level of the host's vectors, which one test at a time changes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gcn_emu::run::Level;

/// The right to change the level, which is the host's again in the end.
pub struct HostLevel {
    host: Level,
    _only: MutexGuard<'static, ()>,
}

impl HostLevel {
    /// Waits for other tests that change it.
    pub fn taken() -> HostLevel {
        static ONE: Mutex<()> = Mutex::new(());
        HostLevel {
            _only: ONE.lock().unwrap_or_else(PoisonError::into_inner),
            host: Level::current(),
        }
    }

    /// The levels that the host has.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    pub fn set(&self, level: Level) {
        level.set().expect("it is available");
    }
}

impl Drop for HostLevel {
    fn drop(&mut self) {
        self.set(self.host);
    }
}
