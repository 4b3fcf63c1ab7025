//! # A store right behind an array of 256 bytes: with checks memory ends where the program has asked for no more.
//! variables = { GCN_CHECK = "bounds" }
//! status = 134
//! findings = ["global-out-of-bounds"]
//! stderr = ["lane 63, blockIdx 0,0,0, threadIdx 63,0,0", "ended at the access of the finding global-out-of-bounds"]
#include "check.h"

__global__ void shift(int* data) { data[threadIdx.x + 1] = 7; }

int main() {
    const DeviceArray<int> data(64);
    shift<<<1, 64>>>(data);
    CHECK_LAUNCH();
    (void)hipDeviceSynchronize();
    FAIL("the program lives");
}
