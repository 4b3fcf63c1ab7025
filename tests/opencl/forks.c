//! # A forked child of a process that has used the platform gets errors, and releases what its parent has made; the parent goes on.
//! stderr = ["gcn: this process was forked from one that had used OpenCL"]
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static const char* const SOURCE = "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n";

static cl_mem buffer;
static cl_kernel kernel;

// The child's part: an exit status.
static int child(void) {
    cl_uint count;
    const cl_mem part = clCreateBuffer(context, 0, 64, NULL, &status);
    if (part != NULL || status != CL_OUT_OF_RESOURCES) return 1;
    const size_t global = 4;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) != CL_OUT_OF_RESOURCES) return 2;
    if (clFinish(queue) != CL_OUT_OF_RESOURCES) return 3;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_OUT_OF_RESOURCES) return 4;
    // As destructors do.
    if (clReleaseMemObject(buffer) != CL_SUCCESS || clReleaseCommandQueue(queue) != CL_SUCCESS) return 5;
    return 42;
}

static void expect_end(pid_t pid, int expected) {
    int end = 0;
    REQUIRE(waitpid(pid, &end, 0) == pid && WIFEXITED(end), "the child ends with %#x", end);
    EXPECT_EQUAL(WEXITSTATUS(end), expected);
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    kernel = kernel_of(program, "add");
    const int values[4] = {1, 2, 3, 4}, ten = 10, expected[4] = {21, 22, 23, 24};
    buffer = buffer_of(sizeof values, values);
    SET(kernel, 0, buffer);
    SET(kernel, 1, ten);
    // The queue has a thread from now on.
    launch(kernel, 4, 0);
    CHECK(clFinish(queue));
    fflush(NULL);
    const pid_t first = fork();
    if (first == 0) _exit(child());
    expect_end(first, 42);
    // A child that uses nothing ends as any other.
    const pid_t second = fork();
    if (second == 0) exit(0);
    expect_end(second, 0);
    launch(kernel, 4, 0);
    int got[4];
    download(buffer, sizeof got, got);
    expect_same("the parent's", got, expected, 4, sizeof(int));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
