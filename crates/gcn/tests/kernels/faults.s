// Kernels that go wrong, each in a way of its own.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl beyond
.p2align 8
.type beyond,@function
beyond:                                     // stores 64 dwords
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 7
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_endpgm

.globl forever
.p2align 8
.type forever,@function
forever:
    s_branch forever

.globl away
.p2align 8
.type away,@function
away:                                       // jumps out of the code
    s_mov_b64 s[4:5], 0
    s_setpc_b64 s[4:5]

.globl odd
.p2align 8
.type odd,@function
odd:                                        // an atomic at an address that is not a multiple of 4
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32 v1, 2
    s_waitcnt lgkmcnt(0)
    global_atomic_add v1, v1, s[4:5]
    s_endpgm

.globl garbage
.p2align 8
.type garbage,@function
garbage:
    .long 0xffffffff

.globl stuck
.p2align 8
.type stuck,@function
stuck:                                      // waits with seven others that never come
    s_mov_b32 m0, 0
    v_mov_b32 v0, 7
    ds_gws_init v0 gds
    ds_gws_barrier v0 gds
    s_endpgm

.rodata
.p2align 6
.amdhsa_kernel beyond
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel forever
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel away
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel odd
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel garbage
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel stuck
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
