//! # Intrinsics of integers: counts, reversals, bytes, high halves of products, sums of differences.
// Means (__hadd and its like) are not there: HIP's own definitions of them are wrong.
#include "check.h"

#include <algorithm>

constexpr unsigned ROWS = 18;

__global__ void intrinsics(const unsigned* a, const unsigned* b, unsigned* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const unsigned x = a[i], y = b[i];
    const int sx = int(x), sy = int(y);
    const unsigned long long wide = (unsigned long long)(x) << 32 | y;
    const unsigned row[ROWS] = {
        unsigned(__popc(x)), unsigned(__popcll(wide)), unsigned(__clz(sx)), unsigned(__clzll((long long)wide)), unsigned(__ffs(sx)),
        unsigned(__ffsll((unsigned long long)wide)), __brev(x), unsigned(__brevll(wide) >> 32),
        __byte_perm(x, y, (y >> 3) & 0x7777), unsigned(__mul24(sx, sy)), unsigned(__umul24(x, y)), unsigned(__mulhi(sx, sy)), __umulhi(x, y),
        unsigned(__umul64hi(wide, wide ^ x)), unsigned(__mul64hi((long long)wide, sy)), __sad(sx, sy, 5), __usad(x, y, 7),
        __funnelshift_l(x, y, x & 31),
    };
    for (unsigned r = 0; r < ROWS; r++) {
        out[r * count + i] = row[r];
    }
}

unsigned reversed(unsigned x) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; bit++) {
        result |= (x >> bit & 1) << (31 - bit);
    }
    return result;
}

unsigned permuted(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        result |= unsigned(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    }
    return result;
}

int signed24(unsigned x) { return int(x << 8) >> 8; }

int main() {
    std::vector<unsigned> a = random_bits<unsigned>(4000, 1), b = random_bits<unsigned>(4000, 2);
    for (unsigned x : {0u, 1u, ~0u, 0x80000000u, 0x7fffffffu, 0xffffffu, 0x800000u}) {
        for (unsigned y : {0u, 1u, ~0u, 0x80000000u, 0x00ff00ffu}) {
            a.push_back(x);
            b.push_back(y);
        }
    }
    const unsigned count = a.size();
    const DeviceArray<unsigned> device_a(a), device_b(b), out(ROWS * count);
    intrinsics<<<groups_of(count, 192), 192>>>(device_a, device_b, out, count);
    CHECK_LAUNCH();
    const char* const names[ROWS] = {"popc", "popcll", "clz", "clzll", "ffs", "ffsll", "brev", "brevll", "byte_perm", "mul24", "umul24",
                                     "mulhi", "umulhi", "umul64hi", "mul64hi", "sad", "usad", "funnelshift_l"};
    const auto got = out.download();
    for (unsigned i = 0; i < count; i++) {
        const unsigned x = a[i], y = b[i];
        const long long sx = int(x), sy = int(y), ux = x, uy = y;
        const unsigned long long wide = (unsigned long long)x << 32 | y;
        const unsigned __int128 square = (unsigned __int128)wide * (wide ^ x);
        const __int128 product = (__int128)(long long)wide * sy;
        const unsigned expected[ROWS] = {
            unsigned(__builtin_popcount(x)), unsigned(__builtin_popcountll(wide)), x ? unsigned(__builtin_clz(x)) : 32,
            wide ? unsigned(__builtin_clzll(wide)) : 64, unsigned(__builtin_ffs(int(x))), unsigned(__builtin_ffsll((long long)wide)),
            reversed(x), reversed(y), permuted(x, y, (y >> 3) & 0x7777), unsigned(signed24(x)) * unsigned(signed24(y)),
            (x & 0xffffff) * (y & 0xffffff), unsigned(sx * sy >> 32), unsigned((unsigned long long)ux * (unsigned long long)uy >> 32),
            unsigned(square >> 64), unsigned(product >> 64), unsigned(std::llabs(sx - sy)) + 5, unsigned(std::llabs(ux - uy)) + 7,
            (x & 31) == 0 ? y : unsigned(y << (x & 31) | (unsigned long long)x >> (32 - (x & 31))),
        };
        for (unsigned r = 0; r < ROWS; r++) {
            REQUIRE(got[r * count + i] == expected[r], "%s of %#x and %#x: expected %#x, got %#x", names[r], x, y, expected[r],
                    got[r * count + i]);
        }
    }
    return passed();
}
