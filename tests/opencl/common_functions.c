//! # Common, geometric and relational functions of floats and their vectors, against the host.
//! targets = ["gfx803", "gfx900", "gfx906", "gfx600"]
#include "check.h"

static const char* const SOURCE =
    "kernel void common(global const float4* a, global const float4* b, global float4* to) {\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    float4 x = a[i], y = b[i];\n"
    "    to[i] = clamp(x, -1.0f, 2.0f); to[n + i] = degrees(x); to[2 * n + i] = radians(x); to[3 * n + i] = max(x, y);\n"
    "    to[4 * n + i] = min(x, y); to[5 * n + i] = mix(x, y, 0.25f); to[6 * n + i] = step(x, y); to[7 * n + i] = smoothstep(-2.0f, 3.0f, x);\n"
    "    to[8 * n + i] = sign(x);\n"
    "}\n"
    "kernel void geometric(global const float4* a, global const float4* b, global float* to) {\n"
    "    size_t i = get_global_id(0);\n"
    "    float4 x = a[i], y = b[i];\n"
    "    global float* row = to + 16 * i;\n"
    "    row[0] = dot(x, y); row[1] = length(x); row[2] = distance(x, y); row[3] = dot(x.xyz, y.xyz);\n"
    "    vstore4(cross(x, y), 1, row); vstore4(normalize(x), 2, row); vstore3(cross(x.xyz, y.xyz), 0, row + 12); row[15] = fast_length(x.xy);\n"
    "}\n"
    "kernel void relational(global const float* a, global const float* b, global int* to) {\n"
    "    size_t i = get_global_id(0);\n"
    "    float x = a[i], y = b[i];\n"
    "    global int* row = to + 24 * i;\n"
    "    row[0] = isequal(x, y); row[1] = isnotequal(x, y); row[2] = isgreater(x, y); row[3] = isgreaterequal(x, y);\n"
    "    row[4] = isless(x, y); row[5] = islessequal(x, y); row[6] = islessgreater(x, y); row[7] = isfinite(x);\n"
    "    row[8] = isinf(x); row[9] = isnan(x); row[10] = isnormal(x); row[11] = isordered(x, y); row[12] = isunordered(x, y);\n"
    "    row[13] = signbit(x); int2 both = isless((float2)(x, y), (float2)(y, x)); row[14] = both.x; row[15] = both.y;\n"
    "    row[16] = isnan((float2)(x, y)).y; row[17] = any((int2)(0, -1)) + 2 * all((int2)(-1, 1)); row[18] = x < y; row[19] = x != y;\n"
    "    row[20] = as_int(select(1.5f, 2.5f, x < y)); row[21] = as_int(select((float2)(1, 2), (float2)(3, 4), both).y);\n"
    "    row[22] = as_int(bitselect(x, y, 0.0f)) == as_int(x); row[23] = isequal((float2)(x, y), (float2)(x, y)).x;\n"
    "}\n";

enum { POINTS = 64 };

static double limit(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void check_common(cl_program program) {
    static float a[4 * POINTS], b[4 * POINTS], got[9 * 4 * POINTS];
    static double expected[9 * 4 * POINTS];
    uint64_t seed = 31;
    for (int i = 0; i < 4 * POINTS; i++) {
        a[i] = (float)random_real(&seed, -5, 5);
        b[i] = i % 9 == 0 ? a[i] : (float)random_real(&seed, -5, 5);
    }
    a[0] = 0, a[1] = -0.0f;
    for (int i = 0; i < 4 * POINTS; i++) {
        const double x = a[i], y = b[i], pi = acos(-1), t = limit((x + 2) / 5, 0, 1);
        const double results[9] = {limit(x, -1, 2), x * 180 / pi, x * pi / 180, x < y ? y : x, y < x ? y : x, x + (y - x) * 0.25,
                                   y < x ? 0 : 1, t * t * (3 - 2 * t), x > 0 ? 1 : x < 0 ? -1 : 0};
        for (int k = 0; k < 9; k++) {
            expected[k * 4 * POINTS + i] = results[k];
        }
    }
    const cl_kernel kernel = kernel_of(program, "common");
    const cl_mem x = buffer_of(sizeof a, a), y = buffer_of(sizeof b, b), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, x);
    SET(kernel, 1, y);
    SET(kernel, 2, to);
    launch(kernel, POINTS, 0);
    download(to, sizeof got, got);
    expect_near("common", got, expected, COUNT(got), 2e-6);
    CHECK(clReleaseMemObject(x));
    CHECK(clReleaseMemObject(y));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void cross(const float* x, const float* y, double* to) {
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        to[k] = (double)x[p] * y[q] - (double)x[q] * y[p];
    }
}

static void check_geometric(cl_program program) {
    static float a[POINTS][4], b[POINTS][4], got[16 * POINTS];
    static double expected[POINTS][16];
    uint64_t seed = 32;
    for (int i = 0; i < POINTS; i++) {
        double dot = 0, three = 0, square = 0, apart = 0;
        for (int k = 0; k < 4; k++) {
            a[i][k] = (float)random_real(&seed, -3, 3);
            b[i][k] = (float)random_real(&seed, -3, 3);
            dot += (double)a[i][k] * b[i][k];
            three += k < 3 ? (double)a[i][k] * b[i][k] : 0;
            square += (double)a[i][k] * a[i][k];
            apart += ((double)a[i][k] - b[i][k]) * ((double)a[i][k] - b[i][k]);
        }
        double* const row = expected[i];
        row[0] = dot, row[1] = sqrt(square), row[2] = sqrt(apart), row[3] = three;
        cross(a[i], b[i], row + 4);
        row[7] = 0;
        for (int k = 0; k < 4; k++) {
            row[8 + k] = a[i][k] / sqrt(square);
        }
        cross(a[i], b[i], row + 12);
        row[15] = hypot(a[i][0], a[i][1]);
    }
    const cl_kernel kernel = kernel_of(program, "geometric");
    const cl_mem x = buffer_of(sizeof a, a), y = buffer_of(sizeof b, b), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, x);
    SET(kernel, 1, y);
    SET(kernel, 2, to);
    launch(kernel, POINTS, 0);
    download(to, sizeof got, got);
    // A length is fast within 8192 units in the last place.
    for (int i = 0; i < POINTS; i++) {
        expect_near("geometric", got + 16 * i, expected[i], 15, 4e-6);
        expect_near("fast_length", got + 16 * i + 15, expected[i] + 15, 1, 8192 * 0x1p-23);
    }
    CHECK(clReleaseMemObject(x));
    CHECK(clReleaseMemObject(y));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static int bits_of(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_relational(cl_program program) {
    const bool has_small = device_ulong(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM;
    const float values[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, has_small ? 1e-40f : 2e-38f, 3.4e38f};
    enum { VALUES = COUNT(values), PAIRS = VALUES * VALUES };
    static float a[PAIRS], b[PAIRS];
    static int got[PAIRS][24];
    for (int i = 0; i < PAIRS; i++) {
        a[i] = values[i / VALUES];
        b[i] = values[i % VALUES];
    }
    const cl_kernel kernel = kernel_of(program, "relational");
    const cl_mem x = buffer_of(sizeof a, a), y = buffer_of(sizeof b, b), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, x);
    SET(kernel, 1, y);
    SET(kernel, 2, to);
    launch(kernel, PAIRS, 0);
    download(to, sizeof got, got);
    for (int i = 0; i < PAIRS; i++) {
        const float p = a[i], q = b[i];
        const int expected[24] = {p == q, p != q, p > q, p >= q, p < q, p <= q, p < q || p > q, isfinite(p) != 0,
                                  isinf(p) != 0, isnan(p) != 0, isnormal(p) != 0, !isunordered(p, q), isunordered(p, q) != 0,
                                  signbit(p) != 0, -(p < q), -(q < p), -(isnan(q) != 0), 1, p < q, p != q,
                                  bits_of(p < q ? 2.5f : 1.5f), bits_of(q < p ? 4 : 2), 1, -(p == p)};
        for (int k = 0; k < 24; k++) {
            REQUIRE(got[i][k] == expected[k], "relation %d of %g and %g: expected %d, got %d", k, p, q, expected[k], got[i][k]);
        }
    }
    CHECK(clReleaseMemObject(x));
    CHECK(clReleaseMemObject(y));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    check_common(program);
    check_geometric(program);
    check_relational(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
