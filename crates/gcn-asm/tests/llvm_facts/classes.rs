//! Instructions of every class that counters and hazards distinguish, as assembly and as LLVM's machine
//! representation. Data start at v10 and s30, addresses are v[0:1], descriptors and bases start at s20.
//!
//! An LDS access has a memory operand in address space 3, which alone decides whether LLVM waits for loads to LDS. An
//! image access has one in address space 8, as in LLVM's own output: without a memory operand, LLVM would treat it as a
//! FLAT access, which may access LDS.
//!
//! Image atomics have an opcode per generation (`_si`, `_vi`); one of them serves all targets, because the passes
//! treat both alike.
//!
//! Not compared, because LLVM cannot represent them, its passes do not handle them, or llc crashes:
//! - image atomics without a result, and image descriptors of four dwords (R128): the test `lint` of gcn-observe has the latter;
//! - the increment of VM_CNT by BUFFER_WBINVL1 and similar instructions: LLVM waits for all vector memory before it,
//!   and counts nothing;
//! - GLOBAL loads to LDS as the first of a pair for hazards: llc-19 crashes;
//! - the second increment of LGKM_CNT by scalar memory instructions of two or more dwords: they complete out of
//!   order, so only a wait for 0 is used;
//! - branches, returns and S_BARRIER, which end a block or always wait for everything; S_SENDMSG of MSG_GS_DONE also
//!   waits for everything.

/// An instruction with a name, in both representations.
pub struct Class {
    pub name: &'static str,
    pub text: &'static str,
    pub mir: &'static str,
}

const fn class(name: &'static str, text: &'static str, mir: &'static str) -> Class {
    Class { name, text, mir }
}

/// Instructions that increment counters.
#[rustfmt::skip]
pub const COUNTED: &[Class] = &[
    class("global load",       "global_load_dword v10, v[0:1], off",                "$vgpr10 = GLOBAL_LOAD_DWORD $vgpr0_vgpr1, 0, 0, implicit $exec"),
    class("global store",      "global_store_dword v[0:1], v10, off",               "GLOBAL_STORE_DWORD $vgpr0_vgpr1, $vgpr10, 0, 0, implicit $exec"),
    class("global base",       "global_load_dword v10, v0, s[20:21]",               "$vgpr10 = GLOBAL_LOAD_DWORD_SADDR $sgpr20_sgpr21, $vgpr0, 0, 0, implicit $exec"),
    class("global atomic",     "global_atomic_add v[0:1], v10, off",                "GLOBAL_ATOMIC_ADD $vgpr0_vgpr1, $vgpr10, 0, 0, implicit $exec"),
    class("global atomic back","global_atomic_add v10, v[0:1], v11, off glc",       "$vgpr10 = GLOBAL_ATOMIC_ADD_RTN $vgpr0_vgpr1, $vgpr11, 0, 1, implicit $exec"),
    class("global x4 store",   "global_store_dwordx4 v[0:1], v[10:13], off",        "GLOBAL_STORE_DWORDX4 $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12_vgpr13, 0, 0, implicit $exec"),
    class("scratch load",      "scratch_load_dword v10, v0, off",                   "$vgpr10 = SCRATCH_LOAD_DWORD $vgpr0, 0, 0, implicit $exec, implicit $flat_scr"),
    class("scratch store",     "scratch_store_dword v0, v10, off",                  "SCRATCH_STORE_DWORD $vgpr10, $vgpr0, 0, 0, implicit $exec, implicit $flat_scr"),
    class("scratch base",      "scratch_load_dword v10, off, s20",                  "$vgpr10 = SCRATCH_LOAD_DWORD_SADDR $sgpr20, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat load",         "flat_load_dword v10, v[0:1]",                       "$vgpr10 = FLAT_LOAD_DWORD $vgpr0_vgpr1, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat store",        "flat_store_dword v[0:1], v10",                      "FLAT_STORE_DWORD $vgpr0_vgpr1, $vgpr10, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat x3 store",     "flat_store_dwordx3 v[0:1], v[10:12]",               "FLAT_STORE_DWORDX3 $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat swap",         "flat_atomic_cmpswap_x2 v[0:1], v[10:13]",           "FLAT_ATOMIC_CMPSWAP_X2 $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12_vgpr13, 0, 0, implicit $exec, implicit $flat_scr"),
    class("flat swap back",    "flat_atomic_cmpswap_x2 v[14:15], v[0:1], v[10:13] glc", "$vgpr14_vgpr15 = FLAT_ATOMIC_CMPSWAP_X2_RTN $vgpr0_vgpr1, $vgpr10_vgpr11_vgpr12_vgpr13, 0, 1, implicit $exec, implicit $flat_scr"),
    class("buffer load",       "buffer_load_dword v10, off, s[20:23], 0",           "$vgpr10 = BUFFER_LOAD_DWORD_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer soffset",    "buffer_load_dword v10, off, s[24:27], s20",         "$vgpr10 = BUFFER_LOAD_DWORD_OFFSET $sgpr24_sgpr25_sgpr26_sgpr27, $sgpr20, 0, 0, 0, implicit $exec"),
    class("buffer vaddr",      "buffer_load_dword v10, v[0:1], s[20:23], 0 idxen offen","$vgpr10 = BUFFER_LOAD_DWORD_BOTHEN $vgpr0_vgpr1, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer status",     "buffer_load_dword v[10:11], off, s[20:23], 0 tfe",  "$vgpr10_vgpr11 = BUFFER_LOAD_DWORD_TFE_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer half",       "buffer_load_short_d16 v10, off, s[20:23], 0",       "$vgpr10 = BUFFER_LOAD_SHORT_D16_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, $vgpr10, implicit $exec"),
    class("buffer store",      "buffer_store_dword v10, off, s[20:23], 0",          "BUFFER_STORE_DWORD_OFFSET $vgpr10, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer x2 store",   "buffer_store_dwordx2 v[10:11], off, s[20:23], 0",   "BUFFER_STORE_DWORDX2_OFFSET $vgpr10_vgpr11, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer x4 store",   "buffer_store_dwordx4 v[10:13], off, s[20:23], 0",   "BUFFER_STORE_DWORDX4_OFFSET $vgpr10_vgpr11_vgpr12_vgpr13, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec"),
    class("buffer x4 soffset", "buffer_store_dwordx4 v[10:13], off, s[24:27], s20", "BUFFER_STORE_DWORDX4_OFFSET $vgpr10_vgpr11_vgpr12_vgpr13, $sgpr24_sgpr25_sgpr26_sgpr27, $sgpr20, 0, 0, 0, implicit $exec"),
    class("typed load",        "tbuffer_load_format_x v10, off, s[20:23], 0 format:22", "$vgpr10 = TBUFFER_LOAD_FORMAT_X_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 22, 0, 0, implicit $exec"),
    class("typed store",       "tbuffer_store_format_xyzw v[10:13], off, s[20:23], 0 format:22", "TBUFFER_STORE_FORMAT_XYZW_OFFSET $vgpr10_vgpr11_vgpr12_vgpr13, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 22, 0, 0, implicit $exec"),
    class("buffer atomic",     "buffer_atomic_add v10, off, s[20:23], 0",           "BUFFER_ATOMIC_ADD_OFFSET $vgpr10, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, implicit $exec"),
    class("buffer atomic back", "buffer_atomic_add v10, off, s[20:23], 0 glc",      "$vgpr10 = BUFFER_ATOMIC_ADD_OFFSET_RTN $vgpr10, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 1, implicit $exec"),
    class("buffer to lds",     "buffer_load_dword off, s[20:23], 0 lds",            "BUFFER_LOAD_DWORD_LDS_OFFSET $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec, implicit $m0"),
    class("buffer from lds",   "buffer_store_lds_dword s[20:23], 0 lds",            "BUFFER_STORE_LDS_DWORD $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0, 0, 0, implicit $exec, implicit $m0 :: (load (s32), addrspace 3)"),
    class("global to lds",     "global_load_dword v[0:1], off lds",                 "GLOBAL_LOAD_LDS_DWORD $vgpr0_vgpr1, 0, 0, implicit $exec, implicit $m0"),
    class("image load",        "image_load v10, v0, s[20:27] dmask:0x1 unorm",      "$vgpr10 = IMAGE_LOAD_V1_V1 $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, 1, -1, 0, 0, 0, 0, 0, 0, implicit $exec :: (load (s32), addrspace 8)"),
    class("image status",      "image_load v[10:11], v0, s[20:27] dmask:0x1 unorm tfe","$vgpr10_vgpr11 = IMAGE_LOAD_V2_V1 $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, 1, -1, 0, 0, 1, 0, 0, 0, implicit $exec :: (load (s32), addrspace 8)"),
    class("image store",       "image_store v10, v0, s[20:27] dmask:0x1 unorm",     "IMAGE_STORE_V1_V1 $vgpr10, $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, 1, -1, 0, 0, 0, 0, 0, 0, implicit $exec :: (store (s32), addrspace 8)"),
    class("image x4 store",    "image_store v[10:13], v0, s[20:27] dmask:0xf unorm","IMAGE_STORE_V4_V1 $vgpr10_vgpr11_vgpr12_vgpr13, $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, 15, -1, 0, 0, 0, 0, 0, 0, implicit $exec :: (store (s128), addrspace 8)"),
    class("image sample",      "image_sample v10, v0, s[20:27], s[32:35] dmask:0x1","$vgpr10 = IMAGE_SAMPLE_V1_V1 $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, $sgpr32_sgpr33_sgpr34_sgpr35, 1, 0, 0, 0, 0, 0, 0, 0, implicit $exec :: (load (s32), addrspace 8)"),
    class("image gather",      "image_gather4 v[10:13], v[0:1], s[20:27], s[32:35] dmask:0x1","$vgpr10_vgpr11_vgpr12_vgpr13 = IMAGE_GATHER4_V4_V2 $vgpr0_vgpr1, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, $sgpr32_sgpr33_sgpr34_sgpr35, 1, 0, 0, 0, 0, 0, 0, 0, implicit $exec :: (load (s128), addrspace 8)"),
    class("image atomic",      "image_atomic_add v10, v0, s[20:27] dmask:0x1 unorm glc","$vgpr10 = IMAGE_ATOMIC_ADD_V1_V1_si $vgpr10, $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, 1, -1, 1, 0, 0, 0, 0, implicit $exec :: (load store (s32), addrspace 8)"),
    class("image swap",        "image_atomic_cmpswap v[10:11], v0, s[20:27] dmask:0x3 unorm glc","$vgpr10_vgpr11 = IMAGE_ATOMIC_CMPSWAP_V1_V1_si $vgpr10_vgpr11, $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, 3, -1, 1, 0, 0, 0, 0, implicit $exec :: (load store (s32), addrspace 8)"),
    class("image size",        "image_get_resinfo v10, v0, s[20:27] dmask:0x1 unorm","$vgpr10 = IMAGE_GET_RESINFO_V1_V1 $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, 1, -1, 0, 0, 0, 0, 0, implicit $exec"),
    class("image level",       "image_get_lod v10, v0, s[20:27], s[32:35] dmask:0x1","$vgpr10 = IMAGE_GET_LOD_V1_V1 $vgpr0, $sgpr20_sgpr21_sgpr22_sgpr23_sgpr24_sgpr25_sgpr26_sgpr27, $sgpr32_sgpr33_sgpr34_sgpr35, 1, 0, 0, 0, 0, 0, 0, implicit $exec"),
    class("vector cache",      "buffer_wbinvl1",                                    "BUFFER_WBINVL1 implicit $exec"),
    class("vector cache sc",   "buffer_wbinvl1_sc",                                 "BUFFER_WBINVL1_SC implicit $exec"),
    class("vector cache vol",  "buffer_wbinvl1_vol",                                "BUFFER_WBINVL1_VOL implicit $exec"),
    class("lds read",          "ds_read_b32 v10, v0",                               "$vgpr10 = DS_READ_B32 $vgpr0, 0, 0, implicit $m0, implicit $exec :: (load (s32), addrspace 3)"),
    class("lds write",         "ds_write_b32 v0, v10",                              "DS_WRITE_B32 $vgpr0, $vgpr10, 0, 0, implicit $m0, implicit $exec :: (store (s32), addrspace 3)"),
    class("lds atomic",        "ds_add_rtn_u32 v10, v0, v11",                       "$vgpr10 = DS_ADD_RTN_U32 $vgpr0, $vgpr11, 0, 0, implicit $m0, implicit $exec :: (load store (s32), addrspace 3)"),
    class("lds add",           "ds_add_u32 v0, v10",                                "DS_ADD_U32 $vgpr0, $vgpr10, 0, 0, implicit $m0, implicit $exec :: (load store (s32), addrspace 3)"),
    class("lds half",          "ds_read_u16_d16 v10, v0",                           "$vgpr10 = DS_READ_U16_D16 $vgpr0, 0, 0, $vgpr10, implicit $exec :: (load (s16), addrspace 3)"),
    class("lds copy",          "ds_write_src2_b32 v0",                              "DS_WRITE_SRC2_B32 $vgpr0, 0, 0, implicit $m0, implicit $exec :: (load store (s32), addrspace 3)"),
    class("lds nothing",       "ds_nop",                                            "DS_NOP implicit $m0, implicit $exec"),
    class("lds append",        "ds_append v10",                                     "$vgpr10 = DS_APPEND 0, 0, implicit $m0, implicit $exec :: (load store (s32), addrspace 3)"),
    class("lds swizzle",       "ds_swizzle_b32 v10, v0",                            "$vgpr10 = DS_SWIZZLE_B32 $vgpr0, 0, 0, implicit $exec"),
    class("lds permute",       "ds_bpermute_b32 v10, v0, v11",                      "$vgpr10 = DS_BPERMUTE_B32 $vgpr0, $vgpr11, 0, implicit $exec"),
    class("lds by lane",       "ds_read_addtid_b32 v10",                            "$vgpr10 = DS_READ_ADDTID_B32 0, 0, implicit $m0, implicit $exec :: (load (s32), addrspace 3)"),
    class("lds write by lane", "ds_write_addtid_b32 v10",                           "DS_WRITE_ADDTID_B32 $vgpr10, 0, 0, implicit $m0, implicit $exec :: (store (s32), addrspace 3)"),
    class("gds read",          "ds_read_b32 v10, v0 gds",                           "$vgpr10 = DS_READ_B32 $vgpr0, 0, 1, implicit $m0, implicit $exec"),
    class("gds write",         "ds_write_b32 v0, v10 gds",                          "DS_WRITE_B32 $vgpr0, $vgpr10, 0, 1, implicit $m0, implicit $exec"),
    class("gds atomic",        "ds_add_rtn_u32 v10, v0, v11 gds",                   "$vgpr10 = DS_ADD_RTN_U32 $vgpr0, $vgpr11, 0, 1, implicit $m0, implicit $exec"),
    class("gds append",        "ds_append v10 gds",                                 "$vgpr10 = DS_APPEND 0, 1, implicit $m0, implicit $exec"),
    class("gds count",         "ds_ordered_count v10, v0 gds",                      "$vgpr10 = DS_ORDERED_COUNT $vgpr0, 0, implicit $m0, implicit $exec"),
    class("gws",               "ds_gws_init v10 gds",                               "DS_GWS_INIT $vgpr10, 0, implicit $m0, implicit $exec"),
    class("gws barrier",       "ds_gws_barrier v10 gds",                            "DS_GWS_BARRIER $vgpr10, 0, implicit $m0, implicit $exec"),
    class("gws semaphore",     "ds_gws_sema_v gds",                                 "DS_GWS_SEMA_V 0, implicit $m0, implicit $exec"),
    class("scalar load",       "s_load_dword s30, s[20:21], 0x0",                   "$sgpr30 = S_LOAD_DWORD_IMM $sgpr20_sgpr21, 0, 0"),
    class("scalar x2 load",    "s_load_dwordx2 s[30:31], s[20:21], 0x0",            "$sgpr30_sgpr31 = S_LOAD_DWORDX2_IMM $sgpr20_sgpr21, 0, 0"),
    class("scalar soffset",    "s_load_dword s30, s[24:25], s20",                   "$sgpr30 = S_LOAD_DWORD_SGPR $sgpr24_sgpr25, $sgpr20, 0"),
    class("scalar scratch",    "s_scratch_load_dword s30, s[20:21], 0x0",           "$sgpr30 = S_SCRATCH_LOAD_DWORD_IMM $sgpr20_sgpr21, 0, 0, implicit $flat_scr"),
    class("scalar buffer",     "s_buffer_load_dword s30, s[20:23], 0x0",            "$sgpr30 = S_BUFFER_LOAD_DWORD_IMM $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0"),
    class("scalar store",      "s_store_dword s30, s[20:21], 0x0",                  "S_STORE_DWORD_IMM $sgpr30, $sgpr20_sgpr21, 0, 0"),
    class("scalar buffer store","s_buffer_store_dword s30, s[20:23], 0x0",           "S_BUFFER_STORE_DWORD_IMM $sgpr30, $sgpr20_sgpr21_sgpr22_sgpr23, 0, 0"),
    class("scalar atomic",     "s_atomic_add s30, s[20:21], 0x0",                   "S_ATOMIC_ADD_IMM $sgpr30, $sgpr20_sgpr21, 0, 0"),
    class("scalar atomic back","s_atomic_add s30, s[20:21], 0x0 glc",               "$sgpr30 = S_ATOMIC_ADD_IMM_RTN $sgpr30, $sgpr20_sgpr21, 0, 1"),
    class("scalar probe",      "s_atc_probe 0x0, s[20:21], 0x0",                    "S_ATC_PROBE_IMM 0, $sgpr20_sgpr21, 0"),
    class("scalar discard",    "s_dcache_discard s[20:21], 0x0",                    "S_DCACHE_DISCARD_IMM $sgpr20_sgpr21, 0"),
    class("scalar cache",      "s_dcache_inv",                                      "S_DCACHE_INV"),
    class("scalar cache vol",  "s_dcache_inv_vol",                                  "S_DCACHE_INV_VOL"),
    class("scalar cache wb",   "s_dcache_wb",                                       "S_DCACHE_WB"),
    class("scalar cache wb vol","s_dcache_wb_vol",                                   "S_DCACHE_WB_VOL"),
    class("time",              "s_memtime s[30:31]",                                "$sgpr30_sgpr31 = S_MEMTIME"),
    class("real time",         "s_memrealtime s[30:31]",                            "$sgpr30_sgpr31 = S_MEMREALTIME"),
    class("message",           "s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 0)",           "S_SENDMSG 18, implicit $exec, implicit $m0"),
    class("message halt",      "s_sendmsghalt sendmsg(MSG_GS, GS_OP_CUT, 0)",       "S_SENDMSGHALT 18, implicit $exec, implicit $m0"),
    class("export",            "exp mrt0 v10, v11, v12, v13",                       "EXP 0, $vgpr10, $vgpr11, $vgpr12, $vgpr13, 0, 0, 15, implicit $exec"),
    class("export position",   "exp pos0 v10, v11, v12, v13",                       "EXP 12, $vgpr10, $vgpr11, $vgpr12, $vgpr13, 0, 0, 15, implicit $exec"),
    class("export parameter",  "exp param0 v10, v11, v12, v13",                     "EXP 32, $vgpr10, $vgpr11, $vgpr12, $vgpr13, 0, 0, 15, implicit $exec"),
    class("export depth",      "exp mrtz v10, v11, v12, v13 done",                  "EXP_DONE 8, $vgpr10, $vgpr11, $vgpr12, $vgpr13, 0, 0, 15, implicit $exec"),
    class("export null",       "exp null v10, v11, v12, v13",                       "EXP 9, $vgpr10, $vgpr11, $vgpr12, $vgpr13, 0, 0, 15, implicit $exec"),
    class("export packed",     "exp mrt0 v10, v10, v11, v11 compr",                 "EXP 0, $vgpr10, $vgpr11, undef $vgpr0, undef $vgpr0, 0, 1, 15, implicit $exec"),
];

/// Instructions that increment no counter, for hazards.
#[rustfmt::skip]
pub const OTHERS: &[Class] = &[
    class("valu",           "v_mov_b32 v10, v0",                   "$vgpr10 = V_MOV_B32_e32 $vgpr0, implicit $exec"),
    class("valu sgpr",      "v_readfirstlane_b32 s20, v0",         "$sgpr20 = V_READFIRSTLANE_B32 $vgpr0, implicit $exec"),
    class("valu mask",      "v_cmp_eq_u32_e64 s[20:21], v0, v1",   "$sgpr20_sgpr21 = V_CMP_EQ_U32_e64 $vgpr0, $vgpr1, implicit $exec"),
    class("valu vcc",       "v_cmp_eq_u32_e32 vcc, v0, v1",        "V_CMP_EQ_U32_e32 $vgpr0, $vgpr1, implicit-def $vcc, implicit $exec"),
    class("valu exec",      "v_cmpx_eq_u32_e32 vcc, v0, v1",       "V_CMPX_EQ_U32_e32 $vgpr0, $vgpr1, implicit-def $exec, implicit-def $vcc, implicit $exec"),
    class("valu carry",        "v_add_co_u32_e64 v9, s[20:21], v0, v1",             "$vgpr9, $sgpr20_sgpr21 = V_ADD_CO_U32_e64 $vgpr0, $vgpr1, 0, implicit $exec"),
    class("valu pair",         "v_pk_add_f16 v10, v0, v1",                          "$vgpr10 = V_PK_ADD_F16 8, $vgpr0, 8, $vgpr1, 0, 0, 0, 0, 0, implicit $mode, implicit $exec"),
    class("valu writes m0",    "v_readfirstlane_b32 m0, v0",                        "$m0 = V_READFIRSTLANE_B32 $vgpr0, implicit $exec"),
    class("valu scratch",      "v_readfirstlane_b32 flat_scratch_lo, v0",           "$flat_scr_lo = V_READFIRSTLANE_B32 $vgpr0, implicit $exec"),
    class("swap",              "v_swap_b32 v9, v10",                                "$vgpr9, $vgpr10 = V_SWAP_B32 $vgpr10, $vgpr9, implicit $exec"),
    class("sdwa",              "v_mov_b32_sdwa v10, v0 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD","$vgpr10 = V_MOV_B32_sdwa 0, $vgpr0, 0, 0, 2, 6, implicit $exec, implicit $vgpr10(tied-def 0)"),
    class("sdwa vcc",          "v_cmp_eq_u32_sdwa vcc, v0, v1 src0_sel:DWORD src1_sel:DWORD","$vcc = V_CMP_EQ_U32_sdwa 0, $vgpr0, 0, $vgpr1, 0, 6, 6, implicit $exec"),
    class("sdwa mask",         "v_cmp_eq_u32_sdwa s[20:21], v0, v1 src0_sel:DWORD src1_sel:DWORD","$sgpr20_sgpr21 = V_CMP_EQ_U32_sdwa 0, $vgpr0, 0, $vgpr1, 0, 6, 6, implicit $exec"),
    class("sdwa exec",         "v_cmpx_eq_u32_sdwa vcc, v0, v1 src0_sel:DWORD src1_sel:DWORD","$vcc = V_CMPX_EQ_U32_sdwa 0, $vgpr0, 0, $vgpr1, 0, 6, 6, implicit-def $exec, implicit $exec"),
    class("sdwa carry",        "v_addc_co_u32_sdwa v10, vcc, v0, v1, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD","$vgpr10 = V_ADDC_U32_sdwa 0, $vgpr0, 0, $vgpr1, 0, 6, 0, 6, 6, implicit-def $vcc, implicit $vcc, implicit $exec"),
    class("salu",           "s_mov_b32 s20, 0",                    "$sgpr20 = S_MOV_B32 0"),
    class("salu m0",        "s_mov_b32 m0, 0",                     "$m0 = S_MOV_B32 0"),
    class("index on",          "s_set_gpr_idx_on s20, 0x1",                         "S_SET_GPR_IDX_ON $sgpr20, 1, implicit-def $m0, implicit-def $mode, implicit $m0, implicit $mode"),
    class("index",             "s_set_gpr_idx_idx s20",                             "S_SET_GPR_IDX_IDX $sgpr20, implicit-def $m0, implicit-def $mode, implicit $m0, implicit $mode"),
    class("index off",         "s_set_gpr_idx_off",                                 "S_SET_GPR_IDX_OFF implicit-def $mode, implicit $mode"),
    class("salu vcc",       "s_mov_b64 vcc, 0",                    "$vcc = S_MOV_B64 0"),
    class("salu exec",      "s_mov_b64 exec, 0",                   "$exec = S_MOV_B64 0"),
    class("setreg mode",    "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", "S_SETREG_B32 $sgpr0, 6145, implicit-def $mode, implicit $mode"),
    class("setreg traps",   "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 4), 0", "S_SETREG_IMM32_B32 0, 6147, implicit-def $mode, implicit $mode"),
    class("getreg mode",    "s_getreg_b32 s30, hwreg(HW_REG_MODE, 0, 4)", "$sgpr30 = S_GETREG_B32 6145, implicit $mode"),
    class("getreg traps",   "s_getreg_b32 s30, hwreg(HW_REG_TRAPSTS, 0, 4)", "$sgpr30 = S_GETREG_B32 6147, implicit $mode"),
    class("return",         "s_rfe_b64 s[30:31]",                  "S_RFE_B64 $sgpr30_sgpr31"),
    class("dpp",            "v_mov_b32_dpp v19, v10 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf", "$vgpr19 = V_MOV_B32_dpp $vgpr19, $vgpr10, 57, 15, 15, 0, implicit $exec"),
    class("dpp sum",           "v_add_f32_dpp v19, v10, v0 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf","$vgpr19 = V_ADD_F32_dpp $vgpr19, 0, $vgpr10, 0, $vgpr0, 57, 15, 15, 0, implicit $mode, implicit $exec"),
    class("div fmas",       "v_div_fmas_f32 v9, v0, v1, v2",       "$vgpr9 = V_DIV_FMAS_F32_e64 0, $vgpr0, 0, $vgpr1, 0, $vgpr2, 0, 0, implicit $mode, implicit $vcc, implicit $exec"),
    class("double div fmas",   "v_div_fmas_f64 v[10:11], v[0:1], v[0:1], v[0:1]",   "$vgpr10_vgpr11 = V_DIV_FMAS_F64_e64 0, $vgpr0_vgpr1, 0, $vgpr0_vgpr1, 0, $vgpr0_vgpr1, 0, 0, implicit $mode, implicit $vcc, implicit $exec"),
    class("div scale",         "v_div_scale_f32 v9, vcc, v0, v1, v0",               "$vgpr9, $vcc = V_DIV_SCALE_F32_e64 0, $vgpr0, 0, $vgpr1, 0, $vgpr0, 0, 0, implicit $mode, implicit $exec"),
    class("readlane",       "v_readlane_b32 s30, v0, s20",         "$sgpr30 = V_READLANE_B32 $vgpr0, $sgpr20"),
    class("writelane",      "v_writelane_b32 v9, 1, s20",          "$vgpr9 = V_WRITELANE_B32 1, $sgpr20, $vgpr9"),
    class("movrel",         "s_movrels_b32 s30, s31",              "$sgpr30 = S_MOVRELS_B32 $sgpr31, implicit $m0"),
    class("movrel to",         "s_movreld_b32 s30, s31",                            "S_MOVRELD_B32 $sgpr30, $sgpr31, implicit $m0"),
    class("interpolation",  "v_interp_p1_f32 v9, v0, attr0.x",     "$vgpr9 = V_INTERP_P1_F32 $vgpr0, 0, 0, implicit $mode, implicit $m0, implicit $exec"),
    class("second interpolation","v_interp_p2_f32 v10, v0, attr0.x",                  "$vgpr10 = V_INTERP_P2_F32 $vgpr10, $vgpr0, 0, 0, implicit $mode, implicit $m0, implicit $exec"),
    class("parameter",         "v_interp_mov_f32 v10, p0, attr0.x",                 "$vgpr10 = V_INTERP_MOV_F32 2, 0, 0, implicit $mode, implicit $m0, implicit $exec"),
    class("half interpolation","v_interp_p1ll_f16 v10, v0, attr0.x",                "$vgpr10 = V_INTERP_P1LL_F16 0, $vgpr0, 0, 0, 0, 0, 0, implicit $mode, implicit $m0, implicit $exec"),
    class("lds direct",     "v_mov_b32 v9, src_lds_direct",        "$vgpr9 = V_MOV_B32_e32 $lds_direct, implicit $exec, implicit $m0"),
    class("vccz",           "v_mov_b32 v9, src_vccz",              "$vgpr9 = V_MOV_B32_e32 $src_vccz, implicit $exec"),
    class("valu m0",        "v_mov_b32 v9, m0",                    "$vgpr9 = V_MOV_B32_e32 $m0, implicit $exec"),
    class("trace",          "s_ttracedata",                        "S_TTRACEDATA implicit $m0"),
    class("fetch cache",       "s_icache_inv",                                      "S_ICACHE_INV"),
];

/// The instruction with its data in other registers: starting at v30 and s40, or at v50 and s50.
pub fn elsewhere(text: &str, place: u16) -> String {
    let mut moved = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (head, tail) = rest.split_at(start);
        let end = tail.find(|c: char| !c.is_ascii_digit());
        let (digits, after) = tail.split_at(end.unwrap_or(tail.len()));
        let follows = |names: [&str; 4]| names.iter().any(|name| head.ends_with(name));
        moved.push_str(head);
        match digits.parse::<u16>() {
            Ok(n @ 10..=15) if follows(["vgpr", "v", "v[", ":"]) => {
                moved += &(n + 20 * place).to_string();
            }
            Ok(n @ 30..=31) if follows(["sgpr", "s", "s[", ":"]) => {
                moved += &(n + 10 * place).to_string();
            }
            _ => moved.push_str(digits),
        }
        rest = after;
    }
    moved + rest
}
