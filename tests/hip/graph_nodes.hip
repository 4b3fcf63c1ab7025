//! # Graphs built node by node: fills, copies, kernels, functions of the host; parameters change between launches.
#include "check.h"

__global__ void power(const int* in, int* out, unsigned count, int exponent) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int value = 1;
        for (int k = 0; k < exponent; k++) {
            value *= in[i];
        }
        out[i] = value + out[i];
    }
}

void count_call(void* calls) { ++*static_cast<int*>(calls); }

int main() {
    unsigned count = 777;
    const size_t bytes = count * sizeof(int);
    std::vector<int> in(count), back(count);
    for (unsigned i = 0; i < count; i++) {
        in[i] = int(i % 10) - 4;
    }
    const DeviceArray<int> device_in(count), out(count);
    int *in_pointer = device_in, *out_pointer = out, exponent = 2, calls = 0;

    hipGraph_t graph;
    CHECK(hipGraphCreate(&graph, 0));
    hipGraphNode_t upload, fill, kernel, download, call;
    CHECK(hipGraphAddMemcpyNode1D(&upload, graph, nullptr, 0, in_pointer, in.data(), bytes, hipMemcpyHostToDevice));
    hipMemsetParams filling = {};
    filling.dst = out_pointer;
    filling.elementSize = 4;
    filling.height = 1;
    filling.width = count;
    filling.value = 1000;
    CHECK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &filling));
    void* arguments[] = {&in_pointer, &out_pointer, &count, &exponent};
    hipKernelNodeParams launch = {};
    launch.func = reinterpret_cast<void*>(power);
    launch.gridDim = dim3(groups_of(count, 64));
    launch.blockDim = dim3(64);
    launch.kernelParams = arguments;
    const hipGraphNode_t both[] = {upload, fill};
    CHECK(hipGraphAddKernelNode(&kernel, graph, both, 2, &launch));
    CHECK(hipGraphAddMemcpyNode1D(&download, graph, &kernel, 1, back.data(), out_pointer, bytes, hipMemcpyDeviceToHost));
    hipHostNodeParams calling = {};
    calling.fn = count_call;
    calling.userData = &calls;
    CHECK(hipGraphAddHostNode(&call, graph, &download, 1, &calling));

    size_t nodes = 0, roots = 0;
    CHECK(hipGraphGetNodes(graph, nullptr, &nodes));
    CHECK(hipGraphGetRootNodes(graph, nullptr, &roots));
    EXPECT_EQUAL(nodes, 5);
    EXPECT_EQUAL(roots, 2);
    hipGraphNodeType type;
    CHECK(hipGraphNodeGetType(kernel, &type));
    EXPECT_EQUAL(type, hipGraphNodeTypeKernel);

    hipGraphExec_t executable;
    CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    auto expect = [&](int power_of) {
        CHECK(hipStreamSynchronize(stream));
        for (unsigned i = 0; i < count; i++) {
            int expected = 1;
            for (int k = 0; k < power_of; k++) {
                expected *= in[i];
            }
            EXPECT_EQUAL(back[i], expected + 1000);
        }
    };
    for (int turn = 1; turn <= 3; turn++) {
        for (int& value : in) {
            value = -value + 1;
        }
        CHECK(hipGraphLaunch(executable, stream));
        expect(2);
        EXPECT_EQUAL(calls, turn);
    }
    exponent = 3;
    CHECK(hipGraphExecKernelNodeSetParams(executable, kernel, &launch));
    CHECK(hipGraphLaunch(executable, stream));
    expect(3);
    EXPECT_EQUAL(calls, 4);
    CHECK(hipGraphExecDestroy(executable));
    CHECK(hipGraphDestroy(graph));
    CHECK(hipStreamDestroy(stream));
    return passed();
}
