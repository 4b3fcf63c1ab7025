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
//> reverse-step
//> watch data[2]
//> continue
//> print data[2]
//> info lanes
//> disassemble *$pc
//> continue
