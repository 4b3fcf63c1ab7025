//! # Memory that is not there: allocations that are too large, null pointers, pointers that HIP did not give.
#include "check.h"

int main() {
    size_t available = 0, total = 0;
    CHECK(hipMemGetInfo(&available, &total));
    REQUIRE(available > 0 && available <= total, "%zu of %zu bytes", available, total);
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    EXPECT_EQUAL(properties.totalGlobalMem, total);

    void* memory = &memory;
    EXPECT_ERROR(hipMalloc(&memory, total * 4), hipErrorOutOfMemory);
    REQUIRE(memory == nullptr || memory == &memory, "a pointer in spite of the error");
    EXPECT_ERROR(hipMalloc(&memory, size_t(1) << 60), hipErrorOutOfMemory);
    EXPECT_ERROR(hipGetLastError(), hipErrorOutOfMemory);
    CHECK(hipGetLastError());
    EXPECT_ERROR(hipMalloc(nullptr, 16), hipErrorInvalidValue);
    CHECK(hipMalloc(&memory, 0));
    REQUIRE(memory == nullptr, "%p", memory);
    CHECK(hipFree(nullptr));

    // Free memory shrinks and grows by what is allocated.
    const size_t size = 32 << 20;
    CHECK(hipMalloc(&memory, size));
    size_t after = 0;
    CHECK(hipMemGetInfo(&after, &total));
    REQUIRE(after + size <= available && after + 2 * size > available, "%zu bytes before, %zu after", available, after);
    CHECK(hipFree(memory));
    CHECK(hipMemGetInfo(&after, &total));
    EXPECT_EQUAL(after, available);
    EXPECT_ERROR(hipFree(memory), hipErrorInvalidValue);
    int local = 0;
    EXPECT_ERROR(hipFree(&local), hipErrorInvalidValue);

    char bytes[16] = {};
    CHECK(hipMalloc(&memory, sizeof(bytes)));
    EXPECT_ERROR(hipMemcpy(nullptr, bytes, sizeof(bytes), hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_ERROR(hipMemcpy(memory, nullptr, sizeof(bytes), hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_ERROR(hipMemcpy(memory, bytes, 1 << 20, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK(hipMemcpy(memory, bytes, 0, hipMemcpyHostToDevice));
    CHECK(hipFree(memory));

    // Much is allocated and freed in turns without leaking.
    for (int turn = 0; turn < 200; turn++) {
        void* parts[5];
        for (size_t i = 0; i < 5; i++) {
            CHECK(hipMalloc(&parts[i], (i + 1) * 1000 * (turn % 7 + 1)));
        }
        for (size_t i = 0; i < 5; i++) {
            CHECK(hipFree(parts[(i * 3 + turn) % 5]));
        }
    }
    CHECK(hipMemGetInfo(&after, &total));
    EXPECT_EQUAL(after, available);
    return passed();
}
