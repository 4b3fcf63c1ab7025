//! # Kernels round and keep denormals as ever where the program's threads round upwards and flush them, as `-ffast-math` has it.
#include "check.h"

#include <fenv.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

static const char* const SOURCE =
    "kernel void compute(global const double* a, global double* product, global const float* b, global float* sum) {\n"
    "    size_t i = get_global_id(0);\n"
    "    product[i] = a[2 * i] * a[2 * i + 1];\n"
    "    sum[i] = b[2 * i] + b[2 * i + 1];\n"
    "}\n";

enum { POINTS = 256 };

int main(void) {
    // Bits of 2^-600 and 2^-460, whose product is denormal, and of 1 and 2^-30, whose sum is nearest to 1.
    static uint64_t a[POINTS][2], product[POINTS];
    static uint32_t b[POINTS][2], sum[POINTS];
    for (int i = 0; i < POINTS; i++) {
        a[i][0] = (uint64_t)(1023 - 600) << 52;
        a[i][1] = (uint64_t)(1023 - 460) << 52;
        b[i][0] = 127u << 23;
        b[i][1] = (127u - 30) << 23;
    }
    REQUIRE(fesetround(FE_UPWARD) == 0, "the host cannot round upwards");
#ifdef __SSE__
    const unsigned flush = 1 << 15, denormals_are_zero = 1 << 6;
    _mm_setcsr(_mm_getcsr() | flush | denormals_are_zero);
    const unsigned before = _mm_getcsr() & ~0x3fu;
#endif
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "compute");
    const cl_mem buffers[] = {buffer_of(sizeof a, a), buffer_of(sizeof product, NULL), buffer_of(sizeof b, b), buffer_of(sizeof sum, NULL)};
    for (cl_uint i = 0; i < COUNT(buffers); i++) {
        SET(kernel, i, buffers[i]);
    }
    launch(kernel, POINTS, 64);
    download(buffers[1], sizeof product, product);
    download(buffers[3], sizeof sum, sum);
    for (int i = 0; i < POINTS; i++) {
        REQUIRE(product[i] == 1 << 14, "product %d has the bits %#llx", i, (unsigned long long)product[i]);
        REQUIRE(sum[i] == 127u << 23, "sum %d has the bits %#x", i, (unsigned)sum[i]);
    }
    REQUIRE(fegetround() == FE_UPWARD, "the program does not round upwards any more");
#ifdef __SSE__
    REQUIRE((_mm_getcsr() & ~0x3fu) == before, "the program's control register is another");
#endif
    for (cl_uint i = 0; i < COUNT(buffers); i++) {
        CHECK(clReleaseMemObject(buffers[i]));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
