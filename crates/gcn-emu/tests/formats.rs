//! Tests of typed buffers: formats of descriptors and instructions, 32-bit and 16-bit registers, bounds, LDS.

mod common;

use common::*;

/// Targets whose MTBUF has one 16-bit component per register, and those that pack two.
const UNPACKED: &[&str] = &["gfx803"];
const PACKED: &[&str] = &["gfx900", "gfx906"];

const HALF_ONE: u32 = 0x3c00;
/// LDS offset that loads to LDS write to.
const LDS: usize = 64;

/// Puts a descriptor of a buffer with these dwords into s[8:11], and returns the buffer's address.
fn descriptor(m: &mut Machine, dwords: &[u32], last: u32) -> u64 {
    let address = m.buffer(dwords);
    m.s(8, address as u32).s(9, (address >> 32) as u32);
    m.s(10, dwords.len() as u32 * 4).s(11, last);
    address
}

/// Last dword of a descriptor that selects X, Y, Z, W in order, with a number format and a data format.
fn identity(data: u32, numbers: u32) -> u32 {
    4 | 5 << 3 | 6 << 6 | 7 << 9 | numbers << 12 | data << 15
}

fn one(x: f32) -> u32 {
    x.to_bits()
}

#[test]
fn components_are_converted_as_the_format_says() {
    // E200, E201: element, data format, number format, X Y Z W.
    #[rustfmt::skip]
    let cases: &[([u32; 4], u32, u32, [u32; 4])] = &[
        // One byte: UNORM, SNORM, USCALED, SSCALED, UINT, SINT.
        ([0xff, 0, 0, 0], 1, 0, [one(1.0), 0, 0, one(1.0)]),
        ([0x81, 0, 0, 0], 1, 1, [one(-1.0), 0, 0, one(1.0)]),
        ([0x80, 0, 0, 0], 1, 1, [one(-1.0), 0, 0, one(1.0)]),
        ([0x80, 0, 0, 0], 1, 2, [one(128.0), 0, 0, one(1.0)]),
        ([0x80, 0, 0, 0], 1, 3, [one(-128.0), 0, 0, one(1.0)]),
        ([0x80, 0, 0, 0], 1, 4, [0x80, 0, 0, 1]),
        ([0x80, 0, 0, 0], 1, 5, [0xffff_ff80, 0, 0, 1]),
        // 16, 8_8, 16_16.
        ([0x3c00, 0, 0, 0], 2, 7, [one(1.0), 0, 0, one(1.0)]),
        ([0x3c01, 0, 0, 0], 3, 4, [0x01, 0x3c, 0, 1]),
        ([0xc000_3800, 0, 0, 0], 5, 7, [one(0.5), one(-2.0), 0, one(1.0)]),
        // 32, 32_32, 32_32_32, 32_32_32_32.
        ([0x7f80_0001, 0, 0, 0], 4, 7, [0x7f80_0001, 0, 0, one(1.0)]),
        ([1, 2, 0, 0], 11, 4, [1, 2, 0, 1]),
        ([1, 2, 3, 9], 13, 4, [1, 2, 3, 1]),
        ([1, 2, 3, 4], 14, 5, [1, 2, 3, 4]),
        // Format names list the lowest component last: 10_11_11, 11_11_10, 10_10_10_2, 2_10_10_10.
        ([7 | 9 << 11 | 5 << 22, 0, 0, 0], 6, 4, [7, 9, 5, 1]),
        ([7 | 9 << 10 | 5 << 21, 0, 0, 0], 7, 4, [7, 9, 5, 1]),
        ([2 | 9 << 2 | 5 << 12 | 8 << 22, 0, 0, 0], 8, 4, [2, 9, 5, 8]),
        ([7 | 9 << 10 | 5 << 20 | 3 << 30, 0, 0, 0], 9, 4, [7, 9, 5, 3]),
        // 11-bit and 10-bit floats: 1, 0.5, 2.
        ([0x3c0 | 0x380 << 11 | 0x200 << 22, 0, 0, 0], 6, 7, [one(1.0), one(0.5), one(2.0), one(1.0)]),
        ([0x0403_0201, 0, 0, 0], 10, 4, [1, 2, 3, 4]),
        ([0x0002_0001, 0x0004_8000, 0, 0], 12, 5, [1, 2, 0xffff_8000, 4]),
        // An invalid format reads nothing.
        ([0xff, 0, 0, 0], 0, 4, [0; 4]),
    ];
    on(ALL, |m| {
        for &(element, data, numbers, want) in cases {
            m.exec(1);
            descriptor(m, &element, identity(data, numbers));
            m.run("buffer_load_format_xyzw v[0:3], off, s[8:11], 0");
            let got = [0, 1, 2, 3].map(|n| m.v(n, 0));
            assert_eq!(got, want, "data format {data}, numbers {numbers}");
            let text = format!(
                "tbuffer_load_format_xyzw v[4:7], off, s[8:11], 0 format:{}",
                data | numbers << 4
            );
            descriptor(m, &element, 0);
            m.run(&text);
            let got = [4, 5, 6, 7].map(|n| m.v(n, 0));
            assert_eq!(got, want, "{text}");
        }
    });
}

#[test]
fn the_descriptor_selects_components() {
    // E201: X is W, Y is 0, Z is 1, W is X.
    on(ALL, |m| {
        m.exec(1).set(3, |_| 0x55);
        let last = 7 | 1 << 6 | 4 << 9 | 4 << 12 | 10 << 15;
        let address = descriptor(m, &[0x0403_0201, 0], last);
        m.run("buffer_load_format_xyz v[0:2], off, s[8:11], 0");
        assert_eq!([0, 1, 2, 3].map(|n| m.v(n, 0)), [4, 0, 1, 0x55]);
        // E202: stores use the inverse selection; components that are not selected are 0.
        m.set(0, |_| 9).set(1, |_| 8).set(2, |_| 7).set(3, |_| 6);
        m.run("buffer_store_format_xyzw v[0:3], off, s[8:11], 0");
        assert_eq!(m.mem(address), 0x0900_0006);
    });
}

#[test]
fn registers_are_converted_to_components() {
    // E202, E203: registers, data format, number format, element.
    #[rustfmt::skip]
    let cases: &[([u32; 4], u32, u32, [u32; 4])] = &[
        ([one(1.0), one(0.5), one(-1.0), one(2.0)], 10, 0, [0xff00_80ff, 0, 0, 0]),
        ([one(1.0), one(-1.0), one(-2.0), one(f32::NAN)], 10, 1, [0x0081_817f, 0, 0, 0]),
        ([one(300.0), one(2.5), one(-1.0), one(255.0)], 10, 2, [0xff00_02ff, 0, 0, 0]),
        ([one(127.5), one(-128.5), one(-1.0), one(3.0)], 10, 3, [0x03ff_807f, 0, 0, 0]),
        ([256, 1, 2, 3], 10, 4, [0x0302_01ff, 0, 0, 0]),
        ([128, (-129i32) as u32, 2, (-1i32) as u32], 10, 5, [0xff02_807f, 0, 0, 0]),
        ([one(1.0), one(65504.0), one(1e-9), one(-0.0)], 12, 7, [0x7bff_3c00, 0x8000_0000, 0, 0]),
        ([0x7f80_0001, 2, 3, 4], 14, 7, [0x7f80_0001, 2, 3, 4]),
        ([one(1.0), one(0.5), one(-2.0), 0], 6, 7, [0x3c0 | 0x380 << 11, 0, 0, 0]),
        ([1, 2, 3, 4], 8, 4, [1 | 2 << 2 | 3 << 12 | 4 << 22, 0, 0, 0]),
    ];
    on(ALL, |m| {
        for &(registers, data, numbers, want) in cases {
            m.exec(1);
            for (n, value) in registers.into_iter().enumerate() {
                m.set(n, |_| value);
            }
            let address = descriptor(m, &[0; 4], identity(data, numbers));
            m.run("buffer_store_format_xyzw v[0:3], off, s[8:11], 0");
            let got = [0, 4, 8, 12].map(|n| m.mem(address + n));
            assert_eq!(got, want, "data format {data}, numbers {numbers}");
        }
    });
}

#[test]
fn halves_have_a_register_each_or_share_one() {
    // E200
    let element = [0xff00_80ff, 0];
    on(UNPACKED, |m| {
        m.exec(1).set(4, |_| 0x55);
        let address = descriptor(m, &element, identity(10, 0));
        m.run("buffer_load_format_d16_xyzw v[0:3], off, s[8:11], 0");
        assert_eq!([0, 2, 3].map(|n| m.v(n, 0)), [HALF_ONE, 0, HALF_ONE]);
        assert_eq!(m.v(4, 0), 0x55);
        m.set(1, |_| 0x3800);
        m.run("buffer_store_format_d16_xyzw v[0:3], off, s[8:11], 0");
        assert_eq!(m.mem(address), 0xff00_80ff);
    });
    on(PACKED, |m| {
        m.exec(1).set(2, |_| 0x55);
        let address = descriptor(m, &element, identity(10, 0));
        m.run("buffer_load_format_d16_xyzw v[0:1], off, s[8:11], 0");
        assert_eq!(m.v(0, 0) & 0xffff, HALF_ONE);
        assert_eq!((m.v(1, 0), m.v(2, 0)), (HALF_ONE << 16, 0x55));
        m.set(0, |_| 0x3800_3c00);
        m.run("buffer_store_format_d16_xyzw v[0:1], off, s[8:11], 0");
        assert_eq!(m.mem(address), 0xff00_80ff);
        m.set(5, |_| 0x3800_0000);
        m.run("buffer_store_format_d16_hi_x v5, off, s[8:11], 0 offset:4");
        // Components without a register are zero (E202).
        assert_eq!(m.mem(address + 4), 0x80);
    });
    // E263
    for (targets, kept) in D16 {
        on(targets, |m| {
            m.exec(1).set(5, |_| 0x1234_5678);
            descriptor(m, &element, identity(10, 0));
            m.run("buffer_load_format_d16_hi_x v5, off, s[8:11], 0");
            assert_eq!(m.v(5, 0), HALF_ONE << 16 | 0x5678 & kept);
        });
    }
}

#[test]
fn elements_out_of_bounds_read_zero_and_are_not_written() {
    on(ALL, |m| {
        // Four records of one byte, indexed by lane.
        m.exec(0b11_1111)
            .set(0, |lane| lane as u32)
            .set(1, |_| 0x55);
        let address = descriptor(m, &[0x0403_0201, 0x0807_0605], identity(1, 4));
        let (low, high) = (address as u32, (address >> 32) as u32);
        m.s(8, low).s(9, high | 1 << 16).s(10, 4);
        m.run("buffer_load_format_x v1, v0, s[8:11], 0 idxen");
        assert_eq!(
            [0, 1, 3, 4, 5, 6].map(|lane| m.v(1, lane)),
            [1, 2, 4, 0, 0, 0x55]
        );
        m.set(1, |_| 9);
        m.run("buffer_store_format_x v1, v0, s[8:11], 0 idxen");
        assert_eq!(
            (m.mem(address), m.mem(address + 4)),
            (0x0909_0909, 0x0807_0605)
        );
    });
}

#[test]
fn formatted_loads_may_go_to_lds() {
    on(ALL, |m| {
        m.exec(0b11).s(124, LDS as u32).set(0, |lane| lane as u32);
        descriptor(m, &[0xff00, 0], identity(1, 0));
        m.run("buffer_load_format_x off, s[8:11], 0 lds");
        assert_eq!((m.lds32(LDS), m.lds32(LDS + 4)), (0, 0));
        m.run("buffer_load_format_x v0, s[8:11], 0 offen lds");
        assert_eq!((m.lds32(LDS), m.lds32(LDS + 4)), (0, one(1.0)));
    });
}

#[test]
fn the_status_comes_after_the_data() {
    on(&["gfx600", "gfx700", "gfx803"], |m| {
        m.exec(1).set(2, |_| 0x55).set(3, |_| 0x66);
        descriptor(m, &[0x0201, 0], identity(3, 4));
        m.run("buffer_load_format_xy v[0:2], off, s[8:11], 0 tfe");
        assert_eq!([0, 1, 2, 3].map(|n| m.v(n, 0)), [1, 2, 0, 0x66]);
    });
}
