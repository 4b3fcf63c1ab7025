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
