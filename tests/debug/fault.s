// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A fault stops the wave where it is; going back shows how it came there.
//! grid = 64
//! args = { out = "u32*16" }
//> print out
//> print nothing
//> print v0
//> stepi
//> continue
//> run
//> print $lane
//> print/x v1
//> print &out
// GCN all: (gcn) print out
// GCN all: out = {0 <repeats 16 times>}
// GCN all: (gcn) print nothing
// GCN all: error: there is no variable, buffer or symbol `nothing`; buffers are out
// GCN all: (gcn) print v0
// GCN all: error: no wave is running: registers and LDS have values only from the first stop in a launch
// GCN all: (gcn) stepi
// GCN all: error: no launch is running: use run or start
// GCN all: (gcn) continue
// GCN all: error: no launch is running: use run or start
// GCN all: (gcn) run
// GCN all: Fault: loads 4 bytes at unmapped address 0x200020000
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x20 (fault.s:46)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x24 (fault.s:46)
// GCN all: 46	    s_load_dword s8, s[4:5], 0x0
// GCN all: (gcn) print $lane
// GCN all: $lane = 0
// GCN all: (gcn) print/x v1
// GCN all: v1 = {0x0, 0x10000, 0x20000, 0x30000, 0x40000, 0x50000, 0x60000, 0x70000, 0x80000, 0x90000, 0xa0000, 0xb0000, 0xc0000, 0xd0000, 0xe0000, 0xf0000, 0x100000, 0x110000, 0x120000, 0x130000, 0x140000, 0x150000, 0x160000, 0x170000, 0x180000, 0x190000, 0x1a0000, 0x1b0000, 0x1c0000, 0x1d0000, 0x1e0000, 0x1f0000, 0x200000, 0x210000, 0x220000, 0x230000, 0x240000, 0x250000, 0x260000, 0x270000, 0x280000, 0x290000, 0x2a0000, 0x2b0000, 0x2c0000, 0x2d0000, 0x2e0000, 0x2f0000, 0x300000, 0x310000, 0x320000, 0x330000, 0x340000, 0x350000, 0x360000, 0x370000, 0x380000, 0x390000, 0x3a0000, 0x3b0000, 0x3c0000, 0x3d0000, 0x3e0000, 0x3f0000}
// GCN all: (gcn) print &out
// GCN all: &out = 4295098368
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mul_u32_u24 v1, 0x10000, v0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_waitcnt lgkmcnt(0)
    s_add_u32 s5, s5, 1
    s_load_dword s8, s[4:5], 0x0
    buffer_store_dword v0, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
