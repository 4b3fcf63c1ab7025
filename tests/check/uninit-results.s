// RUN: tahiti bonaire fiji gfx900 gfx906
// A buffer that nobody has cleared, of which some elements are printed: those that the kernel stores, those of atomics, and those
// that it leaves alone. Elements that are not printed, and a buffer that is not, are no finding.
//! grid = 32
//! args = { out = "u32*64:undefined", scratch = "u32*64:undefined" }
//! print = ["out[24..36]"]
// GCN all: out: u32[24..36] = 24, 25, 26, 27, 28, 29, 30, 31, 0, 0, 0, 0
// GCN all: error[unwritten-result]: the host reads elements of out that nothing has written
// GCN all: --> check/uninit-results.s:44:5
// GCN all: |
// GCN all: 44 |     s_load_dwordx4 s[8:11], s[0:1], 0x0
// GCN all: |     ^^^^^^^^^^^^^^ the last kernel that ran
// GCN all: |
// GCN all: = note: the last kernel that ran: `s_load_dwordx4 s[8:11], s[0:1], 0x0`, at kernel+0x0
// GCN all: = note: address 0x100020080: byte 128 of out (256 bytes)
// GCN all: = note: 16 of the 48 bytes that the host reads have not been written
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[uninitialized-result]: an undefined value is stored, and the host reads it
// GCN all: --> check/uninit-results.s:59:5
// GCN all: |
// GCN all: 59 |     buffer_atomic_or v0, v1, s[4:7], 0 offen
// GCN all: |     ^^^^^^^^^^^^^^^^ stores undefined bits
// GCN all: |
// GCN all: ::: check/uninit-results.s:59:5
// GCN all: |
// GCN all: 59 |     buffer_atomic_or v0, v1, s[4:7], 0 offen
// GCN all: |     ---------------- the load of global memory that holds an undefined value
// GCN all: |
// GCN 1.0, 1.1: = note: stores undefined bits: `buffer_atomic_or v0, v1, s[4:7], 0 offen`, at kernel+0x50, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: stores undefined bits: `buffer_atomic_or v0, v1, s[4:7], 0 offen`, at kernel+0x54, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the load of global memory that holds an undefined value: `buffer_atomic_or v0, v1, s[4:7], 0 offen`, at kernel+0x50, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the load of global memory that holds an undefined value: `buffer_atomic_or v0, v1, s[4:7], 0 offen`, at kernel+0x54, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100020070: byte 112 of out (256 bytes)
// GCN all: = note: dwords with undefined bits that the instruction left: 4
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[8:11], s[0:1], 0x0
    s_mov_b32 s6, 256
    s_mov_b32 s7, 0x27000
    s_mov_b64 s[14:15], s[6:7]
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[4:5], s[8:9]
    s_mov_b64 s[12:13], s[10:11]
    v_lshlrev_b32 v1, 2, v0
    buffer_load_dword v2, v1, s[12:15], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    v_cmp_gt_u32 vcc, 28, v0
    s_and_saveexec_b64 s[2:3], vcc
    buffer_store_dword v0, v1, s[4:7], 0 offen
    s_andn2_b64 exec, s[2:3], exec
    buffer_atomic_or v0, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
