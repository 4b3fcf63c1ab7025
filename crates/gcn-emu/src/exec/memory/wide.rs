//! Loops over the addresses and memory of 64 lanes, compiled for the host's vector instructions like the loops of
//! [`crate::lanes`].
//!
//! Most memory accesses follow patterns over consecutive lanes: a common address, or consecutive elements. The loops
//! examine [`GROUP`] lanes at a time, whose addresses fit in one vector.

use crate::lanes::{AddressPattern, GROUP, LANES, Lanes, at_each_level};

use super::element::DWORD;
use super::spans::Span;

/// Address space in which dwords are read and written.
pub trait Words {
    /// Reads consecutive dwords. Returns `None` if some are out of range or not aligned as this address space
    /// requires.
    fn read<const M: usize>(&self, address: u64) -> Option<[u32; M]>;
    /// Writes consecutive dwords under the same conditions.
    fn write<const M: usize>(&mut self, address: u64, dwords: [u32; M]) -> Option<()>;
}

/// Stores two elements per lane, in ascending lane order and the first element before the second. Returns `None` if an
/// element cannot be written; earlier elements have already been written.
pub fn store_two<W: Words, const N: usize>(
    words: &mut W,
    addresses: [&[u64; LANES]; 2],
    from: [[&Lanes; N]; 2],
) -> Option<()> {
    for lane in 0..LANES {
        for (addresses, registers) in addresses.iter().zip(&from) {
            words.write(addresses[lane], registers.map(|r| r.0[lane]))?;
        }
    }
    Some(())
}

at_each_level! {
/// Computes 64-bit addresses from a pair of registers and a constant.
pub fn pairs(low: &Lanes, high: &Lanes, offset: u64, into: &mut [u64; LANES]) {
    for ((address, &low), &high) in into.iter_mut().zip(&low.0).zip(&high.0) {
        *address = (u64::from(low) | u64::from(high) << 32).wrapping_add(offset);
    }
}

/// Adds the unsigned offsets in a register to a base.
pub fn offsets(base: u64, offsets: &Lanes, into: &mut [u64; LANES]) {
    for (address, &offset) in into.iter_mut().zip(&offsets.0) {
        *address = base.wrapping_add(u64::from(offset));
    }
}

/// Computes 32-bit addresses from a register and a constant, masked with `mask`.
pub fn masked(from: &Lanes, offset: u32, mask: u32, into: &mut [u64; LANES]) {
    for (address, &base) in into.iter_mut().zip(&from.0) {
        *address = u64::from(base.wrapping_add(offset) & mask);
    }
}

/// Computes 32-bit addresses that are `distance` bytes after the given ones.
pub fn behind(first: &[u64; LANES], distance: u32, into: &mut [u64; LANES]) {
    for (address, &first) in into.iter_mut().zip(first) {
        *address = u64::from((first as u32).wrapping_add(distance));
    }
}

/// Returns the lowest and highest address of the given lanes. With no lanes, the lowest exceeds the highest.
pub fn range(addresses: &[u64; LANES], lanes: u64) -> (u64, u64) {
    let (mut low, mut high) = (u64::MAX, 0);
    for (lane, &address) in addresses.iter().enumerate() {
        let mask = 0u64.wrapping_sub(lanes >> lane & 1);
        low = low.min(address | !mask);
        high = high.max(address & mask);
    }
    (low, high)
}

/// Appends the spans of `bytes`-byte elements of the given lanes. Elements of consecutive lanes that are adjacent or
/// identical are merged. Returns false if a lane's bytes begin before the end of the last span.
pub fn spans(addresses: &[u64; LANES], lanes: u64, bytes: u64, into: &mut Vec<Span>) -> bool {
    let first = into.len();
    let mut ascend = true;
    for (number, group) in addresses.as_chunks::<GROUP>().0.iter().enumerate() {
        let lane = number * GROUP;
        let mask = lanes >> lane & ((1 << GROUP) - 1);
        let pattern = if mask == (1 << GROUP) - 1 {
            AddressPattern::of(group, bytes)
        } else {
            AddressPattern::Apart
        };
        let start = group[0];
        match pattern {
            AddressPattern::Follow => {
                let end = start.saturating_add(GROUP as u64 * bytes);
                ascend &= Span::add(&mut *into, first, lane, start..end);
            }
            AddressPattern::Same => {
                ascend = false;
                Span::add(&mut *into, first, lane, start..start.saturating_add(bytes));
            }
            AddressPattern::Apart => {
                for (n, &start) in group.iter().enumerate() {
                    if mask >> n & 1 != 0 {
                        let end = start.saturating_add(bytes);
                        ascend &= Span::add(&mut *into, first, lane + n, start..end);
                    }
                }
            }
        }
    }
    ascend
}

/// True if each address is `stride` bytes above the previous one.
pub fn follow(addresses: &[u64; LANES], stride: u64) -> bool {
    let base = addresses[0];
    let mut differ = 0;
    for (lane, address) in addresses.iter().enumerate() {
        differ |= address ^ base.wrapping_add(stride.wrapping_mul(lane as u64));
    }
    differ == 0
}

/// Loads consecutive dwords, one per lane.
pub fn load_row<W: Words>(words: &W, address: u64, into: &mut Lanes) -> Option<()> {
    into.0 = words.read(address)?;
    Some(())
}

/// Stores one dword per lane to consecutive dwords.
pub fn store_row<W: Words>(words: &mut W, address: u64, from: &Lanes) -> Option<()> {
    words.write(address, from.0)
}

/// Loads one element per lane, with one register for each of its one to four dwords. Returns `None` if an element
/// cannot be read; some registers may already have been written.
pub fn load<W: Words>(words: &W, addresses: &[u64; LANES], into: &mut [Lanes]) -> Option<()> {
    match into {
        [a] => load_dwords(words, addresses, [a]),
        [a, b] => load_dwords(words, addresses, [a, b]),
        [a, b, c] => load_dwords(words, addresses, [a, b, c]),
        [a, b, c, d] => load_dwords(words, addresses, [a, b, c, d]),
        _ => None,
    }
}

/// Stores one element per lane, from one register for each of its one to four dwords, in ascending lane order. Returns
/// `None` if an element cannot be written; earlier elements have already been written.
pub fn store<W: Words>(words: &mut W, addresses: &[u64; LANES], from: &[&Lanes]) -> Option<()> {
    match *from {
        [a] => store_dwords(words, addresses, [a]),
        [a, b] => store_dwords(words, addresses, [a, b]),
        [a, b, c] => store_dwords(words, addresses, [a, b, c]),
        [a, b, c, d] => store_dwords(words, addresses, [a, b, c, d]),
        _ => None,
    }
}
}

#[inline(always)]
fn load_dwords<W: Words, const N: usize>(
    words: &W,
    addresses: &[u64; LANES],
    mut into: [&mut Lanes; N],
) -> Option<()> {
    for (number, group) in addresses.as_chunks::<GROUP>().0.iter().enumerate() {
        match AddressPattern::of(group, (N * DWORD) as u64) {
            AddressPattern::Follow => {
                let mut block = [[0; GROUP]; N];
                for (n, row) in block.iter_mut().enumerate() {
                    *row = words.read(group[0] + (n * GROUP * DWORD) as u64)?;
                }
                let block = block.as_flattened();
                for (dword, register) in into.iter_mut().enumerate() {
                    register.0.as_chunks_mut::<GROUP>().0[number] =
                        std::array::from_fn(|n| block[n * N + dword]);
                }
            }
            AddressPattern::Same => {
                let element: [u32; N] = words.read(group[0])?;
                for (register, dword) in into.iter_mut().zip(element) {
                    register.0.as_chunks_mut::<GROUP>().0[number] = [dword; GROUP];
                }
            }
            AddressPattern::Apart => {
                for (n, &address) in group.iter().enumerate() {
                    let element: [u32; N] = words.read(address)?;
                    for (register, dword) in into.iter_mut().zip(element) {
                        register.0.as_chunks_mut::<GROUP>().0[number][n] = dword;
                    }
                }
            }
        }
    }
    Some(())
}

#[inline(always)]
fn store_dwords<W: Words, const N: usize>(
    words: &mut W,
    addresses: &[u64; LANES],
    from: [&Lanes; N],
) -> Option<()> {
    for (number, group) in addresses.as_chunks::<GROUP>().0.iter().enumerate() {
        let rows = from.map(|register| register.0.as_chunks::<GROUP>().0[number]);
        if AddressPattern::of(group, (N * DWORD) as u64) == AddressPattern::Follow {
            for part in 0..N {
                let dword = |n: usize| rows[(part * GROUP + n) % N][(part * GROUP + n) / N];
                let row: [u32; GROUP] = std::array::from_fn(dword);
                words.write(group[0] + (part * GROUP * DWORD) as u64, row)?;
            }
        } else {
            for (n, &address) in group.iter().enumerate() {
                words.write(address, rows.map(|row| row[n]))?;
            }
        }
    }
    Some(())
}
