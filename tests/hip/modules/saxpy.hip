// A module that tests load at run time: kernels and variables with names of C.
#include <hip/hip_runtime.h>

extern "C" __device__ float bias = 2.5f;
extern "C" __constant__ unsigned table[4] = {10, 20, 30, 40};

extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = fmaf(a, x[i], y[i]) + bias;
    }
}

extern "C" __global__ void look_up(unsigned* out) {
    extern __shared__ unsigned staged[];
    const unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    staged[i] = table[i % 4] + blockIdx.x;
    __syncthreads();
    const unsigned size = blockDim.x * blockDim.y * blockDim.z;
    out[blockIdx.x * size + i] = staged[size - 1 - i];
}
