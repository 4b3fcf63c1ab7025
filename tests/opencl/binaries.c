//! # Programs from binaries: what an executable gives, builds again, in another context too, and what is no binary.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "constant int table[3] = {10, 20, 30};\n"
    "kernel void first(global int* to, int by) { to[get_global_id(0)] = table[get_global_id(0)] * by; }\n"
    "kernel void second(global int* to) { to[get_global_id(0)] += 1; }\n";

// The binary of a program for its one device; the caller frees it.
static unsigned char* binary_of(cl_program program, size_t* size) {
    size_t length;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, &length));
    EXPECT_EQUAL(length, sizeof *size);
    REQUIRE(*size > 0, "no binary");
    unsigned char* const bytes = allocate(*size, 1);
    unsigned char* list[1] = {bytes};
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof list, list, &length));
    EXPECT_EQUAL(length, sizeof list);
    size_t written = 0;
    for (size_t i = 0; i < *size; i++) {
        written += bytes[i] != 0;
    }
    REQUIRE(written > 0, "a binary of zeros");
    // A device whose place is null is left out.
    unsigned char* none[1] = {NULL};
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof none, none, NULL));
    return bytes;
}

static void check_results(cl_context in, cl_program program) {
    const cl_command_queue by = clCreateCommandQueueWithProperties(in, device, NULL, &status);
    CHECK(status);
    const cl_mem to = clCreateBuffer(in, 0, 12, NULL, &status);
    CHECK(status);
    const cl_kernel first = kernel_of(program, "first"), second = kernel_of(program, "second");
    const cl_int factor = 7;
    const size_t global = 3;
    const int expected[3] = {71, 141, 211};
    int got[3];
    SET(first, 0, to);
    SET(first, 1, factor);
    SET(second, 0, to);
    EXPECT_ERROR(clSetKernelArg(first, 2, 4, &factor), CL_INVALID_ARG_INDEX);
    CHECK(clEnqueueNDRangeKernel(by, first, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(by, second, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(by, to, CL_TRUE, 0, 12, got, 0, NULL, NULL));
    expect_same("result", got, expected, 3, sizeof(int));
    CHECK(clReleaseKernel(first));
    CHECK(clReleaseKernel(second));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseCommandQueue(by));
}

static cl_program from_binary(cl_context in, const unsigned char* bytes, size_t size) {
    cl_int loaded = 99;
    const cl_program program = clCreateProgramWithBinary(in, 1, &device, &size, &bytes, &loaded, &status);
    CHECK(status);
    CHECK(loaded);
    return program;
}

static void check_round_trip(void) {
    size_t size, again;
    const cl_program program = build(SOURCE, "");
    unsigned char* const bytes = binary_of(program, &size);
    CHECK(clReleaseProgram(program));
    const cl_program loaded = from_binary(context, bytes, size);
    cl_program_binary_type type = 99;
    CHECK(clGetProgramBuildInfo(loaded, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    CHECK(clBuildProgram(loaded, 1, &device, "", NULL, NULL));
    check_results(context, loaded);
    // A program from a binary has no source, and gives its binary again.
    char text[10] = "x";
    size_t length = 99;
    CHECK(clGetProgramInfo(loaded, CL_PROGRAM_SOURCE, sizeof text, text, &length));
    EXPECT_EQUAL(length, 1);
    EXPECT_TEXT(text, "");
    unsigned char* const second = binary_of(loaded, &again);
    const cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    const cl_program elsewhere = from_binary(other, second, again);
    CHECK(clBuildProgram(elsewhere, 0, NULL, NULL, NULL, NULL));
    check_results(other, elsewhere);
    CHECK(clReleaseProgram(elsewhere));
    CHECK(clReleaseContext(other));
    CHECK(clReleaseProgram(loaded));
    free(bytes);
    free(second);
}

static void check_errors(void) {
    const unsigned char text[] = "this is no binary of any device, and is long enough for a header of one";
    const unsigned char *list[1] = {text}, *none[1] = {NULL};
    const size_t size = sizeof text, zero = 0;
    cl_int loaded = 99;
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, &device, &size, list, &loaded, &status), CL_INVALID_BINARY);
    EXPECT_EQUAL(loaded, CL_INVALID_BINARY);
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, &device, &size, list, NULL, &status), CL_INVALID_BINARY);
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, &device, &zero, list, &loaded, &status), CL_INVALID_VALUE);
    EXPECT_EQUAL(loaded, CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, &device, &size, none, &loaded, &status), CL_INVALID_VALUE);
    EXPECT_EQUAL(loaded, CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 0, &device, &size, list, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, NULL, &size, list, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, &device, NULL, list, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, &device, &size, NULL, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithBinary(NULL, 1, &device, &size, list, NULL, &status), CL_INVALID_CONTEXT);
    const cl_device_id nobody = NULL;
    EXPECT_REFUSED(clCreateProgramWithBinary(context, 1, &nobody, &size, list, NULL, &status), CL_INVALID_DEVICE);
    // A source that is not built has no binary, but room for one of no bytes.
    const cl_program program = program_of(SOURCE);
    size_t bytes = 99;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    EXPECT_EQUAL(bytes, 0);
    CHECK(clReleaseProgram(program));
}

// A binary that is cut short is refused, at the latest when it is built.
static void check_cut(void) {
    size_t size;
    const cl_program program = build(SOURCE, "");
    unsigned char* const bytes = binary_of(program, &size);
    const unsigned char* list[1] = {bytes};
    const size_t lengths[] = {1, 16, size / 2};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const cl_program loaded = clCreateProgramWithBinary(context, 1, &device, &lengths[i], list, NULL, &status);
        if (loaded == NULL) {
            EXPECT_EQUAL(status, CL_INVALID_BINARY);
            continue;
        }
        EXPECT_ERROR(clBuildProgram(loaded, 1, &device, "", NULL, NULL), CL_INVALID_BINARY);
        CHECK(clReleaseProgram(loaded));
    }
    free(bytes);
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    check_round_trip();
    check_errors();
    check_cut();
    close_device();
    return passed();
}
