//! Tests of section 2 of the checklist, DS: offsets, bounds, alignment, order of lanes.

use crate::common::*;
use gcn_emu::Lds;
use gcn_emu::device::Config;
use gcn_isa::{Isa, Target};

#[test]
fn s2_1_the_gds_bit_moves() {
    // E030, E031: the words of Appendix A access GDS.
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
    // E039, and the option that disables it.
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
    // With an M0 of 0xffff, the last byte of 64 KiB is accessible.
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
    // E040, E041, E042, E070, and therefore E247
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
        // Atomics ignore the low address bits.
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
