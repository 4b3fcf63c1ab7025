//! # Host memory that kernels use: by each flag of hipHostMalloc, and malloc's memory that is registered.
#include "check.h"

__global__ void triple(int* data, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] *= 3;
    }
}

void run_on(int* host, int* device, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        host[i] = int(i) - 500;
    }
    triple<<<groups_of(count, 128), 128>>>(device, count);
    CHECK_LAUNCH();
    CHECK(hipDeviceSynchronize());
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQUAL(host[i], 3 * (int(i) - 500));
    }
}

int main() {
    for (unsigned flags : {unsigned(hipHostMallocDefault), unsigned(hipHostMallocPortable), unsigned(hipHostMallocMapped),
                           unsigned(hipHostMallocWriteCombined), unsigned(hipHostMallocCoherent), unsigned(hipHostMallocNonCoherent),
                           unsigned(hipHostMallocNumaUser), unsigned(hipHostMallocMapped | hipHostMallocPortable)}) {
        for (unsigned count : {1u, 1000u, 100000u}) {
            int *host = nullptr, *device = nullptr;
            CHECK(hipHostMalloc(&host, count * sizeof(int), flags));
            REQUIRE(uintptr_t(host) % 64 == 0, "alignment of %p", (void*)host);
            CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
            // HIP keeps no flags of coherence.
            const unsigned kept = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined;
            unsigned got = ~0u;
            CHECK(hipHostGetFlags(&got, host));
            EXPECT_EQUAL(got & kept, flags & kept);
            run_on(host, device, count);
            run_on(host, host, count);
            CHECK(hipHostFree(host));
        }
    }
    for (unsigned flags : {unsigned(hipHostRegisterDefault), unsigned(hipHostRegisterPortable), unsigned(hipHostRegisterMapped)}) {
        for (unsigned count : {1u, 1023u, 200000u}) {
            // Not at the start of a page, nor of the allocation.
            std::vector<int> storage(count + 10);
            int *host = storage.data() + 5, *device = nullptr;
            CHECK(hipHostRegister(host, count * sizeof(int), flags));
            CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
            run_on(host, device, count);
            // Copies go to it as to any pinned memory.
            const DeviceArray<int> other(std::vector<int>(count, 42));
            CHECK(hipMemcpyAsync(host, other, count * sizeof(int), hipMemcpyDeviceToHost, nullptr));
            CHECK(hipStreamSynchronize(nullptr));
            for (unsigned i = 0; i < count; i++) {
                EXPECT_EQUAL(host[i], 42);
            }
            EXPECT_EQUAL(storage[4], 0);
            EXPECT_EQUAL(storage[count + 5], 0);
            CHECK(hipHostUnregister(host));
            // It can be registered anew.
            CHECK(hipHostRegister(host, count * sizeof(int), flags));
            CHECK(hipHostUnregister(host));
        }
    }
    int local = 0;
    EXPECT_ERROR(hipHostUnregister(&local), hipErrorHostMemoryNotRegistered);
    EXPECT_ERROR(hipHostRegister(nullptr, 64, 0), hipErrorInvalidValue);
    return passed();
}
