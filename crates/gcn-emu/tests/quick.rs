//! What memory instructions do where nobody observes them, in one step, is what they do in two: the machine of the tests
//! executes each both ways. Here are the ways that lanes' addresses are to each other.

mod common;

use common::*;

/// Bytes of the buffer.
const BYTES: u64 = 2048;

/// A generator of numbers (xorshift), so that a failure comes again.
struct Noise(u64);

impl Noise {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A lane's offset in the buffer, or in LDS.
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

/// Where the addresses of a test are.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    Global,
    Lds,
    Scratch,
}

/// Executes the instructions with every way of addresses and every mask; says how many were done in one step.
fn all_ways(target: &str, texts: &[&str], space: Space) -> usize {
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    let mut quick = 0;
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
                    Space::Lds => m.set(2, |lane| offsets[lane] as u32),
                    Space::Scratch => {
                        let private = u64::from(m.device.config.apertures.private) << 32;
                        m.set64(2, |lane| private + offsets[lane] % (u64::from(SCRATCH) + 4))
                    }
                };
                if space == Space::Scratch {
                    // A descriptor as compilers make it: dwords of 64 lanes are interleaved, each has its own.
                    let (base, rows) = (m.wave.scratch.base, u64::from(SCRATCH) * LANES as u64);
                    m.s64(8, base | 1 << 63)
                        .s(10, rows as u32)
                        .s(11, 0x00e0_0000 | 1 << 19);
                    m.s(12, 8);
                }
                m.s64(16, buffer).s64(18, BYTES | 7 << 44);
                m.set(1, |lane| offsets[lane] as u32);
                m.s64(4, buffer).exec(exec);
                // A lane that goes beyond the buffer is a fault.
                let _ = m.try_run(text);
                quick += m.quick;
            }
        }
    }
    quick
}

#[test]
fn global_memory_in_one_step() {
    let texts = [
        "global_load_ubyte v5, v[2:3], off",
        "global_load_sbyte v2, v[2:3], off offset:1",
        "global_load_ushort v5, v[2:3], off",
        "global_load_sshort v3, v[2:3], off offset:-2",
        "global_load_dword v2, v[2:3], off",
        "global_load_dword v5, v[2:3], off offset:2",
        "global_load_dword v1, v1, s[4:5] offset:4",
        "global_load_dwordx2 v[2:3], v[2:3], off offset:-4",
        "global_load_dwordx3 v[1:3], v[2:3], off",
        "global_load_dwordx4 v[2:5], v[2:3], off",
        "global_store_byte v[2:3], v5, off",
        "global_store_short v[2:3], v5, off offset:2",
        "global_store_dword v[2:3], v2, off",
        "global_store_dword v1, v5, s[4:5]",
        "global_store_dwordx2 v[2:3], v[2:3], off",
        "global_store_dwordx3 v[2:3], v[6:8], off",
        "global_store_dwordx4 v[2:3], v[6:9], off",
        "flat_load_dword v2, v[2:3]",
        "flat_store_dword v[2:3], v5",
        "global_load_short_d16 v2, v[2:3], off",
        "global_load_short_d16_hi v5, v[2:3], off",
        "global_load_sbyte_d16_hi v5, v[2:3], off",
        "flat_load_ubyte_d16 v5, v[2:3]",
    ];
    let quick = all_ways(GFX9, &texts, Space::Global);
    assert!(quick > 1000, "{quick}");
}

#[test]
fn flat_memory_in_one_step() {
    let texts = [
        "flat_load_ubyte v2, v[2:3]",
        "flat_load_dword v2, v[2:3]",
        "flat_store_dword v[2:3], v5",
        "flat_store_dwordx3 v[2:3], v[5:7]",
        "flat_store_byte v[2:3], v5",
    ];
    for target in CI_VI {
        let quick = all_ways(target, &texts, Space::Global);
        assert!(quick > 300, "{target}: {quick}");
    }
}

#[test]
fn buffers_with_addresses_in_one_step() {
    let texts = [
        "buffer_load_dword v2, v[2:3], s[16:19], 0 addr64",
        "buffer_load_sbyte v5, v[2:3], s[20:23], s12 addr64 offset:3",
        "buffer_load_dwordx2 v[4:5], v[2:3], s[20:23], 0 addr64",
        "buffer_store_dword v2, v[2:3], s[20:23], 0 addr64 offset:4",
        "buffer_store_short v5, v[2:3], s[20:23], s12 addr64",
        "buffer_store_dwordx4 v[4:7], v[2:3], s[20:23], 0 addr64",
    ];
    for target in [SI, CI] {
        let quick = all_ways(target, &texts, Space::Global);
        assert!(quick > 300, "{target}: {quick}");
    }
}

#[test]
fn scratch_in_one_step() {
    let buffers = [
        "buffer_load_dword v2, off, s[8:11], s12 offset:8",
        "buffer_load_dword v2, off, s[8:11], 0 offset:4095",
        "buffer_load_dword v2, v2, s[8:11], s12 offen",
        "buffer_load_dwordx4 v[1:4], v2, s[8:11], 0 offen offset:4",
        "buffer_load_sbyte v2, off, s[8:11], 0 offset:3",
        "buffer_load_ushort v5, v2, s[8:11], 0 offen",
        "buffer_store_dword v2, off, s[8:11], s12 offset:8",
        "buffer_store_dword v2, v2, s[8:11], s12 offen",
        "buffer_store_dwordx4 v[3:6], off, s[8:11], 0 offset:12",
        "buffer_store_dwordx2 v[3:4], v2, s[8:11], 0 offen",
        "buffer_store_byte v5, v2, s[8:11], 0 offen offset:1",
        "buffer_store_dword v2, off, s[16:19], 0 offset:8",
    ];
    let flat = [
        "flat_load_dword v2, v[2:3]",
        "flat_load_dwordx2 v[2:3], v[2:3]",
        "flat_load_ubyte v5, v[2:3]",
        "flat_store_dword v[2:3], v5",
        "flat_store_dwordx4 v[2:3], v[4:7]",
    ];
    let scratch = [
        "scratch_load_dword v2, v2, off offset:4",
        "scratch_load_dwordx2 v[2:3], v2, off",
        "scratch_load_sshort v2, off, s12 offset:-2",
        "scratch_store_dword v2, v5, off",
        "scratch_store_dwordx2 off, v[5:6], s12 offset:16",
        "scratch_store_byte v2, v5, off offset:-1",
    ];
    for target in ALL {
        let mut quick = all_ways(target, &buffers, Space::Scratch);
        if *target != SI {
            quick += all_ways(target, &flat, Space::Scratch);
        }
        if NINE.contains(target) {
            quick += all_ways(target, &scratch, Space::Scratch);
        }
        assert!(quick > 500, "{target}: {quick}");
    }
}

#[test]
fn lds_in_one_step() {
    let texts = [
        "ds_read_b32 v2, v2",
        "ds_read_b32 v5, v2 offset:3",
        "ds_read_b64 v[2:3], v2 offset:8",
        "ds_read2_b32 v[2:3], v2 offset0:1 offset1:7",
        "ds_read2_b64 v[1:4], v2 offset0:3 offset1:1",
        "ds_read2st64_b32 v[4:5], v2 offset1:1",
        "ds_write_b32 v2, v2",
        "ds_write_b32 v2, v5 offset:5",
        "ds_write_b64 v2, v[2:3] offset:4",
        "ds_write2_b32 v2, v4, v5 offset0:1 offset1:2",
        "ds_write2_b32 v2, v4, v5 offset0:66 offset1:1",
        "ds_write2_b32 v2, v4, v5 offset0:3 offset1:3",
        "ds_write2st64_b32 v2, v4, v2 offset1:1",
        "ds_write2_b64 v2, v[4:5], v[6:7] offset1:2",
        "ds_write_b8 v2, v4",
        "ds_write_b16 v2, v2 offset:1",
        "ds_read_u8 v2, v2",
        "ds_read_i8 v5, v2 offset:7",
        "ds_read_u16 v5, v2",
        "ds_read_i16 v2, v2 offset:3",
    ];
    let wide = [
        "ds_read_b96 v[2:4], v2",
        "ds_read_b128 v[1:4], v2 offset:4",
        "ds_write_b96 v2, v[3:5] offset:4",
        "ds_write_b128 v2, v[1:4]",
    ];
    let halves = [
        "ds_read_u16_d16 v2, v2",
        "ds_read_u16_d16_hi v5, v2 offset:2",
        "ds_read_i8_d16 v5, v2 offset:1",
        "ds_read_i8_d16_hi v2, v2",
    ];
    for target in ALL {
        let mut quick = all_ways(target, &texts, Space::Lds);
        if *target != SI {
            quick += all_ways(target, &wide, Space::Lds);
        }
        if NINE.contains(target) {
            quick += all_ways(target, &halves, Space::Lds);
        }
        assert!(quick > 700, "{target}: {quick}");
    }
}

#[test]
fn scalar_loads_in_one_step() {
    for target in ALL {
        let mut m = Machine::new(target);
        let buffer = m.device.memory.allocate("buffer", BYTES).expect("memory");
        for n in 0..BYTES / 4 {
            m.device.memory.store_u32(buffer + 4 * n, n as u32 * 3);
        }
        m.s64(4, buffer + 2).s(6, 0x14);
        m.run("s_load_dword s8, s[4:5], 0x1\ns_load_dwordx16 s[4:19], s[4:5], s6");
        assert_eq!(m.quick, 2);
        assert_eq!(m.wave.scalar(4), 15);
    }
}
