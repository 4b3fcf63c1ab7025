//! # Tiles of workgroups, their shuffles and ranks, and groups of the lanes that took a branch.
#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

template <unsigned SIZE>
__global__ void tile_sums(const int* in, int* sums, unsigned* ranks) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<SIZE>(block);
    const unsigned i = blockIdx.x * blockDim.x + block.thread_rank();
    int value = in[i];
    for (unsigned distance = tile.size() / 2; distance > 0; distance /= 2) {
        value += tile.shfl_down(value, distance);
    }
    ranks[i] = tile.thread_rank();
    value = tile.shfl(value, 0);
    tile.sync();
    sums[i] = value;
}

// Each group of lanes with the same key elects one that adds for all.
__global__ void count_keys(const unsigned* keys, unsigned* counts) {
    const unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned k = 0; k < 4; k++) {
        if (key == k) {
            const cg::coalesced_group group = cg::coalesced_threads();
            if (group.thread_rank() == 0) {
                atomicAdd(&counts[k], group.size());
            }
        }
    }
}

__global__ void block_meets(unsigned* out) {
    __shared__ unsigned words[512];
    const cg::thread_block block = cg::this_thread_block();
    const unsigned size = block.size();
    words[block.thread_rank()] = block.thread_rank() * 3;
    block.sync();
    out[block.thread_rank()] = words[size - 1 - block.thread_rank()];
}

template <unsigned SIZE>
void test_tiles() {
    const unsigned count = 3 * 192;
    const auto in = random_bits<int>(count, SIZE);
    const DeviceArray<int> device(in), sums(count);
    const DeviceArray<unsigned> ranks(count);
    tile_sums<SIZE><<<3, count / 3>>>(device.data(), sums.data(), ranks.data());
    CHECK_LAUNCH();
    std::vector<int> expected(count, 0);
    std::vector<unsigned> expected_ranks(count);
    for (unsigned i = 0; i < count; i++) {
        unsigned sum = 0;
        for (unsigned k = 0; k < SIZE; k++) {
            sum += unsigned(in[i / SIZE * SIZE + k]);
        }
        expected[i] = int(sum);
        expected_ranks[i] = i % SIZE;
    }
    expect_same("sums of tiles", sums.download(), expected);
    expect_same("ranks", ranks.download(), expected_ranks);
}

int main() {
    test_tiles<2>();
    test_tiles<8>();
    test_tiles<16>();
    test_tiles<32>();
    test_tiles<64>();
    const unsigned count = 1024;
    auto keys = random_bits<unsigned>(count, 3);
    std::vector<unsigned> expected(4, 0);
    for (unsigned& key : keys) {
        key %= 5;
        if (key < 4) {
            expected[key]++;
        }
    }
    const DeviceArray<unsigned> device_keys(keys), counts(4), out(360);
    counts.clear();
    count_keys<<<4, count / 4>>>(device_keys, counts);
    CHECK_LAUNCH();
    expect_same("counts", counts.download(), expected);
    block_meets<<<1, dim3(12, 10, 3)>>>(out);
    CHECK_LAUNCH();
    std::vector<unsigned> reversed(360);
    for (unsigned i = 0; i < 360; i++) {
        reversed[i] = (359 - i) * 3;
    }
    expect_same("block", out.download(), reversed);
    return passed();
}
