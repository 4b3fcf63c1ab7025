// RUN: gfx906
// Variables of C++ at -O0: templates, base classes, bit fields, references, globals, a list.
//! file = "../../crates/gcn-object/tests/fixtures/variables-hip-gfx906.co"
//! grid = 4
//! args = { out = "i32*4", scale = "f32:1.5" }
//> break variables.hip:53
//> run
//> lane 1
//> print shelf
//> print shelf.id
//> print shelf.high * 2
//> print shelf.next->next->items[2]
//> print *shelf.next
//> print shelf.next
//> print color
//> print color == 7
//> print tagged
//> print tagged.id
//> print counter
//> set counter = 100
//> set shelf.items[1] = 2
//> set shelf.low = 1
//> print shelf.items
//> tbreak variables.hip:33
//> continue
//> info args
//> print value
//> print by + value
//> set value = 9
//> finish
//> print shelf.items[0]
//> display shelf.items[0]
//> continue
//> print out
// GCN all: (gcn) break variables.hip:53
// GCN all: Breakpoint 1 at stock+0x890 (variables.hip:53)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: stock+0x890 (variables.hip:53)
// GCN all: 53	    shop::raise(shelf.first(), by);
// GCN all: => stock+0x890:	s_mov_b32 s8, s6
// GCN all: (gcn) lane 1
// GCN all: lane 1
// GCN all: (gcn) print shelf
// GCN all: shelf = {id = 1, low = 5, high = 100, items = {1.5, 3, 4.5}, label = 0x0, next = 0x2000000000018 <scratch 0x18>}
// GCN all: (gcn) print shelf.id
// GCN all: shelf.id = 1
// GCN all: (gcn) print shelf.high * 2
// GCN all: shelf.high * 2 = 200
// GCN all: (gcn) print shelf.next->next->items[2]
// GCN all: shelf.next->next->items[2] = 4.5
// GCN all: (gcn) print *shelf.next
// GCN all: *shelf.next = {id = 1, low = 5, high = 100, items = {1.5, 3, 4.5}, label = 0x0, next = 0x2000000000018 <scratch 0x18>}
// GCN all: (gcn) print shelf.next
// GCN all: shelf.next = 0x2000000000018 <scratch 0x18>
// GCN all: (gcn) print color
// GCN all: color = green
// GCN all: (gcn) print color == 7
// GCN all: color == 7 = 1
// GCN all: (gcn) print tagged
// GCN all: tagged = {id = 6, id = 5}
// GCN all: (gcn) print tagged.id
// GCN all: tagged.id = 5
// GCN all: (gcn) print counter
// GCN all: counter = 40
// GCN all: (gcn) set counter = 100
// GCN all: (gcn) set shelf.items[1] = 2
// GCN all: (gcn) set shelf.low = 1
// GCN all: error: only registers, memory, elements of buffers and variables with a single location can be changed
// GCN all: (gcn) print shelf.items
// GCN all: shelf.items = {1.5, 2, 4.5}
// GCN all: (gcn) tbreak variables.hip:33
// GCN all: Temporary breakpoint 2 at _ZN4shop5raiseIfEEvRT_RKS1_+0x12c (variables.hip:33)
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: _ZN4shop5raiseIfEEvRT_RKS1_+0x12c (variables.hip:33)
// GCN all: 33	    value = before + by;
// GCN all: => _ZN4shop5raiseIfEEvRT_RKS1_+0x12c:	flat_load_dword v2, v[5:6]
// GCN all: (gcn) info args
// GCN all: value = 1.5
// GCN all: by = 0.5
// GCN all: (gcn) print value
// GCN all: value = 1.5
// GCN all: (gcn) print by + value
// GCN all: by + value = 2
// GCN all: (gcn) set value = 9
// GCN all: (gcn) finish
// GCN all: The function has returned
// GCN all: workgroup 0,0,0, wave 0: stock+0x9ec (variables.hip:53)
// GCN all: 53	    shop::raise(shelf.first(), by);
// GCN all: => stock+0x9ec:	buffer_load_dword v9, off, s[0:3], s33 offset:120
// GCN all: (gcn) print shelf.items[0]
// GCN all: shelf.items[0] = 2
// GCN all: (gcn) display shelf.items[0]
// GCN all: 1: shelf.items[0] = 2
// GCN all: (gcn) continue
// GCN all: stock has ended: waves 1, instructions 869
// GCN all: All launches have ended.
// GCN all: (gcn) print out
// GCN all: out = {105, 127, 135, 157}
