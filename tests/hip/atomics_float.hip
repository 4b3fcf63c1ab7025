//! # Atomic sums and extremes of floating-point numbers: by HIP's functions, and by compare and swap.
#include "check.h"

__global__ void sums(float* single, double* wide, unsigned bins) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&single[i % bins], float(i % 17));
    atomicAdd(&wide[i % bins], 0.5 * (i % 23));
}

__global__ void lds_sums(float* out) {
    __shared__ float sum;
    __shared__ double wide;
    if (threadIdx.x == 0) {
        sum = 0;
        wide = 0;
    }
    __syncthreads();
    atomicAdd(&sum, 0.25f * threadIdx.x);
    atomicAdd(&wide, 1.0 / 1024 * threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = float(wide);
    }
}

__device__ void maximum(float* place, float value) {
    unsigned* bits = reinterpret_cast<unsigned*>(place);
    unsigned old = *bits;
    while (__uint_as_float(old) < value) {
        const unsigned assumed = old;
        old = atomicCAS(bits, assumed, __float_as_uint(value));
        if (old == assumed) {
            break;
        }
    }
}

__device__ void multiply(double* place, double factor) {
    auto* bits = reinterpret_cast<unsigned long long*>(place);
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        const double product = __longlong_as_double((long long)assumed) * factor;
        old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(product));
    } while (old != assumed);
}

__global__ void extremes(const float* in, float* high, double* product) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    maximum(high, in[i]);
    multiply(product, i % 2 == 0 ? 4.0 : 0.25);
}

int main() {
    const unsigned bins = 5, groups = 6, group = 192, count = groups * group;
    const DeviceArray<float> single(bins), parts(2 * groups), high(std::vector<float>{-1e30f});
    const DeviceArray<double> wide(bins), product(std::vector<double>{3.0});
    single.clear();
    wide.clear();
    sums<<<groups, group>>>(single.data(), wide.data(), bins);
    CHECK_LAUNCH();
    // Every partial sum is exact, so that their order does not matter.
    std::vector<float> expected(bins, 0);
    std::vector<double> expected_wide(bins, 0);
    for (unsigned i = 0; i < count; i++) {
        expected[i % bins] += float(i % 17);
        expected_wide[i % bins] += 0.5 * (i % 23);
    }
    expect_same("float sums", single.download(), expected);
    expect_same("double sums", wide.download(), expected_wide);

    lds_sums<<<groups, group>>>(parts.data());
    CHECK_LAUNCH();
    const float sum = group * (group - 1) / 2;
    for (unsigned i = 0; i < groups; i++) {
        REQUIRE(parts.download()[2 * i] == 0.25f * sum, "float sum in LDS");
        REQUIRE(parts.download()[2 * i + 1] == sum / 1024, "double sum in LDS");
    }

    const auto in = random_reals<float>(count, -1e6, 1e6, 3);
    const DeviceArray<float> values(in);
    extremes<<<groups, group>>>(values.data(), high.data(), product.data());
    CHECK_LAUNCH();
    float highest = in[0];
    for (float value : in) {
        highest = std::fmax(highest, value);
    }
    REQUIRE(high.download()[0] == highest, "expected %g, got %g", highest, high.download()[0]);
    REQUIRE(product.download()[0] == 3.0, "expected 3, got %g", product.download()[0]);
    return passed();
}
