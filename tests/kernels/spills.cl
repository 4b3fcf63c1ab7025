//! # More values alive than there are registers, in a kernel that is told to use few.
//! everywhere = true
//! [buffers]
//! out = "u32*256"
//! in = "u32*65536:random(59)"
//! [[launch]]
//! grid = 256
//! group = 256
//! args = ["out", "in"]

#ifdef REFERENCE
#define FEW
#else
#define FEW __attribute__((amdgpu_num_vgpr(24)))
#endif

FEW kernel void spills(global uint *out, global const uint *in)
{
    uint i = get_global_id(0);
    uint v[64];
    #pragma unroll
    for (uint n = 0; n < 64; n++)
        v[n] = in[n * 256 + i];
    for (uint round = 0; round < 3; round++) {
        #pragma unroll
        for (uint n = 0; n < 64; n++)
            v[n] += rotate(v[(n * 7 + 3) & 63], n & 31) ^ v[(n + 32) & 63];
    }
    uint sum = 0;
    #pragma unroll
    for (uint n = 0; n < 64; n++)
        sum = sum * 31 + v[n];
    out[i] = sum;
}
