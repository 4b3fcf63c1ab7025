// Generators of random numbers in their definitions' words, for comparison with libraries.
#pragma once

#include <cstdint>
#include <vector>

// Philox 4x32 with ten rounds: word `index` of a sequence.
inline uint32_t philox(uint64_t seed, uint64_t subsequence, uint64_t index) {
    uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
    const uint64_t block = index / 4;
    uint32_t c[4] = {uint32_t(block), uint32_t(block >> 32), uint32_t(subsequence), uint32_t(subsequence >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = uint64_t(0xd2511f53) * c[0], b = uint64_t(0xcd9e8d57) * c[2];
        const uint32_t next[4] = {uint32_t(b >> 32) ^ c[1] ^ key[0], uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ key[1], uint32_t(a)};
        for (int i = 0; i < 4; i++) {
            c[i] = next[i];
        }
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    return c[index % 4];
}

// Marsaglia's xorwow, begun as rocRAND and cuRAND do.
class Xorwow {
  public:
    explicit Xorwow(uint64_t seed) {
        const uint32_t t = 1228688033u * (uint32_t(seed) ^ 0x2c7f967f), u = 2073658381u * (uint32_t(seed >> 32) ^ 0xa03697cb);
        const uint32_t start[5] = {123456789 + t, 362436069 ^ t, 521288629 + u, 88675123 ^ u, 5783321 + t};
        for (int i = 0; i < 5; i++) {
            x_[i] = start[i];
        }
        weyl_ = 6615241 + t + u;
    }
    uint32_t next() {
        const uint32_t t = x_[0] ^ x_[0] >> 2, last = x_[4];
        for (int i = 0; i < 4; i++) {
            x_[i] = x_[i + 1];
        }
        x_[4] = last ^ last << 4 ^ t ^ t << 1;
        weyl_ += 362437;
        return weyl_ + x_[4];
    }

  private:
    uint32_t x_[5], weyl_;
};

// L'Ecuyer's combined generator MRG32k3a, begun as rocRAND does with a seed of 32 bits.
class Mrg32k3a {
  public:
    explicit Mrg32k3a(uint32_t seed) {
        const uint64_t x = seed ^ 0x55555555u, y = 0xaaaaaaaau;
        for (int i = 0; i < 3; i++) {
            first_[i] = (i == 1 ? y : x) * seed % M1;
            second_[i] = (i == 1 ? x : y) * seed % M2;
        }
    }
    // At least 1, at most 4294967087.
    uint32_t next() {
        const uint64_t p = (1403580 * first_[1] + 810728 * (M1 - first_[0])) % M1;
        const uint64_t q = (527612 * second_[2] + 1370589 * (M2 - second_[0])) % M2;
        shift(first_, p);
        shift(second_, q);
        return uint32_t(p <= q ? p + M1 - q : p - q);
    }

  private:
    static constexpr uint64_t M1 = 4294967087, M2 = 4294944443;
    static void shift(uint64_t* state, uint64_t value) {
        state[0] = state[1];
        state[1] = state[2];
        state[2] = value;
    }
    uint64_t first_[3], second_[3];
};

// The direction numbers of the first four dimensions, from Joe and Kuo's primitive polynomials and first numbers.
inline std::vector<unsigned> directions(int dimension) {
    struct Row {
        int degree;
        unsigned coefficients, first[3];
    };
    static const Row rows[] = {{1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}};
    std::vector<unsigned> numbers;
    for (int k = 0; k < 32; k++) {
        unsigned number = 1;
        if (dimension > 0) {
            const Row& row = rows[dimension - 1];
            if (k < row.degree) {
                number = row.first[k];
            } else {
                const int s = row.degree;
                auto before = [&](int by) { return numbers[k - by] >> (31 - (k - by)); };
                number = before(s) ^ before(s) << s;
                for (int by = 1; by < s; by++) {
                    number ^= (row.coefficients >> (s - 1 - by) & 1) * before(by) << by;
                }
            }
        }
        numbers.push_back(number << (31 - k));
    }
    return numbers;
}

// A term of a Sobol sequence from the 32 direction numbers of its dimension.
inline uint32_t sobol(const unsigned* directions, uint32_t index) {
    uint32_t gray = index ^ index >> 1, value = 0;
    for (int bit = 0; gray != 0; bit++, gray >>= 1) {
        value ^= gray & 1 ? directions[bit] : 0;
    }
    return value;
}

// Mean, variance and higher moments of a sample.
struct Moments {
    double mean = 0, variance = 0, skewness = 0, kurtosis = 0;

    template <typename T>
    explicit Moments(const std::vector<T>& values) {
        for (T value : values) {
            mean += double(value);
        }
        mean /= values.size();
        for (T value : values) {
            const double away = double(value) - mean;
            variance += away * away;
            skewness += away * away * away;
            kurtosis += away * away * away * away;
        }
        variance /= values.size();
        skewness /= values.size() * variance * std::sqrt(variance);
        kurtosis /= values.size() * variance * variance;
    }
};
