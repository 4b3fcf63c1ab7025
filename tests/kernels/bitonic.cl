//! # Bitonic sort of pairs in local memory, and one merging step over global memory.
//! [buffers]
//! keys = "i32*512:random(13)"
//! values = "u32*512:iota"
//! [[launch]]
//! grid = 256
//! group = 128
//! args = ["keys", "values"]
//! [bench.buffers]
//! keys = "i32*1048576:random(13)"
//! values = "u32*1048576:iota"
//! [[bench.launch]]
//! grid = 524288
//! group = 128
//! args = ["keys", "values"]

kernel void bitonic(global int *keys, global uint *values)
{
    local int k[256];
    local uint v[256];
    uint item = get_local_id(0), base = get_group_id(0) * 256;
    for (uint i = item; i < 256; i += 128) {
        k[i] = keys[base + i];
        v[i] = values[base + i];
    }
    for (uint size = 2; size <= 256; size <<= 1) {
        for (uint stride = size >> 1; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * item - (item & (stride - 1)), high = low + stride;
            bool up = (low & size) == 0;
            if ((k[low] > k[high]) == up) {
                int key = k[low];
                uint value = v[low];
                k[low] = k[high];
                v[low] = v[high];
                k[high] = key;
                v[high] = value;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < 256; i += 128) {
        keys[base + i] = k[i];
        values[base + i] = v[i];
    }
}
