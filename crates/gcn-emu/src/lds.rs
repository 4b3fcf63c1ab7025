//! The local data share of a workgroup.

use gcn_isa::Isa;

/// A workgroup's allocation.
#[derive(Clone, Debug)]
pub struct Lds {
    bytes: Vec<u8>,
}

impl Lds {
    /// `bytes` rounded up to the allocation granularity of `isa` (checklist 2.7).
    pub fn new(isa: Isa, bytes: u32) -> Lds {
        let granule = if isa == Isa::Si { 256 } else { 512 };
        Lds {
            bytes: vec![0; bytes.next_multiple_of(granule) as usize],
        }
    }

    /// Zeros all of it.
    pub fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// Fills it with noise made from `seed`.
    pub fn randomise(&mut self, seed: u64) {
        let mut state = seed | 1;
        for byte in &mut self.bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = state as u8;
        }
    }
}
