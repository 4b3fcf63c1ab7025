//! Tests of fast paths of memory accesses. The test machine executes each instruction on the fast path and lane by
//! lane, and compares the effects. Lanes' addresses have many patterns.

#[path = "../common/mod.rs"]
mod common;

mod accesses;
mod atomics;

use common::*;
use gcn_emu::device::{Config, Device};
use gcn_emu::run::{Initial, InitialSgpr};
use gcn_isa::Target;

/// Size of the buffer in bytes.
const BYTES: u64 = 2048;

/// Random number generator (xorshift) with a fixed seed, so that failures are reproducible.
struct Noise(u64);

impl Noise {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Address pattern: a lane's offset in the buffer, or in LDS.
type Way = fn(usize, &mut Noise) -> u64;

const WAYS: &[(&str, Way)] = &[
    ("a row of dwords", |lane, _| 16 + 4 * lane as u64),
    ("a row of pairs", |lane, _| 16 + 8 * lane as u64),
    ("a row of quads", |lane, _| 16 + 16 * lane as u64),
    ("a row of bytes", |lane, _| 17 + lane as u64),
    ("a row of shorts", |lane, _| 18 + 2 * lane as u64),
    ("one", |_, _| 132),
    ("one that is not aligned", |_, _| 133),
    ("rows", |lane, _| 16 * (lane as u64 / 16)),
    ("columns", |lane, _| 36 + 4 * (lane as u64 % 16)),
    ("columns of eight", |lane, _| 36 + 16 * (lane as u64 % 8)),
    ("rows of a matrix", |lane, _| {
        4 * (lane as u64 % 16) + 72 * (lane as u64 / 16)
    }),
    ("rows of a matrix of pairs", |lane, _| {
        8 * (lane as u64 % 16) + 136 * (lane as u64 / 16)
    }),
    ("a row round the end of 64 KiB", |lane, _| {
        (1 << 16) - 80 + 4 * lane as u64
    }),
    ("a row round the end of 4 GiB", |lane, _| {
        (1 << 32) - 80 + 4 * lane as u64
    }),
    ("backwards", |lane, _| 1000 - 4 * lane as u64),
    ("the last row", |lane, _| BYTES - 256 + 4 * lane as u64),
    ("over the end", |lane, _| BYTES - 128 + 4 * lane as u64),
    ("scattered dwords", |_, noise| {
        4 * noise.below(BYTES / 4 - 8)
    }),
    ("scattered quads", |_, noise| {
        16 * noise.below(BYTES / 16 - 1)
    }),
    ("scattered", |_, noise| noise.below(BYTES - 32)),
    ("all but one inside", |lane, noise| match lane {
        37 => BYTES + 4,
        _ => 4 * noise.below(BYTES / 8),
    }),
    ("a few places", |_, noise| 4 * noise.below(5)),
    ("places near each other", |_, noise| {
        1024 + 4 * noise.below(32)
    }),
    ("places near the first", |lane, noise| match lane % 16 {
        0 => 1024,
        _ => 1024 + 4 * noise.below(29),
    }),
    ("places near the end", |lane, noise| match lane % 16 {
        0 => BYTES - 76,
        _ => BYTES - 16 - 4 * noise.below(16),
    }),
    ("pairs exchanged", |lane, _| 4 * (lane as u64 ^ 1)),
    ("a few pairs", |_, noise| 8 * noise.below(5)),
    ("one pair", |_, _| 136),
    ("one at the end", |_, _| BYTES - 8),
    ("one behind the end", |_, _| BYTES),
];

const MASKS: &[u64] = &[
    u64::MAX,
    0,
    1,
    1 << 63,
    0xffff_ffff,
    0xffff_0000_ffff_0000,
    0x5555_5555_5555_5555,
    !(1 << 37),
];

/// Memory that a test's addresses refer to.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    Global,
    Lds,
    /// LDS through FLAT addresses.
    FlatLds,
    Scratch,
}

/// Executes the instructions with every address pattern and every mask. Returns the number that took the fast path.
fn all_ways(target: &str, texts: &[&str], space: Space) -> usize {
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    let mut fast = 0;
    for text in texts {
        for (_, way) in WAYS {
            for &exec in MASKS {
                let mut m = Machine::new(target);
                let buffer = m.device.memory.allocate("buffer", BYTES).expect("memory");
                let contents: Vec<u8> = (0..BYTES).map(|_| noise.below(256) as u8).collect();
                assert!(m.device.memory.write(buffer, &contents));
                m.lds.bytes_mut().copy_from_slice(&contents);
                for register in 0..16 {
                    let values: Vec<u32> =
                        (0..LANES).map(|_| noise.below(1 << 32) as u32).collect();
                    m.set(register, |lane| values[lane]);
                }
                let offsets: Vec<u64> = (0..LANES).map(|lane| way(lane, &mut noise)).collect();
                match space {
                    Space::Global => m.set64(2, |lane| buffer + offsets[lane]),
                    Space::FlatLds => {
                        let shared = u64::from(m.device.config.apertures.shared) << 32;
                        m.set64(2, |lane| shared.wrapping_add(offsets[lane]))
                    }
                    Space::Lds => m.set(2, |lane| offsets[lane] as u32),
                    Space::Scratch => {
                        let private = u64::from(m.device.config.apertures.private) << 32;
                        m.set64(2, |lane| private + offsets[lane] % (u64::from(SCRATCH) + 4))
                    }
                };
                if space == Space::Scratch {
                    // A descriptor like those of compilers: dwords of 64 lanes are interleaved by lane number.
                    let (base, rows) = (m.wave.scratch.base, u64::from(SCRATCH) * LANES as u64);
                    m.s64(8, base | 1 << 63)
                        .s(10, rows as u32)
                        .s(11, 0x00e0_0000 | 1 << 19);
                    m.s(12, 8);
                }
                m.s64(16, buffer).s64(18, BYTES | 15 << 44);
                // Records of 8 bytes. NUM_RECORDS is their number, or the size in bytes (checklist 3.16).
                m.s64(28, buffer | 8 << 48).s64(30, (BYTES / 8) | 15 << 44);
                m.s64(24, buffer | 8 << 48).s64(26, BYTES | 15 << 44);
                // Elements of four UNORM bytes, with components swapped or replaced by a constant.
                m.s64(36, buffer | 16 << 48)
                    .s64(38, BYTES | (10 << 15 | 0o4156) << 32);
                m.s(13, 20);
                m.set(0, |lane| (offsets[lane] / 8) as u32);
                m.set(1, |lane| offsets[lane] as u32);
                m.s64(4, buffer).exec(exec);
                m.wave.mode = noise.below(1 << 8) as u32;
                m.device.memory.set_one_user(noise.below(2) == 0);
                // A lane beyond the buffer faults.
                let _ = m.try_run(text);
                fast += m.by_fast_path;
            }
        }
    }
    fast
}
