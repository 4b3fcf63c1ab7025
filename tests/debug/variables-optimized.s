// RUN: gfx906
// Variables of OpenCL C at -O2: registers, constants, location lists, functions without a frame.
//! file = "../../crates/gcn-object/tests/fixtures/variables-O2-gfx906.co"
//! grid = 64
//! args = { out = "i32*64", in = "f32*64:iota", n = 4 }
//> break variables.cl:48
//> run
//> lane 5
//> info locals
//> info args
//> print n@entry + 1
//> print in@entry[2]
//> print lane@entry
//> print n@
//> watch n@entry
//> print lane
//> print item.tags
//> print n
//> print out[1]
//> print nothing
//> delete 2-9
//> print part
//> print k
//> watch part
//> continue
//> delete 1-3
//> delete 7-9
//> delete
//> tbreak weigh
//> continue
//> info locals
//> info args
//> set by = 2
//> print v2[5]
//> watch sum
//> continue
//> print i
//> continue
//> continue
// GCN all: (gcn) break variables.cl:48
// GCN all: Breakpoint 1 at variables+0x1fc (variables.cl:48) and 3 other places
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: variables+0x270 (variables.cl:48)
// GCN all: 48	        total += part;
// GCN all: => variables+0x270:	s_waitcnt lgkmcnt(0)
// GCN all: (gcn) lane 5
// GCN all: lane 5
// GCN all: (gcn) info locals
// GCN all: part = 30
// GCN all: k = <optimized out>
// GCN all: tile = {20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70, 20, 30, 50, 70}
// GCN all: item = {at = {x = 5, y = 2.5}, kind = LARGE, valid = true, number = 0, real = 0, tags = {{1, 2, 3}, {4, 5, 11}}}
// GCN all: lane = 5
// GCN all: i = <optimized out>
// GCN all: wide = <optimized out>
// GCN all: small = <optimized out>
// GCN all: weight = <optimized out>
// GCN all: four = <optimized out>
// GCN all: total = <optimized out>
// GCN all: (gcn) info args
// GCN all: out@entry = 0x100020000 <out>
// GCN all: in@entry = 0x100040000 <in>
// GCN all: n@entry = 4
// GCN all: (gcn) print n@entry + 1
// GCN all: n@entry + 1 = 5
// GCN all: (gcn) print in@entry[2]
// GCN all: in@entry[2] = 2
// GCN all: (gcn) print lane@entry
// GCN all: error: there is no variable, buffer or symbol `lane@entry`; buffers are out, in
// GCN all: (gcn) print n@
// GCN all: error: `@` has no meaning in an expression in `n@`
// GCN all: (gcn) watch n@entry
// GCN all: Watchpoint 2: n@entry
// GCN all: (gcn) print lane
// GCN all: lane = 5
// GCN all: (gcn) print item.tags
// GCN all: item.tags = {{1, 2, 3}, {4, 5, 11}}
// GCN all: (gcn) print n
// GCN all: error: n is not available: optimized out
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 0
// GCN all: (gcn) print nothing
// GCN all: error: there is no variable, buffer or symbol `nothing`; buffers are out, in
// GCN all: (gcn) delete 2-9
// GCN all: (gcn) print part
// GCN all: part = 30
// GCN all: (gcn) print k
// GCN all: error: k is not available: optimized out
// GCN all: (gcn) watch part
// GCN all: Watchpoint 3: part
// GCN all: (gcn) continue
// GCN all: Watchpoint 3: part
// GCN all: part was 30, is 50
// GCN all: by workgroup 0,0,0, wave 0, variables+0x26c (variables.cl:46): s_cmp_lg_u32 s5, 0
// GCN all: workgroup 0,0,0, wave 0: variables+0x270 (variables.cl:48)
// GCN all: 48	        total += part;
// GCN all: => variables+0x270:	s_waitcnt lgkmcnt(0)
// GCN all: (gcn) delete 1-3
// GCN all: (gcn) delete 7-9
// GCN all: error: there is no breakpoint or watchpoint 7-9
// GCN all: (gcn) delete
// GCN all: (gcn) tbreak weigh
// GCN all: Temporary breakpoint 4 at weigh (variables.cl:22)
// GCN all: (gcn) continue
// GCN all: Breakpoint 4
// GCN all: workgroup 0,0,0, wave 0: weigh (variables.cl:22)
// GCN all: 22	__attribute__((noinline)) int weigh(struct Item *item, int by) {
// GCN all: => weigh:	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
// GCN all: (gcn) info locals
// GCN all: sum = 0
// GCN all: (gcn) info args
// GCN all: item = 0x2000000000000 <scratch 0x0>
// GCN all: by = 4
// GCN all: (gcn) set by = 2
// GCN all: (gcn) print v2[5]
// GCN all: v2[5] = 2
// GCN all: (gcn) watch sum
// GCN all: Watchpoint 5: sum
// GCN all: (gcn) continue
// GCN all: Watchpoint 5: sum
// GCN all: sum was 0, is 8
// GCN all: by workgroup 0,0,0, wave 0, weigh+0x4 (variables.cl:25): flat_load_sshort v3, v[0:1] offset:26
// GCN all: workgroup 0,0,0, wave 0: weigh+0xc (variables.cl:25)
// GCN all: 25	        sum += item->tags[1][i] * by;
// GCN all: => weigh+0xc:	flat_load_sshort v4, v[0:1] offset:28
// GCN all: (gcn) print i
// GCN all: i = 1
// GCN all: (gcn) continue
// GCN all: Watchpoint 5: sum
// GCN all: sum was 8, is 18
// GCN all: by workgroup 0,0,0, wave 0, weigh+0xc (variables.cl:25): flat_load_sshort v4, v[0:1] offset:28
// GCN all: workgroup 0,0,0, wave 0: weigh+0x14 (variables.cl:25)
// GCN all: 25	        sum += item->tags[1][i] * by;
// GCN all: => weigh+0x14:	flat_load_sshort v5, v[0:1] offset:30
// GCN all: (gcn) continue
// GCN all: Watchpoint 5: sum
// GCN all: sum was 18, is 40
// GCN all: by workgroup 0,0,0, wave 0, weigh+0x28 (variables.cl:25): v_mul_lo_u32 v2, v3, v2
// GCN all: workgroup 0,0,0, wave 0: weigh+0x30 (variables.cl:26)
// GCN all: 26	    item->number = sum;
// GCN all: => weigh+0x30:	flat_store_dword v[0:1], v2 offset:16
