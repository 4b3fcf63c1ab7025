//! # Events: times that never run backwards, queries, reuse, and the errors of events that cannot tell a time.
#include "check.h"

#include <chrono>

__global__ void spin(unsigned* out, unsigned turns) {
    unsigned value = threadIdx.x;
    for (unsigned i = 0; i < turns; i++) {
        value = value * 1664525 + 1013904223;
    }
    out[threadIdx.x] = value;
}

__global__ void wait_for(const unsigned* flag) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    }
}

int main() {
    const DeviceArray<unsigned> out(64);
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    constexpr int COUNT = 8;
    hipEvent_t event[COUNT];
    for (hipEvent_t& one : event) {
        CHECK(hipEventCreate(&one));
    }
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < COUNT; i++) {
        CHECK(hipEventRecord(event[i], stream));
        spin<<<1, 64, 0, stream>>>(out, 1000u << i);
        CHECK_LAUNCH();
    }
    CHECK(hipEventSynchronize(event[COUNT - 1]));
    const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    float whole = 0, sum = 0;
    CHECK(hipEventElapsedTime(&whole, event[0], event[COUNT - 1]));
    for (int i = 0; i + 1 < COUNT; i++) {
        CHECK(hipEventQuery(event[i]));
        float part = -1;
        CHECK(hipEventElapsedTime(&part, event[i], event[i + 1]));
        REQUIRE(part >= 0, "event %d: %g ms", i, part);
        sum += part;
    }
    REQUIRE(whole > 0 && whole <= wall + 1, "elapsed %g ms, %g ms on the host's clock", whole, wall);
    REQUIRE(std::fabs(sum - whole) <= 0.01 + whole * 1e-3, "parts take %g ms, all %g ms", sum, whole);
    float same = -1;
    CHECK(hipEventElapsedTime(&same, event[3], event[3]));
    EXPECT_EQUAL(same, 0);

    // An event that is recorded again tells the later time.
    CHECK(hipStreamSynchronize(stream));
    spin<<<1, 64, 0, stream>>>(out, 20000);
    CHECK(hipEventRecord(event[0], stream));
    CHECK(hipEventSynchronize(event[0]));
    float later = 0;
    CHECK(hipEventElapsedTime(&later, event[COUNT - 1], event[0]));
    REQUIRE(later > 0, "%g ms", later);

    unsigned* flag;
    CHECK(hipHostMalloc(&flag, sizeof(unsigned), hipHostMallocCoherent));
    *flag = 0;
    wait_for<<<1, 1, 0, stream>>>(flag);
    CHECK(hipEventRecord(event[1], stream));
    EXPECT_ERROR(hipEventQuery(event[1]), hipErrorNotReady);
    EXPECT_ERROR(hipEventElapsedTime(&same, event[0], event[1]), hipErrorNotReady);
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
    CHECK(hipEventSynchronize(event[1]));
    CHECK(hipEventQuery(event[1]));

    hipEvent_t untimed, unused;
    CHECK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    CHECK(hipEventCreateWithFlags(&unused, hipEventBlockingSync));
    CHECK(hipEventRecord(untimed, nullptr));
    CHECK(hipEventSynchronize(untimed));
    EXPECT_ERROR(hipEventElapsedTime(&same, untimed, event[0]), hipErrorInvalidHandle);
    // An event that nothing was recorded in has happened, but has no time.
    CHECK(hipEventQuery(unused));
    CHECK(hipEventSynchronize(unused));
    EXPECT_ERROR(hipEventElapsedTime(&same, unused, event[0]), hipErrorInvalidHandle);
    EXPECT_ERROR(hipEventElapsedTime(nullptr, event[0], event[1]), hipErrorInvalidValue);
    EXPECT_ERROR(hipEventQuery(nullptr), hipErrorInvalidHandle);
    CHECK(hipEventDestroy(untimed));
    CHECK(hipEventDestroy(unused));
    for (hipEvent_t one : event) {
        CHECK(hipEventDestroy(one));
    }
    CHECK(hipStreamDestroy(stream));
    CHECK(hipHostFree(flag));
    return passed();
}
