//! # A result that comes from memory that nothing has set: checks report it when the host copies it back.
//! variables = { GCN_CHECK = "uninit" }
//! findings = ["uninitialized-result"]
#include "check.h"

__global__ void twice(const int* data, int* result) { result[threadIdx.x] = 2 * data[threadIdx.x]; }

int main() {
    const DeviceArray<int> data(64), result(64);
    twice<<<1, 64>>>(data, result);
    CHECK_LAUNCH();
    CHECK(hipDeviceSynchronize());
    expect_same("result", result.download(), std::vector<int>(64, 0));
    return passed();
}
