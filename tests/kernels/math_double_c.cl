//! # Builtins of double precision over random bit patterns and special values: sin, cos, tan, sincos, fract, modf, frexp, ilogb, lgamma, and those of two or three numbers: atan2, atan2pi, copysign, fdim, fmax, fmin, fmod, hypot, ldexp, maxmag, nextafter, pow, pown, powr, remainder, remquo, rootn, fma.
//! # The host's own functions may be as far from the truth as the bound allows, hence twice the bound.
//! # For GCN 1.0 LLVM makes floor of a fraction that is kept below 1, so it may be an ulp above -1.
//! std = "CL1.2"
//! [findings]
//! nan-produced = "functions of numbers that they are not defined for, such as sin(inf)"
//! divide-by-zero = "fmod(1, 0) and remainder(1, 0)"
//! float-to-int-overflow = "pow and remainder convert quotients and exponents to integers that have no place for them, and choose another result"
//! [buffers]
//! out = "f64*4480"
//! special = "f64:0,-0.0,1,-1,inf,-inf,nan,0.5,-0.5,2,-2,1.5,1e30,-1e30,3.4028235e38,1.17549435e-38,-1.17549435e-38,0.75,-0.75,100"
//! in = "f64*128:random(211,-30,30)"
//! patterns = "u64*32:random(223)"
//! [[launch]]
//! grid = 160
//! group = 32
//! args = ["out", "special", "in", "patterns"]
//! [compare]
//! out = ["9 ulp ftz", "9 ulp ftz", "11 ulp ftz", "9 ulp ftz", "9 ulp ftz", "1 ulp ftz", "1 ulp ftz", "0 ulp ftz", "0 ulp ftz", "0 ulp ftz", "1e-13", "13 ulp ftz", "13 ulp ftz", "0 ulp ftz", "0 ulp ftz", "0 ulp ftz", "0 ulp ftz", "0 ulp ftz", "9 ulp ftz", "0 ulp ftz", "0 ulp ftz", "33 ulp ftz", "33 ulp ftz", "33 ulp ftz", "0 ulp ftz", "0 ulp ftz", "33 ulp ftz", "0 ulp ftz"]

typedef double T;

// Finite numbers that are not denormal stand for those that a generation may flush.
static T ordinary(T x)
{
    return isnormal(x) || x == 0 ? x : (T)3;
}

kernel void math_double_c(global T *out, global const T *special, global const T *in, global const ulong *patterns)
{
    uint i = get_global_id(0);
    T x = i < 20 ? special[i] : i < 32 ? (T)i / 4 : i < 128 ? in[i] : ordinary(as_double(patterns[i - 128]));
    T y = i < 20 ? special[(i * 7 + 3) % 20] : in[(i * 5) % 128];
    T finite = isfinite(x) ? x : (T)7;
    T cosine, whole;
    int exponent, quotient;
    global T *o = out + i * 28;
    o[0] = sin(x);
    o[1] = cos(x);
    o[2] = tan(x);
    o[3] = sincos(x, &cosine);
    o[4] = cosine;
    o[5] = fract(finite, &whole);
    o[6] = whole;
    o[7] = modf(x, &whole) + whole;
    o[8] = frexp(finite, &exponent);
    o[9] = exponent * 65536.0 + (finite == 0 ? 0 : ilogb(finite));
    o[10] = lgamma(fabs(fmod(finite, (T)50)) + (T)0.5);
    o[11] = atan2(x, y);
    o[12] = atan2pi(x, y);
    o[13] = copysign(x, y);
    o[14] = fdim(x, y);
    o[15] = fmax(x, y) + 2 * fmin(x, y);
    o[16] = maxmag(x, y) - minmag(x, y);
    o[17] = fmod(x, y);
    o[18] = hypot(x, y);
    o[19] = ldexp(y, (int)fmod(finite, (T)60));
    o[20] = nextafter(y, x);
    o[21] = pow(x, y);
    o[22] = pown(x, (int)(i % 9) - 4);
    o[23] = powr(fabs(finite) + (T)0.25, fmod(y, (T)8));
    o[24] = remainder(x, y);
    o[25] = remquo(finite, (T)3, &quotient) + (quotient & 7);
    o[26] = rootn(fabs(x), (int)(i % 5) + 2);
    o[27] = fma(x, y, (T)1);
}
