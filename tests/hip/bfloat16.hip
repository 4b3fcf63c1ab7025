//! # bfloat16: conversions that round to nearest even, arithmetic, comparison and a dot product.
#include "check.h"

#include <hip/hip_bfloat16.h>

__global__ void arithmetic(const float* a, const float* b, float* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const hip_bfloat16 x(a[i]), y(b[i]);
        out[i] = float(x);
        out[count + i] = float(x + y);
        out[2 * count + i] = float(x - y);
        out[3 * count + i] = float(x * y);
        out[4 * count + i] = float(-x);
        out[5 * count + i] = x < y ? 1 : 0;
    }
}

__global__ void dot(const hip_bfloat16* a, const hip_bfloat16* b, float* sums, unsigned length) {
    float sum = 0;
    for (unsigned k = 0; k < length; k++) {
        sum = fmaf(float(a[threadIdx.x * length + k]), float(b[threadIdx.x * length + k]), sum);
    }
    sums[threadIdx.x] = sum;
}

float rounded(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits += 0x7fff + (bits >> 16 & 1);
    bits &= 0xffff0000;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

int main() {
    const unsigned count = 3000;
    auto a = random_reals<float>(count, -1000, 1000, 1), b = random_reals<float>(count, -3, 3, 2);
    // Ties go to even.
    a[0] = 1 + 0x1p-8f;
    a[1] = 1 + 0x3p-8f;
    const DeviceArray<float> device_a(a), device_b(b), out(6 * count);
    arithmetic<<<groups_of(count, 64), 64>>>(device_a.data(), device_b.data(), out.data(), count);
    CHECK_LAUNCH();
    std::vector<float> expected(6 * count);
    for (unsigned i = 0; i < count; i++) {
        const float x = rounded(a[i]), y = rounded(b[i]);
        const float row[] = {x, rounded(x + y), rounded(x - y), rounded(x * y), -x, float(x < y)};
        for (unsigned r = 0; r < 6; r++) {
            expected[r * count + i] = row[r];
        }
    }
    expect_same("bfloat16", out.download(), expected);

    const unsigned length = 40, lanes = 64;
    std::vector<hip_bfloat16> x, y;
    std::vector<float> sums(lanes, 0);
    for (unsigned i = 0; i < lanes * length; i++) {
        x.push_back(hip_bfloat16(a[i % count]));
        y.push_back(hip_bfloat16(b[i % count]));
        sums[i / length] = std::fma(float(x[i]), float(y[i]), sums[i / length]);
    }
    const DeviceArray<hip_bfloat16> device_x(x), device_y(y);
    const DeviceArray<float> device_sums(lanes);
    dot<<<1, lanes>>>(device_x.data(), device_y.data(), device_sums.data(), length);
    CHECK_LAUNCH();
    expect_same("dot products", device_sums.download(), sums);
    return passed();
}
