//! # Conway's game on a torus for many generations, and the Mandelbrot set: loops that end at other times in each lane.
#include "check.h"

__global__ void generation(const unsigned char* in, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int around = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx != 0 || dy != 0) {
                around += in[(y + dy + height) % height * width + (x + dx + width) % width];
            }
        }
    }
    out[y * width + x] = around == 3 || (around == 2 && in[y * width + x]);
}

__host__ __device__ int escape(float x, float y, int limit) {
    float re = 0, im = 0;
    int steps = 0;
    while (steps < limit) {
        const float a = re * re, b = im * im;
        if (a + b > 4) {
            break;
        }
        im = (re + re) * im;
        im = im + y;
        re = a - b;
        re = re + x;
        steps++;
    }
    return steps;
}

__global__ void mandelbrot(int* out, int width, int height, int limit) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = escape(x * 0.03125f - 2, y * 0.0625f - 1.25f, limit);
    }
}

int main() {
    const int width = 61, height = 37;
    auto world = random_bits<unsigned char>(width * height, 5);
    for (unsigned char& cell : world) {
        cell &= 1;
    }
    const DeviceArray<unsigned char> a(world), b(world.size());
    unsigned char *in = a, *out = b;
    const dim3 group(16, 4), grid(groups_of(width, 16), groups_of(height, 4));
    for (int n = 0; n < 30; n++) {
        generation<<<grid, group>>>(in, out, width, height);
        CHECK_LAUNCH();
        std::swap(in, out);
        std::vector<unsigned char> next(world.size());
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int around = 0;
                for (int k = 0; k < 9; k++) {
                    const int nx = (x + k % 3 - 1 + width) % width, ny = (y + k / 3 - 1 + height) % height;
                    around += k == 4 ? 0 : world[ny * width + nx];
                }
                next[y * width + x] = around == 3 || (around == 2 && world[y * width + x]);
            }
        }
        world = next;
    }
    expect_same("world", a.download(), world);

    const int columns = 96, rows = 40, limit = 200;
    const DeviceArray<int> steps(columns * rows);
    mandelbrot<<<dim3(groups_of(columns, 8), groups_of(rows, 8)), dim3(8, 8)>>>(steps, columns, rows, limit);
    CHECK_LAUNCH();
    const auto got = steps.download();
    int different = 0, inside = 0;
    for (int i = 0; i < columns * rows; i++) {
        different += got[i] != escape(i % columns * 0.03125f - 2, i / columns * 0.0625f - 1.25f, limit);
        inside += got[i] == limit;
    }
    // The compiler may contract products and sums on one side.
    REQUIRE(different <= columns * rows / 50, "%d of %d points differ", different, columns * rows);
    REQUIRE(inside > 300 && inside < 2000, "%d points are inside", inside);
    return passed();
}
