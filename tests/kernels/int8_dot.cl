//! # Products of 8-bit matrices with 32-bit sums, signed and unsigned.
//! [buffers]
//! out = "i32*1024"
//! a = "i8*2048:random(241)"
//! b = "u8*2048:random(251)"
//! [[launch]]
//! grid = [32, 32]
//! group = [16, 4]
//! args = ["out", "a", "b", "u32:16"]

kernel void int8_dot(global int *out, global const char4 *a, global const uchar4 *b, uint quads)
{
    uint x = get_global_id(0), y = get_global_id(1);
    int sum = 0;
    uint squares = 0;
    for (uint n = 0; n < quads; n++) {
        char4 p = a[y * quads + n];
        uchar4 q = b[x * quads + n];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        squares += q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    }
    out[y * get_global_size(0) + x] = sum ^ (int)squares;
}
