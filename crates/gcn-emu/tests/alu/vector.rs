//! Tests of the vector ALU against references, with every encoding and kind of source, random EXEC, and the destination
//! among the sources.

use gcn_isa::{Encoding, Inst, Isa, Kind, Op, Operand, OperandAccess, Slot, Ty, rows};

use crate::common::*;
use crate::float::{self, APPROXIMATE, f, g, h};

/// Sources of a lane, its old destination, its bit of the mask that is read (VCC if there is none), and its number.
#[derive(Clone, Copy, Debug)]
pub struct In {
    pub a: u64,
    pub b: u64,
    pub c: u64,
    pub d: u64,
    pub bit: bool,
    pub lane: u32,
    pub isa: Isa,
}

/// Result of a lane, and its bit of the mask that is written.
pub type Out = (u64, bool);
pub type Reference = fn(In) -> Out;

fn value(x: u64) -> Out {
    (x, false)
}
fn u(x: u64) -> u64 {
    x & 0xffff_ffff
}
fn i(x: u64) -> i64 {
    i64::from(x as i32)
}
fn k(x: u64) -> u64 {
    x & 0xffff
}
fn j(x: u64) -> i64 {
    i64::from(x as i16)
}
fn s24(x: u64) -> i64 {
    i64::from((x as i32) << 8 >> 8)
}
fn u24(x: u64) -> u64 {
    x & 0xff_ffff
}
fn median(mut x: [i64; 3]) -> u64 {
    x.sort();
    x[1] as u64
}
fn byte(x: u64, n: u32) -> u64 {
    x >> (8 * n) & 0xff
}
fn sad(x: u64, y: u64) -> u64 {
    (0..4).map(|n| byte(x, n).abs_diff(byte(y, n))).sum()
}
fn msad(x: u64, y: u64) -> u64 {
    (0..4)
        .filter(|&n| byte(y, n) != 0)
        .map(|n| byte(x, n).abs_diff(byte(y, n)))
        .sum()
}
fn quad(x: In, f: impl Fn(u64, u64) -> u64) -> u64 {
    (0..4).fold(0, |all, n| {
        all | k(f(u(x.a >> (8 * n)), u(x.b)) + (x.c >> (16 * n) & 0xffff)) << (16 * n)
    })
}
/// Number of bits above the highest one for which `bit` is true; −1 if there is none.
fn leading(bit: impl Fn(u32) -> bool) -> u64 {
    (0..32)
        .find(|&n| bit(31 - n))
        .map_or(0xffff_ffff, u64::from)
}
fn perm(x: In) -> u64 {
    let pair = u(x.a) << 32 | u(x.b);
    (0..4).fold(0, |all, n| {
        let chosen = match byte(x.c, n) {
            sel @ 0..=7 => byte(pair, sel as u32),
            8 => 0xff * (pair >> 15 & 1),
            9 => 0xff * (pair >> 31 & 1),
            10 => 0xff * (pair >> 47 & 1),
            11 => 0xff * (pair >> 63),
            12 => 0,
            _ => 0xff,
        };
        all | chosen << (8 * n)
    })
}
fn below(x: In, first: u32) -> u64 {
    (0..32)
        .filter(|n| first + n < x.lane && x.a >> n & 1 == 1)
        .count() as u64
}
/// Applies an operation to each half.
fn halves(x: In, f: impl Fn(u64, u64, u64) -> u64) -> Out {
    let at = |n: u32| k(f(k(x.a >> n), k(x.b >> n), k(x.c >> n)));
    value(at(0) | at(16) << 16)
}
fn dot_product(x: In, count: u32, signed: bool) -> i64 {
    let width = 32 / count;
    (0..count)
        .map(|n| {
            let at = |v: u64| {
                let part = (v >> (width * n) & ((1 << width) - 1)) as i64;
                if signed && part >> (width - 1) == 1 {
                    part - (1 << width)
                } else {
                    part
                }
            };
            at(x.a) * at(x.b)
        })
        .sum()
}

/// Finds the reference of an instruction by name.
pub fn reference(name: &str) -> Option<Reference> {
    let found = TABLE.iter().chain(float::TABLE).find(|(n, _)| *n == name);
    found.map(|(_, f)| *f).or_else(|| comparison(name))
}

#[rustfmt::skip]
const TABLE: &[(&str, Reference)] = &[
    ("v_mov_b32",      |x| value(u(x.a))),
    ("v_not_b32",      |x| value(u(!x.a))),
    ("v_bfrev_b32",    |x| value((0..32).fold(0, |all, n| all | (x.a >> n & 1) << (31 - n)))),
    ("v_ffbh_u32",     |x| value(leading(|n| x.a >> n & 1 == 1))),
    ("v_ffbl_b32",     |x| value((0..32).find(|n| x.a >> n & 1 == 1).unwrap_or(0xffff_ffff))),
    ("v_ffbh_i32",     |x| value(leading(|n| x.a >> n & 1 != x.a >> 31 & 1))),
    ("v_sat_pk_u8_i16", |x| value(j(x.a).clamp(0, 255) as u64 | (j(x.a >> 16).clamp(0, 255) as u64) << 8)),

    ("v_cndmask_b32",  |x| value(u(if x.bit { x.b } else { x.a }))),
    ("v_mul_i32_i24",  |x| value(u((s24(x.a) * s24(x.b)) as u64))),
    ("v_mul_hi_i32_i24", |x| value(u(((s24(x.a) * s24(x.b)) >> 32) as u64))),
    ("v_mul_u32_u24",  |x| value(u(u24(x.a) * u24(x.b)))),
    ("v_mul_hi_u32_u24", |x| value((u24(x.a) * u24(x.b)) >> 32)),
    ("v_min_i32",      |x| value(u(i(x.a).min(i(x.b)) as u64))),
    ("v_max_i32",      |x| value(u(i(x.a).max(i(x.b)) as u64))),
    ("v_min_u32",      |x| value(u(x.a).min(u(x.b)))),
    ("v_max_u32",      |x| value(u(x.a).max(u(x.b)))),
    ("v_lshr_b32",     |x| value(u(x.a) >> (x.b & 31))),
    ("v_lshrrev_b32",  |x| value(u(x.b) >> (x.a & 31))),
    ("v_ashr_i32",     |x| value(u((i(x.a) >> (x.b & 31)) as u64))),
    ("v_ashrrev_i32",  |x| value(u((i(x.b) >> (x.a & 31)) as u64))),
    ("v_lshl_b32",     |x| value(u(x.a << (x.b & 31)))),
    ("v_lshlrev_b32",  |x| value(u(x.b << (x.a & 31)))),
    ("v_and_b32",      |x| value(u(x.a & x.b))),
    ("v_or_b32",       |x| value(u(x.a | x.b))),
    ("v_xor_b32",      |x| value(u(x.a ^ x.b))),
    ("v_xnor_b32",     |x| value(u(!(x.a ^ x.b)))),
    ("v_bfm_b32",      |x| value(u(((1 << (x.a & 31)) - 1) << (x.b & 31)))),
    ("v_bcnt_u32_b32", |x| value(u(u64::from((x.a as u32).count_ones()) + u(x.b)))),
    ("v_mbcnt_lo_u32_b32", |x| value(u(below(x, 0) + u(x.b)))),
    ("v_mbcnt_hi_u32_b32", |x| value(u(below(x, 32) + u(x.b)))),
    ("v_add_co_u32",   |x| (u(u(x.a) + u(x.b)), (u(x.a) + u(x.b)) >> 32 != 0)),
    ("v_sub_co_u32",   |x| (u(x.a.wrapping_sub(x.b)), u(x.b) > u(x.a))),
    ("v_subrev_co_u32", |x| (u(x.b.wrapping_sub(x.a)), u(x.a) > u(x.b))),
    ("v_addc_co_u32",  |x| { let t = u(x.a) + u(x.b) + u64::from(x.bit); (u(t), t >> 32 != 0) }),
    ("v_subb_co_u32",  |x| { let t = u(x.a) as i64 - u(x.b) as i64 - i64::from(x.bit); (u(t as u64), t < 0) }),
    ("v_subbrev_co_u32", |x| { let t = u(x.b) as i64 - u(x.a) as i64 - i64::from(x.bit); (u(t as u64), t < 0) }),
    ("v_cvt_pk_u16_u32", |x| value(u(x.a).min(0xffff) | u(x.b).min(0xffff) << 16)),
    ("v_cvt_pk_i16_i32", |x| value(k(i(x.a).clamp(-0x8000, 0x7fff) as u64) | k(i(x.b).clamp(-0x8000, 0x7fff) as u64) << 16)),
    ("v_add_u16",      |x| value(k(k(x.a) + k(x.b)))),
    ("v_sub_u16",      |x| value(k(x.a.wrapping_sub(x.b)))),
    ("v_subrev_u16",   |x| value(k(x.b.wrapping_sub(x.a)))),
    ("v_mul_lo_u16",   |x| value(k(k(x.a) * k(x.b)))),
    ("v_lshlrev_b16",  |x| value(k(x.b << (x.a & 15)))),
    ("v_lshrrev_b16",  |x| value(k(x.b) >> (x.a & 15))),
    ("v_ashrrev_i16",  |x| value(k((j(x.b) >> (x.a & 15)) as u64))),
    ("v_max_u16",      |x| value(k(x.a).max(k(x.b)))),
    ("v_max_i16",      |x| value(k(j(x.a).max(j(x.b)) as u64))),
    ("v_min_u16",      |x| value(k(x.a).min(k(x.b)))),
    ("v_min_i16",      |x| value(k(j(x.a).min(j(x.b)) as u64))),
    ("v_add_u32",      |x| value(u(u(x.a) + u(x.b)))),
    ("v_sub_u32",      |x| value(u(x.a.wrapping_sub(x.b)))),
    ("v_subrev_u32",   |x| value(u(x.b.wrapping_sub(x.a)))),

    ("v_mad_i32_i24",  |x| value(u((s24(x.a) * s24(x.b) + i(x.c)) as u64))),
    ("v_mad_u32_u24",  |x| value(u(u24(x.a) * u24(x.b) + u(x.c)))),
    ("v_bfe_u32",      |x| value((u(x.a) >> (x.b & 31)) & ((1 << (x.c & 31)) - 1))),
    ("v_bfe_i32",      |x| value(if x.c & 31 == 0 { 0 } else { let n = 64 - (x.c & 31); u(((i(x.a) >> (x.b & 31)) << n >> n) as u64) })),
    ("v_bfi_b32",      |x| value(u((x.a & x.b) | (!x.a & x.c)))),
    ("v_lerp_u8",      |x| value((0..4).fold(0, |all, n| all | ((byte(x.a, n) + byte(x.b, n) + (byte(x.c, n) & 1)) / 2) << (8 * n)))),
    ("v_alignbit_b32", |x| value(u((u(x.a) << 32 | u(x.b)) >> (x.c & 31)))),
    // Errata E262, like V_SAD_U32 and V_BCNT_U32_B32.
    ("v_alignbyte_b32", |x| value(u((u(x.a) << 32 | u(x.b)) >> (8 * (x.c & 3))))),
    ("v_min3_i32",     |x| value(u(i(x.a).min(i(x.b)).min(i(x.c)) as u64))),
    ("v_min3_u32",     |x| value(u(x.a).min(u(x.b)).min(u(x.c)))),
    ("v_max3_i32",     |x| value(u(i(x.a).max(i(x.b)).max(i(x.c)) as u64))),
    ("v_max3_u32",     |x| value(u(x.a).max(u(x.b)).max(u(x.c)))),
    ("v_med3_i32",     |x| value(u(median([i(x.a), i(x.b), i(x.c)])))),
    ("v_med3_u32",     |x| value(u(median([x.a, x.b, x.c].map(|v| u(v) as i64))))),
    ("v_sad_u8",       |x| value(u(sad(x.a, x.b) + u(x.c)))),
    ("v_sad_hi_u8",    |x| value(u((sad(x.a, x.b) << 16) + u(x.c)))),
    ("v_sad_u16",      |x| value(u(k(x.a).abs_diff(k(x.b)) + k(x.a >> 16).abs_diff(k(x.b >> 16)) + u(x.c)))),
    ("v_sad_u32",      |x| value(u(u(x.a).abs_diff(u(x.b)) + u(x.c)))),
    ("v_msad_u8",      |x| value(u(msad(x.a, x.b) + u(x.c)))),
    ("v_qsad_pk_u16_u8", |x| value(quad(x, sad))),
    ("v_mqsad_pk_u16_u8", |x| value(quad(x, msad))),
    ("v_lshl_b64",     |x| value(x.a << (x.b & 63))),
    ("v_lshr_b64",     |x| value(x.a >> (x.b & 63))),
    ("v_ashr_i64",     |x| value((x.a as i64 >> (x.b & 63)) as u64)),
    ("v_lshlrev_b64",  |x| value(x.b << (x.a & 63))),
    ("v_lshrrev_b64",  |x| value(x.b >> (x.a & 63))),
    ("v_ashrrev_i64",  |x| value((x.b as i64 >> (x.a & 63)) as u64)),
    ("v_mul_lo_u32",   |x| value(u(x.a.wrapping_mul(x.b)))),
    ("v_mul_lo_i32",   |x| value(u(x.a.wrapping_mul(x.b)))),
    ("v_mul_hi_u32",   |x| value((u(x.a) * u(x.b)) >> 32)),
    ("v_mul_hi_i32",   |x| value(u(((i(x.a) * i(x.b)) >> 32) as u64))),
    ("v_mad_legacy_u16", |x| value(k(k(x.a) * k(x.b) + k(x.c)))),
    ("v_mad_legacy_i16", |x| value(k((j(x.a) * j(x.b) + j(x.c)) as u64))),
    ("v_mad_u16",      |x| value(k(k(x.a) * k(x.b) + k(x.c)))),
    ("v_mad_i16",      |x| value(k((j(x.a) * j(x.b) + j(x.c)) as u64))),
    ("v_perm_b32",     |x| value(perm(x))),
    ("v_mad_u32_u16",  |x| value(u(k(x.a) * k(x.b) + u(x.c)))),
    ("v_mad_i32_i16",  |x| value(u((j(x.a) * j(x.b) + i(x.c)) as u64))),
    ("v_xad_u32",      |x| value(u(u(x.a ^ x.b) + u(x.c)))),
    ("v_min3_i16",     |x| value(k(j(x.a).min(j(x.b)).min(j(x.c)) as u64))),
    ("v_min3_u16",     |x| value(k(x.a).min(k(x.b)).min(k(x.c)))),
    ("v_max3_i16",     |x| value(k(j(x.a).max(j(x.b)).max(j(x.c)) as u64))),
    ("v_max3_u16",     |x| value(k(x.a).max(k(x.b)).max(k(x.c)))),
    ("v_med3_i16",     |x| value(k(median([j(x.a), j(x.b), j(x.c)])))),
    ("v_med3_u16",     |x| value(median([x.a, x.b, x.c].map(|v| k(v) as i64)))),
    ("v_lshl_add_u32", |x| value(u(u(x.a << (x.b & 31)) + u(x.c)))),
    ("v_add_lshl_u32", |x| value(u(u(u(x.a) + u(x.b)) << (x.c & 31)))),
    ("v_add3_u32",     |x| value(u(u(x.a) + u(x.b) + u(x.c)))),
    ("v_lshl_or_b32",  |x| value(u(x.a << (x.b & 31) | x.c))),
    ("v_and_or_b32",   |x| value(u(x.a & x.b | x.c))),
    ("v_or3_b32",      |x| value(u(x.a | x.b | x.c))),
    ("v_add_i32",      |x| value(u((i(x.a) + i(x.b)) as u64))),
    ("v_sub_i32",      |x| value(u((i(x.a) - i(x.b)) as u64))),
    ("v_add_i16",      |x| value(k((j(x.a) + j(x.b)) as u64))),
    ("v_sub_i16",      |x| value(k((j(x.a) - j(x.b)) as u64))),
    ("v_pack_b32_f16", |x| value(k(x.a) | k(x.b) << 16)),
    ("v_mad_u64_u32",  |x| { let t = u128::from(u(x.a)) * u128::from(u(x.b)) + u128::from(x.c); (t as u64, t >> 64 != 0) }),
    ("v_mad_i64_i32",  |x| { let t = i128::from(i(x.a)) * i128::from(i(x.b)) + i128::from(x.c as i64); (t as u64, t < 0) }),

    ("v_pk_mad_i16",   |x| halves(x, |a, b, c| a * b + c)),
    ("v_pk_mad_u16",   |x| halves(x, |a, b, c| a * b + c)),
    ("v_pk_mul_lo_u16", |x| halves(x, |a, b, _| a * b)),
    ("v_pk_add_i16",   |x| halves(x, |a, b, _| a + b)),
    ("v_pk_add_u16",   |x| halves(x, |a, b, _| a + b)),
    ("v_pk_sub_i16",   |x| halves(x, |a, b, _| a.wrapping_sub(b))),
    ("v_pk_sub_u16",   |x| halves(x, |a, b, _| a.wrapping_sub(b))),
    ("v_pk_lshlrev_b16", |x| halves(x, |a, b, _| b << (a & 15))),
    ("v_pk_lshrrev_b16", |x| halves(x, |a, b, _| b >> (a & 15))),
    ("v_pk_ashrrev_i16", |x| halves(x, |a, b, _| (j(b) >> (a & 15)) as u64)),
    ("v_pk_max_i16",   |x| halves(x, |a, b, _| j(a).max(j(b)) as u64)),
    ("v_pk_min_i16",   |x| halves(x, |a, b, _| j(a).min(j(b)) as u64)),
    ("v_pk_max_u16",   |x| halves(x, |a, b, _| a.max(b))),
    ("v_pk_min_u16",   |x| halves(x, |a, b, _| a.min(b))),
    ("v_dot2_i32_i16", |x| value(u((dot_product(x, 2, true) + i(x.c)) as u64))),
    ("v_dot2_u32_u16", |x| value(u(dot_product(x, 2, false) as u64 + u(x.c)))),
    ("v_dot4_i32_i8",  |x| value(u((dot_product(x, 4, true) + i(x.c)) as u64))),
    ("v_dot4_u32_u8",  |x| value(u(dot_product(x, 4, false) as u64 + u(x.c)))),
    ("v_dot8_i32_i4",  |x| value(u((dot_product(x, 8, true) + i(x.c)) as u64))),
    ("v_dot8_u32_u4",  |x| value(u(dot_product(x, 8, false) as u64 + u(x.c)))),
];

/// Derives the reference of a comparison from its name.
#[allow(clippy::neg_cmp_op_on_partial_ord)] // The names have the negations, and NaN makes them matter.
fn comparison(name: &str) -> Option<Reference> {
    let rest = name.strip_prefix("v_cmp")?;
    let rest = rest.trim_start_matches(['s', 'x']).strip_prefix('_')?;
    let (how, ty) = rest.split_once('_')?;
    macro_rules! by {
        ($read:expr) => {
            match how {
                "f" => |_: In| (0, false),
                "t" | "tru" => |_: In| (0, true),
                "lt" => |x: In| (0, $read(x.a) < $read(x.b)),
                "eq" => |x: In| (0, $read(x.a) == $read(x.b)),
                "le" => |x: In| (0, $read(x.a) <= $read(x.b)),
                "gt" => |x: In| (0, $read(x.a) > $read(x.b)),
                "ge" => |x: In| (0, $read(x.a) >= $read(x.b)),
                "ne" | "neq" => |x: In| (0, $read(x.a) != $read(x.b)),
                "lg" => |x: In| (0, matches!($read(x.a).partial_cmp(&$read(x.b)), Some(o) if o.is_ne())),
                "o" => |x: In| (0, $read(x.a).partial_cmp(&$read(x.b)).is_some()),
                "u" => |x: In| (0, $read(x.a).partial_cmp(&$read(x.b)).is_none()),
                "nge" => |x: In| (0, !($read(x.a) >= $read(x.b))),
                "nlg" => |x: In| (0, matches!($read(x.a).partial_cmp(&$read(x.b)), None | Some(std::cmp::Ordering::Equal))),
                "ngt" => |x: In| (0, !($read(x.a) > $read(x.b))),
                "nle" => |x: In| (0, !($read(x.a) <= $read(x.b))),
                "nlt" => |x: In| (0, !($read(x.a) < $read(x.b))),
                _ => return None,
            }
        };
    }
    if how == "class" {
        return Some(match ty {
            "f32" => |x| (0, x.b & float::class(x.a, 23, 8) != 0),
            "f64" => |x| (0, x.b & float::class(x.a, 52, 11) != 0),
            _ => |x| (0, x.b & float::class(k(x.a), 10, 5) != 0),
        });
    }
    Some(match ty {
        "f16" => by!(h),
        "f32" => by!(f),
        "f64" => by!(g),
        "i16" => by!(j),
        "u16" => by!(k),
        "i32" => by!(i),
        "u32" => by!(u),
        "i64" => by!(|v: u64| v as i64),
        _ => by!(|v: u64| v),
    })
}

/// Number of times each encoding is tried on each generation, with random values in 64 lanes.
const ROUNDS: usize = 12;

#[test]
fn vector_instructions_compute_what_the_manuals_say() {
    let mut noise = Noise(0x5eed_0002);
    let mut wrong = Vec::new();
    for row in rows() {
        let Some(reference) = reference(row.name) else {
            continue;
        };
        for isa in Isa::ALL {
            for encoding in row.encodings() {
                if let Some(bare) = Inst::new(isa, row.op(), encoding)
                    && is_executed(encoding)
                {
                    wrong.extend(check(&bare, reference, &mut noise).err());
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn is_executed(encoding: Encoding) -> bool {
    use Encoding::*;
    matches!(encoding, Vop1 | Vop2 | Vopc | Vop3 | Vop3b | Vop3c | Vop3p)
}

/// Checks an instruction, and fails with the first error.
fn check(bare: &Inst, reference: Reference, noise: &mut Noise) -> Result<(), String> {
    let (op, isa, encoding) = (bare.op, bare.isa, bare.encoding);
    let slots: Vec<&Slot> = op.row().slots().collect();
    let options: Vec<Vec<Operand>> = slots
        .iter()
        .enumerate()
        .map(|(n, slot)| choices(bare, slot, 3 * n as u8, 4 + 4 * n as u8))
        .collect();
    for round in 0..ROUNDS {
        let mut operands: Vec<Operand> = options
            .iter()
            .enumerate()
            .map(|(n, choices)| choices[(round / (1 + n)) % choices.len()])
            .collect();
        let is_literal = |o: &&Operand| matches!(o, Operand::Literal(_));
        if operands.iter().filter(is_literal).count() > 1 {
            continue;
        }
        // Sometimes the destination is a source, too, or half of one.
        if round % 3 == 1 {
            for n in 1..slots.len() {
                if let (Operand::Vgprs { .. }, Operand::Vgprs { count, .. }) =
                    (operands[0], operands[n])
                {
                    operands[n] = Operand::Vgprs {
                        first: (round / 6) as u8,
                        count,
                    };
                }
            }
        }
        let before = wave(isa, noise);
        let mut instruction = inst(isa, op, encoding, &operands);
        select_both_halves(&mut instruction);
        let expected = expect(&before, &instruction, &slots, &operands, reference);
        let mut after = before.clone();
        assert!(execute(&mut after, &instruction), "{}", instruction.text());
        compare(&before, &after, &expected, &instruction, slots[0].ty)?;
    }
    Ok(())
}

/// Makes packed instructions take each half from the same half of the sources, as assemblers do by default. Mixed ones
/// take the second source in half precision.
pub fn select_both_halves(inst: &mut Inst) {
    use gcn_isa::Field;
    let name = inst.name();
    if inst.encoding == Encoding::Vop3p {
        let (pair, third) = if name.contains("mix") {
            (0b10, 0)
        } else {
            (0b11, 1)
        };
        inst.set(Field::OpSelHi, pair).expect("it has the field");
        inst.set(Field::OpSelHi2, third).expect("it has the field");
    }
}

/// True for instructions with a 16-bit result that keep the high half of the destination register (errata E304).
pub fn keeps_high_half(inst: &Inst) -> bool {
    // Before GCN 1.4, instructions of these names zero it.
    let name = if inst.isa < Isa::Gfx9 {
        ""
    } else {
        inst.name()
    };
    [
        "v_mad_f16",
        "v_mad_u16",
        "v_mad_i16",
        "v_fma_f16",
        "v_div_fixup_f16",
    ]
    .contains(&name)
        || name.contains("mixlo")
}

/// Wave after the instruction, according to the reference.
fn expect(
    before: &gcn_emu::wave::Wave,
    inst: &Inst,
    slots: &[&Slot],
    operands: &[Operand],
    reference: Reference,
) -> gcn_emu::wave::Wave {
    let mut after = before.clone();
    let is_source = |slot: &Slot| slot.access == OperandAccess::Read && slot.kind != Kind::Sdst;
    let sources: Vec<usize> = (0..slots.len()).filter(|&n| is_source(slots[n])).collect();
    let mask_read = slots
        .iter()
        .position(|s| s.kind == Kind::Sdst && s.access == OperandAccess::Read);
    let mask_written = slots
        .iter()
        .position(|s| s.kind == Kind::Sdst && s.access == OperandAccess::Write);
    let scalar64 = |n: usize| match operands[n] {
        Operand::Scalar { code, .. } => before.scalar64(code),
        _ => 0,
    };
    let given_mask = mask_read.map_or(before.vcc(), scalar64);
    let row_merges = keeps_high_half(inst);
    let mut written = 0;
    for lane in gcn_emu::wave::active(before.exec()) {
        let at = |n: usize| {
            sources
                .get(n)
                .map_or(0, |&n| value_of(before, slots[n], operands[n], lane))
        };
        let d = match operands[0] {
            Operand::Vgprs { .. } => value_of(before, slots[0], operands[0], lane),
            _ => 0,
        };
        let (result, bit) = reference(In {
            a: at(0),
            b: at(1),
            c: at(2),
            d,
            bit: given_mask >> lane & 1 == 1,
            lane: lane as u32,
            isa: before.isa,
        });
        written |= u64::from(bit) << lane;
        if let Operand::Vgprs { first, .. } = operands[0] {
            let first = usize::from(first);
            let low = &mut after.vgprs[first].0[lane];
            *low = match slots[0].ty.bytes() {
                // Mixed instructions name their half.
                2 if inst.name().contains("mixhi") => *low & 0xffff | (result as u32) << 16,
                2 if row_merges => *low & 0xffff_0000 | k(result) as u32,
                2 => k(result) as u32,
                _ => result as u32,
            };
            if slots[0].ty.dwords() == 2 {
                after.vgprs[first + 1].0[lane] = (result >> 32) as u32;
            }
        }
    }
    if let Some(n) = mask_written
        && let Operand::Scalar { code, .. } = operands[n]
    {
        after.set_scalar64(code, written);
        if inst.name().starts_with("v_cmpx") || inst.name().starts_with("v_cmpsx") {
            after.set_exec(written);
        }
    }
    after
}

/// Compares waves. All NaNs count as equal, since the choice of NaN is not settled.
fn compare(
    before: &gcn_emu::wave::Wave,
    got: &gcn_emu::wave::Wave,
    want: &gcn_emu::wave::Wave,
    inst: &Inst,
    ty: Ty,
) -> Result<(), String> {
    let text = inst.text();
    for code in 0..128 {
        let (got, want) = (got.scalar(code), want.scalar(code));
        if got != want {
            return Err(format!(
                "{text} on {}: s{code} is {got:#x}, not {want:#x}",
                inst.isa
            ));
        }
    }
    let is_approximate = APPROXIMATE.contains(&inst.name());
    let same = |x: &gcn_emu::wave::Wave, y: &gcn_emu::wave::Wave, register: usize, lane: usize| {
        let at = |w: &gcn_emu::wave::Wave| {
            let low = u64::from(w.vgprs[register].0[lane]);
            (
                low,
                low | u64::from(w.vgprs.get(register + 1).map_or(0, |r| r.0[lane])) << 32,
            )
        };
        let ((x, x_wide), (y, y_wide)) = (at(x), at(y));
        x == y
            || is_approximate && x.abs_diff(y) <= 1
            || match ty {
                Ty::F32 => f(x).is_nan() && f(y).is_nan(),
                Ty::F16 => same_half(x, y) && same_half(x >> 16, y >> 16),
                Ty::F16x2 => same_half(x, y) && same_half(x >> 16, y >> 16),
                Ty::F64 => {
                    let below = |w: u64| register > 0 && w & 0x7ff0_0000 == 0x7ff0_0000;
                    g(x_wide).is_nan() && g(y_wide).is_nan() || below(x) && below(y)
                }
                _ => false,
            }
    };
    for register in 0..VGPRS {
        for lane in 0..64 {
            if !same(got, want, register, lane) {
                return Err(format!(
                    "{text} on {}: lane {lane} of v{register} is {:#x}, not {:#x}; v[0:12] were {:x?}",
                    inst.isa,
                    got.vgprs[register].0[lane],
                    want.vgprs[register].0[lane],
                    before.vgprs[..13]
                        .iter()
                        .map(|r| r.0[lane])
                        .collect::<Vec<_>>(),
                ));
            }
        }
    }
    if got.scc != want.scc {
        return Err(format!("{text} on {}: SCC is {}", inst.isa, got.scc));
    }
    Ok(())
}

fn same_half(x: u64, y: u64) -> bool {
    k(x) == k(y) || h(x).is_nan() && h(y).is_nan()
}

/// The tables of references contain only names of vector instructions.
#[test]
fn references_name_existing_rows() {
    for (name, _) in TABLE.iter().chain(float::TABLE) {
        let found = rows().find(|row| row.name == *name);
        assert!(
            matches!(
                found.map(|r| r.op()),
                Some(Op::Vop1(_) | Op::Vop2(_) | Op::Vop3(_) | Op::Vop3b(_) | Op::Vop3p(_))
            ),
            "{name}"
        );
    }
}
