//! # Scatter: each element goes to a place of its own that is far from its neighbours' places.
//! [buffers]
//! out = "u32*1024"
//! in = "u32*1024:random(263)"
//! [[launch]]
//! grid = 1024
//! group = 128
//! args = ["out", "in", "u32:1023"]
//! [bench.buffers]
//! out = "u32*2097152"
//! in = "u32*2097152:random(263)"
//! [[bench.launch]]
//! grid = 2097152
//! group = 256
//! args = ["out", "in", "u32:2097151"]
//! repeat = 2

kernel void scatter(global uint *out, global const uint *in, uint mask)
{
    uint i = get_global_id(0);
    // An odd factor makes a permutation of the numbers up to a power of two.
    out[(i * 2654435761u + 12345) & mask] = in[i];
}
