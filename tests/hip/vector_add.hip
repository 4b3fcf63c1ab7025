//! # Sums of vectors of several types, at sizes around those of waves and workgroups.
#include "check.h"

template <typename T>
__global__ void add(const T* a, const T* b, T* sum, size_t count) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        sum[i] = a[i] + b[i];
    }
}

// The same by a fixed number of threads, each of which takes every n-th element.
template <typename T>
__global__ void add_strided(const T* a, const T* b, T* sum, size_t count) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        sum[i] = a[i] + b[i];
    }
}

template <typename T>
void test(const char* name, const std::vector<T>& a, const std::vector<T>& b, unsigned group) {
    const size_t count = a.size();
    std::vector<T> expected(count);
    for (size_t i = 0; i < count; i++) {
        expected[i] = T(a[i] + b[i]);
    }
    const DeviceArray<T> device_a(a), device_b(b), sum(count);
    sum.clear(0xff);
    add<<<groups_of(count, group), group>>>(device_a.data(), device_b.data(), sum.data(), count);
    CHECK_LAUNCH();
    expect_same(name, sum.download(), expected);
    sum.clear(0xff);
    hipLaunchKernelGGL(add_strided<T>, dim3(3), dim3(group), 0, 0, device_a.data(), device_b.data(), sum.data(), count);
    CHECK_LAUNCH();
    expect_same(name, sum.download(), expected);
}

int main() {
    for (size_t count : {1, 63, 64, 65, 255, 256, 1000, 4096, 100003}) {
        for (unsigned group : {64u, 256u, 100u, 1024u}) {
            test("float", random_reals<float>(count, -1e3, 1e3, count), random_reals<float>(count, -1, 1, 7), group);
        }
        test("double", random_reals<double>(count, -1e9, 1e9, 1), random_reals<double>(count, -1, 1, 2), 128);
        test("int8", random_bits<int8_t>(count, 3), random_bits<int8_t>(count, 4), 192);
        test("uint16", random_bits<uint16_t>(count, 5), random_bits<uint16_t>(count, 6), 64);
        test("uint32", random_bits<uint32_t>(count, 7), random_bits<uint32_t>(count, 8), 512);
        test("uint64", random_bits<uint64_t>(count, 9), random_bits<uint64_t>(count, 10), 256);
    }
    return passed();
}
