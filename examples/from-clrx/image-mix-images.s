// outimg = the mean of img1 and img2, pixel by pixel, for GCN 1.4: CLRX's ImageMix with its images.
//
// It assembles, but `gcn run` does not execute image instructions; image-mix.s is for that. An argument of kind `image` is
// the address of the image's descriptor of 8 dwords, as in CLRX's format amdcl2.

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.text
.globl imageMix
.p2align 8
.type imageMix,@function
imageMix:
    // In: s[0:1] = dispatch packet, s[2:3] = kernel arguments, s4, s5 = number of the workgroup in x and y, v0, v1 =
    // work-item in it.
    s_load_dword        s6, s[0:1], 0x4           // work-items of a workgroup: in x, and in the upper half those in y
    s_load_dwordx4      s[8:11], s[2:3], 0x0      // s[8:9] = descriptor of img1, s[10:11] = of img2
    s_load_dwordx2      s[12:13], s[2:3], 0x10    // s[12:13] = of outimg
    s_waitcnt           lgkmcnt(0)
    s_load_dwordx8      s[16:23], s[8:9], 0x0
    s_load_dwordx8      s[24:31], s[10:11], 0x0
    s_load_dwordx8      s[36:43], s[12:13], 0x0
    s_lshr_b32          s7, s6, 16
    s_and_b32           s6, s6, 0xffff
    s_mul_i32           s4, s4, s6
    s_mul_i32           s5, s5, s7
    v_add_u32           v0, s4, v0                // x
    v_add_u32           v1, s5, v1                // y
    s_waitcnt           lgkmcnt(0)
    s_bfe_u32           s14, s18, 14 << 16        // the last column, bits 13:0 of the descriptor's third dword
    s_bfe_u32           s15, s18, 14 << 16 | 14   // the last row, bits 27:14
    v_cmp_ge_u32        vcc, s14, v0
    s_and_b64           exec, exec, vcc
    v_cmp_ge_u32        vcc, s15, v1
    s_and_b64           exec, exec, vcc           // work-items that have a pixel
    s_cbranch_execz     .Lend
    image_load          v[2:5], v[0:1], s[16:23] dmask:0xf unorm
    image_load          v[6:9], v[0:1], s[24:31] dmask:0xf unorm
    s_waitcnt           vmcnt(0)
    v_add_f32           v2, v2, v6
    v_add_f32           v3, v3, v7
    v_add_f32           v4, v4, v8
    v_add_f32           v5, v5, v9
    v_mul_f32           v2, 0.5, v2
    v_mul_f32           v3, 0.5, v3
    v_mul_f32           v4, 0.5, v4
    v_mul_f32           v5, 0.5, v5
    image_store         v[2:5], v[0:1], s[36:43] dmask:0xf unorm
.Lend:
    s_endpgm
.LimageMix_end:
.size imageMix, .LimageMix_end - imageMix

.rodata
.p2align 6
.amdhsa_kernel imageMix
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_vgpr_workitem_id 1
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 10
    .amdhsa_next_free_sgpr 44
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: imageMix
    .symbol: imageMix.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 50
    .vgpr_count: 10
    .max_flat_workgroup_size: 256
    .args:
      - { .name: img1,   .type_name: image2d_t, .offset: 0,  .size: 8, .value_kind: image, .access: read_only }
      - { .name: img2,   .type_name: image2d_t, .offset: 8,  .size: 8, .value_kind: image, .access: read_only }
      - { .name: outimg, .type_name: image2d_t, .offset: 16, .size: 8, .value_kind: image, .access: write_only }
...
.end_amdgpu_metadata
