//! Allocations that are freed together.

use gcn_emu::memory::{AllocError, Memory};

/// Allocations of a device's memory, freed when dropped.
#[derive(Debug)]
pub struct Owned {
    memory: Memory,
    addresses: Vec<u64>,
}

impl Owned {
    /// None yet.
    pub fn new(memory: &Memory) -> Owned {
        Owned {
            memory: memory.clone(),
            addresses: Vec::new(),
        }
    }

    /// The memory that they are in.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Allocates `bytes` zero bytes and returns their address.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn allocate(&mut self, name: &str, bytes: u64) -> Result<u64, AllocError> {
        let address = self.memory.allocate(name, bytes)?;
        self.addresses.push(address);
        Ok(address)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        for address in self.addresses.drain(..) {
            let freed = self.memory.free(address);
            debug_assert!(freed.is_ok(), "nobody else frees it");
        }
    }
}
