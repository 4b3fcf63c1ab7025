//! Tests of section 1 of the checklist: execution model.

use crate::common::*;
use gcn_emu::device::{Config, OnViolation};
use gcn_emu::fault::{FaultKind, Intent};
use gcn_emu::internals::Attempt;
use gcn_emu::run::Initial;
use gcn_isa::Target;

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
    // E048: these have an effect even if EXEC is 0.
    on(ALL, |m| {
        m.exec(0).s(M0, 0).set(0, |l| 1 + l as u32);
        m.run("ds_gws_init v0 gds\nds_gws_sema_p gds");
        assert_eq!(
            m.try_run("ds_gws_sema_p gds"),
            Ok(Attempt::Blocked),
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
    // E105: an out-of-range source reads v0, and an out-of-range destination cancels the instruction.
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
fn s1_8_d16_loads_keep_or_clear_the_other_half() {
    // E071, E100, E263
    for (targets, kept) in D16 {
        on(targets, |m| {
            let buffer = m.buffer(&[0xffff_8001]);
            m.exec(0b10)
                .set64(0, |_| buffer)
                .set(2, |_| 0xaaaa_bbbb)
                .set(3, |_| 0xaaaa_bbbb);
            m.run("global_load_short_d16 v2, v[0:1], off");
            m.run("global_load_short_d16_hi v3, v[0:1], off");
            let low = 0xaaaa_0000 & kept | 0x8001;
            assert_eq!((m.v(2, 0), m.v(2, 1)), (0xaaaa_bbbb, low));
            let high = 0x8001_0000 | 0xbbbb & kept;
            assert_eq!((m.v(3, 0), m.v(3, 1)), (0xaaaa_bbbb, high));
        });
    }
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
