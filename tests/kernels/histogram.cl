//! # Byte histogram: private in local memory, then merged by atomics.
//! [buffers]
//! bins = "u32*256:iota"
//! data = "u8*5000:random(19)"
//! [[launch]]
//! grid = 512
//! group = 128
//! args = ["bins", "data", "u32:5000"]
//! [bench.buffers]
//! data = "u8*16777216:random(19)"
//! [[bench.launch]]
//! grid = 65536
//! group = 256
//! args = ["bins", "data", "u32:16777216"]
//! repeat = 2
//! [bench.small]
//! times = 512
//! [bench.small.buffers]
//! data = "u8*65536:random(19)"
//! [[bench.small.launch]]
//! grid = 256
//! group = 256
//! args = ["bins", "data", "u32:65536"]

kernel void histogram(global uint *bins, global const uchar *data, uint count)
{
    local uint mine[256];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0))
        atomic_inc(&mine[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        if (mine[i])
            atomic_add(&bins[i], mine[i]);
}
