//! # Fourier transforms by a workgroup in LDS, forward and back, against the definition.
#include "check.h"

template <typename T>
struct Complex {
    T re, im;
};

// Both widths by one name.
__device__ inline void sine_and_cosine(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
__device__ inline void sine_and_cosine(double x, double* sine, double* cosine) { sincospi(x, sine, cosine); }

// Stockham's algorithm with radix 2, a transform for each workgroup.
template <typename T, unsigned SIZE>
__global__ void transform(Complex<T>* data, T direction) {
    __shared__ Complex<T> buffers[2][SIZE];
    Complex<T>* own = data + blockIdx.x * SIZE;
    for (unsigned i = threadIdx.x; i < SIZE; i += blockDim.x) {
        buffers[0][i] = own[i];
    }
    __syncthreads();
    unsigned from = 0;
    for (unsigned half = SIZE / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
        for (unsigned i = threadIdx.x; i < SIZE / 2; i += blockDim.x) {
            const unsigned p = i / stride, q = i % stride;
            const Complex<T> a = buffers[from][q + stride * p], b = buffers[from][q + stride * (p + half)];
            T sine, cosine;
            sine_and_cosine(direction * T(p) / T(half), &sine, &cosine);
            const Complex<T> difference = {a.re - b.re, a.im - b.im};
            buffers[1 - from][q + stride * 2 * p] = {a.re + b.re, a.im + b.im};
            buffers[1 - from][q + stride * (2 * p + 1)] = {difference.re * cosine - difference.im * sine,
                                                           difference.re * sine + difference.im * cosine};
        }
        __syncthreads();
        from = 1 - from;
    }
    for (unsigned i = threadIdx.x; i < SIZE; i += blockDim.x) {
        own[i] = buffers[from][i];
    }
}

template <typename T, unsigned SIZE>
void test(double tolerance) {
    const unsigned batch = 3;
    const auto numbers = random_reals<T>(2 * SIZE * batch, -1, 1, SIZE);
    std::vector<Complex<T>> in(SIZE * batch);
    for (unsigned i = 0; i < in.size(); i++) {
        in[i] = {numbers[2 * i], numbers[2 * i + 1]};
    }
    const DeviceArray<Complex<T>> device(in);
    transform<T, SIZE><<<batch, 64>>>(device.data(), T(-1));
    CHECK_LAUNCH();
    const auto got = device.download();
    for (unsigned k = 0; k < in.size(); k++) {
        double re = 0, im = 0;
        for (unsigned i = 0; i < SIZE; i++) {
            const Complex<T>& value = in[k / SIZE * SIZE + i];
            const double angle = -2 * M_PI * double(i * (k % SIZE) % SIZE) / SIZE;
            re += value.re * std::cos(angle) - value.im * std::sin(angle);
            im += value.re * std::sin(angle) + value.im * std::cos(angle);
        }
        REQUIRE(std::fabs(got[k].re - re) <= tolerance && std::fabs(got[k].im - im) <= tolerance,
                "size %u, term %u: expected %g + %gi, got %g + %gi", SIZE, k, re, im, double(got[k].re), double(got[k].im));
    }
    transform<T, SIZE><<<batch, 256>>>(device.data(), T(1));
    CHECK_LAUNCH();
    const auto back = device.download();
    for (unsigned i = 0; i < in.size(); i++) {
        REQUIRE(std::fabs(back[i].re / SIZE - in[i].re) <= tolerance && std::fabs(back[i].im / SIZE - in[i].im) <= tolerance,
                "size %u does not come back at %u", SIZE, i);
    }
}

int main() {
    test<float, 2>(1e-6);
    test<float, 64>(3e-5);
    test<float, 512>(1e-4);
    test<double, 128>(1e-12);
    test<double, 1024>(1e-11);
    return passed();
}
