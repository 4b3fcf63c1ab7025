//! Random values with frequent edge cases.

pub use crate::stage::Noise;

/// Random number, mostly below a limit, often at its edge, and sometimes above it. A multiple of `unit`, except at the
/// edges.
pub fn near(noise: &mut Noise, limit: u64, unit: u64) -> u64 {
    match noise.below(32) {
        0 => limit.wrapping_add(noise.below(64)),
        1 => limit.saturating_sub(noise.below(20)),
        2 => noise.below(limit),
        3 => 0,
        _ => noise.below(limit / unit) * unit,
    }
}

/// Kind of values that fill registers and memory.
#[derive(Clone, Copy)]
pub enum Values {
    /// Edge cases and random values.
    Any,
    /// Two values, so that comparisons find equal ones.
    Few([u32; 2]),
    /// Close values.
    Near(u32),
    /// Floats close to those at which sums round and flush.
    Floats,
}

#[rustfmt::skip]
const SPECIAL: [u32; 24] = [
    0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0xffff_ffff, 0x8000_0000, 0x7fff_ffff, 0x8000_0001,
    0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 0xffc0_1234, 0x007f_ffff,
    0x807f_ffff, 0x7ff0_0000, 0xfff8_0000,
];

impl Values {
    pub fn new(noise: &mut Noise) -> Values {
        match noise.below(6) {
            0 => Values::Few([0; 2].map(|_| special(noise))),
            1 => Values::Near(special(noise)),
            2 => Values::Floats,
            _ => Values::Any,
        }
    }

    pub fn dword(self, noise: &mut Noise) -> u32 {
        match self {
            Values::Any => special(noise),
            Values::Few(values) => noise.pick(&values),
            Values::Near(value) => value.wrapping_add(noise.below(5) as u32).wrapping_sub(2),
            Values::Floats => {
                let exponent = noise.pick(&[0, 1, 2, 23, 24, 100, 127, 128, 150, 254, 255]);
                let digits = noise.next() as u32 & 0x807f_ffff;
                digits & noise.pick(&[u32::MAX, 0x8040_0001, 0x8000_0000]) | exponent << 23
            }
        }
    }

    pub fn fill(self, bytes: &mut [u8], noise: &mut Noise) {
        for chunk in bytes.chunks_mut(4) {
            chunk.copy_from_slice(&self.dword(noise).to_le_bytes()[..chunk.len()]);
        }
    }
}

fn special(noise: &mut Noise) -> u32 {
    if noise.one_in(3) {
        noise.pick(&SPECIAL)
    } else {
        noise.next() as u32
    }
}
