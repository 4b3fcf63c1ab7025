//! # The null stream waits for blocking streams and they for it; non-blocking streams do not take part; queries tell the truth.
#include "check.h"

// Waits for the host to write to `flag`.
__global__ void wait_for(const unsigned* flag, unsigned* out, unsigned value) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    }
    *out = value;
}

__global__ void copy_word(const unsigned* from, unsigned* to) {
    *to = *from + 1;
}

int main() {
    unsigned* flag;
    CHECK(hipHostMalloc(&flag, sizeof(unsigned), hipHostMallocCoherent));
    const DeviceArray<unsigned> words(3);
    words.clear();
    hipStream_t blocking, free_running;
    CHECK(hipStreamCreate(&blocking));
    CHECK(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));
    unsigned flags = 77;
    CHECK(hipStreamGetFlags(blocking, &flags));
    EXPECT_EQUAL(flags, hipStreamDefault);
    CHECK(hipStreamGetFlags(free_running, &flags));
    EXPECT_EQUAL(flags, hipStreamNonBlocking);

    *flag = 0;
    wait_for<<<1, 1, 0, blocking>>>(flag, words, 10);
    CHECK_LAUNCH();
    EXPECT_ERROR(hipStreamQuery(blocking), hipErrorNotReady);
    // A query that is not ready is no error to remember.
    // Work of the null stream is behind that of the blocking stream...
    copy_word<<<1, 1>>>(words, words + 1);
    CHECK_LAUNCH();
    // ...that of a non-blocking one is not.
    copy_word<<<1, 1, 0, free_running>>>(words, words + 2);
    CHECK(hipStreamSynchronize(free_running));
    CHECK(hipStreamQuery(free_running));
    EXPECT_ERROR(hipStreamQuery(blocking), hipErrorNotReady);
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
    CHECK(hipStreamSynchronize(blocking));
    CHECK(hipStreamSynchronize(nullptr));
    expect_same("words", words.download(), {10, 11, 1});

    // A blocking stream is behind the null stream's earlier work.
    *flag = 0;
    wait_for<<<1, 1>>>(flag, words, 20);
    copy_word<<<1, 1, 0, blocking>>>(words, words + 1);
    EXPECT_ERROR(hipStreamQuery(blocking), hipErrorNotReady);
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
    CHECK(hipDeviceSynchronize());
    expect_same("words", words.download(), {20, 21, 1});
    CHECK(hipStreamDestroy(blocking));
    CHECK(hipStreamDestroy(free_running));
    CHECK(hipHostFree(flag));
    return passed();
}
