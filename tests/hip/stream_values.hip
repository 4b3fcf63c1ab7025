//! # Streams that write values to memory and wait for them; memory that is allocated in the order of a stream.
#include "check.h"

__global__ void add_number(unsigned* data, unsigned number) { data[threadIdx.x] += number; }

int main() {
    hipStream_t first, second;
    CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    uint64_t* signal;
    CHECK(hipExtMallocWithFlags(reinterpret_cast<void**>(&signal), 8, hipMallocSignalMemory));
    *signal = 0;
    // HIP 5.2 has streams wait for values on some targets alone.
    int can_wait = 0;
    CHECK(hipDeviceGetAttribute(&can_wait, hipDeviceAttributeCanUseStreamWaitValue, 0));
    if (can_wait) {
        const DeviceArray<unsigned> data(std::vector<unsigned>(64, 1));
        // The second stream waits until the first has written.
        CHECK(hipStreamWaitValue64(second, signal, 5, hipStreamWaitValueEq, ~0ull));
        add_number<<<1, 64, 0, second>>>(data, 10);
        CHECK_LAUNCH();
        EXPECT_ERROR(hipStreamQuery(second), hipErrorNotReady);
        EXPECT_EQUAL(__atomic_load_n(signal, __ATOMIC_ACQUIRE), 0);
        CHECK(hipStreamWriteValue64(first, signal, 5, 0));
        CHECK(hipStreamSynchronize(second));
        expect_same("data", data.download(), std::vector<unsigned>(64, 11));
        // The host writes; the comparison is greater or equal, of some bits.
        CHECK(hipStreamWaitValue32(first, signal, 0x30, hipStreamWaitValueGte, 0xf0));
        add_number<<<1, 64, 0, first>>>(data, 100);
        CHECK_LAUNCH();
        EXPECT_ERROR(hipStreamQuery(first), hipErrorNotReady);
        __atomic_store_n(signal, 0x4f, __ATOMIC_RELEASE);
        CHECK(hipStreamSynchronize(first));
        expect_same("data", data.download(), std::vector<unsigned>(64, 111));
    }
    CHECK(hipStreamWriteValue64(first, signal, 0x500000001, 0));
    CHECK(hipStreamSynchronize(first));
    EXPECT_EQUAL(*signal, 0x500000001);
    CHECK(hipStreamWriteValue32(first, signal, 77, 0));
    CHECK(hipStreamSynchronize(first));
    EXPECT_EQUAL(uint32_t(*signal), 77);
    CHECK(hipFree(signal));
    CHECK(hipStreamDestroy(second));

    for (unsigned turn = 0; turn < 5; turn++) {
        unsigned* memory = nullptr;
        std::vector<unsigned> back(64);
        CHECK(hipMallocAsync(reinterpret_cast<void**>(&memory), 64 * sizeof(unsigned), first));
        CHECK(hipMemsetAsync(memory, 0, 64 * sizeof(unsigned), first));
        add_number<<<1, 64, 0, first>>>(memory, turn);
        CHECK(hipMemcpyAsync(back.data(), memory, 64 * sizeof(unsigned), hipMemcpyDeviceToHost, first));
        CHECK(hipFreeAsync(memory, first));
        CHECK(hipStreamSynchronize(first));
        expect_same("stream's memory", back, std::vector<unsigned>(64, turn));
    }
    // HIP 5.2 does not come back from destroying a stream that has allocated.
    return passed();
}
