//! # Errors of clSetKernelArg one by one, and launches of kernels whose arguments are not set.
#include "check.h"

static const char* const SOURCE =
    "typedef struct { int a, b; } Pair;\n"
    "kernel void sums(global int* a, constant int* b, local int* c, int d, float4 e, Pair f) {\n"
    "    c[0] = d; a[0] = b[0] + c[0] + (int)e.x + f.b;\n"
    "}\n";

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "sums");
    const int one = 1;
    const cl_mem a = buffer_of(4, NULL), b = buffer_of(4, &one);
    const cl_int d = 20;
    const cl_float4 e = {{300, 0, 0, 0}};
    const cl_int f[2] = {0, 4000};
    const size_t global = 1;

    EXPECT_ERROR(clSetKernelArg(NULL, 0, sizeof a, &a), CL_INVALID_KERNEL);
    EXPECT_ERROR(clSetKernelArg(kernel, 6, sizeof d, &d), CL_INVALID_ARG_INDEX);
    EXPECT_ERROR(clSetKernelArg(kernel, ~0u, sizeof d, &d), CL_INVALID_ARG_INDEX);
    // Buffers have the size of their handle.
    EXPECT_ERROR(clSetKernelArg(kernel, 0, 4, &a), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 0, 0, &a), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 1, 16, &b), CL_INVALID_ARG_SIZE);
    // Local memory has a size and no value.
    EXPECT_ERROR(clSetKernelArg(kernel, 2, 0, NULL), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 2, 4, &d), CL_INVALID_ARG_VALUE);
    // Values have the size of their type, and a value.
    EXPECT_ERROR(clSetKernelArg(kernel, 3, 2, &d), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 3, 8, &e), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 3, 0, &d), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 3, SIZE_MAX, &d), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 3, 4, NULL), CL_INVALID_ARG_VALUE);
    EXPECT_ERROR(clSetKernelArg(kernel, 4, 12, &e), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 4, 16, NULL), CL_INVALID_ARG_VALUE);
    EXPECT_ERROR(clSetKernelArg(kernel, 5, 4, f), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 5, 12, &e), CL_INVALID_ARG_SIZE);
    // Other objects are no buffers.
    EXPECT_ERROR(clSetKernelArg(kernel, 0, sizeof queue, &queue), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clSetKernelArg(kernel, 1, sizeof context, &context), CL_INVALID_MEM_OBJECT);

    // Each argument is needed, in whatever order they are set.
    const struct {
        cl_uint index;
        size_t size;
        const void* value;
    } values[] = {{5, sizeof f, f}, {2, 4, NULL}, {0, sizeof a, &a}, {4, sizeof e, &e}, {1, sizeof b, &b}, {3, sizeof d, &d}};
    for (size_t i = 0; i < COUNT(values); i++) {
        EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
        CHECK(clSetKernelArg(kernel, values[i].index, values[i].size, values[i].value));
    }
    launch(kernel, 1, 1);
    int got;
    download(a, sizeof got, &got);
    EXPECT_EQUAL(got, 4321);
    // An argument that was refused keeps its value.
    EXPECT_ERROR(clSetKernelArg(kernel, 3, 2, &one), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 1, 4, &a), CL_INVALID_ARG_SIZE);
    CHECK(clEnqueueFillBuffer(queue, a, &one, sizeof one, 0, 4, 0, NULL, NULL));
    launch(kernel, 1, 1);
    download(a, sizeof got, &got);
    EXPECT_EQUAL(got, 4321);
    // Local memory beyond the device's is refused at the launch.
    CHECK(clSetKernelArg(kernel, 2, (size_t)device_ulong(CL_DEVICE_LOCAL_MEM_SIZE) + 1, NULL));
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK(clSetKernelArg(kernel, 2, 4, NULL));
    launch(kernel, 1, 1);
    CHECK(clFinish(queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    close_device();
    return passed();
}
