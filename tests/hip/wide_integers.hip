//! # Integers of 64 and 128 bits: products, quotients, shifts, carries, and powers modulo a large number.
#include "check.h"

typedef unsigned __int128 u128;

// Written once for both sides.
struct Results {
    uint64_t product, quotient, remainder, shifted, rotated, high, carry, power;
    int64_t signed_quotient, signed_remainder, arithmetic_shift;
    double as_double;
    float as_float;
    uint64_t from_double;
};

__host__ __device__ uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t modulus) {
    // Russian peasants' multiplication needs no division of 128 bits.
    uint64_t result = 0;
    for (; b != 0; b >>= 1) {
        if (b & 1) {
            result = result >= modulus - a ? result - (modulus - a) : result + a;
        }
        a = a >= modulus - a ? a - (modulus - a) : a + a;
    }
    return result;
}

__host__ __device__ Results compute(uint64_t a, uint64_t b) {
    Results r;
    const uint64_t divisor = b | 1;
    r.product = a * b;
    r.quotient = a / divisor;
    r.remainder = a % divisor;
    r.shifted = a << (b & 63) ^ a >> (b >> 8 & 63);
    const unsigned turn = b & 63;
    r.rotated = turn == 0 ? a : a << turn | a >> (64 - turn);
    const u128 wide = (u128)a * b + a;
    r.high = uint64_t(wide >> 64);
    r.carry = uint64_t((((u128)a << 64 | b) + ((u128)b << 64 | a)) >> 64);
    const uint64_t modulus = 0xffffffffffffffc5;
    r.power = 1;
    uint64_t base = a % modulus;
    for (unsigned exponent = b & 0xff; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            r.power = multiply_modulo(r.power, base, modulus);
        }
        base = multiply_modulo(base, base, modulus);
    }
    const int64_t small = int64_t(b >> 40 | 1);
    r.signed_quotient = int64_t(a) / small;
    r.signed_remainder = int64_t(a) % small;
    r.arithmetic_shift = int64_t(a) >> (b & 63);
    r.as_double = double(a) + double(int64_t(b));
    r.as_float = float(int64_t(a));
    r.from_double = uint64_t(double(b >> 1) * 1.25);
    return r;
}

__global__ void run(const uint64_t* a, const uint64_t* b, Results* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = compute(a[i], b[i]);
    }
}

int main() {
    auto a = random_bits<uint64_t>(800, 1), b = random_bits<uint64_t>(800, 2);
    for (uint64_t x : {0ull, 1ull, ~0ull, 1ull << 63, (1ull << 63) - 1, 0xffffffffull, 0x100000000ull}) {
        for (uint64_t y : {0ull, 1ull, ~0ull, 1ull << 63, 0xffffffffull}) {
            a.push_back(x);
            b.push_back(y);
        }
    }
    const unsigned count = a.size();
    const DeviceArray<uint64_t> device_a(a), device_b(b);
    const DeviceArray<Results> out(count);
    out.clear();
    run<<<groups_of(count, 64), 64>>>(device_a.data(), device_b.data(), out.data(), count);
    CHECK_LAUNCH();
    const auto got = out.download();
    for (unsigned i = 0; i < count; i++) {
        const Results want = compute(a[i], b[i]);
        EXPECT_EQUAL(got[i].product, want.product);
        EXPECT_EQUAL(got[i].quotient, want.quotient);
        EXPECT_EQUAL(got[i].remainder, want.remainder);
        EXPECT_EQUAL(got[i].shifted, want.shifted);
        EXPECT_EQUAL(got[i].rotated, want.rotated);
        EXPECT_EQUAL(got[i].high, want.high);
        EXPECT_EQUAL(got[i].carry, want.carry);
        EXPECT_EQUAL(got[i].power, want.power);
        EXPECT_EQUAL(got[i].signed_quotient, want.signed_quotient);
        EXPECT_EQUAL(got[i].signed_remainder, want.signed_remainder);
        EXPECT_EQUAL(got[i].arithmetic_shift, want.arithmetic_shift);
        REQUIRE(got[i].as_double == want.as_double, "double of %llx", (unsigned long long)a[i]);
        REQUIRE(got[i].as_float == want.as_float, "float of %llx: expected %.9g, got %.9g", (unsigned long long)a[i], want.as_float,
                got[i].as_float);
        // Beyond the range, C++ promises nothing.
        if (double(b[i] >> 1) * 1.25 < 0x1p64) {
            EXPECT_EQUAL(got[i].from_double, want.from_double);
        }
    }
    return passed();
}
