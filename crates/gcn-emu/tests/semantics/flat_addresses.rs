//! Tests of section 3 of the checklist, FLAT, GLOBAL, SCRATCH: addresses, apertures, loads and stores.

use crate::common::*;
use gcn_emu::fault::{FaultKind, Intent};
use gcn_emu::observe::LaneSpace;
use gcn_isa::Isa;

/// Address of a lane's dword of a buffer.
pub fn lane_address(base: u64) -> impl Fn(usize) -> u64 {
    move |lane| base + 4 * lane as u64
}

pub fn count_up(n: u32) -> Vec<u32> {
    (0..n).collect()
}

#[test]
fn s3_1_flat_has_no_offset_before_gcn_1_4() {
    // E076, E077, E085: offset bits are reserved, and ignored.
    on(CI_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(2, lane_address(buffer));
        let word = code(m.target, "flat_load_dword v1, v[2:3]")[..4]
            .try_into()
            .map(u32::from_le_bytes)
            .expect("four bytes");
        m.run_words(&[word | 8, 0x0100_0002]).expect("it runs");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (0, 63));
    });
}

#[test]
fn s3_2_flat_has_an_unsigned_offset_on_gcn_1_4() {
    // E084
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(2000));
        m.set64(2, lane_address(buffer))
            .run("flat_load_dword v1, v[2:3] offset:4092");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (1023, 1086));
        m.run_words(&[0xdc50_1004, 0x0100_0002]).expect("it runs");
        assert_eq!(m.v(1, 0), 1, "bit 12 is ignored");
    });
}

#[test]
fn s3_3_global_without_saddr() {
    // E086
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(2200));
        m.set64(2, lane_address(buffer + 4096));
        m.run("global_load_dword v1, v[2:3], off offset:-4096");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (0, 63));
        m.run("global_load_dword v1, v[2:3], off offset:4092");
        assert_eq!(m.v(1, 1), 2048);
    });
}

#[test]
fn s3_4_global_with_saddr() {
    // E086: the register offset is unsigned.
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(2000));
        m.s64(4, buffer - (1 << 32) + 4096 + 4)
            .exec(1)
            .set(2, |_| 0xffff_fffc);
        m.run("global_load_dword v1, v2, s[4:5] offset:-4096");
        assert_eq!(m.v(1, 0), 0);
        m.exec(u64::MAX).s64(4, buffer).set(2, |l| 4 * l as u32);
        m.run("global_load_dword v1, v2, s[4:5] offset:40");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (10, 73));
    });
}

/// Address of a byte of a lane's scratch.
pub fn scratch_at(m: &Machine, lane: u64, offset: u64) -> u64 {
    m.wave.scratch.base + offset / 4 * 256 + lane * 4 + offset % 4
}

#[test]
fn s3_5_scratch_is_interleaved() {
    // E087
    on(NINE, |m| {
        for i in 0..4 {
            m.set(4 + i, |l| (1000 * (i + 1) + l) as u32);
        }
        m.set(0, |_| 8)
            .run("scratch_store_dwordx4 v0, v[4:7], off offset:-4");
        for (i, lane) in [(0, 0), (1, 5), (3, 63)] {
            assert_eq!(
                m.mem(scratch_at(m, lane, 4 + 4 * i)),
                (1000 * (i + 1) + lane) as u32
            );
        }
        m.s(6, 12).run("scratch_load_dword v1, off, s6 offset:4");
        assert_eq!(m.v(1, 9), 4009);
        // Across two dwords, byte by byte.
        m.set(0, |_| 6).run("scratch_load_dword v1, v0, off");
        assert_eq!(m.v(1, 9), 2009 << 16, "1009 has no high half");
        m.set(1, |_| 0x4433_2211)
            .run("scratch_store_dword v0, v1, off");
        assert_eq!(m.mem(scratch_at(m, 9, 8)), 0x4433);
        assert_eq!(m.mem(scratch_at(m, 9, 4)), 0x2211_0000 | 1009);
        // FLAT_SCRATCH is the base.
        m.s64(102, m.wave.scratch.region)
            .set(0, |_| 0)
            .run("scratch_store_dword v0, v1, off");
        assert_eq!(m.mem(m.wave.scratch.region + 4), 0x4433_2211);
    });
}

#[test]
fn s3_6_saddr_and_segments() {
    // E078, E079: FLAT ignores SADDR, whatever its value.
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(2, lane_address(buffer)).s64(4, 1 << 20);
        m.run_words(&[0xdc50_0000, 0x0104_0002]).expect("it runs");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (0, 63));
        m.run_words(&[0xdc50_8000, 0x017f_0002]).expect("it runs");
        assert_eq!(m.v(1, 63), 63, "0x7f is off");
        let reserved = gcn_isa::decode(m.target.isa, &[0xdc50_c000, 0x017f_0002]);
        assert!(reserved.is_err(), "segment 3");
    });
}

pub fn shared(m: &Machine, offset: u32) -> u64 {
    u64::from(m.device.config.apertures.shared) << 32 | u64::from(offset)
}

pub fn private(m: &Machine, offset: u32) -> u64 {
    u64::from(m.device.config.apertures.private) << 32 | u64::from(offset)
}

#[test]
fn s3_7_the_shared_aperture_is_lds() {
    // E088, E035, E230
    on(FROM_CI, |m| {
        let (in_lds, in_memory) = (shared(m, 0), m.buffer(&[0; 64]));
        // Odd lanes access LDS and even lanes access memory in one instruction.
        let address = move |l: usize| if l % 2 == 1 { in_lds } else { in_memory } + 4 * l as u64;
        m.set64(0, address)
            .set(2, |l| 1 + l as u32)
            .run("flat_store_dword v[0:1], v2");
        assert_eq!((m.lds32(0), m.lds32(4), m.lds32(252)), (0, 2, 64));
        assert_eq!((m.mem(in_memory), m.mem(in_memory + 4)), (1, 0));
        m.run("flat_load_dword v3, v[0:1]\nflat_atomic_add v4, v[0:1], v2 glc");
        assert_eq!(
            (m.v(3, 0), m.v(3, 63), m.v(4, 63), m.lds32(252)),
            (1, 64, 64, 128)
        );
        m.s(M0, 4).run("flat_load_dword v3, v[0:1]");
        let limited = m.target.isa < Isa::Gfx9;
        assert_eq!((m.v(3, 1) == 0, m.v(3, 0)), (limited, 2));
        // E230
        m.s(M0, 0)
            .run("flat_load_dword v3, v[0:1]\nds_read_b32 v4, v0 offset:248");
        assert_eq!(
            (m.v(3, 63), m.v(4, 1)),
            (128, if limited { 0 } else { 128 })
        );
    });
    on(NINE, |m| {
        m.set64(0, |_| (u64::from(0x1_0000u32) << 32) - 4)
            .exec(1)
            .set(2, |_| 7);
        m.run("flat_store_dword v[0:1], v2 offset:8");
        assert_eq!(m.lds32(4), 7, "the offset is added before the test");
    });
}

#[test]
fn s3_8_the_private_aperture_is_scratch() {
    // E088
    on(FROM_CI, |m| {
        let address = private(m, 8);
        m.set64(0, |_| address);
        for i in 0..4 {
            m.set(4 + i, |l| (1000 * (i + 1) + l) as u32);
        }
        m.run("flat_store_dwordx4 v[0:1], v[4:7]");
        assert_eq!(m.mem(scratch_at(m, 0, 8)), 1000);
        assert_eq!(m.mem(scratch_at(m, 63, 20)), 4063);
        m.set64(0, |_| address + 4)
            .run("flat_load_dword v2, v[0:1]");
        assert_eq!((m.v(2, 0), m.v(2, 63)), (2000, 2063));
        m.set64(0, |_| address - 8 + u64::from(SCRATCH))
            .set(2, |_| 9);
        m.run("flat_store_dword v[0:1], v4\nflat_load_dword v2, v[0:1]");
        assert_eq!(m.v(2, 0), 0, "out of bounds");
        // E106
        m.set64(0, |_| address)
            .set(2, |_| 1)
            .run("flat_atomic_add v3, v[0:1], v2 glc");
        assert_eq!((m.v(3, 7), m.mem(scratch_at(m, 7, 8))), (1007, 1008));
    });
}

#[test]
fn s3_9_global_and_scratch_do_not_test_apertures() {
    // E105
    on(NINE, |m| {
        for address in [shared(m, 0), private(m, 0)] {
            m.set64(0, |_| address);
            let fault = FaultKind::Unmapped {
                intent: Intent::Load,
                address,
                bytes: 4,
            };
            assert_eq!(
                m.try_run("global_load_dword v2, v[0:1], off"),
                Err((fault, Some(0)))
            );
        }
    });
}

#[test]
fn s3_10_the_views_of_the_apertures_agree() {
    // E088: the registers, the FLAT unit, hwreg SH_MEM_BASES and the queue's fields get the apertures from one place.
    on(NINE, |m| {
        m.wave.apertures = m.device.config.apertures;
        assert_eq!(m.wave.special(235), shared(m, 0));
        assert_eq!(m.wave.special(236), shared(m, u32::MAX));
        assert_eq!(m.wave.special(237), private(m, 0));
        assert_eq!(m.wave.special(238), private(m, u32::MAX));
        for (code, scratch) in [(235, false), (236, false), (237, true), (238, true)] {
            let address = m.wave.special(code) & !3;
            m.set64(0, |_| address).run("flat_load_dword v2, v[0:1]");
            let expected = if scratch {
                LaneSpace::Scratch
            } else {
                LaneSpace::Lds
            };
            assert_eq!(m.transfer.access_mut().space(5), Some(expected));
            assert_eq!(
                m.transfer.access_mut().address[5],
                address & u64::from(u32::MAX)
            );
        }
    });
}

#[test]
fn s3_11_flat_scratch() {
    // E088: on GCN 1.1 and 1.2, the high half is an offset from the hidden base in units of 256 bytes; on 1.4 it is
    // part of an address.
    on(FROM_CI, |m| {
        let first = m.wave.scratch.region;
        match m.target.isa {
            Isa::Ci => m.s64(104, u64::from(SCRATCH)),
            Isa::Vi => m.s64(102, u64::from(SCRATCH)),
            _ => m.s64(102, first),
        };
        let address = private(m, 4);
        m.set64(0, |_| address)
            .set(2, |l| 1 + l as u32)
            .run("flat_store_dword v[0:1], v2");
        assert_eq!((m.mem(first + 256), m.mem(first + 256 + 252)), (1, 64));
        if m.target.isa < Isa::Gfx9 {
            let high = if m.target.isa == Isa::Ci { 105 } else { 103 };
            m.s(high, 3).run("flat_store_dword v[0:1], v2");
            assert_eq!(m.mem(first + 3 * 256 + 256 + 252), 64);
        }
    });
}

#[test]
fn s3_12_loads_extend() {
    // E005, E095, E096, E098, E099
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0x1234_8081, 2, 3, 4]);
        m.set64(0, |_| buffer);
        m.run("flat_load_ubyte v2, v[0:1]\nflat_load_sbyte v3, v[0:1]");
        m.run("flat_load_ushort v4, v[0:1]\nflat_load_sshort v5, v[0:1]");
        assert_eq!(
            [2, 3, 4, 5].map(|v| m.v(v, 3)),
            [0x81, 0xffff_ff81, 0x8081, 0xffff_8081]
        );
        m.run("flat_load_dwordx2 v[2:3], v[0:1]\nflat_load_dwordx3 v[4:6], v[0:1]");
        m.run("flat_load_dwordx4 v[8:11], v[0:1]");
        assert_eq!([3, 6, 8, 11].map(|v| m.v(v, 63)), [2, 3, 0x1234_8081, 4]);
        // Stores, with a separate address in each lane.
        let buffer = m.buffer(&[0; 4 * 64]);
        m.set64(0, |l| buffer + 16 * l as u64);
        m.run("flat_store_dwordx4 v[0:1], v[8:11]");
        assert_eq!((m.mem(buffer + 4), m.mem(buffer + 1020)), (2, 4));
        m.run("flat_store_dwordx3 v[0:1], v[9:11]\nflat_store_byte v[0:1], v8");
        assert_eq!(
            (m.mem(buffer), m.mem(buffer + 8), m.mem(buffer + 12)),
            (0x81, 4, 4)
        );
        m.run("flat_store_dwordx2 v[0:1], v[10:11]\nflat_store_short v[0:1], v8");
        assert_eq!((m.mem(buffer + 16), m.mem(buffer + 20)), (0x8081, 4));
    });
}

#[test]
fn s3_13_d16() {
    // E097, E100, E263
    for (targets, kept) in D16 {
        on(targets, |m| {
            let buffer = m.buffer(&[0x1234_8081]);
            m.exec(1).set64(0, |_| buffer);
            for (name, value) in [("ubyte", 0x0081), ("sbyte", 0xff81), ("short", 0x8081)] {
                m.set(2, |_| 0xaaaa_bbbb).set(3, |_| 0xaaaa_bbbb);
                m.run(&format!(
                    "flat_load_{name}_d16 v2, v[0:1]\nglobal_load_{name}_d16_hi v3, v[0:1], off"
                ));
                let low = 0xaaaa_0000 & kept | value;
                let high = value << 16 | 0xbbbb & kept;
                assert_eq!((m.v(2, 0), m.v(3, 0)), (low, high), "{name}");
            }
            // Out of range, the loaded half is 0.
            let address = private(m, SCRATCH);
            m.set64(0, |_| address).set(2, |_| 0x1122_3344);
            m.run("flat_load_short_d16 v2, v[0:1]");
            assert_eq!(m.v(2, 0), 0x1122_0000 & kept);
        });
    }
    on(NINE, |m| {
        let buffer = m.buffer(&[0x1234_8081]);
        m.exec(1).set64(0, |_| buffer);
        m.set(2, |_| 0x1122_3344);
        m.run(
            "flat_store_byte_d16_hi v[0:1], v2\nglobal_store_short_d16_hi v[0:1], v2, off offset:2",
        );
        assert_eq!(m.mem(buffer), 0x1122_8022);
    });
}
