//! MUBUF, which scratch and GCN 1.0 need; beyond the checklist.

use super::flat_addresses::{count_up, scratch_at};
use crate::common::*;
use gcn_isa::Isa;

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
