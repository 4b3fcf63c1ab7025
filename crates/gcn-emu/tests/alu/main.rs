//! Tests of every ALU instruction that the emulator executes, against simple references, on every generation that has
//! it.

mod common;
mod control;
mod division;
mod edges;
mod float;
mod lanes;
mod many;
mod modes;
mod nan;
mod rounding;
mod scalar;
mod signs;
mod single;
mod vector;

use gcn_emu::Code;
use gcn_emu::step::Executor;
use gcn_isa::effect::ImageOp;
use gcn_isa::{Does, Inst, Isa, Op, Row, rows};

/// Names of rows that no handler executes.
#[rustfmt::skip]
const NOT_EXECUTED: &[&str] = &[
    "v_interp_p1_f32", "v_interp_p2_f32", "v_interp_mov_f32", "v_interp_p1ll_f16", "v_interp_p1lv_f16",
    "v_interp_p2_legacy_f16", "v_interp_p2_f16",
];

/// Names of rows with separate tests in `control`, `modes` and `tests/indexing.rs`.
#[rustfmt::skip]
const BY_HAND: &[&str] = &[
    "s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32", "s_call_b64", "s_getpc_b64", "s_setpc_b64", "s_swappc_b64",
    "s_and_saveexec_b64", "s_or_saveexec_b64", "s_xor_saveexec_b64", "s_andn2_saveexec_b64", "s_orn2_saveexec_b64",
    "s_nand_saveexec_b64", "s_nor_saveexec_b64", "s_xnor_saveexec_b64", "s_andn1_saveexec_b64", "s_orn1_saveexec_b64",
    "s_andn1_wrexec_b64", "s_andn2_wrexec_b64", "s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64",
    "v_nop", "v_clrexcp", "v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32", "v_swap_b32",
    "s_set_gpr_idx_idx", "s_set_gpr_idx_on", "v_movreld_b32", "v_movrels_b32", "v_movrelsd_b32",
    "v_div_scale_f32", "v_div_scale_f64", "v_div_fmas_f32", "v_div_fmas_f64", "v_div_fixup_f32", "v_div_fixup_f64",
    "v_div_fixup_f16", "v_div_fixup_legacy_f16",
    "s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join", "s_getreg_regrd_b32", "s_mov_regrd_b32", "s_mov_fed_b32",
    "s_setvskip", "v_mov_fed_b32", "v_screen_partition_4se_b32", "v_mullit_f32", "v_trig_preop_f64", "v_mqsad_u32_u8",
];

#[test]
fn every_row_is_executed_and_tested_or_listed() {
    let mut wrong = Vec::new();
    for row in rows() {
        let is_alu = matches!(
            row.does,
            Does::Alu(_) | Does::Compare(..) | Does::Jump | Does::Fork
        ) || row.op() == Op::Sopk(gcn_isa::sop::Sopk::S_CALL_B64);
        if !is_alu {
            continue;
        }
        let isa = Isa::ALL
            .into_iter()
            .find(|&isa| row.opcode_on(isa).is_some());
        let inst = row
            .encodings()
            .find_map(|e| Inst::new(isa?, row.op(), e))
            .unwrap_or_else(|| panic!("{} is nowhere", row.name));
        let executed = gcn_emu::internals::handler(&inst).is_some();
        let listed = NOT_EXECUTED.contains(&row.name);
        let tested = BY_HAND.contains(&row.name)
            || scalar::reference(row.name).is_some()
            || vector::reference(row.name).is_some();
        if executed == listed || executed != tested {
            wrong.push((row.name, executed, listed, tested));
        }
    }
    assert!(
        wrong.is_empty(),
        "(name, executed, listed, tested): {wrong:#?}"
    );
}

/// Every instruction of compute kernels is executed: all rows of the tables except those that [`is_graphics`] names, in
/// every encoding on every instruction set.
#[test]
fn everything_but_graphics_is_executed() {
    let mut missing = Vec::new();
    for isa in Isa::ALL {
        for row in rows().filter(|row| !is_graphics(row)) {
            for inst in row.encodings().filter_map(|e| Inst::new(isa, row.op(), e)) {
                let bytes: Vec<u8> = inst
                    .words()
                    .into_iter()
                    .flat_map(u32::to_le_bytes)
                    .collect();
                let code = Code::new(isa, 0, &bytes, 256, 102);
                let step = code.step(0).expect("inside").expect("it decodes");
                if matches!(step.run, Executor::Missing) {
                    missing.push(format!("{isa}: {}", step.inst.text()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

fn is_graphics(row: &Row) -> bool {
    matches!(row.op(), Op::Exp(_) | Op::Vintrp(_) | Op::Vop3Interp(_))
        || row.does == Does::Image(ImageOp::GatherRow)
}

/// Graphics instructions end with a fault, even if the destination is outside the wave's only register.
#[test]
fn graphics_is_not_executed() {
    for isa in Isa::ALL {
        let mut rows_seen = 0;
        for row in rows().filter(|row| is_graphics(row)) {
            for inst in row.encodings().filter_map(|e| Inst::new(isa, row.op(), e)) {
                let bytes: Vec<u8> = inst
                    .words()
                    .into_iter()
                    .flat_map(u32::to_le_bytes)
                    .collect();
                let code = Code::new(isa, 0, &bytes, 1, 16);
                let step = code.step(0).expect("inside").expect("it decodes");
                assert_eq!(step.inst.op, row.op(), "{isa}: {}", step.inst.text());
                assert!(
                    matches!(step.run, Executor::Missing),
                    "{isa}: {}: {:?}",
                    step.inst.text(),
                    step.run
                );
                rows_seen += 1;
            }
        }
        assert!(rows_seen > 3, "{isa}: {rows_seen}");
    }
}
