//! Tests of section 2 of the checklist, DS: moves between lanes, counters.

use crate::common::*;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::Order;

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
        // AND 0x1c, OR 0x02, XOR 0x01.
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
    on(FROM_VI, |m| {
        m.set(0, |l| l as u32)
            .run("ds_swizzle_b32 v1, v0 offset:swizzle(FFT,0)");
        assert_eq!([1, 2, 33].map(|l| m.v(1, l)), [16, 8, 48], "bits reversed");
        m.run("ds_swizzle_b32 v1, v0 offset:0xe01f");
        assert_eq!([1, 30, 33].map(|l| m.v(1, l)), [1, 30, 33]);
        m.run("ds_swizzle_b32 v1, v0 offset:0xe010");
        assert_eq!([1, 17].map(|l| m.v(1, l)), [8, 24]);
        m.run("ds_swizzle_b32 v1, v0 offset:0xc020");
        assert_eq!([0, 31, 32].map(|l| m.v(1, l)), [1, 0, 33]);
        m.run("ds_swizzle_b32 v1, v0 offset:swizzle(ROTATE,1,1)");
        assert_eq!([0, 31].map(|l| m.v(1, l)), [31, 30]);
        m.run("ds_swizzle_b32 v1, v0 offset:0xc038");
        assert_eq!(
            [0, 7, 8].map(|l| m.v(1, l)),
            [1, 0, 9],
            "within the groups of 8"
        );
    });
    on(BEFORE_VI, |m| {
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
        let first = m.wave.scoreboard.outstanding().next();
        assert_eq!(first.map(|o| o.held.order), Some(Order::Gds));
    });
}
