//! # Histogram by atomics on global memory, one for each element.
//! [buffers]
//! bins = "u32*64:iota"
//! data = "u32*1000:random(241)"
//! [[launch]]
//! grid = 1024
//! group = 128
//! args = ["bins", "data", "u32:1000", "u32:63"]
//! [bench.buffers]
//! bins = "u32*4096:iota"
//! data = "u32*2097152:random(241)"
//! [[bench.launch]]
//! grid = 2097152
//! group = 256
//! args = ["bins", "data", "u32:2097152", "u32:4095"]
//! repeat = 2

kernel void histogram_global(global uint *bins, global const uint *data, uint count, uint mask)
{
    uint i = get_global_id(0);
    if (i < count)
        atomic_inc(&bins[data[i] & mask]);
}
