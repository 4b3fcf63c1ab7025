//! Loads, stores and updates of one lane's element in any address space. DS, FLAT, GLOBAL, SCRATCH and MUBUF differ
//! only in how they compute addresses.

use crate::device::Device;
use crate::fault::{FaultKind, Intent};
use crate::lanes::{LANES, Lanes};
use crate::lds::Share;
use crate::memory::Region;

use super::access::{Access, LaneSpace};
use super::element::{DWORD, ElementDwords, MAX_DWORDS};
use super::wide::{self, Words};

/// Reason why an element, or part of it, was not accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// Out of range of LDS, GDS or scratch; never a fault (errata E038).
    OutOfRange,
    /// Address outside all allocations.
    Unmapped {
        /// Address of the access.
        address: u64,
    },
    /// Alignment violation of an atomic.
    Misaligned {
        /// Address of the access.
        address: u64,
    },
}

/// Memory accessible to lanes.
pub struct Places<'a> {
    /// Global memory and configuration.
    pub device: &'a Device,
    /// LDS, or GDS if the access is to GDS.
    pub share: Share<'a>,
    /// Address spaces and addresses of the lanes.
    pub access: &'a Access,
}

fn chunks(bytes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..bytes.div_ceil(DWORD)).map(move |i| (i, (bytes - DWORD * i).min(DWORD)))
}

impl Places<'_> {
    /// Loads `bytes` bytes at `address` for a lane. Inaccessible bytes read as zero.
    pub fn load(
        &self,
        lane: usize,
        address: u64,
        bytes: usize,
    ) -> (ElementDwords, Result<(), Violation>) {
        let mut value = [0; MAX_DWORDS];
        let mut result = Ok(());
        match self.access.space(lane) {
            Some(LaneSpace::Global) => return self.load_global(address, bytes),
            Some(LaneSpace::Lds | LaneSpace::Gds) => {
                for (i, len) in chunks(bytes) {
                    let (dword, inside) = self.share.load(address + (DWORD * i) as u64, len);
                    value[i] = dword;
                    if !inside {
                        result = Err(Violation::OutOfRange);
                    }
                }
            }
            Some(LaneSpace::Scratch | LaneSpace::Buffer) => {
                for (i, len) in chunks(bytes) {
                    for (k, step) in self.chunk_parts(address, i, len) {
                        match self.access.place(lane, (DWORD * i + k) as u64) {
                            None => result = self.outside(lane, result),
                            Some(place) => match self.load_part(place, step) {
                                Some(part) => value[i] |= part << (8 * k),
                                None => result = Err(Violation::Unmapped { address: place }),
                            },
                        }
                    }
                }
            }
            None => {}
        }
        (value, result)
    }

    /// Loads `bytes` bytes of global memory.
    pub fn load_global(
        &self,
        address: u64,
        bytes: usize,
    ) -> (ElementDwords, Result<(), Violation>) {
        let mut value = [0; MAX_DWORDS];
        let mut result = Ok(());
        match bytes {
            1 | 2 | 4 => match self.load_part(address, bytes) {
                Some(dword) => value[0] = dword,
                None => result = Err(Violation::Unmapped { address }),
            },
            _ => {
                let mut raw = [0; MAX_DWORDS * DWORD];
                if self.device.memory.read(address, &mut raw[..bytes]) {
                    for (dword, raw) in value.iter_mut().zip(raw.chunks_exact(DWORD)) {
                        *dword = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
                    }
                } else {
                    result = Err(Violation::Unmapped { address });
                }
            }
        }
        (value, result)
    }

    /// Stores the low `bytes` bytes of `value` at `address` for a lane. Inaccessible bytes are not stored.
    pub fn store(
        &mut self,
        lane: usize,
        address: u64,
        bytes: usize,
        value: &ElementDwords,
    ) -> Result<(), Violation> {
        let mut result = Ok(());
        match self.access.space(lane) {
            Some(LaneSpace::Global) => {
                let done = match bytes {
                    1 => self.device.memory.store_u8(address, value[0] as u8),
                    2 => self.device.memory.store_u16(address, value[0] as u16),
                    4 => self.device.memory.store_u32(address, value[0]),
                    _ => {
                        let mut raw = [0; MAX_DWORDS * DWORD];
                        for (raw, dword) in raw.chunks_exact_mut(DWORD).zip(value) {
                            raw.copy_from_slice(&dword.to_le_bytes());
                        }
                        self.device.memory.store_bytes(address, &raw[..bytes])
                    }
                };
                if done.is_none() {
                    result = Err(Violation::Unmapped { address });
                }
            }
            Some(LaneSpace::Lds | LaneSpace::Gds) => {
                for (i, len) in chunks(bytes) {
                    if !self
                        .share
                        .store(address + (DWORD * i) as u64, value[i], len)
                    {
                        result = Err(Violation::OutOfRange);
                    }
                }
            }
            Some(LaneSpace::Scratch | LaneSpace::Buffer) => {
                for (i, len) in chunks(bytes) {
                    for (k, step) in self.chunk_parts(address, i, len) {
                        match self.access.place(lane, (DWORD * i + k) as u64) {
                            None => result = self.outside(lane, result),
                            Some(place) => {
                                if self.store_part(place, value[i] >> (8 * k), step).is_none() {
                                    result = Err(Violation::Unmapped { address: place });
                                }
                            }
                        }
                    }
                }
            }
            None => {}
        }
        result
    }

    /// Replaces the 4 or 8 bytes at `address` with the result of `new` and returns the old ones. This is atomic in
    /// global memory, and in LDS and GDS because the instruction has exclusive access. Scratch is private to the lane
    /// and is updated dword by dword (errata E106). An inaccessible or misaligned element reads as zero and is not
    /// written.
    pub fn update(
        &mut self,
        lane: usize,
        address: u64,
        bytes: usize,
        new: impl Fn(u64) -> u64,
    ) -> (u64, Result<(), Violation>) {
        let space = self.access.space(lane);
        // For buffers, the address must be aligned, not the offset.
        if space != Some(LaneSpace::Buffer) && !address.is_multiple_of(bytes as u64) {
            return (0, Err(Violation::Misaligned { address }));
        }
        match space {
            Some(LaneSpace::Global) => self.update_global(address, bytes, new),
            Some(LaneSpace::Lds | LaneSpace::Gds) => match self.update_share(address, bytes, new) {
                Some(old) => (old, Ok(())),
                None => (0, Err(Violation::OutOfRange)),
            },
            Some(LaneSpace::Buffer) => match self.access.place(lane, 0) {
                Some(place) => self.update_global(place, bytes, new),
                None => (0, Ok(())),
            },
            Some(LaneSpace::Scratch) => {
                let (old, result) = self.load(lane, address, bytes);
                let old = u64::from(old[0]) | u64::from(old[1]) << 32;
                if result.is_err() {
                    return (0, result);
                }
                let value = new(old);
                let value = [value as u32, (value >> 32) as u32, 0, 0];
                (old, self.store(lane, address, bytes, &value))
            }
            None => (0, Ok(())),
        }
    }

    #[inline]
    fn update_share(
        &mut self,
        address: u64,
        bytes: usize,
        new: impl Fn(u64) -> u64,
    ) -> Option<u64> {
        if bytes == 4 {
            let [old] = self.share.dwords(address)?;
            let old = u64::from(old);
            self.share.set_dwords(address, [new(old) as u32])?;
            Some(old)
        } else {
            let [low, high] = self.share.dwords(address)?;
            let old = u64::from(low) | u64::from(high) << 32;
            let value = new(old);
            self.share
                .set_dwords(address, [value as u32, (value >> 32) as u32])?;
            Some(old)
        }
    }

    fn update_global(
        &self,
        address: u64,
        bytes: usize,
        new: impl Fn(u64) -> u64,
    ) -> (u64, Result<(), Violation>) {
        let memory = &self.device.memory;
        if !address.is_multiple_of(bytes as u64) {
            return (0, Err(Violation::Misaligned { address }));
        }
        let old = if bytes == 8 {
            memory.update_u64(address, new)
        } else {
            memory
                .update_u32(address, |old| new(u64::from(old)) as u32)
                .map(u64::from)
        };
        match old {
            Some(old) => (old, Ok(())),
            None => (0, Err(Violation::Unmapped { address })),
        }
    }

    /// Splits `len` bytes of dword `i` of an element at `address` into parts that are contiguous in memory: one part,
    /// or single bytes if interleaving may separate them.
    fn chunk_parts(
        &self,
        address: u64,
        i: usize,
        len: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let inside = (address as usize).wrapping_add(DWORD * i) % DWORD;
        let is_together = inside + len <= DWORD && !self.access.splits_dwords();
        let step = if is_together { len } else { 1 };
        (0..len).step_by(step).map(move |k| (k, step))
    }

    fn load_part(&self, place: u64, bytes: usize) -> Option<u32> {
        let memory = &self.device.memory;
        match bytes {
            1 => memory.load_u8(place).map(u32::from),
            2 => memory.load_u16(place).map(u32::from),
            4 => memory.load_u32(place),
            _ => {
                let mut raw = [0; DWORD];
                memory
                    .read(place, &mut raw[..bytes])
                    .then(|| u32::from_le_bytes(raw))
            }
        }
    }

    fn store_part(&self, place: u64, value: u32, bytes: usize) -> Option<()> {
        let memory = &self.device.memory;
        match bytes {
            1 => memory.store_u8(place, value as u8),
            2 => memory.store_u16(place, value as u16),
            4 => memory.store_u32(place, value),
            _ => memory.store_bytes(place, &value.to_le_bytes()[..bytes]),
        }
    }

    /// Reports out-of-range scratch as a violation. An out-of-range buffer access is not a violation, since buffers
    /// have defined bounds.
    fn outside(&self, lane: usize, result: Result<(), Violation>) -> Result<(), Violation> {
        match self.access.space(lane) {
            Some(LaneSpace::Scratch) => result.and(Err(Violation::OutOfRange)),
            _ => result,
        }
    }

    /// Loads elements of one to four dwords, one register per dword, if all active lanes are in one allocation or data
    /// share. Values of inactive lanes are unspecified. Returns `None` if some lane needs the slow path because its
    /// address is elsewhere, unaligned or out of range; some registers may already have been written.
    #[inline]
    pub fn load_all(&self, addresses: &[u64; LANES], into: &mut [Lanes]) -> Option<()> {
        let lanes = self.access.lanes();
        let space = self.common_space()?;
        let filled;
        let first = addresses[lanes.trailing_zeros() as usize % LANES];
        let addresses = if lanes == u64::MAX {
            addresses
        } else {
            // Inactive lanes use the address of an active one.
            filled = std::array::from_fn(|lane| {
                if lanes >> lane & 1 != 0 {
                    addresses[lane]
                } else {
                    first
                }
            });
            &filled
        };
        let row = match into {
            [register] => row(addresses).map(|base| (base, register)),
            _ => None,
        };
        match (space, row) {
            (Common::Global, Some((base, register))) => {
                self.device.memory.load_dwords(base, &mut register.0)
            }
            (Common::Global, None) => {
                let (region, _) = self.device.memory.find(first, 1)?;
                wide::load(&region, addresses, into)
            }
            (Common::Share, Some((base, register))) => wide::load_row(&self.share, base, register),
            (Common::Share, None) => wide::load(&self.share, addresses, into),
        }
    }

    /// Stores elements of one to four dwords, one register per dword, if all 64 lanes are active and in one allocation
    /// or data share. Returns `None` if some lane needs the slow path; some elements may already have been stored.
    #[inline]
    pub fn store_all(&mut self, addresses: &[u64; LANES], from: &[&Lanes]) -> Option<()> {
        if self.access.lanes() != u64::MAX {
            return None;
        }
        let row = match from {
            [register] => row(addresses).map(|base| (base, register)),
            _ => None,
        };
        match (self.common_space()?, row) {
            (Common::Global, Some((base, register))) => {
                self.device.memory.store_dwords(base, &register.0)
            }
            (Common::Global, None) => {
                let (mut region, _) = self.device.memory.find(addresses[0], 1)?;
                wide::store(&mut region, addresses, from)
            }
            (Common::Share, Some((base, register))) => {
                wide::store_row(&mut self.share, base, register)
            }
            (Common::Share, None) => wide::store(&mut self.share, addresses, from),
        }
    }

    /// [`Places::store_all`] for two elements of one or two dwords in LDS or GDS, in ascending lane order.
    pub fn store_two(&mut self, first: &[&Lanes], second: &[&Lanes]) -> Option<()> {
        let access = self.access;
        if access.lanes() != u64::MAX {
            return None;
        }
        let addresses = [&access.address, &access.second];
        match (self.common_space()?, first, second) {
            (Common::Share, &[a], &[b]) => wide::store_two(&mut self.share, addresses, [[a], [b]]),
            (Common::Share, &[a, a_high], &[b, b_high]) => {
                wide::store_two(&mut self.share, addresses, [[a, a_high], [b, b_high]])
            }
            _ => None,
        }
    }

    /// Returns the address space shared by all active lanes, if vector accesses support it.
    #[inline]
    fn common_space(&self) -> Option<Common> {
        let access = self.access;
        match access.lanes() {
            0 => None,
            lanes if access.global == lanes => Some(Common::Global),
            lanes if access.lds == lanes || access.gds == lanes => Some(Common::Share),
            _ => None,
        }
    }
}

/// Address space that supports vector accesses.
enum Common {
    /// Global memory.
    Global,
    /// LDS or GDS.
    Share,
}

impl Words for Share<'_> {
    #[inline(always)]
    fn read<const M: usize>(&self, address: u64) -> Option<[u32; M]> {
        let (dwords, _) = self.get(address, M * DWORD)?.as_chunks::<DWORD>();
        let dwords: &[[u8; DWORD]; M] = dwords.try_into().ok()?;
        Some(dwords.map(u32::from_le_bytes))
    }

    #[inline(always)]
    fn write<const M: usize>(&mut self, address: u64, dwords: [u32; M]) -> Option<()> {
        let bytes = self.get_mut(address, M * DWORD)?;
        bytes.copy_from_slice(dwords.map(u32::to_le_bytes).as_flattened());
        Some(())
    }
}

impl Words for Region<'_> {
    #[inline(always)]
    fn read<const M: usize>(&self, address: u64) -> Option<[u32; M]> {
        let mut dwords = [0; M];
        self.read_dwords(address.checked_sub(self.base())?, &mut dwords)?;
        Some(dwords)
    }

    #[inline(always)]
    fn write<const M: usize>(&mut self, address: u64, dwords: [u32; M]) -> Option<()> {
        self.write_dwords(address.checked_sub(self.base())?, &dwords)
    }
}

/// Returns the first address, if the 64 addresses are those of consecutive dwords.
#[inline]
fn row(addresses: &[u64; LANES]) -> Option<u64> {
    let base = addresses[0];
    let distance = (DWORD * (LANES - 1)) as u64;
    // The last address rules out most cases quickly.
    if addresses[LANES - 1].wrapping_sub(base) != distance {
        return None;
    }
    wide::follow(addresses, DWORD as u64).then_some(base)
}

impl Violation {
    /// Returns the fault for this violation under a policy that stops at violations; `None` for violations that are
    /// never faults.
    pub fn fault(self, intent: Intent, bytes: u8) -> Option<FaultKind> {
        match self {
            Violation::OutOfRange => None,
            Violation::Unmapped { address } => Some(FaultKind::Unmapped {
                intent,
                address,
                bytes,
            }),
            Violation::Misaligned { address } => Some(FaultKind::Misaligned { address, bytes }),
        }
    }
}
