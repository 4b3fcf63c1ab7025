// RUN: gfx803 gfx900 gfx906
// `why` at a store that faults in lane 8 and has taken effect in the lanes before it; the session returns to the fault.
//! file = "../why/partial.s"
//! define = ["WRONG=1"]
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//> run
//> print out
//> why/1 out[3]
//> print out[3]
//> print out[9]
//> quit
// GCN all: (gcn) run
// GCN all: Fault: stores 4 bytes at unmapped address 0x120060000, lane 8
// GCN all: workgroup 0,0,0, wave 0: kernel+0x4c (partial.s:62)
// GCN all: 62	    buffer_store_dword v2, v3, s[12:15], 0 offen
// GCN all: (gcn) print out
// GCN all: out = {567, 746, 972, 445, 445, 763, 878, 524, 0 <repeats 56 times>}
// GCN all: (gcn) why/1 out[3]
// GCN all: out[3] = 445
// GCN all: └─ buffer_store_dword v2, v3, s[12:15], 0 offen  [partial.s:62, workgroup 0,0,0, wave 0, lane 3]
// GCN all: └─ … 5 dependences: raise --depth
// GCN all: inputs: a[3]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 11 instructions, 13 executions, 1 workgroup traced
// GCN all: Fault: stores 4 bytes at unmapped address 0x120060000, lane 8
// GCN all: workgroup 0,0,0, wave 0: kernel+0x4c (partial.s:62)
// GCN all: 62	    buffer_store_dword v2, v3, s[12:15], 0 offen
// GCN all: (gcn) print out[3]
// GCN all: out[3] = 445
// GCN all: (gcn) print out[9]
// GCN all: out[9] = 0
// GCN all: (gcn) quit
