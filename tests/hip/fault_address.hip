//! # A kernel that writes where no memory is: the report names kernel and address, and HIP ends the program.
//! status = 134
//! stderr = ["scatter_too_far", "0x"]
#include "check.h"

__global__ void scatter_too_far(int* data, long distance) { data[threadIdx.x * distance] = 1; }

int main() {
    const DeviceArray<int> data(64);
    scatter_too_far<<<1, 64>>>(data, 1);
    CHECK(hipDeviceSynchronize());
    scatter_too_far<<<1, 64>>>(data, 1l << 40);
    CHECK_LAUNCH();
    (void)hipDeviceSynchronize();
    FAIL("the program lives");
}
