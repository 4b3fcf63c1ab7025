// RUN: gfx906
// `why` of variables in scratch at -O0, one of them of 8 bytes.
//! file = "../../crates/gcn-object/tests/fixtures/variables-O0-gfx906.co"
//! grid = 64
//! args = { out = "i32*64", in = "f32*64:iota", n = 4 }
//> break variables.cl:51
//> run
//> lane 3
//> why/2 item.tags[1][2]
//> why/1 total
//> why/1 item.kind
//> why item
//> print total
// GCN all: (gcn) break variables.cl:51
// GCN all: Breakpoint 1 at variables+0xa78 (variables.cl:51)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: variables+0xa78 (variables.cl:51)
// GCN all: 51	    int weight = weigh(&item, n);
// GCN all: => variables+0xa78:	s_mov_b64 s[16:17], src_private_base
// GCN all: (gcn) lane 3
// GCN all: lane 3
// GCN all: (gcn) why/2 item.tags[1][2]
// GCN all: item.tags[1][2] = 9
// GCN all: └─ buffer_store_short v3, off, s[0:3], s33 offset:66  [variables.cl:42, workgroup 0,0,0, wave 0, lane 3]
// GCN all: ├─ v3 = 9: v_add_u32_e64 v3, v3, v4  [variables.cl:42]
// GCN all: │  └─ … 3 dependences: raise --depth
// GCN all: ├─ active lanes: exec_lo = 0xffffffff: s_mov_b64 exec, s[28:29]  [variables.cl:40]
// GCN all: │  └─ … 1 dependence: raise --depth
// GCN all: ├─ address: s[0:1] = 0x8000000110140000: s_mov_b64 s[0:1], s[20:21]  [_Z7barrierj+0x2b0]
// GCN all: │  └─ … 2 dependences: raise --depth
// GCN all: ├─ address: s[2:3] = 0xe00000ffffffff: s_mov_b64 s[2:3], s[22:23]  [_Z7barrierj+0x2b4]
// GCN all: │  └─ … 2 dependences: raise --depth
// GCN all: └─ address: s33 = 0: s_mov_b32 s33, s4  [_Z7barrierj+0x380]
// GCN all: └─ … 2 dependences: raise --depth
// GCN all: 582 instructions, 6127 executions, 1 workgroup traced
// GCN all: 51	    int weight = weigh(&item, n);
// GCN all: => variables+0xa78:	s_mov_b64 s[16:17], src_private_base
// GCN all: (gcn) why/1 total
// GCN all: total = 170
// GCN all: ├─ buffer_store_dword v0, off, s[0:3], s33 offset:120  [variables.cl:48, workgroup 0,0,0, wave 0, lane 3, × 4, instructions 1373…1688]
// GCN all: │  └─ … 6 dependences: raise --depth
// GCN all: └─ buffer_store_dword v2, off, s[0:3], s33 offset:124  [variables.cl:48, workgroup 0,0,0, wave 0, lane 3, × 4, instructions 1372…1687]
// GCN all: └─ … 6 dependences: raise --depth
// GCN all: inputs: table
// GCN all: arguments: 2
// GCN all: undefined: v3
// GCN all: 712 instructions, 8266 executions, 1 workgroup traced
// GCN all: 51	    int weight = weigh(&item, n);
// GCN all: => variables+0xa78:	s_mov_b64 s[16:17], src_private_base
// GCN all: (gcn) why/1 item.kind
// GCN all: item.kind = LARGE
// GCN all: └─ buffer_store_dword v3, off, s[0:3], s33 offset:44  [variables.cl:41, workgroup 0,0,0, wave 0, lane 3]
// GCN all: └─ … 5 dependences: raise --depth
// GCN all: 586 instructions, 6131 executions, 1 workgroup traced
// GCN all: 51	    int weight = weigh(&item, n);
// GCN all: => variables+0xa78:	s_mov_b64 s[16:17], src_private_base
// GCN all: (gcn) why item
// GCN all: error: a value of type Item has several parts: name a field or an element
// GCN all: (gcn) print total
// GCN all: total = 170
