// RUN: gfx803 gfx900 gfx906
// Why registers, LDS and elements have their values at a stop; two workgroups of two waves, two launches.
//! [buffers]
//! a = "u32*256:random(1,1,1000)"
//! out = "u32*256"
//! [[launch]]
//! kernel = "kernel"
//! grid = 256
//! group = 128
//! repeat = 2
//! args = { a = "a", out = "out" }
//> why v0
//> start
//> why v0
//> break stored
//> continue
//> continue
//> continue
//> lane 5
//> why v4
//> why/1 v4[7]
//> why s[4:5]
//> why scc
//> why lds[0x14]
//> why exec
//> why out[133]
//> why out
//> why pc
//> why/0 v4
//> print v4[5]
//> stepi
//> delete
//> break stored if $group_x == 1
//> continue
//> continue
//> continue
//> why v4[0]
//> set v4[0] = 1
//> why v4[0]
// GCN all: (gcn) why v0
// GCN all: error: no wave is running: registers and LDS have values only from the first stop in a launch
// GCN all: (gcn) start
// GCN all: kernel begins
// GCN all: workgroup 0,0,0, wave 0: kernel (why.s:411)
// GCN all: 411	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) why v0
// GCN all: error: the wave has executed no instruction: its registers have the launch's values
// GCN all: (gcn) break stored
// GCN all: Breakpoint 1 at stored (why.s:434)
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: stored (why.s:434)
// GCN all: 434	    s_endpgm
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 1: stored (why.s:434)
// GCN all: 434	    s_endpgm
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 1,0,0, wave 0: stored (why.s:434)
// GCN all: 434	    s_endpgm
// GCN all: (gcn) lane 5
// GCN all: lane 5
// GCN all: (gcn) why v4
// GCN all: v4[5] = 303
// GCN all: └─ v4 = 303: v_xor_b32_e32 v4, v4, v5  [why.s:431, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 303: ds_read_b32 v4, v3  [why.s:428]
// GCN all: │  ├─ ds_write_b32 v1, v2  [why.s:424, workgroup 1,0,0, wave 1, lane 5]
// GCN all: │  │  ├─ v2 = 303: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN all: │  │  │  ├─ input a[197]
// GCN 1.2: │  │  │  ├─ address: v1 = 20: #2
// GCN 1.4, 1.4.1: │  │  │  ├─ address: v1 = 20: #1
// GCN all: │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.2: │  │  │  ├─ address: s20 = 512: #3
// GCN 1.4, 1.4.1: │  │  │  ├─ address: s20 = 512: #2
// GCN all: │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  │  ├─ address: v1 = 20: #2
// GCN 1.4, 1.4.1: │  │  └─ address: v1 = 20: #1
// GCN 1.2: │  │  └─ address: m0 = 0xffffffff: #1
// GCN 1.4, 1.4.1: │  └─ address: v3 = 276: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.2: │  ├─ address: v3 = 276: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.4, 1.4.1: │     └─ v1 = 20: #1
// GCN 1.2: │  │  └─ v1 = 20: #2
// GCN 1.4, 1.4.1: └─ v5 = 0: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.2: │  └─ address: #1 m0 = 0xffffffff: s_mov_b32 m0, -1  [why.s:418, × 2 in 2 waves]
// GCN 1.4, 1.4.1: ├─ input out[133]
// GCN 1.2: └─ v5 = 0: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.4, 1.4.1: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 5: work-item ID x
// GCN 1.2: ├─ input out[133]
// GCN 1.4, 1.4.1: ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.2: ├─ address: #2 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 5: work-item ID x
// GCN 1.4, 1.4.1: ├─ address: #2 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.2: ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.4, 1.4.1: └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN 1.2: ├─ address: #3 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.4, 1.4.1: inputs: a[197], out[133]
// GCN 1.2: └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN 1.4, 1.4.1: arguments: bytes 0..16
// GCN 1.2: inputs: a[197], out[133]
// GCN 1.4, 1.4.1: 14 instructions, 18 executions, 1 workgroup traced
// GCN 1.2: arguments: bytes 0..16
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: 15 instructions, 20 executions, 1 workgroup traced
// GCN 1.4, 1.4.1: (gcn) why/1 v4[7]
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: v4[7] = 428
// GCN 1.2: (gcn) why/1 v4[7]
// GCN 1.4, 1.4.1: └─ v4 = 428: v_xor_b32_e32 v4, v4, v5  [why.s:431, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0, lane 7]
// GCN 1.2: v4[7] = 428
// GCN 1.4, 1.4.1: └─ … 2 dependences: raise --depth
// GCN 1.2: └─ v4 = 428: v_xor_b32_e32 v4, v4, v5  [why.s:431, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0, lane 7]
// GCN 1.4, 1.4.1: inputs: a[199], out[135]
// GCN 1.2: └─ … 2 dependences: raise --depth
// GCN 1.4, 1.4.1: arguments: bytes 0..16
// GCN 1.2: inputs: a[199], out[135]
// GCN 1.4, 1.4.1: 14 instructions, 18 executions, 1 workgroup traced
// GCN 1.2: arguments: bytes 0..16
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: 15 instructions, 20 executions, 1 workgroup traced
// GCN 1.4, 1.4.1: (gcn) why s[4:5]
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: s[4:5] = 4295098368
// GCN 1.2: (gcn) why s[4:5]
// GCN 1.4, 1.4.1: └─ s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0] ← argument bytes 0..8
// GCN 1.2: s[4:5] = 4295098368
// GCN 1.4, 1.4.1: arguments: bytes 0..8
// GCN 1.2: └─ s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0] ← argument bytes 0..8
// GCN 1.4, 1.4.1: 1 instruction, 2 executions, 1 workgroup traced
// GCN 1.2: arguments: bytes 0..8
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: 1 instruction, 2 executions, 1 workgroup traced
// GCN 1.4, 1.4.1: (gcn) why scc
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: scc = 1
// GCN 1.2: (gcn) why scc
// GCN 1.4, 1.4.1: └─ scc = 1: s_cmp_eq_u32 s2, 1  [why.s:430, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0] ← s2 = 1: workgroup ID x
// GCN 1.2: scc = 1
// GCN 1.4, 1.4.1: 1 instruction, 1 execution, 1 workgroup traced
// GCN 1.2: └─ scc = 1: s_cmp_eq_u32 s2, 1  [why.s:430, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0] ← s2 = 1: workgroup ID x
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: 1 instruction, 1 execution, 1 workgroup traced
// GCN 1.4, 1.4.1: (gcn) why lds[0x14]
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: lds[0x14] = 79
// GCN 1.2: (gcn) why lds[0x14]
// GCN 1.4, 1.4.1: └─ ds_write_b32 v1, v2  [why.s:424, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0, lane 5]
// GCN 1.2: lds[0x14] = 79
// GCN 1.4, 1.4.1: ├─ v2 = 79: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.2: └─ ds_write_b32 v1, v2  [why.s:424, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0, lane 5]
// GCN 1.4, 1.4.1: │  ├─ input a[133]
// GCN 1.2: ├─ v2 = 79: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.4, 1.4.1: │  ├─ address: v1 = 20: #1
// GCN 1.2: │  ├─ input a[133]
// GCN 1.4, 1.4.1: │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.2: │  ├─ address: v1 = 20: #1
// GCN 1.4, 1.4.1: │  ├─ address: s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413] ← s2 = 1: workgroup ID x
// GCN 1.2: │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.4, 1.4.1: │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  ├─ address: s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413] ← s2 = 1: workgroup ID x
// GCN 1.4, 1.4.1: └─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419] ← v0 = 5: work-item ID x
// GCN 1.2: │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.4, 1.4.1: inputs: a[133]
// GCN 1.2: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419] ← v0 = 5: work-item ID x
// GCN 1.4, 1.4.1: arguments: bytes 0..8
// GCN 1.2: └─ address: constants m0 = 0xffffffff
// GCN 1.4, 1.4.1: 7 instructions, 8 executions, 1 workgroup traced
// GCN 1.2: inputs: a[133]
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: arguments: bytes 0..8
// GCN 1.4, 1.4.1: (gcn) why exec
// GCN 1.2: 8 instructions, 9 executions, 1 workgroup traced
// GCN 1.4, 1.4.1: exec = 18446744073709551615
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: ├─ exec_lo: lanes that have work-items
// GCN 1.2: (gcn) why exec
// GCN 1.4, 1.4.1: └─ exec_hi: lanes that have work-items
// GCN 1.2: exec = 18446744073709551615
// GCN 1.4, 1.4.1: 0 instructions, 0 executions, 1 workgroup traced
// GCN 1.2: ├─ exec_lo: lanes that have work-items
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: └─ exec_hi: lanes that have work-items
// GCN 1.4, 1.4.1: (gcn) why out[133]
// GCN 1.2: 0 instructions, 0 executions, 1 workgroup traced
// GCN 1.4, 1.4.1: out[133] = 303
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: └─ buffer_store_dword v4, v1, s[8:11], s20 offen  [why.s:432, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0, lane 5]
// GCN 1.2: (gcn) why out[133]
// GCN 1.4, 1.4.1: ├─ v4 = 303: v_xor_b32_e32 v4, v4, v5  [why.s:431]
// GCN 1.2: out[133] = 303
// GCN 1.4, 1.4.1: │  ├─ v4 = 303: ds_read_b32 v4, v3  [why.s:428]
// GCN 1.2: └─ buffer_store_dword v4, v1, s[8:11], s20 offen  [why.s:432, launch 1 (kernel), run 1, workgroup 1,0,0, wave 0, lane 5]
// GCN 1.4, 1.4.1: │  │  ├─ ds_write_b32 v1, v2  [why.s:424, workgroup 1,0,0, wave 1, lane 5]
// GCN 1.2: ├─ v4 = 303: v_xor_b32_e32 v4, v4, v5  [why.s:431]
// GCN 1.4, 1.4.1: │  │  │  ├─ v2 = 303: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.2: │  ├─ v4 = 303: ds_read_b32 v4, v3  [why.s:428]
// GCN 1.4, 1.4.1: │  │  │  │  ├─ input a[197]
// GCN 1.2: │  │  ├─ ds_write_b32 v1, v2  [why.s:424, workgroup 1,0,0, wave 1, lane 5]
// GCN 1.4, 1.4.1: │  │  │  │  ├─ address: v1 = 20: #1
// GCN 1.2: │  │  │  ├─ v2 = 303: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.4, 1.4.1: │  │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.2: │  │  │  │  ├─ input a[197]
// GCN 1.4, 1.4.1: │  │  │  │  ├─ address: s20 = 512: #5
// GCN 1.2: │  │  │  │  ├─ address: v1 = 20: #1
// GCN 1.4, 1.4.1: │  │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.4, 1.4.1: │  │  │  └─ address: v1 = 20: #1
// GCN 1.2: │  │  │  │  ├─ address: s20 = 512: #5
// GCN 1.4, 1.4.1: │  │  └─ address: v3 = 276: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.2: │  │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.4, 1.4.1: │  │     └─ v1 = 20: #1
// GCN 1.2: │  │  │  ├─ address: v1 = 20: #1
// GCN 1.4, 1.4.1: │  └─ v5 = 0: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.2: │  │  │  └─ address: m0 = 0xffffffff: #6
// GCN 1.4, 1.4.1: │     ├─ input out[133]
// GCN 1.2: │  │  ├─ address: v3 = 276: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.4, 1.4.1: │     ├─ address: v1 = 20: #1
// GCN 1.2: │  │  │  └─ v1 = 20: #1
// GCN 1.4, 1.4.1: │     ├─ address: s[8:9] = 0x100040000: #2
// GCN 1.2: │  │  └─ address: #6 m0 = 0xffffffff: s_mov_b32 m0, -1  [why.s:418, × 2 in 2 waves]
// GCN 1.4, 1.4.1: │     ├─ address: s10 = 0xffffffff: #3
// GCN 1.2: │  └─ v5 = 0: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.4, 1.4.1: │     ├─ address: s11 = 0x27fac: #4
// GCN 1.2: │     ├─ input out[133]
// GCN 1.4, 1.4.1: │     └─ address: s20 = 512: #5
// GCN 1.2: │     ├─ address: v1 = 20: #1
// GCN 1.4, 1.4.1: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 5: work-item ID x
// GCN 1.2: │     ├─ address: s[8:9] = 0x100040000: #2
// GCN 1.4, 1.4.1: ├─ address: #2 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.2: │     ├─ address: s10 = 0xffffffff: #3
// GCN 1.4, 1.4.1: ├─ address: #3 s10 = 0xffffffff: s_mov_b32 s10, -1  [why.s:416]
// GCN 1.2: │     ├─ address: s11 = 0x27fac: #4
// GCN 1.4, 1.4.1: ├─ address: #4 s11 = 0x27fac: s_mov_b32 s11, 0x27fac  [why.s:417]
// GCN 1.2: │     └─ address: s20 = 512: #5
// GCN 1.4, 1.4.1: └─ address: #5 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.2: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 5: work-item ID x
// GCN 1.4, 1.4.1: inputs: a[197], out[133]
// GCN 1.2: ├─ address: #2 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.4, 1.4.1: arguments: bytes 0..16
// GCN 1.2: ├─ address: #3 s10 = 0xffffffff: s_mov_b32 s10, -1  [why.s:416]
// GCN 1.4, 1.4.1: 15 instructions, 19 executions, 1 workgroup traced
// GCN 1.2: ├─ address: #4 s11 = 0x27fac: s_mov_b32 s11, 0x27fac  [why.s:417]
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: └─ address: #5 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.4, 1.4.1: (gcn) why out
// GCN 1.2: inputs: a[197], out[133]
// GCN 1.4, 1.4.1: error: why follows registers, scc, variables, elements of buffers, global memory, LDS and scratch
// GCN 1.2: arguments: bytes 0..16
// GCN 1.4, 1.4.1: (gcn) why pc
// GCN 1.2: 16 instructions, 21 executions, 1 workgroup traced
// GCN 1.4, 1.4.1: error: why follows registers, scc, variables, elements of buffers, global memory, LDS and scratch
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: (gcn) why/0 v4
// GCN 1.2: (gcn) why out
// GCN 1.4, 1.4.1: error: `/0` is not a number of levels
// GCN 1.2: error: why follows registers, scc, variables, elements of buffers, global memory, LDS and scratch
// GCN 1.4, 1.4.1: (gcn) print v4[5]
// GCN 1.2: (gcn) why pc
// GCN 1.4, 1.4.1: v4[5] = 303
// GCN 1.2: error: why follows registers, scc, variables, elements of buffers, global memory, LDS and scratch
// GCN 1.4, 1.4.1: (gcn) stepi
// GCN 1.2: (gcn) why/0 v4
// GCN 1.4, 1.4.1: Workgroup 1,0,0, wave 0 has ended
// GCN 1.2: error: `/0` is not a number of levels
// GCN 1.4, 1.4.1: workgroup 1,0,0, wave 1: kernel+0x64 (why.s:428)
// GCN 1.2: (gcn) print v4[5]
// GCN 1.4, 1.4.1: 428	    ds_read_b32 v4, v3
// GCN 1.2: v4[5] = 303
// GCN 1.4, 1.4.1: (gcn) delete
// GCN 1.2: (gcn) stepi
// GCN 1.4, 1.4.1: (gcn) break stored if $group_x == 1
// GCN 1.2: Workgroup 1,0,0, wave 0 has ended
// GCN 1.4, 1.4.1: Breakpoint 2 at stored (why.s:434)
// GCN 1.2: workgroup 1,0,0, wave 1: kernel+0x64 (why.s:428)
// GCN 1.4, 1.4.1: (gcn) continue
// GCN 1.2: 428	    ds_read_b32 v4, v3
// GCN 1.4, 1.4.1: Breakpoint 2
// GCN 1.2: (gcn) delete
// GCN 1.4, 1.4.1: workgroup 1,0,0, wave 1: stored (why.s:434)
// GCN 1.2: (gcn) break stored if $group_x == 1
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: Breakpoint 2 at stored (why.s:434)
// GCN 1.4, 1.4.1: (gcn) continue
// GCN 1.2: (gcn) continue
// GCN 1.4, 1.4.1: kernel has ended: waves 4, instructions 92
// GCN all: Breakpoint 2
// GCN 1.2: workgroup 1,0,0, wave 1: stored (why.s:434)
// GCN 1.4, 1.4.1: workgroup 1,0,0, wave 0: stored (why.s:434)
// GCN all: 434	    s_endpgm
// GCN all: (gcn) continue
// GCN 1.2: kernel has ended: waves 4, instructions 92
// GCN 1.4, 1.4.1: Breakpoint 2
// GCN 1.2: Breakpoint 2
// GCN 1.4, 1.4.1: workgroup 1,0,0, wave 1: stored (why.s:434)
// GCN 1.2: workgroup 1,0,0, wave 0: stored (why.s:434)
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: (gcn) why v4[0]
// GCN 1.2: (gcn) continue
// GCN 1.4, 1.4.1: v4[0] = 0
// GCN 1.2: Breakpoint 2
// GCN 1.4, 1.4.1: └─ v4 = 0: v_xor_b32_e32 v4, v4, v5  [why.s:431, launch 1 (kernel), run 2, workgroup 1,0,0, wave 1, lane 0]
// GCN 1.2: workgroup 1,0,0, wave 1: stored (why.s:434)
// GCN 1.4, 1.4.1: ├─ v4 = 239: ds_read_b32 v4, v3  [why.s:428]
// GCN 1.2: 434	    s_endpgm
// GCN 1.4, 1.4.1: │  ├─ ds_write_b32 v1, v2  [why.s:424, workgroup 1,0,0, wave 0, lane 0]
// GCN 1.2: (gcn) why v4[0]
// GCN 1.4, 1.4.1: │  │  ├─ v2 = 239: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.2: v4[0] = 0
// GCN 1.4, 1.4.1: │  │  │  ├─ input a[128]
// GCN 1.2: └─ v4 = 0: v_xor_b32_e32 v4, v4, v5  [why.s:431, launch 1 (kernel), run 2, workgroup 1,0,0, wave 1, lane 0]
// GCN 1.4, 1.4.1: │  │  │  ├─ address: v1 = 256: #1
// GCN 1.2: ├─ v4 = 239: ds_read_b32 v4, v3  [why.s:428]
// GCN 1.4, 1.4.1: │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.2: │  ├─ ds_write_b32 v1, v2  [why.s:424, workgroup 1,0,0, wave 0, lane 0]
// GCN 1.4, 1.4.1: │  │  │  ├─ address: s20 = 512: #2
// GCN 1.2: │  │  ├─ v2 = 239: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.4, 1.4.1: │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  │  │  ├─ input a[128]
// GCN 1.4, 1.4.1: │  │  └─ address: v1 = 256: #1
// GCN 1.2: │  │  │  ├─ address: v1 = 256: #2
// GCN 1.4, 1.4.1: │  └─ address: v3 = 0: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.2: │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.4, 1.4.1: │     └─ v1 = 256: #1
// GCN 1.2: │  │  │  ├─ address: s20 = 512: #3
// GCN 1.4, 1.4.1: └─ v5 = 239: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.2: │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.4, 1.4.1: ├─ buffer_store_dword v4, v1, s[8:11], s20 offen  [why.s:432, launch 1 (kernel), run 1, workgroup 1,0,0, wave 1, lane 0]
// GCN 1.2: │  │  ├─ address: v1 = 256: #2
// GCN 1.4, 1.4.1: │  ├─ v4 = 239: v_xor_b32_e32 v4, v4, v5  [why.s:431]
// GCN 1.2: │  │  └─ address: m0 = 0xffffffff: #1
// GCN 1.4, 1.4.1: │  │  ├─ v4 = 239: ds_read_b32 v4, v3  [why.s:428]
// GCN 1.2: │  ├─ address: v3 = 0: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.4, 1.4.1: │  │  │  ├─ ds_write_b32 v1, v2  [why.s:424, workgroup 1,0,0, wave 0, lane 0]
// GCN 1.2: │  │  └─ v1 = 256: #2
// GCN 1.4, 1.4.1: │  │  │  │  ├─ v2 = 239: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.2: │  └─ address: #1 m0 = 0xffffffff: s_mov_b32 m0, -1  [why.s:418, × 2 in 2 waves]
// GCN 1.4, 1.4.1: │  │  │  │  │  ├─ input a[128]
// GCN 1.2: └─ v5 = 239: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.4, 1.4.1: │  │  │  │  │  ├─ address: v1 = 256: #3
// GCN 1.2: ├─ buffer_store_dword v4, v1, s[8:11], s20 offen  [why.s:432, launch 1 (kernel), run 1, workgroup 1,0,0, wave 1, lane 0]
// GCN 1.4, 1.4.1: │  │  │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.2: │  ├─ v4 = 239: v_xor_b32_e32 v4, v4, v5  [why.s:431]
// GCN 1.4, 1.4.1: │  │  │  │  │  ├─ address: s20 = 512: #7
// GCN 1.2: │  │  ├─ v4 = 239: ds_read_b32 v4, v3  [why.s:428]
// GCN 1.4, 1.4.1: │  │  │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  │  │  ├─ ds_write_b32 v1, v2  [why.s:424, workgroup 1,0,0, wave 0, lane 0]
// GCN 1.4, 1.4.1: │  │  │  │  └─ address: v1 = 256: #3
// GCN 1.2: │  │  │  │  ├─ v2 = 239: buffer_load_dword v2, v1, s[4:7], s20 offen  [why.s:421]
// GCN 1.4, 1.4.1: │  │  │  └─ address: v3 = 0: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.2: │  │  │  │  │  ├─ input a[128]
// GCN 1.4, 1.4.1: │  │  │     └─ v1 = 256: #3
// GCN 1.2: │  │  │  │  │  ├─ address: v1 = 256: #4
// GCN 1.4, 1.4.1: │  │  └─ v5 = 0: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.2: │  │  │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [why.s:411] ← argument bytes 0..8
// GCN 1.4, 1.4.1: │  │     ├─ input out[192]
// GCN 1.2: │  │  │  │  │  ├─ address: s20 = 512: #8
// GCN 1.4, 1.4.1: │  │     ├─ address: v1 = 256: #3
// GCN 1.2: │  │  │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.4, 1.4.1: │  │     ├─ address: s[8:9] = 0x100040000: #4
// GCN 1.2: │  │  │  │  ├─ address: v1 = 256: #4
// GCN 1.4, 1.4.1: │  │     ├─ address: s10 = 0xffffffff: #5
// GCN 1.2: │  │  │  │  └─ address: m0 = 0xffffffff: #9
// GCN 1.4, 1.4.1: │  │     ├─ address: s11 = 0x27fac: #6
// GCN 1.2: │  │  │  ├─ address: v3 = 0: v_xor_b32_e32 v3, 0x100, v1  [why.s:425]
// GCN 1.4, 1.4.1: │  │     └─ address: s20 = 512: #7
// GCN 1.2: │  │  │  │  └─ v1 = 256: #4
// GCN 1.4, 1.4.1: │  ├─ address: #3 v1 = 256: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 64: work-item ID x
// GCN 1.2: │  │  │  └─ address: #9 m0 = 0xffffffff: s_mov_b32 m0, -1  [why.s:418, × 2 in 2 waves]
// GCN 1.4, 1.4.1: │  ├─ address: #4 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.2: │  │  └─ v5 = 0: buffer_load_dword v5, v1, s[8:11], s20 offen  [why.s:422]
// GCN 1.4, 1.4.1: │  ├─ address: #5 s10 = 0xffffffff: s_mov_b32 s10, -1  [why.s:416]
// GCN 1.2: │  │     ├─ input out[192]
// GCN 1.4, 1.4.1: │  ├─ address: #6 s11 = 0x27fac: s_mov_b32 s11, 0x27fac  [why.s:417]
// GCN 1.2: │  │     ├─ address: v1 = 256: #4
// GCN 1.4, 1.4.1: │  └─ address: #7 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.2: │  │     ├─ address: s[8:9] = 0x100040000: #5
// GCN 1.4, 1.4.1: ├─ address: #1 v1 = 256: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 64: work-item ID x
// GCN 1.2: │  │     ├─ address: s10 = 0xffffffff: #6
// GCN 1.4, 1.4.1: ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.2: │  │     ├─ address: s11 = 0x27fac: #7
// GCN 1.4, 1.4.1: ├─ address: #2 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.2: │  │     └─ address: s20 = 512: #8
// GCN 1.4, 1.4.1: └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN 1.2: │  ├─ address: #4 v1 = 256: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 64: work-item ID x
// GCN 1.4, 1.4.1: inputs: a[128], out[192]
// GCN 1.2: │  ├─ address: #5 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.4, 1.4.1: arguments: bytes 0..16
// GCN 1.2: │  ├─ address: #6 s10 = 0xffffffff: s_mov_b32 s10, -1  [why.s:416]
// GCN 1.4, 1.4.1: 29 instructions, 37 executions, 2 workgroups traced
// GCN 1.2: │  ├─ address: #7 s11 = 0x27fac: s_mov_b32 s11, 0x27fac  [why.s:417]
// GCN 1.4, 1.4.1: 434	    s_endpgm
// GCN 1.2: │  └─ address: #8 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.4, 1.4.1: (gcn) set v4[0] = 1
// GCN 1.2: ├─ address: #2 v1 = 256: v_lshlrev_b32_e32 v1, 2, v0  [why.s:419, × 2 in 2 waves] ← v0 = 64: work-item ID x
// GCN 1.4, 1.4.1: (gcn) why v4[0]
// GCN 1.2: ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [why.s:412] ← argument bytes 8..16
// GCN 1.4, 1.4.1: error: `set` has changed what the launch does: restart it with run
// GCN 1.2: ├─ address: #3 s20 = 512: s_lshl_b32 s20, s2, 9  [why.s:413, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN 1.2: └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN 1.2: inputs: a[128], out[192]
// GCN 1.2: arguments: bytes 0..16
// GCN 1.2: 31 instructions, 41 executions, 2 workgroups traced
// GCN 1.2: 434	    s_endpgm
// GCN 1.2: (gcn) set v4[0] = 1
// GCN 1.2: (gcn) why v4[0]
// GCN 1.2: error: `set` has changed what the launch does: restart it with run
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_lshl_b32 s20, s2, 9                   // the workgroup's bytes
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], s20 offen
    buffer_load_dword v5, v1, s[8:11], s20 offen
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v2
    v_xor_b32 v3, 0x100, v1                 // of the other wave
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s2, 1
    v_xor_b32 v4, v4, v5
    buffer_store_dword v4, v1, s[8:11], s20 offen
stored:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
