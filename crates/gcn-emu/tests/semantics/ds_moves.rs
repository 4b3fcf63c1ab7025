//! Tests of section 2 of the checklist, DS: loads, stores, counts.

use crate::common::*;
use gcn_emu::Lds;
use gcn_isa::Isa;

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
    for (targets, kept) in D16 {
        on(targets, |m| {
            for (name, value) in [("u8", 0x0081), ("i8", 0xff81), ("u16", 0x8081)] {
                m.exec(1).set_lds(0, 0x1234_8081).set(0, |_| 0);
                m.set(1, |_| 0xaaaa_bbbb).set(2, |_| 0xaaaa_bbbb);
                m.run(&format!(
                    "ds_read_{name}_d16 v1, v0\nds_read_{name}_d16_hi v2, v0"
                ));
                let low = 0xaaaa_0000 & kept | value;
                let high = value << 16 | 0xbbbb & kept;
                assert_eq!((m.v(1, 0), m.v(2, 0)), (low, high), "{name}");
            }
        });
    }
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
