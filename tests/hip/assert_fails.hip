//! # An assertion of a kernel that fails says where, and ends the program.
//! status = 134
//! stderr = ["assert_fails.hip:", "check_values", "Device-side assertion `data[threadIdx.x] != 13' failed."]
#include <cassert>

#include "check.h"

__global__ void check_values(const int* data) { assert(data[threadIdx.x] != 13); }

int main() {
    std::vector<int> values(100, 1);
    const DeviceArray<int> data(values);
    check_values<<<1, 100>>>(data);
    CHECK(hipDeviceSynchronize());
    std::puts("assertions that hold do nothing");
    std::fflush(stdout);
    values[70] = 13;
    data.upload(values);
    check_values<<<1, 100>>>(data);
    CHECK(hipDeviceSynchronize());
    FAIL("the program lives");
}
