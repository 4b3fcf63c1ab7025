//! # Functions of double against the host's, within a few units of the last place, and the corners of both widths.
#include "check.h"

struct Row {
    const char* name;
    double low, high, ulps;
    double (*reference)(double);
};

const Row ROWS[] = {
    {"sin", -1e5, 1e5, 4, std::sin}, {"cos", -1e5, 1e5, 4, std::cos}, {"exp", -700, 700, 3, std::exp},
    {"log", 1e-300, 1e10, 3, std::log}, {"sqrt", 0, 1e300, 0.5, std::sqrt}, {"cbrt", -1e9, 1e9, 2, std::cbrt},
    {"erf", -5, 5, 16, std::erf}, {"tgamma", 0.5, 100, 16, std::tgamma}, {"atan", -1e3, 1e3, 5, std::atan},
    {"tanh", -10, 10, 5, std::tanh}, {"rint", -1e9, 1e9, 0, std::rint}, {"1/x", -1e100, 1e100, 0.5, [](double x) { return 1 / x; }},
};
constexpr unsigned FUNCTIONS = sizeof(ROWS) / sizeof(Row);

__global__ void unary(const double* in, double* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const double x = in[blockIdx.y * count + i];
    double y = 0;
    switch (blockIdx.y) {
        case 0: y = sin(x); break;
        case 1: y = cos(x); break;
        case 2: y = exp(x); break;
        case 3: y = log(x); break;
        case 4: y = sqrt(x); break;
        case 5: y = cbrt(x); break;
        case 6: y = erf(x); break;
        case 7: y = tgamma(x); break;
        case 8: y = atan(x); break;
        case 9: y = tanh(x); break;
        case 10: y = rint(x); break;
        case 11: y = 1.0 / x; break;
    }
    out[blockIdx.y * count + i] = y;
}

__global__ void pairs(const double* a, const double* b, double* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = a[i] / b[i];
        out[count + i] = fma(a[i], b[i], a[i]);
        out[2 * count + i] = fmod(a[i], b[i]);
        out[3 * count + i] = remainder(a[i], b[i]);
        out[4 * count + i] = fmin(a[i], b[i]);
        int exponent;
        out[5 * count + i] = frexp(a[i], &exponent) + exponent;
        double whole;
        out[6 * count + i] = modf(a[i], &whole) - whole;
        out[7 * count + i] = nextafter(a[i], b[i]);
        out[8 * count + i] = double((long long)(a[i] * 1e3)) + double((unsigned)(fabs(b[i])));
    }
}

// Infinities, NaN, zeros with signs: the classes of results.
__global__ void corners(const double* in, int* out, unsigned count) {
    const unsigned i = threadIdx.x;
    if (i < count) {
        const double x = in[i];
        const float f = float(x);
        out[i] = int(isnan(x)) | int(isinf(x)) << 1 | int(signbit(x)) << 2 | int(isfinite(f)) << 3 | int(isnan(sqrt(x))) << 4 |
                 int(isnan(logf(f))) << 5 | int(isinf(1.0f / f)) << 6 | int(isnan(x - x)) << 7 | int(exp(x) == 0) << 8 |
                 int(x < 0) << 9 | int(!(x >= 0)) << 10 | int(fmax(x, 1.0) == 1.0) << 11 | int(__double2int_rz(x)) << 12;
    }
}

double distance(double got, double expected) {
    if (got == expected || (std::isnan(got) && std::isnan(expected))) {
        return 0;
    }
    return std::fabs(got - expected) / std::ldexp(1.0, std::ilogb(expected) - 52);
}

int main() {
    const unsigned count = 512;
    std::vector<double> in;
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        const auto part = random_reals<double>(count, ROWS[f].low, ROWS[f].high, f + 10);
        in.insert(in.end(), part.begin(), part.end());
    }
    const DeviceArray<double> device_in(in), out(in.size());
    unary<<<dim3(groups_of(count, 256), FUNCTIONS), 256>>>(device_in.data(), out.data(), count);
    CHECK_LAUNCH();
    const auto got = out.download();
    for (unsigned i = 0; i < in.size(); i++) {
        const Row& row = ROWS[i / count];
        const double expected = row.reference(in[i]), away = distance(got[i], expected);
        // The host may be wrong by a unit, too.
        REQUIRE(away <= row.ulps + 1, "%s(%.17g): expected %.17g, got %.17g (%g ulp)", row.name, in[i], expected, got[i], away);
    }
    const auto a = random_reals<double>(count, -1e4, 1e4, 1), b = random_reals<double>(count, -99, 99, 2);
    const DeviceArray<double> device_a(a), device_b(b), two(9 * count);
    pairs<<<groups_of(count, 64), 64>>>(device_a.data(), device_b.data(), two.data(), count);
    CHECK_LAUNCH();
    std::vector<double> expected(9 * count);
    for (unsigned i = 0; i < count; i++) {
        int exponent;
        double whole;
        const double fraction = std::frexp(a[i], &exponent), part = std::modf(a[i], &whole);
        const double row[] = {a[i] / b[i], std::fma(a[i], b[i], a[i]), std::fmod(a[i], b[i]), std::remainder(a[i], b[i]),
                              std::fmin(a[i], b[i]), fraction + exponent, part - whole, std::nextafter(a[i], b[i]),
                              double((long long)(a[i] * 1e3)) + double(unsigned(std::fabs(b[i])))};
        for (unsigned r = 0; r < 9; r++) {
            expected[r * count + i] = row[r];
        }
    }
    expect_same("pairs", two.download(), expected);

    const std::vector<double> special = {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e300, -1e-300, 800, -800};
    const DeviceArray<double> device_special(special);
    const DeviceArray<int> classes(special.size());
    corners<<<1, 64>>>(device_special.data(), classes.data(), special.size());
    CHECK_LAUNCH();
    const auto flags = classes.download();
    for (size_t i = 0; i < special.size(); i++) {
        const double x = special[i];
        const float f = float(x);
        const int truncated = std::isnan(x) ? 0 : x >= 2147483647 ? 2147483647 : x <= -2147483648.0 ? -2147483647 - 1 : int(x);
        const int want = int(std::isnan(x)) | int(std::isinf(x)) << 1 | int(std::signbit(x)) << 2 | int(std::isfinite(f)) << 3 |
                         int(std::isnan(std::sqrt(x))) << 4 | int(std::isnan(std::log(f))) << 5 | int(std::isinf(1.0f / f)) << 6 |
                         int(std::isnan(x - x)) << 7 | int(std::exp(x) == 0) << 8 | int(x < 0) << 9 | int(!(x >= 0)) << 10 |
                         int(std::fmax(x, 1.0) == 1.0) << 11 | int(unsigned(truncated) << 12);
        // The sign of a NaN is nobody's promise.
        const int mask = std::isnan(x) ? ~4 : ~0;
        REQUIRE((flags[i] & mask) == (want & mask), "flags of %g: expected %#x, got %#x", x, want, flags[i]);
    }
    return passed();
}
