// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// GDS and the shader clock of launches that run again; their first wave is not wave 0. `why` after a change in an earlier launch.
//! [buffers]
//! out = "u32*128"
//! [[launch]]
//! kernel = "kernel"
//! grid = 128
//! group = 128
//! repeat = 3
//! args = { out = "out" }
//? --schedule random(3)
//> break store if $wave == 1
//> run
//> print v3[1]
//> print s8
//> why/1 v1[1]
//> print v3[1]
//> print s8
//> continue
//> print v3[1]
//> print s8
//> reverse-continue
//> reverse-continue
//> print v3[1]
//> print s8
//> reverse-continue
//> continue
//> set v3[1] = 5
//> continue
//> why v1[1]
//> reverse-continue
//> reverse-continue
//> print v3[1]
//> reverse-continue
//> continue
//> continue
//> why/1 v1[1]
//> quit
// GCN all: (gcn) break store if $wave == 1
// GCN all: Breakpoint 1 at store (back-device.s:139)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) print v3[1]
// GCN all: v3[1] = 0
// GCN all: (gcn) print s8
// GCN all: s8 = 8
// GCN all: (gcn) why/1 v1[1]
// GCN all: v1[1] = 260
// GCN all: └─ v1 = 260: v_lshlrev_b32_e32 v1, 2, v0  [back-device.s:133, launch 1 (kernel), run 1, workgroup 0,0,0, wave 1, lane 1] ← v0 = 65: work-item ID x
// GCN all: 1 instruction, 1 execution, 1 workgroup traced
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) print v3[1]
// GCN all: v3[1] = 0
// GCN all: (gcn) print s8
// GCN all: s8 = 8
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) print v3[1]
// GCN all: v3[1] = 1
// GCN all: (gcn) print s8
// GCN all: s8 = 10
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: going back continues in the previous launch
// GCN all: workgroup 0,0,0, wave 1: kernel (back-device.s:129)
// GCN all: 129	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) print v3[1]
// GCN all: v3[1] = 0
// GCN all: (gcn) print s8
// GCN all: s8 = 8
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 1: kernel (back-device.s:129)
// GCN all: 129	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) set v3[1] = 5
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) why v1[1]
// GCN all: error: `set` has changed what the launch does: restart it with run
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: going back continues in the previous launch
// GCN all: workgroup 0,0,0, wave 1: kernel (back-device.s:129)
// GCN all: 129	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) print v3[1]
// GCN all: v3[1] = 5
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 1: kernel (back-device.s:129)
// GCN all: 129	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: store (back-device.s:139)
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) why/1 v1[1]
// GCN all: v1[1] = 260
// GCN all: └─ v1 = 260: v_lshlrev_b32_e32 v1, 2, v0  [back-device.s:133, launch 1 (kernel), run 2, workgroup 0,0,0, wave 1, lane 1] ← v0 = 65: work-item ID x
// GCN all: 1 instruction, 1 execution, 1 workgroup traced
// GCN all: 139	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, 0x1000
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 1
    ds_add_rtn_u32 v3, v1, v2 gds
    s_memtime s[8:9]
    s_waitcnt lgkmcnt(0)
store:
    buffer_store_dword v3, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
