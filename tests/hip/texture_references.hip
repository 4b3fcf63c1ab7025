//! # Texture references, which kernels name as variables: bound to linear memory, to pitched memory and to an array.
//! flags = ["-Wno-deprecated-declarations"]
#include "textures.h"

texture<float, hipTextureType1D, hipReadModeElementType> line;
texture<float, hipTextureType2D, hipReadModeElementType> plane;
texture<unsigned char, hipTextureType2D, hipReadModeNormalizedFloat> grey;

__global__ void read_line(float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) {
        out[x] = tex1Dfetch(line, x);
    }
}

__global__ void read_plane(float* out, int width) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < width) {
        out[y * width + x] = tex2D(plane, x + 0.5f, y + 0.5f);
    }
}

__global__ void read_grey(float* out, int width) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < width) {
        out[y * width + x] = tex2D(grey, x + 0.5f, y + 0.5f);
    }
}

int main() {
    const int width = 45, height = 12, count = width * height;
    const auto values = random_reals<float>(count, -1, 1, 1);
    const DeviceArray<float> memory(values), out(count);
    size_t offset = 0;
    CHECK(hipBindTexture(&offset, line, memory.data(), memory.bytes()));
    read_line<<<groups_of(count, 64), 64>>>(out, count);
    CHECK_LAUNCH();
    expect_same("linear memory", out.download(), values);
    CHECK(hipUnbindTexture(line));

    float* rows;
    size_t pitch;
    const size_t row_bytes = width * sizeof(float);
    CHECK(hipMallocPitch(reinterpret_cast<void**>(&rows), &pitch, row_bytes, height));
    CHECK(hipMemcpy2D(rows, pitch, values.data(), row_bytes, row_bytes, height, hipMemcpyHostToDevice));
    CHECK(hipBindTexture2D(&offset, plane, rows, width, height, pitch));
    out.clear();
    read_plane<<<height, 64>>>(out, width);
    CHECK_LAUNCH();
    expect_same("pitched memory", out.download(), values);
    CHECK(hipUnbindTexture(plane));
    CHECK(hipFree(rows));

    const TexelArray<float> array(1, width, height);
    array.upload(values);
    CHECK(hipBindTextureToArray(plane, array.get()));
    out.clear();
    read_plane<<<height, 64>>>(out, width);
    CHECK_LAUNCH();
    expect_same("an array", out.download(), values);
    CHECK(hipUnbindTexture(plane));

    const TexelArray<unsigned char> bytes(1, width, height);
    const auto grey_values = random_bits<unsigned char>(count, 2);
    bytes.upload(grey_values);
    CHECK(hipBindTextureToArray(grey, bytes.get()));
    read_grey<<<height, 64>>>(out, width);
    CHECK_LAUNCH();
    std::vector<float> expected;
    for (const unsigned char value : grey_values) {
        expected.push_back(value / 255.0f);
    }
    expect_near("normalized numbers", out.download(), expected, 1e-6);
    CHECK(hipUnbindTexture(grey));
    return passed();
}
