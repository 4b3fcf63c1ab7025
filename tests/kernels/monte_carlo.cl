//! # Points in a quarter circle by integer random numbers: xorshift, LCG of 64 bits, and a counter-based one.
//! [buffers]
//! hits = "u32*768"
//! totals = "u64*3"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["hits", "totals", "u32:200"]

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

static uint inside(uint x, uint y)
{
    x >>= 16;
    y >>= 16;
    return (ulong)x * x + (ulong)y * y < 0x100000000UL;
}

kernel void monte_carlo(global uint *hits, volatile global ulong *totals, uint rounds)
{
    uint i = get_global_id(0), n = get_global_size(0);
    uint4 s = (uint4)(i + 1, 362436069, 521288629, 88675123);
    ulong lcg = i * 0x9e3779b97f4a7c15UL + 1;
    uint a = 0, b = 0, c = 0;
    for (uint round = 0; round < rounds; round++) {
        uint t = s.x ^ s.x << 11;
        s = (uint4)(s.yzw, s.w ^ s.w >> 19 ^ t ^ t >> 8);
        a += inside(s.w, s.z * 0x85ebca6b);
        lcg = lcg * 6364136223846793005UL + 1442695040888963407UL;
        b += inside(lcg >> 32, (lcg ^ lcg >> 29) * 0x2545f491);
        uint2 v = (uint2)(round, i);
        for (uint k = 0; k < 6; k++) {
            uint hi = mul_hi(v.x, 0xd256d193u), lo = v.x * 0xd256d193u;
            v = (uint2)(hi ^ v.y ^ (0x9e3779b9u * (k + 1)), lo);
        }
        c += inside(v.x, v.y);
    }
    hits[i] = a;
    hits[i + n] = b;
    hits[i + 2 * n] = c;
    atom_add(&totals[0], (ulong)a);
    atom_add(&totals[1], (ulong)b);
    atom_add(&totals[2], (ulong)c);
}
