//! Tests of section 2 of the checklist, DS: atomics.

use crate::common::*;

/// Runs a DS atomic on `old` with `data` and `second` (32 bits). Returns the new value in LDS, and asserts that the
/// form with RTN returns the old value.
pub fn ds32(m: &mut Machine, name: &str, old: u32, data: u32, second: Option<u32>) -> u32 {
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
    // E060 to E065: ds32 and ds64 check returned values for each operation; this checks that inactive lanes keep VDST.
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
        // E002: the same for four dwords, at a multiple of 16.
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

/// MODE with and without single-precision denormals.
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
            0xffc0_0000,
            "E190"
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
