//! # Shuffles, ballots and votes of waves, with all lanes and with some.
#include "check.h"

constexpr unsigned WAVE = 64;

__global__ void shuffles(const int* in, int* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = in[i];
    const int lane = threadIdx.x % WAVE;
    out[i] = __shfl(value, (lane * 7 + 3) % WAVE);
    out[count + i] = __shfl_up(value, 5);
    out[2 * count + i] = __shfl_down(value, 9);
    out[3 * count + i] = __shfl_xor(value, 21);
    out[4 * count + i] = __shfl(value, 2, 8);
    out[5 * count + i] = __shfl_xor(value, 4, 16);
}

__global__ void votes(const int* in, unsigned long long* masks, int* flags) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned wave = i / WAVE;
    const unsigned long long odd = __ballot(in[i] & 1);
    const int some = __any(in[i] > 1 << 30), every = __all(in[i] != 12345);
    unsigned long long inner = 0;
    if (in[i] & 2) {
        inner = __ballot(in[i] & 4);
    }
    if (i % WAVE == 0) {
        masks[2 * wave] = odd;
        flags[2 * wave] = some;
        flags[2 * wave + 1] = every;
    }
    if (inner != 0) {
        masks[2 * wave + 1] = inner;
    }
}

template <typename T>
__global__ void sums(const T* in, T* total, unsigned count) {
    T sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }
    for (int distance = WAVE / 2; distance > 0; distance /= 2) {
        sum += __shfl_down(sum, distance);
    }
    __shared__ T parts[1024 / WAVE];
    if (threadIdx.x % WAVE == 0) {
        parts[threadIdx.x / WAVE] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < blockDim.x / WAVE; i++) {
            sum += parts[i];
        }
        total[blockIdx.x] = sum;
    }
}

template <typename T>
void test_sums(const char* name, unsigned count, unsigned group) {
    const unsigned groups = 7;
    std::vector<T> in(count);
    Random random(count);
    long long expected = 0;
    for (T& value : in) {
        // Whole numbers, so that no order of additions rounds.
        value = T(int(random.below(2001)) - 1000);
        expected += (long long)value;
    }
    const DeviceArray<T> device(in), total(groups);
    sums<<<groups, group>>>(device.data(), total.data(), count);
    CHECK_LAUNCH();
    long long got = 0;
    for (T part : total.download()) {
        got += (long long)part;
    }
    REQUIRE(got == expected, "sum of %u of type %s: expected %lld, got %lld", count, name, expected, got);
}

int main() {
    const unsigned count = 512;
    auto in = random_bits<int>(count, 11);
    in[70] = 12345;
    for (unsigned i = 128; i < 192; i++) {
        in[i] &= 0xffff;
    }
    const DeviceArray<int> device(in), out(6 * count), flags(2 * count / WAVE);
    const DeviceArray<unsigned long long> masks(2 * count / WAVE);
    shuffles<<<2, count / 2>>>(device.data(), out.data(), count);
    CHECK_LAUNCH();
    std::vector<int> expected(6 * count);
    for (unsigned i = 0; i < count; i++) {
        const unsigned lane = i % WAVE, base = i - lane;
        expected[i] = in[base + (lane * 7 + 3) % WAVE];
        expected[count + i] = in[lane >= 5 ? i - 5 : i];
        expected[2 * count + i] = in[lane + 9 < WAVE ? i + 9 : i];
        expected[3 * count + i] = in[base + (lane ^ 21)];
        expected[4 * count + i] = in[base + lane / 8 * 8 + 2];
        expected[5 * count + i] = in[base + (lane ^ 4)];
    }
    expect_same("shuffles", out.download(), expected);

    masks.clear();
    votes<<<1, count>>>(device.data(), masks.data(), flags.data());
    CHECK_LAUNCH();
    std::vector<unsigned long long> expected_masks(2 * count / WAVE, 0);
    std::vector<int> expected_flags(2 * count / WAVE, 0);
    for (unsigned i = 0; i < count; i++) {
        const unsigned wave = i / WAVE;
        const unsigned long long bit = 1ull << (i % WAVE);
        expected_masks[2 * wave] |= in[i] & 1 ? bit : 0;
        expected_masks[2 * wave + 1] |= (in[i] & 6) == 6 ? bit : 0;
        expected_flags[2 * wave] |= in[i] > 1 << 30;
        expected_flags[2 * wave + 1] = wave != 1;
    }
    expect_same("masks", masks.download(), expected_masks);
    const auto got_flags = flags.download();
    for (size_t i = 0; i < got_flags.size(); i++) {
        EXPECT_EQUAL(got_flags[i] != 0, expected_flags[i]);
    }
    for (unsigned size : {1u, 64u, 1000u, 65537u}) {
        for (unsigned group : {64u, 256u, 1024u}) {
            test_sums<int>("int", size, group);
            test_sums<float>("float", size, group);
            test_sums<double>("double", size, group);
            test_sums<long long>("long long", size, group);
        }
    }
    return passed();
}
