//! Shapes of memory accesses: the machine of the tests executes each instruction in one step and in two, and both have the
//! same effect. Here are the ways that lanes' addresses are to each other.

mod common;

use common::*;
use gcn_emu::device::{Config, Device};
use gcn_emu::run::{Initial, InitialSgpr};
use gcn_isa::Target;

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

/// Places of a test's addresses.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    Global,
    Lds,
    /// LDS by addresses of FLAT.
    FlatLds,
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
                    // A descriptor as compilers make it: dwords of 64 lanes are interleaved, each has its own.
                    let (base, rows) = (m.wave.scratch.base, u64::from(SCRATCH) * LANES as u64);
                    m.s64(8, base | 1 << 63)
                        .s(10, rows as u32)
                        .s(11, 0x00e0_0000 | 1 << 19);
                    m.s(12, 8);
                }
                m.s64(16, buffer).s64(18, BYTES | 15 << 44);
                // Records of 8 bytes, whose number is what NUM_RECORDS counts or half of that (checklist 3.16).
                m.s64(28, buffer | 8 << 48).s64(30, (BYTES / 8) | 15 << 44);
                m.s64(24, buffer | 8 << 48).s64(26, BYTES | 15 << 44);
                // Elements of four bytes from 0 to 1, of which components are exchanged or are none.
                m.s64(36, buffer | 16 << 48)
                    .s64(38, BYTES | (10 << 15 | 0o4156) << 32);
                m.s(13, 20);
                m.set(0, |lane| (offsets[lane] / 8) as u32);
                m.set(1, |lane| offsets[lane] as u32);
                m.s64(4, buffer).exec(exec);
                m.wave.mode = noise.below(1 << 8) as u32;
                m.device.memory.set_one_user(noise.below(2) == 0);
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
        "global_load_dwordx2 v[2:3], v[2:3], off",
        "global_load_dwordx3 v[4:6], v[2:3], off",
        "global_store_short_d16_hi v[2:3], v5, off",
        "global_store_byte_d16_hi v[2:3], v2, off offset:1",
        "global_load_short_d16 v2, v[2:3], off",
        "global_load_short_d16_hi v5, v[2:3], off",
        "global_load_sbyte_d16_hi v5, v[2:3], off",
        "flat_load_ubyte_d16 v5, v[2:3]",
    ];
    let quick = all_ways(GFX9, &texts, Space::Global);
    assert!(quick > 1000, "{quick}");
}

#[test]
fn loads_that_are_not_aligned_in_one_step() {
    // As of packed structures; rows of bytes; elements at the very end.
    let ways: [fn(u64) -> u64; 4] = [
        |lane| 2 + 18 * lane,
        |lane| 3 + 16 * lane,
        |lane| 1 + 4 * lane,
        |lane| BYTES - 16 - 7 * lane,
    ];
    for (way, dwords) in ways.iter().flat_map(|way| [(way, 1), (way, 2), (way, 4)]) {
        let mut m = Machine::new(GFX9);
        let buffer = m.device.memory.allocate("buffer", BYTES).expect("memory");
        let contents: Vec<u8> = (0..BYTES).map(|n| (n * n / 7) as u8).collect();
        assert!(m.device.memory.write(buffer, &contents));
        m.set64(2, |lane| buffer + way(lane as u64));
        let loads = [
            "global_load_dword v4, v[2:3], off",
            "global_load_dwordx2 v[4:5], v[2:3], off",
            "global_load_dwordx4 v[4:7], v[2:3], off",
        ];
        m.run(loads[dwords / 2]);
        assert_eq!(m.quick, 1, "{}", loads[dwords / 2]);
        for (lane, register) in (0..LANES).flat_map(|l| (0..dwords).map(move |d| (l, d))) {
            let at = way(lane as u64) as usize + 4 * register;
            let bytes = contents[at..at + 4].try_into().expect("four bytes");
            assert_eq!(m.v(4 + register, lane), u32::from_le_bytes(bytes));
        }
    }
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
fn buffers_of_records_in_one_step() {
    let texts = [
        "buffer_load_dword v5, off, s[16:19], 0 offset:8",
        "buffer_load_dword v1, v1, s[16:19], 0 offen",
        "buffer_load_dword v5, v1, s[16:19], s13 offen offset:4",
        "buffer_load_ubyte v5, v1, s[16:19], 0 offen offset:1",
        "buffer_load_sshort v5, off, s[16:19], s13 offset:3",
        "buffer_load_dwordx2 v[1:2], v1, s[16:19], 0 offen",
        "buffer_load_dwordx4 v[4:7], v1, s[16:19], 0 offen",
        "buffer_load_dwordx4 v[4:7], v0, s[24:27], 0 idxen",
        "buffer_load_dword v0, v0, s[28:31], 0 idxen offset:4",
        "buffer_load_dwordx2 v[4:5], v[0:1], s[24:27], s13 idxen offen",
        "buffer_load_ushort v4, v[0:1], s[28:31], 0 idxen offen",
        "buffer_store_dword v1, v1, s[16:19], 0 offen",
        "buffer_store_byte v5, v1, s[16:19], s13 offen offset:3",
        "buffer_store_dwordx2 v[4:5], v0, s[24:27], 0 idxen",
        "buffer_store_dwordx4 v[0:3], v1, s[16:19], 0 offen",
        "buffer_store_dword v5, v0, s[28:31], 0 idxen",
        "buffer_store_short v5, v[0:1], s[24:27], 0 idxen offen",
    ];
    for target in ALL {
        let quick = all_ways(target, &texts, Space::Global);
        assert!(quick > 1000, "{target}: {quick}");
    }
}

#[test]
fn what_leaves_caches_alone_is_nothing() {
    for target in FROM_CI {
        let mut m = Machine::new(target);
        m.run("buffer_wbinvl1_vol\ns_dcache_inv");
        assert_eq!(m.quick, 2);
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
        // Parts of dwords, within one and across two.
        "buffer_load_ubyte v5, off, s[8:11], s12 offset:6",
        "buffer_load_sshort v5, off, s[8:11], 0 offset:3",
        "buffer_load_sshort v5, off, s[8:11], 0 offset:5",
        "buffer_store_byte v5, off, s[8:11], 0 offset:2",
        "buffer_store_short v5, off, s[8:11], s12 offset:4",
        "buffer_store_short v5, off, s[8:11], 0 offset:7",
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
        "scratch_load_short_d16_hi v5, off, s12 offset:2",
        "scratch_store_byte_d16_hi off, v5, s12 offset:1",
        "scratch_store_short_d16_hi v2, v5, off",
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
        "ds_write_b16_d16_hi v2, v5 offset:2",
        "ds_write_b8_d16_hi v2, v2",
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
fn flat_loads_and_stores_of_lds_in_one_step() {
    let texts = [
        "flat_load_ubyte v2, v[2:3]",
        "flat_load_sshort v5, v[2:3]",
        "flat_load_dword v2, v[2:3]",
        "flat_load_dwordx2 v[2:3], v[2:3]",
        "flat_load_dwordx4 v[4:7], v[2:3]",
        "flat_store_byte v[2:3], v5",
        "flat_store_dword v[2:3], v2",
        "flat_store_dwordx2 v[2:3], v[2:3]",
        "flat_store_dwordx3 v[2:3], v[5:7]",
    ];
    let with_offset = [
        "flat_load_dword v2, v[2:3] offset:4",
        "flat_store_short_d16_hi v[2:3], v5 offset:2",
    ];
    for target in FROM_CI {
        let mut quick = all_ways(target, &texts, Space::FlatLds);
        if NINE.contains(target) {
            quick += all_ways(target, &with_offset, Space::FlatLds);
        }
        assert!(quick > 500, "{target}: {quick}");
    }
}

#[test]
fn typed_buffers_in_one_step() {
    let by_descriptor = [
        "buffer_load_format_x v5, v1, s[16:19], 0 offen",
        "buffer_load_format_xyzw v[0:3], v0, s[24:27], 0 idxen",
        "buffer_load_format_xy v[4:5], v0, s[36:39], 0 idxen offset:4",
        "buffer_store_format_xyzw v[4:7], v1, s[36:39], s13 offen",
        "buffer_store_format_x v5, v0, s[28:31], 0 idxen",
    ];
    let halves = [
        "buffer_load_format_d16_xyzw v[4:7], v1, s[36:39], 0 offen",
        "buffer_load_format_d16_xyz v[4:6], v1, s[36:39], 0 offen",
        "buffer_store_format_d16_xyzw v[4:7], v1, s[36:39], 0 offen",
    ];
    let packed = [
        "buffer_load_format_d16_xyzw v[4:5], v1, s[36:39], 0 offen",
        "buffer_load_format_d16_xyz v[4:5], v1, s[36:39], 0 offen",
        "buffer_load_format_d16_hi_x v1, v1, s[36:39], 0 offen",
        "buffer_store_format_d16_xyz v[4:5], v1, s[36:39], 0 offen",
        "buffer_store_format_d16_hi_x v4, v1, s[36:39], 0 offen",
    ];
    for target in ALL {
        let mut texts: Vec<String> = by_descriptor.iter().map(|&text| text.into()).collect();
        if *target == VI {
            texts.extend(halves.iter().map(|&text| text.into()));
        }
        if NINE.contains(target) {
            texts.extend(packed.iter().map(|&text| text.into()));
        }
        // A number format is another on GCN 1.0 than on 1.4.
        let formats = if [SI, GFX9].contains(target) {
            1..15
        } else {
            0..0
        };
        for data in formats {
            for numbers in [0, 1, 2, 3, 4, 5, 6, 7] {
                for text in [
                    "tbuffer_load_format_xyzw v[4:7], v1, s[16:19], 0",
                    "tbuffer_store_format_xyzw v[4:7], v1, s[16:19], 0",
                ] {
                    let format = data | numbers << 4;
                    texts.push(format!("{text} format:{format} offen"));
                }
            }
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let quick = all_ways(target, &texts, Space::Global);
        assert!(quick > 40 * texts.len(), "{target}: {quick}");
    }
}

#[test]
fn moves_between_lanes_in_one_step() {
    let texts = [
        "ds_swizzle_b32 v5, v1 offset:swizzle(QUAD_PERM,3,0,2,1)",
        "ds_swizzle_b32 v1, v1 offset:swizzle(SWAP,16)",
        "ds_swizzle_b32 v5, v1 offset:swizzle(BROADCAST,8,5)",
        "ds_swizzle_b32 v5, v1 offset:swizzle(BITMASK_PERM,\"01pip\")",
    ];
    let since_vi = [
        "ds_bpermute_b32 v1, v1, v5",
        "ds_bpermute_b32 v5, v4, v5 offset:12",
        "ds_permute_b32 v1, v1, v5 offset:4",
        "ds_permute_b32 v5, v4, v5",
    ];
    let nine = [
        "ds_swizzle_b32 v1, v1 offset:0xe004",
        "ds_swizzle_b32 v5, v1 offset:0xc4a3",
    ];
    for target in ALL {
        let mut texts = texts.to_vec();
        if FROM_VI.contains(target) {
            texts.extend(since_vi);
        }
        if NINE.contains(target) {
            texts.extend(nine);
        }
        let quick = all_ways(target, &texts, Space::Lds);
        assert_eq!(quick, texts.len() * WAYS.len() * MASKS.len(), "{target}");
    }
}

/// Operations of LDS, and what they have in a name beside the type; those of memory; those of memory with floats.
const SHARE: &[&str] = &[
    "add_u32", "sub_u32", "rsub_u32", "inc_u32", "dec_u32", "min_i32", "max_i32", "min_u32",
    "max_u32", "and_b32", "or_b32", "xor_b32", "min_f32", "max_f32", "add_u64", "sub_u64",
    "rsub_u64", "inc_u64", "dec_u64", "min_i64", "max_i64", "min_u64", "max_u64", "and_b64",
    "or_b64", "xor_b64", "min_f64", "max_f64",
];
const MEMORY: &[&str] = &[
    "swap", "add", "sub", "smin", "smax", "umin", "umax", "and", "or", "xor", "inc", "dec",
];
const MEMORY_OF_FLOATS: &[&str] = &["fmin", "fmax"];

#[test]
fn atomics_of_lds_in_one_step() {
    let mut texts = Vec::new();
    for name in SHARE {
        let (operation, ty) = name.split_once('_').expect("two parts");
        let (data, old) = match ty.ends_with("64") {
            true => ("v[4:5]", "v[2:3]"),
            false => ("v4", "v2"),
        };
        texts.push(format!("ds_{name} v2, {data}"));
        texts.push(format!(
            "ds_{operation}_rtn_{ty} {old}, v2, {data} offset:8"
        ));
    }
    for text in [
        "ds_wrxchg_rtn_b32 v2, v2, v4 offset:5",
        "ds_wrxchg_rtn_b64 v[5:6], v2, v[5:6]",
        "ds_cmpst_b32 v2, v4, v5",
        "ds_cmpst_rtn_b64 v[2:3], v2, v[4:5], v[6:7]",
        "ds_cmpst_rtn_f32 v5, v2, v4, v5",
        "ds_cmpst_f64 v2, v[4:5], v[6:7]",
        "ds_mskor_rtn_b32 v2, v2, v4, v5",
        "ds_mskor_b64 v2, v[4:5], v[6:7]",
    ] {
        texts.push(text.to_owned());
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let later = ["ds_add_f32 v2, v4", "ds_add_rtn_f32 v2, v2, v2"];
    for target in ALL {
        let mut quick = all_ways(target, &texts, Space::Lds);
        if *target != SI {
            quick += all_ways(target, &["ds_wrap_rtn_b32 v2, v2, v4, v5"], Space::Lds);
        }
        if FROM_VI.contains(target) {
            quick += all_ways(target, &later, Space::Lds);
        }
        assert!(quick > 5000, "{target}: {quick}");
    }
}

/// Atomics of memory, of both widths, where an address is written as given, the data before it or behind.
fn atomics(family: &str, operations: &[&str], write: fn(&str, &str) -> String) -> Vec<String> {
    let mut texts = Vec::new();
    for operation in operations {
        for (width, data, old) in [("", "v4", "v2"), ("_x2", "v[4:5]", "v[2:3]")] {
            let operands = write(data, "");
            texts.push(format!("{family}_atomic_{operation}{width} {operands}"));
            let operands = write(data, old);
            texts.push(format!("{family}_atomic_{operation}{width} {operands} glc"));
        }
    }
    texts
}

/// The data and an address of FLAT, and where old values go if they do.
fn with_pair(data: &str, old: &str) -> String {
    match old {
        "" => format!("v[2:3], {data}"),
        old => format!("{old}, v[2:3], {data}"),
    }
}

/// The same of GLOBAL.
fn with_off(data: &str, old: &str) -> String {
    format!("{}, off", with_pair(data, old))
}

/// The same of MUBUF, where old values go to the registers of the data.
fn with_addr64(data: &str, _: &str) -> String {
    format!("{data}, v[2:3], s[20:23], 0 addr64")
}

/// The same with an offset in a record.
fn with_offen(data: &str, _: &str) -> String {
    format!("{data}, v1, s[16:19], s13 offen offset:4")
}

#[test]
fn atomics_of_memory_in_one_step() {
    let all: Vec<&str> = [MEMORY, MEMORY_OF_FLOATS].concat();
    for target in ALL {
        let since_vi = FROM_VI.contains(target);
        let operations = if since_vi { MEMORY } else { &all };
        let mut texts = atomics("buffer", operations, with_offen);
        texts.push("buffer_atomic_cmpswap v[4:5], v1, s[16:19], 0 offen glc".to_owned());
        texts.push("buffer_atomic_cmpswap_x2 v[4:7], v0, s[28:31], 0 idxen glc".to_owned());
        if !since_vi {
            texts.extend(atomics("buffer", operations, with_addr64));
            texts.push("buffer_atomic_fcmpswap v[4:5], v1, s[16:19], 0 offen glc".to_owned());
        }
        if *target != SI {
            texts.extend(atomics("flat", operations, with_pair));
            texts.push("flat_atomic_cmpswap v2, v[2:3], v[4:5] glc".to_owned());
            texts.push("flat_atomic_cmpswap_x2 v[2:3], v[4:7]".to_owned());
        }
        if NINE.contains(target) {
            texts.extend(atomics("global", operations, with_off));
            texts.push("global_atomic_add v2, v1, v4, s[4:5] offset:4 glc".to_owned());
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut quick = all_ways(target, &texts, Space::Global);
        if *target != SI {
            let texts = atomics("flat", operations, with_pair);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            quick += all_ways(target, &texts, Space::FlatLds);
        }
        assert!(quick > 1000, "{target}: {quick}");
    }
}

#[test]
fn atomics_of_threads_lose_nothing() {
    let target = Target::named(GFX9).expect("it exists");
    let text = "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\nv_lshlrev_b32 v1, 2, v0\nv_add_co_u32 v4, vcc, s0, v1\nv_mov_b32 v5, s1\n\
                v_mov_b32 v6, 1\nv_mov_b32 v7, 0\ns_movk_i32 s4, 200\nloop:\nglobal_atomic_add v[2:3], v6, off offset:256\n\
                global_atomic_add_x2 v[2:3], v[6:7], off offset:264\nglobal_atomic_add v8, v[4:5], v6, off glc\n\
                s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 loop\ns_endpgm";
    const GROUPS: u32 = 16;
    for threads in [1, 4] {
        let mut config = Config::new(target.isa);
        config.threads = threads;
        let mut device = Device::new(config);
        let buffer = device.memory.allocate("buffer", BYTES).expect("memory");
        let initial = Initial {
            sgprs: vec![
                InitialSgpr::Value(buffer as u32),
                InitialSgpr::Value((buffer >> u32::BITS) as u32),
            ],
            work_item_ids: 1,
            mode: 0,
        };
        let done = dispatch(&mut device, target, text, GROUPS, LANES as u32, initial);
        assert_eq!(done.fault, None);
        let all = 200 * GROUPS * LANES as u32;
        assert_eq!(device.memory.load_u32(buffer + 256), Some(all));
        assert_eq!(device.memory.load_u64(buffer + 264), Some(all.into()));
        for lane in 0..LANES as u64 {
            assert_eq!(
                device.memory.load_u32(buffer + 4 * lane),
                Some(200 * GROUPS)
            );
        }
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
