// RUN: gfx803 gfx900 gfx906
// A hardware register, with its value.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[9]
// GCN all: out[9] = 16384
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [hardware.s:26, workgroup 0,0,0, wave 0, lane 9]
// GCN all: ├─ v2 = 16384: v_mov_b32_e32 v2, s20  [hardware.s:24]
// GCN all: │  └─ s20 = 16384: s_getreg_b32 s20, hwreg(HW_REG_LDS_ALLOC)  [hardware.s:23] ← lds_alloc = 16384: the launch's value
// GCN all: ├─ address: v1 = 36: v_lshlrev_b32_e32 v1, 2, v0  [hardware.s:22] ← v0 = 9: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [hardware.s:19] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: arguments: bytes 16..24
// GCN all: 7 instructions, 8 executions, 1 workgroup traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_getreg_b32 s20, hwreg(HW_REG_LDS_ALLOC)
    v_mov_b32 v2, s20
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
