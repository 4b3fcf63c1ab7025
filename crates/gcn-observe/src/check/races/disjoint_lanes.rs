//! Fast check that lanes access disjoint bytes.

use gcn_emu::observe::Access;

use crate::filter::lanes;

/// Size of the bitmap in bits: large enough that few of 64 distinct addresses collide.
const BITS: usize = 1 << 16;
const WORD: usize = u64::BITS as usize;

/// Bitmap with a bit per address, modulo its size. Reused between accesses, and zero in between.
#[derive(Debug)]
pub(super) struct PlaceBits {
    words: Box<[u64; BITS / WORD]>,
}

impl Default for PlaceBits {
    fn default() -> PlaceBits {
        PlaceBits {
            words: Box::new([0; BITS / WORD]),
        }
    }
}

impl PlaceBits {
    /// True if no two lanes access the same byte. False if some do or if the fast check cannot tell: element sizes
    /// other than 1, 2, 4 or 8 bytes, misaligned elements, several memories, or several elements per lane.
    pub(super) fn is_certain(&mut self, access: &Access) -> bool {
        let mask = access.lanes();
        let is_in_one = mask == access.global || mask == access.lds;
        let bytes = u64::from(access.bytes);
        let has_size = bytes.is_power_of_two() && bytes <= 8;
        if !is_in_one || !has_size || access.scalar || access.elements != 1 {
            return false;
        }
        let place = |lane: usize| {
            let number = (access.address[lane] >> bytes.trailing_zeros()) as usize % BITS;
            (number / WORD, 1 << (number % WORD))
        };
        let (mut met, mut low) = (0, 0);
        for lane in lanes(mask) {
            let (word, bit) = place(lane);
            met |= self.words[word] & bit;
            self.words[word] |= bit;
            low |= access.address[lane];
        }
        for lane in lanes(mask) {
            self.words[place(lane).0] = 0;
        }
        met == 0 && low % bytes == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks lanes with these LDS addresses.
    fn is_certain(apart: &mut PlaceBits, bytes: u8, addresses: &[u64]) -> bool {
        let mut access = Access {
            bytes,
            lds: (1 << addresses.len()) - 1,
            ..Access::default()
        };
        access.address[..addresses.len()].copy_from_slice(addresses);
        apart.is_certain(&access)
    }

    #[test]
    fn lanes_are_apart_only_if_no_bytes_are_shared() {
        let mut apart = PlaceBits::default();
        for (bytes, addresses, expected) in [
            (4, &[8, 0, 12, 4][..], true),
            (4, &[8, 0, 12, 8], false),
            (4, &[8, 2], false),
            (1, &[3, 2, 1], true),
            (2, &[3, 2], false),
            (8, &[8, 0], true),
            (8, &[8, 4], false),
            (16, &[16, 0], false),
            // The same bit, though they are apart.
            (4, &[0, 4 * BITS as u64], false),
        ] {
            assert_eq!(
                is_certain(&mut apart, bytes, addresses),
                expected,
                "{bytes} {addresses:?}"
            );
            assert!(apart.words.iter().all(|word| *word == 0));
        }
    }
}
