// Functions of the language with the host's in a larger type, and the error that the specification allows each.
#ifndef MATH_REFERENCE_H
#define MATH_REFERENCE_H

#define _GNU_SOURCE
#include "check.h"

// The type of references for doubles; it has 64 bits of significand.
typedef long double Real;

typedef struct {
    // Name in the language, and expression over `x`, `y` and `z` where that is no call of the name.
    const char *name, *text;
    int arguments;
    // Units in the last place for float and double.
    double single, twice;
    Real (*of)(Real x, Real y, Real z);
    // Range of arguments, symmetric if `low` is negative; 0 and 0 for all of the type.
    double low, high;
} Function;

static const Real PI_REAL = 3.141592653589793238462643383279502884L;

// The sine of pi times `x`, with a zero at every integer.
static Real sine_of_turns(Real x) {
    const Real turn = remainderl(x, 2);
    return sinl(PI_REAL * (fabsl(turn) > 0.5L ? copysignl(1, turn) - turn : turn));
}

#define ONE(name, expression) \
    static Real reference_##name(Real x, Real y, Real z) { (void)y, (void)z; return expression; }
#define TWO(name, expression) \
    static Real reference_##name(Real x, Real y, Real z) { (void)z; return expression; }
#define THREE(name, expression) \
    static Real reference_##name(Real x, Real y, Real z) { return expression; }

ONE(acos, acosl(x)) ONE(acosh, acoshl(x)) ONE(acospi, acosl(x) / PI_REAL) ONE(asin, asinl(x)) ONE(asinh, asinhl(x))
ONE(asinpi, asinl(x) / PI_REAL) ONE(atan, atanl(x)) ONE(atanh, atanhl(x)) ONE(atanpi, atanl(x) / PI_REAL)
ONE(cbrt, cbrtl(x)) ONE(ceil, ceill(x)) ONE(cos, cosl(x)) ONE(cosh, coshl(x)) ONE(erf, erfl(x)) ONE(erfc, erfcl(x))
ONE(exp, expl(x)) ONE(exp2, exp2l(x)) ONE(exp10, powl(10, x)) ONE(expm1, expm1l(x)) ONE(fabs, fabsl(x))
ONE(floor, floorl(x)) ONE(log, logl(x)) ONE(log2, log2l(x)) ONE(log10, log10l(x)) ONE(log1p, log1pl(x)) ONE(logb, logbl(x))
ONE(rint, rintl(x)) ONE(round, roundl(x)) ONE(rsqrt, 1 / sqrtl(x)) ONE(sin, sinl(x)) ONE(sinh, sinhl(x))
ONE(sqrt, sqrtl(x)) ONE(tan, tanl(x)) ONE(tanh, tanhl(x)) ONE(trunc, truncl(x)) ONE(tgamma, tgammal(x))
ONE(sinpi, sine_of_turns(x)) ONE(cospi, sine_of_turns(0.5L - fabsl(remainderl(x, 2))))
TWO(atan2, atan2l(x, y)) TWO(atan2pi, atan2l(x, y) / PI_REAL) TWO(copysign, copysignl(x, y)) TWO(fdim, fdiml(x, y))
TWO(fmax, fmaxl(x, y)) TWO(fmin, fminl(x, y)) TWO(fmod, fmodl(x, y)) TWO(hypot, hypotl(x, y)) TWO(pow, powl(x, y))
TWO(remainder, remainderl(x, y)) TWO(divide, x / y) TWO(add, x + y) TWO(subtract, x - y) TWO(multiply, x * y)
TWO(powr, powl(x, y)) TWO(maxmag, fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y))
TWO(minmag, fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y))
THREE(fma, fmal(x, y, z))

static const Function FUNCTIONS[] = {
    {"acos", NULL, 1, 4, 4, reference_acos, -1, 1},
    {"acosh", NULL, 1, 4, 4, reference_acosh, 1, 1e6},
    {"acospi", NULL, 1, 5, 5, reference_acospi, -1, 1},
    {"asin", NULL, 1, 4, 4, reference_asin, -1, 1},
    {"asinh", NULL, 1, 4, 4, reference_asinh, -1e6, 1e6},
    {"asinpi", NULL, 1, 5, 5, reference_asinpi, -1, 1},
    {"atan", NULL, 1, 5, 5, reference_atan, -1e3, 1e3},
    {"atanh", NULL, 1, 5, 5, reference_atanh, -1, 1},
    {"atanpi", NULL, 1, 5, 5, reference_atanpi, -1e3, 1e3},
    {"cbrt", NULL, 1, 2, 2, reference_cbrt, 0, 0},
    {"ceil", NULL, 1, 0, 0, reference_ceil, -1e4, 1e4},
    {"cos", NULL, 1, 4, 4, reference_cos, -1e5, 1e5},
    {"cosh", NULL, 1, 4, 4, reference_cosh, -80, 80},
    {"cospi", NULL, 1, 4, 4, reference_cospi, -1e3, 1e3},
    {"erf", NULL, 1, 16, 16, reference_erf, -4, 4},
    {"erfc", NULL, 1, 16, 16, reference_erfc, -4, 8},
    {"exp", NULL, 1, 3, 3, reference_exp, -80, 80},
    {"exp2", NULL, 1, 3, 3, reference_exp2, -120, 120},
    {"exp10", NULL, 1, 3, 3, reference_exp10, -37, 38},
    {"expm1", NULL, 1, 3, 3, reference_expm1, -20, 80},
    {"fabs", NULL, 1, 0, 0, reference_fabs, 0, 0},
    {"floor", NULL, 1, 0, 0, reference_floor, -1e4, 1e4},
    {"log", NULL, 1, 3, 3, reference_log, 0, 1e10},
    {"log2", NULL, 1, 3, 3, reference_log2, 0, 1e10},
    {"log10", NULL, 1, 3, 3, reference_log10, 0, 1e10},
    {"log1p", NULL, 1, 2, 2, reference_log1p, -0.99, 1e5},
    {"logb", NULL, 1, 0, 0, reference_logb, 0, 0},
    {"rint", NULL, 1, 0, 0, reference_rint, -1e4, 1e4},
    {"round", NULL, 1, 0, 0, reference_round, -1e4, 1e4},
    {"rsqrt", NULL, 1, 2, 2, reference_rsqrt, 0, 1e20},
    {"sin", NULL, 1, 4, 4, reference_sin, -1e5, 1e5},
    {"sinh", NULL, 1, 4, 4, reference_sinh, -80, 80},
    {"sinpi", NULL, 1, 4, 4, reference_sinpi, -1e3, 1e3},
    {"sqrt", NULL, 1, 3, 0, reference_sqrt, 0, 1e30},
    {"tan", NULL, 1, 5, 5, reference_tan, -1e4, 1e4},
    {"tanh", NULL, 1, 5, 5, reference_tanh, -9, 9},
    {"tgamma", NULL, 1, 16, 16, reference_tgamma, 0.1, 30},
    {"trunc", NULL, 1, 0, 0, reference_trunc, -1e4, 1e4},
    {"atan2", NULL, 2, 6, 6, reference_atan2, -1e2, 1e2},
    {"atan2pi", NULL, 2, 6, 6, reference_atan2pi, -1e2, 1e2},
    {"copysign", NULL, 2, 0, 0, reference_copysign, 0, 0},
    {"fdim", NULL, 2, 0, 0, reference_fdim, -1e4, 1e4},
    {"fmax", NULL, 2, 0, 0, reference_fmax, 0, 0},
    {"fmin", NULL, 2, 0, 0, reference_fmin, 0, 0},
    {"fmod", NULL, 2, 0, 0, reference_fmod, -1e3, 1e3},
    {"hypot", NULL, 2, 4, 4, reference_hypot, -1e10, 1e10},
    {"maxmag", NULL, 2, 0, 0, reference_maxmag, 0, 0},
    {"minmag", NULL, 2, 0, 0, reference_minmag, 0, 0},
    {"pow", NULL, 2, 16, 16, reference_pow, 0, 20},
    {"powr", NULL, 2, 16, 16, reference_powr, 0, 20},
    {"remainder", NULL, 2, 0, 0, reference_remainder, -1e3, 1e3},
    {"fma", NULL, 3, 0, 0, reference_fma, -1e4, 1e4},
    {"add", "x + y", 2, 0, 0, reference_add, -1e6, 1e6},
    {"subtract", "x - y", 2, 0, 0, reference_subtract, -1e6, 1e6},
    {"multiply", "x * y", 2, 0, 0, reference_multiply, -1e6, 1e6},
    {"divide", "x / y", 2, 2.5, 0, reference_divide, -1e6, 1e6},
};

enum { POINTS = 256 };

// A program with a kernel for each function.
static inline cl_program program_for(const char* type, const char* options) {
    static char source[40000];
    size_t at = 0;
    for (size_t f = 0; f < COUNT(FUNCTIONS); f++) {
        static const char* const calls[] = {"", "%s(x)", "%s(x, y)", "%s(x, y, z)"};
        char call[40];
        snprintf(call, sizeof call, FUNCTIONS[f].text != NULL ? FUNCTIONS[f].text : calls[FUNCTIONS[f].arguments], FUNCTIONS[f].name);
        at += (size_t)snprintf(source + at, sizeof source - at,
                               "kernel void call_%s(global const %s* a, global const %s* b, global const %s* c, global %s* to) {\n"
                               "    size_t i = get_global_id(0); %s x = a[i], y = b[i], z = c[i]; to[i] = %s;\n}\n",
                               FUNCTIONS[f].name, type, type, type, type, type, call);
    }
    REQUIRE(at < sizeof source, "a long source");
    return build(source, options);
}

// An argument in a function's range; every type has the same ones but for rounding. Some are small, some are whole.
static inline double argument_for(const Function* function, int point, int index, uint64_t* seed, int exponents) {
    if (function->low == 0 && function->high == 0) {
        const double scale = ldexp(1, (int)(random_bits(seed) % (unsigned)(2 * exponents)) - exponents);
        return random_real(seed, -2, 2) * scale;
    }
    if (point % 4 == 3) {
        return trunc(random_real(seed, function->low, function->high)) + (function->low >= 0 ? function->low == 0 ? 1 : 0 : 0);
    }
    const double narrow = function->low > 0 || point % 4 != index ? 1 : 0.01;
    const double value = random_real(seed, function->low, function->high) * narrow;
    return value == 0 ? 0.5 : value;
}

#endif
