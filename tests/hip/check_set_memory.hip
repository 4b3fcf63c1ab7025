//! # Each way to set memory of a device: what is set is used as an index, and no check reports it.
//! variables = { GCN_CHECK = "default" }
//! findings = []
#include "check.h"

constexpr unsigned kCount = 64;
constexpr size_t kBytes = kCount * sizeof(unsigned);

__global__ void gather(const int* data, const unsigned* places, int* result) {
    result[threadIdx.x] = data[places[threadIdx.x]];
}

__global__ void count_down(unsigned* places) { places[threadIdx.x] = kCount - 1 - threadIdx.x; }

__device__ unsigned variable[kCount];

static void use(const char* name, const unsigned* places) {
    const DeviceArray<int> data(std::vector<int>(kCount, 3)), result(kCount);
    gather<<<1, kCount>>>(data, places, result);
    CHECK_LAUNCH();
    expect_same(name, result.download(), std::vector<int>(kCount, 3));
}

int main() {
    std::vector<unsigned> places(kCount);
    for (unsigned i = 0; i < kCount; i++) places[i] = i;
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));

    const DeviceArray<unsigned> copied(kCount), copied_async(kCount), filled(kCount), filled_async(kCount), words(kCount),
        from_device(kCount), by_kernel(kCount), planes(kCount), by_parts(kCount);
    CHECK(hipMemcpy(copied, places.data(), kBytes, hipMemcpyHostToDevice));
    use("hipMemcpy", copied);
    CHECK(hipMemcpyAsync(copied_async, places.data(), kBytes, hipMemcpyHostToDevice, stream));
    CHECK(hipStreamSynchronize(stream));
    use("hipMemcpyAsync", copied_async);
    CHECK(hipMemset(filled, 0, kBytes));
    use("hipMemset", filled);
    CHECK(hipMemsetAsync(filled_async, 0, kBytes, stream));
    CHECK(hipStreamSynchronize(stream));
    use("hipMemsetAsync", filled_async);
    CHECK(hipMemsetD32(words.data(), 7, kCount));
    use("hipMemsetD32", words);
    CHECK(hipMemcpy(from_device, copied, kBytes, hipMemcpyDeviceToDevice));
    use("hipMemcpyDeviceToDevice", from_device);
    count_down<<<1, kCount>>>(by_kernel);
    CHECK_LAUNCH();
    use("a kernel", by_kernel);
    CHECK(hipMemcpy2D(planes, kBytes / 4, places.data(), kBytes / 4, kBytes / 4, 4, hipMemcpyHostToDevice));
    use("hipMemcpy2D", planes);
    for (unsigned i = 0; i < kCount; i++) {
        CHECK(hipMemcpy(by_parts.data() + i, &places[i], sizeof(unsigned), hipMemcpyHostToDevice));
    }
    use("a hipMemcpy for each", by_parts);
    unsigned* symbol;
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(variable), places.data(), kBytes));
    CHECK(hipGetSymbolAddress(reinterpret_cast<void**>(&symbol), HIP_SYMBOL(variable)));
    use("hipMemcpyToSymbol", symbol);

    // Memory that the host writes by itself.
    unsigned *managed, *mapped, *seen;
    CHECK(hipMallocManaged(reinterpret_cast<void**>(&managed), kBytes));
    CHECK(hipHostMalloc(reinterpret_cast<void**>(&mapped), kBytes, hipHostMallocMapped));
    for (unsigned i = 0; i < kCount; i++) managed[i] = mapped[i] = kCount - 1 - i;
    use("hipMallocManaged", managed);
    CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&seen), mapped, 0));
    use("hipHostMalloc", seen);
    CHECK(hipHostRegister(places.data(), kBytes, hipHostRegisterMapped));
    CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&seen), places.data(), 0));
    use("hipHostRegister", seen);
    CHECK(hipHostUnregister(places.data()));
    CHECK(hipHostFree(mapped));
    CHECK(hipFree(managed));

    // Large enough for copies in several parts.
    constexpr size_t kLarge = 24u << 20;
    const DeviceArray<unsigned> large(std::vector<unsigned>(kLarge / sizeof(unsigned), 1));
    use("a large copy", large.data() + kLarge / sizeof(unsigned) - kCount);
    CHECK(hipStreamDestroy(stream));
    return passed();
}
