//! # Functions of whole work-groups: all, any, broadcasts in three dimensions, reductions and scans of every type.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

// A kernel for a type: reductions and both kinds of scans.
static const char* const PATTERN =
    "kernel void scans_T(global const T* from, global T* to) {\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    T v = from[i];\n"
    "    to[i] = work_group_reduce_add(v); to[n + i] = work_group_reduce_min(v); to[2 * n + i] = work_group_reduce_max(v);\n"
    "    to[3 * n + i] = work_group_scan_inclusive_add(v); to[4 * n + i] = work_group_scan_inclusive_min(v);\n"
    "    to[5 * n + i] = work_group_scan_inclusive_max(v); to[6 * n + i] = work_group_scan_exclusive_add(v);\n"
    "    to[7 * n + i] = work_group_scan_exclusive_min(v); to[8 * n + i] = work_group_scan_exclusive_max(v);\n"
    "}\n";

static const char* const SOURCE =
    "kernel void votes(global const int* from, global int* to) {\n"
    "    size_t i = get_global_id(0);\n"
    "    to[i] = (work_group_all(from[i]) != 0) + 2 * (work_group_any(from[i]) != 0);\n"
    "}\n"
    "kernel void broadcasts(global int* to) {\n"
    "    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);\n"
    "    int value = 100 * z + 10 * y + x + 1000 * (int)get_group_id(0);\n"
    "    size_t at = get_global_linear_id();\n"
    "    if (get_work_dim() == 1) to[at] = work_group_broadcast(value, 3);\n"
    "    else if (get_work_dim() == 2) to[at] = work_group_broadcast(value, 3, 2);\n"
    "    else to[at] = work_group_broadcast(value, 2, 1, 3);\n"
    "}\n";

enum { ITEMS = 192 };

static void check_votes(cl_program program, size_t group) {
    const cl_kernel kernel = kernel_of(program, "votes");
    int values[ITEMS], got[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        const int number = i / (int)group;
        values[i] = number % 3 == 0 ? 0 : number % 3 == 1 ? i + 1 : i % (int)group == 5;
    }
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    launch(kernel, ITEMS, group);
    download(to, sizeof got, got);
    for (int i = 0; i < ITEMS; i++) {
        const int number = i / (int)group % 3;
        EXPECT_EQUAL(got[i], number == 0 ? 0 : number == 1 ? 3 : 2);
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_broadcasts(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "broadcasts");
    const size_t global[3] = {8, 4, 4}, local[3] = {4, 4, 4};
    const int sources[3] = {3, 23, 312};
    for (cl_uint dimensions = 1; dimensions <= 3; dimensions++) {
        int got[128];
        const cl_mem to = buffer_of(sizeof got, NULL);
        SET(kernel, 0, to);
        CHECK(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL));
        const int count = dimensions == 1 ? 8 : dimensions == 2 ? 32 : 128;
        download(to, (size_t)count * sizeof(int), got);
        for (int i = 0; i < count; i++) {
            EXPECT_EQUAL(got[i], sources[dimensions - 1] + 1000 * (i % 8 / 4));
        }
        CHECK(clReleaseMemObject(to));
    }
    CHECK(clReleaseKernel(kernel));
}

// Expected results as doubles, which hold every value exactly that the types here have.
static void model(const double* from, double* to, int group, double lowest, double highest) {
    for (int i = 0; i < ITEMS; i++) {
        const int first = i / group * group;
        double sum = 0, least = highest, most = lowest;
        double before[3] = {0, highest, lowest};
        for (int k = first; k < first + group && k < ITEMS; k++) {
            sum += from[k];
            least = from[k] < least ? from[k] : least;
            most = from[k] > most ? from[k] : most;
            if (k == i) {
                to[3 * ITEMS + i] = sum, to[4 * ITEMS + i] = least, to[5 * ITEMS + i] = most;
                to[6 * ITEMS + i] = before[0], to[7 * ITEMS + i] = before[1], to[8 * ITEMS + i] = before[2];
            }
            before[0] = sum, before[1] = least, before[2] = most;
        }
        to[i] = sum, to[ITEMS + i] = least, to[2 * ITEMS + i] = most;
    }
}

static const struct {
    const char* name;
    size_t size;
    double lowest, highest;
} TYPES[] = {{"int", 4, -2147483648.0, 2147483647.0},
             {"uint", 4, 0, 4294967295.0},
             {"long", 8, -0x1p63, 0x1p63},
             {"ulong", 8, 0, 0x1p64},
             {"float", 4, -INFINITY, INFINITY},
             {"double", 8, -INFINITY, INFINITY}};

static void put(void* at, size_t type, int index, double value) {
    switch (type) {
        case 0: ((cl_int*)at)[index] = (cl_int)value; break;
        case 1: ((cl_uint*)at)[index] = (cl_uint)value; break;
        case 2: ((cl_long*)at)[index] = value >= 0x1p63 ? INT64_MAX : (cl_long)value; break;
        case 3: ((cl_ulong*)at)[index] = value >= 0x1p64 ? UINT64_MAX : (cl_ulong)value; break;
        case 4: ((cl_float*)at)[index] = (cl_float)value; break;
        default: ((cl_double*)at)[index] = value;
    }
}

// Adds the pattern to a source, with a type in the place of each T.
static void write_scans(char* source, const char* name) {
    for (const char* at = PATTERN; *at != 0; at++) {
        const size_t length = strlen(source);
        if (*at == 'T') {
            strcpy(source + length, name);
        } else {
            source[length] = *at;
            source[length + 1] = 0;
        }
    }
}

static void check_scans(cl_program program, size_t type, int group) {
    char kernel_name[20];
    sprintf(kernel_name, "scans_%s", TYPES[type].name);
    const cl_kernel kernel = kernel_of(program, kernel_name);
    static double values[ITEMS], results[9 * ITEMS];
    static cl_ulong from[ITEMS], expected[9 * ITEMS], got[9 * ITEMS];
    uint64_t seed = type + 1;
    for (int i = 0; i < ITEMS; i++) {
        values[i] = (double)(random_bits(&seed) % 2000) - (TYPES[type].lowest < 0 ? 1000 : 0);
        put(from, type, i, values[i]);
    }
    model(values, results, group, TYPES[type].lowest, TYPES[type].highest);
    for (int i = 0; i < 9 * ITEMS; i++) {
        put(expected, type, i, results[i]);
    }
    const cl_mem input = buffer_of(sizeof from, from), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, input);
    SET(kernel, 1, to);
    launch(kernel, ITEMS, (size_t)group);
    download(to, sizeof got, got);
    expect_same(kernel_name, got, expected, 9 * ITEMS, TYPES[type].size);
    CHECK(clReleaseMemObject(input));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    if (!device_uint(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT)) {
        skip("functions of work-groups");
    }
    static char source[20000];
    const size_t types = has_extension("cl_khr_fp64") ? COUNT(TYPES) : COUNT(TYPES) - 1;
    strcpy(source, SOURCE);
    for (size_t type = 0; type < types; type++) {
        write_scans(source, TYPES[type].name);
    }
    const cl_program program = build(source, "");
    check_votes(program, 8);
    check_votes(program, 64);
    check_broadcasts(program);
    for (size_t type = 0; type < types; type++) {
        check_scans(program, type, 64);
        check_scans(program, type, type % 2 == 0 ? 192 : 16);
    }
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
