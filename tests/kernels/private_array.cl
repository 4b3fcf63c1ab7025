//! # Arrays in private memory with addresses of every size that the compiler does not know.
//! everywhere = true
//! [buffers]
//! out = "u64*256"
//! in = "u32*256:random(53)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out", "in"]

kernel void private_array(global ulong *out, global const uint *in)
{
    size_t i = get_global_id(0);
    uint x = in[i];
    uchar bytes[67];
    ushort halves[33];
    uint words[40];
    ulong quads[17];
    float4 vectors[5];
    for (uint n = 0; n < 67; n++) bytes[n] = x >> (n & 15);
    for (uint n = 0; n < 33; n++) halves[n] = x * n;
    for (uint n = 0; n < 40; n++) words[n] = x ^ n * 0x9e3779b9;
    for (uint n = 0; n < 17; n++) quads[n] = (ulong)x * n * n << n;
    for (uint n = 0; n < 5; n++) vectors[n] = (float4)(n, n + 1, x & 255, n * n);
    ulong sum = 0;
    for (uint n = 0; n < 100; n++) {
        x = x * 1664525 + 1013904223;
        uint at = x >> 16;
        bytes[at % 67] += halves[at % 33];
        halves[at % 29] ^= bytes[(at + n) % 67];
        words[at % 40] -= quads[n % 17] >> 7;
        quads[at % 17] += words[(at >> 2) % 40] * (ulong)(char)bytes[n % 67];
        vectors[at % 5] = vectors[n % 5].yzwx + (float)(at & 3);
        sum += quads[n % 17] + (short)halves[n % 33] + (ulong)vectors[(n + at) % 5].y;
    }
    out[i] = sum;
}
