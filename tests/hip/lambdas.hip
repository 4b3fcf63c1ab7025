//! # Kernels that are templates: over lambdas with captures, functors, sizes, and packs of arguments.
#include "check.h"

template <typename Body>
__global__ void for_each(unsigned count, Body body) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        body(i);
    }
}

template <typename Body>
void parallel(unsigned count, Body body) {
    for_each<<<groups_of(count, 128), 128>>>(count, body);
    CHECK_LAUNCH();
}

template <typename T, typename Operation>
__global__ void fold(const T* in, T* out, unsigned rows, unsigned columns, T start, Operation operation) {
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        T value = start;
        for (unsigned c = 0; c < columns; c++) {
            value = operation(value, in[row * columns + c]);
        }
        out[row] = value;
    }
}

struct Horner {
    float x;
    __host__ __device__ float operator()(float sum, float coefficient) const { return fmaf(sum, x, coefficient); }
};

template <typename... Terms>
__global__ void add_terms(double* out, Terms... terms) {
    *out = (double(terms) + ...);
}

template <unsigned N>
struct Fibonacci {
    static constexpr unsigned long long value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <>
struct Fibonacci<1> {
    static constexpr unsigned long long value = 1;
};
template <>
struct Fibonacci<0> {
    static constexpr unsigned long long value = 0;
};

template <unsigned... NUMBERS>
__global__ void fibonacci(unsigned long long* out) {
    const unsigned long long values[] = {Fibonacci<NUMBERS>::value...};
    out[threadIdx.x] = values[threadIdx.x];
}

int main() {
    const unsigned count = 1000;
    const auto in = random_reals<float>(count, -1, 1, 4);
    const DeviceArray<float> device(in), out(count), rows(50);
    float* target = out;
    const float* source = device;
    const float scale = 3, offset = -0.5f;
    parallel(count, [=] __device__(unsigned i) { target[i] = fmaf(source[i], scale, offset); });
    std::vector<float> expected(count);
    for (unsigned i = 0; i < count; i++) {
        expected[i] = std::fma(in[i], scale, offset);
    }
    expect_same("lambda", out.download(), expected);

    // A lambda that another lambda holds, and one with an array.
    struct {
        int shift[3];
    } table = {{1, 10, 100}};
    const auto inner = [=] __device__(unsigned i) { return source[(i + table.shift[i % 3]) % count]; };
    parallel(count, [=] __device__(unsigned i) { target[i] = inner(i) - inner(i + 1); });
    for (unsigned i = 0; i < count; i++) {
        auto at = [&](unsigned k) { return in[(k + table.shift[k % 3]) % count]; };
        expected[i] = at(i) - at(i + 1);
    }
    expect_same("nested lambda", out.download(), expected);

    const Horner horner = {0.75f};
    fold<<<1, 64>>>(device.data(), rows.data(), 50, 20, 0.0f, horner);
    CHECK_LAUNCH();
    std::vector<float> sums(50, 0);
    for (unsigned i = 0; i < count; i++) {
        sums[i / 20] = std::fma(sums[i / 20], 0.75f, in[i]);
    }
    expect_same("functor", rows.download(), sums);

    const DeviceArray<double> sum(1);
    add_terms<<<1, 1>>>(sum.data(), 1, 2.5f, 4ull, (short)-8, 16.25, 'A');
    CHECK_LAUNCH();
    expect_same("terms", sum.download(), {1 + 2.5 + 4 - 8 + 16.25 + 65});
    const DeviceArray<unsigned long long> numbers(5);
    fibonacci<0, 1, 10, 50, 93><<<1, 5>>>(numbers.data());
    CHECK_LAUNCH();
    expect_same("Fibonacci", numbers.download(), {0ull, 1ull, 55ull, 12586269025ull, 12200160415121876738ull});
    return passed();
}
