// A kernel without metadata: out[i] = a + i for a u32 and the address of a buffer, behind a u8 that is not used.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl plain
.p2align 8
.type plain,@function
plain:
    s_load_dword s4, s[0:1], 0x4
    s_load_dwordx2 s[6:7], s[0:1], 0x8
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    v_add_u32 v2, s4, v0
    global_store_dword v1, v2, s[6:7]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel plain
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.data
.globl table
.type table,@object
table: .long 3, 1, 4
.size table, 12
