// RUN: tahiti bonaire fiji gfx900 gfx906
// ALSO: align
// Addresses that are no multiples of what their memory asks for.
//! grid = 64
//! args = { data = "u32*80" }
// GCN all: warning[misaligned-access]: loads 4 bytes of memory at an address that is not a multiple of 4
// GCN all: --> check/align.s:86:5
// GCN all: |
// GCN all: 86 |     s_load_dword s10, s[8:9], 0x0
// GCN all: |     ^^^^^^^^^^^^ accesses 0x100020002
// GCN all: |
// GCN 1.0, 1.1: = note: accesses 0x100020002: `s_load_dword s10, s[8:9], 0x0`, at kernel+0x24, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses 0x100020002: `s_load_dword s10, s[8:9], 0x0`, at kernel+0x28, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100020002: byte 2 of data (320 bytes)
// GCN all: = note: hardware ignores the low bits of the address and accesses other bytes
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: warning[misaligned-access]: loads 4 bytes of memory at an address that is not a multiple of 4
// GCN all: --> check/align.s:87:5
// GCN all: |
// GCN all: 87 |     buffer_load_dword v2, v1, s[4:7], 0 offen offset:2
// GCN all: |     ^^^^^^^^^^^^^^^^^ accesses 0x100020002
// GCN all: |
// GCN 1.0, 1.1: = note: accesses 0x100020002: `buffer_load_dword v2, v1, s[4:7], 0 offen offset:2`, at kernel+0x28, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses 0x100020002: `buffer_load_dword v2, v1, s[4:7], 0 offen offset:2`, at kernel+0x30, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020002: byte 2 of data (320 bytes)
// GCN 1.0: = note: hardware ignores the low bits of the address and accesses other bytes
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: hardware allows it in the alignment mode "unaligned", which Linux sets, and otherwise ignores the low bits of the address
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: warning[misaligned-access]: loads 4 bytes of LDS at an address that is not a multiple of 4
// GCN all: --> check/align.s:90:5
// GCN all: |
// GCN all: 90 |     ds_read_b32 v6, v1 offset:2
// GCN all: |     ^^^^^^^^^^^ accesses LDS at 0x2
// GCN all: |
// GCN 1.0, 1.1: = note: accesses LDS at 0x2: `ds_read_b32 v6, v1 offset:2`, at kernel+0x40, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses LDS at 0x2: `ds_read_b32 v6, v1 offset:2`, at kernel+0x48, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1, 1.2: = note: hardware ignores the low bits of the address and accesses other bytes
// GCN 1.4, 1.4.1: = note: hardware allows it in the alignment mode "unaligned", which Linux sets, and otherwise ignores the low bits of the address
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN 1.0, 1.1, 1.2: warning[misaligned-access]: loads 8 bytes of LDS at an address that is not a multiple of 8
// GCN 1.4, 1.4.1: warning[misaligned-access]: updates 4 bytes of LDS at an address that is not a multiple of 4
// GCN 1.0, 1.1, 1.2: --> check/align.s:91:5
// GCN 1.4, 1.4.1: --> check/align.s:95:5
// GCN all: |
// GCN 1.0, 1.1, 1.2: 91 |     ds_read_b64 v[8:9], v1 offset:4                             // enough on GCN 1.4
// GCN 1.4, 1.4.1: 95 |     ds_add_src2_u32 v12 offset:0x8000
// GCN 1.0, 1.1, 1.2: |     ^^^^^^^^^^^ accesses LDS at 0x4
// GCN 1.4, 1.4.1: |     ^^^^^^^^^^^^^^^ accesses LDS at 0x2
// GCN all: |
// GCN 1.0, 1.1: = note: accesses LDS at 0x4: `ds_read_b64 v[8:9], v1 offset:4`, at kernel+0x48, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2: = note: accesses LDS at 0x4: `ds_read_b64 v[8:9], v1 offset:4`, at kernel+0x50, workgroup 0,0,0, wave 0, lane 0
// GCN 1.4, 1.4.1: = note: accesses LDS at 0x2: `ds_add_src2_u32 v12 offset:32768`, at kernel+0x70, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: hardware ignores the low bits of the address and accesses other bytes
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN 1.0, 1.1, 1.2: warning[misaligned-access]: updates 4 bytes of LDS at an address that is not a multiple of 4
// GCN 1.4, 1.4.1: 4 warnings
// GCN 1.0, 1.1, 1.2: --> check/align.s:95:5
// GCN 1.4, 1.4.1: exit status 3
// GCN 1.0, 1.1, 1.2: |
// GCN 1.0, 1.1, 1.2: 95 |     ds_add_src2_u32 v12 offset:0x8000
// GCN 1.0, 1.1, 1.2: |     ^^^^^^^^^^^^^^^ accesses LDS at 0x2
// GCN 1.0, 1.1, 1.2: |
// GCN 1.0, 1.1: = note: accesses LDS at 0x2: `ds_add_src2_u32 v12 offset:32768`, at kernel+0x68, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2: = note: accesses LDS at 0x2: `ds_add_src2_u32 v12 offset:32768`, at kernel+0x70, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1, 1.2: = note: hardware ignores the low bits of the address and accesses other bytes
// GCN 1.0, 1.1, 1.2: = note: kernel kernel, once
// GCN 1.0, 1.1, 1.2: 
// GCN 1.0, 1.1, 1.2: 5 warnings
// GCN 1.0, 1.1, 1.2: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    s_add_u32 s8, s4, 2
    s_mov_b32 s9, s5
    s_load_dword s10, s[8:9], 0x0
    buffer_load_dword v2, v1, s[4:7], 0 offen offset:2
    buffer_load_dwordx2 v[4:5], v1, s[4:7], 0 offen offset:4    // a dword is enough
    buffer_load_ushort v3, v1, s[4:7], 0 offen offset:2         // half of one
    ds_read_b32 v6, v1 offset:2
    ds_read_b64 v[8:9], v1 offset:4                             // enough on GCN 1.4
    ds_read2_b32 v[10:11], v1 offset0:1 offset1:3
    ds_read_u8 v7, v1 offset:1
    v_mov_b32 v12, 0x20002                                      // address 2, and a distance of one dword
    ds_add_src2_u32 v12 offset:0x8000
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
