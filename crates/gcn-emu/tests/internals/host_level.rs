//! Level of the host's vectors, which only one test at a time may change.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gcn_emu::run::Level;

/// Exclusive right to change the level. Restores the host's level at the end.
pub struct HostLevel {
    host: Level,
    _only: MutexGuard<'static, ()>,
}

impl HostLevel {
    /// Waits until no other test changes the level.
    pub fn taken() -> HostLevel {
        static ONE: Mutex<()> = Mutex::new(());
        HostLevel {
            _only: ONE.lock().unwrap_or_else(PoisonError::into_inner),
            host: Level::current(),
        }
    }

    /// Levels that the host supports.
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
