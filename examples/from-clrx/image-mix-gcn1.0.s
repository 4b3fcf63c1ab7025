// outimg = the mean of img1 and img2, pixel by pixel, for GCN 1.0: CLRX's ImageMix, with buffers in place of images.
//
// A pixel is four bytes, red, green, blue, alpha; rows follow one another without gaps. A buffer descriptor with the
// format of the image converts as image_load and image_store do, so that what is between them stays the same.

.amdgcn_target "amdgcn-amd-amdhsa--gfx600"

.text
.globl imageMix
.p2align 8
.type imageMix,@function
imageMix:
    // In: s[0:1] = dispatch packet, s[2:3] = kernel arguments, s4, s5 = number of the workgroup in x and y, v0, v1 =
    // work-item in it.
    // Constant offsets of scalar loads count dwords until GCN 1.2.
    s_load_dword        s6, s[0:1], 0x1           // work-items of a workgroup: in x, and in the upper half those in y
    s_load_dwordx4      s[8:11], s[2:3], 0x0      // s[8:9] = img1, s[10:11] = img2
    s_load_dwordx4      s[12:15], s[2:3], 0x4     // s[12:13] = outimg, s14 = width, s15 = height
    s_waitcnt           lgkmcnt(0)
    s_lshr_b32          s7, s6, 16
    s_and_b32           s6, s6, 0xffff
    s_mul_i32           s4, s4, s6
    s_mul_i32           s5, s5, s7
    v_add_i32           v0, vcc, s4, v0           // x
    v_add_i32           v1, vcc, s5, v1           // y
    v_cmp_gt_u32        vcc, s14, v0
    s_and_b64           exec, exec, vcc
    v_cmp_gt_u32        vcc, s15, v1
    s_and_b64           exec, exec, vcc           // work-items that have a pixel
    s_cbranch_execz     .Lend
    v_mad_u32_u24       v0, v1, s14, v0           // the pixel's number

    // Descriptors: address, with the stride in the upper half of its second dword; number of pixels; format.
    s_mul_i32           s18, s14, s15
    s_mov_b32           s19, 0x1050fac            // 8_8_8_8, UNORM; components in their order; addresses as the host has them
    s_mov_b64           s[22:23], s[18:19]
    s_mov_b64           s[26:27], s[18:19]
    s_mov_b32           s16, s8
    s_or_b32            s17, s9, 4 << 16
    s_mov_b32           s20, s10
    s_or_b32            s21, s11, 4 << 16
    s_mov_b32           s24, s12
    s_or_b32            s25, s13, 4 << 16
    buffer_load_format_xyzw v[2:5], v0, s[16:19], 0 idxen    // four floats from 0 to 1
    buffer_load_format_xyzw v[6:9], v0, s[20:23], 0 idxen
    s_waitcnt           vmcnt(0)
    v_add_f32           v2, v2, v6
    v_add_f32           v3, v3, v7
    v_add_f32           v4, v4, v8
    v_add_f32           v5, v5, v9
    v_mul_f32           v2, 0.5, v2
    v_mul_f32           v3, 0.5, v3
    v_mul_f32           v4, 0.5, v4
    v_mul_f32           v5, 0.5, v5
    buffer_store_format_xyzw v[2:5], v0, s[24:27], 0 idxen
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
    .amdhsa_kernarg_size 32
    .amdhsa_next_free_vgpr 10
    .amdhsa_next_free_sgpr 28
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: imageMix
    .symbol: imageMix.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 10
    .max_flat_workgroup_size: 256
    .args:
      - { .name: img1,   .type_name: 'uchar4*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: img2,   .type_name: 'uchar4*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: outimg, .type_name: 'uchar4*', .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: width,  .type_name: uint,      .offset: 24, .size: 4, .value_kind: by_value }
      - { .name: height, .type_name: uint,      .offset: 28, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
