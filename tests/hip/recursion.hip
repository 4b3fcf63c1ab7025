//! # Functions that call themselves: Ackermann's, quicksort, and n queens, each lane its own.
//! flags = ["-mllvm", "-amdgpu-function-calls=true"]
#include "check.h"

#include <algorithm>

__host__ __device__ unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void run_ackermann(unsigned* out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 7); }

__device__ void quicksort(int* data, int low, int high) {
    if (low >= high) {
        return;
    }
    const int pivot = data[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (data[i] < pivot) {
            i++;
        }
        while (data[j] > pivot) {
            j--;
        }
        if (i <= j) {
            const int taken = data[i];
            data[i++] = data[j];
            data[j--] = taken;
        }
    }
    quicksort(data, low, j);
    quicksort(data, i, high);
}

__global__ void sort_rows(int* data, int columns) { quicksort(data + threadIdx.x * columns, 0, columns - 1); }

__device__ unsigned queens(unsigned size, unsigned row, unsigned columns, unsigned left, unsigned right) {
    if (row == size) {
        return 1;
    }
    unsigned count = 0;
    for (unsigned open = ~(columns | left | right) & ((1u << size) - 1); open != 0; open &= open - 1) {
        const unsigned bit = open & -open;
        count += queens(size, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

__global__ void run_queens(unsigned* out) { out[threadIdx.x] = queens(threadIdx.x + 1, 0, 0, 0, 0); }

int main() {
    const DeviceArray<unsigned> out(64), solutions(7);
    run_ackermann<<<1, 64>>>(out);
    CHECK_LAUNCH();
    std::vector<unsigned> expected(64);
    for (unsigned i = 0; i < 64; i++) {
        expected[i] = ackermann(i % 3, i % 7);
    }
    expect_same("Ackermann", out.download(), expected);

    const int rows = 64, columns = 60;
    auto data = random_bits<int>(rows * columns, 8);
    const DeviceArray<int> device(data);
    sort_rows<<<1, rows>>>(device, columns);
    CHECK_LAUNCH();
    for (int r = 0; r < rows; r++) {
        std::sort(data.begin() + r * columns, data.begin() + (r + 1) * columns);
    }
    expect_same("sorted", device.download(), data);

    run_queens<<<1, 7>>>(solutions);
    CHECK_LAUNCH();
    expect_same("queens", solutions.download(), {1, 0, 0, 2, 10, 4, 40});
    return passed();
}
