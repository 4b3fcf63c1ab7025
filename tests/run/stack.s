// RUN: gfx900 gfx906
// A stack that depends on the run has 4096 bytes a lane, or as many as asked for; what does not fit is lost, which is told.
//! grid = 2
//! stack = 64
//! args = { out = "u32*4" }
//! print = ["out"]
// GCN all: out: u32[0..4] = 10, 0, 11, 0
// GCN all: note: the size of the kernel's stack is unknown; each lane has 80 bytes of scratch, 64 more than the fixed part; --stack changes that
// GCN all: note: 4 accesses beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware; the first by workgroup 0,0,0, wave 0, at kernel+0x24: scratch_store_dword off, v2, s8 offset:4
// GCN all: --> run/stack.s:21: scratch_store_dword off, v2, s8 offset:4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_add_u32 flat_scratch_lo, s2, s4
    s_addc_u32 flat_scratch_hi, s3, 0
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_add_u32 v2, 10, v0
    s_mov_b32 s8, 76
    scratch_store_dword off, v2, s8
    scratch_store_dword off, v2, s8 offset:4
    s_waitcnt vmcnt(0)
    scratch_load_dword v4, off, s8
    scratch_load_dword v5, off, s8 offset:4
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
    .amdhsa_uses_dynamic_stack 1
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
