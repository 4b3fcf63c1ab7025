//! # All kernels of a program, several objects of one kernel, clones with their arguments, and global variables.
#include "check.h"

static const char* const SOURCE =
    "kernel void plus(global int* to, int by) { to[get_global_id(0)] += by; }\n"
    "kernel void times(global int* to, int by) { to[get_global_id(0)] *= by; }\n"
    "int helper(int value) { return value - 1; }\n"
    "kernel void minus_one(global int* to) { to[get_global_id(0)] = helper(to[get_global_id(0)]); }\n"
    "kernel void local_sum(global int* to, local int* scratch, float4 v) {\n"
    "    scratch[0] = (int)v.w; to[0] = scratch[0];\n"
    "}\n";

static int value_of(cl_mem buffer) {
    int value;
    download(buffer, sizeof value, &value);
    return value;
}

static void check_all(cl_program program) {
    cl_uint count = 0;
    cl_kernel kernels[8] = {NULL};
    CHECK(clCreateKernelsInProgram(program, 0, NULL, &count));
    EXPECT_EQUAL(count, 4);
    EXPECT_ERROR(clCreateKernelsInProgram(program, 3, kernels, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clCreateKernelsInProgram(NULL, 4, kernels, NULL), CL_INVALID_PROGRAM);
    count = 0;
    CHECK(clCreateKernelsInProgram(program, 8, kernels, &count));
    EXPECT_EQUAL(count, 4);
    const char* const names[] = {"plus", "times", "minus_one", "local_sum"};
    const cl_uint arguments[] = {2, 2, 1, 3};
    for (size_t n = 0; n < 4; n++) {
        int found = 0;
        for (cl_uint i = 0; i < count; i++) {
            char name[30];
            cl_uint number;
            CHECK(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
            if (strcmp(name, names[n]) == 0) {
                found++;
                CHECK(clGetKernelInfo(kernels[i], CL_KERNEL_NUM_ARGS, sizeof number, &number, NULL));
                EXPECT_EQUAL(number, arguments[n]);
            }
        }
        REQUIRE(found == 1, "%d kernels %s", found, names[n]);
    }
    for (cl_uint i = 0; i < count; i++) {
        CHECK(clReleaseKernel(kernels[i]));
    }
}

// Two objects of one kernel have arguments of their own.
static void check_two_objects(cl_program program, cl_mem buffer) {
    const cl_kernel a = kernel_of(program, "plus"), b = kernel_of(program, "plus");
    REQUIRE(a != b, "one object for two");
    const cl_int one = 1, ten = 10, zero = 0;
    SET(a, 0, buffer);
    SET(b, 0, buffer);
    SET(a, 1, one);
    SET(b, 1, ten);
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 4, 0, NULL, NULL));
    launch(a, 1, 1);
    launch(b, 1, 1);
    launch(a, 1, 1);
    EXPECT_EQUAL(value_of(buffer), 12);
    CHECK(clReleaseKernel(a));
    CHECK(clReleaseKernel(b));
}

// A clone begins with the arguments of its origin, and they part then.
static void check_clones(cl_program program, cl_mem buffer) {
    const cl_kernel kernel = kernel_of(program, "plus");
    const cl_int one = 1, ten = 10, zero = 0;
    const size_t global = 1;
    const cl_kernel bare = clCloneKernel(kernel, &status);
    CHECK(status);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, bare, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    SET(kernel, 0, buffer);
    SET(kernel, 1, one);
    const cl_kernel clone = clCloneKernel(kernel, &status);
    CHECK(status);
    REQUIRE(clone != kernel, "the clone is its origin");
    cl_uint references = 0;
    CHECK(clGetKernelInfo(clone, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references, NULL));
    EXPECT_EQUAL(references, 1);
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 4, 0, NULL, NULL));
    SET(kernel, 1, ten);
    launch(clone, 1, 1);
    launch(kernel, 1, 1);
    EXPECT_EQUAL(value_of(buffer), 11);
    CHECK(clReleaseKernel(kernel));
    launch(clone, 1, 1);
    EXPECT_EQUAL(value_of(buffer), 12);
    CHECK(clReleaseKernel(clone));
    CHECK(clReleaseKernel(bare));
    EXPECT_REFUSED(clCloneKernel(NULL, &status), CL_INVALID_KERNEL);
    const cl_kernel sum = kernel_of(program, "local_sum");
    const cl_float4 vector = {{1, 2, 3, 44}};
    SET(sum, 0, buffer);
    CHECK(clSetKernelArg(sum, 1, 64, NULL));
    SET(sum, 2, vector);
    const cl_kernel copy = clCloneKernel(sum, &status);
    CHECK(status);
    CHECK(clReleaseKernel(sum));
    launch(copy, 1, 1);
    EXPECT_EQUAL(value_of(buffer), 44);
    CHECK(clReleaseKernel(copy));
}

// Global variables keep their values from launch to launch, and each program has its own.
static void check_globals(cl_mem buffer) {
    if (device_size(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) == 0) {
        return;
    }
    const char* const source =
        "global int counter = 5;\nglobal int* global place;\n"
        "kernel void count(global int* to) { to[0] = counter++; place = to; }\n"
        "kernel void by_place(void) { place[0] = 1000 + counter; }\n";
    const cl_program a = build(source, ""), b = build(source, "");
    size_t size = 0;
    CHECK(clGetProgramBuildInfo(a, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof size, &size, NULL));
    REQUIRE(size >= 4 + sizeof(void*), "global variables of %zu bytes", size);
    const cl_kernel in_a = kernel_of(a, "count"), in_b = kernel_of(b, "count"), by_place = kernel_of(a, "by_place");
    SET(in_a, 0, buffer);
    SET(in_b, 0, buffer);
    for (int i = 0; i < 3; i++) {
        launch(in_a, 1, 1);
        EXPECT_EQUAL(value_of(buffer), 5 + i);
    }
    launch(in_b, 1, 1);
    EXPECT_EQUAL(value_of(buffer), 5);
    launch(by_place, 1, 1);
    EXPECT_EQUAL(value_of(buffer), 1008);
    CHECK(clReleaseKernel(in_a));
    CHECK(clReleaseKernel(in_b));
    CHECK(clReleaseKernel(by_place));
    CHECK(clReleaseProgram(a));
    CHECK(clReleaseProgram(b));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_mem buffer = buffer_of(4, NULL);
    check_all(program);
    check_two_objects(program, buffer);
    check_clones(program, buffer);
    check_globals(buffer);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
