//! # Half precision: arithmetic of single values and of pairs, conversions, comparisons and functions.
#include "check.h"

#include <hip/hip_fp16.h>

// Two results may follow one input: both ways of rounding are compared with exact values on the host.
__global__ void single(const float* a, const float* b, float* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const __half x = __float2half(a[i]), y = __float2half(b[i]);
        out[i] = __half2float(x);
        out[count + i] = __half2float(__hadd(x, y));
        out[2 * count + i] = __half2float(__hsub(x, y));
        out[3 * count + i] = __half2float(__hmul(x, y));
        out[4 * count + i] = __half2float(__hfma(x, y, x));
        out[5 * count + i] = __half2float(hsqrt(__habs(x)));
        out[6 * count + i] = __half2float(hfloor(x));
        out[7 * count + i] = __hlt(x, y) ? 1 : 0;
        out[8 * count + i] = float(__half2int_rz(x));
        out[9 * count + i] = __half2float(__int2half_rn(int(i) * 3));
    }
}

__global__ void paired(const __half2* a, const __half2* b, __half2* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const __half2 sum = __hadd2(a[i], b[i]);
        out[i] = __hfma2(sum, b[i], __lowhigh2highlow(a[i]));
        out[count + i] = __hmul2(a[i], __half2half2(__low2half(b[i])));
    }
}

// The host rounds to half by the conversion of the compiler.
float rounded(double value) { return float(_Float16(value)); }

int main() {
    const unsigned count = 2000;
    const auto a = random_reals<float>(count, -60, 60, 1), b = random_reals<float>(count, -8, 8, 2);
    const DeviceArray<float> device_a(a), device_b(b), out(10 * count);
    single<<<groups_of(count, 128), 128>>>(device_a.data(), device_b.data(), out.data(), count);
    CHECK_LAUNCH();
    std::vector<float> expected(10 * count);
    for (unsigned i = 0; i < count; i++) {
        // Sums and products of halves are exact in double.
        const double x = rounded(a[i]), y = rounded(b[i]);
        const float row[] = {float(x), rounded(x + y), rounded(x - y), rounded(x * y), rounded(x * y + x),
                             rounded(std::sqrt(std::fabs(x))), float(std::floor(x)), float(x < y), float(int(x)), rounded(3.0 * i)};
        for (unsigned r = 0; r < 10; r++) {
            expected[r * count + i] = row[r];
        }
    }
    const auto got = out.download();
    for (unsigned k = 0; k < got.size(); k++) {
        const bool is_root = k / count == 5;
        const float allowed = is_root ? std::fabs(expected[k]) * 0x1p-10f : 0;
        REQUIRE(std::fabs(got[k] - expected[k]) <= allowed, "row %u, %g and %g: expected %.9g, got %.9g", k / count, a[k % count],
                b[k % count], expected[k], got[k]);
    }

    std::vector<__half2> first(count), second(count), pairs;
    for (unsigned i = 0; i < count; i++) {
        first[i] = __floats2half2_rn(a[i], b[i]);
        second[i] = __floats2half2_rn(b[i] / 4, a[(i + 1) % count] / 4);
    }
    const DeviceArray<__half2> device_first(first), device_second(second), device_pairs(2 * count);
    paired<<<groups_of(count, 128), 128>>>(device_first.data(), device_second.data(), device_pairs.data(), count);
    CHECK_LAUNCH();
    pairs = device_pairs.download();
    for (unsigned i = 0; i < count; i++) {
        const double x[2] = {rounded(a[i]), rounded(b[i])}, y[2] = {rounded(b[i] / 4), rounded(a[(i + 1) % count] / 4)};
        for (int h = 0; h < 2; h++) {
            const double sum = rounded(x[h] + y[h]);
            const float want = rounded(sum * y[h] + x[1 - h]), product = rounded(x[h] * y[0]);
            const float have = h == 0 ? __low2float(pairs[i]) : __high2float(pairs[i]);
            const float have_product = h == 0 ? __low2float(pairs[count + i]) : __high2float(pairs[count + i]);
            REQUIRE(have == want, "fma %d of %u: expected %.9g, got %.9g", h, i, want, have);
            REQUIRE(have_product == product, "product %d of %u: expected %.9g, got %.9g", h, i, product, have_product);
        }
    }
    return passed();
}
