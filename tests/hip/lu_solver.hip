//! # LU decomposition with pivots, column by column, and the solution of linear equations; shortest ways of a graph.
#include "check.h"

// The row of the largest element of a column, found by one workgroup.
__global__ void find_pivot(const double* a, int* pivots, int size, int column) {
    __shared__ double values[64];
    __shared__ int rows[64];
    double best = -1;
    int row = column;
    for (int r = column + threadIdx.x; r < size; r += 64) {
        if (fabs(a[r * size + column]) > best) {
            best = fabs(a[r * size + column]);
            row = r;
        }
    }
    values[threadIdx.x] = best;
    rows[threadIdx.x] = row;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 64; t++) {
            if (values[t] > best) {
                best = values[t];
                row = rows[t];
            }
        }
        pivots[column] = row;
    }
}

__global__ void swap_rows(double* a, const int* pivots, int size, int column) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, row = pivots[column];
    if (c < size && row != column) {
        const double taken = a[row * size + c];
        a[row * size + c] = a[column * size + c];
        a[column * size + c] = taken;
    }
}

__global__ void eliminate(double* a, int size, int column) {
    const int row = column + 1 + blockIdx.x;
    __shared__ double factor;
    if (threadIdx.x == 0) {
        factor = a[row * size + column] / a[column * size + column];
        a[row * size + column] = factor;
    }
    __syncthreads();
    for (int c = column + 1 + threadIdx.x; c < size; c += blockDim.x) {
        a[row * size + c] = fma(-factor, a[column * size + c], a[row * size + c]);
    }
}

__global__ void floyd_warshall(int* lengths, int size, int through) {
    const int from = blockIdx.y * blockDim.y + threadIdx.y, to = blockIdx.x * blockDim.x + threadIdx.x;
    if (from < size && to < size) {
        const int way = lengths[from * size + through] + lengths[through * size + to];
        if (way < lengths[from * size + to]) {
            lengths[from * size + to] = way;
        }
    }
}

void solve(int size) {
    const auto matrix = random_reals<double>(size * size, -1, 1, size), solution = random_reals<double>(size, -1, 1, 7);
    const DeviceArray<double> a(matrix);
    const DeviceArray<int> pivots(size);
    for (int column = 0; column < size; column++) {
        find_pivot<<<1, 64>>>(a, pivots, size, column);
        swap_rows<<<groups_of(size, 64), 64>>>(a, pivots, size, column);
        if (column + 1 < size) {
            eliminate<<<size - column - 1, 64>>>(a, size, column);
        }
        CHECK_LAUNCH();
    }
    const auto lu = a.download();
    const auto order = pivots.download();
    std::vector<double> x(size, 0);
    for (int r = 0; r < size; r++) {
        for (int c = 0; c < size; c++) {
            x[r] += matrix[r * size + c] * solution[c];
        }
    }
    for (int r = 0; r < size; r++) {
        std::swap(x[r], x[order[r]]);
    }
    for (int r = 0; r < size; r++) {
        for (int c = 0; c < r; c++) {
            REQUIRE(std::fabs(lu[r * size + c]) <= 1, "a factor of %g", lu[r * size + c]);
            x[r] -= lu[r * size + c] * x[c];
        }
    }
    for (int r = size - 1; r >= 0; r--) {
        for (int c = r + 1; c < size; c++) {
            x[r] -= lu[r * size + c] * x[c];
        }
        x[r] /= lu[r * size + r];
    }
    expect_near("solution", x, solution, 1e-9);
}

int main() {
    for (int size : {1, 2, 17, 64, 100}) {
        solve(size);
    }
    const int size = 70, far = 1 << 20;
    Random random(8);
    std::vector<int> lengths(size * size);
    for (int i = 0; i < size * size; i++) {
        lengths[i] = i / size == i % size ? 0 : random.below(6) == 0 ? int(1 + random.below(100)) : far;
    }
    const DeviceArray<int> device(lengths);
    for (int through = 0; through < size; through++) {
        floyd_warshall<<<dim3(groups_of(size, 16), groups_of(size, 16)), dim3(16, 16)>>>(device, size, through);
        for (int i = 0; i < size * size; i++) {
            const int way = lengths[i / size * size + through] + lengths[through * size + i % size];
            lengths[i] = std::min(lengths[i], way);
        }
    }
    CHECK_LAUNCH();
    expect_same("lengths", device.download(), lengths);
    return passed();
}
