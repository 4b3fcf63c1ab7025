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

    /// The largest value.
    pub(super) const fn ones(self) -> u32 {
        ((1u64 << self.width) - 1) as u32
    }
}

/// The field's value; 0 of a word that is not there.
pub(super) fn get(words: &[u32], bits: DescriptorField) -> u32 {
    let word = words.get(bits.word).copied().unwrap_or(0);
    word >> bits.low & bits.ones()
}

/// Sets a field that is 0 to the value's low bits.
pub(super) fn set(words: &mut [u32], bits: DescriptorField, value: u32) {
    if let Some(word) = words.get_mut(bits.word) {
        *word |= (value & bits.ones()) << bits.low;
    }
}
