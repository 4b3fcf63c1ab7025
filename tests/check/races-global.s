// RUN: tahiti bonaire fiji gfx900 gfx906
// Two workgroups store their numbers to one place, which is a race, and 1 to another, which is a warning.
//! grid = 128
//! group = 64
//! args = { out = "u32*64" }
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    v_mov_b32 v2, s2
    v_mov_b32 v3, 1
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen          // a race
    buffer_store_dword v3, v1, s[4:7], 0 offen offset:4 // the same value
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
