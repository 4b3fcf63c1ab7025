// RUN: gfx906
// Variables of OpenCL C at -O0: scratch, LDS, constants, pointers into scratch, a called function.
//! file = "../../crates/gcn-object/tests/fixtures/variables-O0-gfx906.co"
//! grid = 64
//! args = { out = "i32*64", in = "f32*64:iota", n = 4 }
//> break variables
//> run
//> info locals
//> print item
//> tbreak variables.cl:46 if any(lane == 3 && item.kind == 1)
//> continue
//> lane 3
//> info args
//> print lane
//> print item
//> print item.tags[1][2] * 2
//> print/x item.at.x
//> print item.tags[2][0]
//> print item.nothing
//> print table
//> print *table
//> print in
//> print in[3]
//> print four
//> print wide + 1
//> print &item.tags
//> print *(scratch u16*)&item.tags[1]
//> print item.kind
//> print &item.tags[1] - &item.tags[0]
//> print *(1 + item.tags[0])
//> print item.tags[0] + 1
//> print *&item.at.x
//> print locals.in
//> print locals.item.at.y
//> watch i
//> print item + 1
//> next 3
//> print tile[3]
//> print small
//> tbreak weigh
//> continue
//> backtrace
//> next
//> info args
//> print *item
//> print item->tags[1]
//> print (*item).at.y
//> set item->at.y = 7.25
//> set by = -3
//> print item->at.y
//> watch sum
//> delete 1
//> continue
//> continue
//> print i
//> finish
//> info locals
// GCN all: (gcn) break variables
// GCN all: Breakpoint 1 at variables (variables.cl:35)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: variables (variables.cl:35)
// GCN all: 35	kernel void variables(global int *out, global const float *in, int n) {
// GCN all: => variables:	s_mov_b32 s33, 0
// GCN all: (gcn) info locals
// GCN all: tile = {0 <repeats 64 times>}
// GCN all: i = <the function has not set up its frame>
// GCN all: lane = <the function has not set up its frame>
// GCN all: item = <the function has not set up its frame>
// GCN all: four = <the function has not set up its frame>
// GCN all: wide = <the function has not set up its frame>
// GCN all: total = <the function has not set up its frame>
// GCN all: small = <the function has not set up its frame>
// GCN all: weight = <the function has not set up its frame>
// GCN all: (gcn) print item
// GCN all: error: item is not available: the function has not set up its frame
// GCN all: (gcn) tbreak variables.cl:46 if any(lane == 3 && item.kind == 1)
// GCN all: Temporary breakpoint 2 at variables+0x63c (variables.cl:46) and 1 other place
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: variables+0x63c (variables.cl:46)
// GCN all: 46	    for (int k = 0; k < n; k++) {
// GCN all: => variables+0x63c:	buffer_store_dword v1, off, s[0:3], s33 offset:128
// GCN all: (gcn) lane 3
// GCN all: lane 3
// GCN all: (gcn) info args
// GCN all: out = 0x100020000 <out>
// GCN all: in = 0x100040000 <in>
// GCN all: n = 4
// GCN all: (gcn) print lane
// GCN all: lane = 3
// GCN all: (gcn) print item
// GCN all: item = {at = {x = 3, y = 2.5}, kind = LARGE, valid = true, number = 0, real = 0, tags = {{1, 2, 3}, {4, 5, 9}}}
// GCN all: (gcn) print item.tags[1][2] * 2
// GCN all: item.tags[1][2] * 2 = 18
// GCN all: (gcn) print/x item.at.x
// GCN all: item.at.x = 0x40400000
// GCN all: (gcn) print item.tags[2][0]
// GCN all: error: there is no element 2: short[2][3] has 2 elements
// GCN all: (gcn) print item.nothing
// GCN all: error: Item has no field `nothing`; fields are at, kind, valid, tags, number, real
// GCN all: (gcn) print table
// GCN all: table = {2, 3, 5, 7}
// GCN all: (gcn) print *table
// GCN all: *table = 2
// GCN all: (gcn) print in
// GCN all: in = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63}
// GCN all: (gcn) print in[3]
// GCN all: in[3] = 3
// GCN all: (gcn) print four
// GCN all: four = {3, 4, 5, 6}
// GCN all: (gcn) print wide + 1
// GCN all: wide + 1 = 13
// GCN all: (gcn) print &item.tags
// GCN all: &item.tags = 56
// GCN all: (gcn) print *(scratch u16*)&item.tags[1]
// GCN all: *(scratch u16*)&item.tags[1] = 4
// GCN all: (gcn) print item.kind
// GCN all: item.kind = LARGE
// GCN all: (gcn) print &item.tags[1] - &item.tags[0]
// GCN all: &item.tags[1] - &item.tags[0] = 1
// GCN all: (gcn) print *(1 + item.tags[0])
// GCN all: *(1 + item.tags[0]) = 2
// GCN all: (gcn) print item.tags[0] + 1
// GCN all: item.tags[0] + 1 = 58
// GCN all: (gcn) print *&item.at.x
// GCN all: *&item.at.x = 3
// GCN all: (gcn) print locals.in
// GCN all: locals.in = 0x100040000 <in>
// GCN all: (gcn) print locals.item.at.y
// GCN all: locals.item.at.y = 2.5
// GCN all: (gcn) watch i
// GCN all: Watchpoint 3: i
// GCN all: (gcn) print item + 1
// GCN all: error: a value of type Item is not a number: name a field or an element
// GCN all: (gcn) next 3
// GCN all: 49	    }
// GCN all: => variables+0x7cc:	s_branch 42
// GCN all: (gcn) print tile[3]
// GCN all: tile[3] = 70
// GCN all: (gcn) print small
// GCN all: small = 0
// GCN all: (gcn) tbreak weigh
// GCN all: Temporary breakpoint 4 at weigh (variables.cl:22)
// GCN all: (gcn) continue
// GCN all: Breakpoint 4
// GCN all: workgroup 0,0,0, wave 0: weigh (variables.cl:22)
// GCN all: 22	__attribute__((noinline)) int weigh(struct Item *item, int by) {
// GCN all: => weigh:	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
// GCN all: (gcn) backtrace
// GCN all: #0 weigh at variables.cl:22
// GCN all: (gcn) next
// GCN all: 23	    int sum = 0;
// GCN all: => weigh+0x60:	buffer_store_dword v1, off, s[0:3], s33 offset:12
// GCN all: (gcn) info args
// GCN all: item = 0x2000000000024 <scratch 0x24>
// GCN all: by = 4
// GCN all: (gcn) print *item
// GCN all: *item = {at = {x = 3, y = 2.5}, kind = LARGE, valid = true, number = 0, real = 0, tags = {{1, 2, 3}, {4, 5, 9}}}
// GCN all: (gcn) print item->tags[1]
// GCN all: item->tags[1] = {4, 5, 9}
// GCN all: (gcn) print (*item).at.y
// GCN all: (*item).at.y = 2.5
// GCN all: (gcn) set item->at.y = 7.25
// GCN all: (gcn) set by = -3
// GCN all: (gcn) print item->at.y
// GCN all: item->at.y = 7.25
// GCN all: (gcn) watch sum
// GCN all: Watchpoint 5: sum
// GCN all: (gcn) delete 1
// GCN all: (gcn) continue
// GCN all: Watchpoint 5: sum
// GCN all: sum was 3, is 0
// GCN all: by workgroup 0,0,0, wave 0, weigh+0x60 (variables.cl:23): buffer_store_dword v1, off, s[0:3], s33 offset:12
// GCN all: workgroup 0,0,0, wave 0: weigh+0x68 (variables.cl:24)
// GCN all: 24	    for (int i = 0; i < 3; i++)
// GCN all: => weigh+0x68:	buffer_store_dword v1, off, s[0:3], s33 offset:16
// GCN all: (gcn) continue
// GCN all: Watchpoint 5: sum
// GCN all: sum was 0, is -12
// GCN all: by workgroup 0,0,0, wave 0, weigh+0x1dc (variables.cl:25): buffer_store_dword v0, off, s[0:3], s33 offset:12
// GCN all: workgroup 0,0,0, wave 0: weigh+0x1e4 (variables.cl:25)
// GCN all: 25	        sum += item->tags[1][i] * by;
// GCN all: => weigh+0x1e4:	s_branch 42
// GCN all: (gcn) print i
// GCN all: i = 0
// GCN all: (gcn) finish
// GCN all: Watchpoint 5: sum
// GCN all: sum was -12, is -27
// GCN all: by workgroup 0,0,0, wave 0, weigh+0x1dc (variables.cl:25): buffer_store_dword v0, off, s[0:3], s33 offset:12
// GCN all: workgroup 0,0,0, wave 0: weigh+0x1e4 (variables.cl:25)
// GCN all: 25	        sum += item->tags[1][i] * by;
// GCN all: => weigh+0x1e4:	s_branch 42
// GCN all: (gcn) info locals
// GCN all: i = 1
// GCN all: sum = -27
