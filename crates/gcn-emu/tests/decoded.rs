//! Tests of decoded instructions: the plain operation, and modifications of its sources and result.

mod common;

use common::*;
use gcn_emu::step::{Arg, Decoded, RegisterCounts, Sign, Source, SourcePart, Unused};
use gcn_isa::vop::Vop2;
use gcn_isa::{Op, Target, decode};

fn decoded(text: &str) -> Decoded {
    let target = Target::named(GFX9).expect("it exists");
    let bytes = code(target, text);
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let counts = RegisterCounts {
        vgprs: VGPRS,
        sgprs: SGPRS,
    };
    Decoded::new(decode(target.isa, &words).expect(text), 0, counts)
}

fn sources(decoded: &Decoded) -> Vec<Source<'_>> {
    decoded.sources().map(|(_, source)| source).collect()
}

#[test]
fn signs_factors_and_clamps_leave_the_operation_alone() {
    let it = decoded("v_mul_f32_e64 v3, -v1, |v2| mul:4 clamp");
    assert_eq!(it.inst.op, Op::Vop2(Vop2::V_MUL_F32));
    let [first, second] = sources(&it)[..] else {
        panic!("it has two sources");
    };
    assert_eq!((first.arg, first.sign), (Arg::Vgpr(1), Sign::Over));
    assert_eq!((second.arg, second.sign), (Arg::Vgpr(2), Sign::Off));
    let result = it.result().expect("it is changed");
    assert_eq!((result.factor, result.clamp, result.part), (2, true, None));
}

#[test]
fn parts_of_registers_are_changes_of_sources_and_result() {
    let it = decoded(
        "v_add_u32_sdwa v3, v1, sext(v2) dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:WORD_1",
    );
    let [first, second] = sources(&it)[..] else {
        panic!("it has two sources");
    };
    assert_eq!(first.arg, Arg::Vgpr(1));
    assert_eq!(first.change.part, SourcePart::Whole);
    let high = SourcePart::Bits {
        up: 0,
        down: 16,
        extends: true,
    };
    assert_eq!((second.arg, second.change.part), (Arg::Vgpr(2), high));
    let part = it.result().and_then(|result| result.part);
    assert_eq!(part.map(|part| part.unused), Some(Unused::Preserve));
}

#[test]
fn other_lanes_are_a_change_of_the_first_source() {
    let it = decoded("v_mov_b32_dpp v3, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
    let crossed: Vec<bool> = sources(&it)
        .iter()
        .map(|it| it.cross_lane.is_some())
        .collect();
    assert_eq!(crossed, [true]);
}

#[test]
fn a_kept_half_is_a_change_of_the_result() {
    let it = decoded("v_mad_f16 v3, v1, v2, v4");
    let part = it.result().and_then(|result| result.part);
    assert_eq!(part.map(|part| part.unused), Some(Unused::Preserve));
    assert!(it.keeps_high, "the operation sees to it");
}

#[test]
fn constants_have_their_changes() {
    let it = decoded("v_pk_add_u16 v3, v1, 1 op_sel_hi:[1,0]");
    let [_, constant] = sources(&it)[..] else {
        panic!("it has two sources");
    };
    assert_eq!(constant.arg, Arg::Const(0x1_0001));
    assert_eq!(constant.change.part, SourcePart::Whole);
}
