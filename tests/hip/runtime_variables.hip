//! # HIP's own variables: the second of two devices alone, one queue for many streams, kernels one by one.
//! devices = 2
//! variables = { HIP_VISIBLE_DEVICES = "1", GPU_MAX_HW_QUEUES = "1", AMD_SERIALIZE_KERNEL = "3" }
#include "check.h"

__global__ void add(int* values, int summand) {
    values[threadIdx.x] += summand;
}

int main() {
    int devices = 0;
    CHECK(hipGetDeviceCount(&devices));
    EXPECT_EQUAL(devices, 1);
    char bus[32];
    CHECK(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
    REQUIRE(std::strcmp(bus, "0000:02:00.0") == 0, "device %s", bus);

    const int count = 12;
    hipStream_t streams[count];
    hipEvent_t done[count];
    int* values = nullptr;
    CHECK(hipMalloc(&values, 64 * sizeof(int)));
    CHECK(hipMemset(values, 0, 64 * sizeof(int)));
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        CHECK(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
        CHECK(hipEventCreate(&done[i]));
        if (i > 0) {
            CHECK(hipStreamWaitEvent(streams[i], done[i - 1], 0));
        }
        add<<<1, 64, 0, streams[i]>>>(values, 1 << i);
        CHECK_LAUNCH();
        CHECK(hipEventRecord(done[i], streams[i]));
    }
    CHECK(hipStreamSynchronize(streams[count - 1]));
    int host[64];
    CHECK(hipMemcpy(host, values, sizeof host, hipMemcpyDeviceToHost));
    for (int value : host) {
        EXPECT_EQUAL(value, (1 << count) - 1);
    }
    return passed();
}
