// RUN: gfx906
// Code of Clang with -g: lines, an inlined function, a condition on a buffer.
//! file = "../../crates/gcn-object/tests/fixtures/lines-gfx906.co"
//! grid = 64
//! args = { data = "f32*64:iota", n = 60 }
//> list 1
//> break lines.cl:4
//> run
//> backtrace
//> next
//> info line
//> start
//> advance 9
//> advance 8
// GCN all: (gcn) list 1
// GCN all: 1	// A kernel with an inlined call, for the test of source lines.
// GCN all: 2
// GCN all: 3	static float twice(float x) {
// GCN all: 4	    return x + x;
// GCN all: 5	}
// GCN all: 6
// GCN all: 7	kernel void lines(global float *data, int n) {
// GCN all: 8	    int i = get_global_id(0);
// GCN all: 9	    if (i < n)
// GCN all: 10	        data[i] = twice(data[i]) - 1.0f;
// GCN all: (gcn) break lines.cl:4
// GCN all: Breakpoint 1 at lines+0x68 (lines.cl:4)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: lines+0x68 (lines.cl:4)
// GCN all: 4	    return x + x;
// GCN all: => lines+0x68:	s_waitcnt vmcnt(0)
// GCN all: (gcn) backtrace
// GCN all: #0 twice at lines.cl:4 (inlined)
// GCN all: #1 lines at lines.cl:10
// GCN all: (gcn) next
// GCN all: 10	        data[i] = twice(data[i]) - 1.0f;
// GCN all: => lines+0x70:	v_add_f32_e32 v2, -1.0, v2
// GCN all: (gcn) info line
// GCN all: lines+0x70 (lines.cl:10)
// GCN all: (gcn) start
// GCN all: lines begins
// GCN all: workgroup 0,0,0, wave 0: lines (lines.cl:8)
// GCN all: 8	    int i = get_global_id(0);
// GCN all: => lines:	s_load_dword s2, s[4:5], 0x1c
// GCN all: (gcn) advance 9
// GCN all: 9	    if (i < n)
// GCN all: => lines+0x34:	v_cmp_gt_i32_e32 vcc, s3, v1
// GCN all: (gcn) advance 8
// GCN all: 8	    int i = get_global_id(0);
// GCN all: => lines+0x40:	s_load_dwordx2 s[0:1], s[4:5], 0x0
