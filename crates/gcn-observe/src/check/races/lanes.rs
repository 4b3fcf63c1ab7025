//! Races between lanes of one instruction, and a fast check for disjoint lanes.

use gcn_emu::observe::{Access, MemoryEvent};
use gcn_emu::wave::LANES;
use gcn_isa::Does;

use super::access::{DWORD, ShadowedMemory};
use crate::filter::lanes;

/// Size of the bitmap in bits, large enough that 64 distinct addresses rarely collide.
const BITS: usize = 1 << 16;
const WORD: usize = u64::BITS as usize;

/// Bitmap of element numbers, modulo its size. Reused between accesses, and zero in between.
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
    /// True only if no two lanes access the same byte. May be false even so for elements that collide in the bitmap, are
    /// misaligned or not of 1, 2, 4 or 8 bytes, for scalar accesses, several address spaces or several elements per lane.
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

/// Bytes stored by a lane.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Stored {
    at: u64,
    lane: usize,
    bytes: Vec<u8>,
}

impl Stored {
    /// True if the store writes the byte at an address.
    pub(super) fn holds(&self, address: u64) -> bool {
        (self.at..self.at.saturating_add(self.bytes.len() as u64)).contains(&address)
    }
}

/// Two lanes that store different values to one address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Overlap {
    /// First byte in which the two stores differ.
    pub(super) at: u64,
    pub(super) lanes: [usize; 2],
}

/// Returns the values about to be stored, except by converting stores and to swizzled or partly out-of-bounds buffers.
pub(super) fn stored(event: &MemoryEvent<'_>, memory: ShadowedMemory) -> Vec<Stored> {
    let access = event.access();
    let plan = event.instruction.step.memory.as_deref();
    let is_plain = plan.is_some_and(|plan| {
        matches!(
            plan.does,
            Does::Store(_) | Does::StoreHigh(_) | Does::StoreTwo(..) | Does::StoreByLane
        )
    });
    if !is_plain || access.scalar {
        return Vec::new();
    }
    let mask = match memory {
        ShadowedMemory::Global => access.global,
        ShadowedMemory::Lds => access.lds,
    };
    let of_lane = |lane: usize, element: u8| {
        let at = match element {
            0 => access.address[lane],
            _ => access.second[lane],
        };
        let value = event.value(lane, element)?;
        let dwords = value.dwords().iter();
        let mut bytes: Vec<u8> = dwords.flat_map(|it| it.to_le_bytes()).collect();
        bytes.truncate(access.bytes.into());
        Some(Stored { at, lane, bytes })
    };
    let elements = 0..access.elements;
    elements
        .flat_map(|element| lanes(mask).filter_map(move |lane| of_lane(lane, element)))
        .collect()
}

/// Calls `each` for each element accessed in `memory`, with the lanes, the element size and the address of each lane.
pub(super) fn each_element(
    access: &Access,
    memory: ShadowedMemory,
    mut each: impl FnMut(u64, u8, &[u64; LANES]),
) {
    match memory {
        ShadowedMemory::Lds if access.to_lds.is_some() => {
            let places = std::array::from_fn(|lane| access.place_in_lds(lane));
            each(access.lanes(), DWORD as u8, &places);
        }
        ShadowedMemory::Lds => {
            each(access.lds, access.bytes, &access.address);
            if access.elements > 1 {
                each(access.lds, access.bytes, &access.second);
            }
        }
        ShadowedMemory::Global => {
            if access.global != 0 {
                each(access.global, access.bytes, &access.address);
            }
            if access.buffer == 0 {
                return;
            }
            let step = if access.splits_dwords() {
                1
            } else {
                DWORD as u8
            };
            for byte in (0..access.bytes).step_by(step.into()) {
                let places: [_; LANES] =
                    std::array::from_fn(|lane| access.place(lane, byte.into()));
                let inside = lanes(access.buffer).filter(|lane| places[*lane].is_some());
                let inside = inside.fold(0, |mask, lane| mask | 1 << lane);
                let bytes = step.min(access.bytes - byte);
                each(inside, bytes, &places.map(Option::unwrap_or_default));
            }
        }
    }
}

/// Returns the lowest lane that accesses an address in `memory`.
pub(super) fn lane_of(access: &Access, memory: ShadowedMemory, at: u64) -> Option<usize> {
    let mut first = None;
    each_element(access, memory, |mask, bytes, addresses| {
        let holds = |lane: &usize| {
            let from = addresses[*lane];
            (from..from.saturating_add(bytes.into())).contains(&at)
        };
        first = first.into_iter().chain(lanes(mask).find(holds)).min();
    });
    first
}

/// Finds two lanes that store different values to one address.
pub(super) fn overlap(mut stored: Vec<Stored>) -> Option<Overlap> {
    stored.sort();
    for (n, first) in stored.iter().enumerate() {
        let end = first.at.saturating_add(first.bytes.len() as u64);
        let behind = stored[n + 1..].iter();
        for second in behind.take_while(|it| it.at < end) {
            if first.lane == second.lane {
                continue;
            }
            let from = (second.at - first.at) as usize;
            let mut pairs = first.bytes[from..].iter().zip(&second.bytes);
            if let Some(different) = pairs.position(|(a, b)| a != b) {
                return Some(Overlap {
                    at: second.at + different as u64,
                    lanes: [first.lane, second.lane],
                });
            }
        }
    }
    None
}

/// Result of comparing values about to be stored with the bytes of an earlier store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    /// All bytes that are in both are equal.
    Same,
    /// Some bytes differ, the first one at this address.
    Differs(u64),
    /// No values to compare, as for a load, an atomic or a converting store.
    Unknown,
}

/// Compares values about to be stored with the bytes that an earlier store left at `at`.
pub(super) fn compare(stored: &[Stored], at: u64, earlier: &[u8]) -> Comparison {
    let mut result = Comparison::Unknown;
    for it in stored {
        for (to, byte) in (it.at..).zip(&it.bytes) {
            let Some(before) = to.checked_sub(at).and_then(|to| earlier.get(to as usize)) else {
                continue;
            };
            result = match result {
                Comparison::Differs(first) if before != byte => Comparison::Differs(first.min(to)),
                _ if before != byte => Comparison::Differs(to),
                Comparison::Unknown => Comparison::Same,
                known => known,
            };
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

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
            // Distinct addresses with the same bit in the bitmap.
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

    fn stored(at: u64, lane: usize, value: u32) -> Stored {
        Stored {
            at,
            lane,
            bytes: value.to_le_bytes().to_vec(),
        }
    }

    #[test]
    fn only_different_values_at_one_address_are_an_overlap() {
        assert_eq!(overlap(vec![stored(0, 0, 1), stored(4, 1, 2)]), None);
        assert_eq!(overlap(vec![stored(8, 0, 1), stored(8, 1, 1)]), None);
        assert_eq!(
            overlap(vec![stored(8, 5, 1), stored(0, 0, 1), stored(8, 1, 2)]),
            Some(Overlap {
                at: 8,
                lanes: [1, 5]
            })
        );
        // Both stores write 7 to byte 3.
        assert_eq!(
            overlap(vec![stored(0, 0, 0x0700_0000), stored(3, 1, 0x0107)]),
            None
        );
        let partly = overlap(vec![stored(0, 0, 0x0700_0000), stored(3, 1, 0x0108)]);
        assert_eq!(partly.map(|it| it.at), Some(3));
    }
    #[test]
    fn stores_are_compared_where_both_have_bytes() {
        let now = [stored(0, 0, 1), stored(4, 1, 2), stored(16, 2, 3)];
        let earlier = [[1, 0, 0, 0], [2, 0, 0, 0]].concat();
        assert_eq!(compare(&now, 0, &earlier), Comparison::Same);
        assert_eq!(compare(&now, 4, &earlier), Comparison::Differs(4));
        assert_eq!(compare(&now, 2, &[0, 0, 2, 1]), Comparison::Differs(5));
        assert_eq!(compare(&now, 8, &earlier), Comparison::Unknown);
    }
}
