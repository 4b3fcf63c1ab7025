// Kernels that harm themselves, or nobody.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl smashed
.p2align 8
.type smashed,@function
smashed:                                    // saves where to go on on its stack, writes over it, and goes on there
    s_getpc_b64 s[6:7]
    v_mov_b32 v1, s6
    v_mov_b32 v2, s7
    buffer_store_dword v1, off, s[0:3], s4 offset:8
    buffer_store_dword v2, off, s[0:3], s4 offset:12
    v_mov_b32 v3, 0
    v_mov_b32 v4, 8
fill:
    buffer_store_dword v4, v3, s[0:3], s4 offen
    v_add_u32 v3, 4, v3
    v_cmp_gt_u32 vcc, 16, v3
    s_cbranch_vccnz fill
    buffer_load_dword v1, off, s[0:3], s4 offset:8
    buffer_load_dword v2, off, s[0:3], s4 offset:12
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s6, v1
    v_readfirstlane_b32 s7, v2
    s_setpc_b64 s[6:7]

.globl overflows
.p2align 8
.type overflows,@function
overflows:                                  // needs ever more of its stack
    v_mov_b32 v3, 0
more:
    buffer_store_dword v3, v3, s[0:3], s4 offen
    v_add_u32 v3, 4, v3
    s_branch more

.globl into_data
.p2align 8
.type into_data,@function
into_data:                                  // takes numbers for code
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, numbers@rel32@lo+4
    s_addc_u32 s5, s5, numbers@rel32@hi+12
    s_setpc_b64 s[4:5]

.globl crooked
.p2align 8
.type crooked,@function
crooked:                                    // jumps between two instructions' beginnings
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, 10
    s_setpc_b64 s[4:5]
    s_endpgm

.globl divides
.p2align 8
.type divides,@function
divides:                                    // 100 / lane as compilers divide: whatever it is for 0, it goes on
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_cvt_f32_u32 v1, v0
    v_rcp_iflag_f32 v1, v1
    v_mul_f32 v1, 0x42c80000, v1
    v_cvt_u32_f32 v1, v1
    v_lshlrev_b32 v2, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v1, s[4:5]
    s_endpgm

.globl aborts
.p2align 8
.type aborts,@function
aborts:                                     // as __builtin_trap() does
    s_trap 2
    s_endpgm

.globl greedy
.p2align 8
.type greedy,@function
greedy:                                     // uses a register that its descriptor does not ask for
    v_mov_b32 v8, 0
    s_endpgm

.globl ends
.p2align 8
.type ends,@function
ends:                                       // does nothing, so that its waves never use up their turns
    s_endpgm

.rodata
numbers:
    .long 0xffffffff, 1, 2, 3
.p2align 6
.amdhsa_kernel smashed
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_next_free_vgpr 5
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel overflows
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_next_free_vgpr 5
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel into_data
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel crooked
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel divides
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel aborts
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel greedy
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel ends
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
