// out[i] = 1000 * workgroup + work-item, on GCN 1.4 (gfx900).

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.text
.globl ids
.p2align 8
.type ids,@function
ids:
    // s[0:1]: address of the arguments; s2: number of the workgroup; v0: number of the work-item in it.
    s_load_dwordx2 s[4:5], s[0:1], 0x0          // s[4:5] = out
    s_lshl_b32 s3, s2, 6                        // 64 * workgroup
    v_add_u32 v1, s3, v0                        // i
    v_lshlrev_b32 v1, 2, v1                     // offset in bytes
    s_mulk_i32 s2, 1000
    v_add_u32 v2, s2, v0                        // the value
    s_waitcnt lgkmcnt(0)                        // s[4:5] is loaded
    global_store_dword v1, v2, s[4:5]
    s_endpgm
.Lend:
.size ids, .Lend-ids

.rodata
.p2align 6
.amdhsa_kernel ids
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 6
.end_amdhsa_kernel
