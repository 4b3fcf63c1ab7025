//! Tests of loads, stores and moves between lanes.

use super::*;

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
    let fast = all_ways(GFX9, &texts, Space::Global);
    assert!(fast > 1000, "{fast}");
}

#[test]
fn loads_that_are_not_aligned_in_one_step() {
    // Packed structures, unaligned rows, and elements at the very end.
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
        assert_eq!(m.by_fast_path, 1, "{}", loads[dwords / 2]);
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
        let fast = all_ways(target, &texts, Space::Global);
        assert!(fast > 300, "{target}: {fast}");
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
        let fast = all_ways(target, &texts, Space::Global);
        assert!(fast > 300, "{target}: {fast}");
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
        let fast = all_ways(target, &texts, Space::Global);
        assert!(fast > 1000, "{target}: {fast}");
    }
}

#[test]
fn cache_operations_change_nothing() {
    for target in FROM_CI {
        let mut m = Machine::new(target);
        m.run("buffer_wbinvl1_vol\ns_dcache_inv");
        assert_eq!(m.by_fast_path, 2);
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
        // Parts of a dword, within one dword and across two.
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
        let mut fast = all_ways(target, &buffers, Space::Scratch);
        if *target != SI {
            fast += all_ways(target, &flat, Space::Scratch);
        }
        if NINE.contains(target) {
            fast += all_ways(target, &scratch, Space::Scratch);
        }
        assert!(fast > 500, "{target}: {fast}");
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
        let mut fast = all_ways(target, &texts, Space::Lds);
        if *target != SI {
            fast += all_ways(target, &wide, Space::Lds);
        }
        if NINE.contains(target) {
            fast += all_ways(target, &halves, Space::Lds);
        }
        assert!(fast > 700, "{target}: {fast}");
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
        let mut fast = all_ways(target, &texts, Space::FlatLds);
        if NINE.contains(target) {
            fast += all_ways(target, &with_offset, Space::FlatLds);
        }
        assert!(fast > 500, "{target}: {fast}");
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
        // Number formats differ between GCN 1.0 and 1.4.
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
        let fast = all_ways(target, &texts, Space::Global);
        assert!(fast > 40 * texts.len(), "{target}: {fast}");
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
        let fast = all_ways(target, &texts, Space::Lds);
        assert_eq!(fast, texts.len() * WAYS.len() * MASKS.len(), "{target}");
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
        assert_eq!(m.by_fast_path, 2);
        assert_eq!(m.wave.scalar(4), 15);
    }
}
