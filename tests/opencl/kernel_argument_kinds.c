//! # Arguments that are structures, null buffers, constant and local memory, and arguments that change between launches.
#include "check.h"

static const char* const SOURCE =
    "typedef struct { char c; int i; long l; short s[3]; float4 f; } Mixed;\n"
    "typedef struct __attribute__((packed)) { char c; int i; short s; } Packed;\n"
    "typedef struct { Packed inner[2]; uchar3 bytes; } Nested;\n"
    "kernel void structures(Mixed a, Packed b, global long* to, Nested c) {\n"
    "    to[0] = a.c; to[1] = a.i; to[2] = a.l; to[3] = a.s[0] + 10 * a.s[1] + 100 * a.s[2]; to[4] = (long)a.f.w;\n"
    "    to[5] = b.c; to[6] = b.i; to[7] = b.s; to[8] = sizeof(Mixed); to[9] = sizeof(Packed);\n"
    "    to[10] = c.inner[1].i; to[11] = c.inner[0].s; to[12] = c.bytes.z; to[13] = sizeof(Nested);\n"
    "}\n"
    "kernel void null(global int* a, global int* b, constant int* c, global int* to) {\n"
    "    to[0] = (a == 0) + 2 * (b == 0) + 4 * (c == 0);\n"
    "    if (a != 0) to[0] += a[0];\n"
    "}\n"
    "constant int TABLE[4] = {3, 1, 4, 1};\n"
    "kernel void constants(constant int* a, constant float4* b, global float* to) {\n"
    "    size_t i = get_global_id(0);\n"
    "    to[i] = a[i] + b[i / 4].y + TABLE[i % 4];\n"
    "}\n"
    "kernel void locals(local int* a, global int* to, local short* b, int n) {\n"
    "    local int fixed_size[4];\n"
    "    int i = get_local_id(0);\n"
    "    a[i] = i; b[n - 1 - i] = (short)(10 * i);\n"
    "    if (i < 4) fixed_size[i] = 1000 * i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    to[get_global_id(0)] = a[n - 1 - i] + b[i] + fixed_size[i % 4];\n"
    "}\n"
    "kernel void store(global int* to, int value, uint at) { to[at] = value; }\n"
    "kernel void nothing(void) {}\n";

typedef struct {
    cl_char c;
    cl_int i;
    cl_long l;
    cl_short s[3];
    cl_float4 f;
} Mixed;

#pragma pack(push, 1)
typedef struct {
    cl_char c;
    cl_int i;
    cl_short s;
} Packed;
#pragma pack(pop)

typedef struct {
    Packed inner[2];
    _Alignas(4) cl_uchar bytes[4];
} Nested;

static void check_structures(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "structures");
    Mixed mixed = {-7, 123456789, -1234567890123, {1, 2, 3}, {{1, 2, 3, 44}}};
    Packed packed = {7, -99, 321};
    Nested nested = {{{1, 2, 3}, {4, 5, 6}}, {7, 8, 9, 0}};
    const cl_long expected[14] = {-7, 123456789, -1234567890123, 321, 44, 7, -99, 321, sizeof mixed, sizeof packed, 5, 3, 9,
                                  sizeof nested};
    cl_long got[14];
    const cl_mem to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, mixed);
    SET(kernel, 1, packed);
    SET(kernel, 2, to);
    SET(kernel, 3, nested);
    EXPECT_ERROR(clSetKernelArg(kernel, 0, sizeof mixed - 16, &mixed), CL_INVALID_ARG_SIZE);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    expect_same("structures", got, expected, 14, sizeof *got);
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

// A null buffer is given as no value, or as the value of a null object.
static void check_null(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "null");
    const int values[1] = {100};
    const cl_mem some = buffer_of(4, values), to = buffer_of(4, NULL), none = NULL;
    const struct {
        const cl_mem* buffers[3];
        int expected;
    } rows[] = {{{&none, NULL, &none}, 7}, {{&some, NULL, NULL}, 106}, {{&some, &some, &none}, 104}, {{NULL, &some, &some}, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (cl_uint k = 0; k < 3; k++) {
            CHECK(clSetKernelArg(kernel, k, sizeof(cl_mem), rows[i].buffers[k]));
        }
        SET(kernel, 3, to);
        launch(kernel, 1, 1);
        int got;
        download(to, sizeof got, &got);
        EXPECT_EQUAL(got, rows[i].expected);
    }
    CHECK(clReleaseMemObject(some));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_constants(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "constants");
    int a[16];
    float b[16], got[16];
    const int table[4] = {3, 1, 4, 1};
    for (int i = 0; i < 16; i++) {
        a[i] = i * i;
        b[i] = 0.5f * (float)i;
    }
    const cl_mem first = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &status);
    CHECK(status);
    const cl_mem second = buffer_of(sizeof b, b), to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, first);
    SET(kernel, 1, second);
    SET(kernel, 2, to);
    launch(kernel, 16, 0);
    download(to, sizeof got, got);
    for (int i = 0; i < 16; i++) {
        const float expected = (float)a[i] + b[i / 4 * 4 + 1] + (float)table[i % 4];
        REQUIRE(got[i] == expected, "element %d: expected %g, got %g", i, expected, got[i]);
    }
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseMemObject(second));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

// Local memory of two arguments and of the kernel's own, of sizes that change from launch to launch.
static void check_locals(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "locals");
    const int sizes[] = {4, 64, 32, 8};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        const int n = sizes[k];
        int got[256];
        const cl_mem to = buffer_of(sizeof got, NULL);
        CHECK(clSetKernelArg(kernel, 0, (size_t)n * sizeof(int), NULL));
        SET(kernel, 1, to);
        CHECK(clSetKernelArg(kernel, 2, (size_t)n * sizeof(short), NULL));
        SET(kernel, 3, n);
        launch(kernel, 4 * (size_t)n, (size_t)n);
        download(to, 16 * (size_t)n, got);
        for (int i = 0; i < 4 * n; i++) {
            EXPECT_EQUAL(got[i], (n - 1 - i % n) + 10 * (n - 1 - i % n) + 1000 * (i % n % 4));
        }
        CHECK(clReleaseMemObject(to));
    }
    CHECK(clReleaseKernel(kernel));
}

// A launch has the arguments of its call, though they change before it runs.
static void check_changes(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "store");
    int got[100];
    const cl_mem to = buffer_of(sizeof got, NULL);
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    CHECK(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
    SET(kernel, 0, to);
    for (cl_uint i = 0; i < 100; i++) {
        const cl_int value = (cl_int)(i * 7);
        SET(kernel, 1, value);
        SET(kernel, 2, i);
        launch(kernel, 1, 1);
    }
    const cl_int other = -1;
    SET(kernel, 1, other);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    download(to, sizeof got, got);
    for (int i = 0; i < 100; i++) {
        EXPECT_EQUAL(got[i], 7 * i);
    }
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    const cl_kernel empty = kernel_of(program, "nothing");
    launch(empty, 64, 0);
    CHECK(clFinish(queue));
    CHECK(clReleaseKernel(empty));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    check_structures(program);
    check_null(program);
    check_constants(program);
    check_locals(program);
    check_changes(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
