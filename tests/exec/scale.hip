// Two kernels for sessions of `gcn exec --debug`. Of the first line of standard input, `fault` makes the last launch store outside of
// memory, and `forever` makes it run without an end.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

namespace image {

template <class T>
__global__ void scale(T* pixels, T factor) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    pixels[at] = pixels[at] * factor;
}

}  // namespace image

__global__ void sum(const float* pixels, float* total, int count) {
    float all = 0;
    for (int i = 0; i != count; ++i) {
        all += pixels[i & 127];
    }
    *total = all;
}

int main(int, char**) {
    constexpr int count = 128;
    char word[16] = "";
    if (std::scanf("%15s", word) != 1) {
        word[0] = 0;
    }
    std::printf("program %s\n", word);
    std::fflush(stdout);
    float host[count];
    for (int i = 0; i < count; ++i) {
        host[i] = i;
    }
    float *pixels, *total;
    if (hipMalloc(&pixels, sizeof host) != hipSuccess || hipMalloc(&total, sizeof(float)) != hipSuccess) {
        return 3;
    }
    (void)hipMemcpy(pixels, host, sizeof host, hipMemcpyHostToDevice);
    image::scale<float><<<2, 64>>>(pixels, 3.0f);
    float* const out = std::strcmp(word, "fault") == 0 ? (float*)0x10 : total;
    sum<<<1, 1>>>(pixels, out, std::strcmp(word, "forever") == 0 ? -1 : count);
    float result = 0;
    if (hipMemcpy(&result, total, sizeof result, hipMemcpyDeviceToHost) != hipSuccess) {
        std::puts("failed");
        return 4;
    }
    std::printf("sum %g\n", result);
    return result == 3.0f * 127 * 64 ? 5 : 6;
}
