//! Internal components exposed for this crate's integration tests. No other crate uses them.

pub use crate::exec::alu::{handler, two_paths};
pub use crate::exec::memory::{
    Attempt, LaneFault, Transfer, addresses, execute_fast_path, perform,
};
pub use crate::lanes::{Elements, from_elements, narrowed, permuted, to_elements, widened};
use crate::memory::Memory;
pub use crate::native::mutation;
pub use crate::step::plan::ordered_up_to;
use crate::wave;

/// Creates memory with an address space of `bytes` bytes, to test exhaustion.
pub fn small_memory(bytes: u64) -> Memory {
    Memory::small(bytes as usize)
}

/// First address of the memory's range.
pub fn first_address(memory: &Memory) -> u64 {
    memory.first()
}

/// Finds the addresses around `address` for which the element of `bytes` bytes at distance `offset` is in the same
/// allocation. Returns the first address, the number of addresses, and the host address of the first one's element. The
/// number is 0 if the element for `address` is in no allocation.
pub fn window(memory: &Memory, address: u64, offset: i64, bytes: u32) -> (u64, u32, u64) {
    let window = memory.window(address, offset, bytes);
    let first = u64::from(window.low[0]) | u64::from(window.high[0]) << u32::BITS;
    (first, window.count[0], window.pointer)
}

/// Variant of [`window`] for offsets from a base address.
pub fn window_from(memory: &Memory, base: u64, bytes: u32) -> (u32, u64) {
    let window = memory.window_from(base, bytes);
    (window.count[0], window.pointer)
}

/// Stride predictor for a wave's loads.
#[derive(Default)]
pub struct Strides(wave::Strides);

impl Strides {
    /// Records an address of load number `load`. Returns the load's stride if the last two strides were equal and
    /// nonzero.
    pub fn next(&mut self, load: u8, address: u64) -> Option<u64> {
        self.0.next(load, address)
    }
}
