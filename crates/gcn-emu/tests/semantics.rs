//! The checklist of `docs/semantics.md`: each item has a test whose name carries its number, and the last test
//! looks for items without one.

mod common;

use common::*;
use gcn_emu::device::{Config, LdsFill, OnViolation};
use gcn_emu::exec::memory::{Outcome, Space};
use gcn_emu::fault::{FaultKind, Intent};
use gcn_emu::lds::Lds;
use gcn_emu::run::{Initial, InitialSgpr};
use gcn_isa::simm::Waitcnt;
use gcn_isa::{Isa, Target};

// 1. Execution model

#[test]
fn s1_1_inactive_lanes_access_nothing_and_keep_vdst() {
    // E047
    on(ALL, |m| {
        m.exec(0b0110)
            .set(0, |l| l as u32 * 4)
            .set(1, |_| 7)
            .set(2, |_| 99);
        m.run("ds_write_b32 v0, v1\nds_read_b32 v2, v0");
        assert_eq!([0, 4, 8, 12].map(|a| m.lds32(a)), [0, 7, 7, 0]);
        assert_eq!([0, 1, 2, 3].map(|l| m.v(2, l)), [99, 7, 7, 99]);
    });
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[5; 64]);
        m.exec(1 << 63)
            .set64(0, |l| buffer + l as u64 * 4)
            .set(2, |_| 99)
            .set(3, |_| 1);
        m.run("flat_load_dword v2, v[0:1]\nflat_store_dword v[0:1], v3");
        assert_eq!((m.v(2, 62), m.v(2, 63)), (99, 5));
        assert_eq!((m.mem(buffer + 4 * 62), m.mem(buffer + 4 * 63)), (5, 1));
    });
}

#[test]
fn s1_2_exec_zero_changes_nothing_but_counts() {
    on(ALL, |m| {
        m.exec(0).set(1, |_| 7).set(2, |_| 99);
        assert_eq!(
            m.counts("ds_write_b32 v0, v1\nds_read_b32 v2, v0"),
            (0, 2, 0)
        );
        assert_eq!((m.lds32(0), m.v(2, 0)), (0, 99));
        assert_eq!(m.counts("ds_append v2"), (0, 1, 0));
        assert_eq!((m.lds32(0), m.v(2, 0)), (0, 99));
    });
    on(FROM_CI, |m| {
        m.exec(0);
        assert_eq!(m.counts("flat_load_dword v2, v[0:1]"), (1, 1, 0));
    });
    // E048: these act all the same.
    on(ALL, |m| {
        m.exec(0).s(M0, 0).set(0, |l| 1 + l as u32);
        m.run("ds_gws_init v0 gds\nds_gws_sema_p gds");
        assert_eq!(
            m.try_run("ds_gws_sema_p gds"),
            Ok(Outcome::Blocked),
            "lane 0 gave 1"
        );
    });
}

#[test]
fn s1_3_scalar_memory_ignores_exec() {
    on(ALL, |m| {
        let buffer = m.buffer(&[11, 22]);
        m.exec(0)
            .s64(2, buffer)
            .run("s_load_dwordx2 s[4:5], s[2:3], 0x0");
        assert_eq!((m.wave.scalar(4), m.wave.scalar(5)), (11, 22));
    });
}

#[test]
fn s1_4_sources_are_read_before_destinations_are_written() {
    // E058, E128
    on(ALL, |m| {
        let buffer = m.buffer(&[11, 22, 33, 44]);
        m.s64(4, buffer).run("s_load_dwordx4 s[4:7], s[4:5], 0x0");
        assert_eq!([4, 5, 6, 7].map(|s| m.wave.scalar(s)), [11, 22, 33, 44]);
        m.set_lds64(8, 0x1234_5678_9abc_def0)
            .set(0, |_| 8)
            .run("ds_read_b64 v[0:1], v0");
        assert_eq!(m.v64(0, 5), 0x1234_5678_9abc_def0);
        m.set(0, |_| 16)
            .set(1, |l| l as u32)
            .run("ds_wrxchg_rtn_b32 v0, v0, v1");
        assert_eq!((m.v(0, 0), m.v(0, 1), m.v(0, 63)), (0, 0, 62));
    });
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[1, 2, 3, 4]);
        m.set64(0, |_| buffer)
            .run("flat_load_dwordx4 v[0:3], v[0:1]");
        assert_eq!([0, 1, 2, 3].map(|v| m.v(v, 17)), [1, 2, 3, 4]);
    });
}

#[test]
fn s1_5_registers_of_an_operand_are_consecutive() {
    // E024
    on(FROM_CI, |m| {
        m.set(3, |_| 1)
            .set(4, |_| 2)
            .set(5, |_| 3)
            .set(6, |_| 4)
            .set(0, |_| 0);
        m.exec(1)
            .run("ds_write_b128 v0, v[3:6]\nds_read_b96 v[7:9], v0");
        assert_eq!([0, 4, 8, 12].map(|a| m.lds32(a)), [1, 2, 3, 4]);
        assert_eq!([7, 8, 9].map(|v| m.v(v, 0)), [1, 2, 3]);
    });
    on(FROM_VI, |m| {
        let buffer = m.buffer(&[0; 4]);
        m.s64(2, buffer).s(8, 5).s(9, 6).s(10, 7).s(11, 8);
        m.run("s_store_dwordx4 s[8:11], s[2:3], 0x0");
        assert_eq!([0, 4, 8, 12].map(|a| m.mem(buffer + a)), [5, 6, 7, 8]);
    });
}

#[test]
fn s1_6_vector_registers_beyond_the_allocation() {
    // E105: a source reads v0, a destination cancels.
    on(ALL, |m| {
        m.vgprs = 8;
        m.exec(1).set(0, |_| 4).run("ds_write_b32 v0, v200");
        assert_eq!(m.lds32(4), 4);
        m.set(1, |_| 9);
        assert_eq!(m.counts("ds_add_rtn_u32 v200, v0, v1"), (0, 1, 0));
        assert_eq!(m.lds32(4), 4, "cancelled");
        assert_eq!(m.counts("ds_read_b64 v[7:8], v0"), (0, 1, 0));
        assert_eq!(m.v(7, 0), 0, "not entirely inside");
    });
    on(CI_VI, |m| {
        m.vgprs = 8;
        let buffer = m.buffer(&[5]);
        m.set64(0, |_| buffer).set(7, |_| 99);
        m.run("flat_load_dword v7, v[0:1]");
        assert_eq!(m.v(7, 0), 5);
        m.set(7, |_| 99);
        assert_eq!(m.counts("flat_load_dword v7, v[0:1] tfe"), (1, 1, 0));
        assert_eq!(m.v(7, 0), 99, "the status would be outside");
    });
}

#[test]
fn s1_7_scalar_registers_beyond_the_allocation() {
    // E129
    on(ALL, |m| {
        m.sgprs = 16;
        m.wave.sgpr_count = 16;
        let buffer = m.buffer(&[11, 22]);
        m.s64(0, buffer).run("s_load_dword s4, s[40:41], 0x0");
        assert_eq!(m.wave.scalar(4), 11, "the base is s[0:1]");
        assert_eq!(m.counts("s_load_dword s50, s[0:1], 0x0"), (0, 1, 0));
        m.wave.sgpr_count = SGPRS;
        assert_eq!(m.wave.scalar(50), 0, "cancelled");
    });
    on(FROM_VI, |m| {
        m.sgprs = 16;
        m.wave.sgpr_count = 16;
        let buffer = m.buffer(&[11, 22]);
        m.s64(2, buffer).s(0, 4).run("s_load_dword s6, s[2:3], s60");
        assert_eq!(m.wave.scalar(6), 22, "the offset is s0");
    });
}

#[test]
fn s1_8_d16_loads_keep_the_other_half() {
    // E071, E100
    on(NINE, |m| {
        let buffer = m.buffer(&[0xffff_8001]);
        m.exec(0b10)
            .set64(0, |_| buffer)
            .set(2, |_| 0xaaaa_bbbb)
            .set(3, |_| 0xaaaa_bbbb);
        m.run("global_load_short_d16 v2, v[0:1], off");
        m.run("global_load_short_d16_hi v3, v[0:1], off");
        assert_eq!((m.v(2, 0), m.v(2, 1)), (0xaaaa_bbbb, 0xaaaa_8001));
        assert_eq!((m.v(3, 0), m.v(3, 1)), (0xaaaa_bbbb, 0x8001_bbbb));
    });
}

#[test]
fn s1_9_violations_are_sticky_and_reported() {
    // E038, E105
    on(ALL, |m| {
        m.exec(1).set(0, |_| LDS_BYTES).run("ds_read_b32 v1, v0");
        assert!(m.violated());
        assert_eq!(m.wave.violations, 1);
        m.set(0, |_| 0).run("ds_read_b32 v1, v0");
        assert!(m.violated(), "sticky");
    });
    for name in ALL {
        let target = Target::named(name).expect("it exists");
        for (choice, stops) in [(OnViolation::Stop, true), (OnViolation::Continue, false)] {
            let mut config = Config::new(target.isa);
            config.on_violation = choice;
            let mut device = gcn_emu::device::Device::new(config);
            let text = "s_mov_b64 s[2:3], 0\ns_load_dword s4, s[2:3], 0x0\ns_endpgm";
            let done = dispatch(&mut device, target, text, 1, 64, Initial::default());
            let unmapped = FaultKind::Unmapped {
                intent: Intent::Load,
                address: 0,
                bytes: 4,
            };
            assert_eq!(done.fault.map(|f| f.kind), stops.then_some(unmapped));
            assert_eq!(done.stats.violations, 1);
        }
    }
}

// 2. DS

#[test]
fn s2_1_the_gds_bit_moves() {
    // E030, E031: the words of Appendix A, and that they go to GDS.
    for (targets, word) in [(&[SI, CI][..], 0xd802_0000), (FROM_VI, 0xd801_0000)] {
        on(targets, |m| {
            m.exec(1).s(M0, 0x100).set(1, |_| 8).set(2, |_| 5);
            m.run_words(&[word, 0x0000_0201]).expect("it runs");
            assert_eq!((m.gds32(8), m.lds32(8)), (5, 0));
        });
    }
}

#[test]
fn s2_2_offsets() {
    // E032
    on(ALL, |m| {
        m.exec(1)
            .set(0, |_| 4)
            .set(1, |_| 1)
            .set(2, |_| 2)
            .set(3, |_| 0)
            .set(4, |_| 0);
        m.run("ds_write_b32 v0, v1 offset:260");
        assert_eq!(m.lds32(264), 1);
        m.run("ds_write2_b32 v0, v1, v2 offset0:1 offset1:3");
        assert_eq!((m.lds32(8), m.lds32(16)), (1, 2));
        m.run("ds_write2st64_b32 v0, v2, v1 offset0:1 offset1:2");
        assert_eq!((m.lds32(260), m.lds32(516)), (2, 1));
        m.set(0, |_| 8)
            .run("ds_write2_b64 v0, v[1:2], v[3:4] offset0:2 offset1:3");
        assert_eq!((m.lds64(24), m.lds64(32)), (0x2_0000_0001, 0));
        m.run("ds_write2st64_b64 v0, v[1:2], v[1:2] offset0:1 offset1:2");
        assert_eq!(
            (m.lds64(520), m.lds64(1032)),
            (0x2_0000_0001, 0x2_0000_0001)
        );
    });
}

#[test]
fn s2_3_the_address_is_modulo_two_to_the_32() {
    on(FROM_CI, |m| {
        m.exec(1)
            .set(0, |_| (-8i32) as u32)
            .set(1, |_| 5)
            .run("ds_write_b32 v0, v1 offset:16");
        assert_eq!(m.lds32(8), 5);
    });
}

#[test]
fn s2_4_a_negative_base_is_out_of_range_on_gcn_1_0() {
    // E039, and its switch
    let mut m = Machine::new(SI);
    m.exec(1)
        .set(0, |_| (-8i32) as u32)
        .set(1, |_| 5)
        .run("ds_write_b32 v0, v1 offset:16");
    assert_eq!(m.lds32(8), 0);
    m.run("ds_write2_b32 v0, v1, v1 offset0:2 offset1:4");
    assert_eq!((m.lds32(0), m.lds32(8)), (0, 0));
    m.device.config.si_checks_lds_base = false;
    m.run("ds_write_b32 v0, v1 offset:16");
    assert_eq!(m.lds32(8), 5);
}

#[test]
fn s2_5_m0_limits_lds_before_gcn_1_4() {
    // E035, E036
    on(BEFORE_GFX9, |m| {
        m.set(0, |l| l as u32 * 4)
            .set(1, |_| 5)
            .s(M0, 16)
            .run("ds_write_b32 v0, v1");
        assert_eq!((m.lds32(12), m.lds32(16)), (5, 0));
        assert!(m.violated());
        m.s(M0, u32::MAX).run("ds_write_b32 v0, v1");
        assert_eq!(m.lds32(252), 5);
    });
    // With 0xffff the last byte of 64 KiB is reachable.
    on(CI_VI, |m| {
        m.lds = Lds::new(m.target.isa, 0x1_0000);
        m.exec(1)
            .s(M0, 0xffff)
            .set(0, |_| 0xffff)
            .set(1, |_| 0xee)
            .run("ds_write_b8 v0, v1");
        assert_eq!(m.lds.bytes()[0xffff], 0xee);
    });
}

#[test]
fn s2_6_m0_does_not_limit_lds_on_gcn_1_4() {
    // E035
    on(NINE, |m| {
        m.set(0, |l| l as u32 * 32)
            .set(1, |_| 5)
            .s(M0, 0)
            .run("ds_write_b32 v0, v1");
        assert_eq!(m.lds32(63 * 32), 5);
        m.exec(1)
            .set(0, |_| LDS_BYTES)
            .set(2, |_| 9)
            .run("ds_read_b32 v2, v0");
        assert_eq!(m.v(2, 0), 0, "the allocation does");
    });
}

#[test]
fn s2_7_the_allocation_is_rounded_up() {
    assert_eq!(Lds::new(Isa::Si, 1).bytes().len(), 256);
    assert_eq!(Lds::new(Isa::Si, 0x9000).bytes().len(), 0x8000);
    for isa in [Isa::Ci, Isa::Vi, Isa::Gfx9, Isa::Vega20] {
        assert_eq!(Lds::new(isa, 1).bytes().len(), 512);
        assert_eq!(Lds::new(isa, 513).bytes().len(), 1024);
        assert_eq!(Lds::new(isa, 0).bytes().len(), 0);
        assert_eq!(Lds::new(isa, 0x1_0000).bytes().len(), 0x1_0000);
    }
}

#[test]
fn s2_8_out_of_range_parts_are_zero_or_dropped() {
    // E036, E038: per dword
    on(FROM_CI, |m| {
        let end = LDS_BYTES;
        let m0 = end - 8;
        m.exec(1).s(M0, m0).set_lds64(end as usize - 16, u64::MAX);
        m.set_lds64(end as usize - 8, u64::MAX);
        let limit = if m.target.isa >= Isa::Gfx9 { end } else { m0 };
        m.set(0, |_| end - 16).run("ds_read_b128 v[1:4], v0");
        let beyond = if limit == end { u32::MAX } else { 0 };
        assert_eq!(
            [1, 2, 3, 4].map(|v| m.v(v, 0)),
            [u32::MAX, u32::MAX, beyond, beyond]
        );
        m.set(0, |_| limit - 4).set(1, |_| 3).set(2, |_| 4);
        m.run("ds_write2_b32 v0, v1, v2 offset0:0 offset1:1");
        assert_eq!(m.lds32(limit as usize - 4), 3);
        m.set(0, |_| limit).set(3, |_| 99);
        m.run("ds_add_rtn_u32 v3, v0, v1");
        assert_eq!(m.v(3, 0), 0);
        assert!(m.violated());
    });
    on(NINE, |m| {
        m.exec(1)
            .set(0, |_| LDS_BYTES - 4)
            .set(1, |_| 1)
            .set(2, |_| 2)
            .set(3, |_| 3);
        m.run("ds_write_b96 v0, v[1:3]\nds_read_b96 v[4:6], v0");
        assert_eq!([4, 5, 6].map(|v| m.v(v, 0)), [1, 0, 0]);
    });
}

#[test]
fn s2_9_gds_has_its_base_and_size_in_m0() {
    // E037
    on(ALL, |m| {
        m.s(M0, 0x0100_0008)
            .exec(0b111)
            .set(0, |l| l as u32 * 4)
            .set(1, |l| 1 + l as u32);
        m.run("ds_write_b32 v0, v1 gds");
        assert_eq!([0x100, 0x104, 0x108].map(|a| m.gds32(a)), [1, 2, 0]);
        m.set(2, |_| 9).run("ds_add_rtn_u32 v2, v0, v1 gds");
        assert_eq!([0, 1, 2].map(|l| m.v(2, l)), [1, 2, 0]);
        assert_eq!([0x100, 0x104, 0x108].map(|a| m.gds32(a)), [2, 4, 0]);
    });
    for name in ALL {
        let target = Target::named(name).expect("it exists");
        let mut config = Config::new(target.isa);
        config.gds_bytes = 16;
        let mut m = Machine::configured(target, config);
        m.exec(1)
            .s(M0, 0x0008_ffff)
            .set(0, |_| 8)
            .set(1, |_| 5)
            .set(2, |_| 9);
        m.run("ds_write_b32 v0, v1 gds\nds_read_b32 v2, v0 gds");
        assert_eq!(m.v(2, 0), 0, "beyond the dispatch's GDS");
    }
}

#[test]
fn s2_10_alignment_masks_before_gcn_1_4() {
    // E040, E041, E042, E070, and so E247
    on(BEFORE_GFX9, |m| {
        m.set_lds64(0, 0x8877_6655_4433_2211)
            .set_lds64(8, 0x10ff_eedd_ccbb_aa99);
        m.exec(1).set(0, |_| 5);
        m.run("ds_read_u16 v1, v0\nds_read_b32 v2, v0\nds_read_u8 v3, v0 offset:2");
        assert_eq!(
            (m.v(1, 0), m.v(2, 0), m.v(3, 0)),
            (0x6655, 0x8877_6655, 0x88)
        );
        m.run("ds_read_b32 v2, v0 offset:3");
        assert_eq!(m.v(2, 0), 0xccbb_aa99, "after adding the offset");
        m.run("ds_read_b64 v[4:5], v0");
        assert_eq!(m.v64(4, 0), 0x8877_6655_4433_2211);
        m.run("ds_read2_b32 v[4:5], v0 offset1:1");
        assert_eq!(m.v64(4, 0), 0xccbb_aa99_8877_6655);
        m.run("ds_read2_b64 v[4:7], v0 offset1:1");
        assert_eq!(m.v64(6, 0), 0x10ff_eedd_ccbb_aa99);
        m.set(1, |_| 0).run("ds_write_b16 v0, v1");
        assert_eq!(m.lds64(0), 0x8877_0000_4433_2211);
    });
    on(CI_VI, |m| {
        m.set_lds64(0, 0x8877_6655_4433_2211).exec(1).set(0, |_| 15);
        m.run("ds_read_b128 v[4:7], v0\nds_read_b96 v[8:10], v0");
        assert_eq!(
            (m.v64(4, 0), m.v64(8, 0)),
            (0x8877_6655_4433_2211, 0x8877_6655_4433_2211)
        );
    });
}

#[test]
fn s2_11_alignment_on_gcn_1_4() {
    // E040, E041, E042, E070
    on(NINE, |m| {
        m.set_lds64(0, 0x8877_6655_4433_2211)
            .set_lds64(8, 0x10ff_eedd_ccbb_aa99);
        m.exec(1).set(0, |_| 1);
        m.run("ds_read_u16 v1, v0\nds_read_b32 v2, v0\nds_read_b64 v[4:5], v0");
        assert_eq!((m.v(1, 0), m.v(2, 0)), (0x3322, 0x5544_3322));
        assert_eq!(m.v64(4, 0), 0x9988_7766_5544_3322);
        m.run("ds_read2_b32 v[4:5], v0 offset1:1\nds_read_b96 v[6:8], v0");
        assert_eq!(m.v64(4, 0), 0x9988_7766_5544_3322);
        assert_eq!(
            (m.v64(6, 0), m.v(8, 0)),
            (0x9988_7766_5544_3322, 0xddcc_bbaa)
        );
        m.run("ds_read_b128 v[4:7], v0");
        assert_eq!(m.v(6, 0), 0xddcc_bbaa);
        m.set(1, |_| 0).run("ds_write2_b32 v0, v1, v1 offset1:1");
        assert_eq!(m.lds64(0), 0x11);
        // Atomics keep the mask.
        m.set_lds64(0, 0).set(0, |_| 7).set(1, |_| 1).set(2, |_| 2);
        m.run("ds_add_u32 v0, v1");
        assert_eq!(m.lds64(0), 0x1_0000_0000);
        m.run("ds_add_u64 v0, v[1:2]");
        assert_eq!(m.lds64(0), 0x3_0000_0001);
        m.run("ds_wrxchg2_rtn_b32 v[4:5], v0, v1, v2 offset1:1");
        assert_eq!((m.lds32(4), m.lds32(8)), (1, 2));
        m.run("ds_add_src2_u32 v0 offset:1");
        assert_eq!(m.lds32(4), 3);
    });
}

#[test]
fn s2_12_lanes_in_ascending_order() {
    // E047
    on(ALL, |m| {
        m.exec(0x00ff_0000)
            .set(0, |_| 4)
            .set(1, |l| l as u32)
            .run("ds_write_b32 v0, v1");
        assert_eq!(m.lds32(4), 23, "the highest active lane");
        m.run("ds_wrxchg_rtn_b32 v2, v0, v1");
        assert_eq!(
            (m.v(2, 16), m.v(2, 17), m.v(2, 23), m.lds32(4)),
            (23, 16, 22, 23)
        );
    });
}

/// Runs a DS atomic on `old` with `data` and `second` (32 bits) and returns the new value in LDS and what the form
/// with RTN returns.
fn ds32(m: &mut Machine, name: &str, old: u32, data: u32, second: Option<u32>) -> u32 {
    m.exec(1)
        .set(0, |_| 64)
        .set(1, |_| data)
        .set(2, |_| second.unwrap_or(0));
    let sources = if second.is_some() {
        "v0, v1, v2"
    } else {
        "v0, v1"
    };
    let (stem, ty) = name.rsplit_once('_').expect("a name with a type");
    m.set_lds(64, old)
        .set(9, |_| 99)
        .run(&format!("ds_{stem}_rtn_{ty} v9, {sources}"));
    assert_eq!(m.v(9, 0), old, "{name} returns the old value");
    let new = m.lds32(64);
    if stem != "wrap" {
        m.set_lds(64, old).run(&format!("ds_{name} {sources}"));
        assert_eq!(m.lds32(64), new, "{name} with and without RTN");
    }
    new
}

fn ds64(m: &mut Machine, name: &str, old: u64, data: u64, second: Option<u64>) -> u64 {
    m.exec(1)
        .set(0, |_| 64)
        .set64(1, |_| data)
        .set64(3, |_| second.unwrap_or(0));
    let sources = if second.is_some() {
        "v0, v[1:2], v[3:4]"
    } else {
        "v0, v[1:2]"
    };
    let (stem, ty) = name.rsplit_once('_').expect("a name with a type");
    m.set_lds64(64, old)
        .run(&format!("ds_{stem}_rtn_{ty} v[8:9], {sources}"));
    assert_eq!(m.v64(8, 0), old, "{name} returns the old value");
    let new = m.lds64(64);
    m.set_lds64(64, old).run(&format!("ds_{name} {sources}"));
    assert_eq!(m.lds64(64), new, "{name} with and without RTN");
    new
}

#[test]
fn s2_13_rtn_returns_the_value_before() {
    // E060 to E065: ds32 and ds64 check it for each operation; here that inactive lanes keep VDST.
    on(ALL, |m| {
        m.exec(0b10)
            .set(0, |_| 0)
            .set(1, |_| 5)
            .set(2, |_| 99)
            .run("ds_add_rtn_u32 v2, v0, v1");
        assert_eq!((m.v(2, 0), m.v(2, 1)), (99, 0));
    });
}

#[test]
fn s2_14_integer_operations() {
    // E055, E068, E075
    on(ALL, |m| {
        assert_eq!(ds32(m, "add_u32", u32::MAX, 2, None), 1);
        assert_eq!(ds32(m, "sub_u32", 3, 5, None), (-2i32) as u32);
        assert_eq!(ds32(m, "rsub_u32", 3, 5, None), 2);
        assert_eq!(ds32(m, "and_b32", 0b1100, 0b1010, None), 0b1000);
        assert_eq!(ds32(m, "or_b32", 0b1100, 0b1010, None), 0b1110);
        assert_eq!(ds32(m, "xor_b32", 0b1100, 0b1010, None), 0b0110);
        let minus = (-1i32) as u32;
        assert_eq!(ds32(m, "min_i32", minus, 1, None), minus);
        assert_eq!(ds32(m, "max_i32", minus, 1, None), 1);
        assert_eq!(ds32(m, "min_u32", minus, 1, None), 1);
        assert_eq!(ds32(m, "max_u32", minus, 1, None), minus);
        assert_eq!(ds64(m, "add_u64", u64::MAX, 2, None), 1);
        assert_eq!(ds64(m, "sub_u64", 3, 5, None), (-2i64) as u64);
        assert_eq!(ds64(m, "rsub_u64", 3, 1 << 40, None), (1 << 40) - 3);
        assert_eq!(ds64(m, "and_b64", 3 << 32, 1 << 32, None), 1 << 32);
        assert_eq!(ds64(m, "or_b64", 3 << 32, 1, None), 3 << 32 | 1);
        assert_eq!(ds64(m, "xor_b64", 3 << 32, 1 << 32, None), 2 << 32);
        let minus = (-1i64) as u64;
        assert_eq!(ds64(m, "min_i64", minus, 1, None), minus);
        assert_eq!(ds64(m, "max_i64", minus, 1, None), 1);
        assert_eq!(ds64(m, "min_u64", minus, 1, None), 1);
        assert_eq!(ds64(m, "max_u64", minus, 1, None), minus);
    });
}

#[test]
fn s2_15_inc_and_dec() {
    // E062, E063
    on(ALL, |m| {
        for (old, data, inc, dec) in [
            (0, 5, 1, 5),
            (4, 5, 5, 3),
            (5, 5, 0, 4),
            (6, 5, 0, 5),
            (u32::MAX, u32::MAX, 0, u32::MAX - 1),
            (1, 0, 0, 0),
        ] {
            assert_eq!(ds32(m, "inc_u32", old, data, None), inc, "inc {old} {data}");
            assert_eq!(ds32(m, "dec_u32", old, data, None), dec, "dec {old} {data}");
        }
        assert_eq!(ds64(m, "inc_u64", 1 << 32, 1 << 33, None), (1 << 32) + 1);
        assert_eq!(ds64(m, "dec_u64", 1 << 32, 1 << 33, None), (1 << 32) - 1);
        assert_eq!(ds64(m, "dec_u64", 1 << 34, 1 << 33, None), 1 << 33);
    });
}

#[test]
fn s2_16_mskor() {
    // E067
    on(ALL, |m| {
        assert_eq!(
            ds32(m, "mskor_b32", 0xffff_0000, 0xff00_ff00, Some(0x1234)),
            0x00ff_1234
        );
        assert_eq!(
            ds64(m, "mskor_b64", u64::MAX, 0xff << 40, Some(0x12 << 40)),
            !(0xed << 40)
        );
    });
}

#[test]
fn s2_17_cmpst_compares_with_data0() {
    // E059, E060, E061
    on(ALL, |m| {
        assert_eq!(ds32(m, "cmpst_b32", 7, 7, Some(9)), 9);
        assert_eq!(ds32(m, "cmpst_b32", 9, 7, Some(9)), 9);
        assert_eq!(ds32(m, "cmpst_b32", 8, 7, Some(9)), 8);
        assert_eq!(ds64(m, "cmpst_b64", 7 << 32, 7 << 32, Some(9)), 9);
        let (zero, minus_zero) = (0.0f32.to_bits(), (-0.0f32).to_bits());
        assert_eq!(ds32(m, "cmpst_f32", zero, minus_zero, Some(9)), 9);
        let nan = f32::NAN.to_bits();
        assert_eq!(ds32(m, "cmpst_f32", nan, nan, Some(9)), nan);
        assert_eq!(ds64(m, "cmpst_f64", 0, (-0.0f64).to_bits(), Some(9)), 9);
        assert_eq!(
            ds64(
                m,
                "cmpst_f64",
                f64::NAN.to_bits(),
                f64::NAN.to_bits(),
                Some(9)
            ),
            f64::NAN.to_bits()
        );
    });
}

#[test]
fn s2_18_wrap() {
    // E073
    on(FROM_CI, |m| {
        assert_eq!(ds32(m, "wrap_b32", 10, 10, Some(3)), 0);
        assert_eq!(ds32(m, "wrap_b32", 12, 10, Some(3)), 2);
        assert_eq!(ds32(m, "wrap_b32", 9, 10, Some(3)), 12);
    });
}

#[test]
fn s2_19_condxchg32() {
    // E052
    on(FROM_CI, |m| {
        m.exec(1).set_lds64(8, 0x2222_2222_1111_1111).set(0, |_| 15);
        m.set(1, |_| 0x8000_0005).set(2, |_| 0x7000_0006);
        m.run("ds_condxchg32_rtn_b64 v[4:5], v0, v[1:2]");
        assert_eq!(m.v64(4, 0), 0x2222_2222_1111_1111);
        assert_eq!(m.lds64(8), 0x2222_2222_0000_0005);
        m.set(0, |_| 0x1_0008).set(2, |_| 0x8000_0006);
        m.run("ds_condxchg32_rtn_b64 v[4:5], v0, v[1:2]");
        assert_eq!(m.lds64(8), 0x0000_0006_0000_0005, "the address has 16 bits");
        // E002: four dwords the same way, at a multiple of 16.
        m.set_lds64(16, 0x2222_2222_1111_1111)
            .set_lds64(24, 0x4444_4444_3333_3333);
        m.set(0, |_| 31).set(8, |_| 1).set(9, |_| 0x8000_0007);
        m.set(10, |_| 2).set(11, |_| 0x8000_0008);
        m.run("ds_condxchg32_rtn_b128 v[4:7], v0, v[8:11]");
        assert_eq!(m.v64(4, 0), 0x2222_2222_1111_1111);
        assert_eq!(m.v64(6, 0), 0x4444_4444_3333_3333);
        assert_eq!(m.lds64(16), 0x0000_0007_1111_1111);
        assert_eq!(m.lds64(24), 0x0000_0008_3333_3333);
    });
}

/// MODE with and without denormals of 32 bits.
const KEEP: u32 = 0xf0;
const FLUSH: u32 = 0xc0;

#[test]
fn s2_20_float_operations() {
    // E053, E021, E064, E065
    let f = f32::to_bits;
    let d = f64::to_bits;
    let (quiet, signaling) = (0x7fc0_0123u32, 0x7f80_0123u32);
    let denormal = 0x0000_0001;
    on(ALL, |m| {
        m.wave.mode = KEEP;
        assert_eq!(ds32(m, "min_f32", f(1.0), f(2.0), None), f(1.0));
        assert_eq!(ds32(m, "max_f32", f(1.0), f(2.0), None), f(2.0));
        assert_eq!(ds32(m, "min_f32", f(-1.0), f(-2.0), None), f(-2.0));
        assert_eq!(ds32(m, "min_f32", f(0.0), f(-0.0), None), f(-0.0));
        assert_eq!(ds32(m, "max_f32", f(-0.0), f(0.0), None), f(0.0));
        for name in ["min_f32", "max_f32"] {
            assert_eq!(ds32(m, name, quiet, f(2.0), None), f(2.0));
            assert_eq!(ds32(m, name, f(2.0), quiet, None), f(2.0));
            assert_eq!(ds32(m, name, f(2.0), signaling, None), quiet);
            assert_eq!(ds32(m, name, signaling, f(2.0), None), quiet);
        }
        assert_eq!(ds32(m, "max_f32", 0, denormal, None), denormal);
        assert_eq!(ds32(m, "cmpst_f32", 0, denormal, Some(9)), 0);
        m.wave.mode = FLUSH;
        assert_eq!(
            ds32(m, "max_f32", 0, denormal, None),
            0,
            "equal when flushed"
        );
        assert_eq!(
            ds32(m, "max_f32", f(-1.0), denormal, None),
            denormal,
            "stored as it is"
        );
        assert_eq!(ds32(m, "cmpst_f32", 0, denormal, Some(9)), 9);
        assert_eq!(ds64(m, "min_f64", d(1.0), d(-2.0), None), d(-2.0));
        assert_eq!(ds64(m, "max_f64", d(1.0), d(f64::NAN), None), d(1.0));
        assert_eq!(
            ds64(m, "max_f64", 0, 1, None),
            1,
            "of 64 bits denormals are kept"
        );
    });
    // E050
    on(FROM_VI, |m| {
        m.wave.mode = KEEP;
        assert_eq!(ds32(m, "add_f32", f(1.5), f(2.25), None), f(3.75));
        assert_eq!(
            ds32(m, "add_f32", f(1.0), f(f32::EPSILON / 2.0), None),
            f(1.0),
            "ties to even"
        );
        assert_eq!(ds32(m, "add_f32", signaling, f(1.0), None), quiet);
        assert_eq!(ds32(m, "add_f32", f(1.0), signaling, None), quiet);
        assert_eq!(
            ds32(m, "add_f32", f(f32::INFINITY), f(f32::NEG_INFINITY), None),
            0x7fc0_0000
        );
        assert_eq!(ds32(m, "add_f32", denormal, denormal, None), 2);
        m.wave.mode = FLUSH;
        assert_eq!(ds32(m, "add_f32", denormal, denormal, None), 0);
        m.set_lds(0, f(1.0))
            .set_lds(4, f(2.0))
            .set(0, |_| 0)
            .run("ds_add_src2_f32 v0 offset:1");
        assert_eq!(m.lds32(0), f(3.0));
        m.set_lds(0, f(1.0)).run("ds_max_src2_f32 v0 offset:1");
        assert_eq!(m.lds32(0), f(2.0));
    });
}

#[test]
fn s2_21_reads_extend() {
    // E071
    on(ALL, |m| {
        m.exec(1).set_lds(0, 0x1234_8081).set(0, |_| 0);
        m.run("ds_read_u8 v1, v0\nds_read_i8 v2, v0\nds_read_u16 v3, v0\nds_read_i16 v4, v0");
        assert_eq!(
            [1, 2, 3, 4].map(|v| m.v(v, 0)),
            [0x81, 0xffff_ff81, 0x8081, 0xffff_8081]
        );
    });
    on(NINE, |m| {
        for (name, low, high) in [
            ("u8", 0xaaaa_0081, 0x0081_bbbb),
            ("i8", 0xaaaa_ff81, 0xff81_bbbb),
            ("u16", 0xaaaa_8081, 0x8081_bbbb_u32),
        ] {
            m.exec(1).set_lds(0, 0x1234_8081).set(0, |_| 0);
            m.set(1, |_| 0xaaaa_bbbb).set(2, |_| 0xaaaa_bbbb);
            m.run(&format!(
                "ds_read_{name}_d16 v1, v0\nds_read_{name}_d16_hi v2, v0"
            ));
            assert_eq!((m.v(1, 0), m.v(2, 0)), (low, high), "{name}");
        }
    });
}

#[test]
fn s2_22_writes_of_parts() {
    // E074
    on(ALL, |m| {
        m.exec(1)
            .set(0, |_| 0)
            .set(1, |_| 0x1122_3344)
            .set_lds(0, u32::MAX);
        m.run("ds_write_b8 v0, v1");
        assert_eq!(m.lds32(0), 0xffff_ff44);
        m.run("ds_write_b16 v0, v1 offset:2");
        assert_eq!(m.lds32(0), 0x3344_ff44);
    });
    on(NINE, |m| {
        m.exec(1)
            .set(0, |_| 0)
            .set(1, |_| 0x1122_3344)
            .set_lds(0, u32::MAX);
        m.run("ds_write_b8_d16_hi v0, v1\nds_write_b16_d16_hi v0, v1 offset:2");
        assert_eq!(m.lds32(0), 0x1122_ff22);
    });
}

#[test]
fn s2_23_two_addresses() {
    // E042, E075
    on(ALL, |m| {
        m.exec(1)
            .set(0, |_| 0)
            .set(1, |_| 5)
            .set(2, |_| 6)
            .set_lds64(0, 0x22_0000_0011);
        m.run("ds_read2_b32 v[4:5], v0 offset0:1 offset1:0");
        assert_eq!((m.v(4, 0), m.v(5, 0)), (0x22, 0x11));
        m.run("ds_read2_b32 v[4:5], v0 offset0:1 offset1:1");
        assert_eq!((m.v(4, 0), m.v(5, 0)), (0x22, 0x22));
        m.run("ds_write2_b32 v0, v1, v2 offset0:1 offset1:1");
        assert_eq!(m.lds32(4), 5, "one access, DATA0");
        m.run("ds_wrxchg2_rtn_b32 v[4:5], v0, v2, v1 offset0:0 offset1:1");
        assert_eq!((m.v(4, 0), m.v(5, 0), m.lds64(0)), (0x11, 5, 0x5_0000_0006));
        m.run("ds_wrxchg2_rtn_b32 v[4:5], v0, v1, v2 offset0:1 offset1:1");
        assert_eq!(
            (m.v(4, 0), m.v(5, 0), m.lds32(4)),
            (5, 5, 5),
            "one access, DATA0"
        );
        m.set_lds(256, 77)
            .run("ds_wrxchg2st64_rtn_b32 v[4:5], v0, v1, v2 offset0:0 offset1:1");
        assert_eq!((m.v(5, 0), m.lds32(0), m.lds32(256)), (77, 5, 6));
        m.set_lds64(8, 1)
            .set_lds64(16, 2)
            .set64(10, |_| 3 << 32)
            .set64(12, |_| 4 << 32);
        m.run("ds_wrxchg2_rtn_b64 v[4:7], v0, v[10:11], v[12:13] offset0:1 offset1:2");
        assert_eq!((m.v64(4, 0), m.v64(6, 0)), (1, 2));
        assert_eq!((m.lds64(8), m.lds64(16)), (3 << 32, 4 << 32));
    });
}

#[test]
fn s2_24_b96_and_b128() {
    // E033, E034
    on(FROM_CI, |m| {
        m.set(0, |l| l as u32 * 16);
        for i in 1..5 {
            m.set(i, |l| (100 * i + l) as u32);
        }
        m.run("ds_write_b128 v0, v[1:4]");
        assert_eq!((m.lds32(16 * 63), m.lds32(16 * 63 + 12)), (163, 463));
        m.run("ds_read_b128 v[5:8], v0\nds_read_b96 v[9:11], v0");
        assert_eq!([5, 8, 9, 11].map(|v| m.v(v, 20)), [120, 420, 120, 320]);
        m.run("ds_write_b96 v0, v[2:4]");
        assert_eq!(
            (m.lds32(16), m.lds32(16 + 8), m.lds32(16 + 12)),
            (201, 401, 401)
        );
    });
}

#[test]
fn s2_25_src2_has_a_signed_distance() {
    // E054, E055, E066
    on(ALL, |m| {
        m.exec(1)
            .set(0, |_| 10)
            .set_lds(4, 30)
            .set_lds(8, 12)
            .set_lds(12, 5);
        m.run("ds_add_src2_u32 v0 offset:1");
        assert_eq!(m.lds32(8), 17, "A &= ~3, B = A + 4; OFFSET is no part of A");
        m.run("ds_sub_src2_u32 v0 offset:0x7fff");
        assert_eq!(m.lds32(8), 17u32.wrapping_sub(30), "a distance of -1");
        m.set(0, |_| 8 | 1 << 17)
            .set_lds(8, 1)
            .run("ds_or_src2_b32 v0 offset:0x8000");
        assert_eq!(m.lds32(8), 5, "packed, +1");
        m.set(0, |_| 8 | 0x7fff << 17)
            .run("ds_max_src2_u32 v0 offset:0x8000");
        assert_eq!(m.lds32(8), 30, "packed, -1");
        m.set(0, |_| 8).run("ds_write_src2_b32 v0 offset:1");
        assert_eq!(m.lds32(8), 5);
        m.set_lds64(16, 7 << 32)
            .set_lds64(24, 1 << 32)
            .set(0, |_| 23);
        m.run("ds_add_src2_u64 v0 offset:2");
        assert_eq!(m.lds64(16), 8 << 32);
        m.run("ds_add_src2_u64 v0 offset:3");
        assert_eq!(m.lds64(16), 9 << 32, "B &= ~7 as well");
        m.set(0, |_| 20 | 2 << 17)
            .run("ds_max_src2_i64 v0 offset:0x8000");
        assert_eq!(m.lds64(16), 9 << 32);
    });
}

#[test]
fn s2_26_addtid() {
    // E069
    on(NINE, |m| {
        m.s(M0, 0xffff_0010).set(1, |l| l as u32);
        m.exec(1 << 3 | 1 << 63)
            .run("ds_write_addtid_b32 v1 offset:4");
        assert_eq!(
            (m.lds32(0x14 + 12), m.lds32(0x14 + 252), m.lds32(0x14 + 4)),
            (3, 63, 0)
        );
        m.exec(u64::MAX)
            .set(2, |_| 9)
            .run("ds_read_addtid_b32 v2 offset:4");
        assert_eq!((m.v(2, 3), m.v(2, 4), m.v(2, 63)), (3, 0, 63));
    });
}

#[test]
fn s2_27_append_and_consume() {
    // E051
    on(ALL, |m| {
        m.exec(0b1011)
            .set_lds(16, 100)
            .set(1, |_| 9)
            .run("ds_append v1 offset:18");
        assert_eq!(
            (m.lds32(16), m.v(1, 0), m.v(1, 2), m.v(1, 3)),
            (103, 100, 9, 100)
        );
        m.run("ds_consume v1 offset:16");
        assert_eq!((m.lds32(16), m.v(1, 1)), (100, 103));
        m.device.config.append_adds_m0 = true;
        m.s(M0, 0x0010).set_lds(0x18, 0).lds = Lds::new(m.target.isa, LDS_BYTES);
        m.s(M0, 0x0040).run("ds_append v1 offset:8");
        let reached = if m.target.isa >= Isa::Gfx9 { 3 } else { 0 };
        assert_eq!(
            m.lds32(0x48),
            reached,
            "M0 is also the limit before GCN 1.4"
        );
        m.s(M0, 0x0100_0040)
            .set_gds(0x108, 7)
            .run("ds_append v1 offset:8 gds");
        assert_eq!((m.gds32(0x108), m.v(1, 0)), (10, 7));
        m.s(M0, 0x0100_0008).run("ds_append v1 offset:8 gds");
        assert_eq!((m.gds32(0x108), m.v(1, 0)), (10, 0), "bounded by M0[15:0]");
    });
}

#[test]
fn s2_28_nop_counts() {
    // E046
    on(FROM_CI, |m| {
        let before = m.lds.bytes().to_vec();
        assert_eq!(m.counts("ds_nop"), (0, 1, 0));
        assert_eq!(m.lds.bytes(), before);
    });
}

/// A kernel that makes LDS's dword `l` the lane's number times 0x10204 exclusive-or 0x80f0c0a0, then stores what
/// LDS_DIRECT is for each M0 to the buffer that s[0:1] points to, a row of dwords each.
fn direct_reads(m0: &[u32]) -> String {
    let mut text =
        "s_mov_b32 s8, s0\ns_mov_b32 s9, s1\ns_mov_b32 s10, 4096\ns_mov_b32 s11, 0x27fac\n\
        v_lshlrev_b32 v1, 2, v0\nv_mul_u32_u24 v2, 0x10204, v0\nv_xor_b32 v2, 0x80f0c0a0, v2\n\
        s_mov_b32 m0, -1\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n"
            .to_owned();
    for (row, m0) in m0.iter().enumerate() {
        text += &format!(
            "s_mov_b32 m0, {m0:#x}\nv_mov_b32 v3, src_lds_direct\ns_movk_i32 s4, {}\n\
             buffer_store_dword v3, v1, s[8:11], s4 offen\n",
            256 * row
        );
    }
    text + "s_endpgm"
}

#[test]
fn e246_lds_direct_is_one_value_for_all_lanes() {
    // Errata E246
    let dword = |l: u32| (l * 0x1_0204) ^ 0x80f0_c0a0;
    let rows = [
        (0x2_0000 | (4 * 9), dword(9)),
        // The low bits of the address are not looked at.
        (0x2_0000 | (4 * 9 + 3), dword(9)),
        (4 * 9 + 1, (dword(9) >> 8) & 0xff),
        (0x1_0000 | (4 * 9 + 2), dword(9) >> 16),
        (0x4_0000 | (4 * 9 + 3), (dword(9) as i32 >> 24) as u32),
        (0x5_0000 | (4 * 9 + 3), (dword(9) as i32 >> 16) as u32),
        // Bits beyond have no meaning, and beyond the allocation is nothing.
        (0xfff8_0000 | 0x2_0000 | (4 * 63), dword(63)),
        (0x2_ffc0, 0),
    ];
    for name in ALL {
        let target = Target::named(name).expect("it exists");
        let mut device = gcn_emu::device::Device::new(Config::new(target.isa));
        let buffer = (device.memory.allocate("out", 4096)).expect("there is memory");
        let initial = with_buffer(buffer);
        let source = direct_reads(&rows.map(|(m0, _)| m0));
        let done = dispatch(&mut device, target, &source, 1, 64, initial);
        assert_eq!(done.fault, None, "{name}");
        for (row, (m0, expected)) in (0..).zip(rows) {
            for lane in [0, 40, 63] {
                let is = device.memory.load_u32(buffer + 256 * row + 4 * lane);
                assert_eq!(is, Some(expected), "{name}: M0 is {m0:#x}, lane {lane}");
            }
        }
    }
}

/// A wave's registers as it begins, for a kernel that finds the address of its buffer in s[0:1] and a work-item's number
/// in v0.
fn with_buffer(buffer: u64) -> Initial {
    Initial {
        sgprs: [buffer, buffer >> 32]
            .map(|half| InitialSgpr::Value(half as u32))
            .into(),
        work_item_ids: 1,
        mode: 0,
    }
}

/// Two waves that wait for each other at a counter in LDS, as MIOpen's Winograd kernels do: DS_APPEND counts lanes, and
/// LDS_DIRECT is compared with how many there must be.
const COUNTED_BARRIER: &str = "s_movk_i32 s4, 0x80\ns_mov_b32 m0, 0x1ffff\nds_append v1 offset:64\ns_mov_b32 m0, 0x20040\nwait:\n\
    v_cmp_eq_u32_e64 vcc, src_lds_direct, s4\ns_cbranch_vccz wait\n\
    v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 0x80\nglobal_store_dword v1, v2, s[0:1]\ns_endpgm";

#[test]
fn e246_waves_wait_at_a_counter_in_lds() {
    // Errata E051: what M0 is does not matter to DS_APPEND.
    for name in NINE {
        let target = Target::named(name).expect("it exists");
        let mut config = Config::new(target.isa);
        config.limit = Some(1_000_000);
        let mut device = gcn_emu::device::Device::new(config);
        let buffer = device.memory.allocate("out", 512).expect("there is memory");
        let initial = with_buffer(buffer);
        let done = dispatch(&mut device, target, COUNTED_BARRIER, 1, 128, initial);
        assert_eq!(done.fault, None, "{name}");
        for lane in 0..128 {
            assert_eq!(
                device.memory.load_u32(buffer + 4 * lane),
                Some(0x80),
                "{lane}"
            );
        }
    }
}

/// A kernel that stores LDS of its first 256 bytes to the buffer in s[0:1], then writes there.
const READ_LDS: &str = "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\nds_read_b32 v2, v1\n\
    s_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v2, s[0:1]\nds_write_b32 v1, v1\ns_endpgm";

#[test]
fn s2_29_lds_is_zero_or_random() {
    let target = Target::named(GFX9).expect("it exists");
    let first = |fill| {
        let mut config = Config::new(target.isa);
        config.lds_fill = fill;
        let mut device = gcn_emu::device::Device::new(config);
        let buffer = device.memory.allocate("out", 256).expect("there is memory");
        let initial = with_buffer(buffer);
        // The second workgroup runs after the first has written.
        let done = dispatch(&mut device, target, READ_LDS, 2, 64, initial);
        assert_eq!(done.fault, None);
        let mut bytes = [0; 256];
        assert!(device.memory.read(buffer, &mut bytes));
        bytes
    };
    assert_eq!(first(LdsFill::Zero), [0; 256]);
    let noise = first(LdsFill::Random(1));
    assert!(noise.iter().filter(|b| **b != 0).count() > 200);
    assert_eq!(
        noise,
        first(LdsFill::Random(1)),
        "the same seed, the same noise"
    );
    assert_ne!(noise, first(LdsFill::Random(2)));
}

#[test]
fn s2_30_gws_semaphores() {
    // E048
    on(ALL, |m| {
        m.exec(0b100).set(0, |l| 10 * l as u32).s(M0, 5 << 16);
        m.run("ds_gws_init v0 offset:3 gds");
        // Resource 8, by other numbers that add up to it.
        m.s(M0, 8 << 16);
        for _ in 0..20 {
            m.run("ds_gws_sema_p gds");
        }
        assert_eq!(
            m.try_run("ds_gws_sema_p gds"),
            Ok(Outcome::Blocked),
            "20 was lane 2's"
        );
        m.run("ds_gws_sema_v gds\nds_gws_sema_p gds");
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Outcome::Blocked));
        m.set(0, |_| 2)
            .run("ds_gws_sema_br v0 gds\nds_gws_sema_p gds\nds_gws_sema_p gds");
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Outcome::Blocked));
        // 63 + 9 is 8 modulo 64.
        m.s(M0, 63 << 16).run("ds_gws_sema_v offset:9 gds");
        m.s(M0, 8 << 16).run("ds_gws_sema_p gds");
    });
    on(FROM_CI, |m| {
        m.s(M0, 0);
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Outcome::Blocked));
        // Another wave releases this one.
        let waiting = m.wave.gws_ticket.take();
        m.run("ds_gws_sema_release_all gds");
        m.wave.gws_ticket = waiting;
        m.run("ds_gws_sema_p gds");
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Outcome::Blocked));
    });
}

/// Each workgroup adds 1 to a counter, waits for the others at a GWS barrier, and stores what the counter is then.
const GWS_BARRIER: &str = "s_mov_b32 m0, 0\nv_mov_b32 v1, s4\nds_gws_init v1 gds\n\
    v_mov_b32 v2, 0\nv_mov_b32 v3, 1\n\
    s_mov_b64 exec, 1\nglobal_atomic_add v2, v3, s[0:1]\ns_waitcnt vmcnt(0)\n\
    ds_gws_barrier v1 gds\ns_waitcnt lgkmcnt(0)\n\
    global_load_dword v4, v2, s[0:1]\ns_lshl_b32 s3, s2, 2\nv_mov_b32 v5, s3\ns_waitcnt vmcnt(0)\n\
    global_store_dword v5, v4, s[0:1] offset:4\n\
    ds_gws_barrier v1 gds\nglobal_atomic_add v2, v3, s[0:1]\ns_endpgm";

#[test]
fn s2_30_gws_barrier_across_workgroups_and_threads() {
    const GROUPS: u32 = 24;
    for threads in [1, 3] {
        for name in NINE {
            let target = Target::named(name).expect("it exists");
            let mut config = Config::new(target.isa);
            config.threads = threads;
            let mut device = gcn_emu::device::Device::new(config);
            let buffer = device
                .memory
                .allocate("out", 4096)
                .expect("there is memory");
            let initial = |others| Initial {
                sgprs: vec![
                    InitialSgpr::Value(buffer as u32),
                    InitialSgpr::Value((buffer >> 32) as u32),
                    InitialSgpr::GroupId(0),
                    InitialSgpr::Value(0),
                    InitialSgpr::Value(others),
                ],
                work_item_ids: 1,
                mode: 0,
            };
            let done = dispatch(
                &mut device,
                target,
                GWS_BARRIER,
                GROUPS,
                64,
                initial(GROUPS - 1),
            );
            assert_eq!(done.fault, None, "{threads} threads");
            assert_eq!(device.memory.load_u32(buffer), Some(2 * GROUPS));
            for group in 0..u64::from(GROUPS) {
                assert_eq!(device.memory.load_u32(buffer + 4 + 4 * group), Some(GROUPS));
            }
            // One more than there are: all are blocked, and the run says so.
            let done = dispatch(
                &mut device,
                target,
                GWS_BARRIER,
                GROUPS,
                64,
                initial(GROUPS),
            );
            let kind = done.fault.map(|f| f.kind);
            let expected = FaultKind::Blocked {
                at_barrier: 0,
                at_gws: 1,
                ended: 0,
            };
            assert_eq!(kind, Some(expected), "{threads} threads");
        }
    }
}

/// Each wave adds 1 to a counter, looks at it until the others have done so too, and stores what it is then. What is
/// between the two halves is done each time.
const MEMORY_BARRIER: [&str; 2] = [
    "v_mov_b32 v2, 0\nv_mov_b32 v3, 1\ns_mov_b32 s6, 0\ns_mov_b64 exec, 1\n\
    global_atomic_add v2, v3, s[0:1]\nlook:\n",
    "global_load_dword v4, v2, s[0:1] glc\ns_waitcnt vmcnt(0)\n\
    v_readfirstlane_b32 s5, v4\ns_cmp_lt_u32 s5, s4\ns_cbranch_scc1 look\n\
    s_lshl_b32 s3, s2, 2\nv_mov_b32 v5, s3\nglobal_store_dword v5, v4, s[0:1] offset:4\ns_endpgm",
];

#[test]
fn e243_many_workgroups_wait_for_each_other_by_memory() {
    const GROUPS: u32 = 50;
    // Errata E243: a thread waits in a loop that changes nothing, sleeps there, keeps its waves together, or counts.
    for (waves, each_time) in [
        (1, ""),
        (1, "s_sleep 2\n"),
        (2, "s_barrier\n"),
        (1, "s_add_u32 s6, s6, 1\n"),
    ] {
        for threads in [1, 3] {
            let target = Target::named("gfx900").expect("it exists");
            let mut config = Config::new(target.isa);
            config.threads = threads;
            config.quantum = 200;
            config.limit = Some(20_000_000);
            let mut device = gcn_emu::device::Device::new(config);
            let buffer = device
                .memory
                .allocate("out", 4096)
                .expect("there is memory");
            let initial = Initial {
                sgprs: vec![
                    InitialSgpr::Value(buffer as u32),
                    InitialSgpr::Value((buffer >> 32) as u32),
                    InitialSgpr::GroupId(0),
                    InitialSgpr::Value(0),
                    InitialSgpr::Value(waves * GROUPS),
                ],
                work_item_ids: 1,
                mode: 0,
            };
            let source = MEMORY_BARRIER.join(each_time);
            let done = dispatch(&mut device, target, &source, GROUPS, 64 * waves, initial);
            assert_eq!(done.fault, None, "{each_time:?}, {threads} threads");
            for group in 0..u64::from(GROUPS) {
                let seen = device.memory.load_u32(buffer + 4 + 4 * group);
                assert_eq!(seen, Some(waves * GROUPS), "{each_time:?}, {group}");
            }
        }
    }
}

/// Wherever a wave's turn ends: one that ends behind the jump does not lose where it went, nor where it came from.
#[test]
fn a_wave_that_leaves_the_code_is_told_with_the_jump() {
    for quantum in [1, 2, 3, 4, 100] {
        for (distance, misaligned) in [(10, true), (0x1000, false), (0x1001, true)] {
            let target = Target::named("gfx900").expect("it exists");
            let mut config = Config::new(target.isa);
            config.quantum = quantum;
            let mut device = gcn_emu::device::Device::new(config);
            let initial = Initial {
                sgprs: Vec::new(),
                work_item_ids: 1,
                mode: 0,
            };
            let source = format!(
                "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, {distance}\ns_setpc_b64 s[4:5]\ns_endpgm"
            );
            let done = dispatch(&mut device, target, &source, 1, 64, initial);
            let fault = done.fault.expect("it leaves the code");
            // The distance counts from behind the first instruction; a literal constant makes the second one longer.
            let behind_first = fault.pc - distance;
            let from = Some(behind_first + if distance <= 64 { 4 } else { 8 });
            let kind = match misaligned {
                true => FaultKind::PcMisaligned { from },
                false => FaultKind::PcOutside { from },
            };
            assert_eq!(fault.kind, kind, "{quantum}, {distance:#x}");
            let text = fault.from.and_then(|site| site.text);
            assert_eq!(text.as_deref(), Some("s_setpc_b64 s[4:5]"));
        }
    }
}

#[test]
fn s2_31_waves_count_in_order() {
    // E008, E049
    on(ALL, |m| {
        // Base 64, wave 0; the counter at dword 1. The operand is the first active lane's.
        m.s(124, 64 << 16).set_gds(68, 100);
        m.exec(0b1100).set(2, |lane| 10 + lane as u32).set(1, |_| 7);
        m.run("ds_ordered_count v1, v2 offset:4 gds");
        assert_eq!((m.v(1, 0), m.v(1, 2), m.v(1, 3)), (7, 100, 100));
        assert_eq!(m.gds32(68), 112);
        // The turn passes on with wave_release; an exchange.
        m.run("ds_ordered_count v1, v2 offset:0x1104 gds");
        assert_eq!((m.v(1, 2), m.gds32(68)), (112, 12));
        let again = m.try_run("ds_ordered_count v1, v2 offset:4 gds");
        assert_eq!(again, Ok(Outcome::Blocked), "wave 0 has had its turn");
        // Wave 1, with no lane active: it adds nothing and is done.
        m.s(124, 64 << 16 | 1).exec(0);
        m.run("ds_ordered_count v1, v2 offset:0x204 gds");
        assert_eq!(m.gds32(68), 12);
        m.s(124, 64 << 16 | 2).exec(1);
        m.run("ds_ordered_count v1, v2 offset:4 gds");
        assert_eq!((m.v(1, 0), m.gds32(68)), (12, 22));
    });
}

#[test]
fn instructions_without_a_section_run() {
    // E045; the listings' precedence (E072): the offset is masked, not the sum of pointers.
    on(FROM_VI, |m| {
        m.exec(1)
            .set_lds(0, 0)
            .set(0, |_| 0)
            .set(1, |_| 1.0f32.to_bits());
        m.run("ds_add_rtn_f32 v2, v0, v1\nds_add_src2_f32 v0\nds_gws_sema_v gds\ns_dcache_wb");
        assert_eq!(m.lds32(0), 2.0f32.to_bits());
    });
}

#[test]
fn stores_take_their_data_at_issue() {
    // E107: the hazard does not exist here.
    for name in NINE {
        let text = "v_lshlrev_b32 v0, 4, v0\nv_mov_b32 v1, 1\nv_mov_b32 v2, 2\nv_mov_b32 v3, 3\nv_mov_b32 v4, 4\n\
            global_store_dwordx4 v0, v[1:4], s[0:1]\nv_mov_b32 v4, 9\ns_endpgm";
        assert_eq!(program(name, text, &[0; 256])[..4], [1, 2, 3, 4], "{name}");
    }
}

#[test]
fn s2_32_swizzle() {
    // E056, E022
    on(ALL, |m| {
        m.set(0, |l| 100 + l as u32).s(M0, 0);
        m.run("ds_swizzle_b32 v1, v0 offset:swizzle(QUAD_PERM,3,2,1,0)");
        assert_eq!([0, 1, 34, 63].map(|l| m.v(1, l)), [103, 102, 133, 160]);
        m.run("ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,16)");
        assert_eq!([0, 16, 33].map(|l| m.v(1, l)), [116, 100, 149]);
        m.run("ds_swizzle_b32 v1, v0 offset:swizzle(BROADCAST,32,5)");
        assert_eq!([0, 31, 32, 63].map(|l| m.v(1, l)), [105, 105, 137, 137]);
        // and 0x1c, or 0x02, xor 0x01
        m.run("ds_swizzle_b32 v1, v0 offset:0x45c");
        assert_eq!([0, 4, 5].map(|l| m.v(1, l)), [103, 107, 107]);
        m.exec(!1)
            .set(1, |_| 9)
            .run("ds_swizzle_b32 v1, v0 offset:swizzle(BROADCAST,32,0)");
        assert_eq!(
            [0, 1, 32].map(|l| m.v(1, l)),
            [9, 0, 132],
            "an inactive source gives 0"
        );
        m.exec(u64::MAX)
            .run("ds_swizzle_b32 v1, v0 gds offset:swizzle(SWAP,1)");
        assert_eq!(m.v(1, 0), 101);
    });
    on(NINE, |m| {
        m.set(0, |l| l as u32)
            .run("ds_swizzle_b32 v1, v0 offset:0xe000");
        assert_eq!([1, 2, 33].map(|l| m.v(1, l)), [16, 8, 48], "bits reversed");
        m.run("ds_swizzle_b32 v1, v0 offset:0xe01f");
        assert_eq!([1, 30, 33].map(|l| m.v(1, l)), [1, 30, 33]);
        m.run("ds_swizzle_b32 v1, v0 offset:0xe010");
        assert_eq!([1, 17].map(|l| m.v(1, l)), [8, 24]);
        m.run("ds_swizzle_b32 v1, v0 offset:0xc020");
        assert_eq!([0, 31, 32].map(|l| m.v(1, l)), [1, 0, 33]);
        m.run("ds_swizzle_b32 v1, v0 offset:0xc420");
        assert_eq!([0, 31].map(|l| m.v(1, l)), [31, 30]);
        m.run("ds_swizzle_b32 v1, v0 offset:0xc038");
        assert_eq!(
            [0, 7, 8].map(|l| m.v(1, l)),
            [1, 0, 9],
            "within the groups of 8"
        );
    });
    on(BEFORE_GFX9, |m| {
        m.set(0, |l| l as u32)
            .run("ds_swizzle_b32 v1, v0 offset:0xe0e4");
        assert_eq!(
            [1, 2, 35].map(|l| m.v(1, l)),
            [1, 2, 35],
            "still a quad-permute"
        );
    });
}

#[test]
fn s2_33_permute_pushes() {
    // E057
    on(FROM_VI, |m| {
        m.set(0, |l| 4 * ((l as u32 + 1) % 64))
            .set(1, |l| 100 + l as u32);
        m.run("ds_permute_b32 v2, v0, v1");
        assert_eq!([0, 1, 63].map(|l| m.v(2, l)), [163, 100, 162]);
        m.run("ds_permute_b32 v2, v0, v1 offset:4");
        assert_eq!([0, 1, 2].map(|l| m.v(2, l)), [162, 163, 100]);
        m.set(0, |_| 4 * 5 + 3 + 256)
            .run("ds_permute_b32 v2, v0, v1");
        assert_eq!(
            [4, 5, 6].map(|l| m.v(2, l)),
            [0, 163, 0],
            "the highest source wins"
        );
        m.exec(0b11)
            .set(0, |l| 4 * (2 - l as u32 % 3))
            .set(2, |_| 9)
            .run("ds_permute_b32 v2, v0, v1");
        assert_eq!(
            [0, 1, 2].map(|l| m.v(2, l)),
            [0, 101, 9],
            "only active lanes are written"
        );
    });
}

#[test]
fn s2_34_bpermute_pulls() {
    // E058
    on(FROM_VI, |m| {
        m.set(0, |l| 4 * l as u32).set(1, |l| 100 + l as u32);
        m.run("ds_bpermute_b32 v1, v0, v1 offset:4");
        assert_eq!([0, 62, 63].map(|l| m.v(1, l)), [101, 163, 100]);
        m.exec(0b101)
            .set(0, |l| 4 * (2 - l as u32 % 3))
            .set(1, |l| 100 + l as u32)
            .set(2, |_| 9);
        m.run("ds_bpermute_b32 v2, v0, v1");
        assert_eq!([0, 1, 2].map(|l| m.v(2, l)), [102, 9, 100]);
        m.set(0, |_| 4).run("ds_bpermute_b32 v2, v0, v1");
        assert_eq!(
            [0, 2].map(|l| m.v(2, l)),
            [0, 0],
            "an inactive source gives 0"
        );
    });
}

#[test]
fn s2_35_lane_moves_take_exec_of_the_moment() {
    on(FROM_VI, |m| {
        m.set(0, |_| 4)
            .set(1, |l| 100 + l as u32)
            .set(2, |_| 9)
            .set(3, |_| 9)
            .set(4, |_| 9);
        m.exec(0b10).run("ds_bpermute_b32 v2, v0, v1");
        m.exec(0b01)
            .run("ds_bpermute_b32 v3, v0, v1\nds_permute_b32 v4, v0, v1");
        assert_eq!((m.v(2, 0), m.v(2, 1)), (9, 101));
        assert_eq!((m.v(3, 0), m.v(3, 1)), (0, 9));
        assert_eq!(
            (m.v(4, 0), m.v(4, 1)),
            (0, 9),
            "pushed to a lane that is not written"
        );
    });
}

#[test]
fn s2_36_every_ds_instruction_counts_one() {
    on(ALL, |m| {
        for text in [
            "ds_write_b32 v0, v1",
            "ds_read2_b64 v[4:7], v0 offset1:1",
            "ds_add_u32 v0, v1",
            "ds_append v3",
            "ds_swizzle_b32 v1, v0 offset:0x401f",
            "ds_add_src2_u32 v0",
        ] {
            assert_eq!(m.counts(text), (0, 1, 0), "{text}");
        }
        m.wave.scoreboard.wait(Waitcnt {
            vm: 0,
            exp: 0,
            lgkm: 0,
        });
        assert_eq!(m.wave.scoreboard.outstanding().count(), 0);
    });
}

#[test]
fn s2_37_lds_operations_complete_in_order() {
    on(FROM_VI, |m| {
        m.run(
            "ds_write_b32 v0, v1\nds_swizzle_b32 v1, v0 offset:0x401f\nds_bpermute_b32 v2, v0, v1",
        );
        m.wave.scoreboard.wait(Waitcnt {
            vm: 63,
            exp: 7,
            lgkm: 1,
        });
        let left: Vec<u64> = m.wave.scoreboard.outstanding().map(|o| o.pc).collect();
        assert_eq!(left, [BASE + 16]);
    });
}

#[test]
fn s2_38_gds_counts_on_exp_as_well() {
    // E043
    on(ALL, |m| {
        m.s(M0, 0xffff);
        assert_eq!(m.counts("ds_write_b32 v0, v1 gds"), (0, 1, 1));
        assert_eq!(m.counts("ds_gws_sema_v gds"), (0, 1, 1));
        assert_eq!(
            m.counts("ds_swizzle_b32 v1, v0 gds offset:0x401f"),
            (0, 1, 0)
        );
        m.counts("ds_write_b32 v0, v1 gds");
        m.wave.scoreboard.wait(Waitcnt {
            vm: 15,
            exp: 0,
            lgkm: 15,
        });
        let counters = m.wave.scoreboard.counters();
        assert_eq!(
            (counters.lgkm, counters.exp),
            (1, 0),
            "sources read, not complete"
        );
        let kind = m.wave.scoreboard.outstanding().next().map(|o| o.kind);
        assert_eq!(kind, Some(gcn_emu::scoreboard::Kind::Gds));
    });
}

// 3. FLAT, GLOBAL, SCRATCH

/// An address with the lane's dword of a buffer.
fn lane_address(base: u64) -> impl Fn(usize) -> u64 {
    move |lane| base + 4 * lane as u64
}

fn count_up(n: u32) -> Vec<u32> {
    (0..n).collect()
}

#[test]
fn s3_1_flat_has_no_offset_before_gcn_1_4() {
    // E076, E077, E085: the bits of an offset are reserved and ignored.
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
    // E086: the register's offset has no sign.
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

/// The address of a dword of the wave's scratch.
fn scratch_at(m: &Machine, lane: u64, offset: u64) -> u64 {
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
    // E078, E079: SADDR is ignored for FLAT, whatever it holds.
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

fn shared(m: &Machine, offset: u32) -> u64 {
    u64::from(m.device.config.apertures.shared) << 32 | u64::from(offset)
}

fn private(m: &Machine, offset: u32) -> u64 {
    u64::from(m.device.config.apertures.private) << 32 | u64::from(offset)
}

#[test]
fn s3_7_the_shared_aperture_is_lds() {
    // E088, E035, E230
    on(FROM_CI, |m| {
        let (in_lds, in_memory) = (shared(m, 0), m.buffer(&[0; 64]));
        // Odd lanes go to LDS, even ones to memory, in one instruction.
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
    // E088: the registers and the FLAT unit; hwreg SH_MEM_BASES and the queue fields are read from the same place.
    on(NINE, |m| {
        m.wave.apertures = m.device.config.apertures;
        assert_eq!(m.wave.special(235), shared(m, 0));
        assert_eq!(m.wave.special(236), shared(m, u32::MAX));
        assert_eq!(m.wave.special(237), private(m, 0));
        assert_eq!(m.wave.special(238), private(m, u32::MAX));
        for (code, scratch) in [(235, false), (236, false), (237, true), (238, true)] {
            let address = m.wave.special(code) & !3;
            m.set64(0, |_| address).run("flat_load_dword v2, v[0:1]");
            let expected = if scratch { Space::Scratch } else { Space::Lds };
            assert_eq!(m.transfer.access.space(5), Some(expected));
            assert_eq!(m.transfer.access.address[5], address & u64::from(u32::MAX));
        }
    });
}

#[test]
fn s3_11_flat_scratch() {
    // E088: on GCN 1.1 and 1.2 the high half counts 256 bytes from the hidden base; on 1.4 it is an address.
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
        // Stores, each lane its own.
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
    // E097, E100
    on(NINE, |m| {
        let buffer = m.buffer(&[0x1234_8081]);
        m.exec(1).set64(0, |_| buffer);
        for (name, low, high) in [
            ("ubyte", 0xaaaa_0081, 0x0081_bbbb),
            ("sbyte", 0xaaaa_ff81, 0xff81_bbbb),
            ("short", 0xaaaa_8081, 0x8081_bbbb_u32),
        ] {
            m.set(2, |_| 0xaaaa_bbbb).set(3, |_| 0xaaaa_bbbb);
            m.run(&format!(
                "flat_load_{name}_d16 v2, v[0:1]\nglobal_load_{name}_d16_hi v3, v[0:1], off"
            ));
            assert_eq!((m.v(2, 0), m.v(3, 0)), (low, high), "{name}");
        }
        m.set(2, |_| 0x1122_3344);
        m.run(
            "flat_store_byte_d16_hi v[0:1], v2\nglobal_store_short_d16_hi v[0:1], v2, off offset:2",
        );
        assert_eq!(m.mem(buffer), 0x1122_8022);
        // Out of range the loaded half is 0 and the other kept.
        let address = private(m, SCRATCH);
        m.set64(0, |_| address)
            .run("flat_load_short_d16 v2, v[0:1]");
        assert_eq!(m.v(2, 0), 0x1122_0000);
    });
}

#[test]
fn s3_14_atomics_return_with_glc() {
    // E014, E101
    on(FROM_CI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(0, lane_address(buffer))
            .set(2, |_| 100)
            .set(3, |_| 9);
        m.run("flat_atomic_add v[0:1], v2");
        assert_eq!((m.v(3, 5), m.mem(buffer + 20)), (9, 105));
        m.run("flat_atomic_smin v3, v[0:1], v2 glc");
        assert_eq!((m.v(3, 5), m.mem(buffer + 20)), (105, 100));
        m.set(3, |_| 9).run("flat_atomic_swap v3, v[0:1], v2");
        assert_eq!(m.v(3, 5), 9, "without glc VDST is kept");
    });
}

#[test]
fn s3_15_cmpswap_compares_with_the_high_half() {
    // E090
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[7, 0, 8, 0]);
        m.exec(1)
            .set64(0, |_| buffer)
            .set(2, |_| 9)
            .set(3, |_| 7)
            .set(5, |_| 99);
        m.run("flat_atomic_cmpswap v4, v[0:1], v[2:3] glc");
        assert_eq!((m.v(4, 0), m.v(5, 0), m.mem(buffer)), (7, 99, 9));
        m.run("flat_atomic_cmpswap v4, v[0:1], v[2:3] glc");
        assert_eq!((m.v(4, 0), m.mem(buffer)), (9, 9));
        m.set64(0, |_| buffer + 8)
            .set64(2, |_| 1 << 40)
            .set64(4, |_| 8);
        m.run("flat_atomic_cmpswap_x2 v[6:7], v[0:1], v[2:5] glc");
        assert_eq!((m.v64(6, 0), m.mem64(buffer + 8)), (8, 1 << 40));
    });
}

/// Runs a FLAT atomic on `old` and returns the new value.
fn flat32(m: &mut Machine, name: &str, old: u32, data: u32, compare: Option<u32>) -> u32 {
    let buffer = m.buffer(&[old]);
    m.exec(1)
        .set64(0, |_| buffer)
        .set(2, |_| data)
        .set(3, |_| compare.unwrap_or(0));
    let source = if compare.is_some() { "v[2:3]" } else { "v2" };
    m.run(&format!("flat_atomic_{name} v4, v[0:1], {source} glc"));
    assert_eq!(m.v(4, 0), old, "{name} returns the old value");
    m.mem(buffer)
}

fn flat64(m: &mut Machine, name: &str, old: u64, data: u64, compare: Option<u64>) -> u64 {
    let buffer = m.buffer(&[old as u32, (old >> 32) as u32]);
    m.exec(1)
        .set64(0, |_| buffer)
        .set64(2, |_| data)
        .set64(4, |_| compare.unwrap_or(0));
    let source = if compare.is_some() {
        "v[2:5]"
    } else {
        "v[2:3]"
    };
    m.run(&format!(
        "flat_atomic_{name}_x2 v[6:7], v[0:1], {source} glc"
    ));
    assert_eq!(m.v64(6, 0), old, "{name}_x2 returns the old value");
    m.mem64(buffer)
}

#[test]
fn s3_16_float_atomics_of_gcn_1_1() {
    // E091, E092, E053
    let mut m = Machine::new(CI);
    let f = f32::to_bits;
    let d = f64::to_bits;
    assert_eq!(flat32(&mut m, "fmin", f(1.0), f(-2.0), None), f(-2.0));
    assert_eq!(flat32(&mut m, "fmax", f(1.0), f(-2.0), None), f(1.0));
    assert_eq!(flat32(&mut m, "fmax", f(-0.0), f(0.0), None), f(0.0));
    assert_eq!(flat32(&mut m, "fmin", 0x7fc0_0001, f(3.0), None), f(3.0));
    assert_eq!(flat32(&mut m, "fcmpswap", f(-0.0), 9, Some(f(0.0))), 9);
    assert_eq!(
        flat32(&mut m, "fcmpswap", f(f32::NAN), 9, Some(f(f32::NAN))),
        f(f32::NAN)
    );
    m.wave.mode = 0xf0;
    assert_eq!(
        flat32(&mut m, "fmax", 0, 1, None),
        0,
        "memory flushes to compare, whatever MODE says"
    );
    assert_eq!(flat64(&mut m, "fmin", d(1.0), d(-2.0), None), d(-2.0));
    assert_eq!(flat64(&mut m, "fmax", 0, 1, None), 1);
    assert_eq!(flat64(&mut m, "fcmpswap", d(-0.0), 9, Some(d(0.0))), 9);
}

#[test]
fn s3_17_integer_atomics() {
    // E093, E094, E101, E102
    on(FROM_CI, |m| {
        let minus = (-1i32) as u32;
        assert_eq!(flat32(m, "inc", 5, 5, None), 0);
        assert_eq!(flat32(m, "inc", 4, 5, None), 5);
        assert_eq!(flat32(m, "dec", 0, 5, None), 5);
        assert_eq!(flat32(m, "dec", 6, 5, None), 5);
        assert_eq!(flat32(m, "dec", 5, 5, None), 4);
        assert_eq!(flat32(m, "sub", 3, 5, None), (-2i32) as u32);
        assert_eq!(flat32(m, "smin", 1, minus, None), minus);
        assert_eq!(flat32(m, "smax", 1, minus, None), 1);
        assert_eq!(flat32(m, "umin", 1, minus, None), 1);
        assert_eq!(flat32(m, "umax", 1, minus, None), minus);
        assert_eq!(flat32(m, "and", 6, 3, None), 2);
        assert_eq!(flat32(m, "or", 6, 3, None), 7);
        assert_eq!(flat32(m, "xor", 6, 3, None), 5);
        assert_eq!(flat32(m, "swap", 6, 3, None), 3);
        let minus = (-1i64) as u64;
        assert_eq!(flat64(m, "inc", 1 << 32, 1 << 33, None), (1 << 32) + 1);
        assert_eq!(flat64(m, "dec", 1 << 34, 1 << 33, None), 1 << 33);
        assert_eq!(flat64(m, "add", minus, 1 << 32, None), (1 << 32) - 1);
        assert_eq!(flat64(m, "sub", 0, 1, None), minus);
        assert_eq!(flat64(m, "smin", 1, minus, None), minus);
        assert_eq!(flat64(m, "umin", 1, minus, None), 1);
        assert_eq!(flat64(m, "smax", 1, minus, None), 1);
        assert_eq!(flat64(m, "umax", 1, minus, None), minus);
        assert_eq!(flat64(m, "and", 6 << 32, 3 << 32, None), 2 << 32);
        assert_eq!(flat64(m, "or", 6 << 32, 3, None), 6 << 32 | 3);
        assert_eq!(flat64(m, "xor", 6 << 32, 3 << 32, None), 5 << 32);
        assert_eq!(flat64(m, "swap", 6, 3 << 32, None), 3 << 32);
    });
}

#[test]
fn s3_18_loads_with_lds() {
    // E089, E015
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(80));
        m.set64(0, lane_address(buffer))
            .s(M0, 0xffff_0010)
            .set(2, |_| 9);
        m.exec(0b101)
            .run("global_load_dword v[0:1], off offset:8 lds");
        assert_eq!([0x18, 0x1c, 0x20].map(|a| m.lds32(a)), [2, 0, 4]);
        m.run("global_load_sbyte v2, v[0:1], off lds");
        assert_eq!(m.v(2, 0), 9, "VDST is not written");
        assert_eq!((m.lds32(0x10), m.lds32(0x18)), (0, 2));
        m.set(0, |_| 0)
            .set(3, |l| 50 + l as u32)
            .run("scratch_store_dword v0, v3, off");
        m.run("scratch_load_dword v0, off lds");
        assert_eq!((m.lds32(0x10), m.lds32(0x18)), (50, 52));
        m.s(M0, LDS_BYTES).run("scratch_load_dword v0, off lds");
        assert!(m.violated());
    });
}

#[test]
fn s3_19_tfe_writes_a_status() {
    // E080
    on(CI_VI, |m| {
        let buffer = m.buffer(&[5, 6]);
        m.exec(0b10)
            .set64(0, |_| buffer)
            .set(3, |_| 99)
            .set(4, |_| 99)
            .set(5, |_| 99);
        m.run("flat_load_dword v2, v[0:1] tfe");
        assert_eq!((m.v(2, 1), m.v(3, 1), m.v(3, 0)), (5, 0, 99));
        m.run("flat_load_dwordx2 v[3:4], v[0:1] tfe");
        assert_eq!((m.v(3, 1), m.v(4, 1), m.v(5, 1), m.v(5, 0)), (5, 6, 0, 99));
    });
}

#[test]
fn s3_20_cache_flags_change_nothing() {
    // E103
    on(FROM_CI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(0, lane_address(buffer));
        m.run("flat_load_dword v2, v[0:1] glc slc\nflat_store_dword v[0:1], v2 glc slc");
        assert_eq!((m.v(2, 63), m.mem(buffer + 252)), (63, 63));
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(0, lane_address(buffer))
            .run("global_load_dword v2, v[0:1], off glc slc nv");
        assert_eq!(m.v(2, 63), 63);
    });
}

/// Every work-item adds 1 to one of two counters, by its parity.
const COUNT: &str = "v_and_b32 v1, 1, v0\nv_lshlrev_b32 v1, 2, v1\nv_mov_b32 v2, 1\ns_movk_i32 s2, 100\n\
    loop:\nglobal_atomic_add v1, v2, s[0:1]\nglobal_atomic_add v3, v1, v2, s[0:1] glc\n\
    s_sub_u32 s2, s2, 1\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 loop\ns_endpgm";

#[test]
fn s3_21_memory_atomics_are_indivisible() {
    // Lanes in ascending order, and not one addition of three threads lost.
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[100]);
        m.exec(0b1101)
            .set64(0, |_| buffer)
            .set(2, |l| 1 + l as u32)
            .set(3, |_| 9);
        m.run("flat_atomic_add v3, v[0:1], v2 glc");
        assert_eq!([0, 1, 2, 3].map(|l| m.v(3, l)), [100, 9, 101, 104]);
        m.run("flat_store_dword v[0:1], v2");
        assert_eq!(m.mem(buffer), 4);
    });
    let target = Target::named(GFX9).expect("it exists");
    let mut config = Config::new(target.isa);
    config.threads = 3;
    let mut device = gcn_emu::device::Device::new(config);
    let buffer = device
        .memory
        .allocate("counters", 8)
        .expect("there is memory");
    let initial = with_buffer(buffer);
    let done = dispatch(&mut device, target, COUNT, 12, 128, initial);
    assert_eq!(done.fault, None);
    let each = 12 * 64 * 200;
    let counters = [0, 4].map(|a| device.memory.load_u32(buffer + a));
    assert_eq!(counters, [Some(each), Some(each)]);
}

#[test]
fn s3_22_unaligned_loads_and_stores() {
    // E104
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0x4433_2211, 0x8877_6655, 0, 0]);
        m.exec(1).set64(0, |_| buffer + 1);
        m.run("flat_load_dword v2, v[0:1]\nflat_load_ushort v3, v[0:1]\nflat_load_dwordx2 v[4:5], v[0:1]");
        assert_eq!((m.v(2, 0), m.v(3, 0)), (0x5544_3322, 0x3322));
        assert_eq!(m.v64(4, 0), 0x88_7766_5544_3322);
        m.run("flat_store_dword v[0:1], v3");
        assert_eq!(m.mem64(buffer), 0x8877_6600_0033_2211);
        m.device.config.dword_alignment = true;
        m.run("flat_load_dword v2, v[0:1]\nflat_load_ubyte v3, v[0:1]");
        assert_eq!((m.v(2, 0), m.v(3, 0)), (0x0033_2211, 0x22));
    });
}

#[test]
fn s3_23_atomics_must_be_aligned() {
    // E104
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[1, 2, 3, 4]);
        m.exec(0b100).set64(0, |_| buffer + 2).set(2, |_| 5);
        let fault = FaultKind::Misaligned {
            address: buffer + 2,
            bytes: 4,
        };
        assert_eq!(
            m.try_run("flat_atomic_add v[0:1], v2"),
            Err((fault, Some(2)))
        );
        m.device.config.on_violation = OnViolation::Continue;
        m.set(3, |_| 9).run("flat_atomic_add v3, v[0:1], v2 glc");
        assert_eq!((m.v(3, 2), m.mem(buffer), m.mem(buffer + 4)), (0, 1, 2));
        m.set64(0, |_| buffer + 4)
            .run("flat_atomic_add_x2 v[0:1], v[2:3]");
        assert!(m.violated());
        let address = shared(m, 2);
        m.set64(0, |_| address).run("flat_atomic_add v[0:1], v2");
        assert_eq!(m.lds64(0), 0, "in LDS too");
    });
}

#[test]
fn s3_24_unmapped_addresses() {
    // E105
    on(FROM_CI, |m| {
        let buffer = m.buffer(&count_up(64));
        let beyond = buffer + 256;
        m.set64(0, |l| {
            if l == 40 {
                beyond
            } else {
                buffer + 4 * l as u64
            }
        })
        .set(3, |_| 77);
        for (text, intent) in [
            ("flat_load_dword v2, v[0:1]", Intent::Load),
            ("flat_store_dword v[0:1], v3", Intent::Store),
            ("flat_atomic_add v[0:1], v3", Intent::Atomic),
        ] {
            let fault = FaultKind::Unmapped {
                intent,
                address: beyond,
                bytes: 4,
            };
            assert_eq!(m.try_run(text), Err((fault, Some(40))), "{text}");
            assert!(m.violated());
        }
        m.device.config.on_violation = OnViolation::Continue;
        m.set(2, |_| 9)
            .run("flat_load_dword v2, v[0:1]\nflat_store_dword v[0:1], v3");
        assert_eq!([39, 40, 41].map(|l| m.v(2, l)), [77 + 77, 0, 41]);
        assert_eq!((m.mem(buffer + 160), m.mem(buffer + 164)), (40, 77));
        m.set(2, |_| 9).run("flat_atomic_add v2, v[0:1], v3 glc");
        assert_eq!((m.v(2, 40), m.v(2, 41)), (0, 77));
    });
}

#[test]
fn s3_25_scratch_out_of_bounds() {
    // E087, E105
    on(NINE, |m| {
        m.set(4, |_| 1).set(5, |_| 2).set(0, |_| SCRATCH - 4);
        m.run("scratch_store_dwordx2 v0, v[4:5], off\nscratch_load_dwordx2 v[6:7], v0, off");
        assert_eq!((m.v(6, 3), m.v(7, 3)), (1, 0));
        assert!(m.violated());
        m.set(0, |_| 0)
            .set(6, |_| 9)
            .run("scratch_load_dword v6, v0, off offset:-4");
        assert_eq!(m.v(6, 0), 0);
    });
}

#[test]
fn s3_26_flat_counts_on_both() {
    // E082
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer));
        for text in [
            "flat_load_dword v2, v[0:1]",
            "flat_store_dword v[0:1], v2",
            "flat_atomic_add v[0:1], v2",
        ] {
            assert_eq!(m.counts(text), (1, 1, 0), "{text}");
        }
        let kind = m.wave.scoreboard.outstanding().next().map(|o| o.kind);
        assert_eq!(kind, Some(gcn_emu::scoreboard::Kind::Flat));
    });
}

#[test]
fn s3_27_global_and_scratch_count_on_vm() {
    // E083, E251
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer)).set(3, |_| 0).s(M0, 0);
        assert_eq!(m.counts("global_load_dword v2, v[0:1], off"), (1, 0, 0));
        assert_eq!(m.counts("scratch_load_dword v2, v3, off"), (1, 0, 0));
        assert_eq!(m.counts("global_load_dword v[0:1], off lds"), (1, 0, 0));
        m.counts("global_load_dword v2, v[0:1], off\nscratch_load_dword v2, v3, off");
        m.wave.scoreboard.wait(Waitcnt {
            vm: 1,
            exp: 7,
            lgkm: 15,
        });
        let left: Vec<u64> = m.wave.scoreboard.outstanding().map(|o| o.pc).collect();
        assert_eq!(left, [BASE + 8], "in order");
    });
}

#[test]
fn s3_28_stores_count_like_loads() {
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer)).set(3, |_| 0);
        assert_eq!(m.counts("global_store_dword v[0:1], v2, off"), (1, 0, 0));
        assert_eq!(m.counts("scratch_store_dword v3, v2, off"), (1, 0, 0));
        assert_eq!(m.counts("global_atomic_add v[0:1], v2, off"), (1, 0, 0));
    });
}

#[test]
fn s3_29_vm_cnt_saturates() {
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer));
        let most = if m.target.isa >= Isa::Gfx9 { 63 } else { 15 };
        for _ in 0..100 {
            m.run("flat_load_dword v2, v[0:1]");
        }
        // LGKM_CNT, which FLAT takes as well, is released by itself: complete is what holds neither (E082).
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: most,
                exp: 0,
                lgkm: 15
            }
        );
    });
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer));
        for _ in 0..100 {
            m.run("global_load_dword v2, v[0:1], off");
        }
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 63,
                exp: 0,
                lgkm: 0
            }
        );
        assert_eq!(m.wave.scoreboard.outstanding().count(), 63);
    });
}

// 4. SMEM

#[test]
fn s4_1_scalar_addresses() {
    // E110, E113, E133
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer + 2)
            .s(6, 7)
            .run("s_load_dword s4, s[2:3], 0xb");
        assert_eq!(m.wave.scalar(4), 2);
        m.run("s_load_dword s4, s[2:3], s6");
        assert_eq!(m.wave.scalar(4), 1, "each part is masked by itself");
        m.s64(2, buffer - (1 << 31))
            .s(6, 0x8000_0010)
            .run("s_load_dword s4, s[2:3], s6");
        assert_eq!(m.wave.scalar(4), 4, "the register has no sign");
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer + 64).run("s_load_dword s4, s[2:3], -4");
        assert_eq!(m.wave.scalar(4), 15);
        m.s(6, 16).run("s_load_dword s4, s[2:3], s6 offset:-0x10");
        assert_eq!(m.wave.scalar(4), 16);
    });
    let mut m = Machine::new(VI);
    let buffer = m.buffer(&count_up(64));
    m.s64(2, buffer.wrapping_sub(0xf_fffc))
        .run("s_load_dword s4, s[2:3], 0xffffc");
    assert_eq!(m.wave.scalar(4), 0, "no sign on GCN 1.2");
    // SMRD counts dwords, and bytes in a register.
    on(&[SI, CI], |m| {
        let buffer = m.buffer(&count_up(400));
        m.s64(2, buffer)
            .s(6, 12)
            .run("s_load_dword s4, s[2:3], 0x5\ns_load_dword s5, s[2:3], s6");
        assert_eq!((m.wave.scalar(4), m.wave.scalar(5)), (5, 3));
    });
    let mut m = Machine::new(CI);
    let buffer = m.buffer(&count_up(400));
    m.s64(2, buffer).run("s_load_dword s4, s[2:3], 0x12c");
    assert_eq!(m.wave.scalar(4), 300, "a literal counts dwords as well");
}

#[test]
fn s4_2_imm_and_soe() {
    // E025, E108, E109, E111
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer).s(4, 8);
        m.run_words(&[0xc000_0041, 0x0000_0004]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 2, "(0,0): a register");
        m.run_words(&[0xc002_0041, 0x0000_0010]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 4, "(1,0): an immediate");
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer).s(4, 8);
        m.run_words(&[0xc002_4041, 0x0800_0010]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 6, "(1,1): both");
        m.run_words(&[0xc000_4041, 0x0800_0010]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 2, "(0,1): the register in SOFFSET");
    });
}

#[test]
fn s4_3_m0_may_be_the_offset() {
    // E026, E122
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(M0, 20)
            .run("s_load_dword s4, s[2:3], m0");
        assert_eq!(m.wave.scalar(4), 5);
        m.s(4, 77).run("s_store_dword s4, s[2:3], m0");
        assert_eq!(m.mem(buffer + 20), 77);
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(5, 24)
            .s(4, 77)
            .run("s_store_dword s4, s[2:3], s5");
        assert_eq!(m.mem(buffer + 24), 77);
    });
}

#[test]
fn s4_4_scalar_scratch_counts_64_bytes() {
    // E121, E116
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(6, 1)
            .run("s_scratch_load_dword s4, s[2:3], s6");
        assert_eq!(m.wave.scalar(4), 16);
        m.s(6, 3)
            .run("s_scratch_load_dwordx2 s[4:5], s[2:3], s6 offset:0x8");
        assert_eq!((m.wave.scalar(4), m.wave.scalar(5)), (50, 51));
        m.s(4, 9).run("s_scratch_store_dword s4, s[2:3], 0x6");
        assert_eq!(m.mem(buffer + 4), 9, "the immediate is not scaled");
    });
}

#[test]
fn s4_5_scalar_buffers_have_bounds() {
    // E119
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(64));
        let high = (buffer >> 32) as u32;
        // Stride 0: bytes.
        m.s(8, buffer as u32).s(9, high).s(10, 24).s(11, u32::MAX);
        let imm = if m.target.isa < Isa::Vi { 4 } else { 16 };
        m.run(&format!("s_buffer_load_dwordx4 s[4:7], s[8:11], {imm:#x}"));
        assert_eq!(
            [4, 5, 6, 7].map(|s| m.wave.scalar(s)),
            [4, 5, 0, 0],
            "per dword"
        );
        // Stride 8, three records; swizzling does not matter.
        m.s(9, high | 8 << 16 | 1 << 31).s(10, 3);
        m.run(&format!("s_buffer_load_dwordx4 s[4:7], s[8:11], {imm:#x}"));
        assert_eq!([4, 5, 6, 7].map(|s| m.wave.scalar(s)), [4, 5, 0, 0]);
        m.s(12, 22).run("s_buffer_load_dword s4, s[8:11], s12");
        assert_eq!(m.wave.scalar(4), 5);
        m.s(12, 24).run("s_buffer_load_dword s4, s[8:11], s12");
        assert_eq!((m.wave.scalar(4), m.violated()), (0, false));
    });
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s(8, buffer as u32)
            .s(9, (buffer >> 32) as u32)
            .s(10, 8)
            .s(4, 90)
            .s(5, 91);
        m.run("s_buffer_store_dwordx2 s[4:5], s[8:11], 0x4");
        assert_eq!((m.mem(buffer + 4), m.mem(buffer + 8)), (90, 2));
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s(8, buffer as u32)
            .s(9, (buffer >> 32) as u32)
            .s(10, 8)
            .s(4, 90)
            .s(5, 0);
        m.run("s_buffer_atomic_add s4, s[8:11], 0x8 glc");
        assert_eq!((m.wave.scalar(4), m.mem(buffer + 8)), (0, 2));
        m.s(4, 90).run("s_buffer_atomic_add s4, s[8:11], 0x4 glc");
        assert_eq!((m.wave.scalar(4), m.mem(buffer + 4)), (1, 91));
        m.s(6, 4)
            .s(7, 8)
            .run("s_buffer_load_dword s4, s[8:11], s6 offset:0x0");
        assert_eq!(m.wave.scalar(4), 91);
    });
}

#[test]
fn s4_6_discard_addresses_lines() {
    // E123
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(4, 0x44)
            .run("s_dcache_discard s[2:3], s4");
        assert_eq!(
            (
                m.transfer.access.address[0],
                m.transfer.access.bytes,
                m.transfer.access.intent
            ),
            (buffer + 64, 64, None)
        );
        m.run("s_dcache_discard_x2 s[2:3], s4 offset:0x40");
        assert_eq!(
            (m.transfer.access.address[0], m.transfer.access.bytes),
            (buffer + 128, 128)
        );
        assert_eq!(m.mem(buffer + 64), 16);
    });
}

#[test]
fn s4_7_scalar_loads_and_stores() {
    // E003, E133
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .run("s_load_dwordx16 s[16:31], s[2:3], 0x0\ns_load_dwordx8 s[32:39], s[2:3], 0x8");
        assert_eq!((m.wave.scalar(16), m.wave.scalar(31)), (0, 15));
        let first = if m.target.isa < Isa::Vi { 8 } else { 2 };
        assert_eq!((m.wave.scalar(32), m.wave.scalar(39)), (first, first + 7));
    });
    on(FROM_VI, |m| {
        let buffer = m.buffer(&[0; 8]);
        m.s64(2, buffer).s(4, 1).s(5, 2).s(6, 3).s(7, 4);
        m.run("s_store_dwordx4 s[4:7], s[2:3], 0x0\ns_store_dwordx2 s[6:7], s[2:3], 0x10");
        assert_eq!([0, 12, 16, 20].map(|a| m.mem(buffer + a)), [1, 4, 3, 4]);
        m.s64(2, 0);
        let fault = FaultKind::Unmapped {
            intent: Intent::Store,
            address: 8,
            bytes: 4,
        };
        assert_eq!(
            m.try_run("s_store_dword s4, s[2:3], 0x8"),
            Err((fault, None))
        );
        m.device.config.on_violation = OnViolation::Continue;
        m.run("s_load_dwordx2 s[6:7], s[2:3], 0x8");
        assert_eq!((m.wave.scalar(6), m.wave.scalar(7)), (0, 0));
    });
}

#[test]
fn s4_8_scalar_atomics() {
    // E112, E115, E117, E118, E131, E004
    on(NINE, |m| {
        let buffer = m.buffer(&[7, 0, 8, 0]);
        m.s64(2, buffer)
            .s(4, 9)
            .s(5, 7)
            .run("s_atomic_cmpswap s[4:5], s[2:3], 0x0 glc");
        assert_eq!(
            (m.wave.scalar(4), m.wave.scalar(5), m.mem(buffer)),
            (7, 7, 9)
        );
        m.s(4, 3).run("s_atomic_add s4, s[2:3], 0x0");
        assert_eq!(
            (m.wave.scalar(4), m.mem(buffer)),
            (3, 12),
            "no return without glc"
        );
        m.s64(8, 1 << 40)
            .s64(10, 8)
            .run("s_atomic_cmpswap_x2 s[8:11], s[2:3], 0x8 glc");
        assert_eq!(
            (m.wave.scalar64(8), m.wave.scalar64(10), m.mem64(buffer + 8)),
            (8, 8, 1 << 40)
        );
        m.s(4, u32::MAX)
            .run("s_atomic_smax s4, s[2:3], 0x0\ns_atomic_dec s4, s[2:3], 0x0");
        assert_eq!(m.mem(buffer), 11);
        m.s(4, 5)
            .run("s_atomic_sub s4, s[2:3], 0x0\ns_atomic_smin s4, s[2:3], 0x0");
        assert_eq!(m.mem(buffer), 5);
        let fault = FaultKind::Misaligned {
            address: buffer + 4,
            bytes: 8,
        };
        assert_eq!(
            m.try_run("s_atomic_add_x2 s[8:9], s[2:3], 0x4"),
            Err((fault, None))
        );
    });
}

#[test]
fn s4_9_times() {
    // E126
    on(ALL, |m| {
        m.run("s_memtime s[4:5]\ns_memtime s[6:7]");
        assert!(m.wave.scalar64(6) > m.wave.scalar64(4));
    });
    on(FROM_VI, |m| {
        m.run("s_memrealtime s[4:5]");
        std::thread::sleep(std::time::Duration::from_millis(2));
        m.run("s_memrealtime s[6:7]");
        let ticks = m.wave.scalar64(6) - m.wave.scalar64(4);
        assert!(ticks >= 200_000, "2 ms at 100 MHz: {ticks}");
        let mut config = Config::new(m.target.isa);
        config.realtime_hz = 1;
        let mut slow = Machine::configured(m.target, config);
        slow.run("s_memrealtime s[4:5]");
        assert_eq!(slow.wave.scalar64(4), 0);
    });
}

#[test]
fn s4_10_cache_operations_have_no_visible_effect() {
    // E027, E123, E124, E125
    let check = |m: &mut Machine, text: &str| {
        let buffer = m.buffer(&[5; 64]);
        m.s64(2, buffer).s(4, 0);
        let before: Vec<u32> = (0..SGPRS).map(|s| m.wave.scalar(s)).collect();
        m.run(text);
        let after: Vec<u32> = (0..SGPRS).map(|s| m.wave.scalar(s)).collect();
        assert_eq!((before, m.mem(buffer)), (after, 5), "{text}");
    };
    on(ALL, |m| check(m, "s_dcache_inv"));
    on(FROM_CI, |m| check(m, "s_dcache_inv_vol"));
    on(FROM_VI, |m| {
        check(m, "s_dcache_wb\ns_dcache_wb_vol");
        check(
            m,
            "s_atc_probe 7, s[2:3], 0x0\ns_atc_probe_buffer 7, s[4:7], 0x0",
        );
    });
    on(NINE, |m| {
        check(
            m,
            "s_dcache_discard s[2:3], s4\ns_dcache_discard_x2 s[2:3], s4",
        )
    });
}

#[test]
fn s4_11_scalar_loads_read_current_memory() {
    // E127
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[5]);
        m.s64(2, buffer).exec(1).set64(0, |_| buffer).set(2, |_| 6);
        m.run("s_load_dword s4, s[2:3], 0x0\nflat_store_dword v[0:1], v2\ns_load_dword s5, s[2:3], 0x0");
        assert_eq!((m.wave.scalar(4), m.wave.scalar(5)), (5, 6));
    });
}

#[test]
fn s4_12_scalar_memory_counts_one_or_two() {
    // E120, E123, E125
    on(ALL, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer)
            .s(8, buffer as u32)
            .s(9, (buffer >> 32) as u32)
            .s(10, 256);
        assert_eq!(m.counts("s_load_dword s4, s[2:3], 0x0"), (0, 1, 0));
        assert_eq!(m.counts("s_load_dwordx2 s[4:5], s[2:3], 0x0"), (0, 2, 0));
        assert_eq!(
            m.counts("s_buffer_load_dwordx8 s[16:23], s[8:11], 0x0"),
            (0, 2, 0)
        );
        assert_eq!(m.counts("s_memtime s[4:5]"), (0, 2, 0));
        assert_eq!(m.counts("s_dcache_inv"), (0, 1, 0));
    });
    on(FROM_VI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer);
        assert_eq!(m.counts("s_store_dword s4, s[2:3], 0x0"), (0, 1, 0));
        assert_eq!(m.counts("s_store_dwordx4 s[4:7], s[2:3], 0x0"), (0, 2, 0));
        assert_eq!(m.counts("s_memrealtime s[4:5]"), (0, 2, 0));
        assert_eq!(m.counts("s_atc_probe 7, s[2:3], 0x0"), (0, 1, 0));
    });
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer);
        assert_eq!(m.counts("s_atomic_add s4, s[2:3], 0x0"), (0, 1, 0));
        assert_eq!(m.counts("s_atomic_add_x2 s[4:5], s[2:3], 0x0"), (0, 2, 0));
        assert_eq!(m.counts("s_dcache_discard s[2:3], s4"), (0, 1, 0));
        assert_eq!(m.counts("s_dcache_discard_x2 s[2:3], s4"), (0, 2, 0));
    });
}

#[test]
fn s4_13_scalar_memory_is_marked_as_out_of_order() {
    on(ALL, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer)
            .run("s_load_dword s4, s[2:3], 0x0\ns_load_dword s5, s[2:3], 0x0");
        let kinds: Vec<_> = m.wave.scoreboard.outstanding().map(|o| o.kind).collect();
        assert_eq!(
            kinds,
            [gcn_emu::scoreboard::Kind::Scalar; 2],
            "for a checker to ask for lgkmcnt(0)"
        );
    });
}

/// Runs a program of one wave with a buffer in s[0:1].
fn program(name: &str, text: &str, dwords: &[u32]) -> Vec<u32> {
    let target = Target::named(name).expect("it exists");
    let mut device = gcn_emu::device::Device::new(Config::new(target.isa));
    let bytes = dwords.len() as u64 * 4;
    let buffer = device
        .memory
        .allocate("data", bytes)
        .expect("there is memory");
    device
        .memory
        .store_dwords(buffer, dwords)
        .expect("it is mapped");
    let initial = with_buffer(buffer);
    let done = dispatch(&mut device, target, text, 1, 64, initial);
    assert_eq!(done.fault, None, "{name}: {text}");
    let mut out = vec![0; dwords.len()];
    device
        .memory
        .load_dwords(buffer, &mut out)
        .expect("it is mapped");
    out
}

#[test]
fn s4_14_the_descriptor_hazard_has_no_effect() {
    // E130: the value just written is used.
    for name in FROM_VI {
        let text = "s_mov_b32 s4, s0\ns_mov_b32 s5, s1\ns_mov_b32 s6, 8\n\
            s_buffer_load_dwordx2 s[8:9], s[4:7], 0x4\ns_waitcnt lgkmcnt(0)\n\
            s_store_dwordx2 s[8:9], s[0:1], 0x8\ns_endpgm";
        assert_eq!(program(name, text, &[1, 2, 3, 4]), [1, 2, 2, 0], "{name}");
    }
}

#[test]
fn s4_15_a_load_to_vcc_keeps_vccz_right() {
    on(ALL, |m| {
        let buffer = m.buffer(&[0, 0, 1, 0]);
        m.s64(2, buffer).wave.set_vcc(1);
        m.run("s_load_dwordx2 vcc, s[2:3], 0x0");
        assert_eq!((m.wave.vcc(), m.wave.special(251)), (0, 1));
    });
}

// 5. Wait counters

#[test]
fn s5_1_the_fields_of_simm16() {
    // E120
    for isa in Isa::ALL {
        let wide = isa >= Isa::Gfx9;
        let counters = Waitcnt::unpack(isa, 0xcf7f);
        assert_eq!((counters.exp, counters.lgkm), (7, 15));
        assert_eq!(counters.vm, if wide { 63 } else { 15 });
        assert_eq!(
            Waitcnt::unpack(isa, 0x3080),
            Waitcnt {
                vm: 0,
                exp: 0,
                lgkm: 0
            }
        );
    }
}

#[test]
fn s5_2_a_wait_is_per_counter() {
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer)).set(4, |_| 0);
        m.run("global_load_dword v2, v[0:1], off\nds_read_b32 v3, v4\nflat_load_dword v2, v[0:1]");
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 2,
                exp: 0,
                lgkm: 2
            }
        );
        let most = Waitcnt::max(m.target.isa);
        m.wave.scoreboard.wait(most);
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 2,
                exp: 0,
                lgkm: 2
            },
            "no wait"
        );
        m.wave.scoreboard.wait(Waitcnt { vm: 0, ..most });
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 0,
                exp: 0,
                lgkm: 2
            }
        );
        m.wave.scoreboard.wait(Waitcnt { lgkm: 1, ..most });
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 0,
                exp: 0,
                lgkm: 1
            }
        );
        assert_eq!(m.wave.scoreboard.outstanding().count(), 1);
    });
}

#[test]
fn s5_2_a_kernel_that_looks_finds_what_is_outstanding() {
    // Checklist 9.3: nobody else sees the counters of a run without an observer.
    const LOOKS: &str = "
        s_mov_b32 m0, -1
        v_mov_b32 v1, 0
        ds_read_b32 v2, v1
        ds_read_b32 v3, v1
        s_getreg_b32 s4, hwreg(HW_REG_IB_STS, 8, 4)
        s_waitcnt lgkmcnt(1)
        s_getreg_b32 s5, hwreg(HW_REG_IB_STS, 8, 4)
        s_lshl_b32 s5, s5, 4
        s_or_b32 s4, s4, s5
        s_cmp_eq_u32 s4, 0x12
        s_cbranch_scc1 done
        s_trap 2
    done:
        s_endpgm";
    for name in ALL {
        let target = Target::named(name).expect("it exists");
        let mut device = gcn_emu::device::Device::new(Config::new(target.isa));
        let done = dispatch(&mut device, target, LOOKS, 1, 64, Initial::default());
        assert_eq!(done.fault.map(|f| f.kind), None, "{name}");
    }
}

#[test]
fn s5_3_a_full_counter_stalls() {
    on(ALL, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer).s(M0, 0xffff);
        for _ in 0..40 {
            m.run("ds_read_b32 v2, v3");
        }
        assert_eq!(m.wave.scoreboard.counters().lgkm, 15);
        m.run("s_load_dwordx2 s[4:5], s[2:3], 0x0");
        assert_eq!(m.wave.scoreboard.counters().lgkm, 15);
        assert_eq!(
            m.wave.scoreboard.outstanding().count(),
            14,
            "two have made room for one of two"
        );
        for _ in 0..20 {
            m.run("ds_write_b32 v2, v3 gds");
        }
        let counters = m.wave.scoreboard.counters();
        assert_eq!((counters.exp, counters.lgkm), (7, 15));
    });
}

#[test]
fn s5_4_kinds_that_share_lgkm_cnt_are_told_apart() {
    // E043
    use gcn_emu::scoreboard::Kind::{Flat, Gds, Lds, Scalar};
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer)
            .set64(0, |_| buffer)
            .set(4, |_| 0)
            .s(M0, 0xffff);
        m.run("ds_read_b32 v3, v4\nds_read_b32 v3, v4 gds\ns_load_dword s4, s[2:3], 0x0\nflat_load_dword v3, v[0:1]");
        let kinds: Vec<_> = m.wave.scoreboard.outstanding().map(|o| o.kind).collect();
        assert_eq!(kinds, [Lds, Gds, Scalar, Flat]);
        m.wave.scoreboard.wait(Waitcnt {
            vm: 0,
            exp: 0,
            lgkm: 0,
        });
        assert_eq!(m.wave.scoreboard.outstanding().count(), 0);
    });
}

#[test]
fn s5_5_the_end_does_not_wait_for_stores() {
    for name in NINE {
        let text =
            "v_mov_b32 v1, 7\nv_lshlrev_b32 v0, 2, v0\nglobal_store_dword v0, v1, s[0:1]\ns_endpgm";
        assert_eq!(program(name, text, &[0; 64]), [7; 64], "{name}");
    }
}

// MUBUF, which scratch and GCN 1.0 need; beyond the checklist.

/// Puts a descriptor in s[8:11]. One without ADD_TID gets a data format if it has none (errata E249).
fn descriptor(m: &mut Machine, base: u64, second: u32, records: u32, last: u32) {
    let has_format = last & (1 << 23 | 0xf << 15) != 0;
    m.s(8, base as u32)
        .s(9, (base >> 32) as u32 | second)
        .s(10, records)
        .s(11, if has_format { last } else { last | 4 << 15 });
}

#[test]
fn e249_a_descriptor_without_data_format_is_unbound() {
    // Errata E249: MIOpen's kernels switch their stores off so.
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(64));
        descriptor(m, buffer, 0, 256, 0);
        m.s(11, 0x7fac).set(0, |l| 4 * l as u32).set(1, |_| 9);
        m.run("buffer_load_dword v1, v0, s[8:11], 0 offen");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (0, 0));
        m.set(1, |_| 9)
            .run("buffer_store_dword v1, v0, s[8:11], 0 offen\nbuffer_atomic_add v1, v0, s[8:11], 0 offen glc");
        assert_eq!((m.v(1, 5), m.mem(buffer), m.mem(buffer + 20)), (0, 0, 5));
        // Nothing is there that could be missed, wherever the base is.
        m.s(8, 16)
            .s(9, 0)
            .run("buffer_store_dword v1, v0, s[8:11], 0 offen");
        assert!(!m.violated());
    });
    // With ADD_TID the bits are the stride's.
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(64));
        descriptor(m, buffer, 4 << 16, 256, 1 << 23);
        m.run("buffer_load_dword v1, off, s[8:11], 0");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (0, 63));
    });
}

#[test]
fn buffers_add_offsets_and_check_bounds() {
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(256));
        descriptor(m, buffer, 0, 256, 0);
        m.set(0, |l| 4 * l as u32).s(4, 8);
        m.run("buffer_load_dword v1, v0, s[8:11], s4 offen offset:4");
        assert_eq!((m.v(1, 0), m.v(1, 60), m.v(1, 61)), (3, 63, 0));
        assert!(!m.violated(), "bounds are no violation");
        m.set(2, |l| 1000 + l as u32)
            .run("buffer_store_dword v2, v0, s[8:11], 0 offen offset:252");
        assert_eq!((m.mem(buffer + 252), m.mem(buffer + 256)), (1000, 64));
        m.run("buffer_load_ubyte v1, off, s[8:11], 0 offset:4\nbuffer_load_dwordx2 v[2:3], off, s[8:11], 0 offset:252");
        assert_eq!((m.v(1, 9), m.v(2, 9), m.v(3, 9)), (1, 1000, 0));
        m.set(2, |_| 1)
            .run("buffer_atomic_add v2, v0, s[8:11], 0 offen glc");
        assert_eq!((m.v(2, 5), m.mem(buffer + 20)), (5, 6));
        m.set(2, |_| 1)
            .run("buffer_atomic_add v2, v0, s[8:11], 0 offen offset:252 glc");
        assert_eq!((m.v(2, 0), m.v(2, 1), m.mem(buffer + 256)), (1001, 0, 64));
    });
    // An index, a stride, and 64-bit addresses.
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(256));
        let unit = if m.target.isa == Isa::Vi { 12 } else { 1 };
        descriptor(m, buffer, 12 << 16, 20 * unit, 0);
        m.set(0, |l| l as u32)
            .run("buffer_load_dword v1, v0, s[8:11], 0 idxen offset:4");
        assert_eq!((m.v(1, 0), m.v(1, 19), m.v(1, 20)), (1, 58, 0));
    });
    on(&[SI, CI], |m| {
        let buffer = m.buffer(&count_up(256));
        descriptor(m, buffer, 0, 0, 0);
        m.set64(0, |l| 4 * l as u64)
            .run("buffer_load_dword v2, v[0:1], s[8:11], 0 addr64 offset:8");
        assert_eq!((m.v(2, 0), m.v(2, 63)), (2, 65));
        // As Clang compiles x[i - 1] at -O0: -4 is the descriptor's first half (errata E241).
        m.s(8, -4i32 as u32).s(9, u32::MAX);
        m.set64(0, |l| buffer + 4 * l as u64 + 4)
            .run("buffer_load_dword v2, v[0:1], s[8:11], 0 addr64 offset:8");
        assert_eq!((m.v(2, 0), m.v(2, 63)), (2, 65));
        assert!(!m.violated(), "the address is in the buffer");
    });
}

#[test]
fn buffers_reach_scratch_interleaved() {
    // As compiled code addresses private arrays: swizzled, element 4, index stride 64, lane number as index.
    on(ALL, |m| {
        let last = 1 << 19 | 3 << 21 | 1 << 23;
        let (base, offset) = (
            m.wave.scratch.region,
            m.wave.scratch.base - m.wave.scratch.region,
        );
        descriptor(m, base, 1 << 31, u32::MAX, last);
        m.s(4, offset as u32).set(0, |_| 8);
        for i in 0..2 {
            m.set(4 + i, |l| (1000 * (i + 1) + l) as u32);
        }
        m.run("buffer_store_dwordx2 v[4:5], v0, s[8:11], s4 offen offset:4");
        assert_eq!(m.mem(scratch_at(m, 0, 12)), 1000);
        assert_eq!(m.mem(scratch_at(m, 63, 16)), 2063);
        m.run("buffer_load_dword v6, off, s[8:11], s4 offset:16");
        assert_eq!(m.v(6, 33), 2033);
        m.run("buffer_load_ushort v6, off, s[8:11], s4 offset:14");
        assert_eq!(m.v(6, 33), 0);
        m.run("buffer_store_byte v4, off, s[8:11], s4 offset:13\nbuffer_load_dword v6, off, s[8:11], s4 offset:12");
        assert_eq!(m.v(6, 2), 0x0000_03ea & 0xff | (1002 & 0xff) << 8);
    });
}

#[test]
fn buffers_move_to_and_from_lds() {
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(256));
        descriptor(m, buffer, 0, 1024, 0);
        m.s(M0, 0x100).set(0, |l| 4 * l as u32);
        let limit = if m.target.isa >= Isa::Gfx9 { 63 } else { 0 };
        m.run("buffer_load_dword v0, s[8:11], 0 offen lds");
        assert_eq!(
            m.lds32(0x100 + 252),
            limit,
            "M0 is also the limit before GCN 1.4"
        );
    });
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        descriptor(m, buffer, 0, 256, 1 << 23);
        m.set_lds(8, 77)
            .s(M0, 0)
            .exec(0b100)
            .run("buffer_store_lds_dword s[8:11], 0 offset:8 lds");
        assert_eq!(m.mem(buffer + 8), 0, "LDS at 8 + 8 holds 0");
    });
}

// 7. Test vectors worth having first

#[test]
fn s7_1_lds_store_with_m0_zero() {
    on(&[VI, GFX9], |m| {
        m.s(M0, 0)
            .exec(1)
            .set(0, |_| 0)
            .set(1, |_| 7)
            .run("ds_write_b32 v0, v1");
        assert_eq!(m.lds32(0), if m.target.isa == Isa::Vi { 0 } else { 7 });
    });
}

#[test]
fn s7_2_read2_at_an_odd_address() {
    on(&[VI, GFX9], |m| {
        m.set_lds64(0, 0x8877_6655_4433_2211)
            .set_lds(8, 0xccbb_aa99)
            .exec(1)
            .set(0, |_| 1);
        m.run("ds_read2_b32 v[2:3], v0 offset0:0 offset1:1");
        let masked = m.target.isa == Isa::Vi;
        let expected = if masked {
            0x8877_6655_4433_2211
        } else {
            0x9988_7766_5544_3322
        };
        assert_eq!(m.v64(2, 0), expected);
    });
}

#[test]
fn s7_3_cmpst_and_cmpswap() {
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[5]);
        let (compare, new) = (5, 6);
        m.exec(1)
            .set_lds(0, 5)
            .set(0, |_| 0)
            .set(1, |_| compare)
            .set(2, |_| new);
        m.run("ds_cmpst_rtn_b32 v3, v0, v1, v2");
        assert_eq!((m.v(3, 0), m.lds32(0)), (5, 6));
        m.set64(4, |_| buffer).set(6, |_| new).set(7, |_| compare);
        m.run("flat_atomic_cmpswap v3, v[4:5], v[6:7] glc");
        assert_eq!((m.v(3, 0), m.mem(buffer)), (5, 6));
    });
}

#[test]
fn s7_4_permute_and_bpermute_with_half_the_lanes() {
    on(FROM_VI, |m| {
        let half = 0x5555_5555_5555_5555;
        m.exec(half)
            .set(0, |l| if l < 4 { 4 * 6 } else { 4 * l as u32 })
            .set(1, |l| 100 + l as u32);
        m.set(2, |_| 9).run("ds_permute_b32 v2, v0, v1");
        assert_eq!(
            [0, 1, 2, 4, 6, 7].map(|l| m.v(2, l)),
            [0, 9, 0, 104, 106, 9]
        );
        m.run("ds_permute_b32 v2, v0, v1 offset:4");
        assert_eq!(
            [6, 8].map(|l| m.v(2, l)),
            [0, 0],
            "odd targets only, none of which is written"
        );
        m.run("ds_bpermute_b32 v2, v0, v1");
        assert_eq!([0, 2, 8].map(|l| m.v(2, l)), [106, 106, 108]);
        m.run("ds_bpermute_b32 v2, v0, v1 offset:4");
        assert_eq!([0, 8].map(|l| m.v(2, l)), [0, 0], "inactive sources");
    });
}

#[test]
fn s7_5_swizzle_modes() {
    on(&[VI, GFX9], |m| {
        m.set(0, |l| l as u32);
        let mut read = |offset: &str| {
            m.run(&format!("ds_swizzle_b32 v1, v0 offset:{offset}"));
            [1, 6, 35].map(|l| m.v(1, l))
        };
        assert_eq!(read("0x801b"), [2, 5, 32], "quad-permute");
        assert_eq!(read("0x7c1f"), [30, 25, 60], "bitmask: reversed");
        let late = read("0xe01f");
        let rotated = read("0xc040");
        if m.target.isa == Isa::Vi {
            assert_eq!(late, [3, 5, 32], "quad-permute 3, 3, 1, 0");
            assert_eq!(rotated, [0, 4, 33], "quad-permute 0, 0, 0, 1");
        } else {
            assert_eq!(late, [1, 6, 35], "a butterfly that keeps every bit");
            assert_eq!(rotated, [3, 8, 37], "rotated by two");
        }
    });
}

#[test]
fn s7_6_src2_with_a_distance_of_minus_one() {
    on(ALL, |m| {
        m.exec(1)
            .set_lds(4, 30)
            .set_lds(8, 12)
            .set(0, |_| 8)
            .run("ds_add_src2_u32 v0 offset:0x7fff");
        assert_eq!(m.lds32(8), 42);
        m.set(0, |_| 8 | 0xfffe_0000)
            .run("ds_add_src2_u32 v0 offset:0x8000");
        assert_eq!(m.lds32(8), 72);
    });
}

#[test]
fn s7_7_global_saddr_is_not_sign_extended() {
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(8));
        m.exec(1)
            .s64(4, buffer.wrapping_sub(0xffff_fffc).wrapping_add(4096))
            .set(2, |_| 0xffff_fffc);
        m.run("global_load_dword v1, v2, s[4:5] offset:-4096");
        assert_eq!((m.v(1, 0), m.transfer.access.address[0]), (0, buffer));
    });
}

#[test]
fn s7_8_scratch_by_x4_by_dwords_and_through_flat() {
    on(FROM_CI, |m| {
        for i in 0..4 {
            m.set(4 + i, |l| (1000 * (i + 1) + l) as u32);
        }
        let address = private(m, 4);
        m.set64(0, |_| address)
            .run("flat_store_dwordx4 v[0:1], v[4:7]");
        for i in 0..4 {
            let address = private(m, 4 + 4 * i);
            m.set64(0, |_| address).run("flat_load_dword v2, v[0:1]");
            assert_eq!(
                (m.v(2, 0), m.v(2, 63)),
                (1000 * (i + 1), 1000 * (i + 1) + 63)
            );
        }
    });
    on(NINE, |m| {
        for i in 0..4 {
            m.set(4 + i, |l| (1000 * (i + 1) + l) as u32);
        }
        m.set(0, |_| 4).run("scratch_store_dwordx4 v0, v[4:7], off");
        for i in 0..4 {
            m.set(0, |_| 4 + 4 * i)
                .run("scratch_load_dword v2, v0, off");
            assert_eq!(
                (m.v(2, 0), m.v(2, 63)),
                (1000 * (i + 1), 1000 * (i + 1) + 63)
            );
        }
        let address = private(m, 4);
        m.set64(0, |_| address)
            .run("flat_load_dwordx4 v[8:11], v[0:1]");
        assert_eq!([8, 9, 10, 11].map(|v| m.v(v, 7)), [1007, 2007, 3007, 4007]);
    });
}

#[test]
fn s7_9_scalar_buffer_load_across_the_end() {
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(8));
        m.s(8, buffer as u32)
            .s(9, (buffer >> 32) as u32)
            .s(10, 14)
            .s(11, 0);
        m.run("s_buffer_load_dwordx4 s[4:7], s[8:11], 0x0");
        assert_eq!(
            [4, 5, 6, 7].map(|s| m.wave.scalar(s)),
            [0, 1, 2, 0],
            "12 + 4 > 14"
        );
    });
}

#[test]
fn s7_10_scalar_scratch_and_negative_immediates() {
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(6, 1)
            .run("s_scratch_load_dword s4, s[2:3], s6");
        assert_eq!(m.wave.scalar(4), 16);
        m.s64(2, buffer + 8).run("s_load_dword s4, s[2:3], -8");
        assert_eq!(m.wave.scalar(4), 0);
    });
}

#[test]
fn s7_11_dec_inc_and_wrap() {
    on(FROM_CI, |m| {
        let data = 5;
        for (old, dec, inc, wrapped) in [(0, 5, 1, 7), (5, 4, 0, 0), (6, 5, 0, 1)] {
            assert_eq!(ds32(m, "dec_u32", old, data, None), dec);
            assert_eq!(flat32(m, "dec", old, data, None), dec);
            assert_eq!(ds32(m, "inc_u32", old, data, None), inc);
            assert_eq!(flat32(m, "inc", old, data, None), inc);
            assert_eq!(ds32(m, "wrap_b32", old, data, Some(7)), wrapped);
        }
    });
}

#[test]
fn s7_12_i8_d16_keeps_the_other_half() {
    on(NINE, |m| {
        m.exec(1)
            .set_lds(0, 0x80)
            .set(0, |_| 0)
            .set(1, |_| 0x1234_5678)
            .set(2, |_| 0x1234_5678);
        m.run("ds_read_i8_d16 v1, v0\nds_read_i8_d16_hi v2, v0");
        assert_eq!((m.v(1, 0), m.v(2, 0)), (0x1234_ff80, 0xff80_5678));
    });
}

// The list

/// Every numbered item of sections 1 to 5 and 7 of the checklist.
fn items(text: &str) -> Vec<(u32, u32)> {
    let mut items = Vec::new();
    let mut section = 0;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title
                .split('.')
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or(0);
        }
        let number = match line.strip_prefix("- [ ] ").or(line.strip_prefix("- [x] ")) {
            Some(item) => item
                .split_whitespace()
                .next()
                .and_then(|n| n.split('.').nth(1)),
            None if section == 7 => line.split_once(". ").map(|(number, _)| number),
            None => None,
        };
        if let Some(number) = number.and_then(|n| n.parse().ok()) {
            items.push((section, number));
        }
    }
    items
}

#[test]
fn every_item_of_the_checklist_has_a_test() {
    let items = items(include_str!("../../../docs/semantics.md"));
    assert!(items.len() > 100, "the checklist is read: {}", items.len());
    let source = include_str!("semantics.rs");
    let missing: Vec<String> = items
        .into_iter()
        // Section 6 is for a checker: nothing of it is modelled here. From 8 on the items name their tests.
        .filter(|(section, _)| *section != 6 && *section < 8)
        .filter(|(section, number)| !source.contains(&format!("fn s{section}_{number}_")))
        .map(|(section, number)| format!("{section}.{number}"))
        .collect();
    assert!(missing.is_empty(), "without a test: {missing:?}");
}

#[test]
fn items_of_the_checklist_name_tests_that_exist() {
    let sources = [
        include_str!("alu/float.rs"),
        include_str!("alu/division.rs"),
        include_str!("alu/vector.rs"),
        include_str!("alu/control.rs"),
        include_str!("alu/signs.rs"),
        include_str!("indexing.rs"),
        include_str!("formats.rs"),
        include_str!("differential.rs"),
    ];
    let files = ["rounding.rs", "many.rs", "indexing.rs"];
    let mut items = 0;
    for line in include_str!("../../../docs/semantics.md").lines() {
        let section = line.strip_prefix("- [ ] ").and_then(|item| {
            let (section, _) = item.split_once('.')?;
            section.parse::<u32>().ok()
        });
        if section.is_none_or(|section| section < 8) {
            continue;
        }
        items += 1;
        let names: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{line}");
        for name in names {
            let is_test = |source: &&str| source.contains(&format!("fn {name}("));
            assert!(
                files.contains(&name) || sources.iter().any(is_test),
                "{name}: {line}"
            );
        }
    }
    assert!(items > 15, "{items}");
}
