//! # Memory is freed while kernels that use it are queued: hipFree waits for them.
#include "check.h"

// Takes a while, then writes.
__global__ void slow(int* data, int rounds, int value) {
    volatile int wait = 0;
    for (int i = 0; i < rounds; i++) wait = wait + 1;
    data[threadIdx.x] = value + wait - rounds;
}

__global__ void add(int* to, const int* from) { to[threadIdx.x] += from[threadIdx.x]; }

int main() {
    const DeviceArray<int> sums(64);
    sums.clear();
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    for (int round = 1; round <= 5; round++) {
        int *first, *second;
        CHECK(hipMalloc(&first, 64 * sizeof(int)));
        CHECK(hipMalloc(&second, 64 * sizeof(int)));
        slow<<<1, 64, 0, stream>>>(first, 3000, round);
        slow<<<1, 64>>>(second, 3000, round);
        add<<<1, 64, 0, stream>>>(sums, first);
        CHECK(hipFree(first));
        CHECK(hipFree(second));
        EXPECT_ERROR(hipStreamQuery(stream), hipSuccess);
    }
    CHECK(hipStreamDestroy(stream));
    expect_same("sums", sums.download(), std::vector<int>(64, 1 + 2 + 3 + 4 + 5));

    // Memory of the host that a kernel uses.
    int *host, *seen;
    CHECK(hipHostMalloc(&host, 64 * sizeof(int)));
    CHECK(hipHostMalloc(&seen, 64 * sizeof(int)));
    for (int i = 0; i < 64; i++) host[i] = i, seen[i] = 0;
    add<<<1, 64>>>(seen, host);
    CHECK(hipHostFree(host));
    for (int i = 0; i < 64; i++) EXPECT_EQUAL(seen[i], i);
    CHECK(hipHostFree(seen));
    return passed();
}
