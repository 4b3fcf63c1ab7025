// RUN: gfx803 gfx900 gfx906
// A wait is missing before the product: `--late` has it read v3 before the load has taken effect.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[37] --against --late
//? --against --late --against -DWAIT=1
// GCN all: out[37] = 8238 in the first run, 1967148135 in the other
// GCN all: The runs diverge where equal operands have different results:
// GCN all: ├─ first: v3 = 11: buffer_load_dword v3, v1, s[8:11], 0 offen  [late.s:43, workgroup 0,0,0, wave 0, lane 37] of b[37]
// GCN all: │  └─ input b[37] = 11
// GCN all: └─ other: v3 = 0x2a28133e: buffer_load_dword v3, v1, s[8:11], 0 offen  [late.s:43, workgroup 0,0,0, wave 0, lane 37] of b[37]
// GCN all: └─ input b[37] = 11
// GCN all: The other run reads the register before the load has taken effect: a wait is missing.
// GCN all: From there to out[37]:
// GCN all: first: v4 = 8239: v_mul_u32_u24_e32 v4, v2, v3  [late.s:49]
// GCN all: other: v4 = 0x75404c66: v_mul_u32_u24_e32 v4, v2, v3  [late.s:49]
// GCN all: first: v4 = 8238: v_xor_b32_e32 v4, 1, v4  [late.s:50]
// GCN all: other: v4 = 0x75404c67: v_xor_b32_e32 v4, 1, v4  [late.s:50]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [late.s:51] of out[37]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [late.s:51] of out[37]
// GCN all: executions compared: 18 and 18; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: Both runs leave the same values: 64 elements compared.
.ifndef WAIT
.set WAIT, 0
.endif
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    buffer_load_dword v3, v1, s[8:11], 0 offen
.if WAIT
    s_waitcnt vmcnt(0)
.else
    s_waitcnt vmcnt(1)
.endif
    v_mul_u32_u24 v4, v2, v3
    v_xor_b32 v4, 1, v4
    buffer_store_dword v4, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
