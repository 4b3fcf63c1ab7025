// RUN: gfx900 gfx906
// An LDS atomic keeps denormals as MODE says at its issue, although MODE changes before the wait.
//! grid = 64
//! group = 64
//! args = { out = "u32*1" }
//! print = ["out"]
//? --threads 1
//? --late
// GCN all: out: u32[0..1] = 768
// GCN all: not exact: ds_add_f32 (open, E053)
// GCN all: out: u32[0..1] = 768
// GCN all: not exact: ds_add_f32 (open, E053)
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v2, 0
    v_mov_b32 v3, 0x200
    s_mov_b32 m0, -1
    ds_write_b32 v2, v3
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v4, 0x100
    s_mov_b64 exec, 1
    ds_add_f32 v2, v4
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v5, v2
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v5, s[6:7]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 2048
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
