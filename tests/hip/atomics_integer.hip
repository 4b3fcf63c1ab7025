//! # Atomic operations on integers of 32 and 64 bits, in global memory and in LDS, against what the order cannot change.
#include "check.h"

constexpr unsigned THREADS = 4 * 256;

template <typename T>
struct Slots {
    T add, subtract, low, high, conjunction, disjunction, parity, exchanged, swapped, seen;
};

template <typename T>
__device__ void apply(Slots<T>* slots, unsigned i) {
    const T value = T(i) * T(0x9e3779b97f4a7c15ull) ^ T(i);
    atomicAdd(&slots->add, value);
    atomicMin(&slots->low, value);
    atomicMax(&slots->high, value);
    atomicAnd(&slots->conjunction, ~(T(1) << (i % (8 * sizeof(T)))) | T(0xf0));
    atomicOr(&slots->disjunction, T(1) << (i * 3 % (8 * sizeof(T))));
    atomicXor(&slots->parity, value);
    // The sum of what is taken out and of what is left is the sum of what was put in.
    const T before = atomicExch(&slots->exchanged, T(i + 1));
    atomicAdd(&slots->seen, before);
    // Counts by compare and swap.
    T old = slots->swapped, assumed;
    do {
        assumed = old;
        old = atomicCAS(&slots->swapped, assumed, T(assumed + 3));
    } while (old != assumed);
}

template <typename T>
__global__ void global_atomics(Slots<T>* slots) {
    apply(slots, blockIdx.x * blockDim.x + threadIdx.x);
}

template <typename T>
__global__ void lds_atomics(Slots<T>* slots, Slots<T> start) {
    __shared__ Slots<T> own;
    if (threadIdx.x == 0) {
        own = start;
    }
    __syncthreads();
    apply(&own, blockIdx.x * blockDim.x + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        slots[blockIdx.x] = own;
    }
}

template <typename T>
Slots<T> start_values() {
    return {0, 0, T(~0ull >> 1), 0, T(~0ull), 0, 0, 0, 5, 0};
}

template <typename T>
void compare(const char* name, const Slots<T>& got, unsigned first, unsigned count) {
    Slots<T> want = start_values<T>();
    unsigned long long put = 0;
    for (unsigned i = first; i < first + count; i++) {
        const T value = T(i) * T(0x9e3779b97f4a7c15ull) ^ T(i);
        want.add += value;
        want.low = value < want.low ? value : want.low;
        want.high = value > want.high ? value : want.high;
        want.conjunction &= ~(T(1) << (i % (8 * sizeof(T)))) | T(0xf0);
        want.disjunction |= T(1) << (i * 3 % (8 * sizeof(T)));
        want.parity ^= value;
        want.swapped += 3;
        put += i + 1;
    }
    REQUIRE(got.add == want.add, "%s add", name);
    REQUIRE(got.low == want.low, "%s min", name);
    REQUIRE(got.high == want.high, "%s max", name);
    REQUIRE(got.conjunction == want.conjunction, "%s and", name);
    REQUIRE(got.disjunction == want.disjunction, "%s or", name);
    REQUIRE(got.parity == want.parity, "%s xor", name);
    REQUIRE(got.swapped == want.swapped, "%s compare and swap", name);
    REQUIRE(T(got.seen + got.exchanged) == T(put), "%s exchange", name);
}

template <typename T>
void test(const char* name) {
    const unsigned groups = 4;
    const DeviceArray<Slots<T>> one(std::vector<Slots<T>>{start_values<T>()}), each(groups);
    global_atomics<<<groups, THREADS / groups>>>(one.data());
    CHECK_LAUNCH();
    compare(name, one.download()[0], 0, THREADS);
    lds_atomics<<<groups, THREADS / groups>>>(each.data(), start_values<T>());
    CHECK_LAUNCH();
    const auto got = each.download();
    for (unsigned group = 0; group < groups; group++) {
        compare(name, got[group], group * THREADS / groups, THREADS / groups);
    }
}

// Increments and decrements that wrap around, subtraction, and results that make each thread's place its own.
__global__ void counters(unsigned* words, unsigned* places) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicInc(&words[0], 99);
    atomicDec(&words[1], 99);
    atomicSub(reinterpret_cast<int*>(&words[2]), int(i));
    places[atomicAdd(&words[3], 1u)] = i;
    atomicMin(reinterpret_cast<int*>(&words[4]), 50 - int(i));
    atomicMax(reinterpret_cast<int*>(&words[5]), int(i) - 600);
}

int main() {
    test<unsigned>("unsigned");
    test<unsigned long long>("unsigned long long");

    const DeviceArray<unsigned> words(std::vector<unsigned>{0, 0, 7, 0, 0, unsigned(-1000)}), places(THREADS);
    counters<<<8, THREADS / 8>>>(words.data(), places.data());
    CHECK_LAUNCH();
    const auto got = words.download();
    EXPECT_EQUAL(got[0], THREADS % 100);
    EXPECT_EQUAL(got[1], (100 - THREADS % 100) % 100);
    EXPECT_EQUAL(int(got[2]), 7 - int(THREADS * (THREADS - 1) / 2));
    EXPECT_EQUAL(got[3], THREADS);
    EXPECT_EQUAL(int(got[4]), 50 - int(THREADS - 1));
    EXPECT_EQUAL(int(got[5]), int(THREADS - 1) - 600);
    std::vector<int> seen(THREADS, 0);
    for (unsigned place : places.download()) {
        REQUIRE(place < THREADS && seen[place]++ == 0, "thread %u took two places, or none", place);
    }
    return passed();
}
