//! # Kernels allocate and free memory: malloc, free, new and delete, lists that outlive the kernel that made them.
#include "check.h"

struct Node {
    Node* next;
    unsigned value;
};

// Every lane makes a list of its own.
__global__ void build(Node** lists, unsigned length) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Node* head = nullptr;
    for (unsigned k = 0; k < length; k++) {
        Node* node = static_cast<Node*>(malloc(sizeof(Node)));
        if (node == nullptr) {
            break;
        }
        node->next = head;
        node->value = i * 100 + k;
        head = node;
    }
    lists[i] = head;
}

__global__ void consume(Node** lists, unsigned* sums) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (Node* node = lists[i]; node != nullptr;) {
        Node* next = node->next;
        sum += node->value;
        free(node);
        node = next;
    }
    sums[i] = sum;
}

__global__ void arrays(unsigned* out) {
    const unsigned i = threadIdx.x, size = 1 + i * 37 % 500;
    unsigned* values = static_cast<unsigned*>(malloc(size * sizeof(unsigned)));
    for (unsigned k = 0; k < size; k++) {
        values[k] = k ^ i;
    }
    unsigned mixed = 0;
    for (unsigned k = 0; k < size; k++) {
        mixed = mixed * 31 + values[k];
    }
    out[i] = mixed;
    free(values);
}

int main() {
    const unsigned lanes = 2 * 64, length = 6;
    const DeviceArray<Node*> lists(lanes);
    const DeviceArray<unsigned> sums(lanes), mixed(64);
    for (int turn = 0; turn < 2; turn++) {
        build<<<2, lanes / 2>>>(lists.data(), length);
        CHECK_LAUNCH();
        consume<<<2, lanes / 2>>>(lists.data(), sums.data());
        CHECK_LAUNCH();
        std::vector<unsigned> expected(lanes);
        for (unsigned i = 0; i < lanes; i++) {
            expected[i] = length * i * 100 + length * (length - 1) / 2;
        }
        expect_same("sums", sums.download(), expected);
    }
    arrays<<<1, 64>>>(mixed.data());
    CHECK_LAUNCH();
    std::vector<unsigned> expected(64, 0);
    for (unsigned i = 0; i < 64; i++) {
        for (unsigned k = 0; k < 1 + i * 37 % 500; k++) {
            expected[i] = expected[i] * 31 + (k ^ i);
        }
    }
    expect_same("arrays", mixed.download(), expected);
    return passed();
}
