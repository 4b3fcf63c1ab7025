//! # Launches that cannot be are refused with an error, the device works on; and the rules of the last error.
#include "check.h"

__global__ void set(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }

__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = 1; }

__global__ void with_lds(int* out) {
    __shared__ int words[10000];
    extern __shared__ int more[];
    words[threadIdx.x] = out[threadIdx.x];
    more[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = words[63 - threadIdx.x] + more[63 - threadIdx.x];
}

int main() {
    const DeviceArray<int> out(1024);
    auto expect_works = [&](int value) {
        set<<<1, 1024>>>(out, value);
        CHECK_LAUNCH();
        expect_same("out", out.download(), std::vector<int>(1024, value));
    };
    expect_works(1);
    set<<<1, 1025>>>(out, -1);
    // The error stays until it is fetched, and is gone then.
    EXPECT_ERROR(hipPeekAtLastError(), hipErrorInvalidConfiguration);
    EXPECT_ERROR(hipGetLastError(), hipErrorInvalidConfiguration);
    EXPECT_ERROR(hipGetLastError(), hipSuccess);
    expect_works(2);
    set<<<1, dim3(32, 32, 2)>>>(out, -1);
    EXPECT_ERROR(hipGetLastError(), hipErrorInvalidConfiguration);
    set<<<0, 64>>>(out, -1);
    REQUIRE(hipGetLastError() != hipSuccess, "a grid of nothing");
    set<<<1, 0>>>(out, -1);
    REQUIRE(hipGetLastError() != hipSuccess, "a group of nothing");
    set<<<dim3(1, 1, 0), 64>>>(out, -1);
    REQUIRE(hipGetLastError() != hipSuccess, "a grid without depth");
    bounded<<<1, 256>>>(out);
    EXPECT_ERROR(hipGetLastError(), hipErrorLaunchFailure);
    expect_works(3);
    // 40,000 bytes of LDS are static; 64 KiB are there.
    with_lds<<<1, 64, 65536>>>(out);
    REQUIRE(hipGetLastError() != hipSuccess, "a launch with too much LDS");
    with_lds<<<1, 64, 25000>>>(out);
    CHECK_LAUNCH();
    CHECK(hipDeviceSynchronize());
    EXPECT_EQUAL(out.download()[0], 4);
    expect_works(5);

    int value = 1;
    int* pointer = out;
    void* arguments[] = {&pointer, &value};
    EXPECT_ERROR(hipLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, nullptr), hipErrorInvalidDeviceFunction);
    EXPECT_ERROR(hipLaunchKernel(&value, dim3(1), dim3(1), arguments, 0, nullptr), hipErrorInvalidDeviceFunction);
    EXPECT_ERROR(hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), hipErrorInvalidImage);
    (void)hipGetLastError();

    EXPECT_ERROR(hipSetDevice(12), hipErrorInvalidDevice);
    EXPECT_ERROR(hipSetDevice(-1), hipErrorInvalidDevice);
    // A call that succeeds leaves the error of an earlier one.
    int device = 0;
    CHECK(hipGetDevice(&device));
    EXPECT_ERROR(hipGetDevice(nullptr), hipErrorInvalidValue);
    EXPECT_ERROR(hipGetDeviceCount(nullptr), hipErrorInvalidValue);
    hipDeviceProp_t properties;
    EXPECT_ERROR(hipGetDeviceProperties(&properties, 5), hipErrorInvalidDevice);
    EXPECT_ERROR(hipStreamSynchronize(reinterpret_cast<hipStream_t>(0x10)), hipErrorContextIsDestroyed);
    (void)hipGetLastError();
    expect_works(6);
    REQUIRE(std::strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory") == 0, "%s", hipGetErrorName(hipErrorOutOfMemory));
    REQUIRE(std::strlen(hipGetErrorString(hipErrorInvalidValue)) > 3, "%s", hipGetErrorString(hipErrorInvalidValue));
    return passed();
}
