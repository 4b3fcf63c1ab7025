// Speed of kernels and of what is around them: start, launches, copies. `cargo xtask bench hip` builds and runs it, and has
// `gcn run` run the two kernels with arguments.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        hipError_t error = (call);                                                         \
        if (error != hipSuccess) {                                                         \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(error)); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

__global__ void empty() {}

// Arithmetic alone.
extern "C" __global__ void polynomial(float *xs, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = xs[i];
    for (int round = 0; round < rounds; ++round) x = x * 0.5f + 0.25f * x * x - 0.125f;
    xs[i] = x;
}

// Memory and LDS.
extern "C" __global__ void smooth(float *ys, const float *xs, int rounds) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        tile[threadIdx.x] = xs[(i + round * 256) % (gridDim.x * blockDim.x)];
        __syncthreads();
        ys[i] = 0.5f * (tile[threadIdx.x] + tile[(threadIdx.x + 1) % 256]);
        __syncthreads();
    }
}

static double seconds() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The shortest of several times.
template <typename F>
static double best(int rounds, F work) {
    double shortest = 1e9;
    for (int round = 0; round < rounds; ++round) {
        double begin = seconds();
        work();
        shortest = std::min(shortest, seconds() - begin);
    }
    return shortest;
}

int main() {
    double begin = seconds();
    CHECK(hipInit(0));
    empty<<<1, 1>>>();
    CHECK(hipDeviceSynchronize());
    std::printf("start to the end of the first kernel: %.3f s\n", seconds() - begin);

    const int launches = 1000;
    double launched = best(10, [&] {
        for (int i = 0; i < launches; ++i) {
            empty<<<1, 1>>>();
            CHECK(hipDeviceSynchronize());
        }
    });
    std::printf("launch and synchronisation of an empty kernel: %.1f us\n", launched / launches * 1e6);
    double queued = best(10, [&] {
        for (int i = 0; i < launches; ++i) empty<<<1, 1>>>();
        CHECK(hipDeviceSynchronize());
    });
    std::printf("launch of an empty kernel among %d: %.1f us\n", launches, queued / launches * 1e6);

    const size_t bytes = 256 << 20;
    std::vector<char> a(bytes, 1), b(bytes, 2);
    char *x, *y;
    CHECK(hipMalloc(&x, bytes));
    CHECK(hipMalloc(&y, bytes));
    double host = 1e9, to_device = 1e9, from_device = 1e9;
    // In turns: other programs of the machine slow each of them down alike.
    for (int round = 0; round < 10; ++round) {
        host = std::min(host, best(1, [&] { std::memcpy(b.data(), a.data(), bytes); }));
        to_device = std::min(to_device, best(1, [&] { CHECK(hipMemcpy(x, a.data(), bytes, hipMemcpyHostToDevice)); }));
        from_device = std::min(from_device, best(1, [&] { CHECK(hipMemcpy(b.data(), x, bytes, hipMemcpyDeviceToHost)); }));
    }
    auto speed = [&](const char *what, double time) {
        std::printf("%s: %.2f GB/s, %.2f of the host's memcpy\n", what, bytes / time / 1e9, host / time);
    };
    speed("memcpy of the host, 256 MiB", host);
    speed("hipMemcpy to the device", to_device);
    speed("hipMemcpy from the device", from_device);
    // The same launches as in xtask/src/hsa.rs.
    const int items = 1 << 16;
    float *xs, *ys;
    CHECK(hipMalloc(&xs, items * sizeof(float)));
    CHECK(hipMalloc(&ys, items * sizeof(float)));
    CHECK(hipMemset(xs, 0, items * sizeof(float)));
    double arithmetic = best(5, [&] {
        polynomial<<<items / 256, 256>>>(xs, 1000);
        CHECK(hipDeviceSynchronize());
    });
    std::printf("kernel polynomial: %.6f s\n", arithmetic);
    double memory = best(5, [&] {
        smooth<<<items / 256, 256>>>(ys, xs, 200);
        CHECK(hipDeviceSynchronize());
    });
    std::printf("kernel smooth: %.6f s\n", memory);
    return std::memcmp(a.data(), b.data(), bytes) == 0 ? 0 : 1;
}
