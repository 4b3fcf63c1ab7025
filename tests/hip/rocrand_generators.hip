//! # rocRAND's generators from the host: Philox, XORWOW, MRG32k3a and Sobol give their algorithms' numbers; seeds and offsets.
//! links = ["rocrand"]
#include "check.h"

#include <rocrand/rocrand.h>

#include "random_reference.h"

#define CHECK_RAND(call)                                                                \
    do {                                                                                \
        const rocrand_status check_got = (call);                                        \
        REQUIRE(check_got == ROCRAND_STATUS_SUCCESS, "%s: %d", #call, int(check_got));  \
    } while (0)

constexpr uint64_t SEED = 987654321;

std::vector<unsigned> generate(rocrand_rng_type type, uint64_t seed, uint64_t offset, size_t count) {
    rocrand_generator generator;
    CHECK_RAND(rocrand_create_generator(&generator, type));
    const bool is_quasi = type == ROCRAND_RNG_QUASI_SOBOL32;
    if (is_quasi) {
        CHECK_RAND(rocrand_set_quasi_random_generator_dimensions(generator, 4));
    } else {
        CHECK_RAND(rocrand_set_seed(generator, seed));
    }
    if (offset != 0) {
        CHECK_RAND(rocrand_set_offset(generator, offset));
    }
    const DeviceArray<unsigned> out(count);
    CHECK_RAND(rocrand_generate(generator, out, count));
    CHECK(hipDeviceSynchronize());
    CHECK_RAND(rocrand_destroy_generator(generator));
    return out.download();
}

// Bits are set half of the time, and the numbers fill their range.
void expect_random(const char* name, const std::vector<unsigned>& numbers) {
    for (int bit = 0; bit < 32; bit++) {
        size_t ones = 0;
        for (unsigned number : numbers) {
            ones += number >> bit & 1;
        }
        const double away = (double(ones) - numbers.size() / 2.0) / std::sqrt(numbers.size() / 4.0);
        REQUIRE(std::fabs(away) < 5.5, "%s: bit %d is %g standard deviations off", name, bit, away);
    }
    std::vector<double> parts;
    for (unsigned number : numbers) {
        parts.push_back(number * 0x1p-32);
    }
    const Moments moments(parts);
    REQUIRE(std::fabs(moments.mean - 0.5) < 5 * 0.2887 / std::sqrt(parts.size()), "%s: mean %g", name, moments.mean);
    REQUIRE(std::fabs(moments.variance - 1.0 / 12) < 0.005, "%s: variance %g", name, moments.variance);
}

int main() {
    const size_t count = 20000;
    const auto philox_numbers = generate(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, SEED, 0, count);
    for (size_t i = 0; i < count; i++) {
        REQUIRE(philox_numbers[i] == philox(SEED, 0, i), "Philox %zu: expected %u, got %u", i, philox(SEED, 0, i), philox_numbers[i]);
    }
    const auto later = generate(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, SEED, 1003, 100);
    for (size_t i = 0; i < later.size(); i++) {
        EXPECT_EQUAL(later[i], philox(SEED, 0, i + 1003));
    }
    const uint64_t other = 0x123456789abcdef;
    EXPECT_EQUAL(generate(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, other, 0, 10)[7], philox(other, 0, 7));

    // Engine 0 makes the first number.
    const auto xorwow_numbers = generate(ROCRAND_RNG_PSEUDO_XORWOW, SEED, 0, count);
    EXPECT_EQUAL(xorwow_numbers[0], Xorwow(SEED).next());
    const auto mrg_numbers = generate(ROCRAND_RNG_PSEUDO_MRG32K3A, SEED, 0, count);
    EXPECT_EQUAL(mrg_numbers[0], unsigned((Mrg32k3a(SEED).next() - 1) * 1.000000048661607));
    const auto twister_numbers = generate(ROCRAND_RNG_PSEUDO_MTGP32, SEED, 0, count);
    expect_random("Philox", philox_numbers);
    expect_random("XORWOW", xorwow_numbers);
    expect_random("MRG32k3a", mrg_numbers);
    expect_random("MTGP32", twister_numbers);
    expect_same("MTGP32 again", generate(ROCRAND_RNG_PSEUDO_MTGP32, SEED, 0, 1000),
                std::vector<unsigned>(twister_numbers.begin(), twister_numbers.begin() + 1000));
    REQUIRE(generate(ROCRAND_RNG_PSEUDO_MTGP32, SEED + 1, 0, 100) !=
                std::vector<unsigned>(twister_numbers.begin(), twister_numbers.begin() + 100),
            "two seeds, the same numbers");

    // Four dimensions behind each other, each with its direction numbers.
    const size_t length = 1000;
    const auto quasi = generate(ROCRAND_RNG_QUASI_SOBOL32, 0, 0, 4 * length);
    for (size_t i = 0; i < quasi.size(); i++) {
        const unsigned expected = sobol(directions(int(i / length)).data(), uint32_t(i % length));
        REQUIRE(quasi[i] == expected, "Sobol, term %zu: expected %u, got %u", i, expected, quasi[i]);
    }
    return passed();
}
