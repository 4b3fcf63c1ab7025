//! Tests of VGPR indexing (GCN 1.2 and 1.4): S_SET_GPR_IDX_ON, related instructions, and their effect on later ones.

mod common;

use common::*;
use gcn_emu::device::{Config, Device};
use gcn_emu::fault::FaultKind;
use gcn_emu::run::{Initial, InitialSgpr};
use gcn_isa::Target;

/// Number of registers from v0 up that a program stores; M0 follows.
const SHOWN: usize = 8;

/// Runs `body` on v0 = 10, v1 = 11 and so on; v[60:61] has the address of the last stored dword.
fn after(name: &str, body: &str) -> Result<[u32; SHOWN + 2], FaultKind> {
    let target = Target::named(name).expect("it exists");
    let mut device = Device::new(Config::new(target.isa));
    let buffer = device.memory.allocate("out", 64).expect("there is memory");
    let (low, high) = (buffer as u32, (buffer >> 32) as u32);
    let store = "flat_store_dword v[60:61], ";
    let mut text = format!("v_mov_b32 v60, {:#x}\nv_mov_b32 v61, s1\n", low + 36);
    for register in 0..SHOWN {
        text += &format!("v_mov_b32 v{register}, {}\n", 10 + register);
    }
    text += &format!("{body}\ns_set_gpr_idx_off\nv_mov_b32 v62, m0\n");
    for (dword, register) in (0..SHOWN).chain([62]).enumerate() {
        let address = low + 4 * dword as u32;
        text += &format!("v_mov_b32 v60, {address:#x}\n{store}v{register}\n");
    }
    text += "s_endpgm";
    let initial = Initial {
        sgprs: vec![InitialSgpr::Value(low), InitialSgpr::Value(high)],
        work_item_ids: 1,
        mode: 0,
    };
    let done = dispatch(&mut device, target, &text, 1, 64, initial);
    match done.fault {
        Some(fault) => Err(fault.kind),
        None => Ok(std::array::from_fn(|dword| {
            let address = buffer + 4 * dword as u64;
            device.memory.load_u32(address).expect("it is mapped")
        })),
    }
}

#[test]
fn the_index_moves_the_operands_that_m0_names() {
    // E143
    let body = "s_mov_b32 m0, 0x100f44\ns_movk_i32 s4, 0x702\n\
        s_set_gpr_idx_on s4, gpr_idx(SRC0)\nv_mov_b32 v0, v1\n\
        s_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v0, v1\n\
        s_set_gpr_idx_idx 3\nv_or_b32 v1, 64, v5\n\
        s_set_gpr_idx_mode gpr_idx(SRC1)\nv_or_b32 v5, v0, v3\n\
        s_set_gpr_idx_off\nv_mov_b32 v7, v6";
    for name in FROM_VI {
        let got = after(name, body).expect("it runs");
        // v0 = v3; v2 = v1; v4 = 64 | v5; v5 = v0 | v6.
        let want = [13, 11, 11, 13, 64 | 15, 13 | 16, 16, 16, 0x0010_2f03, 0];
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn only_vector_alu_instructions_are_indexed() {
    // E143: addresses and data of memory instructions, scalar registers and constants are not indexed.
    let body = "s_mov_b32 s4, 1\ns_mov_b32 s5, 5\ns_mov_b32 s6, 6\n\
        s_set_gpr_idx_on s4, gpr_idx(SRC0,SRC1,SRC2,DST)\n\
        flat_store_dword v[60:61], v3\ns_mov_b32 s7, s5\nv_mov_b32 v0, s5\nv_mov_b32 v1, 9";
    for name in FROM_VI {
        let got = after(name, body).expect("it runs");
        assert_eq!(got, [10, 5, 9, 13, 14, 15, 16, 17, 0xf001, 13], "{name}");
    }
}

#[test]
fn out_of_range_reads_v0_and_writes_nothing() {
    // E143
    let body = "s_movk_i32 s4, 0xff\ns_mov_b32 m0, 0\n\
        s_set_gpr_idx_on s4, gpr_idx(SRC0)\nv_mov_b32 v1, v2\n\
        s_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v3, v2";
    for name in FROM_VI {
        let got = after(name, body).expect("it runs");
        assert_eq!(got, [10, 10, 12, 13, 14, 15, 16, 17, 0x80ff, 0], "{name}");
    }
}

/// Instructions, the operands that are indexed, and the registers that change with their values.
type Case = (&'static str, &'static str, &'static [(usize, u32)]);

#[test]
fn operands_with_other_roles_use_the_bits_of_the_manual() {
    // E144: index 1, instruction, operands; the registers from v0 up that differ from 10, 11, 12 and so on.
    let cases: &[Case] = &[
        // A destination that is read uses DST, too; integers keep the arithmetic simple.
        ("v_lshlrev_b32 v0, v1, v2", "SRC0,DST", &[(1, 12 << 12)]),
        ("v_lshlrev_b32 v0, v1, v2", "SRC1", &[(0, 13 << 11)]),
        (
            "v_readlane_b32 s5, v1, 0\nv_mov_b32 v7, s5",
            "SRC0",
            &[(7, 12)],
        ),
        (
            "v_readfirstlane_b32 s5, v1\nv_mov_b32 v7, s5",
            "SRC0",
            &[(7, 12)],
        ),
        (
            "s_mov_b32 s6, 99\nv_writelane_b32 v0, s6, 63",
            "DST",
            &[(1, 99)],
        ),
        (
            "v_mov_b32_sdwa v0, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
            "DST",
            &[(1, 11 | 13 << 8)],
        ),
        (
            "v_cvt_pkaccum_u8_f32 v0, 2.0, 1",
            "DST",
            &[(1, 11 | 2 << 8)],
        ),
    ];
    for name in FROM_VI {
        for (instructions, operands, changes) in cases {
            let (instruction, rest) = match instructions.split_once("\nv_mov") {
                Some((first, rest)) => (first, format!("v_mov{rest}")),
                None => (*instructions, String::new()),
            };
            let (before, instruction) = match instruction.split_once("\n") {
                Some((before, instruction)) => (before, instruction),
                None => ("s_nop 0", instruction),
            };
            let text = format!(
                "{before}\ns_mov_b32 s4, 1\ns_mov_b32 m0, 0\n\
                 s_set_gpr_idx_on s4, gpr_idx({operands})\n{instruction}\ns_set_gpr_idx_off\n{rest}"
            );
            let got = after(name, &text).expect("it runs");
            let mut want: Vec<u32> = (10..18).collect();
            for (register, value) in *changes {
                want[*register] = *value;
            }
            assert_eq!(got[..SHOWN], want, "{name}: {text}");
        }
    }
}

#[test]
fn multiply_adds_are_indexed_as_the_three_sources_that_they_have() {
    // E144: v0 to v7 are the floats 10, 11 and so on.
    let floats: String = (0..8)
        .map(|n| format!("v_cvt_f32_i32 v{n}, v{n}\n"))
        .collect();
    for name in FROM_VI {
        for (instruction, operands, changed, value) in [
            // v1 = v2 * v3 + v1
            (
                "v_mac_f32 v0, v1, v2",
                "SRC0,SRC1,DST",
                1,
                12.0 * 13.0 + 11.0,
            ),
            // v1 = v1 * v2 + v1: a destination that is read uses DST.
            ("v_mac_f32 v0, v1, v2", "DST", 1, 11.0 * 12.0 + 11.0),
            // The register after the constant is the third source.
            (
                "v_madmk_f32 v0, v1, 0x40000000, v2",
                "SRC2",
                0,
                11.0 * 2.0 + 13.0,
            ),
            (
                "v_madmk_f32 v0, v1, 0x40000000, v2",
                "SRC1",
                0,
                11.0 * 2.0 + 12.0,
            ),
            (
                "v_madak_f32 v0, v1, v2, 0x40000000",
                "SRC1",
                0,
                11.0 * 13.0 + 2.0,
            ),
            // Modifiers of sources and of the result apply to the indexed registers.
            ("v_mul_f32 v0, -v1, v2", "SRC0,SRC1,DST", 1, -12.0 * 13.0),
            ("v_add_f32 v0, -v1, v2 clamp", "SRC1,DST", 1, 1.0),
        ] {
            let text = format!(
                "{floats}s_mov_b32 s4, 1\ns_set_gpr_idx_on s4, gpr_idx({operands})\n{instruction}"
            );
            let got = after(name, &text).expect("it runs");
            assert_eq!(f32::from_bits(got[changed]), value, "{name}: {text}");
        }
    }
}

#[test]
fn skipped_vector_instructions_do_nothing() {
    // E206
    for name in FROM_VI {
        let body = "v_mov_b32 v62, v7\ns_setvskip -1, 0\nv_mov_b32 v0, 99\n\
            flat_store_dword v[60:61], v1\ns_mov_b32 s9, 33\ns_setvskip 0, 0\nv_mov_b32 v1, s9";
        let got = after(name, body).expect("it runs");
        assert_eq!(got[..4], [10, 33, 12, 13], "{name}");
    }
}

#[test]
fn trap_handlers_and_halts_end_the_run() {
    for name in FROM_VI {
        for (instruction, kind) in [
            ("s_rfe_b64 s[4:5]", FaultKind::OutsideTrapHandler),
            ("s_sethalt 1", FaultKind::Halted),
            ("s_trap 1", FaultKind::Trap(1)),
            ("s_trap 7", FaultKind::Trap(7)),
            ("s_sendmsghalt 0", FaultKind::Halted),
        ] {
            assert_eq!(after(name, instruction), Err(kind), "{name}: {instruction}");
        }
        assert!(after(name, "s_sethalt 0").is_ok());
        // E240: a breakpoint without a debugger.
        assert!(after(name, "s_trap 3").is_ok());
    }
}

#[test]
fn a_negative_m0_is_out_of_range() {
    // E312: a source is then v0, and a destination is not written.
    let body = "s_mov_b32 m0, -1\nv_movrels_b32 v2, v3\nv_movreld_b32 v5, v1";
    let got = after("gfx803", body).expect("it runs");
    assert_eq!(&got[..8], [10, 11, 10, 13, 14, 15, 16, 17]);
}
