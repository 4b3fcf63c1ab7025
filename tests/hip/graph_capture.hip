//! # Graphs that streams record: kernels, copies and fills of two streams, launched several times.
#include "check.h"

__global__ void add_index(unsigned* data, unsigned count, unsigned factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] += i * factor;
    }
}

__global__ void combine(const unsigned* a, const unsigned* b, unsigned* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = a[i] * 3 + b[i];
    }
}

int main() {
    const unsigned count = 2000, bytes = count * sizeof(unsigned);
    const DeviceArray<unsigned> a(count), b(count), out(count);
    unsigned* host;
    CHECK(hipHostMalloc(&host, bytes, 0));
    hipStream_t first, second;
    hipEvent_t fork, join;
    CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    CHECK(hipEventCreate(&fork));
    CHECK(hipEventCreate(&join));
    a.clear();
    out.clear();
    std::memset(host, 0xff, bytes);

    CHECK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
    hipStreamCaptureStatus status;
    CHECK(hipStreamIsCapturing(first, &status));
    EXPECT_EQUAL(status, hipStreamCaptureStatusActive);
    CHECK(hipMemsetAsync(b, 0, bytes, first));
    CHECK(hipEventRecord(fork, first));
    CHECK(hipStreamWaitEvent(second, fork, 0));
    add_index<<<groups_of(count, 256), 256, 0, first>>>(a, count, 1);
    add_index<<<groups_of(count, 256), 256, 0, second>>>(b, count, 7);
    add_index<<<groups_of(count, 256), 256, 0, second>>>(b, count, 2);
    CHECK(hipEventRecord(join, second));
    CHECK(hipStreamWaitEvent(first, join, 0));
    combine<<<groups_of(count, 128), 128, 0, first>>>(a, b, out, count);
    CHECK(hipMemcpyAsync(host, out, bytes, hipMemcpyDeviceToHost, first));
    hipGraph_t graph;
    CHECK(hipStreamEndCapture(first, &graph));
    CHECK(hipStreamIsCapturing(first, &status));
    EXPECT_EQUAL(status, hipStreamCaptureStatusNone);
    // Nothing has run yet.
    CHECK(hipDeviceSynchronize());
    EXPECT_EQUAL(host[1], ~0u);
    size_t nodes = 0;
    CHECK(hipGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQUAL(nodes, 6);

    hipGraphExec_t executable;
    CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    for (unsigned turn = 1; turn <= 5; turn++) {
        CHECK(hipGraphLaunch(executable, first));
        CHECK(hipStreamSynchronize(first));
        for (unsigned i = 0; i < count; i++) {
            EXPECT_EQUAL(host[i], i * turn * 3 + 9 * i);
        }
    }
    // Launches behind each other, without waiting.
    for (unsigned turn = 0; turn < 4; turn++) {
        CHECK(hipGraphLaunch(executable, first));
    }
    CHECK(hipStreamSynchronize(first));
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQUAL(host[i], i * 9 * 3 + 9 * i);
    }
    CHECK(hipGraphExecDestroy(executable));
    CHECK(hipGraphDestroy(graph));
    CHECK(hipEventDestroy(fork));
    CHECK(hipEventDestroy(join));
    CHECK(hipStreamDestroy(first));
    CHECK(hipStreamDestroy(second));
    CHECK(hipHostFree(host));
    return passed();
}
