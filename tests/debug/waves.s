// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Several waves: focus, a wave alone at a barrier, LDS, breakpoints by instruction.
//! grid = [128, 2]
//! group = [128, 1]
//! args = { out = "u32*256" }
//> wave
//> break s_barrier
//> run
//> info waves
//> info dispatch
//> continue
//> info waves
//> print lds[0x40]
//> x/4xw lds[0]
//> x/2xw lds[0x4000]
//> wave 0
//> wave 5
//> lane 7
//> lane 64
//> print v0
//> print $wave * 100 + $lane
//> scheduler one
//> delete
//> continue
//> scheduler all
//> tbreak after if $group_y == 1 && $wave == 1
//> continue
//> workgroup 0,1
//> continue
//> continue
// GCN all: (gcn) wave
// GCN all: No wave is running.
// GCN all: (gcn) break s_barrier
// GCN all: Breakpoint 1 at instruction s_barrier
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x30 (waves.s:111)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x34 (waves.s:111)
// GCN all: 111	    s_barrier
// GCN all: (gcn) info waves
// GCN 1.0, 1.1: * workgroup 0,0,0, wave 0: runs, 64 lanes, 9 instructions, kernel+0x30 (waves.s:111)
// GCN 1.2, 1.4, 1.4.1: * workgroup 0,0,0, wave 0: runs, 64 lanes, 9 instructions, kernel+0x34 (waves.s:111)
// GCN all: (gcn) info dispatch
// GCN all: kernel kernel, grid 128,2,1, group 128,1,1, 1024 bytes of LDS, 0 bytes of scratch per lane
// GCN all: 1 workgroups and 1 waves are running; 9 instructions have been executed
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN 1.0, 1.1: workgroup 0,0,0, wave 1: kernel+0x30 (waves.s:111)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 1: kernel+0x34 (waves.s:111)
// GCN all: 111	    s_barrier
// GCN all: (gcn) info waves
// GCN all: workgroup 0,0,0, wave 0: at barrier, 64 lanes, 10 instructions, after (waves.s:113)
// GCN 1.0, 1.1: * workgroup 0,0,0, wave 1: runs, 64 lanes, 9 instructions, kernel+0x30 (waves.s:111)
// GCN 1.2, 1.4, 1.4.1: * workgroup 0,0,0, wave 1: runs, 64 lanes, 9 instructions, kernel+0x34 (waves.s:111)
// GCN all: (gcn) print lds[0x40]
// GCN all: lds[0x40] = 16
// GCN all: (gcn) x/4xw lds[0]
// GCN all: lds 0x0:	0x0	0x1	0x2	0x3
// GCN all: (gcn) x/2xw lds[0x4000]
// GCN all: error: 4 bytes at 0x4000 are outside of the workgroup's LDS
// GCN all: (gcn) wave 0
// GCN all: workgroup 0,0,0, wave 0: after (waves.s:113)
// GCN all: 113	    ds_read_b32 v2, v1
// GCN all: (gcn) wave 5
// GCN all: error: workgroup 0,0,0 has no running wave 5; info waves lists them
// GCN all: (gcn) lane 7
// GCN all: lane 7
// GCN all: (gcn) lane 64
// GCN all: error: lane 64 does not exist: lanes are 0 to 63
// GCN all: (gcn) print v0
// GCN all: v0 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63}
// GCN all: (gcn) print $wave * 100 + $lane
// GCN all: $wave * 100 + $lane = 7
// GCN all: (gcn) scheduler one
// GCN all: Only the wave in focus runs.
// GCN all: (gcn) delete
// GCN all: (gcn) continue
// GCN all: Workgroup 0,0,0, wave 0 waits for other waves, which are held: use `scheduler all`, or choose another with `wave`
// GCN all: workgroup 0,0,0, wave 0: after (waves.s:113)
// GCN all: 113	    ds_read_b32 v2, v1
// GCN all: (gcn) scheduler all
// GCN all: All waves run.
// GCN all: (gcn) tbreak after if $group_y == 1 && $wave == 1
// GCN all: Temporary breakpoint 2 at after (waves.s:113)
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,1,0, wave 1: after (waves.s:113)
// GCN all: 113	    ds_read_b32 v2, v1
// GCN all: (gcn) workgroup 0,1
// GCN all: workgroup 0,1,0, wave 1: after (waves.s:113)
// GCN all: 113	    ds_read_b32 v2, v1
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 4, instructions 56
// GCN all: All launches have ended.
// GCN all: (gcn) continue
// GCN all: error: no launch is running: use run or start
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 0x7f, v0
    v_lshlrev_b32 v3, 2, v2
    ds_write_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
after:
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
