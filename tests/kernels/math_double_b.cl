//! # Builtins of double precision over random bit patterns and special values: expm1, fabs, floor, log, log2, log10, log1p, logb, rint, round, rsqrt, sinh, sinpi, sqrt, tanh, tgamma, trunc.
//! # The host's own functions may be as far from the truth as the bound allows, hence twice the bound.
//! # For GCN 1.0 LLVM makes floor of a fraction that is kept below 1, so it may be an ulp above -1. Before LLVM 15 round(-0.0) is 0.0.
//! [findings]
//! nan-produced = "functions of numbers that they are not defined for, such as log(-1)"
//! [buffers]
//! out = "f64*2720"
//! special = "f64:0,-0.0,1,-1,inf,-inf,nan,0.5,-0.5,2,-2,1.5,1e30,-1e30,3.4028235e38,1.17549435e-38,-1.17549435e-38,0.75,-0.75,100"
//! in = "f64*128:random(211,-30,30)"
//! patterns = "u64*32:random(223)"
//! [[launch]]
//! grid = 160
//! group = 32
//! args = ["out", "special", "in", "patterns"]
//! [compare]
//! out = ["7 ulp ftz", "0 ulp ftz", "1 ulp ftz", "7 ulp ftz", "7 ulp ftz", "7 ulp ftz", "5 ulp ftz", "0 ulp ftz", "0 ulp ftz", "0 ulp ftz", "5 ulp ftz", "9 ulp ftz", "9 ulp ftz", "7 ulp ftz", "11 ulp ftz", "33 ulp ftz", "0 ulp ftz"]

typedef double T;

#define R(f, x) f(x)

// Finite numbers that are not denormal stand for those that a generation may flush.
static T ordinary(T x)
{
    return isnormal(x) || x == 0 ? x : (T)3;
}

kernel void math_double_b(global T *out, global const T *special, global const T *in, global const ulong *patterns)
{
    uint i = get_global_id(0);
    T x = i < 20 ? special[i] : i < 32 ? (T)i / 4 : i < 128 ? in[i] : ordinary(as_double(patterns[i - 128]));
    out[i * 17 + 0] = R(expm1, fmod(x, (T)20));
    out[i * 17 + 1] = R(fabs, x);
    out[i * 17 + 2] = R(floor, x);
    out[i * 17 + 3] = R(log, fabs(x));
    out[i * 17 + 4] = R(log2, fabs(x));
    out[i * 17 + 5] = R(log10, fabs(x));
    out[i * 17 + 6] = R(log1p, fabs(x));
    out[i * 17 + 7] = R(logb, fabs(x));
    out[i * 17 + 8] = R(rint, x);
    out[i * 17 + 9] = R(round, x);
    out[i * 17 + 10] = R(rsqrt, fabs(x));
    out[i * 17 + 11] = R(sinh, fmod(x, (T)20));
    out[i * 17 + 12] = R(sinpi, fmod(x, (T)100));
    out[i * 17 + 13] = R(sqrt, fabs(x));
    out[i * 17 + 14] = R(tanh, fmod(x, (T)20));
    out[i * 17 + 15] = R(tgamma, fabs(fmod(x, (T)20)) + (T)0.125);
    out[i * 17 + 16] = R(trunc, x);
}
