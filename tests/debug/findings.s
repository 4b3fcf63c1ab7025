// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A finding stops in the wave of the access, with both places; the wave of the other access has ended.
//! grid = 128
//! group = 128
//? --check
//> run
//> print v0[1]
//> continue
// GCN all: (gcn) run
// GCN all: lds-race: two waves of a workgroup access the same bytes of LDS without synchronization
// GCN all: findings.s:36: store at 0x0: `ds_write_b32 v1, v0`, at write+0x0, workgroup 0,0,0, wave 1, lane 0
// GCN all: findings.s:32: the other load: `ds_read_b32 v2, v1`, at read+0x0, workgroup 0,0,0, wave 0, lane 0
// GCN all: workgroup 0,0,0, wave 1: last (findings.s:38)
// GCN all: 38	    s_nop 0
// GCN all: (gcn) print v0[1]
// GCN all: v0[1] = 65
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 19
// GCN all: All launches have ended.
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_and_b32 v1, 0xff, v1
    v_readfirstlane_b32 s8, v0
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 write
read:
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    s_endpgm
write:
    ds_write_b32 v1, v0
last:
    s_nop 0
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
