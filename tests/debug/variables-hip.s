// RUN: gfx906
// Variables of C++ at -O0: templates, base classes, bit fields, references, globals, a list.
//! file = "../../crates/gcn-object/tests/fixtures/variables-hip-gfx906.co"
//! grid = 4
//! args = { out = "i32*4", scale = "f32:1.5" }
//> break variables.hip:46
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
//> print counter
//> set counter = 100
//> set shelf.items[1] = 2
//> set shelf.low = 1
//> print shelf.items
//> tbreak variables.hip:29
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
