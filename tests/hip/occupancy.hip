//! # Occupancy queries agree with the limits that the device states, and with each other.
#include "check.h"

__global__ void light(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void with_lds(int* out) {
    __shared__ int words[4096];
    words[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

int main() {
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    for (int block : {64, 128, 256, 1024}) {
        int groups = 0;
        CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, light, block, 0));
        REQUIRE(groups >= 1 && groups * block <= properties.maxThreadsPerMultiProcessor, "%d groups of %d", groups, block);
        // 64 KiB of LDS hold 4 groups with 16 KiB.
        CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, with_lds, block, 0));
        REQUIRE(groups >= 1 && groups <= 4, "%d groups of %d with 16 KiB of LDS", groups, block);
        int fewer = 0;
        CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, with_lds, block, 16384));
        REQUIRE(fewer >= 1 && fewer <= 2, "%d groups of %d with 32 KiB of LDS", fewer, block);
        CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&fewer, with_lds, block, 0, hipOccupancyDefault));
        EXPECT_EQUAL(fewer, groups);
    }
    int grid = 0, block = 0;
    CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
    REQUIRE(block >= 64 && block <= 1024 && block % 64 == 0, "block of %d", block);
    REQUIRE(grid >= properties.multiProcessorCount, "grid of %d", grid);
    CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 128));
    REQUIRE(block >= 1 && block <= 128, "block of %d", block);

    hipFuncAttributes attributes;
    CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(with_lds)));
    EXPECT_EQUAL(attributes.sharedSizeBytes, 16384);
    REQUIRE(attributes.numRegs > 0, "%d registers", attributes.numRegs);
    REQUIRE(attributes.maxThreadsPerBlock >= 256 && attributes.maxThreadsPerBlock <= 1024, "%d threads",
            attributes.maxThreadsPerBlock);
    // The size that is recommended works.
    CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
    const DeviceArray<int> out(size_t(grid) * block);
    out.clear();
    light<<<grid, block>>>(out);
    CHECK_LAUNCH();
    expect_same("out", out.download(), std::vector<int>(size_t(grid) * block, 1));
    return passed();
}
