// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Faults that stop, and faults that are shown alone.
//! grid = 64
//! args = { out = "u32*16" }
//> catch
//> catch none
//> run
//> reverse-stepi
//> continue
//> catch races
//> catch fault
//> run
//> continue
//> reverse-continue
//> continue
//> reverse-stepi
//> reverse-stepi
//> continue
//> catch all
// GCN all: (gcn) catch
// GCN all: fault stops
// GCN all: launch passes
// GCN all: end is shown
// GCN all: (gcn) catch none
// GCN all: fault is shown
// GCN all: launch passes
// GCN all: end is shown
// GCN all: (gcn) run
// GCN all: Fault: loads 4 bytes at unmapped address 0x200020000
// GCN all: kernel ended with the fault; buffers are as it left them.
// GCN all: (gcn) reverse-stepi
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 0: kernel (catch.s:79)
// GCN all: 79	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: Fault: loads 4 bytes at unmapped address 0x200020000
// GCN all: kernel ended with the fault; buffers are as it left them.
// GCN all: (gcn) catch races
// GCN all: error: `races` cannot be caught: choose among all, none, fault, launch, end; --check adds the checkers
// GCN all: (gcn) catch fault
// GCN all: fault stops
// GCN all: launch passes
// GCN all: end is shown
// GCN all: (gcn) run
// GCN all: Fault: loads 4 bytes at unmapped address 0x200020000
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x20 (catch.s:85)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x24 (catch.s:85)
// GCN all: 85	    s_load_dword s8, s[4:5], 0x0
// GCN all: (gcn) continue
// GCN all: kernel ended with the fault; buffers are as it left them.
// GCN all: (gcn) reverse-continue
// GCN all: Fault: loads 4 bytes at unmapped address 0x200020000
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x20 (catch.s:85)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x24 (catch.s:85)
// GCN all: 85	    s_load_dword s8, s[4:5], 0x0
// GCN all: (gcn) continue
// GCN all: kernel ended with the fault; buffers are as it left them.
// GCN all: (gcn) reverse-stepi
// GCN all: Fault: loads 4 bytes at unmapped address 0x200020000
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x20 (catch.s:85)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x24 (catch.s:85)
// GCN all: 85	    s_load_dword s8, s[4:5], 0x0
// GCN all: (gcn) reverse-stepi
// GCN all: 84	    s_add_u32 s5, s5, 1
// GCN all: (gcn) continue
// GCN all: Fault: loads 4 bytes at unmapped address 0x200020000
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x20 (catch.s:85)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x24 (catch.s:85)
// GCN all: 85	    s_load_dword s8, s[4:5], 0x0
// GCN all: (gcn) catch all
// GCN all: fault stops
// GCN all: launch passes
// GCN all: end is shown
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
