/* A seed for mutations: a little of everything. */
	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	.amdhsa_code_object_version 5
	.set shift, 2
count = (1 << shift) | 3
	.globl	kernel
	.p2align	8
	.type	kernel,@function
kernel:                                 ; the entry
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_waitcnt vmcnt(0) & lgkmcnt(0)
	v_lshlrev_b32_e32 v0, shift, v0
	v_add_co_u32 v2, vcc, s2, v0
	v_mov_b32 v3, s3
	v_addc_co_u32 v3, vcc, 0, v3, vcc
	global_load_dword v1, v[2:3], off offset:-16 glc
	ds_write2_b32 v0, v1, v2 offset0:1 offset1:255
	ds_swizzle_b32 v4, v1 offset:swizzle(BITMASK_PERM, "01pip")
	v_mov_b32_dpp v5, v4 quad_perm:[0,2,1,3] row_mask:0xf bank_mask:0xf
	v_add_f32 v6, -|v5|, 1.0 clamp mul:2
	v_pk_add_f16 v7, v5, v6 op_sel:[0,1] op_sel_hi:[1,0]
	s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s0
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, table@rel32@lo+4
	s_addc_u32 s7, s7, table@rel32@hi+12
1:	s_sub_u32 s0, s0, 1
	s_cbranch_scc0 1b
	s_cbranch_vccz .Lend
	buffer_store_dword v1, v0, s[8:11], 0 offen offset:4 slc
	flat_atomic_add v1, v[2:3], v4 glc
.Lend:
	s_endpgm
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.section	.rodata,"a",@progbits
table:
	.long	count, .Lend-kernel, 'a', 0x7f800000
	.quad	table
	.byte	1, -1, 255
	.float	1.5, -2e-3
	.asciz	"text\n\x01\"\101"
	.fill	4, 2, 0x1234
	.p2align	6, 0x0
	.amdhsa_kernel kernel
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
		.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
	.end_amdhsa_kernel
	.ident	"by hand"
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args: []
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name: kernel
    .private_segment_fixed_size: 0
    .sgpr_count: 16
    .symbol: kernel.kd
    .vgpr_count: 8
    .wavefront_size: 64
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
