//! # HIP: ballot, shuffles by index and by distance, through ds_bpermute.
//! everywhere = true
//! except = { gfx600 = "no ds_bpermute", gfx700 = "no ds_bpermute", "gfx803 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined" }
//! [buffers]
//! out = "i32*768"
//! in = "i32*128:random(281)"
//! [[launch]]
//! grid = 128
//! group = 128
//! reference = "shuffle_reference"
//! args = ["out", "in"]

#ifdef REFERENCE
kernel void shuffle_reference(global int *out, global const int *in)
{
    for (uint i = 0; i < 128; i++) {
        uint wave = i & 64, lane = i & 63;
        global const int *x = in + wave;
        ulong odd = 0;
        for (uint n = 0; n < 64; n++)
            odd |= (ulong)(x[n] & 1) << n;
        global int *o = out + i * 6;
        o[0] = x[(lane * 7 + 3) & 63];
        o[1] = x[lane ^ 21];
        o[2] = lane < 5 ? x[lane] : x[lane - 5];
        o[3] = popcount(odd) * 64 + popcount(odd & ((1UL << lane) - 1));
        int sum = 0;
        for (uint n = 0; n < 64; n++)
            sum += x[n];
        o[4] = sum;
        o[5] = x[0];
    }
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

static __device__ int shuffle(int value, int lane)
{
    return __builtin_amdgcn_ds_bpermute(lane << 2, value);
}

extern "C" __global__ void shuffle(int *out, const int *in)
{
    int i = __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x();
    int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    int x = in[i];
    int *o = out + i * 6;
    o[0] = shuffle(x, (lane * 7 + 3) & 63);
    o[1] = shuffle(x, lane ^ 21);
    o[2] = shuffle(x, lane < 5 ? lane : lane - 5);
    unsigned long odd = __builtin_amdgcn_uicmp(x & 1u, 0u, 33);
    o[3] = __builtin_popcountl(odd) * 64 + __builtin_amdgcn_mbcnt_hi(odd >> 32, __builtin_amdgcn_mbcnt_lo(odd, 0));
    int sum = x;
    for (int reach = 32; reach; reach >>= 1)
        sum += shuffle(sum, lane ^ reach);
    o[4] = sum;
    o[5] = __builtin_amdgcn_readfirstlane(x);
}
#endif
