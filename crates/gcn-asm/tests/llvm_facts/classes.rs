//! Instructions of every class that counters and hazards tell apart, in the assembler's language and in LLVM's machine
//! representation. Data are v10 and on and s30 and on, addresses v[0:1], descriptors and bases s20 and on.

/// A name, and the same instruction for both.
pub struct Class {
    pub name: &'static str,
    pub text: &'static str,
    pub mir: &'static str,
}

const fn class(name: &'static str, text: &'static str, mir: &'static str) -> Class {
    Class { name, text, mir }
}

/// Instructions that counters count.
#[rustfmt::skip]
pub const COUNTED: &[Class] = &[
    class("global load",       "global_load_dword v10, v[0:1], off",                "$vgpr10 = GLOBAL_LOAD_DWORD $vgpr0_vgpr1, 0, 0, implicit $exec"),
    class("global store",      "global_store_dword v[0:1], v10, off",               "GLOBAL_STORE_DWORD $vgpr0_vgpr1, $vgpr10, 0, 0, implicit $exec"),
    class("global base",       "global_load_dword v10, v0, s[20:21]",               "$vgpr10 = GLOBAL_LOAD_DWORD_SADDR $sgpr20_sgpr21, $vgpr0, 0, 0, implicit $exec"),
    class("global x4 store",   "global_store_dwordx4 v[0:1], v[10:13], off",        "GLOBAL_STORE_DWORDX4 $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12_vgpr13, 0, 0, implicit $exec"),
    class("scratch load",      "scratch_load_dword v10, v0, off",                   "$vgpr10 = SCRATCH_LOAD_DWORD $vgpr0, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat load",         "flat_load_dword v10, v[0:1]",                       "$vgpr10 = FLAT_LOAD_DWORD $vgpr0_vgpr1, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat store",        "flat_store_dword v[0:1], v10",                      "FLAT_STORE_DWORD $vgpr0_vgpr1, $vgpr10, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat x3 store",     "flat_store_dwordx3 v[0:1], v[10:12]",               "FLAT_STORE_DWORDX3 $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat swap",         "flat_atomic_cmpswap_x2 v[0:1], v[10:13]",           "FLAT_ATOMIC_CMPSWAP_X2 $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12_vgpr13, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat swap back",    "flat_atomic_cmpswap_x2 v[14:15], v[0:1], v[10:13] glc", "$vgpr14_vgpr15 = FLAT_ATOMIC_CMPSWAP_X2_RTN $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12_vgpr13, 0, 1, implicit $exec, implicit $flat_scr"),
    class("buffer load",       "buffer_load_dword v10, off, s[20:23], 0",           "$vgpr10 = BUFFER_LOAD_DWORD_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer soffset",    "buffer_load_dword v10, off, s[24:27], s20",         "$vgpr10 = BUFFER_LOAD_DWORD_OFFSET $sgpr24_sgpr25_sgpr26_sgpr27, $sgpr20, 0, 0, 0, implicit $exec"),
    class("buffer store",      "buffer_store_dword v10, off, s[20:23], 0",          "BUFFER_STORE_DWORD_OFFSET $vgpr10, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer x2 store",   "buffer_store_dwordx2 v[10:11], off, s[20:23], 0",   "BUFFER_STORE_DWORDX2_OFFSET $vgpr10_vgpr11, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer x4 store",   "buffer_store_dwordx4 v[10:13], off, s[20:23], 0",   "BUFFER_STORE_DWORDX4_OFFSET $vgpr10_vgpr11_vgpr12_vgpr13, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer x4 soffset", "buffer_store_dwordx4 v[10:13], off, s[24:27], s20", "BUFFER_STORE_DWORDX4_OFFSET $vgpr10_vgpr11_vgpr12_vgpr13, $sgpr24_sgpr25_sgpr26_sgpr27, $sgpr20, 0, 0, 0, implicit $exec"),
    class("typed load",        "tbuffer_load_format_x v10, off, s[20:23], 0 format:22", "$vgpr10 = TBUFFER_LOAD_FORMAT_X_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 22, 0, 0, implicit $exec"),
    class("typed store",       "tbuffer_store_format_xyzw v[10:13], off, s[20:23], 0 format:22", "TBUFFER_STORE_FORMAT_XYZW_OFFSET $vgpr10_vgpr11_vgpr12_vgpr13, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 22, 0, 0, implicit $exec"),
    class("buffer atomic",     "buffer_atomic_add v10, off, s[20:23], 0",           "BUFFER_ATOMIC_ADD_OFFSET $vgpr10, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, implicit $exec"),
    class("buffer atomic back", "buffer_atomic_add v10, off, s[20:23], 0 glc",      "$vgpr10 = BUFFER_ATOMIC_ADD_OFFSET_RTN $vgpr10, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 1, implicit $exec"),
    class("buffer to lds",     "buffer_load_dword off, s[20:23], 0 lds",            "BUFFER_LOAD_DWORD_LDS_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec, implicit $m0"),
    class("global to lds",     "global_load_dword v[0:1], off lds",                 "GLOBAL_LOAD_LDS_DWORD $vgpr0_vgpr1, 0, 0, implicit $exec, implicit $m0"),
    class("lds read",          "ds_read_b32 v10, v0",                               "$vgpr10 = DS_READ_B32 $vgpr0, 0, 0, implicit $m0, implicit $exec :: (load (s32), addrspace 3)"),
    class("lds write",         "ds_write_b32 v0, v10",                              "DS_WRITE_B32 $vgpr0, $vgpr10, 0, 0, implicit $m0, implicit $exec"),
    class("lds atomic",        "ds_add_rtn_u32 v10, v0, v11",                       "$vgpr10 = DS_ADD_RTN_U32 $vgpr0, $vgpr11, 0, 0, implicit $m0, implicit $exec :: (load store (s32), addrspace 3)"),
    class("lds append",        "ds_append v10",                                     "$vgpr10 = DS_APPEND 0, 0, implicit $m0, implicit $exec :: (load store (s32), addrspace 3)"),
    class("lds swizzle",       "ds_swizzle_b32 v10, v0",                            "$vgpr10 = DS_SWIZZLE_B32 $vgpr0, 0, 0, implicit $exec"),
    class("lds by lane",       "ds_read_addtid_b32 v10",                            "$vgpr10 = DS_READ_ADDTID_B32 0, 0, implicit $m0, implicit $exec :: (load (s32), addrspace 3)"),
    class("gds read",          "ds_read_b32 v10, v0 gds",                           "$vgpr10 = DS_READ_B32 $vgpr0, 0, 1, implicit $m0, implicit $exec"),
    class("gds write",         "ds_write_b32 v0, v10 gds",                          "DS_WRITE_B32 $vgpr0, $vgpr10, 0, 1, implicit $m0, implicit $exec"),
    class("gds atomic",        "ds_add_rtn_u32 v10, v0, v11 gds",                   "$vgpr10 = DS_ADD_RTN_U32 $vgpr0, $vgpr11, 0, 1, implicit $m0, implicit $exec"),
    class("gws",               "ds_gws_init v10 gds",                               "DS_GWS_INIT $vgpr10, 0, implicit $m0, implicit $exec"),
    class("scalar load",       "s_load_dword s30, s[20:21], 0x0",                   "$sgpr30 = S_LOAD_DWORD_IMM $sgpr20_sgpr21, 0, 0"),
    class("scalar x2 load",    "s_load_dwordx2 s[30:31], s[20:21], 0x0",            "$sgpr30_sgpr31 = S_LOAD_DWORDX2_IMM $sgpr20_sgpr21, 0, 0"),
    class("scalar buffer",     "s_buffer_load_dword s30, s[20:23], 0x0",            "$sgpr30 = S_BUFFER_LOAD_DWORD_IMM $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0"),
    class("scalar store",      "s_store_dword s30, s[20:21], 0x0",                  "S_STORE_DWORD_IMM $sgpr30, $sgpr20_sgpr21, 0, 0"),
    class("time",              "s_memtime s[30:31]",                                "$sgpr30_sgpr31 = S_MEMTIME"),
    class("message",           "s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 0)",           "S_SENDMSG 18, implicit $exec, implicit $m0"),
    class("export",            "exp mrt0 v10, v11, v12, v13",                       "EXP 0, $vgpr10, $vgpr11, $vgpr12, $vgpr13, 0, 0, 15, implicit $exec"),
];

/// Instructions that no counter counts, for hazards.
#[rustfmt::skip]
pub const OTHERS: &[Class] = &[
    class("valu",           "v_mov_b32 v10, v0",                   "$vgpr10 = V_MOV_B32_e32 $vgpr0, implicit $exec"),
    class("valu sgpr",      "v_readfirstlane_b32 s20, v0",         "$sgpr20 = V_READFIRSTLANE_B32 $vgpr0, implicit $exec"),
    class("valu mask",      "v_cmp_eq_u32_e64 s[20:21], v0, v1",   "$sgpr20_sgpr21 = V_CMP_EQ_U32_e64 $vgpr0, $vgpr1, implicit $exec"),
    class("valu vcc",       "v_cmp_eq_u32_e32 vcc, v0, v1",        "V_CMP_EQ_U32_e32 $vgpr0, $vgpr1, implicit-def $vcc, implicit $exec"),
    class("valu exec",      "v_cmpx_eq_u32_e32 vcc, v0, v1",       "V_CMPX_EQ_U32_e32 $vgpr0, $vgpr1, implicit-def $exec, implicit-def $vcc, implicit $exec"),
    class("salu",           "s_mov_b32 s20, 0",                    "$sgpr20 = S_MOV_B32 0"),
    class("salu m0",        "s_mov_b32 m0, 0",                     "$m0 = S_MOV_B32 0"),
    class("salu vcc",       "s_mov_b64 vcc, 0",                    "$vcc = S_MOV_B64 0"),
    class("salu exec",      "s_mov_b64 exec, 0",                   "$exec = S_MOV_B64 0"),
    class("setreg mode",    "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", "S_SETREG_B32 $sgpr0, 6145, implicit-def $mode, implicit $mode"),
    class("setreg traps",   "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 4), 0", "S_SETREG_IMM32_B32 0, 6147, implicit-def $mode, implicit $mode"),
    class("getreg mode",    "s_getreg_b32 s30, hwreg(HW_REG_MODE, 0, 4)", "$sgpr30 = S_GETREG_B32 6145, implicit $mode"),
    class("getreg traps",   "s_getreg_b32 s30, hwreg(HW_REG_TRAPSTS, 0, 4)", "$sgpr30 = S_GETREG_B32 6147, implicit $mode"),
    class("return",         "s_rfe_b64 s[30:31]",                  "S_RFE_B64 $sgpr30_sgpr31"),
    class("dpp",            "v_mov_b32_dpp v19, v10 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf", "$vgpr19 = V_MOV_B32_dpp $vgpr19, $vgpr10, 57, 15, 15, 0, implicit $exec"),
    class("div fmas",       "v_div_fmas_f32 v9, v0, v1, v2",       "$vgpr9 = V_DIV_FMAS_F32_e64 0, $vgpr0, 0, $vgpr1, 0, $vgpr2, 0, 0, implicit $mode, implicit $vcc, implicit $exec"),
    class("readlane",       "v_readlane_b32 s30, v0, s20",         "$sgpr30 = V_READLANE_B32 $vgpr0, $sgpr20"),
    class("writelane",      "v_writelane_b32 v9, 1, s20",          "$vgpr9 = V_WRITELANE_B32 1, $sgpr20, $vgpr9"),
    class("movrel",         "s_movrels_b32 s30, s31",              "$sgpr30 = S_MOVRELS_B32 $sgpr31, implicit $m0"),
    class("interpolation",  "v_interp_p1_f32 v9, v0, attr0.x",     "$vgpr9 = V_INTERP_P1_F32 $vgpr0, 0, 0, implicit $mode, implicit $m0, implicit $exec"),
    class("lds direct",     "v_mov_b32 v9, src_lds_direct",        "$vgpr9 = V_MOV_B32_e32 $lds_direct, implicit $exec, implicit $m0"),
    class("vccz",           "v_mov_b32 v9, src_vccz",              "$vgpr9 = V_MOV_B32_e32 $src_vccz, implicit $exec"),
    class("valu m0",        "v_mov_b32 v9, m0",                    "$vgpr9 = V_MOV_B32_e32 $m0, implicit $exec"),
    class("trace",          "s_ttracedata",                        "S_TTRACEDATA implicit $m0"),
];

/// The same instruction with data elsewhere: v30 and on, s40 and on.
pub fn elsewhere(text: &str) -> String {
    const MOVES: [(&str, &str); 14] = [
        ("v10", "v30"),
        ("v11", "v31"),
        ("v12", "v32"),
        ("v13", "v33"),
        ("v[10:", "v[30:"),
        ("v[14:15]", "v[34:35]"),
        (":11]", ":31]"),
        (":12]", ":32]"),
        (":13]", ":33]"),
        ("vgpr1", "vgpr3"),
        ("s30", "s40"),
        ("s[30:31]", "s[40:41]"),
        ("sgpr30", "sgpr40"),
        ("sgpr31", "sgpr41"),
    ];
    // An address is two registers of its own.
    let text = text
        .replace("$vgpr0_vgpr1,", "$ADDRESS,")
        .replace("$vgpr0_vgpr1", "$ADDRESS");
    let moved = MOVES
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to));
    moved.replace("$ADDRESS", "$vgpr0_vgpr1")
}
