//! # Two devices: their own memory and streams, copies between them, kernels that read the other's memory.
//! devices = 2
#include "check.h"

__global__ void add_to(const int* from, int* to, unsigned count, int summand) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        to[i] = from[i] + summand;
    }
}

int main() {
    int devices = 0;
    CHECK(hipGetDeviceCount(&devices));
    EXPECT_EQUAL(devices, 2);
    const unsigned count = 5000;
    const size_t bytes = count * sizeof(int);
    int* data[2];
    int* result[2];
    hipStream_t stream[2];
    std::vector<int> values(count), back(count);
    for (int d = 0; d < 2; d++) {
        CHECK(hipSetDevice(d));
        int current = -1;
        CHECK(hipGetDevice(&current));
        EXPECT_EQUAL(current, d);
        CHECK(hipMalloc(&data[d], bytes));
        CHECK(hipMalloc(&result[d], bytes));
        CHECK(hipStreamCreate(&stream[d]));
        for (unsigned i = 0; i < count; i++) {
            values[i] = int(i) * (d + 1);
        }
        CHECK(hipMemcpy(data[d], values.data(), bytes, hipMemcpyHostToDevice));
        hipPointerAttribute_t attributes;
        CHECK(hipPointerGetAttributes(&attributes, data[d]));
        EXPECT_EQUAL(attributes.device, d);
    }
    auto expect = [&](const int* memory, int factor, int summand) {
        CHECK(hipMemcpy(back.data(), memory, bytes, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < count; i++) {
            EXPECT_EQUAL(back[i], int(i) * factor + summand);
        }
    };
    // Both compute at once.
    for (int d = 0; d < 2; d++) {
        CHECK(hipSetDevice(d));
        add_to<<<groups_of(count, 256), 256, 0, stream[d]>>>(data[d], result[d], count, 10 + d);
        CHECK_LAUNCH();
    }
    for (int d = 0; d < 2; d++) {
        CHECK(hipStreamSynchronize(stream[d]));
        expect(result[d], d + 1, 10 + d);
    }
    // Copies between them, each way.
    CHECK(hipSetDevice(0));
    CHECK(hipMemcpyPeer(result[1], 1, data[0], 0, bytes));
    expect(result[1], 1, 0);
    CHECK(hipMemcpyPeerAsync(result[0], 0, data[1], 1, bytes, stream[0]));
    CHECK(hipStreamSynchronize(stream[0]));
    expect(result[0], 2, 0);
    CHECK(hipMemcpy(result[1], data[1], bytes, hipMemcpyDefault));
    CHECK(hipMemcpy(result[0], result[1], bytes, hipMemcpyDeviceToDevice));
    expect(result[0], 2, 0);

    // A kernel reads the other device's memory.
    for (int d = 0; d < 2; d++) {
        int possible = 0;
        CHECK(hipDeviceCanAccessPeer(&possible, d, 1 - d));
        EXPECT_EQUAL(possible, 1);
        CHECK(hipDeviceCanAccessPeer(&possible, d, d));
        EXPECT_EQUAL(possible, 0);
        CHECK(hipSetDevice(d));
        CHECK(hipDeviceEnablePeerAccess(1 - d, 0));
        EXPECT_ERROR(hipDeviceEnablePeerAccess(1 - d, 0), hipErrorPeerAccessAlreadyEnabled);
        add_to<<<groups_of(count, 128), 128, 0, stream[d]>>>(data[1 - d], result[d], count, 1000);
        CHECK_LAUNCH();
        CHECK(hipStreamSynchronize(stream[d]));
        expect(result[d], 2 - d, 1000);
        CHECK(hipDeviceDisablePeerAccess(1 - d));
    }
    // A stream of one device waits for an event of the other.
    hipEvent_t done;
    CHECK(hipSetDevice(1));
    CHECK(hipEventCreate(&done));
    add_to<<<groups_of(count, 64), 64, 0, stream[1]>>>(data[1], data[1], count, 5);
    CHECK(hipEventRecord(done, stream[1]));
    CHECK(hipSetDevice(0));
    CHECK(hipStreamWaitEvent(stream[0], done, 0));
    CHECK(hipMemcpyPeerAsync(result[0], 0, data[1], 1, bytes, stream[0]));
    CHECK(hipStreamSynchronize(stream[0]));
    expect(result[0], 2, 5);
    CHECK(hipEventDestroy(done));
    for (int d = 0; d < 2; d++) {
        CHECK(hipSetDevice(d));
        CHECK(hipStreamDestroy(stream[d]));
        CHECK(hipFree(data[d]));
        CHECK(hipFree(result[d]));
    }
    EXPECT_ERROR(hipSetDevice(2), hipErrorInvalidDevice);
    return passed();
}
