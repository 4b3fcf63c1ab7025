//! # HIP: templates, shared and constant memory, device globals, virtual-free classes, atomics.
//! everywhere = true
//! versions = [4]
//! except = { gfx600 = "pointers are generic in HIP", "gfx700 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined", "gfx803 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined" }
//! [buffers]
//! out = "f32*256"
//! in = "f32*256:random(283,-4,4)"
//! [[launch]]
//! grid = 256
//! group = 64
//! reference = "templates_reference"
//! args = ["out", "in", "u32:256"]

#ifdef REFERENCE
kernel void templates_reference(global float *out, global const float *in, uint count)
{
    for (uint i = 0; i < count; i++) {
        float x = in[i];
        float poly = 0.5f;
        poly = fma(poly, x, -1.5f);
        poly = fma(poly, x, 2.0f);
        poly = fma(poly, x, 0.25f);
        out[i] = poly + in[(i & ~63u) + (63 - (i & 63))] * 2.0f + (float)(i & 3) * 10.0f;
    }
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

__constant__ float coefficients[] = {0.5f, -1.5f, 2.0f, 0.25f};
__device__ float scale = 2.0f;

template <int N> struct Polynomial {
    static __device__ float at(const float *c, float x)
    {
        return __builtin_fmaf(Polynomial<N - 1>::at(c, x), x, c[N]);
    }
};
template <> struct Polynomial<0> {
    static __device__ float at(const float *c, float) { return c[0]; }
};

class Tens {
    int n;

public:
    __device__ Tens(int start) : n(start) {}
    __device__ operator float() const { return n * 10.0f; }
};

extern "C" __global__ void templates(float *out, const float *in, unsigned count)
{
    __shared__ float tile[64];
    unsigned l = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * 64 + l;
    tile[63 - l] = in[i];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (i < count) {
        float twice = tile[l] * scale, tens = Tens(i & 3);
        out[i] = Polynomial<3>::at(coefficients, in[i]) + twice + tens;
    }
}
#endif
