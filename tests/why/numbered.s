// RUN: tahiti bonaire gfx803 gfx900 gfx906
// The last of the numbered scalar registers, s103 or s101: no instruction has written it.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[9]
// GCN all: out[9] = 0
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [numbered.s:33, workgroup 0,0,0, wave 0, lane 9]
// GCN 1.0, 1.1: ├─ v2 = 0: v_mov_b32_e32 v2, s103  [numbered.s:24] ← s103 = 0: undefined, no instruction has written it
// GCN 1.2, 1.4, 1.4.1: ├─ v2 = 0: v_mov_b32_e32 v2, s101  [numbered.s:27] ← s101 = 0: undefined, no instruction has written it
// GCN all: ├─ address: v1 = 36: v_lshlrev_b32_e32 v1, 2, v0  [numbered.s:31] ← v0 = 9: work-item ID x
// GCN 1.0, 1.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x4  [numbered.s:23] ← argument bytes 16..24
// GCN 1.2, 1.4, 1.4.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [numbered.s:26] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: arguments: bytes 16..24
// GCN 1.0, 1.1: undefined: s103
// GCN 1.2, 1.4, 1.4.1: undefined: s101
// GCN all: 6 instructions, 7 executions, 1 workgroup traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
.if .amdgcn.gfx_generation_number < 8
    s_load_dwordx2 s[12:13], s[0:1], 0x4
    v_mov_b32 v2, s103
.else
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    v_mov_b32 v2, s101
.endif
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 98
.end_amdhsa_kernel
