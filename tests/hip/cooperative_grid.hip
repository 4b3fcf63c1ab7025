//! # Cooperative launches: all workgroups of a grid meet, many times; launches that are too large are refused.
//! # HIP 5.2 has them from gfx9 on.
//! targets = ["gfx900", "gfx906"]
#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// Each round, every thread reads what its neighbour wrote in the round before.
__global__ void rotate(unsigned* a, unsigned* b, unsigned count, unsigned rounds) {
    const cg::grid_group grid = cg::this_grid();
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = grid.thread_rank(); i < count; i += grid.size()) {
            b[i] = a[(i + 1) % count] + 1;
        }
        grid.sync();
        unsigned* swapped = a;
        a = b;
        b = swapped;
    }
}

// The sum of an array in one launch: partial sums, and then one group adds them.
__global__ void sum(const unsigned* in, unsigned* parts, unsigned count) {
    const cg::grid_group grid = cg::this_grid();
    __shared__ unsigned own;
    if (threadIdx.x == 0) {
        own = 0;
    }
    __syncthreads();
    for (unsigned i = grid.thread_rank(); i < count; i += grid.size()) {
        atomicAdd(&own, in[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = own;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        for (unsigned i = 1; i < gridDim.x; i++) {
            parts[0] += parts[i];
        }
    }
}

int main() {
    int supported = 0;
    CHECK(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
    EXPECT_EQUAL(supported, 1);
    for (unsigned groups : {1u, 2u, 13u, 40u}) {
        for (unsigned group : {64u, 256u}) {
            unsigned count = 3001, rounds = 9;
            std::vector<unsigned> start(count), expected(count);
            for (unsigned i = 0; i < count; i++) {
                start[i] = i * 10;
                expected[i] = (i + rounds) % count * 10 + rounds;
            }
            const DeviceArray<unsigned> a(start), b(count), parts(groups);
            unsigned *pa = a, *pb = b, *pparts = parts;
            void* arguments[] = {&pa, &pb, &count, &rounds};
            CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(groups), dim3(group), arguments, 0, nullptr));
            expect_same("rotated", rounds % 2 == 1 ? b.download() : a.download(), expected);
            a.upload(start);
            void* sum_arguments[] = {&pa, &pparts, &count};
            CHECK(hipLaunchCooperativeKernel(sum, dim3(groups), dim3(group), sum_arguments, 0, nullptr));
            EXPECT_EQUAL(parts.download()[0], 5u * count * (count - 1));
        }
    }
    unsigned count = 1, rounds = 1;
    const DeviceArray<unsigned> a(1), b(1);
    unsigned *pa = a, *pb = b;
    void* arguments[] = {&pa, &pb, &count, &rounds};
    EXPECT_ERROR(hipLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(1u << 20), dim3(1024), arguments, 0, nullptr),
                 hipErrorCooperativeLaunchTooLarge);
    return passed();
}
