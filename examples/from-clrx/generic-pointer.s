// out[0] = a value in LDS, out[1] = one in scratch, both read through generic pointers, for GCN 1.4: CLRX's GenericPtr.
//
// FLAT takes an address for one in LDS or scratch if its upper half is that of an aperture. The apertures are registers of
// GCN 1.4, src_shared_base and src_private_base; before, they stand in the queue's descriptor (generic-pointer-gcn1.2.s).

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.set LDS_AT, 36                                   // where the values lie
.set SCRATCH_AT, 76

.text
.globl genericPtr
.p2align 8
.type genericPtr,@function
genericPtr:
    // In: s[0:3] = descriptor of the scratch, s[4:5] = kernel arguments, s[6:7] = address of the scratch, s8 = number of the
    // workgroup, s9 = offset of the wave's scratch behind that address.
    s_add_u32           flat_scratch_lo, s6, s9   // where the aperture's offset 0 is
    s_addc_u32          flat_scratch_hi, s7, 0
    s_load_dwordx2      s[4:5], s[4:5], 0x0       // out

    // The values go where they belong with the instructions for it …
    v_mov_b32           v0, LDS_AT
    v_mov_b32           v2, 24411
    ds_write_b32        v0, v2
    v_mov_b32           v2, 15321
    buffer_store_dword  v2, off, s[0:3], s9 offset:SCRATCH_AT
    s_waitcnt           vmcnt(0) lgkmcnt(0)

    // … and come back through v[0:1], an address like any other.
    s_mov_b64           s[10:11], src_shared_base
    v_mov_b32           v1, s11
    flat_load_dword     v2, v[0:1]
    s_mov_b64           s[10:11], src_private_base
    v_mov_b32           v0, SCRATCH_AT
    v_mov_b32           v1, s11
    flat_load_dword     v3, v[0:1]
    v_mov_b32           v4, 0
    s_waitcnt           vmcnt(0) lgkmcnt(0)       // FLAT comes back in any order and counts on both
    global_store_dwordx2 v4, v[2:3], s[4:5]
    s_endpgm
.LgenericPtr_end:
.size genericPtr, .LgenericPtr_end - genericPtr

.rodata
.p2align 6
.amdhsa_kernel genericPtr
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_group_segment_fixed_size 400
    .amdhsa_private_segment_fixed_size 180
    .amdhsa_kernarg_size 8
    .amdhsa_next_free_vgpr 5
    .amdhsa_next_free_sgpr 12
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
    .sgpr_count: 18
    .vgpr_count: 5
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
