//! # Builds that fail: the log names the line, warnings that count as errors, options that nobody knows, and wrong calls.
#include "check.h"

#include <pthread.h>

static void expect_log(cl_program program, const char* part) {
    char* const log = build_log(program);
    REQUIRE(strstr(log, part) != NULL, "the log lacks `%s`:\n%s", part, log);
    free(log);
}

static cl_build_status state_of(cl_program program) {
    cl_build_status state = 99;
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof state, &state, NULL));
    return state;
}

static void check_wrong_programs(void) {
    const struct {
        const char *source, *part;
    } rows[] = {
        {"kernel void a(global int* to) {\n\n    to[0] = no_such_name;\n}\n", ":3:"},
        {"kernel void a(global int* to) {\n    to[0] = 1\n}\n", ":2:"},
        {"#include \"no_such_file.h\"\nkernel void a(void) {}\n", "no_such_file.h"},
        {"\n\n\n#error this text is in the log\n", "this text is in the log"},
        {"kernel int a(void) { return 1; }\n", ":1:"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const cl_program program = program_of(rows[i].source);
        EXPECT_ERROR(clBuildProgram(program, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        EXPECT_EQUAL(state_of(program), CL_BUILD_ERROR);
        expect_log(program, rows[i].part);
        EXPECT_REFUSED(clCreateKernel(program, "a", &status), CL_INVALID_PROGRAM_EXECUTABLE);
        cl_kernel kernel;
        EXPECT_ERROR(clCreateKernelsInProgram(program, 1, &kernel, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
        CHECK(clReleaseProgram(program));
    }
}

// A name that only the linker misses.
static void check_unresolved(void) {
    const cl_program program = program_of("int elsewhere(int);\nkernel void a(global int* to) { to[0] = elsewhere(to[1]); }\n");
    const cl_int error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    REQUIRE(error == CL_BUILD_PROGRAM_FAILURE, "%s", error_name(error));
    EXPECT_EQUAL(state_of(program), CL_BUILD_ERROR);
    expect_log(program, "elsewhere");
    CHECK(clReleaseProgram(program));
    // C99's: the body is for calls that are inlined alone.
    const char* const source =
        "__attribute__((noinline)) inline int twice(int x) { return 2 * x; }\n"
        "kernel void a(global int* to) { to[0] = twice(to[1]); }\n";
    const cl_program of_inline = program_of(source);
    EXPECT_ERROR(clBuildProgram(of_inline, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    expect_log(of_inline, "write `static inline`");
    CHECK(clBuildProgram(of_inline, 1, &device, "-fgnu89-inline", NULL, NULL));
    CHECK(clReleaseProgram(of_inline));
}

static void check_warnings(void) {
    const char* const source = "#warning look here\nkernel void a(global int* to) { to[0] = 1; }\n";
    cl_program program = program_of(source);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    expect_log(program, "look here");
    CHECK(clReleaseProgram(program));
    program = program_of(source);
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-Werror", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    expect_log(program, "look here");
    // The same program, without the option, is right again, and its log is the last build's.
    CHECK(clBuildProgram(program, 1, &device, "-w", NULL, NULL));
    EXPECT_EQUAL(state_of(program), CL_BUILD_SUCCESS);
    char* const log = build_log(program);
    REQUIRE(strstr(log, "look here") == NULL, "the log keeps what -w silences:\n%s", log);
    free(log);
    CHECK(clReleaseProgram(program));
}

static void check_calls(void) {
    const cl_program program = program_of("kernel void a(void) {}");
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-cl-std=CL9.9", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-cl-std=CL1.2foo", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    // Of those that begin as options of Clang's do, Clang knows which are.
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-fno-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    expect_log(program, "-fno-such-option");
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-mno-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    EXPECT_ERROR(clCompileProgram(program, 1, &device, "-fno-such-option", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
    EXPECT_ERROR(clBuildProgram(NULL, 1, &device, "", NULL, NULL), CL_INVALID_PROGRAM);
    EXPECT_ERROR(clBuildProgram(program, 0, &device, "", NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clBuildProgram(program, 1, NULL, "", NULL, NULL), CL_INVALID_VALUE);
    const cl_device_id none = NULL;
    EXPECT_ERROR(clBuildProgram(program, 1, &none, "", NULL, NULL), CL_INVALID_DEVICE);
    int user;
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "", NULL, &user), CL_INVALID_VALUE);
    CHECK(clReleaseProgram(program));
}

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int calls;
    cl_program program;
    cl_build_status state;
} Seen;

static void CL_CALLBACK built(cl_program program, void* user) {
    Seen* const seen = user;
    pthread_mutex_lock(&seen->mutex);
    seen->calls++;
    seen->program = program;
    seen->state = state_of(program);
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->mutex);
}

// With a function to call, the build may go on behind the call; it calls once, when the program is built or is not.
static void check_callbacks(const char* source, cl_int error, cl_build_status state) {
    Seen seen = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, NULL, 99};
    const cl_program program = program_of(source);
    const cl_int at_once = clBuildProgram(program, 1, &device, "", built, &seen);
    REQUIRE(at_once == CL_SUCCESS || at_once == error, "the build begins with %s", error_name(at_once));
    pthread_mutex_lock(&seen.mutex);
    while (seen.calls == 0) {
        pthread_cond_wait(&seen.changed, &seen.mutex);
    }
    EXPECT_EQUAL(seen.calls, 1);
    REQUIRE(seen.program == program, "another program");
    EXPECT_EQUAL(seen.state, state);
    pthread_mutex_unlock(&seen.mutex);
    EXPECT_EQUAL(state_of(program), state);
    CHECK(clReleaseProgram(program));
}

// A build that cannot begin calls nobody.
static void check_no_callbacks(void) {
    Seen seen = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, NULL, 99};
    const cl_program program = program_of("kernel void a(void) {}");
    const cl_device_id none = NULL;
    EXPECT_ERROR(clBuildProgram(program, 1, &none, "", built, &seen), CL_INVALID_DEVICE);
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "-no-such-option", built, &seen), CL_INVALID_BUILD_OPTIONS);
    EXPECT_ERROR(clCompileProgram(program, 1, &device, "-no-such-option", 0, NULL, NULL, built, &seen), CL_INVALID_COMPILER_OPTIONS);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    const cl_kernel kernel = kernel_of(program, "a");
    EXPECT_ERROR(clBuildProgram(program, 1, &device, "", built, &seen), CL_INVALID_OPERATION);
    EXPECT_ERROR(clCompileProgram(program, 1, &device, "", 0, NULL, NULL, built, &seen), CL_INVALID_OPERATION);
    EXPECT_EQUAL(seen.calls, 0);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    check_wrong_programs();
    check_unresolved();
    check_warnings();
    check_calls();
    check_callbacks("kernel void a(void) {}", CL_SUCCESS, CL_BUILD_SUCCESS);
    check_callbacks("kernel void a(void) { wrong }", CL_BUILD_PROGRAM_FAILURE, CL_BUILD_ERROR);
    check_no_callbacks();
    close_device();
    return passed();
}
