//! # rocRAND's generators in kernels: states of each lane, subsequences and offsets, and a distribution.
//! # Clang 15 aligns an array that it moves to LDS wrongly for gfx803 at -O1.
//! flags = ["-mllvm", "-disable-promote-alloca-to-lds"]
#include "check.h"

#include <rocrand/rocrand_kernel.h>

#include "random_reference.h"

constexpr unsigned LANES = 128, LENGTH = 20;
constexpr uint64_t SEED = 55555;

// Each lane begins at its own offset.
template <typename State>
__global__ void numbers(unsigned* out, uint64_t seed, bool by_subsequence) {
    const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    rocrand_init(seed, by_subsequence ? lane : 0, by_subsequence ? 3 : 7 * lane, &state);
    for (unsigned i = 0; i < LENGTH; i++) {
        out[lane * LENGTH + i] = rocrand(&state);
    }
}

__global__ void normals(double* out) {
    const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
    rocrand_state_philox4x32_10 state;
    rocrand_init(SEED, lane, 0, &state);
    for (unsigned i = 0; i < LENGTH; i++) {
        out[lane * LENGTH + i] = rocrand_normal_double(&state);
    }
}

template <typename State>
std::vector<unsigned> run(bool by_subsequence) {
    const DeviceArray<unsigned> out(LANES * LENGTH);
    numbers<State><<<2, LANES / 2>>>(out.data(), SEED, by_subsequence);
    CHECK_LAUNCH();
    return out.download();
}

int main() {
    const auto philox_numbers = run<rocrand_state_philox4x32_10>(true);
    for (unsigned i = 0; i < philox_numbers.size(); i++) {
        EXPECT_EQUAL(philox_numbers[i], philox(SEED, i / LENGTH, i % LENGTH + 3));
    }
    Xorwow xorwow(SEED);
    Mrg32k3a mrg(SEED);
    std::vector<unsigned> xorwow_sequence, mrg_sequence;
    for (unsigned i = 0; i < 7 * LANES + LENGTH; i++) {
        xorwow_sequence.push_back(xorwow.next());
        mrg_sequence.push_back(unsigned((mrg.next() - 1) * 1.000000048661607));
    }
    const auto xorwow_numbers = run<rocrand_state_xorwow>(false), mrg_numbers = run<rocrand_state_mrg32k3a>(false);
    for (unsigned i = 0; i < xorwow_numbers.size(); i++) {
        EXPECT_EQUAL(xorwow_numbers[i], xorwow_sequence[i / LENGTH * 7 + i % LENGTH]);
        EXPECT_EQUAL(mrg_numbers[i], mrg_sequence[i / LENGTH * 7 + i % LENGTH]);
    }
    const DeviceArray<double> out(LANES * LENGTH);
    normals<<<2, LANES / 2>>>(out);
    CHECK_LAUNCH();
    const Moments moments(out.download());
    REQUIRE(std::fabs(moments.mean) < 0.1 && std::fabs(moments.variance - 1) < 0.15 && std::fabs(moments.kurtosis - 3) < 0.6,
            "mean %g, variance %g, kurtosis %g", moments.mean, moments.variance, moments.kurtosis);
    return passed();
}
