// RUN: gfx900 gfx906
// SCRATCH: the same offset is other memory in every lane; a register or an SGPR may be added.
//! grid = 4
//! args = { out = "u32*8" }
//! print = ["out"]
// GCN all: out: u32[0..8] = 0, 0, 257, 257, 514, 514, 771, 771
// GCN all: not exact: scratch_load_dword, scratch_store_byte (hardware fault, E259)
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_add_u32 flat_scratch_lo, s2, s4
    s_addc_u32 flat_scratch_hi, s3, 0
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v1, 4
    v_or_b32 v2, 0x100, v0
    s_mov_b32 s8, 8
    scratch_store_dword v1, v2, off
    scratch_store_byte off, v0, s8 offset:-3
    s_waitcnt vmcnt(0)
    scratch_load_dword v4, off, s8 offset:-4
    scratch_load_ushort v5, v1, off
    v_lshlrev_b32 v1, 3, v0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dwordx2 v1, v[4:5], s[6:7]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
