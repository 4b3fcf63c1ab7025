// RUN: gfx900 gfx906
// Registers that are read or written before the operation that writes them is complete.
//! grid = 64
//! args = { data = "u32*64:iota" }
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    global_load_dword v2, v1, s[4:5]        // s[4:5] is read: lgkmcnt(0) is missing
    global_load_dword v3, v1, s[4:5]
    v_add_u32 v4, v2, v0                    // v2 is read: vmcnt(1) is missing
    s_waitcnt vmcnt(0)
    v_add_u32 v4, v4, v3
    global_load_dword v5, v1, s[4:5]
    v_mov_b32 v5, 0                         // v5 is written: the load may come later
    global_load_dword v6, v1, s[4:5]
    ds_read_b32 v6, v1                      // and so is v6, by an operation of another kind
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_load_dword v7, v1, s[4:5]
    global_load_dword v7, v1, s[4:5]        // in order: the later one is what stays
    s_waitcnt vmcnt(0)
    global_store_dword v1, v7, s[4:5]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
