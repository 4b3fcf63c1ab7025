//! # Sparse matrix times vector: a thread for each row, a wave for each row, and conjugate gradients on top.
#include "check.h"

struct Matrix {
    std::vector<int> starts, columns;
    std::vector<double> values;
};

__global__ void by_thread(const int* starts, const int* columns, const double* values, const double* x, double* y, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double sum = 0;
        for (int k = starts[row]; k < starts[row + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}

__global__ void by_wave(const int* starts, const int* columns, const double* values, const double* x, double* y, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 64, lane = threadIdx.x % 64;
    if (row < rows) {
        double sum = 0;
        for (int k = starts[row] + lane; k < starts[row + 1]; k += 64) {
            sum += values[k] * x[columns[k]];
        }
        for (int distance = 32; distance > 0; distance /= 2) {
            sum += __shfl_xor(sum, distance);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}

__global__ void dot(const double* a, const double* b, double* result, int count) {
    __shared__ double parts[256];
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += 256) {
        sum += a[i] * b[i];
    }
    parts[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        *result = parts[0];
    }
}

__global__ void axpy(double a, const double* x, double b, double* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = a * x[i] + b * y[i];
    }
}

// The five-point Laplacian of a square, which is symmetric and positive.
Matrix laplacian(int side) {
    Matrix matrix;
    for (int row = 0; row < side * side; row++) {
        matrix.starts.push_back(int(matrix.columns.size()));
        const int x = row % side, y = row / side;
        auto put = [&](bool inside, int column, double value) {
            if (inside) {
                matrix.columns.push_back(column);
                matrix.values.push_back(value);
            }
        };
        put(y > 0, row - side, -1);
        put(x > 0, row - 1, -1);
        put(true, row, 4.1);
        put(x + 1 < side, row + 1, -1);
        put(y + 1 < side, row + side, -1);
    }
    matrix.starts.push_back(int(matrix.columns.size()));
    return matrix;
}

Matrix uneven(int rows, uint64_t seed) {
    Random random(seed);
    Matrix matrix;
    for (int row = 0; row < rows; row++) {
        matrix.starts.push_back(int(matrix.columns.size()));
        const int length = row % 17 == 3 ? 200 : int(random.below(9));
        for (int k = 0; k < length; k++) {
            matrix.columns.push_back(int(random.below(rows)));
            matrix.values.push_back(random.real(-1, 1));
        }
    }
    matrix.starts.push_back(int(matrix.columns.size()));
    return matrix;
}

int main() {
    for (int rows : {1, 50, 500}) {
        const Matrix matrix = uneven(rows, rows);
        const auto x = random_reals<double>(rows, -1, 1, 1);
        std::vector<double> expected(rows, 0);
        for (int row = 0; row < rows; row++) {
            for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; k++) {
                expected[row] += matrix.values[k] * x[matrix.columns[k]];
            }
        }
        const DeviceArray<int> starts(matrix.starts), columns(matrix.columns);
        const DeviceArray<double> values(matrix.values), device_x(x), y(rows);
        by_thread<<<groups_of(rows, 64), 64>>>(starts, columns, values, device_x, y, rows);
        CHECK_LAUNCH();
        expect_near("by thread", y.download(), expected, 1e-13);
        y.clear();
        by_wave<<<groups_of(rows, 4), 256>>>(starts, columns, values, device_x, y, rows);
        CHECK_LAUNCH();
        expect_near("by wave", y.download(), expected, 1e-13);
    }

    const int side = 20, rows = side * side;
    const Matrix matrix = laplacian(side);
    const auto solution = random_reals<double>(rows, -1, 1, 2);
    const DeviceArray<int> starts(matrix.starts), columns(matrix.columns);
    const DeviceArray<double> values(matrix.values), truth(solution), rest(rows), way(rows), product(rows), x(rows), sums(2);
    by_thread<<<groups_of(rows, 64), 64>>>(starts, columns, values, truth, rest, rows);
    CHECK(hipMemcpy(way, rest, rest.bytes(), hipMemcpyDeviceToDevice));
    x.clear();
    auto product_of = [&](const double* a, const double* b) {
        dot<<<1, 256>>>(a, b, sums, rows);
        double result;
        CHECK(hipMemcpy(&result, sums, sizeof(result), hipMemcpyDeviceToHost));
        return result;
    };
    double square = product_of(rest, rest);
    int steps = 0;
    for (; square > 1e-22 && steps < 200; steps++) {
        by_wave<<<groups_of(rows, 4), 256>>>(starts, columns, values, way, product, rows);
        const double length = square / product_of(way, product);
        axpy<<<groups_of(rows, 128), 128>>>(length, way, 1, x, rows);
        axpy<<<groups_of(rows, 128), 128>>>(-length, product, 1, rest, rows);
        const double next = product_of(rest, rest);
        axpy<<<groups_of(rows, 128), 128>>>(1, rest, next / square, way, rows);
        square = next;
    }
    REQUIRE(steps < 200, "no convergence: %g", square);
    expect_near("solution", x.download(), solution, 1e-9);
    return passed();
}
