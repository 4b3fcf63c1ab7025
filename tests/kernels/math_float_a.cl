//! # Builtins of float precision over random bit patterns and special values: acos, acosh, acospi, asin, asinh, asinpi, atan, atanh, atanpi, cbrt, ceil, cos, cosh, cospi, erf, erfc, exp, exp2, exp10.
//! # The reference computes in double precision and rounds.
//! [findings]
//! nan-produced = "functions of numbers that they are not defined for, such as acos(2)"
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
//! out = ["5 ulp ftz", "5 ulp ftz", "6 ulp ftz", "5 ulp ftz", "5 ulp ftz", "6 ulp ftz", "6 ulp ftz", "6 ulp ftz", "6 ulp ftz", "3 ulp ftz", "exact ftz", "5 ulp ftz", "5 ulp ftz", "5 ulp ftz", "17 ulp ftz", "17 ulp ftz", "4 ulp ftz", "4 ulp ftz", "4 ulp ftz"]

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

kernel void math_float_a(global T *out, global const T *special, global const T *in, global const uint *patterns)
{
    uint i = get_global_id(0);
    T x = i < 20 ? special[i] : i < 32 ? (T)i / 4 : i < 128 ? in[i] : ordinary(as_float(patterns[i - 128]));
    out[i * 19 + 0] = R(acos, fmod(x, (T)1));
    out[i * 19 + 1] = R(acosh, fabs(fmod(x, (T)1000)) + 1);
    out[i * 19 + 2] = R(acospi, fmod(x, (T)1));
    out[i * 19 + 3] = R(asin, fmod(x, (T)1));
    out[i * 19 + 4] = R(asinh, x);
    out[i * 19 + 5] = R(asinpi, fmod(x, (T)1));
    out[i * 19 + 6] = R(atan, x);
    out[i * 19 + 7] = R(atanh, fmod(x, (T)1));
    out[i * 19 + 8] = R(atanpi, x);
    out[i * 19 + 9] = R(cbrt, x);
    out[i * 19 + 10] = R(ceil, x);
    out[i * 19 + 11] = R(cos, fmod(x, (T)100));
    out[i * 19 + 12] = R(cosh, fmod(x, (T)20));
    out[i * 19 + 13] = R(cospi, fmod(x, (T)100));
    out[i * 19 + 14] = R(erf, x);
    out[i * 19 + 15] = R(erfc, fmod(x, (T)20));
    out[i * 19 + 16] = R(exp, fmod(x, (T)20));
    out[i * 19 + 17] = R(exp2, fmod(x, (T)20));
    out[i * 19 + 18] = R(exp10, fmod(x, (T)20));
}
