//! # Sorts: a bitonic network over many launches, and a radix sort by histograms and prefix sums, with keys and values.
#include "check.h"

static const char* const SOURCE =
    "kernel void exchange(global uint* keys, global uint* values, uint size, uint stride) {\n"
    "    uint i = get_global_id(0), other = i ^ stride;\n"
    "    if (other <= i) return;\n"
    "    bool up = (i & size) == 0;\n"
    "    uint a = keys[i], b = keys[other];\n"
    "    if (up ? a > b : a < b) {\n"
    "        uint value = values[i];\n"
    "        keys[i] = b; keys[other] = a; values[i] = values[other]; values[other] = value;\n"
    "    }\n"
    "}\n"
    "kernel void count_digits(global const uint* keys, global uint* counts, uint shift) {\n"
    "    local uint own[16];\n"
    "    uint l = get_local_id(0);\n"
    "    if (l < 16) own[l] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_inc(&own[keys[get_global_id(0)] >> shift & 15]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < 16) counts[l * get_num_groups(0) + get_group_id(0)] = own[l];\n"
    "}\n"
    "kernel void sum_before(global uint* counts, uint length) {\n"
    "    if (get_global_id(0) != 0) return;\n"
    "    uint sum = 0;\n"
    "    for (uint i = 0; i < length; i++) { uint count = counts[i]; counts[i] = sum; sum += count; }\n"
    "}\n"
    "kernel void scatter(global const uint* keys, global const uint* values, global const uint* counts, global uint* to, global uint* to_values, uint shift) {\n"
    "    local uint digits[64];\n"
    "    uint i = get_global_id(0), l = get_local_id(0), key = keys[i], digit = key >> shift & 15;\n"
    "    digits[l] = digit;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint before = 0;\n"
    "    for (uint k = 0; k < l; k++) before += digits[k] == digit;\n"
    "    uint at = counts[digit * get_num_groups(0) + get_group_id(0)] + before;\n"
    "    to[at] = key; to_values[at] = values[i];\n"
    "}\n";

enum { LENGTH = 512, GROUP = 64, GROUPS = LENGTH / GROUP };

static cl_uint keys[LENGTH], got[LENGTH], values[LENGTH];

static int compare(const void* a, const void* b) {
    const cl_uint x = *(const cl_uint*)a, y = *(const cl_uint*)b;
    return x < y ? -1 : x > y;
}

// Keys are in order and each value still names the place that its key had; equal keys keep their order if it must be.
static void check_sorted(cl_mem sorted, cl_mem moved, bool is_stable) {
    static cl_uint expected[LENGTH];
    bool seen[LENGTH] = {false};
    memcpy(expected, keys, sizeof keys);
    qsort(expected, LENGTH, sizeof *expected, compare);
    download(sorted, sizeof got, got);
    download(moved, sizeof values, values);
    expect_same("key", got, expected, LENGTH, sizeof *got);
    for (int i = 0; i < LENGTH; i++) {
        REQUIRE(values[i] < LENGTH && !seen[values[i]], "value %u", values[i]);
        seen[values[i]] = true;
        EXPECT_EQUAL(keys[values[i]], got[i]);
        REQUIRE(!is_stable || i == 0 || got[i - 1] != got[i] || values[i - 1] < values[i], "equal keys %u change places", got[i]);
    }
}

static void fill_in(void) {
    uint64_t seed = 71;
    for (cl_uint i = 0; i < LENGTH; i++) {
        keys[i] = (cl_uint)random_bits(&seed) & 0xfff;
        values[i] = i;
    }
}

static void check_bitonic(cl_program program) {
    fill_in();
    const cl_kernel kernel = kernel_of(program, "exchange");
    const cl_mem a = buffer_of(sizeof keys, keys), b = buffer_of(sizeof values, values);
    SET(kernel, 0, a);
    SET(kernel, 1, b);
    for (cl_uint size = 2; size <= LENGTH; size *= 2) {
        for (cl_uint stride = size / 2; stride > 0; stride /= 2) {
            SET(kernel, 2, size);
            SET(kernel, 3, stride);
            launch(kernel, LENGTH, GROUP);
        }
    }
    check_sorted(a, b, false);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseKernel(kernel));
}

static void check_radix(cl_program program) {
    fill_in();
    const cl_kernel count = kernel_of(program, "count_digits"), sum = kernel_of(program, "sum_before"), scatter = kernel_of(program, "scatter");
    cl_mem from[2] = {buffer_of(sizeof keys, keys), buffer_of(sizeof values, values)};
    cl_mem to[2] = {buffer_of(sizeof keys, NULL), buffer_of(sizeof values, NULL)};
    const cl_mem counts = buffer_of(16 * GROUPS * sizeof(cl_uint), NULL);
    const cl_uint length = 16 * GROUPS;
    for (cl_uint shift = 0; shift < 12; shift += 4) {
        SET(count, 0, from[0]);
        SET(count, 1, counts);
        SET(count, 2, shift);
        launch(count, LENGTH, GROUP);
        SET(sum, 0, counts);
        SET(sum, 1, length);
        launch(sum, 1, 1);
        SET(scatter, 0, from[0]);
        SET(scatter, 1, from[1]);
        SET(scatter, 2, counts);
        SET(scatter, 3, to[0]);
        SET(scatter, 4, to[1]);
        SET(scatter, 5, shift);
        launch(scatter, LENGTH, GROUP);
        for (int k = 0; k < 2; k++) {
            const cl_mem other = from[k];
            from[k] = to[k];
            to[k] = other;
        }
    }
    check_sorted(from[0], from[1], true);
    for (int k = 0; k < 2; k++) {
        CHECK(clReleaseMemObject(from[k]));
        CHECK(clReleaseMemObject(to[k]));
    }
    CHECK(clReleaseMemObject(counts));
    CHECK(clReleaseKernel(count));
    CHECK(clReleaseKernel(sum));
    CHECK(clReleaseKernel(scatter));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    check_bitonic(program);
    check_radix(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
