// RUN: gfx900 gfx906
// Registers that are read or written before the operation that writes them is complete.
//! grid = 64
//! args = { data = "u32*64:iota" }
// GCN all: error[missing-wait]: s[4:5] is read while the operation that writes it may be incomplete
// GCN all: --> check/waits-registers.s:77:5
// GCN all: |
// GCN all: 77 |     global_load_dword v2, v1, s[4:5]        // s[4:5] is read: lgkmcnt(0) is missing
// GCN all: |     ^^^^^^^^^^^^^^^^^ reads s[4:5]
// GCN all: |
// GCN all: ::: check/waits-registers.s:75:5
// GCN all: |
// GCN all: 75 |     s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: |     -------------- the operation that writes s[4:5]
// GCN all: |
// GCN all: = note: reads s[4:5]: `global_load_dword v2, v1, s[4:5]`, at kernel+0xc, workgroup 0,0,0, wave 0
// GCN all: = note: the operation that writes s[4:5]: `s_load_dwordx2 s[4:5], s[0:1], 0x0`, at kernel+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt lgkmcnt(0)` before the instruction
// GCN all: 
// GCN all: error[missing-wait]: v2 is read while the operation that writes it may be incomplete
// GCN all: --> check/waits-registers.s:79:5
// GCN all: |
// GCN all: 79 |     v_add_u32 v4, v2, v0                    // v2 is read: vmcnt(1) is missing
// GCN all: |     ^^^^^^^^^ reads v2
// GCN all: |
// GCN all: ::: check/waits-registers.s:77:5
// GCN all: |
// GCN all: 77 |     global_load_dword v2, v1, s[4:5]        // s[4:5] is read: lgkmcnt(0) is missing
// GCN all: |     ----------------- the operation that writes v2
// GCN all: |
// GCN all: = note: reads v2: `v_add_u32_e32 v4, v2, v0`, at kernel+0x1c, workgroup 0,0,0, wave 0
// GCN all: = note: the operation that writes v2: `global_load_dword v2, v1, s[4:5]`, at kernel+0xc, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt vmcnt(1)` before the instruction
// GCN all: 
// GCN all: error[missing-wait]: v5 is written while an earlier operation that writes it may be incomplete
// GCN all: --> check/waits-registers.s:83:5
// GCN all: |
// GCN all: 83 |     v_mov_b32 v5, 0                         // v5 is written: the load may come later
// GCN all: |     ^^^^^^^^^ writes v5
// GCN all: |
// GCN all: ::: check/waits-registers.s:82:5
// GCN all: |
// GCN all: 82 |     global_load_dword v5, v1, s[4:5]
// GCN all: |     ----------------- the operation that writes v5
// GCN all: |
// GCN all: = note: writes v5: `v_mov_b32_e32 v5, 0`, at kernel+0x30, workgroup 0,0,0, wave 0
// GCN all: = note: the operation that writes v5: `global_load_dword v5, v1, s[4:5]`, at kernel+0x28, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt vmcnt(0)` before the instruction
// GCN all: 
// GCN all: error[missing-wait]: v6 is written while an earlier operation that writes it may be incomplete
// GCN all: --> check/waits-registers.s:85:5
// GCN all: |
// GCN all: 85 |     ds_read_b32 v6, v1                      // and so is v6, by an operation of another kind
// GCN all: |     ^^^^^^^^^^^ writes v6
// GCN all: |
// GCN all: ::: check/waits-registers.s:84:5
// GCN all: |
// GCN all: 84 |     global_load_dword v6, v1, s[4:5]
// GCN all: |     ----------------- the operation that writes v6
// GCN all: |
// GCN all: = note: writes v6: `ds_read_b32 v6, v1`, at kernel+0x3c, workgroup 0,0,0, wave 0
// GCN all: = note: the operation that writes v6: `global_load_dword v6, v1, s[4:5]`, at kernel+0x34, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt vmcnt(0)` before the instruction
// GCN all: 
// GCN all: 4 errors
// GCN all: exit status 3
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
