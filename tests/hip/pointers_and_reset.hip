//! # HIP knows whose a pointer is; a device that is reset starts anew.
#include "check.h"

__device__ int variable = 3;

__global__ void increment(int* data) {
    *data += variable;
    variable = 10;
}

int main() {
    int *device, *host, *managed;
    CHECK(hipMalloc(&device, 4096));
    CHECK(hipHostMalloc(&host, 4096, 0));
    CHECK(hipMallocManaged(&managed, 4096, hipMemAttachGlobal));
    hipPointerAttribute_t attributes;
    CHECK(hipPointerGetAttributes(&attributes, device));
    EXPECT_EQUAL(attributes.memoryType, hipMemoryTypeDevice);
    REQUIRE(attributes.devicePointer == device, "%p", attributes.devicePointer);
    EXPECT_EQUAL(attributes.device, 0);
    EXPECT_EQUAL(attributes.isManaged, 0);
    // A pointer into the middle.
    CHECK(hipPointerGetAttributes(&attributes, device + 100));
    REQUIRE(attributes.devicePointer == device + 100, "%p", attributes.devicePointer);
    CHECK(hipPointerGetAttributes(&attributes, host));
    EXPECT_EQUAL(attributes.memoryType, hipMemoryTypeHost);
    REQUIRE(attributes.hostPointer == host, "%p", attributes.hostPointer);
    CHECK(hipPointerGetAttributes(&attributes, managed));
    EXPECT_EQUAL(attributes.isManaged, 1);
    int local = 0;
    EXPECT_ERROR(hipPointerGetAttributes(&attributes, &local), hipErrorInvalidValue);
    EXPECT_ERROR(hipPointerGetAttributes(nullptr, device), hipErrorInvalidValue);

    hipDeviceptr_t base = nullptr;
    size_t size = 0;
    CHECK(hipMemGetAddressRange(&base, &size, device + 77));
    REQUIRE(base == device && size == 4096, "%p, %zu bytes", base, size);
    CHECK(hipMemPtrGetInfo(device, &size));
    EXPECT_EQUAL(size, 4096);

    CHECK(hipMemset(device, 0, 4096));
    increment<<<1, 1>>>(device);
    increment<<<1, 1>>>(device);
    CHECK(hipMemcpy(&local, device, sizeof(int), hipMemcpyDeviceToHost));
    EXPECT_EQUAL(local, 13);
    CHECK(hipFree(managed));
    CHECK(hipHostFree(host));
    CHECK(hipFree(device));
    CHECK(hipDeviceReset());
    // It works as before.
    CHECK(hipSetDevice(0));
    CHECK(hipMalloc(&device, 4096));
    CHECK(hipMemset(device, 0, 4096));
    increment<<<1, 1>>>(device);
    CHECK_LAUNCH();
    CHECK(hipMemcpy(&local, device, sizeof(int), hipMemcpyDeviceToHost));
    REQUIRE(local == 3 || local == 10, "%d", local);
    CHECK(hipFree(device));
    return passed();
}
