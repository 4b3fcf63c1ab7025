//! Fields of descriptors.

/// A field of a descriptor.
#[derive(Clone, Copy)]
pub(super) struct DescriptorField {
    word: usize,
    low: u32,
    width: u32,
}

impl DescriptorField {
    pub(super) const fn new(word: usize, low: u32, width: u32) -> DescriptorField {
        DescriptorField { word, low, width }
    }

    /// Maximum value.
    pub(super) const fn ones(self) -> u32 {
        ((1u64 << self.width) - 1) as u32
    }
}

/// Value of the field; 0 if the word does not exist.
pub(super) fn get(words: &[u32], bits: DescriptorField) -> u32 {
    let word = words.get(bits.word).copied().unwrap_or(0);
    word >> bits.low & bits.ones()
}

/// Sets a zero field to the low bits of `value`.
pub(super) fn set(words: &mut [u32], bits: DescriptorField, value: u32) {
    if let Some(word) = words.get_mut(bits.word) {
        *word |= (value & bits.ones()) << bits.low;
    }
}
