// RUN: gfx900 gfx906
// A load of half a register that nothing has written: the other half stays undefined, or is cleared where SRAM has error correction.
// Of what is stored the bits of that half make a finding.
//! grid = 64
//! args = { result = "u32*64:iota", data = "u16*64:iota" }
// GCN 1.4: error[uninitialized-result]: an undefined value is stored, and is in memory when the kernel ends
// GCN 1.4.1: no findings
// GCN 1.4: --> check/uninit-d16.s:31:5
// GCN 1.4: |
// GCN 1.4: 31 |     global_store_dword v1, v2, s[4:5]
// GCN 1.4: |     ^^^^^^^^^^^^^^^^^^ stores undefined bits
// GCN 1.4: |
// GCN 1.4: = note: stores undefined bits: `global_store_dword v1, v2, s[4:5]`, at kernel+0x20, workgroup 0,0,0, wave 0
// GCN 1.4: = note: the wave started with the value in v2, which the hardware does not set
// GCN 1.4: = note: address 0x100020000: byte 0 of result (256 bytes)
// GCN 1.4: = note: dwords with undefined bits that the instruction left: 64
// GCN 1.4: = note: kernel kernel, once
// GCN 1.4: 
// GCN 1.4: 1 error
// GCN 1.4: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 1, v0
    s_waitcnt lgkmcnt(0)
    global_load_short_d16_hi v2, v1, s[6:7]
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
