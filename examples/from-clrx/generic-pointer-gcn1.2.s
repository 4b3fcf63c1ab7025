// out[0] = a value in LDS, out[1] = one in scratch, both read through generic pointers, for GCN 1.2: CLRX's GenericPtr.
//
// The registers at the start are those of CLRX's `.usegeneric`. The queue's descriptor has the upper halves of the
// addresses that FLAT takes for LDS and for scratch.

.amdgcn_target "amdgcn-amd-amdhsa--gfx803"

.set LDS_AT, 36                                   // where the values lie
.set SCRATCH_AT, 76

.text
.globl genericPtr
.p2align 8
.type genericPtr,@function
genericPtr:
    // In: s[0:3] = descriptor of the scratch, s[4:5] = dispatch packet, s[6:7] = queue's descriptor, s[8:9] = kernel
    // arguments, s10 = offset of the queue's scratch, s11 = bytes of a lane's, s12 = number of the workgroup, s13 = offset of
    // the wave's scratch.
    s_add_u32           s10, s10, s13             // where the wave's scratch begins …
    s_lshr_b32          flat_scratch_hi, s10, 8   // … in units of 256 bytes
    s_mov_b32           flat_scratch_lo, s11
    s_load_dwordx2      s[6:7], s[6:7], 0x40      // s6 = upper half of LDS's addresses, s7 = of those of scratch
    s_load_dwordx2      s[8:9], s[8:9], 0x0       // out

    // The values go where they belong with the instructions for it …
    s_mov_b32           m0, -1                    // LDS limit: until GCN 1.4, DS reads it in M0; this is none
    v_mov_b32           v0, LDS_AT
    v_mov_b32           v2, 24411
    ds_write_b32        v0, v2
    v_mov_b32           v2, 15321
    buffer_store_dword  v2, off, s[0:3], s13 offset:SCRATCH_AT
    s_waitcnt           vmcnt(0) lgkmcnt(0)

    // … and come back through v[0:1], an address like any other.
    v_mov_b32           v1, s6
    flat_load_dword     v2, v[0:1]
    v_mov_b32           v0, SCRATCH_AT
    v_mov_b32           v1, s7
    flat_load_dword     v3, v[0:1]
    v_mov_b32           v4, s8
    v_mov_b32           v5, s9
    s_waitcnt           vmcnt(0) lgkmcnt(0)       // FLAT comes back in any order and counts on both
    flat_store_dwordx2  v[4:5], v[2:3]
    s_endpgm
.LgenericPtr_end:
.size genericPtr, .LgenericPtr_end - genericPtr

.rodata
.p2align 6
.amdhsa_kernel genericPtr
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_queue_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_group_segment_fixed_size 400
    .amdhsa_private_segment_fixed_size 180
    .amdhsa_kernarg_size 8
    .amdhsa_next_free_vgpr 6
    .amdhsa_next_free_sgpr 14
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: genericPtr
    .symbol: genericPtr.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 400
    .private_segment_fixed_size: 180
    .wavefront_size: 64
    .sgpr_count: 20
    .vgpr_count: 6
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
