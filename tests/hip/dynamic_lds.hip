//! # LDS whose size the launch says, alone and behind static LDS, up to all that a workgroup can have.
#include "check.h"

extern __shared__ unsigned char dynamic[];

__global__ void reverse(unsigned* data, unsigned count) {
    unsigned* words = reinterpret_cast<unsigned*>(dynamic);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        words[i] = data[blockIdx.x * count + i];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        data[blockIdx.x * count + i] = words[count - 1 - i];
    }
}

// Two arrays share the dynamic part; a static one is in front of it.
__global__ void split(const double* in, double* out, unsigned count) {
    __shared__ double offset[2];
    double* doubles = reinterpret_cast<double*>(dynamic);
    unsigned char* bytes = dynamic + count * sizeof(double);
    if (threadIdx.x < 2) {
        offset[threadIdx.x] = 1000.0 * (threadIdx.x + 1);
    }
    const unsigned i = threadIdx.x;
    if (i < count) {
        doubles[i] = in[i];
        bytes[i] = static_cast<unsigned char>(i * 3);
    }
    __syncthreads();
    if (i < count) {
        out[i] = doubles[(i + 1) % count] + bytes[(i + 2) % count] + offset[i & 1];
    }
}

int main() {
    for (unsigned count : {1u, 64u, 1000u, 4096u, 16384u}) {
        const unsigned groups = 5;
        const auto data = random_bits<unsigned>(count * groups, count);
        std::vector<unsigned> expected(data.size());
        for (unsigned i = 0; i < data.size(); i++) {
            expected[i] = data[i / count * count + count - 1 - i % count];
        }
        const DeviceArray<unsigned> device(data);
        reverse<<<groups, 256, count * sizeof(unsigned)>>>(device, count);
        CHECK_LAUNCH();
        expect_same("reversed", device.download(), expected);
    }
    for (unsigned count : {1u, 3u, 100u, 256u}) {
        const auto in = random_reals<double>(count, -1, 1, count);
        std::vector<double> expected(count);
        for (unsigned i = 0; i < count; i++) {
            expected[i] = in[(i + 1) % count] + (unsigned char)((i + 2) % count * 3) + 1000.0 * ((i & 1) + 1);
        }
        const DeviceArray<double> device(in), out(count);
        split<<<1, 256, count * (sizeof(double) + 1)>>>(device.data(), out.data(), count);
        CHECK_LAUNCH();
        expect_same("split", out.download(), expected);
    }
    return passed();
}
