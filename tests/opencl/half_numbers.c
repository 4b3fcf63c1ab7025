//! # Arithmetic in half precision: operations, functions and conversions of the extension, against the host's doubles.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

#include <CL/cl_ext.h>

static const char* const SOURCE =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "kernel void operations(global const half* a, global const half* b, global half* to) {\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    half x = a[i], y = b[i];\n"
    "    to[i] = x + y; to[n + i] = x - y; to[2 * n + i] = x * y; to[3 * n + i] = fma(x, y, (half)1.5h);\n"
    "    to[4 * n + i] = fmin(x, y); to[5 * n + i] = fmax(x, y); to[6 * n + i] = fabs(x); to[7 * n + i] = floor(x);\n"
    "    to[8 * n + i] = x / y; to[9 * n + i] = sqrt(fabs(x)); to[10 * n + i] = rint(x); to[11 * n + i] = -x;\n"
    "}\n"
    "kernel void vectors(global const half4* a, global half4* to, global int4* compared, global float4* wide, half by) {\n"
    "    size_t i = get_global_id(0);\n"
    "    half4 v = a[i];\n"
    "    to[i] = v.wzyx * by; compared[i] = convert_int4(v > (half4)(0)); wide[i] = convert_float4(v);\n"
    "}\n"
    "kernel void conversions(global const float* from, global half* to) {\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    float x = from[i];\n"
    "    to[i] = convert_half(x); to[n + i] = convert_half_rtz(x); to[2 * n + i] = convert_half_rtp(x); to[3 * n + i] = convert_half_rtn(x);\n"
    "}\n";

enum { POINTS = 256 };

static double value_of(cl_half bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 0 ? ldexp(fraction, -24) : exponent == 31 ? fraction ? NAN : INFINITY : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

// The half nearest to a number towards a direction: -1 down, 1 up, 0 to zero, 2 to the nearest, even ones in the middle.
static cl_half half_of(double value, int direction) {
    const cl_half sign = signbit(value) ? 0x8000 : 0;
    const double magnitude = fabs(value);
    cl_half below = 0;
    // The largest half that is not larger, by its bits, which are in order.
    for (int bit = 1 << 14; bit > 0; bit >>= 1) {
        if ((below | bit) < 0x7c00 && value_of(below | (cl_half)bit) <= magnitude) {
            below |= (cl_half)bit;
        }
    }
    const double low = value_of(below), high = below == 0x7bff ? 65536 : value_of(below + 1);
    bool up = false;
    if (magnitude > low) {
        const double middle = (low + high) / 2;
        up = direction == 2 ? magnitude > middle || (magnitude == middle && below % 2) : direction == (sign ? -1 : 1);
    }
    return sign | (cl_half)(below + up);
}

static double divided(double x, double y) { return x / y; }

static void check_operations(cl_program program) {
    static cl_half a[POINTS], b[POINTS], got[12][POINTS];
    uint64_t seed = 21;
    for (int i = 0; i < POINTS; i++) {
        a[i] = half_of(random_real(&seed, -30, 30), 2);
        b[i] = half_of(random_real(&seed, -30, 30), 2);
    }
    const cl_kernel kernel = kernel_of(program, "operations");
    const cl_mem x = buffer_of(sizeof a, a), y = buffer_of(sizeof b, b), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, x);
    SET(kernel, 1, y);
    SET(kernel, 2, to);
    launch(kernel, POINTS, 0);
    download(to, sizeof got, got);
    for (int i = 0; i < POINTS; i++) {
        const double p = value_of(a[i]), q = value_of(b[i]);
        const double exact[12] = {p + q, p - q, p * q, p * q + 1.5, fmin(p, q), fmax(p, q), fabs(p), floor(p), divided(p, q), sqrt(fabs(p)), rint(p), -p};
        for (int k = 0; k < 12; k++) {
            // The extension allows one unit in the last place for quotients.
            const cl_half expected = half_of(exact[k], 2);
            const int away = abs((int)got[k][i] - (int)expected);
            REQUIRE(k == 8 ? away <= 1 : away == 0 || value_of(expected) == value_of(got[k][i]),
                    "operation %d of %g and %g: expected %g, got %g", k, p, q, value_of(expected), value_of(got[k][i]));
        }
    }
    CHECK(clReleaseMemObject(x));
    CHECK(clReleaseMemObject(y));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_vectors(cl_program program) {
    static cl_half a[POINTS], got[POINTS];
    static int compared[POINTS];
    static float wide[POINTS];
    for (int i = 0; i < POINTS; i++) {
        a[i] = half_of(i - 100 + 0.25 * (i % 4), 2);
    }
    const cl_half two = half_of(2, 2);
    const cl_kernel kernel = kernel_of(program, "vectors");
    const cl_mem from = buffer_of(sizeof a, a), to = buffer_of(sizeof got, NULL);
    const cl_mem flags = buffer_of(sizeof compared, NULL), floats = buffer_of(sizeof wide, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    SET(kernel, 2, flags);
    SET(kernel, 3, floats);
    SET(kernel, 4, two);
    launch(kernel, POINTS / 4, 0);
    download(to, sizeof got, got);
    download(flags, sizeof compared, compared);
    download(floats, sizeof wide, wide);
    for (int i = 0; i < POINTS; i++) {
        const double other = value_of(a[i / 4 * 4 + 3 - i % 4]), own = value_of(a[i]);
        REQUIRE(value_of(got[i]) == 2 * other, "element %d: expected %g, got %g", i, 2 * other, value_of(got[i]));
        EXPECT_EQUAL(compared[i], own > 0 ? -1 : 0);
        REQUIRE(wide[i] == own, "float %d: expected %g, got %g", i, own, wide[i]);
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(flags));
    CHECK(clReleaseMemObject(floats));
    CHECK(clReleaseKernel(kernel));
}

static void check_conversions(cl_program program) {
    static float values[POINTS];
    static cl_half got[4][POINTS];
    uint64_t seed = 22;
    for (int i = 0; i < POINTS; i++) {
        values[i] = (float)ldexp(random_real(&seed, -2, 2), (int)(random_bits(&seed) % 38) - 24);
    }
    values[0] = 0, values[1] = -0.0f, values[2] = 65504, values[3] = 1 + 0x1p-11f, values[4] = 1 + 0x3p-11f;
    const int directions[4] = {2, 0, 1, -1};
    const cl_kernel kernel = kernel_of(program, "conversions");
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    launch(kernel, POINTS, 0);
    download(to, sizeof got, got);
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 4; k++) {
            const cl_half expected = half_of(values[i], directions[k]);
            REQUIRE(got[k][i] == expected, "%a in direction %d: expected %#x, got %#x", values[i], directions[k], expected, got[k][i]);
        }
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    if (!has_extension("cl_khr_fp16")) {
        skip("half precision");
    }
    cl_device_fp_config config;
    device_property(CL_DEVICE_HALF_FP_CONFIG, sizeof config, &config);
    REQUIRE(config & CL_FP_ROUND_TO_NEAREST, "halves: %#lx", (long)config);
    const cl_program program = build(SOURCE, "");
    check_operations(program);
    check_vectors(program);
    check_conversions(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
