//! # Large arrays of each thread, which live in scratch memory, indexed by what is loaded; and arguments of 4 KB.
#include "check.h"

template <unsigned WORDS>
__global__ void shuffle(const unsigned* in, unsigned* out, unsigned rounds) {
    const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned values[WORDS];
    for (unsigned i = 0; i < WORDS; i++) {
        values[i] = i * lane;
    }
    unsigned place = lane;
    for (unsigned r = 0; r < rounds; r++) {
        place = (place * 31 + in[(lane + r) % 64]) % WORDS;
        values[place] += r;
        const unsigned other = (place * 7 + 1) % WORDS;
        values[other] ^= values[place];
    }
    unsigned mixed = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        mixed = mixed * 33 + values[i];
    }
    out[lane] = mixed;
}

template <unsigned WORDS>
void test(unsigned groups, unsigned rounds) {
    const unsigned lanes = groups * 64;
    const auto in = random_bits<unsigned>(64, WORDS);
    const DeviceArray<unsigned> device(in), out(lanes);
    shuffle<WORDS><<<groups, 64>>>(device, out, rounds);
    CHECK_LAUNCH();
    std::vector<unsigned> expected(lanes);
    for (unsigned lane = 0; lane < lanes; lane++) {
        std::vector<unsigned> values(WORDS);
        for (unsigned i = 0; i < WORDS; i++) {
            values[i] = i * lane;
        }
        unsigned place = lane;
        for (unsigned r = 0; r < rounds; r++) {
            place = (place * 31 + in[(lane + r) % 64]) % WORDS;
            values[place] += r;
            values[(place * 7 + 1) % WORDS] ^= values[place];
        }
        for (unsigned value : values) {
            expected[lane] = expected[lane] * 33 + value;
        }
    }
    expect_same("mixed", out.download(), expected);
}

struct Large {
    unsigned short head;
    unsigned words[1000];
    double tail;
};

__global__ void use_large(Large large, unsigned char extra, unsigned* out) {
    const unsigned i = threadIdx.x;
    out[i] = large.words[i * 13 % 1000] + large.head + unsigned(large.tail) + extra;
}

int main() {
    test<33>(6, 100);
    test<500>(3, 200);
    test<4000>(2, 50);
    Large large = {7, {}, 12345};
    for (unsigned i = 0; i < 1000; i++) {
        large.words[i] = i * i;
    }
    const DeviceArray<unsigned> out(128);
    use_large<<<1, 128>>>(large, 3, out);
    CHECK_LAUNCH();
    std::vector<unsigned> expected(128);
    for (unsigned i = 0; i < 128; i++) {
        expected[i] = large.words[i * 13 % 1000] + 7 + 12345 + 3;
    }
    expect_same("large arguments", out.download(), expected);
    return passed();
}
