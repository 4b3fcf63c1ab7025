//! # Managed memory: allocated or declared, used by host and kernels in turns, with advice and prefetching.
#include "check.h"

__managed__ int table[256];
__managed__ unsigned total = 5;

struct Node {
    Node* next;
    int value;
};

// Follows a list that the host has made, and changes it.
__global__ void walk(Node* node, int* sum) {
    int result = 0;
    for (; node != nullptr; node = node->next) {
        result += node->value;
        node->value = -node->value;
    }
    *sum = result;
}

__global__ void fill(unsigned factor) {
    table[threadIdx.x] = int(threadIdx.x * factor);
    atomicAdd(&total, threadIdx.x);
}

int main() {
    int device = 0;
    CHECK(hipGetDevice(&device));

    const int count = 1000;
    Node* nodes;
    int* sum;
    CHECK(hipMallocManaged(&nodes, count * sizeof(Node), hipMemAttachGlobal));
    CHECK(hipMallocManaged(&sum, sizeof(int), hipMemAttachHost));
    int expected = 0;
    for (int i = 0; i < count; i++) {
        // The list jumps through the memory.
        const int here = i * 7 % count, next = (i + 1) * 7 % count;
        nodes[here] = {i + 1 < count ? &nodes[next] : nullptr, i * i % 91};
        expected += i * i % 91;
    }
    CHECK(hipMemAdvise(nodes, count * sizeof(Node), hipMemAdviseSetPreferredLocation, device));
    CHECK(hipMemPrefetchAsync(nodes, count * sizeof(Node), device, nullptr));
    for (int turn = 0; turn < 4; turn++) {
        walk<<<1, 1>>>(nodes, sum);
        CHECK_LAUNCH();
        CHECK(hipDeviceSynchronize());
        EXPECT_EQUAL(*sum, turn % 2 == 0 ? expected : -expected);
        for (int i = 0; i < count; i++) {
            const int value = i * i % 91;
            EXPECT_EQUAL(nodes[i * 7 % count].value, turn % 2 == 0 ? -value : value);
        }
    }
    CHECK(hipMemPrefetchAsync(nodes, count * sizeof(Node), hipCpuDeviceId, nullptr));
    CHECK(hipDeviceSynchronize());

    EXPECT_EQUAL(total, 5);
    table[3] = -1;
    fill<<<1, 256>>>(11);
    CHECK_LAUNCH();
    CHECK(hipDeviceSynchronize());
    EXPECT_EQUAL(total, 5 + 255 * 256 / 2);
    for (int i = 0; i < 256; i++) {
        EXPECT_EQUAL(table[i], 11 * i);
    }
    total = 0;
    fill<<<1, 256>>>(12);
    CHECK(hipDeviceSynchronize());
    EXPECT_EQUAL(total, 255 * 256 / 2);
    CHECK(hipFree(nodes));
    CHECK(hipFree(sum));
    return passed();
}
