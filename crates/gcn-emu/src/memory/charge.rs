//! Accounting for device memory that has no address.

use super::Memory;
use super::allocation::AllocError;

/// Charge against the device memory limit for data without an address, for example registers; released when dropped.
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
    /// Counts `bytes` as in use, for data without an address, until the charge is dropped.
    ///
    /// # Errors
    /// Fails if the limit would be exceeded.
    pub fn charge(&self, name: &str, bytes: u64) -> Result<Charge, AllocError> {
        self.space.charge(name, bytes)?;
        Ok(Charge {
            memory: self.clone(),
            bytes,
        })
    }
}
