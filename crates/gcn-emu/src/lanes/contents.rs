//! Registers with memory contents: extraction and insertion of parts of dwords.

use super::level::at_each_level;
use super::register::{LANES, Lanes};

at_each_level! {
/// Copies `first` to the start of `registers`, as far as it fits, and sets the other registers to zero. A library fill
/// of this size would use a string instruction, which starts slowly and whose stores are not forwarded to loads;
/// kernels have few registers and read them soon.
pub(crate) fn begin_with(registers: &mut [Lanes], first: &[Lanes]) {
    let (given, others) = registers.split_at_mut(first.len().min(registers.len()));
    for (register, first) in given.iter_mut().zip(first) {
        *register = *first;
    }
    let zero = std::hint::black_box(Lanes::ZERO);
    for register in others {
        *register = zero;
    }
}

/// Variant of [`begin_with`] that sets only the registers `cleared` to zero and leaves the others.
pub(crate) fn begin_partly(registers: &mut [Lanes], first: &[Lanes], cleared: &[u8]) {
    let (given, others) = registers.split_at_mut(first.len().min(registers.len()));
    for (register, first) in given.iter_mut().zip(first) {
        *register = *first;
    }
    let zero = std::hint::black_box(Lanes::ZERO);
    for number in cleared {
        let other = usize::from(*number).checked_sub(given.len());
        if let Some(register) = other.and_then(|other| others.get_mut(other)) {
            *register = zero;
        }
    }
}
}

at_each_level! {
/// Shifts each lane right by `bits`.
pub(crate) fn shift_down(bits: u32, register: &mut Lanes) {
    for dword in &mut register.0 {
        *dword >>= bits;
    }
}

/// Sign-extends the lowest `bits` bits of each lane.
pub(crate) fn extend_sign(bits: u32, register: &mut Lanes) {
    let shift = u32::BITS - bits;
    for dword in &mut register.0 {
        *dword = ((*dword << shift) as i32 >> shift) as u32;
    }
}

/// Clears all but the lowest `bits` bits of each lane.
pub(crate) fn keep_low(bits: u32, register: &mut Lanes) {
    for dword in &mut register.0 {
        *dword &= (1 << bits) - 1;
    }
}

/// Moves the lowest `bits` bits of each lane, at most 31, to bit `place`. The other bits come from `old`.
pub(crate) fn insert(bits: u32, place: u32, new: &mut Lanes, old: &Lanes) {
    let low = (1 << bits) - 1;
    let keep = !(low << place);
    for (new, old) in new.0.iter_mut().zip(&old.0) {
        *new = old & keep | (*new & low) << place;
    }
}

/// Zero-extends 16-bit values to dwords.
pub(crate) fn widen_shorts(shorts: &[[u8; 2]; LANES]) -> Lanes {
    Lanes(shorts.map(|short| u16::from_le_bytes(short).into()))
}

/// Returns the low byte of each lane.
pub(crate) fn bytes(register: &Lanes) -> [u8; LANES] {
    register.0.map(|dword| dword as u8)
}

/// Returns the low two bytes of each lane.
pub(crate) fn shorts(register: &Lanes) -> [[u8; 2]; LANES] {
    register.0.map(|dword| (dword as u16).to_le_bytes())
}

/// Zero-extends bytes to dwords.
pub(crate) fn widen(bytes: &[u8; LANES]) -> Lanes {
    Lanes(bytes.map(u32::from))
}
}
