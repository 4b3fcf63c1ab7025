//! # Surfaces: kernels load and store elements of arrays of one, two and three dimensions, which textures and copies see.
#include "textures.h"

// Stores a value that tells the place, and reads what was there.
__global__ void exchange_2d(hipSurfaceObject_t surface, float4* old, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        float4 value;
        surf2Dread(&value, surface, x * int(sizeof(float4)), y);
        old[y * width + x] = value;
        surf2Dwrite(make_float4(x, y, x + y, 0.25f), surface, x * int(sizeof(float4)), y);
    }
}

template <typename T>
__global__ void copy_2d(hipSurfaceObject_t from, hipSurfaceObject_t to, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        T value;
        surf2Dread(&value, from, x * int(sizeof(T)), y);
        surf2Dwrite(value, to, (width - 1 - x) * int(sizeof(T)), height - 1 - y);
    }
}

__global__ void halve_1d(hipSurfaceObject_t surface, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) {
        float value;
        surf1Dread(&value, surface, x * int(sizeof(float)));
        surf1Dwrite(value / 2, surface, x * int(sizeof(float)));
    }
}

__global__ void turn_3d(hipSurfaceObject_t surface, int width, int height, int depth) {
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < width && y < height && z < depth) {
        float value;
        surf3Dread(&value, surface, x * int(sizeof(float)), y, z);
        surf3Dwrite(value + 100 * z + 10 * y + x, surface, x * int(sizeof(float)), y, z);
    }
}

__global__ void read_texture(hipTextureObject_t texture, float4* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
    }
}

class Surface {
  public:
    template <typename T>
    explicit Surface(const TexelArray<T>& array) {
        const auto resource = Texture::resource_of(array);
        CHECK(hipCreateSurfaceObject(&surface_, &resource));
    }
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;
    ~Surface() { (void)hipDestroySurfaceObject(surface_); }
    operator hipSurfaceObject_t() const { return surface_; }

  private:
    hipSurfaceObject_t surface_ = nullptr;
};

constexpr int WIDTH = 70, HEIGHT = 13;

template <typename T, typename V>
void check_turned(const char* name, int channels) {
    const TexelArray<T> from(channels, WIDTH, HEIGHT);
    const TexelArray<T> to(channels, WIDTH, HEIGHT);
    const auto texels = random_bits<T>(from.elements() * channels, channels);
    from.upload(texels);
    const Surface source(from), target(to);
    copy_2d<V><<<dim3(groups_of(WIDTH, 64), HEIGHT), 64>>>(source, target, WIDTH, HEIGHT);
    CHECK_LAUNCH();
    std::vector<T> expected(texels.size());
    for (size_t i = 0; i < from.elements(); i++) {
        for (int c = 0; c < channels; c++) {
            expected[(from.elements() - 1 - i) * channels + c] = texels[i * channels + c];
        }
    }
    expect_same(name, to.download(), expected);
}

int main() {
    {
        const TexelArray<float> array(4, WIDTH, HEIGHT);
        const auto before = random_reals<float>(array.elements() * 4, -1, 1, 1);
        array.upload(before);
        const Surface surface(array);
        const DeviceArray<float4> old(array.elements()), seen(array.elements());
        const dim3 grid(groups_of(WIDTH, 64), HEIGHT);
        exchange_2d<<<grid, 64>>>(surface, old, WIDTH, HEIGHT);
        CHECK_LAUNCH();
        const Texture texture(array, Sampling{});
        read_texture<<<grid, 64>>>(texture, seen, WIDTH, HEIGHT);
        CHECK_LAUNCH();
        std::vector<float> got(before.size()), expected;
        CHECK(hipMemcpy(got.data(), old.data(), old.bytes(), hipMemcpyDeviceToHost));
        expect_same("read by a surface", got, before);
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                for (const float value : {float(x), float(y), float(x + y), 0.25f}) {
                    expected.push_back(value);
                }
            }
        }
        CHECK(hipMemcpy(got.data(), seen.data(), seen.bytes(), hipMemcpyDeviceToHost));
        expect_same("written by a surface, read by a texture", got, expected);
        expect_same("written by a surface, copied", array.download(), expected);
    }
    check_turned<float, float>("float", 1);
    check_turned<float, float2>("float2", 2);
#if HIP_VERSION_MAJOR >= 6
    // HIP 5.2 converts what a surface stores to float.
    check_turned<int, int>("int", 1);
    check_turned<unsigned, uint4>("uint4", 4);
    check_turned<short, short2>("short2", 2);
    check_turned<unsigned char, uchar4>("uchar4", 4);
#endif
    {
        const TexelArray<float> array(1, WIDTH, 0);
        auto values = random_reals<float>(WIDTH, -1, 1, 2);
        array.upload(values);
        const Surface surface(array);
        halve_1d<<<groups_of(WIDTH, 64), 64>>>(surface, WIDTH);
        CHECK_LAUNCH();
        for (float& value : values) {
            value /= 2;
        }
        expect_same("one dimension", array.download(), values);
    }
    {
        const int width = 9, height = 5, depth = 4;
        const TexelArray<float> array(1, width, height, depth);
        std::vector<float> values(array.elements(), 1.0f);
        array.upload(values);
        const Surface surface(array);
        turn_3d<<<dim3(height, depth), 64>>>(surface, width, height, depth);
        CHECK_LAUNCH();
        for (size_t i = 0; i < values.size(); i++) {
            values[i] += 100 * (i / (width * height)) + 10 * (i / width % height) + i % width;
        }
        expect_same("three dimensions", array.download(), values);
    }
    return passed();
}
