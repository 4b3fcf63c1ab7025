//! # Histograms: counts in LDS for each workgroup, added to global memory, with even and with lopsided data.
#include "check.h"

template <unsigned BINS>
__global__ void histogram(const unsigned char* data, unsigned* bins, unsigned count) {
    __shared__ unsigned own[BINS];
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[data[i] % BINS], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x) {
        if (own[i] != 0) {
            atomicAdd(&bins[i], own[i]);
        }
    }
}

template <unsigned BINS>
void test(const std::vector<unsigned char>& data) {
    std::vector<unsigned> expected(BINS, 0);
    for (unsigned char byte : data) {
        expected[byte % BINS]++;
    }
    const DeviceArray<unsigned char> device(data);
    const DeviceArray<unsigned> bins(BINS);
    bins.clear();
    histogram<BINS><<<6, 192>>>(device.data(), bins.data(), data.size());
    CHECK_LAUNCH();
    expect_same("bins", bins.download(), expected);
}

int main() {
    for (size_t count : {1, 1000, 100003}) {
        auto data = random_bits<unsigned char>(count, count);
        test<256>(data);
        test<10>(data);
        for (size_t i = 0; i < count; i++) {
            data[i] = i % 50 == 0 ? data[i] : 7;
        }
        test<256>(data);
        test<1>(data);
    }
    return passed();
}
