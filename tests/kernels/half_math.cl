//! # Half precision: conversions with every rounding, and arithmetic that the reference rounds from single.
//! except = { "gfx600 clang-14" = "not selectable by clang-14 and 15", "gfx700 clang-14" = "not selectable by clang-14 and 15", "gfx600 clang-19 -O0" = "clang cannot select the generic pointers of the device library" }
//! [buffers]
//! out = "f16*3072"
//! vectors = "f16*1024"
//! a = "f16*256:random(257,-8,8)"
//! b = "f16*256:random(263,0.5,4)"
//! singles = "f32*256:random(269,-70000,70000)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out", "vectors", "a", "b", "singles"]

#ifdef REFERENCE
typedef ushort T;
#define TO(at, value) vstore_half_rte((float)(value), at, (global half *)out)
#define FROM(p, at) vload_half(at, (global const half *)p)
#else
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half T;
#define TO(at, value) out[at] = value
#define FROM(p, at) p[at]
#endif

kernel void half_math(global T *out, global T *vectors, global const T *a, global const T *b, global const float *singles)
{
    uint i = get_global_id(0);
#ifdef REFERENCE
    float x = FROM(a, i), y = FROM(b, i);
    float z = vload_half((i + 1) & 255, (global const half *)a);
#else
    half x = a[i], y = b[i], z = a[(i + 1) & 255];
#endif
    TO(i * 12, x + y);
    TO(i * 12 + 1, x * y);
    TO(i * 12 + 2, x - y);
    TO(i * 12 + 3, fmin(x, y));
    TO(i * 12 + 4, floor(x));
    TO(i * 12 + 5, x < z ? x : y);
    TO(i * 12 + 6, fabs(x) + trunc(y));
    TO(i * 12 + 7, (int)(x * 2));
    vstore_half_rtz(singles[i], i * 12 + 8, (global half *)out);
    vstore_half_rtp(singles[i], i * 12 + 9, (global half *)out);
    vstore_half_rtn(singles[i] * 1e-9f, i * 12 + 10, (global half *)out);
    vstore_half_rte(singles[i] * 1e-10f, i * 12 + 11, (global half *)out);
#ifdef REFERENCE
    if (i < 64)
        for (uint n = 0; n < 4; n++) {
            vstore_half_rte(vload_half(i * 4 + n, (global const half *)a) * vload_half(i * 4 + n, (global const half *)b),
                            i * 4 + n, (global half *)vectors);
            vstore_half_rte(vload_half(i * 4 + n, (global const half *)a) + vload_half(i * 4 + (3 - n), (global const half *)b),
                            256 + i * 4 + n, (global half *)vectors);
            vstore_half_rte(fmax(vload_half(i * 4 + n, (global const half *)a), vload_half(i * 4 + n, (global const half *)b)),
                            512 + i * 4 + n, (global half *)vectors);
            vstore_half_rte(fma(vload_half(i * 4 + n, (global const half *)a), 2.0f, -vload_half(i * 4 + n, (global const half *)b)),
                            768 + i * 4 + n, (global half *)vectors);
        }
#else
    // Packed instructions on GCN 1.4.
    if (i < 64) {
        half4 u = vload4(i, a), v = vload4(i, b);
        vstore4(u * v, i, vectors);
        vstore4(u + v.wzyx, i, vectors + 256);
        vstore4(fmax(u, v), i, vectors + 512);
        vstore4(fma(u, (half4)(2), -v), i, vectors + 768);
    }
#endif
}
