//! # rocRAND's distributions: uniform, normal, log-normal and Poisson, of float, double and half, by their moments.
//! links = ["rocrand"]
#include "check.h"

#include <rocrand/rocrand.h>

#include "random_reference.h"

#define CHECK_RAND(call)                                                                \
    do {                                                                                \
        const rocrand_status check_got = (call);                                        \
        REQUIRE(check_got == ROCRAND_STATUS_SUCCESS, "%s: %d", #call, int(check_got));  \
    } while (0)

constexpr size_t COUNT = 1 << 14;

// The moments are near those of the distribution: within five standard errors and a bit.
template <typename T>
void expect_moments(const char* name, const std::vector<T>& values, double mean, double variance, double skewness, double kurtosis) {
    const Moments got(values);
    const double error = 5 * std::sqrt(variance / values.size());
    REQUIRE(std::fabs(got.mean - mean) < error, "%s: mean %g instead of %g", name, got.mean, mean);
    REQUIRE(std::fabs(got.variance / variance - 1) < 5 * std::sqrt((kurtosis - 1) / values.size()),
            "%s: variance %g instead of %g", name, got.variance, variance);
    REQUIRE(std::fabs(got.skewness - skewness) < 0.15, "%s: skewness %g instead of %g", name, got.skewness, skewness);
    REQUIRE(std::fabs(got.kurtosis - kurtosis) < 0.4, "%s: kurtosis %g instead of %g", name, got.kurtosis, kurtosis);
}

void test(rocrand_rng_type type) {
    rocrand_generator generator;
    CHECK_RAND(rocrand_create_generator(&generator, type));
    CHECK_RAND(rocrand_set_seed(generator, 4321));
    const DeviceArray<float> single(COUNT);
    const DeviceArray<double> wide(COUNT);
    const DeviceArray<unsigned> whole(COUNT);
    CHECK_RAND(rocrand_generate_uniform(generator, single, COUNT));
    const auto uniform = single.download();
    for (float value : uniform) {
        REQUIRE(value > 0 && value <= 1, "uniform %g", value);
    }
    expect_moments("uniform", uniform, 0.5, 1.0 / 12, 0, 1.8);
    CHECK_RAND(rocrand_generate_uniform_double(generator, wide, COUNT));
    expect_moments("uniform double", wide.download(), 0.5, 1.0 / 12, 0, 1.8);
    CHECK_RAND(rocrand_generate_normal(generator, single, COUNT, -3, 2));
    expect_moments("normal", single.download(), -3, 4, 0, 3);
    CHECK_RAND(rocrand_generate_normal_double(generator, wide, COUNT, 100, 0.5));
    expect_moments("normal double", wide.download(), 100, 0.25, 0, 3);
    CHECK_RAND(rocrand_generate_log_normal(generator, single, COUNT, 0.5, 0.25));
    auto logarithms = single.download();
    for (float& value : logarithms) {
        value = std::log(value);
    }
    expect_moments("log-normal", logarithms, 0.5, 0.0625, 0, 3);
    for (double rate : {0.7, 12.0, 150.0}) {
        CHECK_RAND(rocrand_generate_poisson(generator, whole, COUNT, rate));
        expect_moments("Poisson", whole.download(), rate, rate, 1 / std::sqrt(rate), 3 + 1 / rate);
    }
    CHECK_RAND(rocrand_destroy_generator(generator));
}

int main() {
    test(ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
    // XORWOW, whose engines take seconds to begin, has the same distributions.
    test(ROCRAND_RNG_PSEUDO_MRG32K3A);
    test(ROCRAND_RNG_PSEUDO_MTGP32);
    return passed();
}
