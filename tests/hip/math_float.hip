//! # Functions of float against the host's of double, within the bounds that OpenCL and HIP state.
#include "check.h"

enum Function {
    SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH, EXP, EXP2, EXP10, EXPM1, LOG, LOG2, LOG10,
    LOG1P, SQRT, RSQRT, CBRT, ERF, ERFC, TGAMMA, LGAMMA, FLOOR, CEIL, TRUNC, ROUND, RINT, SINPI, COSPI, RECIPROCAL,
    FUNCTIONS
};

struct Row {
    const char* name;
    double low, high, ulps;
    double (*reference)(double);
};

const Row ROWS[FUNCTIONS] = {
    {"sin", -1000, 1000, 4, std::sin}, {"cos", -1000, 1000, 4, std::cos}, {"tan", -100, 100, 5, std::tan},
    {"asin", -1, 1, 4, std::asin}, {"acos", -1, 1, 4, std::acos}, {"atan", -100, 100, 5, std::atan},
    {"sinh", -20, 20, 4, std::sinh}, {"cosh", -20, 20, 4, std::cosh}, {"tanh", -5, 5, 5, std::tanh},
    {"asinh", -1000, 1000, 4, std::asinh}, {"acosh", 1, 1000, 4, std::acosh}, {"atanh", -0.99, 0.99, 5, std::atanh},
    {"exp", -80, 80, 3, std::exp}, {"exp2", -120, 120, 3, std::exp2},
    {"exp10", -35, 35, 3, [](double x) { return std::pow(10.0, x); }}, {"expm1", -10, 10, 3, std::expm1},
    {"log", 1e-20, 1e6, 3, std::log}, {"log2", 1e-20, 1e6, 3, std::log2}, {"log10", 1e-20, 1e6, 3, std::log10},
    {"log1p", -0.9, 1000, 2, std::log1p}, {"sqrt", 0, 1e9, 1, std::sqrt},
    {"rsqrt", 1e-6, 1e6, 2, [](double x) { return 1 / std::sqrt(x); }}, {"cbrt", -1e6, 1e6, 2, std::cbrt},
    {"erf", -4, 4, 16, std::erf}, {"erfc", -3, 8, 16, std::erfc}, {"tgamma", 0.5, 30, 16, std::tgamma},
    {"lgamma", 3, 500, 8, std::lgamma}, {"floor", -1e4, 1e4, 0, std::floor}, {"ceil", -1e4, 1e4, 0, std::ceil},
    {"trunc", -1e4, 1e4, 0, std::trunc}, {"round", -1e4, 1e4, 0, std::round}, {"rint", -1e4, 1e4, 0, std::rint},
    {"sinpi", -0.9, 0.9, 4, [](double x) { return std::sin(M_PI * x); }},
    {"cospi", -0.4, 0.4, 4, [](double x) { return std::cos(M_PI * x); }}, {"1/x", 0.01, 1e6, 0.5, [](double x) { return 1 / x; }},
};

__device__ float apply(int function, float x) {
    switch (function) {
        case SIN: return sinf(x);
        case COS: return cosf(x);
        case TAN: return tanf(x);
        case ASIN: return asinf(x);
        case ACOS: return acosf(x);
        case ATAN: return atanf(x);
        case SINH: return sinhf(x);
        case COSH: return coshf(x);
        case TANH: return tanhf(x);
        case ASINH: return asinhf(x);
        case ACOSH: return acoshf(x);
        case ATANH: return atanhf(x);
        case EXP: return expf(x);
        case EXP2: return exp2f(x);
        case EXP10: return exp10f(x);
        case EXPM1: return expm1f(x);
        case LOG: return logf(x);
        case LOG2: return log2f(x);
        case LOG10: return log10f(x);
        case LOG1P: return log1pf(x);
        case SQRT: return sqrtf(x);
        case RSQRT: return rsqrtf(x);
        case CBRT: return cbrtf(x);
        case ERF: return erff(x);
        case ERFC: return erfcf(x);
        case TGAMMA: return tgammaf(x);
        case LGAMMA: return lgammaf(x);
        case FLOOR: return floorf(x);
        case CEIL: return ceilf(x);
        case TRUNC: return truncf(x);
        case ROUND: return roundf(x);
        case RINT: return rintf(x);
        case SINPI: return sinpif(x);
        case COSPI: return cospif(x);
        case RECIPROCAL: return 1.0f / x;
        default: return 0;
    }
}

// A row of the grid for each function.
__global__ void unary(const float* in, float* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const unsigned place = blockIdx.y * count + i;
        out[place] = apply(blockIdx.y, in[place]);
    }
}

__global__ void binary(const float* a, const float* b, float* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = powf(fabsf(a[i]), b[i]);
        out[count + i] = atan2f(a[i], b[i]);
        out[2 * count + i] = hypotf(a[i], b[i]);
        out[3 * count + i] = fmodf(a[i], b[i]);
        out[4 * count + i] = a[i] / b[i];
        out[5 * count + i] = fmaf(a[i], b[i], 1.0f);
        out[6 * count + i] = copysignf(a[i], b[i]);
        out[7 * count + i] = fdimf(a[i], b[i]);
        out[8 * count + i] = ldexpf(a[i], int(b[i]));
        out[9 * count + i] = fmaxf(a[i], b[i]);
    }
}

// The distance in units of the expected value's last place.
double distance(float got, double expected) {
    if (std::isnan(expected)) {
        return std::isnan(got) ? 0 : HUGE_VAL;
    }
    if (got == float(expected)) {
        return 0;
    }
    // Below the normal numbers gfx8 flushes.
    const int exponent = std::max(std::ilogb(float(expected)), -126);
    return std::fabs(got - expected) / std::ldexp(1.0, exponent - 23);
}

int main() {
    const unsigned count = 1000;
    std::vector<float> in;
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        const auto part = random_reals<float>(count, ROWS[f].low, ROWS[f].high, f);
        in.insert(in.end(), part.begin(), part.end());
    }
    const DeviceArray<float> device_in(in), out(in.size());
    unary<<<dim3(groups_of(count, 256), FUNCTIONS), 256>>>(device_in.data(), out.data(), count);
    CHECK_LAUNCH();
    const auto got = out.download();
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        for (unsigned i = f * count; i < (f + 1) * count; i++) {
            const double expected = ROWS[f].reference(in[i]), away = distance(got[i], expected);
            REQUIRE(away <= ROWS[f].ulps + 0.5, "%s(%.9g): expected %.9g, got %.9g (%g ulp)", ROWS[f].name, in[i], expected, got[i],
                    away);
        }
    }
    const auto a = random_reals<float>(count, -50, 50, 1), b = random_reals<float>(count, -15, 15, 2);
    const DeviceArray<float> device_a(a), device_b(b), pairs(10 * count);
    binary<<<groups_of(count, 128), 128>>>(device_a.data(), device_b.data(), pairs.data(), count);
    CHECK_LAUNCH();
    const auto two = pairs.download();
    for (unsigned i = 0; i < count; i++) {
        const double x = a[i], y = b[i];
        const struct {
            const char* name;
            double expected, ulps;
        } rows[] = {{"pow", std::pow(std::fabs(x), y), 16}, {"atan2", std::atan2(x, y), 6}, {"hypot", std::hypot(x, y), 4},
                    {"fmod", std::fmod(x, y), 0}, {"divide", x / y, 0}, {"fma", std::fma(x, y, 1.0), 0},
                    {"copysign", std::copysign(x, y), 0}, {"fdim", std::fdim(x, y), 0}, {"ldexp", std::ldexp(x, int(y)), 0},
                    {"fmax", std::fmax(x, y), 0}};
        for (unsigned r = 0; r < 10; r++) {
            const double away = distance(two[r * count + i], rows[r].expected);
            REQUIRE(away <= rows[r].ulps + 0.5, "%s(%.9g, %.9g): expected %.9g, got %.9g (%g ulp)", rows[r].name, x, y,
                    rows[r].expected, two[r * count + i], away);
        }
    }
    return passed();
}
