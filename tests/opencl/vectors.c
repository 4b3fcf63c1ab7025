//! # Vectors: components by letters, numbers and halves, operators, comparison, select, shuffles, loads and stores.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "kernel void swizzles(global const int16* from, global int4* to) {\n"
    "    int16 v = from[0];\n"
    "    to[0] = v.s0fa5; to[1] = v.lo.hi; to[2] = v.even.odd; to[3] = v.hi.wzyx; to[4] = (int4)(v.s3, v.s67, v.sF);\n"
    "    int4 w = v.lo.lo; w.xz = w.zx; to[5] = w; w.s3 = 77; w.yw += (int2)(5, 6); to[6] = w;\n"
    "    int3 three = v.s789; three.z = three.x * three.y; to[7] = (int4)(three, sizeof(three));\n"
    "    int8 eight = (int8)(9); eight.hi = v.s0011; to[8] = eight.s2467; to[9] = (int4)(eight.s7, eight.lo.s0, (int2)(3));\n"
    "}\n";

static const char* const OPERATORS =
    "kernel void operators(global const int4* a, global const int4* b, global int4* to) {\n"
    "    int4 x = a[0], y = b[0];\n"
    "    to[0] = x + y; to[1] = x - y * 2; to[2] = x / y; to[3] = x % y; to[4] = x << (y & 7); to[5] = x >> 2;\n"
    "    to[6] = ~x ^ (x & y) | 1; to[7] = x < y; to[8] = (x == a[0]) && (y != 3); to[9] = !x; to[10] = -x;\n"
    "    to[11] = x > 0 ? x : y; to[12] = select(x, y, x > y); to[13] = bitselect(x, y, (int4)(0xff));\n"
    "    to[14] = (int4)(any(x < 0), all(x < 0), any(y < -1000), all(y > -1000)); x += y; x *= 3; to[15] = x++; to[16] = x;\n"
    "}\n"
    "kernel void shuffles(global const uchar16* from, global uchar16* to, global const float4* f, global float8* g) {\n"
    "    uchar16 v = from[0], mask = from[1];\n"
    "    to[0] = shuffle(v, mask); to[1] = shuffle2(v, from[2], mask);\n"
    "    to[2] = (uchar16)(shuffle(v.lo, mask.hi), vec_step(v), vec_step(uchar3), 0, 0, 0, 0, 0, 0);\n"
    "    g[0] = shuffle(f[0], (uint8)(3, 2, 1, 0, 7, 5, 1, 2)); g[1] = shuffle2(f[0], f[1], (uint8)(0, 4, 1, 5, 2, 6, 3, 7));\n"
    "}\n"
    "kernel void memory(global const short* from, global short* to, local int* l, global float* f) {\n"
    "    short3 three = vload3(1, from); vstore3(three.zyx, 0, to);\n"
    "    short8 eight = vload8(0, from + 1); vstore8(eight.s76543210, 0, to + 3);\n"
    "    short2 two = vload2(5, from); vstore2(two, 0, to + 11);\n"
    "    vstore4((int4)(1, 2, 3, 4), 0, l + 1); int4 back = vload4(0, l + 1); vstore4(convert_short4(back), 0, to + 13);\n"
    "    short16 all16 = vload16(0, from); vstore16(all16 + (short)1, 0, to + 17);\n"
    "    vstore_half4((float4)(1.0f, -2.5f, 65504.0f, 0.0f), 0, (global half*)f); vstore4(vload_half4(0, (global half*)f), 0, f + 2);\n"
    "    f[6] = vload_half(1, (global half*)f); vstore_half_rtz(1.0f + 0x1p-11f + 0x1p-12f, 14, (global half*)f); f[8] = vload_half(14, (global half*)f);\n"
    "}\n";

static void check_swizzles(cl_program program) {
    int values[16], got[40];
    for (int i = 0; i < 16; i++) {
        values[i] = 10 * i;
    }
    const int expected[40] = {0,  150, 100, 50, 40, 50, 60, 70, 20, 60, 100, 140, 110, 100, 90,  80, 30, 60, 70, 150,
                              20, 10,  0,   30, 20, 15, 0,  83, 70, 80, 5600, 16, 9,   0,   10, 10, 10, 9,  3,  3};
    const cl_kernel kernel = kernel_of(program, "swizzles");
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    expect_same("swizzle", got, expected, 32, sizeof(int));
    expect_same("half", got + 32, expected + 32, 8, sizeof(int));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_operators(cl_program program) {
    const int a[4] = {100, -37, 5, -2000000}, b[4] = {7, 5, -3, 999};
    int got[17][4];
    const cl_kernel kernel = kernel_of(program, "operators");
    const cl_mem x = buffer_of(sizeof a, a), y = buffer_of(sizeof b, b), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, x);
    SET(kernel, 1, y);
    SET(kernel, 2, to);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    for (int i = 0; i < 4; i++) {
        const int p = a[i], q = b[i], any[4] = {1, 0, 0, 1};
        const int expected[17] = {p + q, p - q * 2, p / q, p % q, (int)((unsigned)p << (q & 7)), p >> 2, (~p ^ (p & q)) | 1,
                                  p < q ? -1 : 0, q != 3 ? -1 : 0, p == 0 ? -1 : 0, -p, p > 0 ? p : q, p > q ? q : p,
                                  (p & ~0xff) | (q & 0xff), any[i], (p + q) * 3, (p + q) * 3 + 1};
        for (int k = 0; k < 17; k++) {
            REQUIRE(got[k][i] == expected[k], "operation %d, component %d: expected %d, got %d", k, i, expected[k], got[k][i]);
        }
    }
    CHECK(clReleaseMemObject(x));
    CHECK(clReleaseMemObject(y));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_shuffles(cl_program program) {
    unsigned char values[3][16], got[3][16], expected[3][16];
    const float f[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float eights[16] = {4, 3, 2, 1, 4, 2, 2, 3, 1, 5, 2, 6, 3, 7, 4, 8};
    float got_f[16];
    for (int i = 0; i < 16; i++) {
        values[0][i] = (unsigned char)(i + 1);
        values[1][i] = (unsigned char)(i * 37 + 11);
        values[2][i] = (unsigned char)(i + 101);
    }
    for (int i = 0; i < 16; i++) {
        expected[0][i] = values[0][values[1][i] % 16];
        const int both = values[1][i] % 32;
        expected[1][i] = both < 16 ? values[0][both] : values[2][both - 16];
        expected[2][i] = i < 8 ? values[0][values[1][8 + i] % 8] : i == 8 ? 16 : i == 9 ? 4 : 0;
    }
    const cl_kernel kernel = kernel_of(program, "shuffles");
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
    const cl_mem from_f = buffer_of(sizeof f, f), to_f = buffer_of(sizeof got_f, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    SET(kernel, 2, from_f);
    SET(kernel, 3, to_f);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    download(to_f, sizeof got_f, got_f);
    expect_same("shuffle", got[0], expected[0], 16, 1);
    expect_same("shuffle2", got[1], expected[1], 16, 1);
    expect_same("halves and steps", got[2], expected[2], 16, 1);
    expect_same("floats", got_f, eights, 16, sizeof(float));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(from_f));
    CHECK(clReleaseMemObject(to_f));
    CHECK(clReleaseKernel(kernel));
}

static void check_memory(cl_program program) {
    cl_short values[20], got[33];
    float f[9] = {0};
    for (int i = 0; i < 20; i++) {
        values[i] = (cl_short)(i * i - 5);
    }
    const cl_kernel kernel = kernel_of(program, "memory");
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL), floats = buffer_of(sizeof f, f);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    CHECK(clSetKernelArg(kernel, 2, 64, NULL));
    SET(kernel, 3, floats);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    download(floats, sizeof f, f);
    for (int i = 0; i < 33; i++) {
        const int expected = i < 3    ? values[5 - i]
                             : i < 11 ? values[8 - (i - 3)]
                             : i < 13 ? values[10 + i - 11]
                             : i < 17 ? i - 12
                                      : values[i - 17] + 1;
        REQUIRE(got[i] == expected, "element %d: expected %d, got %d", i, expected, got[i]);
    }
    const float expected[5] = {1.0f, -2.5f, 65504.0f, 0.0f, -2.5f};
    expect_same("halves", f + 2, expected, 5, sizeof(float));
    REQUIRE(f[8] == 1.0f, "a half rounded to zero is %a", f[8]);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(floats));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_program swizzles = build(SOURCE, ""), program = build(OPERATORS, "");
    check_swizzles(swizzles);
    check_operators(program);
    check_shuffles(program);
    check_memory(program);
    CHECK(clReleaseProgram(swizzles));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
