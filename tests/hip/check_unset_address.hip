//! # Memory that nothing has set is taken for an index: checks name the load's address.
//! variables = { GCN_CHECK = "uninit" }
//! findings = ["uninitialized-address"]
#include "check.h"

__global__ void gather(const int* data, const unsigned* places, int* result) {
    result[threadIdx.x] = data[places[threadIdx.x]];
}

int main() {
    const DeviceArray<int> data(std::vector<int>(64, 5)), result(64);
    const DeviceArray<unsigned> places(64);
    gather<<<1, 64>>>(data, places, result);
    CHECK_LAUNCH();
    // Emulated memory is zero. As with memcheck, an address that has been reported counts as defined behind it.
    expect_same("result", result.download(), std::vector<int>(64, 5));
    return passed();
}
