//! # Copies of 64 MiB and a bit: to the device, on it, and back, pageable and pinned, with other streams at work.
#include "check.h"

constexpr size_t WORDS = (64 << 20) / 8 + 3;

__global__ void mix(uint64_t* data, size_t count) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] = data[i] * 3 + i;
    }
}

int main() {
    const auto words = random_bits<uint64_t>(WORDS, 5);
    const size_t size = WORDS * sizeof(uint64_t);
    uint64_t *first, *second, *pinned, *small;
    const size_t small_count = 4096;
    CHECK(hipMalloc(&first, size));
    CHECK(hipMalloc(&second, size));
    CHECK(hipMalloc(&small, small_count * sizeof(uint64_t)));
    CHECK(hipHostMalloc(&pinned, size, hipHostMallocDefault));
    CHECK(hipMemcpy(first, words.data(), size, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(second, first, size, hipMemcpyDeviceToDevice));
    CHECK(hipMemset(first, 0, size));
    hipStream_t copies, kernels;
    CHECK(hipStreamCreateWithFlags(&copies, hipStreamNonBlocking));
    CHECK(hipStreamCreateWithFlags(&kernels, hipStreamNonBlocking));
    CHECK(hipMemsetAsync(small, 0, small_count * sizeof(uint64_t), kernels));
    CHECK(hipMemcpyAsync(pinned, second, size, hipMemcpyDeviceToHost, copies));
    for (int i = 0; i < 8; i++) {
        mix<<<groups_of(small_count, 256), 256, 0, kernels>>>(small, small_count);
        CHECK_LAUNCH();
    }
    CHECK(hipStreamSynchronize(copies));
    REQUIRE(std::memcmp(pinned, words.data(), size) == 0, "what came back by the pinned copy is not what went out");
    std::vector<uint64_t> back(WORDS);
    CHECK(hipMemcpy(back.data(), first, size, hipMemcpyDeviceToHost));
    for (uint64_t word : back) {
        EXPECT_EQUAL(word, 0);
    }
    CHECK(hipMemcpyAsync(first, pinned, size, hipMemcpyHostToDevice, copies));
    CHECK(hipStreamSynchronize(copies));
    CHECK(hipMemcpy(back.data(), first, size, hipMemcpyDeviceToHost));
    REQUIRE(back == words, "what came back by the pageable copy is not what went out");
    std::vector<uint64_t> mixed(small_count);
    CHECK(hipStreamSynchronize(kernels));
    CHECK(hipMemcpy(mixed.data(), small, small_count * sizeof(uint64_t), hipMemcpyDeviceToHost));
    for (size_t i = 0; i < small_count; i++) {
        uint64_t expected = 0;
        for (int turn = 0; turn < 8; turn++) {
            expected = expected * 3 + i;
        }
        EXPECT_EQUAL(mixed[i], expected);
    }
    CHECK(hipFree(first));
    CHECK(hipFree(second));
    CHECK(hipFree(small));
    CHECK(hipHostFree(pinned));
    return passed();
}
