//! # Undefined values that the host does not read, or that are replaced before it does, are no finding.
//! variables = { GCN_CHECK = "default" }
//! findings = []
#include "check.h"

__global__ void twice(const int* data, int* result) { result[threadIdx.x] = 2 * data[threadIdx.x]; }

int main() {
    const DeviceArray<int> unset(64), set(std::vector<int>(64, 4)), result(64), other(128);
    twice<<<1, 64>>>(unset, result);
    CHECK_LAUNCH();
    twice<<<1, 64>>>(set, result);
    CHECK_LAUNCH();
    expect_same("result", result.download(), std::vector<int>(64, 8));
    // The half that is read is set.
    twice<<<1, 64>>>(set, other);
    twice<<<1, 64>>>(unset, other.data() + 64);
    CHECK_LAUNCH();
    std::vector<int> half(64);
    CHECK(hipMemcpy(half.data(), other, 64 * sizeof(int), hipMemcpyDeviceToHost));
    expect_same("other", half, std::vector<int>(64, 8));
    return passed();
}
