//! # Index spaces that are no multiple of their groups: the last groups are smaller, unless the program is built without them.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "kernel void where(global uint* to) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1);\n"
    "    global uint* row = to + (y * get_global_size(0) + x) * 8;\n"
    "    row[0] = get_local_size(0); row[1] = get_local_size(1);\n"
    "    row[2] = get_enqueued_local_size(0); row[3] = get_enqueued_local_size(1);\n"
    "    row[4] = get_num_groups(0) * 100 + get_num_groups(1);\n"
    "    row[5] = get_local_id(1) * get_local_size(0) + get_local_id(0);\n"
    "    row[6] = get_group_id(0) * 100 + get_group_id(1);\n"
    "    row[7] = get_global_linear_id();\n"
    "}\n"
    "kernel void sums(global const int* from, global int* to, local int* all) {\n"
    "    size_t i = get_local_id(0), n = get_local_size(0);\n"
    "    all[i] = from[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i == 0) {\n"
    "        int sum = 0;\n"
    "        for (size_t k = 0; k < n; k++) sum += all[k];\n"
    "        to[get_group_id(0)] = sum;\n"
    "    }\n"
    "}\n";

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void check_places(cl_kernel kernel, const size_t* global, const size_t* local) {
    const size_t count = global[0] * global[1];
    cl_uint* const rows = allocate(count * 8, sizeof *rows);
    const cl_mem to = buffer_of(count * 8 * sizeof *rows, rows);
    SET(kernel, 0, to);
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    download(to, count * 8 * sizeof *rows, rows);
    for (size_t i = 0; i < count; i++) {
        const size_t at[2] = {i % global[0], i / global[0]};
        size_t group[2], size[2], groups[2];
        for (int d = 0; d < 2; d++) {
            group[d] = at[d] / local[d];
            groups[d] = (global[d] + local[d] - 1) / local[d];
            size[d] = smaller(local[d], global[d] - group[d] * local[d]);
        }
        const cl_uint expected[8] = {(cl_uint)size[0],
                                     (cl_uint)size[1],
                                     (cl_uint)local[0],
                                     (cl_uint)local[1],
                                     (cl_uint)(groups[0] * 100 + groups[1]),
                                     (cl_uint)(at[1] % local[1] * size[0] + at[0] % local[0]),
                                     (cl_uint)(group[0] * 100 + group[1]),
                                     (cl_uint)i};
        expect_same("work-item", rows + 8 * i, expected, 8, sizeof *expected);
    }
    CHECK(clReleaseMemObject(to));
    free(rows);
}

static void check_sums(cl_kernel kernel) {
    enum { LENGTH = 150, GROUP = 64 };
    int values[LENGTH], got[3], expected[3] = {0};
    for (int i = 0; i < LENGTH; i++) {
        values[i] = i * i;
        expected[i / GROUP] += values[i];
    }
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    CHECK(clSetKernelArg(kernel, 2, GROUP * sizeof(int), NULL));
    launch(kernel, LENGTH, GROUP);
    download(to, sizeof got, got);
    expect_same("sum", got, expected, 3, sizeof(int));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
}

// Programs of OpenCL C 1.2, and programs built for whole groups, refuse others.
static void check_refused(const char* options) {
    const cl_program program = build("kernel void nothing(global int* to) { to[get_global_id(0)] = 1; }", options);
    const cl_kernel kernel = kernel_of(program, "nothing");
    const cl_mem to = buffer_of(400, NULL);
    SET(kernel, 0, to);
    const size_t global = 100, local = 64;
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    const size_t half = 50;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &half, 0, NULL, NULL));
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    check_refused("-cl-std=CL1.2");
    if (!device_uint(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT)) {
        skip("work-groups of several sizes");
    }
    const char* const standards[] = {"-cl-std=CL3.0", "-cl-std=CL2.0"};
    for (size_t i = 0; i < COUNT(standards); i++) {
        const cl_program program = build(SOURCE, standards[i]);
        const cl_kernel places = kernel_of(program, "where"), sums = kernel_of(program, "sums");
        check_places(places, (size_t[]){10, 7}, (size_t[]){4, 3});
        check_places(places, (size_t[]){8, 7}, (size_t[]){4, 3});
        check_places(places, (size_t[]){5, 5}, (size_t[]){8, 8});
        check_places(places, (size_t[]){130, 1}, (size_t[]){64, 1});
        check_sums(sums);
        CHECK(clReleaseKernel(places));
        CHECK(clReleaseKernel(sums));
        CHECK(clReleaseProgram(program));
    }
    check_refused("-cl-std=CL3.0 -cl-uniform-work-group-size");
    close_device();
    return passed();
}
