//! # Many streams: chains of kernels and copies on each, with order between streams made by events.
#include "check.h"

__global__ void affine(unsigned* data, unsigned count, unsigned factor, unsigned summand) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] = data[i] * factor + summand;
    }
}

// Each stream works on its own array.
void independent(unsigned streams, unsigned flags) {
    const unsigned count = 3000, steps = 10;
    std::vector<hipStream_t> stream(streams);
    std::vector<unsigned*> device(streams), host(streams);
    for (unsigned s = 0; s < streams; s++) {
        CHECK(hipStreamCreateWithFlags(&stream[s], flags));
        CHECK(hipMalloc(&device[s], count * sizeof(unsigned)));
        CHECK(hipHostMalloc(&host[s], count * sizeof(unsigned), hipHostMallocDefault));
        for (unsigned i = 0; i < count; i++) {
            host[s][i] = i ^ s << 16;
        }
        CHECK(hipMemcpyAsync(device[s], host[s], count * sizeof(unsigned), hipMemcpyHostToDevice, stream[s]));
    }
    for (unsigned step = 0; step < steps; step++) {
        for (unsigned s = 0; s < streams; s++) {
            affine<<<groups_of(count, 256), 256, 0, stream[s]>>>(device[s], count, 2 * s + 3, step);
            CHECK_LAUNCH();
        }
    }
    for (unsigned s = 0; s < streams; s++) {
        CHECK(hipMemcpyAsync(host[s], device[s], count * sizeof(unsigned), hipMemcpyDeviceToHost, stream[s]));
    }
    for (unsigned s = 0; s < streams; s++) {
        CHECK(hipStreamSynchronize(stream[s]));
        CHECK(hipStreamQuery(stream[s]));
        for (unsigned i = 0; i < count; i++) {
            unsigned expected = i ^ s << 16;
            for (unsigned step = 0; step < steps; step++) {
                expected = expected * (2 * s + 3) + step;
            }
            EXPECT_EQUAL(host[s][i], expected);
        }
        CHECK(hipStreamDestroy(stream[s]));
        CHECK(hipFree(device[s]));
        CHECK(hipHostFree(host[s]));
    }
}

// One array goes around the streams: the order is that of the events alone.
void relay(unsigned streams, unsigned rounds) {
    const unsigned count = 1000;
    std::vector<hipStream_t> stream(streams);
    std::vector<hipEvent_t> done(streams);
    for (unsigned s = 0; s < streams; s++) {
        CHECK(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
        CHECK(hipEventCreateWithFlags(&done[s], hipEventDisableTiming));
    }
    const DeviceArray<unsigned> data(std::vector<unsigned>(count, 1));
    unsigned expected = 1;
    for (unsigned turn = 0; turn < rounds * streams; turn++) {
        const unsigned s = turn % streams, before = (turn + streams - 1) % streams;
        if (turn > 0) {
            CHECK(hipStreamWaitEvent(stream[s], done[before], 0));
        }
        affine<<<groups_of(count, 64), 64, 0, stream[s]>>>(data, count, 5, turn);
        CHECK_LAUNCH();
        CHECK(hipEventRecord(done[s], stream[s]));
        expected = expected * 5 + turn;
    }
    CHECK(hipEventSynchronize(done[(rounds * streams - 1) % streams]));
    expect_same("relay", data.download(), std::vector<unsigned>(count, expected));
    for (unsigned s = 0; s < streams; s++) {
        CHECK(hipEventDestroy(done[s]));
        CHECK(hipStreamDestroy(stream[s]));
    }
}

// Many wait for one, and one for many.
void fork_and_join(unsigned streams) {
    const unsigned count = 512;
    const DeviceArray<unsigned> data(std::vector<unsigned>(count * streams, 2));
    hipStream_t main_stream;
    hipEvent_t ready;
    CHECK(hipStreamCreate(&main_stream));
    CHECK(hipEventCreate(&ready));
    affine<<<groups_of(count * streams, 128), 128, 0, main_stream>>>(data, count * streams, 10, 1);
    CHECK(hipEventRecord(ready, main_stream));
    std::vector<hipStream_t> stream(streams);
    for (unsigned s = 0; s < streams; s++) {
        hipEvent_t own;
        CHECK(hipStreamCreateWithPriority(&stream[s], hipStreamNonBlocking, 0));
        CHECK(hipEventCreate(&own));
        CHECK(hipStreamWaitEvent(stream[s], ready, 0));
        affine<<<groups_of(count, 128), 128, 0, stream[s]>>>(data + s * count, count, s + 1, s);
        CHECK(hipEventRecord(own, stream[s]));
        CHECK(hipStreamWaitEvent(main_stream, own, 0));
        // An event may go as soon as it was used.
        CHECK(hipEventDestroy(own));
    }
    affine<<<groups_of(count * streams, 128), 128, 0, main_stream>>>(data, count * streams, 3, 0);
    CHECK(hipStreamSynchronize(main_stream));
    std::vector<unsigned> expected(count * streams);
    for (unsigned i = 0; i < expected.size(); i++) {
        const unsigned s = i / count;
        expected[i] = (21 * (s + 1) + s) * 3;
    }
    expect_same("fork and join", data.download(), expected);
    for (unsigned s = 0; s < streams; s++) {
        CHECK(hipStreamDestroy(stream[s]));
    }
    CHECK(hipStreamDestroy(main_stream));
    CHECK(hipEventDestroy(ready));
}

int main() {
    int least, greatest;
    CHECK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    REQUIRE(greatest <= 0 && least >= 0, "priorities from %d to %d", greatest, least);
    independent(1, hipStreamDefault);
    independent(24, hipStreamNonBlocking);
    independent(5, hipStreamDefault);
    relay(2, 20);
    relay(7, 5);
    fork_and_join(9);
    return passed();
}
