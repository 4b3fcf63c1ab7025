//! # Textures with colours of sRGB, with a view of another format, gathers, and samples with a level or gradients.
#include "textures.h"

constexpr int WIDTH = 24, HEIGHT = 10;

__global__ void gather(hipTextureObject_t texture, float4* out) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < WIDTH - 1) {
        // Between four texels. HIP counts channels from 1.
        out[y * WIDTH + x] = tex2Dgather<float4>(texture, x + 1.0f, y + 1.0f, 1);
    }
}

__global__ void with_level(hipTextureObject_t texture, float* out) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < WIDTH) {
        out[y * WIDTH + x] = tex2DLod<float>(texture, x + 0.5f, y + 0.5f, 0.0f);
    }
}

__global__ void with_gradients(hipTextureObject_t texture, float* out) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < WIDTH) {
        out[y * WIDTH + x] = tex2DGrad<float>(texture, x + 0.5f, y + 0.5f, make_float2(1, 0), make_float2(0, 1));
    }
}

template <typename V>
__global__ void read_all(hipTextureObject_t texture, V* out) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < WIDTH) {
        out[y * WIDTH + x] = tex2D<V>(texture, x + 0.5f, y + 0.5f);
    }
}

float of_srgb(unsigned char value) {
    const double encoded = value / 255.0;
    return float(encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4));
}

int main() {
    const TexelArray<float> array(1, WIDTH, HEIGHT);
    const auto values = random_reals<float>(WIDTH * HEIGHT, -1, 1, 1);
    array.upload(values);
    const auto at = [&](int x, int y) { return values[y * WIDTH + x]; };
    const DeviceArray<float> out(values.size());
    {
        const Texture texture(array, Sampling{});
        const DeviceArray<float4> gathered(values.size());
        gathered.clear();
        gather<<<HEIGHT - 1, 64>>>(texture, gathered);
        CHECK_LAUNCH();
        const auto got = gathered.download();
        for (int y = 0; y + 1 < HEIGHT; y++) {
            for (int x = 0; x + 1 < WIDTH; x++) {
                const float4 four = got[y * WIDTH + x];
                REQUIRE(four.x == at(x, y + 1) && four.y == at(x + 1, y + 1) && four.z == at(x + 1, y) && four.w == at(x, y),
                        "the texels around %d, %d are %g, %g, %g, %g", x, y, four.x, four.y, four.z, four.w);
            }
        }
        with_level<<<HEIGHT, 64>>>(texture, out);
        CHECK_LAUNCH();
        expect_same("with a level", out.download(), values);
        out.clear();
        with_gradients<<<HEIGHT, 64>>>(texture, out);
        CHECK_LAUNCH();
        expect_same("with gradients", out.download(), values);
    }
    const TexelArray<unsigned char> bytes(4, WIDTH, HEIGHT);
    const auto colors = random_bits<unsigned char>(WIDTH * HEIGHT * 4, 2);
    bytes.upload(colors);
    const auto resource = Texture::resource_of(bytes);
    {
        Sampling sampling;
        sampling.read = hipReadModeNormalizedFloat;
        auto description = sampling.description();
        description.sRGB = 1;
        hipTextureObject_t texture;
        CHECK(hipCreateTextureObject(&texture, &resource, &description, nullptr));
        const DeviceArray<float4> linear(WIDTH * HEIGHT);
        read_all<<<HEIGHT, 64>>>(texture, linear.data());
        CHECK_LAUNCH();
        std::vector<float> got(colors.size()), expected;
        CHECK(hipMemcpy(got.data(), linear.data(), linear.bytes(), hipMemcpyDeviceToHost));
        for (size_t i = 0; i < colors.size(); i++) {
            expected.push_back(i % 4 == 3 ? colors[i] / 255.0f : of_srgb(colors[i]));
        }
        expect_near("colours of sRGB", got, expected, 1e-5);
        hipResourceDesc known = {};
        CHECK(hipGetTextureObjectResourceDesc(&known, texture));
        REQUIRE(known.res.array.array == bytes.get(), "the texture is of the array");
        CHECK(hipDestroyTextureObject(texture));
    }
    {
        // Four bytes as one number.
        hipResourceViewDesc view = {};
        view.format = hipResViewFormatUnsignedInt1;
        view.width = WIDTH;
        view.height = HEIGHT;
        const auto description = Sampling{}.description();
        hipTextureObject_t texture;
        CHECK(hipCreateTextureObject(&texture, &resource, &description, &view));
        const DeviceArray<unsigned> numbers(WIDTH * HEIGHT);
        read_all<<<HEIGHT, 64>>>(texture, numbers.data());
        CHECK_LAUNCH();
        std::vector<unsigned> expected(WIDTH * HEIGHT);
        std::memcpy(expected.data(), colors.data(), colors.size());
        expect_same("a view", numbers.download(), expected);
        CHECK(hipDestroyTextureObject(texture));
    }
    return passed();
}
