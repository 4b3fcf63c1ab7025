//! # Grids and groups of one to three dimensions, by every way to launch; what threads know of their place; votes of groups.
#include "check.h"

struct Place {
    unsigned block[3], thread[3];
};

__global__ void places(Place* out, unsigned* sizes) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned size = blockDim.x * blockDim.y * blockDim.z;
    out[block * size + thread] = {{blockIdx.x, blockIdx.y, blockIdx.z}, {threadIdx.x, threadIdx.y, threadIdx.z}};
    atomicAdd(sizes, 1u);
    if (block == 0 && thread == 0) {
        sizes[1] = gridDim.x * 10000 + gridDim.y * 100 + gridDim.z;
        sizes[2] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z;
    }
}

// Barriers that count and vote.
__global__ void group_votes(const int* in, int* out) {
    const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    const int count = __syncthreads_count(value > 0), every = __syncthreads_and(value > -1000), some = __syncthreads_or(value > 990);
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = count;
        out[3 * blockIdx.x + 1] = every != 0;
        out[3 * blockIdx.x + 2] = some != 0;
    }
}

// A long loop, with a clock that goes forward.
__global__ void __launch_bounds__(256) long_loop(unsigned turns, unsigned* out, long long* clocks) {
    const long long start = clock64();
    unsigned value = threadIdx.x;
    for (unsigned i = 0; i < turns; i++) {
        value = value & 1 ? value * 3 + i : value / 2 + i;
    }
    out[threadIdx.x] = value;
    *clocks = clock64() - start;
}

int main() {
    const dim3 shapes[][2] = {{dim3(1), dim3(1)},        {dim3(7), dim3(100)},      {dim3(3, 2), dim3(16, 16)},
                              {dim3(2, 3, 4), dim3(5, 3, 2)}, {dim3(1, 1, 9), dim3(1, 64)}, {dim3(1, 5), dim3(1, 1, 64)}};
    unsigned turn = 0;
    for (const auto& shape : shapes) {
        const dim3 grid = shape[0], group = shape[1];
        const unsigned size = group.x * group.y * group.z, count = grid.x * grid.y * grid.z * size;
        for (unsigned way = 0; way < 3; way++) {
            const DeviceArray<Place> out(count);
            const DeviceArray<unsigned> sizes(3);
            out.clear(0xff);
            sizes.clear();
            Place* out_pointer = out;
            unsigned* sizes_pointer = sizes;
            void* arguments[] = {&out_pointer, &sizes_pointer};
            switch ((turn + way) % 3) {
                case 0: places<<<grid, group>>>(out, sizes); break;
                case 1: hipLaunchKernelGGL(places, grid, group, 0, nullptr, out_pointer, sizes_pointer); break;
                case 2: CHECK(hipLaunchKernel(reinterpret_cast<void*>(places), grid, group, arguments, 0, nullptr)); break;
            }
            CHECK_LAUNCH();
            std::vector<Place> expected(count);
            for (unsigned i = 0; i < count; i++) {
                const unsigned b = i / size, t = i % size;
                expected[i] = {{b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y},
                               {t % group.x, t / group.x % group.y, t / group.x / group.y}};
            }
            expect_same("places", out.download(), expected);
            expect_same("sizes", sizes.download(),
                        {count, grid.x * 10000 + grid.y * 100 + grid.z, group.x * 10000 + group.y * 100 + group.z});
        }
        turn++;
    }

    const unsigned groups = 6, group = 320;
    auto in = random_bits<int>(groups * group, 2);
    for (int& value : in) {
        value = int(unsigned(value) % 1999) - 999;
    }
    in[2 * group + 5] = -1000;
    const DeviceArray<int> device(in), votes(3 * groups);
    group_votes<<<groups, group>>>(device, votes);
    CHECK_LAUNCH();
    std::vector<int> expected(3 * groups, 0);
    for (unsigned g = 0; g < groups; g++) {
        expected[3 * g + 1] = 1;
        for (unsigned i = g * group; i < (g + 1) * group; i++) {
            expected[3 * g] += in[i] > 0;
            expected[3 * g + 1] &= in[i] > -1000;
            expected[3 * g + 2] |= in[i] > 990;
        }
    }
    expect_same("votes", votes.download(), expected);

    const DeviceArray<unsigned> out(64);
    const DeviceArray<long long> clocks(1);
    long_loop<<<1, 64>>>(30000, out, clocks);
    CHECK_LAUNCH();
    const auto values = out.download();
    for (unsigned t = 0; t < 64; t++) {
        unsigned value = t;
        for (unsigned i = 0; i < 30000; i++) {
            value = value & 1 ? value * 3 + i : value / 2 + i;
        }
        EXPECT_EQUAL(values[t], value);
    }
    REQUIRE(clocks.download()[0] > 30000, "%lld clocks", clocks.download()[0]);
    return passed();
}
