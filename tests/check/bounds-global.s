// RUN: tahiti bonaire fiji gfx900 gfx906
// A buffer has a dword less than there are lanes: the finding comes before the fault.
//! grid = 64
//! args = { data = "u32*63:iota" }
// GCN all: error[global-out-of-bounds]: loads 4 bytes at 0x1000200fc, which no allocation holds
// GCN all: --> check/bounds-global.s:30:5
// GCN all: |
// GCN all: 30 |     s_load_dword s8, s[4:5], 0x0
// GCN all: |     ^^^^^^^^^^^^ accesses 0x1000200fc
// GCN all: |
// GCN 1.0, 1.1: = note: accesses 0x1000200fc: `s_load_dword s8, s[4:5], 0x0`, at kernel+0x1c, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses 0x1000200fc: `s_load_dword s8, s[4:5], 0x0`, at kernel+0x24, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x1000200fc
// GCN all: = note: nearest is data: 252 bytes at 0x100020000; the address is right past its end
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[unmapped-access]: kernel kernel ended at the access of the finding global-out-of-bounds
// GCN all: 1 error
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_load_dword s8, s[4:5], 0x0
    s_waitcnt lgkmcnt(0)
    s_add_u32 s4, s4, 252
    s_addc_u32 s5, s5, 0
    s_load_dword s8, s[4:5], 0x0
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
