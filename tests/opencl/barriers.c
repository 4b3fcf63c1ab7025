//! # Barriers and local memory: reductions, transposition, rotations in a loop, and values that pass through global memory.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "kernel void reduce(global const int* from, global int* to, local int* part) {\n"
    "    uint i = get_local_id(0);\n"
    "    part[i] = from[get_global_id(0)];\n"
    "    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (i < step) part[i] += part[i + step];\n"
    "    }\n"
    "    if (i == 0) to[get_group_id(0)] = part[0];\n"
    "}\n"
    "kernel void transpose(global const float* from, global float* to, int size) {\n"
    "    local float tile[8][9];\n"
    "    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);\n"
    "    tile[ly][lx] = from[y * size + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    to[(get_group_id(0) * 8 + ly) * size + get_group_id(1) * 8 + lx] = tile[lx][ly];\n"
    "}\n"
    "kernel void rotations(global int* data, int turns) {\n"
    "    local int ring[2][256];\n"
    "    uint i = get_local_id(0), n = get_local_size(0);\n"
    "    ring[0][i] = data[get_global_id(0)];\n"
    "    for (int t = 0; t < turns; t++) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        ring[(t + 1) % 2][i] = ring[t % 2][(i + 1) % n] + 1;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[get_global_id(0)] = ring[turns % 2][i];\n"
    "}\n"
    "kernel void by_memory(global int* data) {\n"
    "    uint base = get_group_id(0) * get_local_size(0), i = get_local_id(0), n = get_local_size(0);\n"
    "    data[base + i] = 3 * (int)i;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    int value = data[base + (i + 100) % n];\n"
    "    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
    "    data[base + i] = value;\n"
    "}\n";

static void check_reduction(cl_program program, int group) {
    enum { LENGTH = 1024 };
    const cl_kernel kernel = kernel_of(program, "reduce");
    int values[LENGTH], got[LENGTH], expected[LENGTH] = {0};
    random_fill(values, sizeof values, (uint64_t)group);
    for (int i = 0; i < LENGTH; i++) {
        values[i] /= LENGTH;
        expected[i / group] += values[i];
    }
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    CHECK(clSetKernelArg(kernel, 2, (size_t)group * sizeof(int), NULL));
    launch(kernel, LENGTH, (size_t)group);
    download(to, sizeof(int) * (size_t)(LENGTH / group), got);
    expect_same("sum", got, expected, (size_t)(LENGTH / group), sizeof(int));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_transposition(cl_program program) {
    enum { SIZE = 48 };
    const cl_kernel kernel = kernel_of(program, "transpose");
    static float values[SIZE][SIZE], got[SIZE][SIZE];
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            values[y][x] = (float)(100 * y + x);
        }
    }
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    const int size = SIZE;
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    SET(kernel, 2, size);
    const size_t global[2] = {SIZE, SIZE}, local[2] = {8, 8};
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    download(to, sizeof got, got);
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            REQUIRE(got[y][x] == values[x][y], "element %d,%d: expected %g, got %g", y, x, values[x][y], got[y][x]);
        }
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_rotations(cl_program program, int group) {
    enum { LENGTH = 512, TURNS = 37 };
    const cl_kernel kernel = kernel_of(program, "rotations");
    int values[LENGTH], got[LENGTH];
    random_fill(values, sizeof values, 3);
    for (int i = 0; i < LENGTH; i++) {
        values[i] /= 2;
    }
    const cl_mem data = buffer_of(sizeof values, values);
    const int turns = TURNS;
    SET(kernel, 0, data);
    SET(kernel, 1, turns);
    launch(kernel, LENGTH, (size_t)group);
    download(data, sizeof got, got);
    for (int i = 0; i < LENGTH; i++) {
        EXPECT_EQUAL(got[i], values[i / group * group + (i % group + TURNS) % group] + TURNS);
    }
    CHECK(clReleaseMemObject(data));
    CHECK(clReleaseKernel(kernel));
}

static void check_by_memory(cl_program program) {
    enum { LENGTH = 512, GROUP = 256 };
    const cl_kernel kernel = kernel_of(program, "by_memory");
    int got[LENGTH];
    const cl_mem data = buffer_of(sizeof got, NULL);
    SET(kernel, 0, data);
    launch(kernel, LENGTH, GROUP);
    download(data, sizeof got, got);
    for (int i = 0; i < LENGTH; i++) {
        EXPECT_EQUAL(got[i], 3 * ((i % GROUP + 100) % GROUP));
    }
    CHECK(clReleaseMemObject(data));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    for (int group = 1; group <= 256; group *= 4) {
        check_reduction(program, group);
    }
    check_transposition(program);
    check_rotations(program, 64);
    check_rotations(program, 256);
    check_by_memory(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
