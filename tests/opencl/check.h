// Helpers of the programs in this directory: checks that end the program with a message, a device with a context and a queue,
// builds, buffers, comparison of arrays, and numbers that look random and are the same in every run.
#ifndef CHECK_H
#define CHECK_H

#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exit status of a program that needs an optional feature that the device lacks.
#define SKIPPED 77
// Number of elements of an array.
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// Names of error codes, in the order of their numbers: 0, -1 …, and -30, -31 ….
static inline const char* error_name(cl_int error) {
    static const char* const run[] = {
        "CL_SUCCESS", "CL_DEVICE_NOT_FOUND", "CL_DEVICE_NOT_AVAILABLE", "CL_COMPILER_NOT_AVAILABLE",
        "CL_MEM_OBJECT_ALLOCATION_FAILURE", "CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY",
        "CL_PROFILING_INFO_NOT_AVAILABLE", "CL_MEM_COPY_OVERLAP", "CL_IMAGE_FORMAT_MISMATCH",
        "CL_IMAGE_FORMAT_NOT_SUPPORTED", "CL_BUILD_PROGRAM_FAILURE", "CL_MAP_FAILURE",
        "CL_MISALIGNED_SUB_BUFFER_OFFSET", "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        "CL_COMPILE_PROGRAM_FAILURE", "CL_LINKER_NOT_AVAILABLE", "CL_LINK_PROGRAM_FAILURE", "CL_DEVICE_PARTITION_FAILED",
        "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"};
    static const char* const use[] = {
        "CL_INVALID_VALUE", "CL_INVALID_DEVICE_TYPE", "CL_INVALID_PLATFORM", "CL_INVALID_DEVICE", "CL_INVALID_CONTEXT",
        "CL_INVALID_QUEUE_PROPERTIES", "CL_INVALID_COMMAND_QUEUE", "CL_INVALID_HOST_PTR", "CL_INVALID_MEM_OBJECT",
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "CL_INVALID_IMAGE_SIZE", "CL_INVALID_SAMPLER", "CL_INVALID_BINARY",
        "CL_INVALID_BUILD_OPTIONS", "CL_INVALID_PROGRAM", "CL_INVALID_PROGRAM_EXECUTABLE", "CL_INVALID_KERNEL_NAME",
        "CL_INVALID_KERNEL_DEFINITION", "CL_INVALID_KERNEL", "CL_INVALID_ARG_INDEX", "CL_INVALID_ARG_VALUE",
        "CL_INVALID_ARG_SIZE", "CL_INVALID_KERNEL_ARGS", "CL_INVALID_WORK_DIMENSION", "CL_INVALID_WORK_GROUP_SIZE",
        "CL_INVALID_WORK_ITEM_SIZE", "CL_INVALID_GLOBAL_OFFSET", "CL_INVALID_EVENT_WAIT_LIST", "CL_INVALID_EVENT",
        "CL_INVALID_OPERATION", "CL_INVALID_GL_OBJECT", "CL_INVALID_BUFFER_SIZE", "CL_INVALID_MIP_LEVEL",
        "CL_INVALID_GLOBAL_WORK_SIZE", "CL_INVALID_PROPERTY", "CL_INVALID_IMAGE_DESCRIPTOR", "CL_INVALID_COMPILER_OPTIONS",
        "CL_INVALID_LINKER_OPTIONS", "CL_INVALID_DEVICE_PARTITION_COUNT", "CL_INVALID_PIPE_SIZE", "CL_INVALID_DEVICE_QUEUE",
        "CL_INVALID_SPEC_ID", "CL_MAX_SIZE_RESTRICTION_EXCEEDED"};
    if (error <= 0 && (size_t)-error < COUNT(run)) {
        return run[-error];
    }
    if (error <= -30 && (size_t)(-30 - error) < COUNT(use)) {
        return use[-30 - error];
    }
    return "an unknown code";
}

// Ends the program: prints its place and a message.
_Noreturn static inline void fail(const char* file, int line, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

#define FAIL(...) fail(__FILE__, __LINE__, __VA_ARGS__)

// Ends the program unless a condition holds; the rest of the arguments is a message with values.
#define REQUIRE(condition, ...)                                                         \
    do {                                                                                \
        if (!(condition)) {                                                             \
            fprintf(stderr, "not true: %s\n", #condition);                              \
            FAIL(__VA_ARGS__);                                                          \
        }                                                                               \
    } while (0)

// Ends the program unless a call of OpenCL returns `expected`.
#define EXPECT_ERROR(call, expected)                                                    \
    do {                                                                                \
        const cl_int check_got = (call);                                                \
        if (check_got != (expected)) {                                                  \
            FAIL("%s: expected %s, got %s (%d)", #call, error_name(expected),           \
                 error_name(check_got), check_got);                                     \
        }                                                                               \
    } while (0)

// Ends the program unless a call of OpenCL succeeds.
#define CHECK(call) EXPECT_ERROR(call, CL_SUCCESS)

// The error of the last call that makes an object.
static _Thread_local cl_int status;

// Ends the program unless a call that makes an object, and puts its error into `status`, refuses with `expected`.
#define EXPECT_REFUSED(call, expected)                                                  \
    do {                                                                                \
        status = 1;                                                                     \
        const void* const check_object = (call);                                        \
        if (status != (expected)) {                                                     \
            FAIL("%s: expected %s, got %s (%d)", #call, error_name(expected),           \
                 error_name(status), status);                                           \
        }                                                                               \
        REQUIRE(check_object == NULL, "%s: an object with an error", #call);            \
    } while (0)

// Ends the program unless two integers are equal.
#define EXPECT_EQUAL(got, expected)                                                     \
    do {                                                                                \
        const long long check_got = (long long)(got);                                   \
        const long long check_expected = (long long)(expected);                         \
        if (check_got != check_expected) {                                              \
            FAIL("%s: expected %lld (%#llx), got %lld (%#llx)", #got, check_expected,   \
                 (unsigned long long)check_expected, check_got,                         \
                 (unsigned long long)check_got);                                        \
        }                                                                               \
    } while (0)

// Ends the program unless two texts are equal.
#define EXPECT_TEXT(got, expected)                                                      \
    do {                                                                                \
        const char* const check_got = (got);                                            \
        const char* const check_expected = (expected);                                  \
        if (strcmp(check_got, check_expected) != 0) {                                   \
            FAIL("%s: expected `%s`, got `%s`", #got, check_expected, check_got);       \
        }                                                                               \
    } while (0)

// Ends the program without a result: the device lacks an optional feature.
_Noreturn static inline void skip(const char* feature) {
    printf("skipped: the device has no %s\n", feature);
    exit(SKIPPED);
}

// The end of a program that found no fault.
static inline int passed(void) {
    puts("ok");
    return 0;
}

// Memory of the host, `count` elements of `size` bytes, zero.
static inline void* allocate(size_t count, size_t size) {
    void* const memory = calloc(count == 0 ? 1 : count, size);
    REQUIRE(memory != NULL, "%zu bytes of the host", count * size);
    return memory;
}

// The first platform with its first device, a context and a queue of the device; `open_device` makes them.
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

// A queue of `device` with properties such as `CL_QUEUE_PROFILING_ENABLE`.
static inline cl_command_queue make_queue(cl_command_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    const cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &status);
    CHECK(status);
    return made;
}

static inline void open_device(void) {
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    queue = make_queue(0);
}

static inline void close_device(void) {
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

// A property of the device, whose type has the size that the device reports.
static inline void device_property(cl_device_info name, size_t size, void* value) {
    size_t reported = 0;
    CHECK(clGetDeviceInfo(device, name, size, value, &reported));
    REQUIRE(reported == size, "property %#x: expected %zu bytes, got %zu", name, size, reported);
}

static inline cl_uint device_uint(cl_device_info name) {
    cl_uint value;
    device_property(name, sizeof value, &value);
    return value;
}

static inline cl_ulong device_ulong(cl_device_info name) {
    cl_ulong value;
    device_property(name, sizeof value, &value);
    return value;
}

static inline size_t device_size(cl_device_info name) {
    size_t value;
    device_property(name, sizeof value, &value);
    return value;
}

// A property that is a text; the caller frees it.
static inline char* device_text(cl_device_info name) {
    size_t size = 0;
    CHECK(clGetDeviceInfo(device, name, 0, NULL, &size));
    REQUIRE(size > 0, "property %#x: a text has a zero at least", name);
    char* const text = allocate(size, 1);
    CHECK(clGetDeviceInfo(device, name, size, text, NULL));
    REQUIRE(strlen(text) == size - 1, "property %#x: `%s` is not %zu bytes", name, text, size);
    return text;
}

// True if a word is one of those that a text separates by blanks.
static inline bool has_word(const char* text, const char* word) {
    const size_t length = strlen(word);
    for (const char* at = text; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) {
            return true;
        }
    }
    return false;
}

static inline bool has_extension(const char* name) {
    char* const extensions = device_text(CL_DEVICE_EXTENSIONS);
    const bool found = has_word(extensions, name);
    free(extensions);
    return found;
}

// True if a list of named features, such as that of `CL_DEVICE_OPENCL_C_FEATURES`, has a name.
static inline bool has_name(cl_device_info list, const char* name) {
    size_t size = 0;
    CHECK(clGetDeviceInfo(device, list, 0, NULL, &size));
    cl_name_version* const names = allocate(size, 1);
    CHECK(clGetDeviceInfo(device, list, size, names, NULL));
    bool found = false;
    for (size_t i = 0; i < size / sizeof *names; i++) {
        found = found || strcmp(names[i].name, name) == 0;
    }
    free(names);
    return found;
}

// The build log of a program; the caller frees it.
static inline char* build_log(cl_program program) {
    size_t size = 0;
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    char* const log = allocate(size + 1, 1);
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
    return log;
}

static inline cl_program program_of(const char* source) {
    const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    CHECK(status);
    return program;
}

// A program built for all devices of the context, unless the options say otherwise in OpenCL C 3.0, or in 1.2 for a device of OpenCL 1.2.
static inline cl_program build(const char* source, const char* options) {
    const cl_program program = program_of(source);
    char all[1000];
    const bool is_of_3 = device_uint(CL_DEVICE_NUMERIC_VERSION) >= CL_MAKE_VERSION(3, 0, 0);
    const char* const newest = is_of_3 ? "-cl-std=CL3.0 " : "-cl-std=CL1.2 ";
    const char* const standard = strstr(options, "-cl-std=") != NULL ? "" : newest;
    REQUIRE(snprintf(all, sizeof all, "%s%s", standard, options) < (int)sizeof all, "long options");
    const cl_int error = clBuildProgram(program, 0, NULL, all, NULL, NULL);
    if (error != CL_SUCCESS) {
        FAIL("build with `%s`: %s\n%s", all, error_name(error), build_log(program));
    }
    return program;
}

static inline cl_kernel kernel_of(cl_program program, const char* name) {
    const cl_kernel kernel = clCreateKernel(program, name, &status);
    if (status != CL_SUCCESS) {
        FAIL("kernel %s: %s", name, error_name(status));
    }
    return kernel;
}

// Sets an argument to the value of a variable.
#define SET(kernel, index, value) CHECK(clSetKernelArg(kernel, index, sizeof(value), &(value)))

// Launches a kernel over one dimension; a `local` of 0 leaves the size of groups to the implementation.
static inline void launch(cl_kernel kernel, size_t global, size_t local) {
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local == 0 ? NULL : &local, 0, NULL, NULL));
}

// A buffer for kernels to read and write, with contents unless `contents` is null.
static inline cl_mem buffer_of(size_t bytes, const void* contents) {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (contents != NULL ? CL_MEM_COPY_HOST_PTR : 0);
    const cl_mem buffer = clCreateBuffer(context, flags, bytes, (void*)contents, &status);
    CHECK(status);
    return buffer;
}

// Waits for the queue, and reads a buffer from its beginning.
static inline void download(cl_mem buffer, size_t bytes, void* contents) {
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, contents, 0, NULL, NULL));
}

// Ends the program unless two arrays have the same bits, and names the first element that differs.
static inline void expect_same(const char* name, const void* got, const void* expected, size_t count, size_t size) {
    const unsigned char *have = got, *want = expected;
    size_t different = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(have + i * size, want + i * size, size) != 0 && different++ == 0) {
            first = i;
        }
    }
    if (different != 0) {
        fprintf(stderr, "%s[%zu]: expected 0x", name, first);
        for (size_t i = size; i-- > 0;) {
            fprintf(stderr, "%02x", want[first * size + i]);
        }
        fprintf(stderr, ", got 0x");
        for (size_t i = size; i-- > 0;) {
            fprintf(stderr, "%02x", have[first * size + i]);
        }
        fprintf(stderr, " (%zu of %zu elements differ)\n", different, count);
        exit(1);
    }
}

// Ends the program unless numbers differ by `tolerance` at most, absolute below 1 and relative above.
static inline void expect_near(const char* name, const float* got, const double* expected, size_t count, double tolerance) {
    for (size_t i = 0; i < count; i++) {
        const double scale = fabs(expected[i]) > 1 ? fabs(expected[i]) : 1;
        if (!(fabs(expected[i] - got[i]) <= tolerance * scale)) {
            FAIL("%s[%zu]: expected %.9g, got %.9g (tolerance %g)", name, i, expected[i], got[i], tolerance);
        }
    }
}

// Numbers that look random: SplitMix64.
static inline uint64_t random_bits(uint64_t* state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// At least `low` and below `high`.
static inline double random_real(uint64_t* state, double low, double high) {
    return low + (high - low) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

static inline void random_fill(void* memory, size_t bytes, uint64_t seed) {
    unsigned char* const at = memory;
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)random_bits(&seed);
    }
}

#endif
