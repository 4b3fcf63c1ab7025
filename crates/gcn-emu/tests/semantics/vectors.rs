//! Tests of section 7 of the checklist: test vectors worth having first.

use super::ds_atomics::ds32;
use super::flat_addresses::{count_up, private};
use super::flat_atomics::flat32;
use crate::common::*;
use gcn_isa::Isa;

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
    on(&[CI, VI, GFX9], |m| {
        m.set(0, |l| l as u32);
        let mut read = |offset: &str| {
            m.run(&format!("ds_swizzle_b32 v1, v0 offset:{offset}"));
            [1, 6, 35].map(|l| m.v(1, l))
        };
        assert_eq!(read("0x801b"), [2, 5, 32], "quad-permute");
        assert_eq!(read("0x7c1f"), [30, 25, 60], "bitmask: reversed");
        let late = read("0xe01f");
        let rotated = read("0xc040");
        if m.target.isa == Isa::Ci {
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
        assert_eq!((m.v(1, 0), m.transfer.access_mut().address[0]), (0, buffer));
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
fn s7_12_i8_d16_keeps_or_clears_the_other_half() {
    for (targets, kept) in D16 {
        on(targets, |m| {
            m.exec(1)
                .set_lds(0, 0x80)
                .set(0, |_| 0)
                .set(1, |_| 0x1234_5678)
                .set(2, |_| 0x1234_5678);
            m.run("ds_read_i8_d16 v1, v0\nds_read_i8_d16_hi v2, v0");
            let expected = (0x1234_0000 & kept | 0xff80, 0xff80_0000 | 0x5678 & kept);
            assert_eq!((m.v(1, 0), m.v(2, 0)), expected);
        });
    }
}
