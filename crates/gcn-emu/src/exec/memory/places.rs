//! Loading, storing and updating one lane's element, wherever the lane goes. DS, FLAT, GLOBAL, SCRATCH and MUBUF
//! differ in the addresses only.

use crate::device::Device;
use crate::fault::FaultKind;
use crate::lanes::{LANES, active};
use crate::lds::Share;

use super::access::{Access, Space};
use super::wide;

/// Dwords of the largest element of a lane.
pub const MAX_DWORDS: usize = 4;
/// Bytes of a dword.
const DWORD: usize = 4;

/// Why an element, or a part of it, was not accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// Beyond the limits of LDS, GDS or scratch: never a fault (errata E038).
    OutOfRange,
    /// No allocation holds it.
    Unmapped {
        /// Its address.
        address: u64,
    },
    /// Not aligned as an atomic must be.
    Misaligned {
        /// Its address.
        address: u64,
    },
}

/// Everything that lanes can reach.
pub struct Places<'a> {
    /// Global memory and choices.
    pub device: &'a Device,
    /// LDS, or GDS if the access goes there.
    pub share: Share<'a>,
    /// Where the lanes go.
    pub access: &'a Access,
}

/// The value of an element: its dwords, in the low bits.
pub type Element = [u32; MAX_DWORDS];

fn chunks(bytes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..bytes.div_ceil(DWORD)).map(move |i| (i, (bytes - DWORD * i).min(DWORD)))
}

impl Places<'_> {
    /// Loads `bytes` bytes at `address` for a lane. What cannot be loaded is zero.
    pub fn load(
        &self,
        lane: usize,
        address: u64,
        bytes: usize,
    ) -> (Element, Result<(), Violation>) {
        let mut value = [0; MAX_DWORDS];
        let mut result = Ok(());
        match self.access.space(lane) {
            Some(Space::Global) => match bytes {
                4 => match self.device.memory.load_u32(address) {
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
            },
            Some(Space::Lds | Space::Gds) => {
                for (i, len) in chunks(bytes) {
                    let (dword, inside) = self.share.load(address + (DWORD * i) as u64, len);
                    value[i] = dword;
                    if !inside {
                        result = Err(Violation::OutOfRange);
                    }
                }
            }
            Some(Space::Scratch | Space::Buffer) => {
                for (i, len) in chunks(bytes) {
                    for (k, step) in self.parts(address, i, len) {
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

    /// Stores the low `bytes` bytes of `value` at `address` for a lane. What cannot be stored is dropped.
    pub fn store(
        &mut self,
        lane: usize,
        address: u64,
        bytes: usize,
        value: &Element,
    ) -> Result<(), Violation> {
        let mut result = Ok(());
        match self.access.space(lane) {
            Some(Space::Global) => {
                let done = match bytes {
                    1 => self.device.memory.store_u8(address, value[0] as u8),
                    2 => self.device.memory.store_u16(address, value[0] as u16),
                    4 => self.device.memory.store_u32(address, value[0]),
                    _ => {
                        let mut raw = [0; MAX_DWORDS * DWORD];
                        for (raw, dword) in raw.chunks_exact_mut(DWORD).zip(value) {
                            raw.copy_from_slice(&dword.to_le_bytes());
                        }
                        self.device
                            .memory
                            .write(address, &raw[..bytes])
                            .then_some(())
                    }
                };
                if done.is_none() {
                    result = Err(Violation::Unmapped { address });
                }
            }
            Some(Space::Lds | Space::Gds) => {
                for (i, len) in chunks(bytes) {
                    if !self
                        .share
                        .store(address + (DWORD * i) as u64, value[i], len)
                    {
                        result = Err(Violation::OutOfRange);
                    }
                }
            }
            Some(Space::Scratch | Space::Buffer) => {
                for (i, len) in chunks(bytes) {
                    for (k, step) in self.parts(address, i, len) {
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

    /// Replaces the 4 or 8 bytes at `address` by what `new` makes of them and returns the old ones: indivisibly in
    /// global memory, and in LDS and GDS because the instruction has them to itself. Scratch belongs to the lane and
    /// is updated dword by dword (errata E106). What cannot be updated is zero and stays as it is.
    pub fn update(
        &mut self,
        lane: usize,
        address: u64,
        bytes: usize,
        new: impl Fn(u64) -> u64,
    ) -> (u64, Result<(), Violation>) {
        if !address.is_multiple_of(bytes as u64) {
            return (0, Err(Violation::Misaligned { address }));
        }
        match self.access.space(lane) {
            Some(Space::Global) => self.update_global(address, bytes, new),
            Some(Space::Lds | Space::Gds) => match self.update_share(address, bytes, new) {
                Some(old) => (old, Ok(())),
                None => (0, Err(Violation::OutOfRange)),
            },
            Some(Space::Buffer) => match (
                self.access.place(lane, 0),
                self.access.place(lane, bytes as u64 - 1),
            ) {
                (Some(place), Some(_)) => self.update_global(place, bytes, new),
                _ => (0, Ok(())),
            },
            Some(Space::Scratch) => {
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

    /// Dword number `i` of an element at `address`, `len` bytes of it, in parts that are together in memory: all of
    /// it, or bytes where it crosses into the next interleaved dword.
    fn parts(
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
            _ => memory
                .write(place, &value.to_le_bytes()[..bytes])
                .then_some(()),
        }
    }

    /// Out of scratch is a violation; out of a buffer is what its bounds are for.
    fn outside(&self, lane: usize, result: Result<(), Violation>) -> Result<(), Violation> {
        match self.access.space(lane) {
            Some(Space::Scratch) => result.and(Err(Violation::OutOfRange)),
            _ => result,
        }
    }

    /// Loads a dword for each of 64 active lanes straight into their register, where they follow each other in one
    /// space.
    #[inline]
    pub fn load_register(&self, into: &mut [u32; LANES]) -> Option<()> {
        let access = self.access;
        let base = contiguous(&access.address, DWORD as u64)?;
        if access.global == u64::MAX {
            return self.device.memory.load_dwords(base, into);
        }
        if access.lds != u64::MAX && access.gds != u64::MAX {
            return None;
        }
        let block = self.share.get(base, LANES * DWORD)?;
        let (dwords, _) = block.as_chunks::<DWORD>();
        for (lane, raw) in into.iter_mut().zip(dwords) {
            *lane = u32::from_le_bytes(*raw);
        }
        Some(())
    }

    /// Loads elements of `N` dwords of all 64 lanes at once where they follow each other in one space; a register
    /// for each dword. Lanes that are not active may be loaded too: that has no effect.
    #[inline]
    pub fn load_contiguous<const N: usize>(&self, into: &mut [[u32; LANES]; N]) -> Option<()> {
        let base = contiguous(&self.access.address, (N * DWORD) as u64)?;
        let lanes = self.access.lanes();
        if self.access.global == lanes && N == 1 {
            self.device
                .memory
                .load_dwords(base, into.as_flattened_mut())
        } else if self.access.global == lanes {
            let mut block = [[0; N]; LANES];
            self.device
                .memory
                .load_dwords(base, block.as_flattened_mut())?;
            for (lane, element) in block.iter().enumerate() {
                for (register, dword) in into.iter_mut().zip(element) {
                    register[lane] = *dword;
                }
            }
            Some(())
        } else if self.access.lds == lanes || self.access.gds == lanes {
            let block = self.share.get(base, LANES * N * DWORD)?;
            for (lane, element) in block.chunks_exact(N * DWORD).enumerate() {
                for (register, raw) in into.iter_mut().zip(element.chunks_exact(DWORD)) {
                    register[lane] = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
                }
            }
            Some(())
        } else {
            None
        }
    }

    /// Loads elements of `N` dwords of the active lanes wherever they are in one allocation or share. Nothing,
    /// where a lane must be looked at by itself: it is elsewhere, unaligned, or out of range.
    #[inline]
    pub fn load_gathered<const N: usize>(
        &self,
        addresses: &[u64; LANES],
        into: &mut [[u32; LANES]; N],
    ) -> Option<()> {
        let lanes = self.access.lanes();
        if lanes == 0 {
            return Some(());
        }
        if self.access.global == lanes {
            let first = addresses[lanes.trailing_zeros() as usize];
            let (region, _) = self.device.memory.find(first, 1)?;
            for lane in active(lanes) {
                let element: [u32; N] = region.dwords(addresses[lane].checked_sub(region.base)?)?;
                for (register, dword) in into.iter_mut().zip(element) {
                    register[lane] = dword;
                }
            }
            Some(())
        } else if self.access.lds == lanes || self.access.gds == lanes {
            for lane in active(lanes) {
                let element: [u32; N] = self.share.dwords(addresses[lane])?;
                for (register, dword) in into.iter_mut().zip(element) {
                    register[lane] = dword;
                }
            }
            Some(())
        } else {
            None
        }
    }

    /// Stores elements of all 64 lanes at once where all are active and they follow each other; a register for each
    /// dword.
    #[inline]
    pub fn store_contiguous<const N: usize>(&mut self, from: [&[u32; LANES]; N]) -> Option<()> {
        if self.access.lanes() != u64::MAX {
            return None;
        }
        let base = contiguous(&self.access.address, (N * DWORD) as u64)?;
        let mut block = [[0; N]; LANES];
        for (lane, element) in block.iter_mut().enumerate() {
            for (dword, register) in element.iter_mut().zip(from) {
                *dword = register[lane];
            }
        }
        let block = block.as_flattened();
        if self.access.global == u64::MAX {
            self.device.memory.store_dwords(base, block)
        } else if self.access.lds == u64::MAX || self.access.gds == u64::MAX {
            let bytes = self.share.get_mut(base, LANES * N * DWORD)?;
            for (raw, dword) in bytes.chunks_exact_mut(DWORD).zip(block) {
                raw.copy_from_slice(&dword.to_le_bytes());
            }
            Some(())
        } else {
            None
        }
    }
}

/// The first address, if the others follow it at `stride` bytes.
#[inline]
fn contiguous(addresses: &[u64; LANES], stride: u64) -> Option<u64> {
    let base = addresses[0];
    if addresses[LANES - 1].wrapping_sub(base) != stride * (LANES as u64 - 1) {
        return None;
    }
    wide::follow(addresses, stride).then_some(base)
}

/// The address, if all 64 are the same.
#[inline]
pub fn uniform(addresses: &[u64; LANES]) -> Option<u64> {
    let base = addresses[0];
    if addresses[LANES - 1] != base {
        return None;
    }
    wide::follow(addresses, 0).then_some(base)
}

impl Violation {
    /// The fault that it is where violations stop the run; nothing for what never does.
    pub fn fault(self, intent: crate::fault::Intent, bytes: u8) -> Option<FaultKind> {
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
