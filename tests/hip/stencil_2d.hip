//! # A heat equation in two dimensions: tiles with their borders in LDS, many steps, odd sizes.
#include "check.h"

constexpr int TILE_X = 32, TILE_Y = 8;

__global__ void step(const float* in, float* out, int width, int height, float rate) {
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];
    const int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    auto at = [&](int px, int py) {
        px = px < 0 ? 0 : px >= width ? width - 1 : px;
        py = py < 0 ? 0 : py >= height ? height - 1 : py;
        return in[py * width + px];
    };
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    tile[ty][tx] = at(x, y);
    if (threadIdx.x == 0) {
        tile[ty][0] = at(x - 1, y);
        tile[ty][TILE_X + 1] = at(x + TILE_X, y);
    }
    if (threadIdx.y == 0) {
        tile[0][tx] = at(x, y - 1);
        tile[TILE_Y + 1][tx] = at(x, y + TILE_Y);
    }
    __syncthreads();
    if (x < width && y < height) {
        const float right = x + 1 < width ? tile[ty][tx + 1] : tile[ty][tx];
        const float below = y + 1 < height ? tile[ty + 1][tx] : tile[ty][tx];
        const float around = tile[ty][tx - 1] + right + tile[ty - 1][tx] + below;
        out[y * width + x] = fmaf(rate, fmaf(-4.0f, tile[ty][tx], around), tile[ty][tx]);
    }
}

std::vector<float> reference(std::vector<float> in, int width, int height, float rate, int steps) {
    std::vector<float> out(in.size());
    for (int n = 0; n < steps; n++) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                const float here = in[y * width + x];
                const float left = x > 0 ? in[y * width + x - 1] : here;
                const float right = x + 1 < width ? in[y * width + x + 1] : here;
                const float above = y > 0 ? in[(y - 1) * width + x] : here;
                const float below = y + 1 < height ? in[(y + 1) * width + x] : here;
                const float around = left + right + above + below;
                out[y * width + x] = std::fma(rate, std::fma(-4.0f, here, around), here);
            }
        }
        in.swap(out);
    }
    return in;
}

int main() {
    const int sizes[][2] = {{1, 1}, {32, 8}, {33, 9}, {100, 37}, {5, 200}};
    for (const auto& size : sizes) {
        const int width = size[0], height = size[1], steps = 12;
        const auto start = random_reals<float>(size_t(width) * height, 0, 100, width);
        DeviceArray<float> a(start), b(start.size());
        float *in = a, *out = b;
        const dim3 grid(groups_of(width, TILE_X), groups_of(height, TILE_Y));
        for (int n = 0; n < steps; n++) {
            step<<<grid, dim3(TILE_X, TILE_Y)>>>(in, out, width, height, 0.2f);
            CHECK_LAUNCH();
            std::swap(in, out);
        }
        std::vector<float> result(start.size());
        CHECK(hipMemcpy(result.data(), in, a.bytes(), hipMemcpyDeviceToHost));
        expect_near("heat", result, reference(start, width, height, 0.2f, steps), 1e-6);
    }
    return passed();
}
