//! # A histogram with counts in local memory, and a prefix sum over blocks, their sums, and the sums of those.
#include "check.h"

static const char* const SOURCE =
    "kernel void histogram(global const uchar* from, uint length, global uint* bins) {\n"
    "    local uint own[256];\n"
    "    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) own[i] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = get_global_id(0); i < length; i += get_global_size(0)) atomic_inc(&own[from[i]]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) if (own[i] != 0) atomic_add(&bins[i], own[i]);\n"
    "}\n"
    "kernel void scan(global uint* data, uint length, global uint* sums) {\n"
    "    local uint block[2][128];\n"
    "    uint i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);\n"
    "    int now = 0;\n"
    "    uint value = i < length ? data[i] : 0;\n"
    "    block[0][l] = value;\n"
    "    for (uint step = 1; step < size; step *= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        block[1 - now][l] = block[now][l] + (l >= step ? block[now][l - step] : 0);\n"
    "        now = 1 - now;\n"
    "    }\n"
    "    if (i < length) data[i] = block[now][l] - value;\n"
    "    if (l == size - 1) sums[get_group_id(0)] = block[now][l];\n"
    "}\n"
    "kernel void add_sums(global uint* data, uint length, global const uint* sums) {\n"
    "    uint i = get_global_id(0);\n"
    "    if (i < length) data[i] += sums[get_group_id(0)];\n"
    "}\n";

enum { GROUP = 128 };

static void check_histogram(cl_program program) {
    enum { LENGTH = 10007 };
    static unsigned char text[LENGTH];
    cl_uint bins[256] = {0}, got[256];
    random_fill(text, sizeof text, 81);
    const cl_kernel kernel = kernel_of(program, "histogram");
    const cl_mem from = buffer_of(sizeof text, text), to = buffer_of(sizeof bins, bins);
    for (int i = 0; i < LENGTH; i++) {
        bins[text[i]]++;
    }
    const cl_uint length = LENGTH;
    SET(kernel, 0, from);
    SET(kernel, 1, length);
    SET(kernel, 2, to);
    launch(kernel, 512, 128);
    download(to, sizeof got, got);
    expect_same("bin", got, bins, 256, sizeof *got);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

// The sum of all elements before each, by blocks; the sums of blocks are summed the same way.
static void scan(cl_program program, cl_mem data, cl_uint length) {
    const cl_uint groups = (length + GROUP - 1) / GROUP;
    const cl_kernel blocks = kernel_of(program, "scan"), add = kernel_of(program, "add_sums");
    const cl_mem sums = buffer_of(groups * sizeof(cl_uint), NULL);
    SET(blocks, 0, data);
    SET(blocks, 1, length);
    SET(blocks, 2, sums);
    launch(blocks, (size_t)groups * GROUP, GROUP);
    if (groups > 1) {
        scan(program, sums, groups);
        SET(add, 0, data);
        SET(add, 1, length);
        SET(add, 2, sums);
        launch(add, (size_t)groups * GROUP, GROUP);
    }
    CHECK(clReleaseMemObject(sums));
    CHECK(clReleaseKernel(blocks));
    CHECK(clReleaseKernel(add));
}

static void check_scan(cl_program program, cl_uint length) {
    cl_uint* const values = allocate(length, sizeof *values);
    cl_uint* const expected = allocate(length, sizeof *values);
    cl_uint* const got = allocate(length, sizeof *values);
    random_fill(values, length * sizeof *values, length);
    cl_uint sum = 0;
    for (cl_uint i = 0; i < length; i++) {
        expected[i] = sum;
        sum += values[i];
    }
    const cl_mem data = buffer_of(length * sizeof *values, values);
    scan(program, data, length);
    download(data, length * sizeof *got, got);
    expect_same("sum", got, expected, length, sizeof *got);
    CHECK(clReleaseMemObject(data));
    free(values);
    free(expected);
    free(got);
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    check_histogram(program);
    check_scan(program, 1);
    check_scan(program, 128);
    check_scan(program, 1000);
    check_scan(program, 16385);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
