// RUN: tahiti bonaire fiji gfx900 gfx906
// An instruction that the emulator knows but does not execute; what was stored before it is not lost.
//! grid = 1
//! args = { out = "u32*1" }
//! print = ["out"]
// GCN all: out: u32[0..1] = 5
// GCN 1.0, 1.1: error[unsupported-instruction]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x24: exp mrt0 v0, v0, v0, v0
// GCN 1.2, 1.4, 1.4.1: error[unsupported-instruction]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x28: exp mrt0 v0, v0, v0, v0
// GCN all: --> run/fault-not-executed.s:23: exp mrt0 v0, v0, v0, v0
// GCN all: not executed by this emulator
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1                // no limit of LDS either, which only GCN 1.4 does not read
    v_mov_b32 v0, 5
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v0, off, s[4:7], 0
    exp mrt0 v0, v0, v0, v0
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
