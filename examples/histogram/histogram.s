// Histogram of bytes with LDS atomics and global atomics, for GCN 1.4.
//
//     bins[text[i]] += 1      for all i < count
//
// Each workgroup counts its share in 256 bins in LDS, where an atomic is cheap, and then adds its bins that are not
// empty to the ones in global memory. The work-items walk over the text with a stride of the whole grid, so any grid
// fits any text; how large the grid is, they read in the dispatch packet. Those that reach the end leave the loop
// by losing their bit in EXEC; the loop ends when no bit is left.

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.set GROUP, 256                                   // work-items of a workgroup, and bins: all groups must be full
.set PACKET_GRID_SIZE_X, 12                       // where hsa_kernel_dispatch_packet_t has grid_size_x

.text
.globl histogram
.p2align 8
.type histogram,@function
histogram:
    // In: s[0:1] = dispatch packet, s[2:3] = kernel arguments, s4 = number of the workgroup, v0 = work-item in it.
    s_load_dword        s5, s[0:1], PACKET_GRID_SIZE_X
    s_load_dwordx4      s[8:11], s[2:3], 0x0      // s[8:9] = text, s[10:11] = bins
    s_load_dword        s6, s[2:3], 0x10          // count
    v_lshlrev_b32       v1, 2, v0                 // the work-item's bin, in LDS and in memory
    v_mov_b32           v2, 0
    ds_write_b32        v1, v2                    // LDS holds anything at first
    s_lshl_b32          s4, s4, 8
    v_add_u32           v3, s4, v0                // index of the work-item's first byte
    v_mov_b32           v4, 1
    s_waitcnt           lgkmcnt(0)                // arguments here, bins cleared …
    s_barrier                                     // … by all waves

    s_mov_b64           s[12:13], exec
.Lnext:
    v_cmp_gt_u32        vcc, s6, v3
    s_and_b64           exec, exec, vcc           // work-items that still have a byte
    s_cbranch_execz     .Lcounted
    global_load_ubyte   v5, v3, s[8:9]
    v_add_u32           v3, s5, v3
    s_waitcnt           vmcnt(0)
    v_lshlrev_b32       v5, 2, v5
    ds_add_u32          v5, v4
    s_branch            .Lnext

.Lcounted:
    s_mov_b64           exec, s[12:13]
    s_waitcnt           lgkmcnt(0)                // this wave's atomics are done …
    s_barrier                                     // … and the other waves'
    ds_read_b32         v2, v1
    s_waitcnt           lgkmcnt(0)
    v_cmp_ne_u32        vcc, 0, v2
    s_and_b64           exec, exec, vcc           // bins that are not empty
    s_cbranch_execz     .Lend
    global_atomic_add   v1, v2, s[10:11]
.Lend:
    s_endpgm
.Lhistogram_end:
.size histogram, .Lhistogram_end - histogram

.rodata
.p2align 6
.amdhsa_kernel histogram
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_group_segment_fixed_size 4 * GROUP
    .amdhsa_kernarg_size 20
    .amdhsa_next_free_vgpr 6
    .amdhsa_next_free_sgpr 14
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: histogram
    .symbol: histogram.kd
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 20
    .vgpr_count: 6
    .max_flat_workgroup_size: 256
    .args:
      - { .name: text,  .type_name: 'uchar*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: bins,  .type_name: 'uint*',  .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: count, .type_name: 'uint',   .offset: 16, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
