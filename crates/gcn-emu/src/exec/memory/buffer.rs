//! Buffer descriptors: where an index and an offset lead, and how far.
//!
//! Source: AMD's manuals of the four generations, chapter "Vector Memory Buffer Instructions"; the unit of
//! NUM_RECORDS by generation as Mesa's drivers document it; for scalar memory errata E119.

use gcn_isa::Isa;

use crate::lanes::LANES;

/// A descriptor of four dwords, for one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Descriptor {
    /// Address of the buffer: 48 bits, the highest of which is that of all above it (errata E241).
    pub base: u64,
    /// Bytes from a record to the next.
    pub stride: u32,
    /// The size, in bytes or records.
    pub num_records: u32,
    /// The lane's number is added to the index.
    pub add_tid: bool,
    /// Records are interleaved, if they are.
    swizzle: Option<Swizzle>,
    /// The instruction's scalar offset, outside of swizzling.
    soffset: u32,
    /// NUM_RECORDS counts records, which an index is compared with.
    structured: bool,
}

/// Interleaving of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Swizzle {
    /// Bytes of a record that stay together.
    element: u64,
    /// Records that are interleaved.
    records: u64,
}

/// Bounds of indices and offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Records {
    /// Records that there are.
    pub count: u32,
    /// Bytes that an element, wherever its record is, ends within.
    pub bytes: u64,
}

// Bits of the descriptor's second and fourth dword.
const STRIDE_SHIFT: u32 = 16;
const STRIDE: u32 = 0x3fff;
const SWIZZLE_ENABLE: u32 = 1 << 31;
const FORMAT_SHIFT: u32 = 15;
const FORMAT: u32 = 0xf;
const ELEMENT_SHIFT: u32 = 19;
const INDEX_STRIDE_SHIFT: u32 = 21;
const TWO_BITS: u32 = 3;
const ADD_TID: u32 = 1 << 23;
/// With ADD_TID the data format's bits extend the stride, from GCN 1.2 on.
const STRIDE_BITS: u32 = 14;
/// The only element size of GCN 1.4.
const ELEMENT_GFX9: u64 = 4;

impl Descriptor {
    /// True if a descriptor has no data format, and no ADD_TID to which the bits belong. Accesses that bring no format
    /// find nothing there (errata E249).
    pub fn is_unbound(words: [u32; 4]) -> bool {
        words[3] & (ADD_TID | FORMAT << FORMAT_SHIFT) == 0
    }

    /// From its dwords, the instruction's scalar offset, and whether the instruction has an index.
    #[inline]
    pub fn new(isa: Isa, words: [u32; 4], soffset: u32, idxen: bool) -> Descriptor {
        let [low, second, num_records, last] = words;
        let add_tid = last & ADD_TID != 0;
        let mut stride = second >> STRIDE_SHIFT & STRIDE;
        if add_tid && isa >= Isa::Vi {
            stride |= (last >> FORMAT_SHIFT & FORMAT) << STRIDE_BITS;
        }
        let swizzled = second & SWIZZLE_ENABLE != 0;
        let swizzle = swizzled.then(|| Swizzle {
            element: if isa >= Isa::Gfx9 {
                ELEMENT_GFX9
            } else {
                2 << (last >> ELEMENT_SHIFT & TWO_BITS)
            },
            records: 8 << (last >> INDEX_STRIDE_SHIFT & TWO_BITS),
        });
        // What NUM_RECORDS counts.
        let structured = stride != 0
            && match isa {
                Isa::Si | Isa::Ci => idxen || add_tid,
                Isa::Vi | Isa::Stoney => swizzled,
                Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => idxen || (add_tid && swizzled),
            };
        let high = i64::from(second as i16);
        Descriptor {
            base: u64::from(low) | (high as u64) << u32::BITS,
            stride,
            num_records,
            add_tid,
            swizzle,
            soffset,
            structured,
        }
    }

    /// The size that scalar memory instructions see: swizzling and formats are nothing to them (errata E119).
    pub fn scalar_bytes(&self) -> u64 {
        let stride = u64::from(self.stride & STRIDE).max(1);
        stride * u64::from(self.num_records)
    }

    /// True if dword `offset` of record `index` is in range; `offset` is without the scalar one.
    fn has(&self, index: u32, offset: u64, bytes: u64) -> bool {
        if self.structured {
            index < self.num_records
        } else {
            let begin = if self.swizzle.is_some() {
                offset
            } else {
                offset + u64::from(index) * u64::from(self.stride)
            };
            let size = u64::from(self.num_records).saturating_sub(u64::from(self.soffset));
            begin + bytes <= size
        }
    }

    /// True if these bytes are consecutive in memory and in range.
    pub fn is_linear(&self, index: u32, offset: u64, bytes: u8) -> bool {
        self.swizzle.is_none() && self.has(index, offset, u64::from(bytes))
    }

    /// True if less than a dword of a record stays together.
    pub fn splits_dwords(&self) -> bool {
        self.swizzle.is_some_and(|s| s.element < 4)
    }

    /// Address of lane 0's first dword and number of bytes of each lane, if dwords of a wave's lanes are interleaved and
    /// each lane has its own: a descriptor of scratch.
    #[inline]
    pub fn of_lanes(&self) -> Option<(u64, u64)> {
        let Swizzle { element, records } = self.swizzle?;
        if !self.add_tid || element != ELEMENT_GFX9 || records != LANES as u64 {
            return None;
        }
        let bytes = match self.structured {
            true if u64::from(self.num_records) < LANES as u64 => 0,
            true => u64::MAX,
            false => self.num_records.saturating_sub(self.soffset).into(),
        };
        Some((self.base.wrapping_add(u64::from(self.soffset)), bytes))
    }

    /// Bounds of indices and offsets, if records are not interleaved and an index is the register's.
    pub fn records(&self) -> Option<Records> {
        if self.swizzle.is_some() || self.add_tid {
            return None;
        }
        let bytes = self.num_records.saturating_sub(self.soffset);
        Some(if self.structured {
            Records {
                count: self.num_records,
                bytes: u64::MAX,
            }
        } else {
            Records {
                count: u32::MAX,
                bytes: bytes.into(),
            }
        })
    }

    /// The address of a byte of a record that is not interleaved.
    pub fn linear(&self, index: u32, offset: u64) -> u64 {
        let inside = u64::from(index) * u64::from(self.stride) + offset;
        self.base
            .wrapping_add(u64::from(self.soffset))
            .wrapping_add(inside)
    }

    /// The address of byte number `byte` of an access at `offset` of record `index`, if its dword is in range.
    pub fn place(&self, index: u32, offset: u64, byte: u64) -> Option<u64> {
        let offset = offset + byte;
        if !self.has(index, offset, 1) {
            return None;
        }
        let Some(swizzle) = self.swizzle else {
            return Some(self.linear(index, offset));
        };
        let Swizzle { element, records } = swizzle;
        let index = u64::from(index);
        let rows = index / records * u64::from(self.stride) + offset / element * element;
        let inside = rows * records + index % records * element + offset % element;
        Some(
            self.base
                .wrapping_add(u64::from(self.soffset))
                .wrapping_add(inside),
        )
    }
}
