//! Buffer descriptors: address computation and bounds.
//!
//! Source: AMD's manuals for the four generations, section "Vector Memory Buffer Instructions"; errata E308, and errata
//! E119 for scalar memory.

use gcn_isa::Isa;

use crate::lanes::LANES;

/// Four-dword buffer descriptor, as used by one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Descriptor {
    /// Address of the buffer: 48 bits, sign-extended (errata E241).
    pub base: u64,
    /// Distance between records in bytes.
    pub stride: u32,
    /// Size, in bytes or records.
    pub num_records: u32,
    /// True if the lane number is added to the index.
    pub add_tid: bool,
    /// Interleaving of records, if enabled.
    swizzle: Option<Swizzle>,
    /// Scalar offset of the instruction, applied after swizzling.
    soffset: u32,
    /// Bounds of accesses.
    limits: Limits,
    /// True if range checks apply to whole elements (formats and atomics).
    pub is_whole: bool,
    /// Low address bits that are ignored on GCN 1.0 (errata E104).
    pub ignored: u64,
}

/// Interleaving of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Swizzle {
    /// Bytes of a record that stay together.
    element: u64,
    /// Number of records that are interleaved.
    records: u64,
}

/// Bounds of accesses through a descriptor (errata E308).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Limits {
    /// No bounds: scratch on GCN 1.4.
    #[default]
    None,
    /// End of the accessible bytes, relative to the start of the buffer.
    Bytes(u64),
    /// End of the accessible offsets, for any index.
    Offset(u64),
    /// Number of records, and end of the accessible bytes in each.
    Records { count: u32, bytes: u64 },
}

/// Bounds of indices and offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Records {
    /// Number of records.
    pub count: u32,
    /// Upper bound of an element's end, in bytes from the start of the buffer.
    pub bytes: u64,
    /// Upper bound of an element's end, in bytes from the start of its record.
    pub record: u64,
}

// Bits of the descriptor's second and fourth dwords.
const STRIDE_SHIFT: u32 = 16;
const STRIDE: u32 = 0x3fff;
const SWIZZLE_ENABLE: u32 = 1 << 31;
const FORMAT_SHIFT: u32 = 15;
const FORMAT: u32 = 0xf;
const ELEMENT_SHIFT: u32 = 19;
const INDEX_STRIDE_SHIFT: u32 = 21;
const TWO_BITS: u32 = 3;
const ADD_TID: u32 = 1 << 23;
/// Width of the stride; with ADD_TID on GCN 1.2 and later, the data format's bits extend it.
const STRIDE_BITS: u32 = 14;
/// Fixed element size of GCN 1.4, in bytes.
const ELEMENT_GFX9: u64 = 4;

impl Descriptor {
    /// True if a descriptor has no data format. On GCN 1.2 and later, the field extends the stride if ADD_TID is set.
    /// For accesses without their own format, an unbound buffer is empty (errata E249).
    fn is_unbound(isa: Isa, words: [u32; 4]) -> bool {
        let bits_are_stride = words[3] & ADD_TID != 0 && isa >= Isa::Vi;
        words[3] & FORMAT << FORMAT_SHIFT == 0 && !bits_are_stride
    }

    /// [`Descriptor::new`] for accesses without their own format, for which every address of an unbound buffer is out
    /// of range.
    #[inline]
    pub fn unformatted(
        isa: Isa,
        mut words: [u32; 4],
        soffset: u32,
        idxen: bool,
        is_formatted: bool,
    ) -> Descriptor {
        if Descriptor::is_unbound(isa, words) {
            words[2] = 0; // NUM_RECORDS
        }
        Descriptor::new(isa, words, soffset, idxen, is_formatted)
    }

    /// Decodes the dwords of a descriptor. `soffset` is the instruction's scalar offset; `idxen` is true if
    /// the instruction has an index, `is_formatted` if it converts between memory formats and registers.
    #[inline]
    pub fn new(
        isa: Isa,
        words: [u32; 4],
        soffset: u32,
        idxen: bool,
        is_formatted: bool,
    ) -> Descriptor {
        let [low, second, num_records, last] = words;
        let add_tid = last & ADD_TID != 0;
        let mut stride = second >> STRIDE_SHIFT & STRIDE;
        if add_tid && isa >= Isa::Vi && !is_formatted {
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
        let size = num_records.saturating_sub(soffset).into();
        let records = |bytes| Limits::Records {
            count: num_records,
            bytes,
        };
        let limits = match isa {
            Isa::Si | Isa::Ci if stride == 0 => Limits::Bytes(size),
            Isa::Si | Isa::Ci if idxen || add_tid => records(stride.into()),
            Isa::Si | Isa::Ci => records(u64::MAX),
            Isa::Vi | Isa::Stoney if stride == 0 || !swizzled => Limits::Bytes(size),
            Isa::Vi | Isa::Stoney => records(stride.into()),
            Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 if idxen && stride != 0 => records(u64::MAX),
            Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 if add_tid && !idxen => Limits::None,
            Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => Limits::Offset(size),
        };
        let high = i64::from(second as i16);
        Descriptor {
            base: u64::from(low) | (high as u64) << u32::BITS,
            stride,
            num_records,
            add_tid,
            swizzle,
            soffset,
            limits,
            is_whole: false,
            ignored: 0,
        }
    }

    /// Returns the size for scalar memory instructions, which ignore swizzling and formats (errata E119).
    pub fn scalar_bytes(&self) -> u64 {
        let stride = u64::from(self.stride & STRIDE).max(1);
        stride * u64::from(self.num_records)
    }

    /// Returns the distance of byte `offset` of record `index` from the start of the buffer. `offset` excludes the
    /// scalar offset.
    fn inside(&self, index: u32, offset: u64) -> u64 {
        let (index, stride) = (u64::from(index), u64::from(self.stride));
        let Some(Swizzle { element, records }) = self.swizzle else {
            return index * stride + offset;
        };
        let rows = index / records * stride + offset / element * element;
        rows * records + index % records * element + offset % element
    }

    /// True if `bytes` bytes at `offset` of record `index` are in range.
    fn has(&self, index: u32, offset: u64, bytes: u64) -> bool {
        match self.limits {
            Limits::None => true,
            Limits::Bytes(size) => self.inside(index, offset) + bytes <= size,
            Limits::Offset(size) => offset + bytes <= size,
            Limits::Records {
                count,
                bytes: record,
            } => index < count && offset + bytes <= record,
        }
    }

    /// True if these bytes are contiguous in memory and in range.
    pub fn is_linear(&self, index: u32, offset: u64, bytes: u8) -> bool {
        self.swizzle.is_none() && self.has(index, offset, u64::from(bytes))
    }

    /// True if records are interleaved in units smaller than a dword.
    pub fn splits_dwords(&self) -> bool {
        self.swizzle.is_some_and(|s| s.element < 4)
    }

    /// Returns the address of lane 0's first dword and the number of bytes per lane if this is a scratch descriptor: each
    /// lane is a record, and the lanes' dwords are interleaved.
    #[inline]
    pub fn of_lanes(&self) -> Option<(u64, u64)> {
        let Swizzle { element, records } = self.swizzle?;
        if !self.add_tid || element != ELEMENT_GFX9 || records != LANES as u64 {
            return None;
        }
        // Bytes of a row: one element of every lane.
        let row = element * records;
        let bytes = match self.limits {
            Limits::None => u64::MAX,
            Limits::Bytes(size) => size / row * element,
            Limits::Offset(size) => size,
            Limits::Records { count, .. } if u64::from(count) < records => 0,
            Limits::Records { bytes, .. } => bytes,
        };
        Some((self.base.wrapping_add(u64::from(self.soffset)), bytes))
    }

    /// Returns the bounds of indices and offsets, if records are not interleaved and the index comes from the register
    /// alone.
    pub fn records(&self) -> Option<Records> {
        if self.swizzle.is_some() || self.add_tid {
            return None;
        }
        let (count, bytes, record) = match self.limits {
            Limits::None => (u32::MAX, u64::MAX, u64::MAX),
            Limits::Bytes(size) => (u32::MAX, size, u64::MAX),
            Limits::Offset(size) => (u32::MAX, u64::MAX, size),
            Limits::Records { count, bytes } => (count, u64::MAX, bytes),
        };
        Some(Records {
            count,
            bytes,
            record,
        })
    }

    /// Returns the address of a byte in a record that is not interleaved.
    pub fn linear(&self, index: u32, offset: u64) -> u64 {
        let inside = u64::from(index) * u64::from(self.stride) + offset;
        self.base
            .wrapping_add(u64::from(self.soffset))
            .wrapping_add(inside)
    }

    /// Returns the address of byte number `byte` of an access of `bytes` bytes at `offset` of record `index`. `None` if
    /// its dword is out of range or, if range checks apply to whole elements, any byte of the access is.
    pub fn place(&self, index: u32, offset: u64, byte: u64, bytes: u8) -> Option<u64> {
        const DWORD: u64 = 4;
        let bytes = u64::from(bytes);
        let (first, count) = if self.is_whole {
            (0, bytes)
        } else {
            let first = byte / DWORD * DWORD;
            (first, (bytes - first).min(DWORD))
        };
        if !self.has(index, offset + first, count) {
            return None;
        }
        let begin = self.base.wrapping_add(u64::from(self.soffset));
        if self.ignored == 0 {
            return Some(begin.wrapping_add(self.inside(index, offset + byte)));
        }
        let dword = byte / DWORD * DWORD;
        let address = begin.wrapping_add(self.inside(index, offset + dword)) & !self.ignored;
        Some(address.wrapping_add(byte - dword))
    }
}
