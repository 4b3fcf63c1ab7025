//! # Memory of pools, allocated and freed in the order of streams; thousands of streams and events.
#include "check.h"

__global__ void fill(int* values, int begin, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = begin + int(i);
    }
}

void allocate_in_order() {
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    for (int round = 0; round < 20; round++) {
        const unsigned count = 1000 * (round + 1);
        int* values = nullptr;
        CHECK(hipMallocAsync((void**)&values, count * sizeof(int), stream));
        fill<<<groups_of(count, 256), 256, 0, stream>>>(values, round, count);
        CHECK_LAUNCH();
        std::vector<int> host(count);
        CHECK(hipMemcpyAsync(host.data(), values, count * sizeof(int), hipMemcpyDeviceToHost, stream));
        CHECK(hipFreeAsync(values, stream));
        CHECK(hipStreamSynchronize(stream));
        for (unsigned i = 0; i < count; i++) {
            EXPECT_EQUAL(host[i], round + int(i));
        }
    }
    int version = 0;
    CHECK(hipRuntimeGetVersion(&version));
    // HIP 5.2 never returns from hipStreamDestroy once a pool has been used.
    if (version >= 60000000) {
        CHECK(hipStreamDestroy(stream));
    }
}

void allocate_from_a_pool() {
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    hipMemPool_t pool;
    CHECK(hipMemPoolCreate(&pool, &properties));
    int* values = nullptr;
    CHECK(hipMallocFromPoolAsync((void**)&values, 4096, pool, nullptr));
    fill<<<4, 256>>>(values, 5, 1024);
    CHECK_LAUNCH();
    int last = 0;
    CHECK(hipMemcpy(&last, values + 1023, sizeof last, hipMemcpyDeviceToHost));
    EXPECT_EQUAL(last, 1028);
    CHECK(hipFreeAsync(values, nullptr));
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemPoolTrimTo(pool, 0));
    CHECK(hipMemPoolDestroy(pool));
}

void use_many_streams() {
    const int count = 2000;
    std::vector<hipStream_t> streams(count);
    std::vector<hipEvent_t> events(count);
    int* values = nullptr;
    CHECK(hipMalloc(&values, count * 64 * sizeof(int)));
    for (int i = 0; i < count; i++) {
        CHECK(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
        CHECK(hipEventCreate(&events[i]));
        fill<<<1, 64, 0, streams[i]>>>(values + 64 * i, i, 64);
        CHECK(hipEventRecord(events[i], streams[i]));
    }
    for (hipEvent_t event : events) {
        CHECK(hipEventSynchronize(event));
        CHECK(hipEventDestroy(event));
    }
    std::vector<int> host(count * 64);
    CHECK(hipMemcpy(host.data(), values, host.size() * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < count * 64; i++) {
        EXPECT_EQUAL(host[i], i / 64 + i % 64);
    }
    for (hipStream_t stream : streams) {
        CHECK(hipStreamDestroy(stream));
    }
    CHECK(hipFree(values));
}

int main() {
    use_many_streams();
    allocate_in_order();
    allocate_from_a_pool();
    return passed();
}
