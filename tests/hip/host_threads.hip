//! # Threads of the host launch at once: each on a stream of its own, all on one stream, with allocations in between.
#include "check.h"

#include <atomic>
#include <thread>

__global__ void collatz(unsigned* data, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned long long value = data[i];
        unsigned steps = 0;
        while (value > 1) {
            value = value % 2 == 0 ? value / 2 : 3 * value + 1;
            steps++;
        }
        data[i] = steps;
    }
}

__global__ void increment(unsigned* counter) { atomicAdd(counter, 1u); }

unsigned reference(unsigned long long value) {
    unsigned steps = 0;
    for (; value > 1; steps++) {
        value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    }
    return steps;
}

void work(unsigned seed) {
    hipStream_t stream;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (unsigned turn = 0; turn < 6; turn++) {
        const unsigned count = 100 + seed * 30 + turn;
        std::vector<unsigned> values(count), expected(count);
        for (unsigned i = 0; i < count; i++) {
            values[i] = 1 + i * (seed + 1);
            expected[i] = reference(values[i]);
        }
        const DeviceArray<unsigned> device(count);
        CHECK(hipMemcpyAsync(device, values.data(), device.bytes(), hipMemcpyHostToDevice, stream));
        collatz<<<groups_of(count, 64), 64, 0, stream>>>(device, count);
        CHECK_LAUNCH();
        CHECK(hipMemcpyAsync(values.data(), device, device.bytes(), hipMemcpyDeviceToHost, stream));
        CHECK(hipStreamSynchronize(stream));
        expect_same("steps", values, expected);
    }
    CHECK(hipStreamDestroy(stream));
}

template <typename Body>
void on_threads(unsigned count, Body body) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < count; t++) {
        threads.emplace_back([=] { body(t); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

int main() {
    on_threads(8, work);

    const DeviceArray<unsigned> counter(1);
    counter.clear();
    hipStream_t shared;
    CHECK(hipStreamCreate(&shared));
    unsigned* place = counter;
    on_threads(6, [=](unsigned t) {
        for (unsigned i = 0; i < 50; i++) {
            increment<<<2, 10, 0, t % 3 == 0 ? nullptr : shared>>>(place);
            CHECK_LAUNCH();
        }
        CHECK(hipStreamSynchronize(t % 3 == 0 ? nullptr : shared));
    });
    CHECK(hipDeviceSynchronize());
    EXPECT_EQUAL(counter.download()[0], 6 * 50 * 20);

    // The last error belongs to a thread.
    std::atomic<unsigned> turn{0};
    on_threads(2, [&turn](unsigned t) {
        if (t == 0) {
            (void)hipSetDevice(99);
            turn = 1;
            EXPECT_ERROR(hipGetLastError(), hipErrorInvalidDevice);
        } else {
            while (turn != 1) {
            }
            EXPECT_ERROR(hipGetLastError(), hipSuccess);
        }
    });
    CHECK(hipStreamDestroy(shared));
    return passed();
}
