//! # Programs from source: several texts, options, headers in directories, language versions, rebuilds, and information.
#include "check.h"

#include <unistd.h>

// The value that kernel `answer` of a program stores.
static int answer(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "answer");
    const cl_mem to = buffer_of(4, NULL);
    int got = -1;
    SET(kernel, 0, to);
    launch(kernel, 1, 1);
    download(to, 4, &got);
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    return got;
}

static int answer_of(const char* source, const char* options) {
    const cl_program program = build(source, options);
    char kept[1000];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof kept, kept, NULL));
    REQUIRE(strstr(kept, options) != NULL, "the options are `%s`, not `%s`", kept, options);
    const int got = answer(program);
    CHECK(clReleaseProgram(program));
    return got;
}

static void check_definitions(void) {
    const char* const source =
        "#ifndef WORD\n#define WORD 5\n#endif\n"
        "kernel void answer(global int* to) { to[0] = WORD; }";
    EXPECT_EQUAL(answer_of(source, ""), 5);
    EXPECT_EQUAL(answer_of(source, "-DWORD=17"), 17);
    EXPECT_EQUAL(answer_of(source, "-D WORD=18"), 18);
    EXPECT_EQUAL(answer_of(source, "-DWORD"), 1);
    EXPECT_EQUAL(answer_of(source, "-D OTHER=3 -D WORD=OTHER+1"), 4);
    EXPECT_EQUAL(answer_of(source, "-DWORD=\"(3 * 9)\""), 27);
    EXPECT_EQUAL(answer_of(source, "-cl-mad-enable  -cl-no-signed-zeros   -DWORD=19 -cl-unsafe-math-optimizations"), 19);
    EXPECT_EQUAL(answer_of(source, "-cl-finite-math-only -cl-fast-relaxed-math -w -cl-denorms-are-zero -DWORD=20"), 20);
    EXPECT_EQUAL(answer_of(source, "-cl-uniform-work-group-size -cl-no-subgroup-ifp -DWORD=21"), 21);
    EXPECT_EQUAL(answer_of(source, "-cl-single-precision-constant -cl-strict-aliasing -DWORD=22"), 22);
}

static void check_levels(void) {
    const char* const source =
        "kernel void answer(global int* to) {\n"
        "#ifdef __OPTIMIZE__\n    to[0] = 1;\n#else\n    to[0] = 0;\n#endif\n}";
    EXPECT_EQUAL(answer_of(source, ""), 1);
    EXPECT_EQUAL(answer_of(source, "-cl-opt-disable"), 0);
    EXPECT_EQUAL(answer_of(source, "-O1"), 1);
}

static void check_headers(void) {
    char directory[] = "/tmp/opencl-headers-XXXXXX", name[100], options[200];
    REQUIRE(mkdtemp(directory) != NULL, "no directory");
    snprintf(name, sizeof name, "%s/number.h", directory);
    FILE* const file = fopen(name, "w");
    REQUIRE(file != NULL, "no file %s", name);
    fputs("#define NUMBER 31\n", file);
    fclose(file);
    const char* const source = "#include \"number.h\"\nkernel void answer(global int* to) { to[0] = NUMBER; }";
    snprintf(options, sizeof options, "-I %s", directory);
    EXPECT_EQUAL(answer_of(source, options), 31);
    snprintf(options, sizeof options, "-I%s -DX", directory);
    EXPECT_EQUAL(answer_of(source, options), 31);
    REQUIRE(unlink(name) == 0 && rmdir(directory) == 0, "the header cannot be removed");
}

static void check_standards(void) {
    const char* const source = "kernel void answer(global int* to) { to[0] = __OPENCL_C_VERSION__; }";
    const struct {
        const char* option;
        int version;
    } rows[] = {{"-cl-std=CL1.1", 110}, {"-cl-std=CL1.2", 120}, {"-cl-std=CL3.0", 300}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        EXPECT_EQUAL(answer_of(source, rows[i].option), rows[i].version);
    }
    // Without the option the language is the latest of 1.x.
    const cl_program program = program_of(source);
    CHECK(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    EXPECT_EQUAL(answer(program), 120);
    CHECK(clReleaseProgram(program));
    const char* const names =
        "kernel void answer(global int* to) {\n"
        "#if defined(__OPENCL_VERSION__) && defined(__ENDIAN_LITTLE__) && defined(cl_khr_byte_addressable_store)\n"
        "    to[0] = CL_VERSION_1_2 + __LINE__;\n#endif\n}";
    EXPECT_EQUAL(answer_of(names, "-cl-std=CL1.2"), 123);
    const char* const fast =
        "kernel void answer(global int* to) {\n#ifdef __FAST_RELAXED_MATH__\n    to[0] = 1;\n#else\n    to[0] = 0;\n#endif\n}";
    EXPECT_EQUAL(answer_of(fast, ""), 0);
    EXPECT_EQUAL(answer_of(fast, "-cl-fast-relaxed-math"), 1);
}

// A text in parts, with lengths, with zeros, and with both: a zero within the length is no part of the text.
static void check_parts(void) {
    const char* parts[] = {"kernel void answer(global int* to)JUNK", " { to[0] = ", "41; }", "}}}"};
    const size_t lengths[] = {34, 0, 6, 0};
    cl_program program = clCreateProgramWithSource(context, 3, parts, lengths, &status);
    CHECK(status);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    EXPECT_EQUAL(answer(program), 41);
    char text[200];
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    EXPECT_TEXT(text, "kernel void answer(global int* to) { to[0] = 41; }");
    EXPECT_EQUAL(size, strlen(text) + 1);
    EXPECT_ERROR(clGetProgramInfo(program, CL_PROGRAM_SOURCE, size - 1, text, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseProgram(program));
    const char* none[] = {parts[1], NULL};
    EXPECT_REFUSED(clCreateProgramWithSource(context, 0, parts, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithSource(context, 1, NULL, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithSource(context, 2, none, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateProgramWithSource(NULL, 1, parts, NULL, &status), CL_INVALID_CONTEXT);
}

// A program may be built again with other options while no kernel is there.
static void check_rebuild(void) {
    const cl_program program = program_of("kernel void answer(global int* to) { to[0] = WORD; }");
    for (int i = 50; i < 53; i++) {
        char options[20];
        sprintf(options, "-DWORD=%d", i);
        CHECK(clBuildProgram(program, 1, &device, options, NULL, NULL));
        EXPECT_EQUAL(answer(program), i);
    }
    const cl_kernel kernel = kernel_of(program, "answer");
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-DWORD=9", NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseKernel(kernel));
    CHECK(clBuildProgram(program, 1, &device, "-DWORD=60", NULL, NULL));
    EXPECT_EQUAL(answer(program), 60);
    CHECK(clReleaseProgram(program));
}

static void check_information(void) {
    const cl_program program = program_of("kernel void answer(global int* to) {} kernel void other(void) {}");
    cl_build_status state = 99;
    cl_program_binary_type type = 99;
    cl_uint number;
    size_t size, kernels;
    char text[100];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof state, &state, &size));
    EXPECT_EQUAL(size, sizeof state);
    EXPECT_EQUAL(state, CL_BUILD_NONE);
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, &size));
    EXPECT_EQUAL(type, CL_PROGRAM_BINARY_TYPE_NONE);
    EXPECT_ERROR(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    EXPECT_ERROR(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    EXPECT_REFUSED(clCreateKernel(program, "answer", &status), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clBuildProgram(program, 0, NULL, "-DX", NULL, NULL));
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof state, &state, NULL));
    EXPECT_EQUAL(state, CL_BUILD_SUCCESS);
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    size_t globals = 99;
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof globals, &globals, NULL));
    EXPECT_EQUAL(globals, 0);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof number, &number, NULL));
    EXPECT_EQUAL(number, 1);
    cl_device_id of = NULL;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof of, &of, NULL));
    REQUIRE(of == device, "another device");
    cl_context holder = NULL;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof holder, &holder, NULL));
    REQUIRE(holder == context, "another context");
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    EXPECT_EQUAL(kernels, 2);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    REQUIRE(strcmp(text, "answer;other") == 0 || strcmp(text, "other;answer") == 0, "kernels `%s`", text);
    EXPECT_ERROR(clGetProgramInfo(program, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetProgramBuildInfo(program, device, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, sizeof state, &state, NULL), CL_INVALID_DEVICE);
    EXPECT_ERROR(clGetProgramBuildInfo(NULL, device, CL_PROGRAM_BUILD_STATUS, sizeof state, &state, NULL), CL_INVALID_PROGRAM);
    EXPECT_REFUSED(clCreateKernel(program, "none", &status), CL_INVALID_KERNEL_NAME);
    EXPECT_REFUSED(clCreateKernel(program, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateKernel(NULL, "answer", &status), CL_INVALID_PROGRAM);
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    check_definitions();
    check_levels();
    check_headers();
    check_standards();
    check_parts();
    check_rebuild();
    check_information();
    close_device();
    return passed();
}
