// A kernel waits for a flag in the host's memory, which is loaded by ORDER, and then loads what a copy has written meanwhile.
#include "check.h"

__global__ void wait_and_load(unsigned* flag, unsigned* has_begun, const int* data, int* result) {
    __atomic_store_n(has_begun, 1u, __ATOMIC_RELAXED);
    while (__atomic_load_n(flag, ORDER) == 0) {
    }
    result[threadIdx.x] = data[threadIdx.x];
}

int main() {
    hipStream_t kernels, copies;
    CHECK(hipStreamCreateWithFlags(&kernels, hipStreamNonBlocking));
    CHECK(hipStreamCreateWithFlags(&copies, hipStreamNonBlocking));
    unsigned* flags;
    CHECK(hipHostMalloc(reinterpret_cast<void**>(&flags), 2 * sizeof(unsigned), hipHostMallocCoherent));
    flags[0] = flags[1] = 0;
    const std::vector<int> written(64, 9);
    const DeviceArray<int> data(std::vector<int>(64, 1)), result(64);
    wait_and_load<<<1, 64, 0, kernels>>>(flags, flags + 1, data, result);
    CHECK_LAUNCH();
    while (__atomic_load_n(flags + 1, __ATOMIC_ACQUIRE) == 0) {
    }
    CHECK(hipMemcpyAsync(data, written.data(), 64 * sizeof(int), hipMemcpyHostToDevice, copies));
    CHECK(hipStreamSynchronize(copies));
    __atomic_store_n(flags, 1u, __ATOMIC_RELEASE);
    CHECK(hipStreamSynchronize(kernels));
    expect_same("result", result.download(), written);
    CHECK(hipHostFree(flags));
    CHECK(hipStreamDestroy(kernels));
    CHECK(hipStreamDestroy(copies));
    return passed();
}
