//! # Subgroups: sizes and identifiers, votes, broadcasts, reductions, scans, barriers, and what the host is told of them.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "#ifdef cl_khr_subgroups\n#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n#endif\n"
    "kernel void where(global uint* to) {\n"
    "    global uint* row = to + get_global_id(0) * 8;\n"
    "    row[0] = get_sub_group_size(); row[1] = get_max_sub_group_size(); row[2] = get_num_sub_groups();\n"
    "    row[3] = get_enqueued_num_sub_groups(); row[4] = get_sub_group_id(); row[5] = get_sub_group_local_id();\n"
    "    row[6] = get_local_linear_id(); row[7] = get_group_id(0);\n"
    "}\n"
    "kernel void collect(global const int* from, global int* to) {\n"
    "    size_t i = get_global_id(0);\n"
    "    int v = from[i];\n"
    "    global int* row = to + i * 12;\n"
    "    row[0] = get_sub_group_id(); row[1] = sub_group_all(v >= 0) != 0; row[2] = sub_group_any(v < 0) != 0;\n"
    "    row[3] = sub_group_broadcast(v, 2); row[4] = sub_group_reduce_add(v); row[5] = sub_group_reduce_min(v);\n"
    "    row[6] = sub_group_reduce_max(v); row[7] = sub_group_scan_inclusive_add(v); row[8] = sub_group_scan_exclusive_add(v);\n"
    "    row[9] = sub_group_scan_inclusive_max(v); row[10] = sub_group_scan_exclusive_min(v);\n"
    "    sub_group_barrier(CLK_LOCAL_MEM_FENCE); row[11] = get_sub_group_local_id();\n"
    "}\n";

enum { ITEMS = 256 };

static size_t size_of(cl_kernel kernel, cl_kernel_sub_group_info name, size_t input_size, const void* input) {
    size_t value = 0, length = 0;
    CHECK(clGetKernelSubGroupInfo(kernel, device, name, input_size, input, sizeof value, &value, &length));
    EXPECT_EQUAL(length, sizeof value);
    return value;
}

// Identifiers count subgroups and their work-items in order; the host is told the same numbers.
static void check_places(cl_program program, size_t group) {
    const cl_kernel kernel = kernel_of(program, "where");
    static cl_uint rows[ITEMS][8];
    const cl_mem to = buffer_of(sizeof rows, NULL);
    SET(kernel, 0, to);
    launch(kernel, ITEMS, group);
    download(to, sizeof rows, rows);
    const size_t most = size_of(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, &group);
    const size_t number = size_of(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof group, &group);
    EXPECT_EQUAL(number, (group + most - 1) / most);
    REQUIRE(number <= size_of(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL), "%zu subgroups", number);
    REQUIRE(number <= device_uint(CL_DEVICE_MAX_NUM_SUB_GROUPS), "%zu subgroups", number);
    EXPECT_EQUAL(size_of(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL), 0);
    bool seen[ITEMS][2] = {{false}};
    size_t sizes[ITEMS] = {0};
    for (int i = 0; i < ITEMS; i++) {
        const cl_uint* const row = rows[i];
        EXPECT_EQUAL(row[1], most);
        EXPECT_EQUAL(row[2], number);
        EXPECT_EQUAL(row[3], number);
        REQUIRE(row[4] < number && row[5] < row[0] && row[0] <= most, "work-item %u of %u in subgroup %u", row[5], row[0], row[4]);
        const size_t place = row[7] * group + row[4] * most + row[5];
        REQUIRE(place < ITEMS && !seen[place][0], "two work-items at one place of a subgroup");
        seen[place][0] = true;
        sizes[row[7] * number + row[4]]++;
    }
    for (int i = 0; i < ITEMS; i++) {
        EXPECT_EQUAL(sizes[rows[i][7] * number + rows[i][4]], rows[i][0]);
    }
    // A group for a number of subgroups, and none for too many.
    size_t local[3] = {0}, length;
    const size_t one = 1, too_many = 100000;
    CHECK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof one, &one, sizeof local, local, &length));
    EXPECT_EQUAL(length, sizeof local);
    EXPECT_EQUAL(size_of(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, local), 1);
    CHECK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof one, &too_many, sizeof local, local, NULL));
    EXPECT_EQUAL(local[0] + local[1] + local[2], 0);
    EXPECT_ERROR(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0, NULL, sizeof one, local, NULL), CL_INVALID_VALUE);
    const size_t sizes_of_input[] = {4 * sizeof(size_t), SIZE_MAX};
    const size_t input[4] = {1, 1, 1, 1};
    for (size_t i = 0; i < COUNT(sizes_of_input); i++) {
        EXPECT_ERROR(
            clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizes_of_input[i], input, sizeof one, local, NULL),
            CL_INVALID_VALUE);
    }
    EXPECT_ERROR(clGetKernelSubGroupInfo(kernel, device, 0x4242, 0, NULL, sizeof one, local, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetKernelSubGroupInfo(NULL, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof one, local, NULL), CL_INVALID_KERNEL);
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

static void check_functions(cl_program program, int group) {
    const cl_kernel kernel = kernel_of(program, "collect");
    static int values[ITEMS], rows[ITEMS][12];
    uint64_t seed = (uint64_t)group;
    for (int i = 0; i < ITEMS; i++) {
        values[i] = (int)(random_bits(&seed) % 10000) - (i < ITEMS / 2 ? 0 : 500);
    }
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof rows, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    launch(kernel, ITEMS, (size_t)group);
    download(to, sizeof rows, rows);
    for (int first = 0, next; first < ITEMS; first = next) {
        // A subgroup ends where its number changes, or its group ends.
        next = first + 1;
        while (next < ITEMS && next % group != 0 && rows[next][0] == rows[first][0]) {
            next++;
        }
        int sum = 0, least = INT32_MAX, most = INT32_MIN;
        for (int i = first; i < next; i++) {
            sum += values[i];
            least = smaller(least, values[i]);
            most = larger(most, values[i]);
        }
        int before = 0, low = INT32_MAX, high = INT32_MIN;
        for (int i = first; i < next; i++) {
            high = larger(high, values[i]);
            const int expected[12] = {rows[first][0], least >= 0, least < 0, values[first + 2], sum, least, most,
                                      before + values[i], before, high, low, i - first};
            expect_same("subgroup", rows[i], expected, 12, sizeof(int));
            before += values[i];
            low = smaller(low, values[i]);
        }
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

// Sub-groups that wait for each other, each many times, as independent forward progress allows.
static void check_progress(size_t group) {
    static const char* const text =
        "kernel void hand_over(global volatile int* sum, int rounds) {\n"
        "    local atomic_int turn;\n"
        "    if (get_local_id(0) == 0) atomic_init(&turn, 0);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    const int own = get_sub_group_id(), count = get_num_sub_groups();\n"
        "    if (get_sub_group_local_id() != 0) return;\n"
        "    for (int i = 0; i < rounds; i++) {\n"
        "        while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) % count != own) {}\n"
        "        sum[0] += own + 1;\n"
        "        atomic_fetch_add_explicit(&turn, 1, memory_order_release, memory_scope_work_group);\n"
        "    }\n"
        "}\n";
    if (!device_uint(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)) {
        // The extension that the device reports promises it.
        REQUIRE(!has_extension("cl_khr_subgroups"), "sub-groups need not go on");
        return;
    }
    const int zero = 0, rounds = 100, groups = (int)group / 64;
    int got;
    const cl_program program = build(text, "");
    const cl_kernel kernel = kernel_of(program, "hand_over");
    const cl_mem sum = buffer_of(sizeof zero, &zero);
    SET(kernel, 0, sum);
    SET(kernel, 1, rounds);
    launch(kernel, group, group);
    download(sum, sizeof got, &got);
    EXPECT_EQUAL(got, rounds * groups * (groups + 1) / 2);
    CHECK(clReleaseMemObject(sum));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    if (device_uint(CL_DEVICE_MAX_NUM_SUB_GROUPS) == 0) {
        skip("subgroups");
    }
    const cl_program program = build(SOURCE, "");
    check_places(program, 128);
    check_places(program, 32);
    check_places(program, 256);
    check_functions(program, 128);
    check_functions(program, 64);
    check_functions(program, 16);
    check_progress(256);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
