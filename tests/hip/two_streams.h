// Two kernels store the same array; the second is launched, in another stream, when the first has begun. ORDER puts something
// between both.
#include "check.h"

enum Flag { BEGUN, ABOUT_TO_STORE, FLAGS };

__global__ void begin_and_store(unsigned* flags, unsigned turns, int* data) {
    __atomic_store_n(flags + BEGUN, 1u, __ATOMIC_RELAXED);
    for (unsigned turn = 0; turn < turns; turn++) {
        asm volatile("s_nop 0");
    }
    __atomic_store_n(flags + ABOUT_TO_STORE, 1u, __ATOMIC_RELAXED);
    asm volatile("" ::: "memory");
    data[threadIdx.x] = 1;
}

__global__ void store(int* data) { data[threadIdx.x] = 2; }

int main() {
    hipStream_t first, second;
    CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    hipEvent_t end;
    CHECK(hipEventCreate(&end));
    unsigned* flags;
    CHECK(hipHostMalloc(reinterpret_cast<void**>(&flags), FLAGS * sizeof(unsigned), hipHostMallocCoherent));
    const DeviceArray<int> data(std::vector<int>(64, 0));
    // The second one ends before the first one stores if that is long enough.
    bool is_beside = false;
    for (unsigned turns = 1 << 16; !is_beside; turns *= 4) {
        flags[BEGUN] = flags[ABOUT_TO_STORE] = 0;
        begin_and_store<<<1, 64, 0, first>>>(flags, turns, data);
        CHECK_LAUNCH();
        CHECK(hipEventRecord(end, first));
        while (__atomic_load_n(flags + BEGUN, __ATOMIC_ACQUIRE) == 0) {
        }
        ORDER;
        store<<<1, 64, 0, second>>>(data);
        CHECK_LAUNCH();
        CHECK(hipStreamSynchronize(second));
        is_beside = __atomic_load_n(flags + ABOUT_TO_STORE, __ATOMIC_ACQUIRE) == 0 || IS_ORDERED;
        CHECK(hipStreamSynchronize(first));
    }
    expect_same("data", data.download(), std::vector<int>(64, IS_ORDERED ? 2 : 1));
    CHECK(hipHostFree(flags));
    CHECK(hipEventDestroy(end));
    CHECK(hipStreamDestroy(first));
    CHECK(hipStreamDestroy(second));
    return passed();
}
