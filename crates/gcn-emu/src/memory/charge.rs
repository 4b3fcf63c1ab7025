//! Memory that is in use without an address.

use super::Memory;
use super::allocation::AllocError;

/// Bytes of a device's memory that are in use for something without an address there, such as registers; given back when
/// dropped.
#[derive(Debug)]
pub struct Charge {
    memory: Memory,
    bytes: u64,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.memory.space.discharge(self.bytes);
    }
}

impl Memory {
    /// Counts `bytes` as in use until the charge is dropped: those of something that has no address here.
    ///
    /// # Errors
    /// The limit is reached.
    pub fn charge(&self, name: &str, bytes: u64) -> Result<Charge, AllocError> {
        self.space.charge(name, bytes)?;
        Ok(Charge {
            memory: self.clone(),
            bytes,
        })
    }
}
