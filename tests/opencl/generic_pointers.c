//! # Pointers without an address space: functions for all spaces, casts, and what space a pointer is in.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "int sum(const int* values, int count) {\n"
    "    int total = 0;\n"
    "    for (int i = 0; i < count; i++) total += values[i];\n"
    "    return total;\n"
    "}\n"
    "void twice(int* value) { *value *= 2; }\n"
    "kernel void spaces(global int* g, local int* l, global int* to) {\n"
    "    int p[4];\n"
    "    local int own[4];\n"
    "    int i = get_local_id(0);\n"
    "    for (int k = 0; k < 4; k++) p[k] = 100 * k + i;\n"
    "    l[i] = g[i] + 1;\n"
    "    if (i < 4) own[i] = 7 * i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    global int* row = to + 6 * i;\n"
    "    row[0] = sum(g, 4); row[1] = sum(l, 4); row[2] = sum(p, 4); row[3] = sum(own, 4);\n"
    "    int* any = i % 3 == 0 ? (int*)g : i % 3 == 1 ? (int*)l : (int*)p;\n"
    "    row[4] = any[1];\n"
    "    twice(&p[3]); twice(row + 4);\n"
    "    row[5] = p[3];\n"
    "}\n"
    "kernel void casts(global int* g, local int* l, global int* to) {\n"
    "    int p = 3;\n"
    "    int* pointers[3] = {g, l, &p};\n"
    "    for (int k = 0; k < 3; k++) {\n"
    "        to[3 * k] = to_global(pointers[k]) != 0;\n"
    "        to[3 * k + 1] = to_local(pointers[k]) != 0;\n"
    "        to[3 * k + 2] = to_private(pointers[k]) != 0;\n"
    "    }\n"
    "    to[9] = to_global(pointers[0]) == g && to_local(pointers[1]) == l;\n"
    "    to[10] = get_fence(pointers[0]) == CLK_GLOBAL_MEM_FENCE;\n"
    "    to[11] = get_fence(pointers[1]) == CLK_LOCAL_MEM_FENCE;\n"
    "    int* none = 0;\n"
    "    to[12] = none == (global int*)0 && none == (local int*)0;\n"
    "}\n"
    "kernel void atomics(global atomic_int* g, global int* to) {\n"
    "    local atomic_int l;\n"
    "    int i = get_local_id(0);\n"
    "    if (i == 0) atomic_init(&l, 0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    volatile atomic_int* which = i % 2 ? (volatile atomic_int*)g : (volatile atomic_int*)&l;\n"
    "    atomic_fetch_add_explicit(which, i, memory_order_relaxed, memory_scope_device);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i == 0) to[0] = atomic_load_explicit(&l, memory_order_relaxed, memory_scope_work_group);\n"
    "}\n";

enum { ITEMS = 64 };

static void check_spaces(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "spaces");
    int values[ITEMS], got[ITEMS][6];
    for (int i = 0; i < ITEMS; i++) {
        values[i] = i * i + 3;
    }
    const cl_mem g = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, g);
    CHECK(clSetKernelArg(kernel, 1, ITEMS * sizeof(int), NULL));
    SET(kernel, 2, to);
    launch(kernel, ITEMS, ITEMS);
    download(to, sizeof got, got);
    const int sum = values[0] + values[1] + values[2] + values[3];
    for (int i = 0; i < ITEMS; i++) {
        const int any = i % 3 == 0 ? values[1] : i % 3 == 1 ? values[1] + 1 : 100 + i;
        const int expected[6] = {sum, sum + 4, 600 + 4 * i, 42, 2 * any, 2 * (300 + i)};
        expect_same("spaces", got[i], expected, 6, sizeof(int));
    }
    CHECK(clReleaseMemObject(g));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_casts(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "casts");
    const int expected[13] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1};
    int got[13];
    const cl_mem g = buffer_of(16, NULL), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, g);
    CHECK(clSetKernelArg(kernel, 1, 16, NULL));
    SET(kernel, 2, to);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    expect_same("casts", got, expected, 13, sizeof(int));
    CHECK(clReleaseMemObject(g));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_atomics(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "atomics");
    int total = 0, odd, even;
    const cl_mem g = buffer_of(4, &total), to = buffer_of(4, NULL);
    SET(kernel, 0, g);
    SET(kernel, 1, to);
    launch(kernel, ITEMS, ITEMS);
    download(g, 4, &odd);
    download(to, 4, &even);
    EXPECT_EQUAL(odd, ITEMS / 2 * (ITEMS / 2));
    EXPECT_EQUAL(even, ITEMS / 2 * (ITEMS / 2 - 1));
    CHECK(clReleaseMemObject(g));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    if (!device_uint(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT)) {
        skip("generic address space");
    }
    const char* const standards[] = {"-cl-std=CL2.0", "-cl-std=CL3.0"};
    for (size_t i = 0; i < COUNT(standards); i++) {
        const cl_program program = build(SOURCE, standards[i]);
        check_spaces(program);
        check_casts(program);
        check_atomics(program);
        CHECK(clReleaseProgram(program));
    }
    close_device();
    return passed();
}
