// Speed of kernels and of what is around them: start, launches, builds. `cargo xtask bench opencl` builds and runs it, and has
// `gcn run` run the two kernels with arguments, from the code object that this program writes to the file that its argument names.
#include "../check.h"

#include <time.h>

#define ITEMS (1 << 16)
#define GROUP 256
#define LAUNCHES 1000
#define BUILDS 20

static const char* const SOURCE =
    "kernel void empty(void) {}\n"
    // Arithmetic alone.
    "kernel void polynomial(global float *xs, int rounds) {\n"
    "    size_t i = get_global_id(0);\n"
    "    float x = xs[i];\n"
    "    for (int round = 0; round < rounds; ++round) x = x * 0.5f + 0.25f * x * x - 0.125f;\n"
    "    xs[i] = x;\n"
    "}\n"
    // Memory and local memory.
    "kernel void smooth(global float *ys, global const float *xs, int rounds) {\n"
    "    local float tile[256];\n"
    "    size_t i = get_global_id(0), l = get_local_id(0);\n"
    "    for (int round = 0; round < rounds; ++round) {\n"
    "        tile[l] = xs[(i + round * 256) % get_global_size(0)];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        ys[i] = 0.5f * (tile[l] + tile[(l + 1) % 256]);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n";

static double seconds(void) {
    struct timespec now;
    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "no clock");
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void launch_and_finish(cl_kernel kernel, size_t global, size_t local) {
    launch(kernel, global, local);
    CHECK(clFinish(queue));
}

static double shorter(double shortest, double begin) {
    const double time = seconds() - begin;
    return time < shortest ? time : shortest;
}

static void write_code(cl_program program, const char* path) {
    size_t size = 0;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char* code = allocate(size, 1);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof code, &code, NULL));
    FILE* const file = fopen(path, "wb");
    REQUIRE(file != NULL && fwrite(code, 1, size, file) == size && fclose(file) == 0, "cannot write %s", path);
    free(code);
}

int main(int count, char** arguments) {
    REQUIRE(count == 2, "usage: runtime FILE");
    open_device();
    double begin = seconds();
    const cl_program program = build(SOURCE, "");
    printf("build: %.3f ms\n", (seconds() - begin) * 1e3);
    double built = 1e9;
    for (int i = 0; i < BUILDS; i++) {
        begin = seconds();
        const cl_program again = build(SOURCE, "");
        built = shorter(built, begin);
        CHECK(clReleaseProgram(again));
    }
    printf("second build: %.3f ms\n", built * 1e3);
    write_code(program, arguments[1]);

    const cl_kernel empty = kernel_of(program, "empty");
    double alone = 1e9, among = 1e9;
    for (int round = 0; round < 10; round++) {
        begin = seconds();
        for (int i = 0; i < LAUNCHES; i++) launch_and_finish(empty, 1, 1);
        alone = shorter(alone, begin);
        begin = seconds();
        for (int i = 0; i < LAUNCHES; i++) launch(empty, 1, 1);
        CHECK(clFinish(queue));
        among = shorter(among, begin);
    }
    printf("empty kernel: %.2f us\n", alone / LAUNCHES * 1e6);
    printf("empty kernel among %d: %.2f us\n", LAUNCHES, among / LAUNCHES * 1e6);

    // The same launches as in xtask/src/kernels.rs.
    const cl_kernel polynomial = kernel_of(program, "polynomial"), smooth = kernel_of(program, "smooth");
    const cl_mem xs = buffer_of(ITEMS * sizeof(float), NULL), ys = buffer_of(ITEMS * sizeof(float), NULL);
    const float zero = 0;
    CHECK(clEnqueueFillBuffer(queue, xs, &zero, sizeof zero, 0, ITEMS * sizeof(float), 0, NULL, NULL));
    const int many = 1000, some = 200;
    SET(polynomial, 0, xs);
    SET(polynomial, 1, many);
    SET(smooth, 0, ys);
    SET(smooth, 1, xs);
    SET(smooth, 2, some);
    CHECK(clFinish(queue));
    double arithmetic = 1e9, memory = 1e9;
    for (int round = 0; round < 5; round++) {
        begin = seconds();
        launch_and_finish(polynomial, ITEMS, GROUP);
        arithmetic = shorter(arithmetic, begin);
        begin = seconds();
        launch_and_finish(smooth, ITEMS, GROUP);
        memory = shorter(memory, begin);
    }
    printf("kernel polynomial: %.6f s\n", arithmetic);
    printf("kernel smooth: %.6f s\n", memory);
    CHECK(clReleaseMemObject(xs));
    CHECK(clReleaseMemObject(ys));
    CHECK(clReleaseKernel(empty));
    CHECK(clReleaseKernel(polynomial));
    CHECK(clReleaseKernel(smooth));
    CHECK(clReleaseProgram(program));
    close_device();
    return 0;
}
