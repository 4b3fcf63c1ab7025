//! # Textures over linear and pitched memory, in the formats that HIP has, as elements and as normalized numbers.
#include "textures.h"

#include <algorithm>

template <typename V, typename R>
__global__ void fetch(hipTextureObject_t texture, R* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = tex1Dfetch<R>(texture, i);
    }
}

template <typename R>
__global__ void read_rows(hipTextureObject_t texture, R* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = tex2D<R>(texture, x + 0.5f, y + 0.5f);
    }
}

// A normalized number as the device has it.
template <typename T>
float normalized(T value) {
    const float scaled = float(value) / float(std::numeric_limits<T>::max());
    return std::max(scaled, -1.0f);
}

// Memory of elements V with `channels` of T, read as V, and as R of floating-point numbers if those are normalized.
template <typename T, typename V, typename R = void>
void check_format(const char* name, int channels, uint64_t seed) {
    const int width = 37, height = 9, count = width * height;
    const auto values = random_bits<T>(count * channels, seed);
    hipResourceDesc resource = {};
    {
        const DeviceArray<T> memory(values);
        resource.resType = hipResourceTypeLinear;
        resource.res.linear.devPtr = memory.data();
        resource.res.linear.desc = format_of<T>(channels);
        resource.res.linear.sizeInBytes = memory.bytes();
        const Texture texture(resource, Sampling{});
        const DeviceArray<V> out(count);
        fetch<V, V><<<groups_of(count, 64), 64>>>(texture, out, count);
        CHECK_LAUNCH();
        std::vector<T> got(values.size());
        CHECK(hipMemcpy(got.data(), out.data(), memory.bytes(), hipMemcpyDeviceToHost));
        expect_same(name, got, values);
        hipResourceDesc known = {};
        CHECK(hipGetTextureObjectResourceDesc(&known, texture));
        EXPECT_EQUAL(known.resType, hipResourceTypeLinear);
    }
    void* rows;
    size_t pitch;
    const size_t row_bytes = width * sizeof(V);
    CHECK(hipMallocPitch(&rows, &pitch, row_bytes, height));
    CHECK(hipMemcpy2D(rows, pitch, values.data(), row_bytes, row_bytes, height, hipMemcpyHostToDevice));
    resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = format_of<T>(channels);
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    const dim3 grid(groups_of(width, 64), height);
    {
        const Texture texture(resource, Sampling{});
        const DeviceArray<V> out(count);
        read_rows<V><<<grid, 64>>>(texture, out, width, height);
        CHECK_LAUNCH();
        std::vector<T> got(values.size());
        CHECK(hipMemcpy(got.data(), out.data(), out.bytes(), hipMemcpyDeviceToHost));
        expect_same(name, got, values);
    }
    if constexpr (!std::is_void<R>::value) {
        Sampling sampling;
        sampling.read = hipReadModeNormalizedFloat;
        const Texture texture(resource, sampling);
        const DeviceArray<R> out(count);
        read_rows<R><<<grid, 64>>>(texture, out, width, height);
        CHECK_LAUNCH();
        std::vector<float> got(values.size()), expected(values.size());
        CHECK(hipMemcpy(got.data(), out.data(), out.bytes(), hipMemcpyDeviceToHost));
        std::transform(values.begin(), values.end(), expected.begin(), normalized<T>);
        expect_near(name, got, expected, 1e-6);
    }
    CHECK(hipFree(rows));
}

int main() {
    check_format<unsigned char, unsigned char, float>("uchar", 1, 1);
    check_format<unsigned char, uchar2, float2>("uchar2", 2, 2);
    check_format<unsigned char, uchar4, float4>("uchar4", 4, 3);
    check_format<signed char, char1, float>("char", 1, 4);
    check_format<signed char, char2, float2>("char2", 2, 5);
    check_format<signed char, char4, float4>("char4", 4, 6);
    check_format<unsigned short, unsigned short, float>("ushort", 1, 7);
    check_format<unsigned short, ushort2, float2>("ushort2", 2, 8);
    check_format<unsigned short, ushort4, float4>("ushort4", 4, 9);
    check_format<short, short, float>("short", 1, 10);
    check_format<short, short2, float2>("short2", 2, 11);
    check_format<short, short4, float4>("short4", 4, 12);
    check_format<unsigned, unsigned>("uint", 1, 13);
    check_format<unsigned, uint2>("uint2", 2, 14);
    check_format<unsigned, uint4>("uint4", 4, 15);
    check_format<int, int>("int", 1, 16);
    check_format<int, int2>("int2", 2, 17);
    check_format<int, int4>("int4", 4, 18);
    return passed();
}
