//! # Conversions between all numbers, saturated and with each rounding, and reinterpretation of bits.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

enum { POINTS = 64 };

static const struct {
    const char* name;
    size_t size;
    long double low, high;
} INTEGERS[] = {{"char", 1, -128, 127},
                {"uchar", 1, 0, 255},
                {"short", 2, -32768, 32767},
                {"ushort", 2, 0, 65535},
                {"int", 4, -0x1p31L, 0x1p31L - 1},
                {"uint", 4, 0, 0x1p32L - 1},
                {"long", 8, -0x1p63L, 0x1p63L - 1},
                {"ulong", 8, 0, 0x1p64L - 1}};
static const char* const ROUNDINGS[] = {"rte", "rtz", "rtp", "rtn"};

static long double rounded(long double value, int rounding) {
    switch (rounding) {
        case 0: return rintl(value);
        case 1: return truncl(value);
        case 2: return ceill(value);
        default: return floorl(value);
    }
}

static long double integer_at(const void* at, size_t type, int index) {
    switch (type) {
        case 0: return ((const cl_char*)at)[index];
        case 1: return ((const cl_uchar*)at)[index];
        case 2: return ((const cl_short*)at)[index];
        case 3: return ((const cl_ushort*)at)[index];
        case 4: return ((const cl_int*)at)[index];
        case 5: return ((const cl_uint*)at)[index];
        case 6: return ((const cl_long*)at)[index];
        default: return ((const cl_ulong*)at)[index];
    }
}

// A kernel of floats to a type of integers.
static size_t write_from_floats(char* source, size_t type) {
    const char* const name = INTEGERS[type].name;
    size_t at = (size_t)sprintf(source, "kernel void floats_to_%s(global const float4* a, global const float4* b, global %s4* to) {\n"
                                        "    size_t i = get_global_id(0), n = get_global_size(0);\n", name, name);
    for (int r = 0; r < 4; r++) {
        at += (size_t)sprintf(source + at, "    to[%d * n + i] = convert_%s4_%s(a[i]); to[%d * n + i] = convert_%s4_sat_%s(b[i]);\n",
                              r, name, ROUNDINGS[r], 4 + r, name, ROUNDINGS[r]);
    }
    at += (size_t)sprintf(source + at, "    to[8 * n + i] = convert_%s4(a[i]); to[9 * n + i] = convert_%s4_sat(b[i]);\n}\n", name, name);
    return at;
}

// Each rounding without saturation for values inside the type's range, and with it for all.
static void check_from_floats(cl_program program, size_t type) {
    const char* const name = INTEGERS[type].name;
    char kernel_name[30];
    sprintf(kernel_name, "floats_to_%s", name);
    const cl_kernel kernel = kernel_of(program, kernel_name);
    float inside[POINTS], any[POINTS];
    static unsigned char got[10 * POINTS * 8];
    uint64_t seed = type + 50;
    for (int i = 0; i < POINTS; i++) {
        const double low = (double)INTEGERS[type].low, high = (double)INTEGERS[type].high;
        const double limit = high < 1e4 ? high : 1e4;
        inside[i] = (float)(round(random_real(&seed, low < 0 ? -limit + 2 : 1, limit - 2) * 4) / 4);
        any[i] = (float)random_real(&seed, -1.5 * high, 1.5 * high);
    }
    any[0] = INFINITY, any[1] = -INFINITY, any[2] = 0.5f, any[3] = -0.5f, any[4] = 1.5f, any[5] = 2.5f, any[6] = -1.5f;
    any[7] = 1e30f, any[8] = -1e30f, any[9] = 127.5f, any[10] = -128.5f;
    const size_t bytes = 10 * POINTS * INTEGERS[type].size;
    const cl_mem a = buffer_of(sizeof inside, inside), b = buffer_of(sizeof any, any), to = buffer_of(bytes, NULL);
    SET(kernel, 0, a);
    SET(kernel, 1, b);
    SET(kernel, 2, to);
    launch(kernel, POINTS / 4, 0);
    download(to, bytes, got);
    for (int k = 0; k < 10; k++) {
        const bool saturates = k == 9 || (k >= 4 && k < 8);
        const int rounding = k >= 8 ? 1 : k % 4;
        for (int i = 0; i < POINTS; i++) {
            const float value = saturates ? any[i] : inside[i];
            long double expected = rounded(value, rounding);
            expected = expected < INTEGERS[type].low ? INTEGERS[type].low : expected > INTEGERS[type].high ? INTEGERS[type].high : expected;
            const long double have = integer_at(got, type, k * POINTS + i);
            REQUIRE(have == expected, "%s, %s, saturated %d, of %a: expected %.0Lf, got %.0Lf", name, ROUNDINGS[rounding], saturates, value, expected, have);
        }
    }
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

// A kernel of integers to each other type of integers, saturated and cut.
static size_t write_between_integers(char* source, size_t from) {
    size_t at = (size_t)sprintf(source, "kernel void from_%s(global const %s* a, global long* sat, global long* cut) {\n"
                                        "    size_t i = get_global_id(0), n = get_global_size(0);\n", INTEGERS[from].name, INTEGERS[from].name);
    for (size_t to = 0; to < COUNT(INTEGERS); to++) {
        at += (size_t)sprintf(source + at, "    sat[%zu * n + i] = (long)convert_%s_sat(a[i]); cut[%zu * n + i] = (long)convert_%s(a[i]);\n",
                              to, INTEGERS[to].name, to, INTEGERS[to].name);
    }
    return at + (size_t)sprintf(source + at, "}\n");
}

static void check_between_integers(cl_program program, size_t from) {
    char kernel_name[30];
    sprintf(kernel_name, "from_%s", INTEGERS[from].name);
    const cl_kernel kernel = kernel_of(program, kernel_name);
    unsigned char values[POINTS * 8];
    static cl_long sat[8 * POINTS], cut[8 * POINTS];
    random_fill(values, sizeof values, from + 70);
    for (size_t i = 0; i < sizeof values; i += 40) {
        values[i] = 0xff;
    }
    const cl_mem a = buffer_of(POINTS * INTEGERS[from].size, values), b = buffer_of(sizeof sat, NULL), c = buffer_of(sizeof cut, NULL);
    SET(kernel, 0, a);
    SET(kernel, 1, b);
    SET(kernel, 2, c);
    launch(kernel, POINTS, 0);
    download(b, sizeof sat, sat);
    download(c, sizeof cut, cut);
    for (size_t to = 0; to < COUNT(INTEGERS); to++) {
        for (int i = 0; i < POINTS; i++) {
            const long double value = integer_at(values, from, i);
            const long double limited = value < INTEGERS[to].low ? INTEGERS[to].low : value > INTEGERS[to].high ? INTEGERS[to].high : value;
            const cl_ulong expected = limited < 0 ? (cl_ulong)(cl_long)limited : (cl_ulong)limited;
            const cl_ulong bits = value < 0 ? (cl_ulong)(cl_long)value : (cl_ulong)value;
            EXPECT_EQUAL(sat[to * POINTS + (size_t)i], expected);
            const long double low_part = integer_at(&bits, to, 0);
            EXPECT_EQUAL(cut[to * POINTS + (size_t)i], low_part < 0 ? (cl_ulong)(cl_long)low_part : (cl_ulong)low_part);
        }
    }
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(c));
    CHECK(clReleaseKernel(kernel));
}

// Large integers to floats in each direction: neighbours of the exact value.
static void check_to_floats(void) {
    const cl_program program = build(
        "kernel void convert(global const long* a, global const ulong* b, global const int* c, global float* to) {\n"
        "    size_t i = get_global_id(0), n = get_global_size(0);\n"
        "    to[i] = convert_float_rte(a[i]); to[n + i] = convert_float_rtz(a[i]); to[2 * n + i] = convert_float_rtp(a[i]);\n"
        "    to[3 * n + i] = convert_float_rtn(a[i]); to[4 * n + i] = convert_float(b[i]); to[5 * n + i] = convert_float_rtz(b[i]);\n"
        "    to[6 * n + i] = convert_float_rtp(c[i]); to[7 * n + i] = convert_float_rtn(c[i]); to[8 * n + i] = (float)c[i];\n"
        "}\n",
        "");
    static cl_long a[POINTS];
    static cl_ulong b[POINTS];
    static cl_int c[POINTS];
    static float got[9][POINTS];
    random_fill(a, sizeof a, 90);
    random_fill(b, sizeof b, 91);
    random_fill(c, sizeof c, 92);
    a[0] = INT64_MAX, a[1] = INT64_MIN, a[2] = 0, a[3] = (1 << 24) + 1, b[0] = UINT64_MAX, b[1] = 1UL << 63, c[0] = INT32_MAX, c[1] = INT32_MIN;
    const cl_kernel kernel = kernel_of(program, "convert");
    const cl_mem buffers[4] = {buffer_of(sizeof a, a), buffer_of(sizeof b, b), buffer_of(sizeof c, c), buffer_of(sizeof got, NULL)};
    for (cl_uint k = 0; k < 4; k++) {
        SET(kernel, k, buffers[k]);
    }
    launch(kernel, POINTS, 0);
    download(buffers[3], sizeof got, got);
    const int roundings[9] = {0, 1, 2, 3, 0, 1, 2, 3, 0};
    for (int k = 0; k < 9; k++) {
        for (int i = 0; i < POINTS; i++) {
            const long double exact = k < 4 ? (long double)a[i] : k < 6 ? (long double)b[i] : (long double)c[i];
            float expected = (float)exact;
            const int r = roundings[k];
            const bool is_above = expected > exact, is_below = expected < exact;
            if ((r == 1 && (exact > 0 ? is_above : is_below)) || (r == 2 && is_below) || (r == 3 && is_above)) {
                expected = nextafterf(expected, is_above ? -INFINITY : INFINITY);
            }
            REQUIRE(got[k][i] == expected, "conversion %d of %.0Lf: expected %a, got %a", k, exact, expected, got[k][i]);
        }
    }
    for (int k = 0; k < 4; k++) {
        CHECK(clReleaseMemObject(buffers[k]));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void check_bits(void) {
    const cl_program program = build(
        "kernel void bits(global const uint* a, global uint* to) {\n"
        "    to[0] = as_uint(as_float(a[0])); to[1] = as_int(as_uchar4(a[1]).wzyx); to[2] = as_ushort2(a[2]).y; to[3] = as_uint2(as_long(as_ulong((uint2)(a[0], a[1])))).y;\n"
        "    to[4] = (uint)as_float(0x40490fdbu); to[5] = as_uint(3.0f); to[6] = (uint)(int)-2.75f; to[7] = (uint)(uchar)(a[3]);\n"
        "}\n",
        "");
    const cl_uint a[4] = {0x12345678, 0xa1b2c3d4, 0x8001ffff, 0x1ff};
    const cl_uint expected[8] = {0x12345678, 0xd4c3b2a1, 0x8001, 0xa1b2c3d4, 3, 0x40400000, (cl_uint)-2, 0xff};
    cl_uint got[8];
    const cl_kernel kernel = kernel_of(program, "bits");
    const cl_mem from = buffer_of(sizeof a, a), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    expect_same("bits", got, expected, 8, sizeof *got);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    static char source[30000];
    size_t at = 0;
    for (size_t type = 0; type < COUNT(INTEGERS); type++) {
        at += write_from_floats(source + at, type);
        at += write_between_integers(source + at, type);
    }
    const cl_program program = build(source, "");
    for (size_t type = 0; type < COUNT(INTEGERS); type++) {
        check_from_floats(program, type);
        check_between_integers(program, type);
    }
    CHECK(clReleaseProgram(program));
    check_to_floats();
    check_bits();
    close_device();
    return passed();
}
