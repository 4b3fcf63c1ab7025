//! # Xorshift random numbers: nothing but integer arithmetic in registers.
//! [buffers]
//! out = "u32*512"
//! [[launch]]
//! grid = 512
//! group = 128
//! args = ["out", "u32:100"]
//! [bench.buffers]
//! out = "u32*65536"
//! [[bench.launch]]
//! grid = 65536
//! group = 256
//! args = ["out", "u32:32000"]
//! [bench.small]
//! times = 8192
//! [bench.small.buffers]
//! out = "u32*256"
//! [[bench.small.launch]]
//! grid = 256
//! group = 256
//! args = ["out", "u32:1000"]

kernel void xorshift(global uint *out, uint rounds)
{
    uint i = get_global_id(0), x = i * 2654435761u + 1;
    for (uint round = 0; round < rounds; round++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    out[i] = x;
}
