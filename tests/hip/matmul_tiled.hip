//! # Products of matrices by tiles in LDS, of float, double and int, at sizes that tiles do not divide.
#include "check.h"

constexpr int TILE = 16;

template <typename T>
__global__ void multiply(const T* a, const T* b, T* c, int rows, int inner, int columns) {
    __shared__ T tile_a[TILE][TILE], tile_b[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        const int ka = start + threadIdx.x, kb = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && ka < inner ? a[row * inner + ka] : T(0);
        tile_b[threadIdx.y][threadIdx.x] = kb < inner && column < columns ? b[kb * columns + column] : T(0);
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < rows && column < columns) {
        c[row * columns + column] = sum;
    }
}

template <typename T>
void test(const char* name, int rows, int inner, int columns, double tolerance) {
    const auto a = random_reals<T>(size_t(rows) * inner, -20, 20, rows);
    const auto b = random_reals<T>(size_t(inner) * columns, -20, 20, columns);
    std::vector<T> expected(size_t(rows) * columns);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < inner; k++) {
                sum += double(a[i * inner + k]) * double(b[k * columns + j]);
            }
            expected[i * columns + j] = T(sum);
        }
    }
    const DeviceArray<T> device_a(a), device_b(b), c(expected.size());
    const dim3 grid(groups_of(columns, TILE), groups_of(rows, TILE));
    multiply<<<grid, dim3(TILE, TILE)>>>(device_a.data(), device_b.data(), c.data(), rows, inner, columns);
    CHECK_LAUNCH();
    expect_near(name, c.download(), expected, tolerance);
}

int main() {
    const int sizes[][3] = {{1, 1, 1}, {16, 16, 16}, {17, 33, 15}, {64, 48, 80}, {70, 5, 3}};
    for (const auto& size : sizes) {
        test<float>("float", size[0], size[1], size[2], 2e-3);
        test<double>("double", size[0], size[1], size[2], 1e-11);
        test<int>("int", size[0], size[1], size[2], 0);
    }
    return passed();
}
