// RUN: tahiti bonaire fiji gfx900 gfx906
// Branches by VCCZ that hardware may have wrong: it does not follow writes of half of VCC; on GCN 1.0 and 1.1 scalar loads change it.
//! grid = 64
//! args = { out = "u32*64" }
// GCN all: error[wrong-vccz]: vccz is read after a write to half of vcc, which does not update it
// GCN all: --> check/hazards-vccz.s:65:5
// GCN all: |
// GCN all: 65 |     s_cbranch_vccz second               // reported: VCCZ is as it was
// GCN all: |     ^^^^^^^^^^^^^^ reads vccz
// GCN all: |
// GCN all: ::: check/hazards-vccz.s:64:5
// GCN all: |
// GCN all: 64 |     s_mov_b32 vcc_lo, 0
// GCN all: |     --------- writes half of vcc
// GCN all: |
// GCN all: = note: reads vccz: `s_cbranch_vccz 0`, at first+0x4, workgroup 0,0,0, wave 0
// GCN all: = note: writes half of vcc: `s_mov_b32 vcc_lo, 0`, at first+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_mov_b64 vcc, vcc` before the instruction
// GCN all: 
// GCN 1.0, 1.1: error[wrong-vccz]: vccz is read while a scalar load may have changed it
// GCN 1.2, 1.4, 1.4.1: 1 error
// GCN 1.0, 1.1: --> check/hazards-vccz.s:74:5
// GCN 1.2, 1.4, 1.4.1: exit status 3
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: 74 |     s_cbranch_vccz fourth               // reported on GCN 1.0 and 1.1: the load may have changed VCCZ
// GCN 1.0, 1.1: |     ^^^^^^^^^^^^^^ reads vccz
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: ::: check/hazards-vccz.s:72:5
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: 72 |     s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN 1.0, 1.1: |     -------------- the scalar load
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: = note: reads vccz: `s_cbranch_vccz 0`, at third+0xc, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the scalar load: `s_load_dwordx2 s[4:5], s[0:1], 0x0`, at third+0x4, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: kernel kernel, once
// GCN 1.0, 1.1: = help: `s_mov_b64 vcc, vcc` before the instruction
// GCN 1.0, 1.1: 
// GCN 1.0, 1.1: error[wrong-vccz]: vccz is read while a scalar load may have changed it
// GCN 1.0, 1.1: --> check/hazards-vccz.s:78:5
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: 78 |     s_cbranch_vccz fifth                // and here it may still change it
// GCN 1.0, 1.1: |     ^^^^^^^^^^^^^^ reads vccz
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: ::: check/hazards-vccz.s:76:5
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: 76 |     s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN 1.0, 1.1: |     -------------- the scalar load
// GCN 1.0, 1.1: |
// GCN 1.0, 1.1: = note: reads vccz: `s_cbranch_vccz 0`, at fourth+0x8, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the scalar load: `s_load_dwordx2 s[4:5], s[0:1], 0x0`, at fourth+0x0, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: kernel kernel, once
// GCN 1.0, 1.1: = help: `s_waitcnt lgkmcnt(0)` and `s_mov_b64 vcc, vcc` before the instruction
// GCN 1.0, 1.1: 
// GCN 1.0, 1.1: 3 errors
// GCN 1.0, 1.1: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b64 vcc, -1
    s_cbranch_vccz first
first:
    s_mov_b32 vcc_lo, 0
    s_cbranch_vccz second               // reported: VCCZ is as it was
second:
    s_mov_b32 vcc_hi, 0
    s_mov_b64 vcc, vcc
    s_cbranch_vccnz third
third:
    s_mov_b64 vcc, 0
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_cbranch_vccz fourth               // reported on GCN 1.0 and 1.1: the load may have changed VCCZ
fourth:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_cmp_eq_u32 vcc, v0, v0
    s_cbranch_vccz fifth                // and here it may still change it
fifth:
    s_waitcnt lgkmcnt(0)
    s_mov_b64 vcc, vcc
    s_cbranch_vccz sixth
sixth:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
