// RUN: gfx906
// `@entry` is the kernel's parameter where a variable hides it, also for a watchpoint.
//! file = "../../crates/gcn-object/tests/fixtures/shadowed-gfx906.co"
//! grid = 1
//! args = { out = "i32*4", n = 4 }
//> break shadowed.cl:4
//> tbreak shadowed.cl:7
//> run
//> watch n@entry
//> continue
//> info locals
//> print n@entry
//> set n@entry = 9
//> print n@entry
//> continue
//> quit
// GCN all: (gcn) break shadowed.cl:4
// GCN all: Breakpoint 1 at shadowed+0x54 (shadowed.cl:4)
// GCN all: (gcn) tbreak shadowed.cl:7
// GCN all: Temporary breakpoint 2 at shadowed+0x88 (shadowed.cl:7)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: shadowed+0x54 (shadowed.cl:4)
// GCN all: 4	    int sum = n;
// GCN all: => shadowed+0x54:	buffer_load_dword v0, off, s[0:3], s33 offset:8
// GCN all: (gcn) watch n@entry
// GCN all: Watchpoint 3: n@entry
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: shadowed+0x88 (shadowed.cl:7)
// GCN all: 7	        sum += n;
// GCN all: => shadowed+0x88:	buffer_load_dword v1, off, s[0:3], s33 offset:16
// GCN all: (gcn) info locals
// GCN all: n = 5
// GCN all: sum = 4
// GCN all: (gcn) print n@entry
// GCN all: n@entry = 4
// GCN all: (gcn) set n@entry = 9
// GCN all: (gcn) print n@entry
// GCN all: n@entry = 9
// GCN all: (gcn) continue
// GCN all: shadowed has ended: waves 1, instructions 38
// GCN all: All launches have ended.
// GCN all: (gcn) quit
