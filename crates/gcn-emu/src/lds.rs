//! Local data share (LDS) of a workgroup, and the part of a data share that an instruction can access.

use gcn_isa::{Isa, Ty};

use crate::noise::Noise;

/// LDS allocation of a workgroup. All waves of a workgroup run on one thread, so accesses need not be atomic.
#[derive(Clone, Debug)]
pub struct Lds {
    bytes: Vec<u8>,
}

/// Maximum LDS size of a workgroup on GCN 1.0, in bytes.
const LARGEST_SI: u32 = 0x8000;
/// Maximum LDS size of a workgroup on GCN 1.1 and later, in bytes.
const LARGEST: u32 = 0x1_0000;

impl Lds {
    /// Allocates `bytes` bytes, rounded up to the granularity of `isa` and limited to the maximum for a workgroup
    /// (checklist 2.7).
    pub fn new(isa: Isa, bytes: u32) -> Lds {
        let (granule, largest) = match isa {
            Isa::Si => (256, LARGEST_SI),
            Isa::Ci | Isa::Vi | Isa::Stoney | Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => {
                (512, LARGEST)
            }
        };
        Lds {
            bytes: vec![0; bytes.min(largest).next_multiple_of(granule) as usize],
        }
    }

    /// Sets all bytes to zero.
    pub fn clear(&mut self) {
        // `fill` may use a masked store. With an empty mask and an unmapped address, such as that of an empty vector, a
        // masked store takes longer than the rest of a workgroup's setup.
        if !self.bytes.is_empty() {
            self.bytes.fill(0);
        }
    }

    /// Fills the LDS with noise.
    pub(crate) fn randomise(&mut self, mut noise: Noise) {
        for bytes in self.bytes.chunks_mut(size_of::<u64>()) {
            let random = noise.next().to_le_bytes();
            bytes.copy_from_slice(&random[..bytes.len()]);
        }
    }

    /// Contents of the LDS.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Mutable contents of the LDS.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Value of LDS_DIRECT: M0 gives the type in bits 16 to 18 and the byte address in its low half. Reads 0 outside
    /// the allocation (errata E246).
    pub fn direct(&self, m0: u32) -> u32 {
        let (begin, ty) = direct_place(m0);
        let size = usize::from(ty.bytes());
        let is_signed = matches!(ty, Ty::I8 | Ty::I16);
        let Some(bytes) = self.bytes.get(begin..begin + size) else {
            return 0;
        };
        let mut value = [0; 4];
        value[..size].copy_from_slice(bytes);
        let value = u32::from_le_bytes(value);
        let unused = 32 - 8 * size as u32;
        if is_signed {
            ((value << unused) as i32 >> unused) as u32
        } else {
            value
        }
    }

    /// Part that an instruction may access: bounded by M0 up to GCN 1.2, and only by the allocation on GCN 1.4
    /// (checklist 2.5, 2.6; errata E035).
    #[inline]
    pub fn share(&mut self, isa: Isa, m0: u32) -> Share<'_> {
        let limit = if isa >= Isa::Gfx9 { u32::MAX } else { m0 };
        Share::new(&mut self.bytes, 0, u64::from(limit))
    }
}

/// Byte address and type of the value that LDS_DIRECT reads (errata E246).
pub fn direct_place(m0: u32) -> (usize, Ty) {
    let ty = match m0 >> 16 & 7 {
        0 => Ty::U8,
        1 => Ty::U16,
        4 => Ty::I8,
        5 => Ty::I16,
        _ => Ty::U32,
    };
    let size = usize::from(ty.bytes());
    (usize::from(m0 as u16) & !(size - 1), ty)
}

/// Part of a data share that an instruction may access.
pub struct Share<'a> {
    bytes: &'a mut [u8],
}

impl<'a> Share<'a> {
    /// Creates a part of `limit` bytes from `base`, clipped to the memory. A dword that begins below the limit is in
    /// range as a whole (errata E036).
    #[inline]
    pub fn new(bytes: &'a mut [u8], base: usize, limit: u64) -> Share<'a> {
        let end = limit
            .next_multiple_of(4)
            .saturating_add(base as u64)
            .min(bytes.len() as u64) as usize;
        Share {
            bytes: bytes.get_mut(base..end).unwrap_or_default(),
        }
    }

    /// Bytes in range.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// Mutable bytes in range.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// Returns the `len` bytes at `address` if all are in range.
    #[inline]
    pub fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        let begin = usize::try_from(address).ok()?;
        self.bytes.get(begin..begin.checked_add(len)?)
    }

    /// Mutable variant of [`Share::get`].
    #[inline]
    pub fn get_mut(&mut self, address: u64, len: usize) -> Option<&mut [u8]> {
        let begin = usize::try_from(address).ok()?;
        self.bytes.get_mut(begin..begin.checked_add(len)?)
    }

    /// Loads `N` dwords if all are in range.
    #[inline]
    pub fn dwords<const N: usize>(&self, address: u64) -> Option<[u32; N]> {
        let bytes = self.get(address, 4 * N)?;
        let mut dwords = [0; N];
        for (dword, raw) in dwords.iter_mut().zip(bytes.chunks_exact(4)) {
            *dword = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
        }
        Some(dwords)
    }

    /// Stores `N` dwords if all are in range.
    #[inline]
    pub fn set_dwords<const N: usize>(&mut self, address: u64, dwords: [u32; N]) -> Option<()> {
        let bytes = self.get_mut(address, 4 * N)?;
        for (dword, raw) in dwords.iter().zip(bytes.chunks_exact_mut(4)) {
            raw.copy_from_slice(&dword.to_le_bytes());
        }
        Some(())
    }

    /// Loads up to four bytes. Bytes out of range read as zero (checklist 2.8). Also returns true if all bytes are in
    /// range.
    #[inline]
    pub fn load(&self, address: u64, len: usize) -> (u32, bool) {
        if len == 4
            && let Some([dword]) = self.dwords(address)
        {
            return (dword, true);
        }
        let mut value = [0; 4];
        let inside = match self.get(address, len) {
            Some(bytes) => {
                value[..len].copy_from_slice(bytes);
                true
            }
            None => {
                for (i, byte) in value[..len].iter_mut().enumerate() {
                    *byte = self
                        .get(address.saturating_add(i as u64), 1)
                        .map_or(0, |b| b[0]);
                }
                false
            }
        };
        (u32::from_le_bytes(value), inside)
    }

    /// Stores up to four bytes, except those out of range. Returns true if all bytes are in range.
    #[inline]
    pub fn store(&mut self, address: u64, value: u32, len: usize) -> bool {
        if len == 4 && self.set_dwords(address, [value]).is_some() {
            return true;
        }
        let value = value.to_le_bytes();
        if let Some(bytes) = self.get_mut(address, len) {
            bytes.copy_from_slice(&value[..len]);
            return true;
        }
        for (i, &byte) in value[..len].iter().enumerate() {
            if let Some(place) = self.get_mut(address.saturating_add(i as u64), 1) {
                place[0] = byte;
            }
        }
        false
    }
}
