//! # A fast Fourier transform of 1024 points in local memory, against a slow one, and back again.
#include "check.h"

static const char* const SOURCE =
    "kernel void transform(global float2* data, float sign, float scale) {\n"
    "    local float2 points[2][1024];\n"
    "    uint l = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * 1024;\n"
    "    for (uint i = l; i < 1024; i += size) points[0][i] = data[base + i];\n"
    "    int now = 0;\n"
    "    for (uint half_size = 512, stride = 1; half_size >= 1; half_size /= 2, stride *= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint i = l; i < 512; i += size) {\n"
    "            uint q = i % stride, p = i / stride;\n"
    "            float2 a = points[now][q + stride * p], b = points[now][q + stride * (p + half_size)];\n"
    "            float angle = sign * M_PI_F * (float)p / (float)half_size;\n"
    "            float2 w = (float2)(cos(angle), sin(angle)), d = a - b;\n"
    "            points[1 - now][q + stride * 2 * p] = a + b;\n"
    "            points[1 - now][q + stride * (2 * p + 1)] = (float2)(d.x * w.x - d.y * w.y, d.x * w.y + d.y * w.x);\n"
    "        }\n"
    "        now = 1 - now;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = l; i < 1024; i += size) data[base + i] = points[now][i] * scale;\n"
    "}\n";

enum { POINTS = 1024, ROWS = 2 };

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "transform");
    static float points[ROWS][POINTS][2], got[ROWS][POINTS][2];
    static double expected[ROWS][POINTS][2], original[ROWS][POINTS][2], sines[POINTS], cosines[POINTS];
    uint64_t seed = 51;
    for (int i = 0; i < POINTS; i++) {
        sines[i] = sin(-2 * acos(-1) * i / POINTS);
        cosines[i] = cos(2 * acos(-1) * i / POINTS);
    }
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < POINTS; i++) {
            for (int k = 0; k < 2; k++) {
                original[r][i][k] = points[r][i][k] = (float)random_real(&seed, -1, 1);
            }
        }
        for (int f = 0; f < POINTS; f++) {
            for (int i = 0; i < POINTS; i++) {
                const int turn = f * i % POINTS;
                expected[r][f][0] += original[r][i][0] * cosines[turn] - original[r][i][1] * sines[turn];
                expected[r][f][1] += original[r][i][0] * sines[turn] + original[r][i][1] * cosines[turn];
            }
        }
    }
    const cl_mem data = buffer_of(sizeof points, points);
    float sign = -1, scale = 1;
    SET(kernel, 0, data);
    SET(kernel, 1, sign);
    SET(kernel, 2, scale);
    launch(kernel, ROWS * 256, 256);
    download(data, sizeof got, got);
    expect_near("transform", got[0][0], expected[0][0], ROWS * POINTS * 2, 2e-5);
    sign = 1;
    scale = 1.0f / POINTS;
    SET(kernel, 1, sign);
    SET(kernel, 2, scale);
    launch(kernel, ROWS * 64, 64);
    download(data, sizeof got, got);
    expect_near("and back", got[0][0], original[0][0], ROWS * POINTS * 2, 1e-5);
    CHECK(clReleaseMemObject(data));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
