//! # Builtins of double precision over random bit patterns and special values: acos, acosh, acospi, asin, asinh, asinpi, atan, atanh, atanpi, cbrt, ceil, cosh, cospi, erf, erfc, exp, exp2, exp10.
//! # The host's own functions may be as far from the truth as the bound allows, hence twice the bound.
//! [findings]
//! nan-produced = "functions of numbers that they are not defined for, such as acos(2)"
//! [buffers]
//! out = "f64*2880"
//! special = "f64:0,-0.0,1,-1,inf,-inf,nan,0.5,-0.5,2,-2,1.5,1e30,-1e30,3.4028235e38,1.17549435e-38,-1.17549435e-38,0.75,-0.75,100"
//! in = "f64*128:random(211,-30,30)"
//! patterns = "u64*32:random(223)"
//! [[launch]]
//! grid = 160
//! group = 32
//! args = ["out", "special", "in", "patterns"]
//! [compare]
//! out = ["9 ulp ftz", "9 ulp ftz", "11 ulp ftz", "9 ulp ftz", "9 ulp ftz", "11 ulp ftz", "11 ulp ftz", "11 ulp ftz", "11 ulp ftz", "5 ulp ftz", "0 ulp ftz", "9 ulp ftz", "9 ulp ftz", "33 ulp ftz", "33 ulp ftz", "7 ulp ftz", "7 ulp ftz", "7 ulp ftz"]

typedef double T;

#define R(f, x) f(x)

// Finite numbers that are not denormal stand for those that a generation may flush.
static T ordinary(T x)
{
    return isnormal(x) || x == 0 ? x : (T)3;
}

kernel void math_double_a(global T *out, global const T *special, global const T *in, global const ulong *patterns)
{
    uint i = get_global_id(0);
    T x = i < 20 ? special[i] : i < 32 ? (T)i / 4 : i < 128 ? in[i] : ordinary(as_double(patterns[i - 128]));
    out[i * 18 + 0] = R(acos, fmod(x, (T)1));
    out[i * 18 + 1] = R(acosh, fabs(fmod(x, (T)1000)) + 1);
    out[i * 18 + 2] = R(acospi, fmod(x, (T)1));
    out[i * 18 + 3] = R(asin, fmod(x, (T)1));
    out[i * 18 + 4] = R(asinh, x);
    out[i * 18 + 5] = R(asinpi, fmod(x, (T)1));
    out[i * 18 + 6] = R(atan, x);
    out[i * 18 + 7] = R(atanh, fmod(x, (T)1));
    out[i * 18 + 8] = R(atanpi, x);
    out[i * 18 + 9] = R(cbrt, x);
    out[i * 18 + 10] = R(ceil, x);
    out[i * 18 + 11] = R(cosh, fmod(x, (T)20));
    out[i * 18 + 12] = R(cospi, fmod(x, (T)100));
    out[i * 18 + 13] = R(erf, x);
    out[i * 18 + 14] = R(erfc, fmod(x, (T)20));
    out[i * 18 + 15] = R(exp, fmod(x, (T)20));
    out[i * 18 + 16] = R(exp2, fmod(x, (T)20));
    out[i * 18 + 17] = R(exp10, fmod(x, (T)20));
}
