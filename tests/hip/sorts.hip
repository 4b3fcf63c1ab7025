//! # Bitonic and radix sort of keys with values.
#include "check.h"

#include <algorithm>
#include <numeric>

__global__ void bitonic_step(unsigned* keys, unsigned count, unsigned distance, unsigned length) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (i < count && other > i) {
        const unsigned a = keys[i], b = keys[other];
        if ((a > b) == ((i & length) == 0)) {
            keys[i] = b;
            keys[other] = a;
        }
    }
}

// One pass of a radix sort by one workgroup: stable, by four bits.
__global__ void radix_pass(const unsigned* keys, const unsigned* values, unsigned* out_keys, unsigned* out_values, unsigned count,
                           unsigned shift) {
    __shared__ unsigned starts[16], counts[16][256];
    const unsigned t = threadIdx.x, share = (count + blockDim.x - 1) / blockDim.x;
    const unsigned first = std::min(t * share, count), end = std::min(first + share, count);
    for (unsigned digit = 0; digit < 16; digit++) {
        counts[digit][t] = 0;
    }
    for (unsigned i = first; i < end; i++) {
        counts[keys[i] >> shift & 15][t]++;
    }
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (unsigned k = 0; k < blockDim.x; k++) {
            const unsigned here = counts[t][k];
            counts[t][k] = sum;
            sum += here;
        }
        starts[t] = sum;
    }
    __syncthreads();
    if (t == 0) {
        unsigned sum = 0;
        for (unsigned& start : starts) {
            const unsigned here = start;
            start = sum;
            sum += here;
        }
    }
    __syncthreads();
    for (unsigned i = first; i < end; i++) {
        const unsigned digit = keys[i] >> shift & 15, place = starts[digit] + counts[digit][t]++;
        out_keys[place] = keys[i];
        out_values[place] = values[i];
    }
}

int main() {
    for (unsigned count : {2u, 64u, 1024u, 8192u}) {
        auto keys = random_bits<unsigned>(count, count);
        const DeviceArray<unsigned> device(keys);
        for (unsigned length = 2; length <= count; length *= 2) {
            for (unsigned distance = length / 2; distance > 0; distance /= 2) {
                bitonic_step<<<groups_of(count, 256), 256>>>(device, count, distance, length);
            }
        }
        CHECK_LAUNCH();
        std::sort(keys.begin(), keys.end());
        expect_same("bitonic", device.download(), keys);
    }
    for (unsigned count : {1u, 100u, 3001u}) {
        auto keys = random_bits<unsigned>(count, count + 1);
        // Equal keys show that the order of values stays.
        for (unsigned& key : keys) {
            key &= 0xff00ff;
        }
        std::vector<unsigned> values(count);
        std::iota(values.begin(), values.end(), 0u);
        const DeviceArray<unsigned> keys_a(keys), values_a(values), keys_b(count), values_b(count);
        unsigned *from_keys = keys_a, *from_values = values_a, *to_keys = keys_b, *to_values = values_b;
        for (unsigned shift = 0; shift < 32; shift += 4) {
            radix_pass<<<1, 256>>>(from_keys, from_values, to_keys, to_values, count, shift);
            CHECK_LAUNCH();
            std::swap(from_keys, to_keys);
            std::swap(from_values, to_values);
        }
        std::stable_sort(values.begin(), values.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
        std::sort(keys.begin(), keys.end());
        expect_same("radix, keys", keys_a.download(), keys);
        expect_same("radix, values", values_a.download(), values);
    }
    return passed();
}
