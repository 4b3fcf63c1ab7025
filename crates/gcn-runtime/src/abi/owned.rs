//! Allocations that are freed together.

use gcn_emu::memory::{AllocError, Memory};

/// Allocations of a device's memory, freed when dropped.
///
/// # Examples
/// ```
/// use gcn_runtime::owned::Owned;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let mut owned = Owned::new(device.memory());
/// let address = owned.allocate("a page", 4096)?;
/// assert_eq!(owned.memory().load_u32(address), Some(0));
/// drop(owned);
/// assert_eq!(device.memory().load_u32(address), None, "it is freed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::owned::Owned;
    /// let device = gcn_runtime::Device::builder("gfx900")?.memory(4096).build();
    /// let mut owned = Owned::new(device.memory());
    /// let address = owned.allocate("a page", 4096).expect("it fits");
    /// assert_eq!(device.memory().nearest(address).expect("the page").name.to_string(), "a page");
    /// assert!(owned.allocate("another", 4096).is_err());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
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
