//! # Builtins of float precision over random bit patterns and special values: expm1, fabs, floor, log, log2, log10, log1p, logb, rint, round, rsqrt, sin, sinh, sinpi, sqrt, tan, tanh, tgamma, trunc.
//! # The reference computes in double precision and rounds.
//! # Before LLVM 15 round(-0.0) is 0.0.
//! [findings]
//! nan-produced = "functions of numbers that they are not defined for, such as log(-1)"
//! [buffers]
//! out = "f32*3040"
//! special = "f32:0,-0.0,1,-1,inf,-inf,nan,0.5,-0.5,2,-2,1.5,1e30,-1e30,3.4028235e38,1.17549435e-38,-1.17549435e-38,0.75,-0.75,100"
//! in = "f32*128:random(211,-30,30)"
//! patterns = "u32*32:random(223)"
//! [[launch]]
//! grid = 160
//! group = 32
//! args = ["out", "special", "in", "patterns"]
//! [compare]
//! out = ["4 ulp ftz", "exact ftz", "exact ftz", "4 ulp ftz", "4 ulp ftz", "4 ulp ftz", "3 ulp ftz", "exact ftz", "exact ftz", "0 ulp ftz", "3 ulp ftz", "5 ulp ftz", "5 ulp ftz", "5 ulp ftz", "4 ulp ftz", "6 ulp ftz", "6 ulp ftz", "17 ulp ftz", "exact ftz"]

typedef float T;
#ifdef REFERENCE
#define R(f, x) (float)f((double)(x))
#else
#define R(f, x) f(x)
#endif

// Finite numbers that are not denormal stand for those that a generation may flush.
static T ordinary(T x)
{
    return isnormal(x) || x == 0 ? x : (T)3;
}

kernel void math_float_b(global T *out, global const T *special, global const T *in, global const uint *patterns)
{
    uint i = get_global_id(0);
    T x = i < 20 ? special[i] : i < 32 ? (T)i / 4 : i < 128 ? in[i] : ordinary(as_float(patterns[i - 128]));
    out[i * 19 + 0] = R(expm1, fmod(x, (T)20));
    out[i * 19 + 1] = R(fabs, x);
    out[i * 19 + 2] = R(floor, x);
    out[i * 19 + 3] = R(log, fabs(x));
    out[i * 19 + 4] = R(log2, fabs(x));
    out[i * 19 + 5] = R(log10, fabs(x));
    out[i * 19 + 6] = R(log1p, fabs(x));
    out[i * 19 + 7] = R(logb, fabs(x));
    out[i * 19 + 8] = R(rint, x);
    out[i * 19 + 9] = R(round, x);
    out[i * 19 + 10] = R(rsqrt, fabs(x));
    out[i * 19 + 11] = R(sin, fmod(x, (T)100));
    out[i * 19 + 12] = R(sinh, fmod(x, (T)20));
    out[i * 19 + 13] = R(sinpi, fmod(x, (T)100));
    out[i * 19 + 14] = R(sqrt, fabs(x));
    out[i * 19 + 15] = R(tan, fmod(x, (T)100));
    out[i * 19 + 16] = R(tanh, fmod(x, (T)20));
    out[i * 19 + 17] = R(tgamma, fabs(fmod(x, (T)20)) + (T)0.125);
    out[i * 19 + 18] = R(trunc, x);
}
