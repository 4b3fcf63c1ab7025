//! # Variables of the device: constants, arrays and structures, copied to and from, by symbol and by address.
#include "check.h"

struct Settings {
    float scale;
    int offset[3];
    double weight;
};

__device__ int counter = 40;
__device__ float results[100];
__constant__ float coefficients[16] = {1, 2, 3};
__constant__ Settings settings;
__device__ const char text[] = "read only";
static __device__ unsigned long long hidden = 0x123456789abcdef0;

__global__ void use() {
    const unsigned i = threadIdx.x;
    results[i] = coefficients[i % 16] * settings.scale + settings.offset[i % 3] + float(settings.weight);
    atomicAdd(&counter, 1);
    // What no kernel uses is not in the code object.
    if (text[i % sizeof(text)] == settings.offset[1]) {
        hidden = 0;
    }
}

int main() {
    // Initial values are there before any kernel has run.
    int start = 0;
    CHECK(hipMemcpyFromSymbol(&start, HIP_SYMBOL(counter), sizeof(start), 0, hipMemcpyDeviceToHost));
    EXPECT_EQUAL(start, 40);
    float initial[16];
    CHECK(hipMemcpyFromSymbol(initial, HIP_SYMBOL(coefficients), sizeof(initial), 0, hipMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) {
        EXPECT_EQUAL(initial[i], i < 3 ? i + 1 : 0);
    }
    unsigned long long before = 0;
    CHECK(hipMemcpyFromSymbol(&before, HIP_SYMBOL(hidden), sizeof(before)));
    EXPECT_EQUAL(before, 0x123456789abcdef0);

    float values[16];
    for (int i = 0; i < 16; i++) {
        values[i] = 0.5f * i;
    }
    const Settings chosen = {4, {100, 200, 300}, 0.25};
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), values, sizeof(values)));
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(settings), &chosen, sizeof(chosen), 0, hipMemcpyHostToDevice));
    use<<<1, 100>>>();
    CHECK_LAUNCH();
    float got[100];
    CHECK(hipMemcpyFromSymbol(got, HIP_SYMBOL(results), sizeof(got)));
    for (int i = 0; i < 100; i++) {
        const float expected = values[i % 16] * 4 + chosen.offset[i % 3] + 0.25f;
        REQUIRE(got[i] == expected, "results[%d]: expected %g, got %g", i, expected, got[i]);
    }
    // A part of a symbol, in a stream.
    const float part[2] = {-7, -8};
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    CHECK(hipMemcpyToSymbolAsync(HIP_SYMBOL(results), part, sizeof(part), 50 * sizeof(float), hipMemcpyHostToDevice, stream));
    float back[4];
    CHECK(hipMemcpyFromSymbolAsync(back, HIP_SYMBOL(results), sizeof(back), 49 * sizeof(float), hipMemcpyDeviceToHost, stream));
    CHECK(hipStreamSynchronize(stream));
    REQUIRE(back[0] == got[49] && back[1] == -7 && back[2] == -8 && back[3] == got[52], "%g %g %g %g", back[0], back[1], back[2],
            back[3]);

    void* address = nullptr;
    size_t size = 0;
    CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(counter)));
    CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(counter)));
    EXPECT_EQUAL(size, sizeof(int));
    CHECK(hipMemcpy(&start, address, sizeof(int), hipMemcpyDeviceToHost));
    EXPECT_EQUAL(start, 140);
    CHECK(hipMemset(address, 0, size));
    use<<<1, 7>>>();
    CHECK(hipMemcpyFromSymbol(&start, HIP_SYMBOL(counter), sizeof(start)));
    EXPECT_EQUAL(start, 7);
    CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(settings)));
    EXPECT_EQUAL(size, sizeof(Settings));
    CHECK(hipMemcpyFromSymbol(&before, HIP_SYMBOL(hidden), sizeof(before)));
    EXPECT_EQUAL(before, 0x123456789abcdef0);
    char letters[sizeof(text)];
    CHECK(hipMemcpyFromSymbol(letters, HIP_SYMBOL(text), sizeof(letters)));
    REQUIRE(std::strcmp(letters, "read only") == 0, "%.10s", letters);

    int stranger;
    EXPECT_ERROR(hipGetSymbolAddress(&address, &stranger), hipErrorInvalidSymbol);
    EXPECT_ERROR(hipMemcpyToSymbol(HIP_SYMBOL(settings), &chosen, sizeof(chosen) + 1), hipErrorInvalidValue);
    CHECK(hipStreamDestroy(stream));
    return passed();
}
