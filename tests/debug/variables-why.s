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
// GCN all: x
