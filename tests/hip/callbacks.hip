//! # Functions of the host in streams: they run in order with kernels and copies, each once, with their data.
// HIP 5.2 declares hipLaunchHostFunc, but its library does not have it.
#include "check.h"

#include <atomic>
#include <mutex>

__global__ void double_it(unsigned* value) {
    *value *= 2;
}

struct Log {
    std::mutex mutex;
    std::vector<int> entries;
};

struct Entry {
    Log* log;
    int number;
    unsigned* host;
    hipStream_t stream;
};

// Adds the number to the log, and changes what the next copy reads.
void on_stream(hipStream_t stream, hipError_t status, void* data) {
    Entry* entry = static_cast<Entry*>(data);
    REQUIRE(status == hipSuccess, "%s", hipGetErrorName(status));
    REQUIRE(stream == entry->stream, "another stream");
    *entry->host += 1;
    std::lock_guard<std::mutex> guard(entry->log->mutex);
    entry->log->entries.push_back(entry->number);
}

void on_stream_too(hipStream_t, hipError_t, void* data) {
    Entry* entry = static_cast<Entry*>(data);
    *entry->host += 3;
    std::lock_guard<std::mutex> guard(entry->log->mutex);
    entry->log->entries.push_back(1000 + entry->number);
}

int main() {
    const int steps = 12;
    unsigned *host, *device;
    CHECK(hipHostMalloc(&host, sizeof(unsigned), hipHostMallocDefault));
    CHECK(hipMalloc(&device, sizeof(unsigned)));
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    Log log;
    std::vector<Entry> entries;
    for (int i = 0; i < steps; i++) {
        entries.push_back({&log, i, host, stream});
    }
    *host = 1;
    unsigned expected = 1;
    std::vector<int> order;
    for (int i = 0; i < steps; i++) {
        CHECK(hipMemcpyAsync(device, host, sizeof(unsigned), hipMemcpyHostToDevice, stream));
        double_it<<<1, 1, 0, stream>>>(device);
        CHECK_LAUNCH();
        CHECK(hipMemcpyAsync(host, device, sizeof(unsigned), hipMemcpyDeviceToHost, stream));
        if (i % 2 == 0) {
            CHECK(hipStreamAddCallback(stream, on_stream, &entries[i], 0));
            expected = expected * 2 + 1;
            order.push_back(i);
        } else {
            CHECK(hipStreamAddCallback(stream, on_stream_too, &entries[i], 0));
            expected = expected * 2 + 3;
            order.push_back(1000 + i);
        }
    }
    CHECK(hipStreamSynchronize(stream));
    EXPECT_EQUAL(*host, expected);
    expect_same("order of calls", log.entries, order);

    // Callbacks of several streams, of the null stream too.
    std::atomic<int> calls{0};
    auto add = [](hipStream_t, hipError_t, void* data) { ++*static_cast<std::atomic<int>*>(data); };
    hipStream_t more[4];
    for (hipStream_t& one : more) {
        CHECK(hipStreamCreate(&one));
        for (int i = 0; i < 10; i++) {
            CHECK(hipStreamAddCallback(one, add, &calls, 0));
        }
    }
    CHECK(hipStreamAddCallback(nullptr, add, &calls, 0));
    CHECK(hipDeviceSynchronize());
    for (hipStream_t one : more) {
        CHECK(hipStreamSynchronize(one));
        CHECK(hipStreamDestroy(one));
    }
    EXPECT_EQUAL(calls.load(), 41);
    EXPECT_ERROR(hipStreamAddCallback(stream, nullptr, nullptr, 0), hipErrorInvalidValue);
    CHECK(hipStreamDestroy(stream));
    CHECK(hipFree(device));
    CHECK(hipHostFree(host));
    return passed();
}
