//! # Textures of arrays in every format: channels, bits, signs, half precision, normalized numbers, and linear filters of them.
#include "textures.h"

#include <algorithm>
#include <hip/hip_fp16.h>

template <typename R>
__global__ void read_all(hipTextureObject_t texture, R* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = tex2D<R>(texture, x + 0.5f, y + 0.5f);
    }
}

// Between four texels: their mean.
template <typename R>
__global__ void read_between(hipTextureObject_t texture, R* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width - 1 && y < height - 1) {
        out[y * width + x] = tex2D<R>(texture, x + 1.0f, y + 1.0f);
    }
}

constexpr int WIDTH = 21, HEIGHT = 10;

template <typename T, typename R>
std::vector<T> run(void (*kernel)(hipTextureObject_t, R*, int, int), const Texture& texture) {
    const DeviceArray<R> out(WIDTH * HEIGHT);
    out.clear();
    kernel<<<dim3(1, HEIGHT), 64>>>(texture, out, WIDTH, HEIGHT);
    CHECK_LAUNCH();
    std::vector<T> got(out.bytes() / sizeof(T));
    CHECK(hipMemcpy(got.data(), out.data(), out.bytes(), hipMemcpyDeviceToHost));
    return got;
}

// The mean of each texel and its neighbours, 0 at the last ones.
std::vector<float> means(const std::vector<float>& texels, int channels) {
    std::vector<float> result(texels.size());
    for (int y = 0; y + 1 < HEIGHT; y++) {
        for (int x = 0; x + 1 < WIDTH; x++) {
            for (int c = 0; c < channels; c++) {
                const auto at = [&](int dx, int dy) { return texels[((y + dy) * WIDTH + x + dx) * channels + c]; };
                result[(y * WIDTH + x) * channels + c] = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4;
            }
        }
    }
    return result;
}

// T's channels as elements V.
template <typename T, typename V>
void check_elements(const char* name, int channels) {
    const TexelArray<T> array(channels, WIDTH, HEIGHT);
    const auto texels = random_bits<T>(array.elements() * channels, sizeof(T) * 8 + channels);
    array.upload(texels);
    const Texture texture(array, Sampling{});
    expect_same(name, run<T, V>(read_all<V>, texture), texels);
}

// T's channels as normalized numbers R, and their means.
template <typename T, typename R>
void check_normalized(const char* name, int channels) {
    const TexelArray<T> array(channels, WIDTH, HEIGHT);
    auto texels = random_bits<T>(array.elements() * channels, sizeof(T) * 8 + channels + 100);
    texels[0] = std::numeric_limits<T>::min();
    texels[1] = std::numeric_limits<T>::max();
    array.upload(texels);
    std::vector<float> expected(texels.size());
    std::transform(texels.begin(), texels.end(), expected.begin(), [](T value) {
        return std::max(float(value) / float(std::numeric_limits<T>::max()), -1.0f);
    });
    Sampling sampling;
    sampling.read = hipReadModeNormalizedFloat;
    {
        const Texture texture(array, sampling);
        expect_near(name, run<float, R>(read_all<R>, texture), expected, 1e-6);
    }
    sampling.filter = hipFilterModeLinear;
    const Texture texture(array, sampling);
    expect_near(name, run<float, R>(read_between<R>, texture), means(expected, channels), FILTER_TOLERANCE);
}

// Half precision is read as floats R.
template <typename R>
void check_half(const char* name, int channels) {
    auto format = format_of<unsigned short>(channels);
    format.f = hipChannelFormatKindFloat;
    decltype(hipResourceDesc{}.res.array.array) array;
    CHECK(hipMallocArray(&array, &format, WIDTH, HEIGHT, hipArrayDefault));
    std::vector<float> expected;
    std::vector<__half> texels;
    Random random(channels);
    for (int i = 0; i < WIDTH * HEIGHT * channels; i++) {
        texels.push_back(__float2half(float(random.real(-8, 8))));
        expected.push_back(__half2float(texels.back()));
    }
    const size_t row = WIDTH * channels * sizeof(__half);
    CHECK(hipMemcpy2DToArray(array, 0, 0, texels.data(), row, row, HEIGHT, hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    {
        const Texture texture(resource, Sampling{});
        expect_same(name, run<float, R>(read_all<R>, texture), expected);
    }
    Sampling sampling;
    sampling.filter = hipFilterModeLinear;
    {
        const Texture texture(resource, sampling);
        expect_near(name, run<float, R>(read_between<R>, texture), means(expected, channels), 16 * FILTER_TOLERANCE);
    }
    CHECK(hipFreeArray(array));
}

template <typename R>
void check_float(const char* name, int channels) {
    const TexelArray<float> array(channels, WIDTH, HEIGHT);
    const auto texels = random_reals<float>(array.elements() * channels, -1, 1, channels);
    array.upload(texels);
    {
        const Texture texture(array, Sampling{});
        expect_same(name, run<float, R>(read_all<R>, texture), texels);
    }
    Sampling sampling;
    sampling.filter = hipFilterModeLinear;
    const Texture texture(array, sampling);
    expect_near(name, run<float, R>(read_between<R>, texture), means(texels, channels), 2 * FILTER_TOLERANCE);
}

int main() {
    check_elements<unsigned char, unsigned char>("uchar", 1);
    check_elements<unsigned char, uchar2>("uchar2", 2);
    check_elements<unsigned char, uchar4>("uchar4", 4);
    check_elements<signed char, char1>("char", 1);
    check_elements<signed char, char2>("char2", 2);
    check_elements<signed char, char4>("char4", 4);
    check_elements<unsigned short, unsigned short>("ushort", 1);
    check_elements<unsigned short, ushort2>("ushort2", 2);
    check_elements<unsigned short, ushort4>("ushort4", 4);
    check_elements<short, short>("short", 1);
    check_elements<short, short2>("short2", 2);
    check_elements<short, short4>("short4", 4);
    check_elements<unsigned, unsigned>("uint", 1);
    check_elements<unsigned, uint2>("uint2", 2);
    check_elements<unsigned, uint4>("uint4", 4);
    check_elements<int, int>("int", 1);
    check_elements<int, int2>("int2", 2);
    check_elements<int, int4>("int4", 4);
    check_normalized<unsigned char, float>("normalized uchar", 1);
    check_normalized<unsigned char, float2>("normalized uchar2", 2);
    check_normalized<unsigned char, float4>("normalized uchar4", 4);
    check_normalized<signed char, float>("normalized char", 1);
    check_normalized<signed char, float4>("normalized char4", 4);
    check_normalized<unsigned short, float>("normalized ushort", 1);
    check_normalized<unsigned short, float4>("normalized ushort4", 4);
    check_normalized<short, float2>("normalized short2", 2);
    check_half<float>("half", 1);
    check_half<float2>("half2", 2);
    check_half<float4>("half4", 4);
    check_float<float>("float", 1);
    check_float<float2>("float2", 2);
    check_float<float4>("float4", 4);
    return passed();
}
