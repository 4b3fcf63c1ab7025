//! # A pass of radix sort after the other: 4 bits, one workgroup, stable.
//! [buffers]
//! keys = "u32*1024:random(17)"
//! scratch = "u32*1024"
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["keys", "scratch", "u32:1024", "u32:0"]
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["scratch", "keys", "u32:1024", "u32:4"]
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["keys", "scratch", "u32:1024", "u32:28"]
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["scratch", "keys", "u32:1024", "u32:30"]
//! [bench.buffers]
//! keys = "u32*262144:random(17)"
//! scratch = "u32*262144"
//! [[bench.launch]]
//! grid = 64
//! group = 64
//! args = ["keys", "scratch", "u32:262144", "u32:0"]
//! [[bench.launch]]
//! grid = 64
//! group = 64
//! args = ["scratch", "keys", "u32:262144", "u32:4"]
//! [bench.small]
//! times = 64
//! [bench.small.buffers]
//! keys = "u32*4096:random(17)"
//! scratch = "u32*4096"
//! [[bench.small.launch]]
//! grid = 64
//! group = 64
//! args = ["keys", "scratch", "u32:4096", "u32:0"]
//! [[bench.small.launch]]
//! grid = 64
//! group = 64
//! args = ["scratch", "keys", "u32:4096", "u32:4"]

#define DIGITS 16

kernel void radix_sort(global const uint *from, global uint *to, uint count, uint shift)
{
    local uint counts[DIGITS][64];
    uint item = get_local_id(0), each = count / 64;
    for (uint digit = 0; digit < DIGITS; digit++)
        counts[digit][item] = 0;
    for (uint i = 0; i < each; i++)
        counts[from[item * each + i] >> shift & (DIGITS - 1)][item]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        uint sum = 0;
        for (uint digit = 0; digit < DIGITS; digit++)
            for (uint other = 0; other < 64; other++) {
                uint next = counts[digit][other];
                counts[digit][other] = sum;
                sum += next;
            }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < each; i++) {
        uint key = from[item * each + i];
        to[counts[key >> shift & (DIGITS - 1)][item]++] = key;
    }
}
