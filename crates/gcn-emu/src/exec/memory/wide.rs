//! The 64-lane loops over addresses, built for the host's vector instructions as those of [`crate::lanes`] are.

use multiversion::multiversion;

use crate::lanes::{LANES, Lanes};

/// 64-bit addresses in a pair of registers, and a constant.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn pairs(low: &Lanes, high: &Lanes, offset: u64, into: &mut [u64; LANES]) {
    for ((address, &low), &high) in into.iter_mut().zip(&low.0).zip(&high.0) {
        *address = (u64::from(low) | u64::from(high) << 32).wrapping_add(offset);
    }
}

/// A base, and offsets without sign in a register.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn offsets(base: u64, offsets: &Lanes, into: &mut [u64; LANES]) {
    for (address, &offset) in into.iter_mut().zip(&offsets.0) {
        *address = base.wrapping_add(u64::from(offset));
    }
}

/// 32-bit addresses in a register and a constant, of which some bits are kept.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn masked(from: &Lanes, offset: u32, mask: u32, into: &mut [u64; LANES]) {
    for (address, &base) in into.iter_mut().zip(&from.0) {
        *address = u64::from(base.wrapping_add(offset) & mask);
    }
}

/// Whether each address is so many bytes after the one before.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn follow(addresses: &[u64; LANES], stride: u64) -> bool {
    let base = addresses[0];
    let mut differ = 0;
    for (lane, address) in addresses.iter().enumerate() {
        differ |= address ^ base.wrapping_add(stride.wrapping_mul(lane as u64));
    }
    differ == 0
}
