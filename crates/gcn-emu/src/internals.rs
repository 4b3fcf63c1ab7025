//! Parts of an execution that the tests of this crate run one by one. No other crate uses them.

pub use crate::exec::alu::{handler, two_paths};
pub use crate::exec::memory::{
    Attempt, LaneFault, Transfer, addresses, execute_fast_path, perform,
};
pub use crate::lanes::{Elements, from_elements, narrowed, permuted, to_elements, widened};
use crate::memory::Memory;
pub use crate::native::mutation;
pub use crate::step::plan::ordered_up_to;
use crate::wave;

/// Memory of `bytes` bytes of addresses, for allocations to have none left.
pub fn small_memory(bytes: u64) -> Memory {
    Memory::small(bytes as usize)
}

/// First address of the range that a memory has.
pub fn first_address(memory: &Memory) -> u64 {
    memory.first()
}

/// The addresses around one at which an element of `bytes` bytes is `offset` bytes away in an allocation: the first of them, their number
/// and the address of the first element. No addresses if that has no such element.
pub fn window(memory: &Memory, address: u64, offset: i64, bytes: u32) -> (u64, u32, u64) {
    let window = memory.window(address, offset, bytes);
    let first = u64::from(window.low[0]) | u64::from(window.high[0]) << u32::BITS;
    (first, window.count[0], window.pointer)
}

/// [`window`] of offsets from an address.
pub fn window_from(memory: &Memory, base: u64, bytes: u32) -> (u32, u64) {
    let window = memory.window_from(base, bytes);
    (window.count[0], window.pointer)
}

/// Strides of a wave's loads.
#[derive(Default)]
pub struct Strides(wave::Strides);

impl Strides {
    /// Load number `load` is at an address: the distance to where it is expected next.
    pub fn next(&mut self, load: u8, address: u64) -> Option<u64> {
        self.0.next(load, address)
    }
}
