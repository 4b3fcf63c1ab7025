//! Groups of allocations that are freed together.

use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::memory::{AllocError, Memory};

/// Maximum size in bytes of a block kept for reuse.
const MAX_SPARE_BYTES: u64 = 4096;
/// Maximum number of blocks kept for reuse.
const MAX_SPARE: usize = 64;

/// Block of memory that a launch needs in addition to its buffers.
#[derive(Clone, Copy, Debug)]
struct Block {
    name: &'static str,
    address: u64,
    bytes: u64,
}

/// Pool of blocks from finished launches. Reuse pays off: touching a fresh page takes longer than running an empty kernel.
#[derive(Debug)]
pub(crate) struct SpareBlocks {
    memory: Memory,
    blocks: Mutex<Vec<Block>>,
}

impl SpareBlocks {
    pub(crate) fn new(memory: &Memory) -> SpareBlocks {
        SpareBlocks {
            memory: memory.clone(),
            blocks: Mutex::default(),
        }
    }

    /// Takes a block with this name and size from the pool, without clearing it.
    fn take(&self, name: &str, bytes: u64) -> Option<Block> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |block: &Block| block.bytes == bytes && block.name == name;
        let index = blocks.iter().rposition(is_wanted)?;
        Some(blocks.swap_remove(index))
    }

    /// Puts a block into the pool. Returns false if the block is too large or the pool is full.
    fn keep(&self, block: Block) -> bool {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = block.bytes <= MAX_SPARE_BYTES && blocks.len() < MAX_SPARE;
        if is_kept {
            blocks.push(block);
        }
        is_kept
    }
}

impl Drop for SpareBlocks {
    fn drop(&mut self) {
        let blocks = self.blocks.get_mut();
        for block in blocks.unwrap_or_else(PoisonError::into_inner) {
            let freed = self.memory.free(block.address);
            debug_assert!(freed.is_ok(), "nobody else frees it");
        }
    }
}

/// Set of allocations in device memory, freed on drop.
#[derive(Debug)]
pub(crate) struct Owned {
    memory: Memory,
    blocks: Vec<Block>,
    spare: Option<Arc<SpareBlocks>>,
}

impl Owned {
    /// Creates an empty set.
    pub(crate) fn new(memory: &Memory) -> Owned {
        Owned {
            memory: memory.clone(),
            blocks: Vec::new(),
            spare: None,
        }
    }

    /// Creates an empty set that takes small blocks from a pool and returns them on drop.
    pub(crate) fn of_spare(spare: Arc<SpareBlocks>) -> Owned {
        Owned {
            memory: spare.memory.clone(),
            blocks: Vec::new(),
            spare: Some(spare),
        }
    }

    /// Returns the memory that contains the allocations.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Allocates `bytes` zeroed bytes and returns their address.
    ///
    /// # Errors
    /// Fails like [`Memory::allocate`].
    pub(crate) fn allocate(&mut self, name: &'static str, bytes: u64) -> Result<u64, AllocError> {
        static ZEROS: [u8; MAX_SPARE_BYTES as usize] = [0; MAX_SPARE_BYTES as usize];
        match self.spare_block(name, bytes) {
            Some(address) => self.fill(address, &ZEROS[..bytes as usize]),
            None => self.fresh_block(name, bytes),
        }
    }

    /// Allocates memory with the given contents, and returns its address.
    ///
    /// # Errors
    /// Fails like [`Memory::allocate`].
    pub(crate) fn place(&mut self, name: &'static str, contents: &[u8]) -> Result<u64, AllocError> {
        let bytes = contents.len() as u64;
        let address = match self.spare_block(name, bytes) {
            Some(address) => address,
            None => self.fresh_block(name, bytes)?,
        };
        self.fill(address, contents)
    }

    fn spare_block(&mut self, name: &str, bytes: u64) -> Option<u64> {
        let block = self.spare.as_ref()?.take(name, bytes)?;
        self.blocks.push(block);
        Some(block.address)
    }

    fn fresh_block(&mut self, name: &'static str, bytes: u64) -> Result<u64, AllocError> {
        let address = self.memory.allocate(name, bytes)?;
        self.blocks.push(Block {
            name,
            address,
            bytes,
        });
        Ok(address)
    }

    /// Writes the contents of a block, and returns its address.
    fn fill(&self, address: u64, contents: &[u8]) -> Result<u64, AllocError> {
        let has_written = self.memory.write(address, contents);
        debug_assert!(has_written, "the block is allocated");
        Ok(address)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        for block in self.blocks.drain(..) {
            if !self.spare.as_ref().is_some_and(|spare| spare.keep(block)) {
                let freed = self.memory.free(block.address);
                debug_assert!(freed.is_ok(), "nobody else frees it");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_blocks_are_zero_again_and_freed_in_the_end() {
        let memory = Memory::new();
        let spare = Arc::new(SpareBlocks::new(&memory));
        let block = |bytes| {
            let mut owned = Owned::of_spare(spare.clone());
            let address = owned.allocate("a block", bytes).expect("memory");
            assert_eq!(memory.load_u32(address), Some(0));
            memory.store_u32(address, 7);
            address
        };
        let first = block(64);
        assert_eq!(block(64), first);
        assert_ne!(block(128), first, "another size");
        let large = block(2 * MAX_SPARE_BYTES);
        assert_eq!(memory.load_u32(large), None, "it is freed");
        assert!(memory.load_u32(first).is_some());
        drop(spare);
        assert_eq!(memory.load_u32(first), None);
    }
}
