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
//> print lane
//> print item.tags
//> print n
//> print out[1]
//> print nothing
//> print part
//> print k
//> watch part
//> continue
//> delete 1-2
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
