//! # Copies between global and local memory by a whole work-group, with strides and of several vectors, and prefetches.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "kernel void there_and_back(global const int* from, global int* to, local int* scratch, int count) {\n"
    "    int base = get_group_id(0) * count;\n"
    "    prefetch(from + base, count);\n"
    "    event_t in = async_work_group_copy(scratch, from + base, count, 0);\n"
    "    wait_group_events(1, &in);\n"
    "    for (int i = get_local_id(0); i < count; i += get_local_size(0)) scratch[i] += i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    event_t out = async_work_group_copy(to + base, scratch, count, 0);\n"
    "    wait_group_events(1, &out);\n"
    "}\n"
    "kernel void strided(global const float4* from, global float4* to, local float4* scratch, int count, int stride) {\n"
    "    event_t in = async_work_group_strided_copy(scratch, from, count, stride, 0);\n"
    "    wait_group_events(1, &in);\n"
    "    event_t out = async_work_group_strided_copy(to, scratch, count, stride, 0);\n"
    "    wait_group_events(1, &out);\n"
    "}\n"
    "kernel void two(global const short* a, global const uchar8* b, global int* to) {\n"
    "    local short x[64]; local uchar8 y[64];\n"
    "    event_t both[2];\n"
    "    both[0] = async_work_group_copy(x, a, 64, 0);\n"
    "    both[1] = async_work_group_copy(y, b, 64, both[0]);\n"
    "    wait_group_events(2, both);\n"
    "    int i = get_local_id(0);\n"
    "    to[i] = x[63 - i] * 1000 + y[63 - i].s7;\n"
    "}\n";

static void check_there_and_back(cl_program program, int count, size_t group) {
    enum { GROUPS = 3, MOST = 300 };
    static int values[GROUPS * MOST], got[GROUPS * MOST];
    const cl_kernel kernel = kernel_of(program, "there_and_back");
    random_fill(values, sizeof values, (uint64_t)count);
    const size_t bytes = (size_t)(GROUPS * count) * sizeof(int);
    const cl_mem from = buffer_of(bytes, values), to = buffer_of(bytes, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    CHECK(clSetKernelArg(kernel, 2, (size_t)count * sizeof(int), NULL));
    SET(kernel, 3, count);
    launch(kernel, GROUPS * group, group);
    download(to, bytes, got);
    for (int i = 0; i < GROUPS * count; i++) {
        EXPECT_EQUAL(got[i], (int)((unsigned)values[i] + (unsigned)(i % count)));
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_strided(cl_program program, int count, int stride) {
    enum { MOST = 400 };
    static float values[MOST][4], got[MOST][4];
    const cl_kernel kernel = kernel_of(program, "strided");
    for (int i = 0; i < MOST; i++) {
        for (int k = 0; k < 4; k++) {
            values[i][k] = (float)(i * 10 + k);
            got[i][k] = -1;
        }
    }
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, got);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    CHECK(clSetKernelArg(kernel, 2, (size_t)count * 16, NULL));
    SET(kernel, 3, count);
    SET(kernel, 4, stride);
    launch(kernel, 32, 32);
    download(to, sizeof got, got);
    for (int i = 0; i < MOST; i++) {
        const bool is_copied = i % stride == 0 && i / stride < count;
        for (int k = 0; k < 4; k++) {
            const float expected = is_copied ? values[i][k] : -1;
            REQUIRE(got[i][k] == expected, "element %d.%d: expected %g, got %g", i, k, expected, got[i][k]);
        }
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_two(cl_program program) {
    cl_short a[64];
    unsigned char b[64][8];
    int got[64];
    for (int i = 0; i < 64; i++) {
        a[i] = (cl_short)(i - 30);
        for (int k = 0; k < 8; k++) {
            b[i][k] = (unsigned char)(k == 7 ? 2 * i : 255);
        }
    }
    const cl_kernel kernel = kernel_of(program, "two");
    const cl_mem x = buffer_of(sizeof a, a), y = buffer_of(sizeof b, b), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, x);
    SET(kernel, 1, y);
    SET(kernel, 2, to);
    launch(kernel, 64, 64);
    download(to, sizeof got, got);
    for (int i = 0; i < 64; i++) {
        EXPECT_EQUAL(got[i], (63 - i - 30) * 1000 + 2 * (63 - i));
    }
    CHECK(clReleaseMemObject(x));
    CHECK(clReleaseMemObject(y));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    check_there_and_back(program, 64, 64);
    check_there_and_back(program, 1, 32);
    check_there_and_back(program, 257, 64);
    check_there_and_back(program, 100, 128);
    check_strided(program, 50, 3);
    check_strided(program, 400, 1);
    check_strided(program, 7, 57);
    check_two(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
