// RUN: gfx900 gfx906
// Workgroups hand a token on by flags, which each polls by GLC loads: what one has loaded before, a later one may store to.
//! grid = 8192
//! group = 64
//! limit = 100000000 # threads poll while the one with the token waits for a core
//! args = { data = "u32*8192:iota", flags = "u32*129" }
//? --threads 1
//? --late
//? --late --threads 4
// GCN all: no findings
// GCN all: no findings
// GCN all: no findings
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_lshl_b32 s3, s2, 8                    // bytes that each workgroup loads
    v_add_u32 v2, s3, v1
    s_waitcnt lgkmcnt(0)
    global_load_dword v3, v2, s[4:5]
    s_mov_b64 s[8:9], exec
    s_mov_b64 exec, 1
    s_lshl_b32 s3, s2, 2
    v_mov_b32 v4, s3
    v_mov_b32 v6, 1
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 go                       // the first one has the token
poll:
    global_load_dword v5, v4, s[6:7] glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s10, v5
    s_cmp_eq_u32 s10, 0
    s_cbranch_scc1 poll
go:
    s_waitcnt vmcnt(0)
    global_atomic_add v4, v6, s[6:7] offset:4
    s_mov_b64 exec, s[8:9]
    s_sub_u32 s3, s2, 5
    s_cbranch_scc1 end
    s_lshl_b32 s3, s3, 8
    v_add_u32 v2, s3, v1
    global_store_dword v2, v3, s[4:5]       // where another workgroup has loaded
end:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
