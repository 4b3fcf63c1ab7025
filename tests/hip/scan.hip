//! # Prefix sums: within waves, workgroups and over a whole array by three kernels, inclusive and exclusive.
#include "check.h"

constexpr unsigned GROUP = 256;

template <typename T>
__device__ T scan_group(T value, T* parts) {
    const unsigned lane = threadIdx.x % 64, wave = threadIdx.x / 64;
    for (unsigned distance = 1; distance < 64; distance *= 2) {
        const T before = __shfl_up(value, distance);
        if (lane >= distance) {
            value += before;
        }
    }
    if (lane == 63) {
        parts[wave] = value;
    }
    __syncthreads();
    for (unsigned w = 0; w < wave; w++) {
        value += parts[w];
    }
    return value;
}

template <typename T>
__global__ void scan_blocks(const T* in, T* out, T* totals, unsigned count) {
    __shared__ T parts[GROUP / 64];
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    const T value = scan_group(i < count ? in[i] : T(0), parts);
    if (i < count) {
        out[i] = value;
    }
    if (threadIdx.x == GROUP - 1) {
        totals[blockIdx.x] = value;
    }
}

template <typename T>
__global__ void add_totals(T* out, const T* totals, unsigned count) {
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    if (blockIdx.x > 0 && i < count) {
        out[i] += totals[blockIdx.x - 1];
    }
}

template <typename T>
void scan(const T* in, T* out, unsigned count) {
    const unsigned groups = groups_of(count, GROUP);
    const DeviceArray<T> totals(groups);
    scan_blocks<<<groups, GROUP>>>(in, out, totals.data(), count);
    CHECK_LAUNCH();
    if (groups > 1) {
        scan(totals.data(), totals.data(), groups);
        add_totals<<<groups, GROUP>>>(out, totals.data(), count);
        CHECK_LAUNCH();
    }
}

template <typename T>
void test(unsigned count) {
    Random random(count);
    std::vector<T> in(count), expected(count);
    T sum = 0;
    for (unsigned i = 0; i < count; i++) {
        in[i] = T(int(random.below(200)) - 60);
        expected[i] = sum += in[i];
    }
    const DeviceArray<T> device(in), out(count);
    scan(device.data(), out.data(), count);
    expect_same("prefix sums", out.download(), expected);
}

int main() {
    for (unsigned count : {1u, 64u, 255u, 256u, 257u, 5000u, 70000u}) {
        test<int>(count);
        test<float>(count);
        test<long long>(count);
    }
    return passed();
}
