//! # Host and kernel talk through fine-grained host memory while the kernel runs: turns, and counters that both change.
#include "check.h"

#include <atomic>
#include <chrono>

// The kernel answers each number that the host writes, until it is told to end.
__global__ void answer(volatile unsigned* question, unsigned* reply) {
    unsigned last = 0;
    for (;;) {
        const unsigned asked = __atomic_load_n(const_cast<unsigned*>(question), __ATOMIC_ACQUIRE);
        if (asked == ~0u) {
            return;
        }
        if (asked != last) {
            last = asked;
            __atomic_store_n(reply, asked * asked + 1, __ATOMIC_RELEASE);
        }
    }
}

// Each lane adds to counters of 32 and 64 bits that the host adds to at the same time.
__global__ void count(unsigned* narrow, unsigned long long* wide, unsigned* started, unsigned times) {
    atomicAdd_system(started, 1u);
    for (unsigned i = 0; i < times; i++) {
        atomicAdd_system(narrow, 1u);
        atomicAdd_system(wide, 0x100000001ull);
    }
}

template <typename T>
T* fine_grained(size_t count) {
    T* memory = nullptr;
    CHECK(hipHostMalloc(reinterpret_cast<void**>(&memory), count * sizeof(T), hipHostMallocCoherent | hipHostMallocMapped));
    std::memset(memory, 0, count * sizeof(T));
    return memory;
}

// Waits for a value that a kernel writes, for half a minute.
template <typename Condition>
void wait_until(Condition condition, const char* what) {
    const auto start = std::chrono::steady_clock::now();
    while (!condition()) {
        REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::seconds(30), "no %s", what);
    }
}

int main() {
    unsigned* words = fine_grained<unsigned>(256);
    unsigned *question = &words[0], *reply = &words[64];
    answer<<<1, 1>>>(question, reply);
    CHECK_LAUNCH();
    for (unsigned number = 1; number <= 100; number++) {
        __atomic_store_n(question, number * 7, __ATOMIC_RELEASE);
        const unsigned expected = number * 7 * number * 7 + 1;
        wait_until([&] { return __atomic_load_n(reply, __ATOMIC_ACQUIRE) == expected; }, "answer");
    }
    EXPECT_ERROR(hipStreamQuery(nullptr), hipErrorNotReady);
    __atomic_store_n(question, ~0u, __ATOMIC_RELEASE);
    CHECK(hipDeviceSynchronize());

    unsigned *narrow = &words[128], *started = &words[192];
    auto* wide = fine_grained<unsigned long long>(1);
    const unsigned times = 100, threads = 4 * 64, own = 20000;
    count<<<4, 64>>>(narrow, wide, started, times);
    CHECK_LAUNCH();
    wait_until([&] { return __atomic_load_n(started, __ATOMIC_RELAXED) > 0; }, "start");
    for (unsigned i = 0; i < own; i++) {
        __atomic_fetch_add(narrow, 1u, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(wide, 1ull, __ATOMIC_SEQ_CST);
    }
    CHECK(hipDeviceSynchronize());
    EXPECT_EQUAL(*narrow, own + times * threads);
    EXPECT_EQUAL(*wide, own + 0x100000001ull * times * threads);
    CHECK(hipHostFree(wide));
    CHECK(hipHostFree(words));
    return passed();
}
