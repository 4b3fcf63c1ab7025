//! Tests of the scalar ALU against references.

use gcn_isa::{Isa, Op, Operand, OperandAccess, rows};

use crate::common::*;

/// Sources, and the old destination and SCC.
#[derive(Clone, Copy, Debug)]
pub struct In {
    a: u64,
    b: u64,
    d: u64,
    scc: bool,
}

/// New destination and SCC; `None` if not written.
type Out = (Option<u64>, Option<bool>);
type Reference = fn(In) -> Out;

/// Result that writes a value and SCC.
fn both(value: u64, scc: bool) -> Out {
    (Some(value), Some(scc))
}
/// Result that writes a 32-bit value, and sets SCC if it is not zero.
fn w32(value: u64) -> Out {
    both(value & 0xffff_ffff, value as u32 != 0)
}
/// Result that writes a 64-bit value, and sets SCC if it is not zero.
fn w64(value: u64) -> Out {
    both(value, value != 0)
}
/// Result that writes only a value.
fn only(value: u64) -> Out {
    (Some(value), None)
}
/// Result that writes only SCC.
fn scc(value: bool) -> Out {
    (None, Some(value))
}
fn i(value: u64) -> i64 {
    i64::from(value as i32)
}
fn u(value: u64) -> u64 {
    value & 0xffff_ffff
}
fn fits(value: i64) -> bool {
    i32::try_from(value).is_ok()
}
fn k(value: u64) -> u64 {
    value & 0xffff
}
/// Number of the first of the bits that is `wanted`; −1 if there is none.
fn first(value: u64, mut bits: std::ops::Range<u32>, wanted: u64) -> Out {
    only(
        bits.find(|n| value >> n & 1 == wanted)
            .map_or(u64::MAX, u64::from),
    )
}
/// Number of bits from the top to the first that differs from the top one; −1 if there is none.
fn sign_run(value: u64, width: u32) -> Out {
    let top = value >> (width - 1) & 1;
    let run = (0..width).find(|n| value >> (width - 1 - n) & 1 != top);
    only(run.map_or(u64::MAX, u64::from))
}
/// Extracts bits `offset..offset + width`, one at a time.
fn field(value: u64, offset: u64, width: u64, size: u64, signed: bool) -> u64 {
    let at = |n: u64| {
        let n = offset + n;
        if n < size {
            value >> n & 1
        } else if signed {
            value >> (size - 1) & 1
        } else {
            0
        }
    };
    (0..size).fold(0, |all, n| {
        let bit = if n < width {
            at(n)
        } else if signed && width > 0 {
            at(width - 1)
        } else {
            0
        };
        all | bit << n
    })
}
fn ones(width: u64) -> u64 {
    (0..width).fold(0, |all, n| all | 1 << n)
}
fn quads(value: u64) -> impl Iterator<Item = (u64, bool)> {
    (0..16).map(move |q| (q, value >> (4 * q) & 0xf != 0))
}
fn wqm(value: u64) -> u64 {
    quads(value).fold(0, |all, (q, any)| {
        all | if any { 0xf << (4 * q) } else { 0 }
    })
}
fn quadmask(value: u64) -> u64 {
    quads(value).fold(0, |all, (q, any)| all | u64::from(any) << q)
}
fn shl_add(x: In, n: u32) -> Out {
    let sum = (u128::from(u(x.a)) << n) + u128::from(u(x.b));
    both(sum as u32 as u64, sum >> 32 != 0)
}

/// Finds the reference of an instruction by name.
pub fn reference(name: &str) -> Option<Reference> {
    TABLE.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
}

#[rustfmt::skip]
const TABLE: &[(&str, Reference)] = &[
    ("s_add_u32",     |x| both(u(u(x.a) + u(x.b)), u(x.a) + u(x.b) > 0xffff_ffff)),
    ("s_sub_u32",     |x| both(u(x.a.wrapping_sub(x.b)), u(x.a) < u(x.b))),
    ("s_add_i32",     |x| both(u((i(x.a) + i(x.b)) as u64), !fits(i(x.a) + i(x.b)))),
    ("s_sub_i32",     |x| both(u((i(x.a) - i(x.b)) as u64), !fits(i(x.a) - i(x.b)))),
    ("s_addc_u32",    |x| { let t = u(x.a) + u(x.b) + u64::from(x.scc); both(u(t), t >> 32 != 0) }),
    ("s_subb_u32",    |x| { let t = u(x.a) as i64 - u(x.b) as i64 - i64::from(x.scc); both(u(t as u64), t < 0) }),
    ("s_min_i32",     |x| both(u(i(x.a).min(i(x.b)) as u64), i(x.a) < i(x.b))),
    ("s_min_u32",     |x| both(u(x.a).min(u(x.b)), u(x.a) < u(x.b))),
    ("s_max_i32",     |x| both(u(i(x.a).max(i(x.b)) as u64), i(x.a) > i(x.b))),
    ("s_max_u32",     |x| both(u(x.a).max(u(x.b)), u(x.a) > u(x.b))),
    ("s_cselect_b32", |x| only(u(if x.scc { x.a } else { x.b }))),
    ("s_cselect_b64", |x| only(if x.scc { x.a } else { x.b })),
    ("s_and_b32",     |x| w32(x.a & x.b)),
    ("s_and_b64",     |x| w64(x.a & x.b)),
    ("s_or_b32",      |x| w32(x.a | x.b)),
    ("s_or_b64",      |x| w64(x.a | x.b)),
    ("s_xor_b32",     |x| w32(x.a ^ x.b)),
    ("s_xor_b64",     |x| w64(x.a ^ x.b)),
    ("s_andn2_b32",   |x| w32(x.a & !x.b)),
    ("s_andn2_b64",   |x| w64(x.a & !x.b)),
    ("s_orn2_b32",    |x| w32(x.a | !x.b)),
    ("s_orn2_b64",    |x| w64(x.a | !x.b)),
    ("s_nand_b32",    |x| w32(!(x.a & x.b))),
    ("s_nand_b64",    |x| w64(!(x.a & x.b))),
    ("s_nor_b32",     |x| w32(!(x.a | x.b))),
    ("s_nor_b64",     |x| w64(!(x.a | x.b))),
    ("s_xnor_b32",    |x| w32(!(x.a ^ x.b))),
    ("s_xnor_b64",    |x| w64(!(x.a ^ x.b))),
    ("s_lshl_b32",    |x| w32(u(x.a) << (x.b & 31))),
    ("s_lshl_b64",    |x| w64(x.a << (x.b & 63))),
    ("s_lshr_b32",    |x| w32(u(x.a) >> (x.b & 31))),
    ("s_lshr_b64",    |x| w64(x.a >> (x.b & 63))),
    ("s_ashr_i32",    |x| w32((i(x.a) >> (x.b & 31)) as u64)),
    ("s_ashr_i64",    |x| w64((x.a as i64 >> (x.b & 63)) as u64)),
    ("s_bfm_b32",     |x| only(u(ones(x.a & 31) << (x.b & 31)))),
    ("s_bfm_b64",     |x| only(ones(x.a & 63) << (x.b & 63))),
    ("s_mul_i32",     |x| only(u(x.a.wrapping_mul(x.b)))),
    ("s_bfe_u32",     |x| w32(field(u(x.a), x.b & 31, x.b >> 16 & 127, 32, false))),
    ("s_bfe_i32",     |x| w32(field(u(x.a), x.b & 31, x.b >> 16 & 127, 32, true))),
    ("s_bfe_u64",     |x| w64(field(x.a, x.b & 63, x.b >> 16 & 127, 64, false))),
    ("s_bfe_i64",     |x| w64(field(x.a, x.b & 63, x.b >> 16 & 127, 64, true))),
    ("s_absdiff_i32", |x| w32(i64::from((i(x.a) - i(x.b)) as i32).unsigned_abs())),
    ("s_mul_hi_u32",  |x| only((u(x.a) * u(x.b)) >> 32)),
    ("s_mul_hi_i32",  |x| only(u(((i(x.a) * i(x.b)) >> 32) as u64))),
    ("s_lshl1_add_u32", |x| shl_add(x, 1)),
    ("s_lshl2_add_u32", |x| shl_add(x, 2)),
    ("s_lshl3_add_u32", |x| shl_add(x, 3)),
    ("s_lshl4_add_u32", |x| shl_add(x, 4)),
    ("s_pack_ll_b32_b16", |x| only(k(x.a) | k(x.b) << 16)),
    ("s_pack_lh_b32_b16", |x| only(k(x.a) | k(x.b >> 16) << 16)),
    ("s_pack_hh_b32_b16", |x| only(k(x.a >> 16) | k(x.b >> 16) << 16)),

    ("s_movk_i32",    |x| only(u(x.a))),
    ("s_cmovk_i32",   |x| (x.scc.then_some(u(x.a)), None)),
    ("s_cmpk_eq_i32", |x| scc(i(x.a) == i(x.b))),
    ("s_cmpk_lg_i32", |x| scc(i(x.a) != i(x.b))),
    ("s_cmpk_gt_i32", |x| scc(i(x.a) > i(x.b))),
    ("s_cmpk_ge_i32", |x| scc(i(x.a) >= i(x.b))),
    ("s_cmpk_lt_i32", |x| scc(i(x.a) < i(x.b))),
    ("s_cmpk_le_i32", |x| scc(i(x.a) <= i(x.b))),
    ("s_cmpk_eq_u32", |x| scc(u(x.a) == k(x.b))),
    ("s_cmpk_lg_u32", |x| scc(u(x.a) != k(x.b))),
    ("s_cmpk_gt_u32", |x| scc(u(x.a) > k(x.b))),
    ("s_cmpk_ge_u32", |x| scc(u(x.a) >= k(x.b))),
    ("s_cmpk_lt_u32", |x| scc(u(x.a) < k(x.b))),
    ("s_cmpk_le_u32", |x| scc(u(x.a) <= k(x.b))),
    ("s_addk_i32",    |x| both(u((i(x.d) + i(x.a)) as u64), !fits(i(x.d) + i(x.a)))),
    ("s_mulk_i32",    |x| only(u(x.d.wrapping_mul(x.a)))),

    ("s_mov_b32",     |x| only(u(x.a))),
    ("s_mov_b64",     |x| only(x.a)),
    ("s_cmov_b32",    |x| (x.scc.then_some(u(x.a)), None)),
    ("s_cmov_b64",    |x| (x.scc.then_some(x.a), None)),
    ("s_not_b32",     |x| w32(!x.a)),
    ("s_not_b64",     |x| w64(!x.a)),
    ("s_wqm_b32",     |x| w32(wqm(u(x.a)))),
    ("s_wqm_b64",     |x| w64(wqm(x.a))),
    ("s_brev_b32",    |x| only((0..32).fold(0, |all, n| all | (x.a >> n & 1) << (31 - n)))),
    ("s_brev_b64",    |x| only((0..64).fold(0, |all, n| all | (x.a >> n & 1) << (63 - n)))),
    ("s_bcnt0_i32_b32", |x| w32((0..32).filter(|n| x.a >> n & 1 == 0).count() as u64)),
    ("s_bcnt0_i32_b64", |x| w32((0..64).filter(|n| x.a >> n & 1 == 0).count() as u64)),
    ("s_bcnt1_i32_b32", |x| w32((0..32).filter(|n| x.a >> n & 1 == 1).count() as u64)),
    ("s_bcnt1_i32_b64", |x| w32((0..64).filter(|n| x.a >> n & 1 == 1).count() as u64)),
    ("s_ff0_i32_b32", |x| first(x.a, 0..32, 0)),
    ("s_ff0_i32_b64", |x| first(x.a, 0..64, 0)),
    ("s_ff1_i32_b32", |x| first(x.a, 0..32, 1)),
    ("s_ff1_i32_b64", |x| first(x.a, 0..64, 1)),
    ("s_flbit_i32_b32", |x| only((0..32).find(|n| x.a >> (31 - n) & 1 == 1).unwrap_or(u64::MAX))),
    ("s_flbit_i32_b64", |x| only((0..64).find(|n| x.a >> (63 - n) & 1 == 1).unwrap_or(u64::MAX))),
    ("s_flbit_i32",     |x| sign_run(x.a, 32)),
    ("s_flbit_i32_i64", |x| sign_run(x.a, 64)),
    ("s_sext_i32_i8",  |x| only(u(i64::from(x.a as i8) as u64))),
    ("s_sext_i32_i16", |x| only(u(i64::from(x.a as i16) as u64))),
    ("s_bitset0_b32", |x| only(u(x.d & !(1 << (x.a & 31))))),
    ("s_bitset0_b64", |x| only(x.d & !(1 << (x.a & 63)))),
    ("s_bitset1_b32", |x| only(u(x.d | 1 << (x.a & 31)))),
    ("s_bitset1_b64", |x| only(x.d | 1 << (x.a & 63))),
    ("s_quadmask_b32", |x| w32(quadmask(u(x.a)))),
    ("s_quadmask_b64", |x| w64(quadmask(x.a))),
    ("s_abs_i32",     |x| w32(i(x.a).unsigned_abs())),
    ("s_bitreplicate_b64_b32", |x| only((0..64).fold(0, |all, n| all | (x.a >> (n / 2) & 1) << n))),

    ("s_cmp_eq_i32",  |x| scc(i(x.a) == i(x.b))),
    ("s_cmp_lg_i32",  |x| scc(i(x.a) != i(x.b))),
    ("s_cmp_gt_i32",  |x| scc(i(x.a) > i(x.b))),
    ("s_cmp_ge_i32",  |x| scc(i(x.a) >= i(x.b))),
    ("s_cmp_lt_i32",  |x| scc(i(x.a) < i(x.b))),
    ("s_cmp_le_i32",  |x| scc(i(x.a) <= i(x.b))),
    ("s_cmp_eq_u32",  |x| scc(u(x.a) == u(x.b))),
    ("s_cmp_lg_u32",  |x| scc(u(x.a) != u(x.b))),
    ("s_cmp_gt_u32",  |x| scc(u(x.a) > u(x.b))),
    ("s_cmp_ge_u32",  |x| scc(u(x.a) >= u(x.b))),
    ("s_cmp_lt_u32",  |x| scc(u(x.a) < u(x.b))),
    ("s_cmp_le_u32",  |x| scc(u(x.a) <= u(x.b))),
    ("s_bitcmp0_b32", |x| scc(x.a >> (x.b & 31) & 1 == 0)),
    ("s_bitcmp1_b32", |x| scc(x.a >> (x.b & 31) & 1 == 1)),
    ("s_bitcmp0_b64", |x| scc(x.a >> (x.b & 63) & 1 == 0)),
    ("s_bitcmp1_b64", |x| scc(x.a >> (x.b & 63) & 1 == 1)),
    ("s_cmp_eq_u64",  |x| scc(x.a == x.b)),
    ("s_cmp_lg_u64",  |x| scc(x.a != x.b)),
];

/// Number of times each instruction is tried.
const ROUNDS: usize = 40;

#[test]
fn scalar_instructions_compute_what_the_manuals_say() {
    let mut noise = Noise(0x5eed_0001);
    for row in rows() {
        let Some(reference) = reference(row.name) else {
            continue;
        };
        for isa in Isa::ALL
            .into_iter()
            .filter(|&isa| row.opcode_on(isa).is_some())
        {
            check(isa, row.op(), reference, &mut noise);
        }
    }
}

fn check(isa: Isa, op: Op, reference: Reference, noise: &mut Noise) {
    let row = op.row();
    let encoding = op.family_encoding();
    let bare = inst(isa, op, encoding, &[]);
    let slots: Vec<_> = row.slots().collect();
    let options: Vec<Vec<Operand>> = slots
        .iter()
        .zip([2u8, 8, 12])
        .map(|(slot, sgpr)| choices(&bare, slot, 0, sgpr))
        .collect();
    for round in 0..ROUNDS {
        // Each operand cycles through its choices, at a different pace.
        let mut operands: Vec<Operand> = options
            .iter()
            .enumerate()
            .map(|(n, choices)| choices[(round / (1 + n)) % choices.len()])
            .collect();
        let literals = operands
            .iter()
            .filter(|o| matches!(o, Operand::Literal(_)))
            .count();
        if literals > 1 {
            continue;
        }
        let writes = slots[0].access != OperandAccess::Read;
        // Sometimes the destination is a source, too.
        if writes && round % 3 == 0 && slots.len() > 1 && slots[1].kind == gcn_isa::Kind::Ssrc {
            operands[1] = operands[0];
        }
        let before = wave(isa, noise);
        let value = |n: usize| {
            operands
                .get(n)
                .map_or(0, |&o| value_of(&before, slots[n], o, 0))
        };
        let reads = usize::from(writes);
        let given = In {
            a: value(reads),
            b: value(reads + 1),
            d: value(0),
            scc: before.scc,
        };
        let (expected, scc) = reference(given);
        let mut want = before.clone();
        if let (Some(bits), Operand::Scalar { code, .. }) = (expected, operands[0]) {
            if slots[0].ty.dwords() == 2 {
                want.set_scalar64(code, bits);
            } else {
                want.set_scalar(code, bits as u32);
            }
        }
        want.scc = scc.unwrap_or(want.scc);
        let instruction = inst(isa, op, encoding, &operands);
        let mut after = before.clone();
        assert!(execute(&mut after, &instruction), "{}", row.name);
        assert_eq!(
            registers(&after),
            registers(&want),
            "{} on {isa} of {given:x?}: {}",
            row.name,
            instruction.text(),
        );
    }
}
