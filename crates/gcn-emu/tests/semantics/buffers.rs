//! Tests of MUBUF, which scratch and GCN 1.0 need, beyond the checklist.

use super::flat_addresses::{count_up, scratch_at};
use crate::common::*;
use gcn_isa::Isa;

/// Puts a descriptor into s[8:11]. It gets a data format if it has none, unless these bits belong to the stride (errata
/// E249).
fn descriptor(m: &mut Machine, base: u64, second: u32, records: u32, last: u32) {
    let bits_are_stride = last & 1 << 23 != 0 && m.target.isa >= Isa::Vi;
    let has_format = last & 0xf << 15 != 0 || bits_are_stride;
    m.s(8, base as u32)
        .s(9, (base >> 32) as u32 | second)
        .s(10, records)
        .s(11, if has_format { last } else { last | 4 << 15 });
}

#[test]
fn e249_a_descriptor_without_data_format_is_unbound() {
    // Errata E249: MIOpen's kernels disable their stores this way.
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(64));
        descriptor(m, buffer, 0, 256, 0);
        m.s(11, 0x7fac).set(0, |l| 4 * l as u32).set(1, |_| 9);
        m.run("buffer_load_dword v1, v0, s[8:11], 0 offen");
        assert_eq!((m.v(1, 0), m.v(1, 63)), (0, 0));
        m.set(1, |_| 9)
            .run("buffer_store_dword v1, v0, s[8:11], 0 offen\nbuffer_atomic_add v1, v0, s[8:11], 0 offen glc");
        assert_eq!((m.v(1, 5), m.mem(buffer), m.mem(buffer + 20)), (0, 0, 5));
        // No memory is accessed, so an unmapped base is not a violation.
        m.s(8, 16)
            .s(9, 0)
            .run("buffer_store_dword v1, v0, s[8:11], 0 offen");
        assert!(!m.violated());
    });
    // With ADD_TID, the bits belong to the stride from GCN 1.2 on.
    on(FROM_VI, |m| {
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
    // Index, stride, and 64-bit addresses.
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
        // Clang compiles x[i - 1] at -O0 to this: the base in the descriptor is -4 (errata E241).
        m.s(8, -4i32 as u32).s(9, u32::MAX);
        m.set64(0, |l| buffer + 4 * l as u64 + 4)
            .run("buffer_load_dword v2, v[0:1], s[8:11], 0 addr64 offset:8");
        assert_eq!((m.v(2, 0), m.v(2, 63)), (2, 65));
        assert!(!m.violated(), "the address is in the buffer");
    });
}

#[test]
fn buffers_reach_scratch_interleaved() {
    // Compiled code addresses private arrays this way: swizzled, element size 4, index stride 64, lane number as index.
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
        // M0's low half is an offset; its high half has no effect (errata E309).
        for m0 in [0x100, 0, 0x10_0040] {
            m.s(M0, m0).set(0, |l| 4 * l as u32);
            m.run("buffer_load_dword v0, s[8:11], 0 offen offset:4 lds");
            let place = (m0 as u16 + 4).into();
            assert_eq!((m.lds32(place), m.lds32(place + 248)), (1, 63), "{m0:#x}");
        }
        // The allocation is the limit.
        m.s(M0, LDS_BYTES - 8).set(0, |_| 12);
        assert!(!m.violated());
        m.run("buffer_load_dword v0, s[8:11], 0 offen lds");
        assert_eq!(m.lds32(LDS_BYTES as usize - 4), 3);
        assert!(m.violated());
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

/// Lanes in which a load of dwords is in bounds.
fn reached(m: &mut Machine, text: &str) -> Vec<usize> {
    m.set(1, |_| 0);
    m.run(text);
    assert!(!m.violated(), "bounds are no violation");
    (0..LANES).filter(|&lane| m.v(1, lane) != 0).collect()
}

#[test]
fn e308_offsets_are_inside_of_records() {
    let all: Vec<usize> = (0..LANES).collect();
    let filled = |m: &mut Machine| m.buffer(&[7; 4096]);
    let load = "buffer_load_dword v1, v[2:3], s[8:11], 0 idxen offen";
    // Index 0, and an offset of 4 bytes times the lane number.
    let indexed = |m: &mut Machine| {
        m.set(2, |_| 0).set(3, |l| 4 * l as u32);
    };
    on(&[SI, CI], |m| {
        let buffer = filled(m);
        descriptor(m, buffer, 16 << 16, 2, 0);
        indexed(m);
        assert_eq!(reached(m, load), [0, 1, 2, 3], "of a record of 16 bytes");
        m.set(2, |l| l as u32).set(3, |_| 0);
        assert_eq!(reached(m, load), [0, 1], "of two records");
        // Without an index, the stride is not a limit, but NUM_RECORDS must not be 0.
        m.set(0, |l| 4 * l as u32);
        let offset = "buffer_load_dword v1, v0, s[8:11], 0 offen";
        assert_eq!(reached(m, offset), all);
        m.s(10, 0);
        assert_eq!(reached(m, offset), []);
    });
    on(&[VI], |m| {
        let buffer = filled(m);
        // NUM_RECORDS is in records with swizzling, and in bytes without.
        descriptor(m, buffer, 1 << 31 | 16 << 16, 2, 1 << 19);
        indexed(m);
        assert_eq!(reached(m, load), [0, 1, 2, 3]);
        descriptor(m, buffer, 16 << 16, 24, 0);
        assert_eq!(reached(m, load), [0, 1, 2, 3, 4, 5]);
    });
    on(NINE, |m| {
        let buffer = filled(m);
        descriptor(m, buffer, 16 << 16, 1, 0);
        indexed(m);
        assert_eq!(reached(m, load), all, "the index alone counts");
        // Scratch has no limit.
        descriptor(m, buffer, 16 << 16, 1, 1 << 23);
        assert_eq!(reached(m, "buffer_load_dword v1, off, s[8:11], 0"), all);
    });
}

#[test]
fn e308_negative_offsets_wrap_on_gcn_1_4() {
    // From piglit's test of private memory with a negative VADDR: -4 and a constant of 8.
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(256));
        descriptor(m, buffer, 0, u32::MAX, 0);
        m.set(0, |_| -4i32 as u32);
        m.run("buffer_load_dword v1, v0, s[8:11], 0 offen offset:8");
        let expected = if m.target.isa >= Isa::Gfx9 { 1 } else { 0 };
        assert_eq!(m.v(1, 5), expected);
        assert!(!m.violated());
    });
}

#[test]
fn e308_formats_and_atomics_are_in_range_as_a_whole() {
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(8));
        // 32_32, unsigned integers; the second dword is out of range.
        descriptor(m, buffer + 4, 0, 12, 0o7654 | 4 << 12 | 11 << 15);
        m.set(2, |_| 99).set(3, |_| 99);
        m.run("buffer_load_format_x v2, off, s[8:11], 0 offset:8");
        assert_eq!(m.v(2, 0), 0);
        m.run("buffer_load_format_xy v[2:3], off, s[8:11], 0 offset:4");
        assert_eq!((m.v(2, 0), m.v(3, 0)), (2, 3));
        m.run("buffer_store_format_xy v[2:3], off, s[8:11], 0 offset:8");
        m.run("buffer_atomic_add_x2 v[2:3], off, s[8:11], 0 offset:8");
        assert_eq!((m.mem(buffer + 12), m.mem(buffer + 16)), (3, 4));
        // Dwords of an unformatted access are checked separately.
        m.set(2, |_| 99).set(3, |_| 99);
        m.run("buffer_load_dwordx2 v[2:3], off, s[8:11], 0 offset:8");
        assert_eq!((m.v(2, 0), m.v(3, 0)), (3, 0));
        assert!(!m.violated());
    });
}

#[test]
fn e104_gcn_1_0_ignores_the_low_bits_of_addresses() {
    on(ALL, |m| {
        let buffer = m.buffer(&[0x0302_0100, 0x0706_0504, 0x0b0a_0908]);
        descriptor(m, buffer, 0, 12, 0);
        m.set(0, |_| 3);
        m.run("buffer_load_dword v1, v0, s[8:11], 0 offen\nbuffer_load_ushort v2, v0, s[8:11], 0 offen");
        let expected = match m.target.isa {
            Isa::Si => (0x0302_0100, 0x0302),
            _ => (0x0605_0403, 0x0403),
        };
        assert_eq!((m.v(1, 9), m.v(2, 9)), expected);
    });
    // Interleaved by lanes, from an unaligned address.
    on(&[SI], |m| {
        let buffer = m.buffer(&[0x0302_0100; 64]);
        descriptor(m, buffer, 1 << 31, 256, 1 << 19 | 3 << 21 | 1 << 23);
        m.run("buffer_load_sshort v1, off, s[8:11], 1");
        assert_eq!((m.v(1, 0), m.v(1, 9)), (0x0100, 0x0100));
    });
}

#[test]
fn e310_the_status_of_halves() {
    // E310, E263
    for (targets, kept) in D16 {
        on(targets, |m| {
            let buffer = m.buffer(&[0x1234_5678]);
            descriptor(m, buffer, 0, 4, 0);
            m.set(1, |_| 0x99).set(2, |_| 0x99);
            m.run("buffer_load_short_d16_hi v[1:2], off, s[8:11], 0 tfe");
            assert_eq!((m.v(1, 0), m.v(2, 0)), (0x5678_0000 | 0x99 & kept, 0));
        });
    }
}
