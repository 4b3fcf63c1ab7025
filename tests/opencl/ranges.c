//! # Index spaces of one to three dimensions: identifiers, sizes, offsets, groups chosen by the implementation.
//! targets = ["gfx803", "gfx900", "gfx906", "gfx600"]
#include "check.h"

static const char* const SOURCE =
    "kernel void where(global uint* to, global uint* counts) {\n"
    "    size_t g[3], at = 0;\n"
    "    for (int d = 2; d >= 0; d--) {\n"
    "        g[d] = get_global_id(d) - get_global_offset(d);\n"
    "        at = at * get_global_size(d) + g[d];\n"
    "    }\n"
    "    global uint* row = to + at * 20;\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        row[d] = get_global_id(d);\n"
    "        row[3 + d] = get_local_id(d);\n"
    "        row[6 + d] = get_group_id(d);\n"
    "        row[9 + d] = get_local_size(d);\n"
    "        row[12 + d] = get_num_groups(d);\n"
    "    }\n"
    "    row[15] = get_work_dim();\n"
    "    row[16] = get_global_linear_id();\n"
    "    row[17] = get_local_linear_id();\n"
    "    row[18] = get_global_id(3) + get_local_id(7) + get_group_id(3) + get_global_offset(5);\n"
    "    row[19] = get_global_size(3) * get_local_size(4) * get_num_groups(3) * get_enqueued_local_size(3);\n"
    "    atomic_inc(counts + at);\n"
    "}\n";

static void check_range(cl_kernel kernel, cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local) {
    size_t sizes[3] = {1, 1, 1}, offsets[3] = {0, 0, 0}, count = 1;
    for (cl_uint d = 0; d < dimensions; d++) {
        sizes[d] = global[d];
        offsets[d] = offset == NULL ? 0 : offset[d];
        count *= global[d];
    }
    cl_uint* const rows = allocate(count * 20, sizeof *rows);
    cl_uint* const counts = allocate(count, sizeof *counts);
    const cl_mem to = buffer_of(count * 20 * sizeof *rows, rows), counters = buffer_of(count * sizeof *counts, counts);
    SET(kernel, 0, to);
    SET(kernel, 1, counters);
    CHECK(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL));
    download(to, count * 20 * sizeof *rows, rows);
    download(counters, count * sizeof *counts, counts);
    // Groups that the implementation has chosen are those that the first work-item reports.
    size_t groups[3];
    for (int d = 0; d < 3; d++) {
        groups[d] = rows[9 + d];
        if (local != NULL && d < (int)dimensions) {
            EXPECT_EQUAL(groups[d], local[d]);
        }
        REQUIRE(groups[d] >= 1 && sizes[d] % groups[d] == 0, "groups of %zu of %zu work-items", groups[d], sizes[d]);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t at[3] = {i % sizes[0], i / sizes[0] % sizes[1], i / sizes[0] / sizes[1]};
        cl_uint expected[20];
        for (int d = 0; d < 3; d++) {
            expected[d] = (cl_uint)(at[d] + offsets[d]);
            expected[3 + d] = (cl_uint)(at[d] % groups[d]);
            expected[6 + d] = (cl_uint)(at[d] / groups[d]);
            expected[9 + d] = (cl_uint)groups[d];
            expected[12 + d] = (cl_uint)(sizes[d] / groups[d]);
        }
        expected[15] = dimensions;
        expected[16] = (cl_uint)i;
        expected[17] = (cl_uint)((expected[5] * groups[1] + expected[4]) * groups[0] + expected[3]);
        expected[18] = 0;
        expected[19] = 1;
        expect_same("identifiers", rows + 20 * i, expected, 20, sizeof *expected);
        EXPECT_EQUAL(counts[i], 1);
    }
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(counters));
    free(rows);
    free(counts);
}

static bool is_of_3(void) { return device_uint(CL_DEVICE_NUMERIC_VERSION) >= CL_MAKE_VERSION(3, 0, 0); }

static void check_errors(cl_kernel kernel) {
    const size_t global[4] = {64, 4, 4, 1}, zero[3] = {64, 0, 4}, local[3] = {8, 2, 2};
    const size_t uneven[3] = {7, 1, 1}, none[3] = {8, 0, 1};
    const cl_mem buffer = buffer_of(64 * 16 * 20 * 4, NULL);
    SET(kernel, 0, buffer);
    SET(kernel, 1, buffer);
#define EXPECT_LAUNCH(dimensions, offset, global, local, error) \
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL), error)
    EXPECT_LAUNCH(0, NULL, global, NULL, CL_INVALID_WORK_DIMENSION);
    EXPECT_LAUNCH(4, NULL, global, NULL, CL_INVALID_WORK_DIMENSION);
    EXPECT_LAUNCH(3, NULL, global, none, CL_INVALID_WORK_GROUP_SIZE);
    // Programs of before OpenCL C 2.0 have whole groups.
    EXPECT_LAUNCH(1, NULL, global, uneven, CL_INVALID_WORK_GROUP_SIZE);
    size_t most[3], beyond[3] = {1, 1, 1};
    device_property(CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof most, most);
    for (int d = 0; d < 3; d++) {
        beyond[d] = most[d] + 1;
        const size_t whole[3] = {beyond[0], beyond[1], beyond[2]};
        const cl_int error = clEnqueueNDRangeKernel(queue, kernel, 3, NULL, whole, beyond, 0, NULL, NULL);
        REQUIRE(error == CL_INVALID_WORK_ITEM_SIZE || error == CL_INVALID_WORK_GROUP_SIZE, "%s", error_name(error));
        beyond[d] = 1;
    }
    const size_t limit = device_size(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (most[0] >= 2 && most[1] >= 2) {
        const size_t wide[2] = {limit, 2};
        EXPECT_LAUNCH(2, NULL, wide, wide, CL_INVALID_WORK_GROUP_SIZE);
    }
    const size_t far[1] = {SIZE_MAX - 10};
    EXPECT_LAUNCH(1, far, global, NULL, CL_INVALID_GLOBAL_OFFSET);
    EXPECT_ERROR(clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, NULL, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    // Nothing to do is allowed since OpenCL 2.1: the command ends like any other.
    if (is_of_3()) {
        cl_event event;
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, zero, NULL, 0, NULL, &event));
        CHECK(clWaitForEvents(1, &event));
        CHECK(clReleaseEvent(event));
    } else {
        EXPECT_LAUNCH(3, NULL, zero, NULL, CL_INVALID_GLOBAL_WORK_SIZE);
        EXPECT_LAUNCH(3, NULL, NULL, NULL, CL_INVALID_GLOBAL_WORK_SIZE);
    }
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL));
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(buffer));
}

static void check_ranges(void) {
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "where");
    check_range(kernel, 1, NULL, (size_t[]){128}, (size_t[]){32});
    check_range(kernel, 1, (size_t[]){1000}, (size_t[]){60}, (size_t[]){5});
    check_range(kernel, 1, NULL, (size_t[]){1}, (size_t[]){1});
    check_range(kernel, 1, NULL, (size_t[]){97}, NULL);
    check_range(kernel, 1, (size_t[]){3}, (size_t[]){256}, NULL);
    check_range(kernel, 2, NULL, (size_t[]){12, 10}, (size_t[]){4, 5});
    check_range(kernel, 2, (size_t[]){7, 100000}, (size_t[]){12, 10}, (size_t[]){3, 2});
    check_range(kernel, 2, (size_t[]){0, 9}, (size_t[]){33, 7}, NULL);
    check_range(kernel, 3, NULL, (size_t[]){8, 6, 4}, (size_t[]){4, 3, 2});
    check_range(kernel, 3, (size_t[]){1, 2, 3}, (size_t[]){5, 6, 7}, (size_t[]){5, 2, 1});
    check_range(kernel, 3, (size_t[]){4, 0, 1}, (size_t[]){16, 4, 4}, NULL);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    // The functions of the kernel are those of OpenCL C 2.0 and later.
    if (is_of_3()) {
        check_ranges();
    }
    const cl_program older = build("kernel void where(global int* a, global int* b) { a[get_global_id(0)] = 0; }", "-cl-std=CL1.2");
    const cl_kernel plain = kernel_of(older, "where");
    check_errors(plain);
    CHECK(clReleaseKernel(plain));
    CHECK(clReleaseProgram(older));
    close_device();
    return passed();
}
