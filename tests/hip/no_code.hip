//! # A program without code for the device: HIP says so and ends it.
//! code = "gfx1030"
//! status = 134
//! stderr = ["hipErrorNoBinaryForGpu"]
#include "check.h"

__global__ void set(int* out) { *out = 1; }

int main() {
    int devices = 0;
    CHECK(hipGetDeviceCount(&devices));
    EXPECT_EQUAL(devices, 1);
    const DeviceArray<int> out(std::vector<int>{5});
    set<<<1, 1>>>(out);
    FAIL("the program lives");
}
