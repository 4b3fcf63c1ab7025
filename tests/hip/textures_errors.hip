//! # Errors of arrays, textures and surfaces; arrays that are freed, and textures that are destroyed, while kernels use them.
#include "textures.h"

#include <memory>

__global__ void slow_sum(hipTextureObject_t texture, float* out, int width, int rounds) {
    float sum = 0;
    for (int round = 0; round < rounds; round++) {
        sum += tex2D<float>(texture, (threadIdx.x + round) % width + 0.5f, 0.5f);
    }
    out[threadIdx.x] = sum;
}

void creation() {
    const auto format = format_of<float>(1);
    decltype(hipResourceDesc{}.res.array.array) array = nullptr;
    EXPECT_ERROR(hipMallocArray(&array, &format, 0, 64, hipArrayDefault), hipErrorInvalidValue);
    REQUIRE(hipMallocArray(&array, &format, 1 << 20, 64, hipArrayDefault) != hipSuccess, "an array that is too wide");
    hipChannelFormatDesc odd = format;
    odd.x = 24;
    REQUIRE(hipMallocArray(&array, &odd, 64, 64, hipArrayDefault) != hipSuccess, "channels of 24 bits");
    (void)hipGetLastError();

    hipTextureObject_t texture;
    const hipTextureDesc description = Sampling{}.description();
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    EXPECT_ERROR(hipCreateTextureObject(&texture, &resource, &description, nullptr), hipErrorInvalidValue);
    REQUIRE(hipCreateTextureObject(&texture, nullptr, &description, nullptr) != hipSuccess, "a texture of nothing");
    // The rows of pitched memory begin at multiples of the device's alignment.
    const DeviceArray<float> memory(64 * 64);
    resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory.data();
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = 60;
    resource.res.pitch2D.height = 60;
    resource.res.pitch2D.pitchInBytes = 60 * sizeof(float);
    EXPECT_ERROR(hipCreateTextureObject(&texture, &resource, &description, nullptr), hipErrorInvalidValue);
    resource.res.pitch2D.pitchInBytes = 64 * sizeof(float);
    resource.res.pitch2D.devPtr = memory.data() + 1;
    EXPECT_ERROR(hipCreateTextureObject(&texture, &resource, &description, nullptr), hipErrorInvalidValue);
    // Surfaces are of arrays.
    hipSurfaceObject_t surface;
    EXPECT_ERROR(hipCreateSurfaceObject(&surface, &resource), hipErrorInvalidValue);
    (void)hipGetLastError();
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    EXPECT_EQUAL(properties.maxTexture1D, 16384);
    EXPECT_EQUAL(properties.maxTexture2D[1], 16384);
    REQUIRE(properties.textureAlignment == 256, "the alignment is %zu", properties.textureAlignment);
}

void copies() {
    const TexelArray<float> array(1, 32, 8);
    const std::vector<float> values(64 * 64);
    REQUIRE(hipMemcpy2DToArray(array.get(), 0, 0, values.data(), 256, 40 * sizeof(float), 8, hipMemcpyHostToDevice) != hipSuccess,
            "rows longer than the array's");
    REQUIRE(hipMemcpy2DToArray(array.get(), 0, 4, values.data(), 256, 128, 8, hipMemcpyHostToDevice) != hipSuccess,
            "rows behind the array's last");
    (void)hipGetLastError();
}

void destruction() {
    const int width = 64, rounds = 2000;
    const auto values = random_reals<float>(width, 0, 1, 1);
    std::vector<float> expected(width);
    for (int i = 0; i < width; i++) {
        for (int round = 0; round < rounds; round++) {
            expected[i] += values[(i + round) % width];
        }
    }
    for (int turn = 0; turn < 4; turn++) {
        auto array = std::make_unique<TexelArray<float>>(1, width, 1);
        array->upload(values);
        auto texture = std::make_unique<Texture>(*array, Sampling{});
        const DeviceArray<float> out(width);
        slow_sum<<<1, width>>>(*texture, out, width, rounds);
        CHECK_LAUNCH();
        // As with any memory, HIP waits for the kernel.
        texture.reset();
        array.reset();
        expect_same("a sum", out.download(), expected);
    }
}

int main() {
    creation();
    copies();
    destruction();
    return passed();
}
