//! # Builtins of two and three arguments, and those that return a second value.
//! except = { "gfx600 -O0" = "clang cannot select the generic pointers of the device library" }
//! [buffers]
//! out = "f32*4096"
//! whole = "i32*1280"
//! x = "f32*256:random(227,-20,20)"
//! y = "f32*256:random(229,-5,5)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out", "whole", "x", "y"]
//! [compare]
//! out = ["7 ulp", "exact", "4 ulp", "exact", "exact", "exact", "exact", "exact", "17 ulp", "exact", "exact", "exact", "exact", "4 ulp", "5 ulp", "5 ulp"]

#ifdef REFERENCE
#define R(call) (float)(call)
typedef double T;
#else
#define R(call) call
typedef float T;
#endif

kernel void math_two(global float *out, global int *whole, global const float *x, global const float *y)
{
    uint i = get_global_id(0);
    float a = x[i], b = y[i], part;
    global float *o = out + i * 16;
    int e, q;
    o[0] = R(atan2((T)a, (T)b));
    o[1] = copysign(a, b);
    o[2] = R(hypot((T)a, (T)b));
    o[3] = fmin(a, b) + fmax(a, NAN);
    o[4] = fmod(a, b);
    o[5] = remainder(a, b);
    o[6] = fdim(a, b);
    o[7] = fma(a, b, 1.0f);
    o[8] = R(pow(fabs((T)a), (T)b));
    o[9] = nextafter(a, b);
    o[10] = frexp(a, &e);
    o[11] = modf(a, &part) + part;
    o[12] = ldexp(b, (int)a) + remquo(a, b, &q);
    o[13] = R(rootn(fabs((T)a), 5));
    o[14] = R(sin((T)a));
    o[15] = R(log((T)fabs(a)));
    whole[i * 5] = e;
    whole[i * 5 + 1] = q & 7;
    whole[i * 5 + 2] = ilogb(a);
    whole[i * 5 + 3] = isgreater(a, b) | isless(a, b) << 1 | signbit(a) << 2 | isordered(a, b) << 3;
    whole[i * 5 + 4] = convert_int_sat_rtz(a * 1e9f) ^ convert_int_rtp(b) ^ convert_uchar_sat_rte(a * 20) << 4;
}
