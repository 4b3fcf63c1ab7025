//! # Two devices of different instruction sets in one context: programs for both, buffers that move, events across queues.
//! targets = ["gfx900,gfx906"]
#include "check.h"

static const char* const SOURCE =
    "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n";

enum { LENGTH = 64 };

int main(void) {
    cl_device_id devices[2];
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count));
    if (count < 2) {
        puts("skipped: the platform has one device");
        return SKIPPED;
    }
    REQUIRE(devices[0] != devices[1], "one device twice");
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &status);
    CHECK(status);
    device = devices[0];
    cl_uint number;
    CHECK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof number, &number, NULL));
    EXPECT_EQUAL(number, 2);

    const cl_program program = build(SOURCE, "");
    cl_command_queue queues[2];
    size_t sizes[2] = {0};
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof number, &number, NULL));
    EXPECT_EQUAL(number, 2);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    for (int d = 0; d < 2; d++) {
        cl_build_status state;
        CHECK(clGetProgramBuildInfo(program, devices[d], CL_PROGRAM_BUILD_STATUS, sizeof state, &state, NULL));
        EXPECT_EQUAL(state, CL_BUILD_SUCCESS);
        REQUIRE(sizes[d] > 0, "no binary for device %d", d);
        queues[d] = clCreateCommandQueueWithProperties(context, devices[d], NULL, &status);
        CHECK(status);
    }

    // A buffer goes from one device to the other and back, by events alone.
    const cl_kernel kernel = kernel_of(program, "add");
    int values[LENGTH], got[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        values[i] = i;
    }
    const cl_mem buffer = buffer_of(sizeof values, values);
    const size_t global = LENGTH;
    cl_event last = NULL;
    for (cl_int turn = 1; turn <= 10; turn++) {
        cl_event next;
        SET(kernel, 0, buffer);
        SET(kernel, 1, turn);
        CHECK(clEnqueueNDRangeKernel(queues[turn % 2], kernel, 1, NULL, &global, NULL, last != NULL, last != NULL ? &last : NULL, &next));
        CHECK(clFlush(queues[turn % 2]));
        if (last != NULL) {
            CHECK(clReleaseEvent(last));
        }
        last = next;
    }
    CHECK(clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
    CHECK(clReleaseEvent(last));
    for (int i = 0; i < LENGTH; i++) {
        EXPECT_EQUAL(got[i], i + 55);
    }
    for (int d = 0; d < 2; d++) {
        CHECK(clEnqueueMigrateMemObjects(queues[d], 1, &buffer, 0, 0, NULL, NULL));
        CHECK(clFinish(queues[d]));
    }

    // Each device's binary builds for it, and both together.
    unsigned char* binaries[2] = {allocate(sizes[0], 1), allocate(sizes[1], 1)};
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    const unsigned char* list[2] = {binaries[0], binaries[1]};
    cl_int loaded[2] = {99, 99};
    const cl_program again = clCreateProgramWithBinary(context, 2, devices, sizes, list, loaded, &status);
    CHECK(status);
    CHECK(loaded[0]);
    CHECK(loaded[1]);
    CHECK(clBuildProgram(again, 2, devices, "", NULL, NULL));
    CHECK(clReleaseKernel(kernel_of(again, "add")));
    CHECK(clReleaseProgram(again));

    // A program built for one device runs on that one alone.
    const cl_program single = program_of(SOURCE);
    CHECK(clBuildProgram(single, 1, &devices[1], "", NULL, NULL));
    const cl_kernel one = kernel_of(single, "add");
    const cl_int by = 1;
    SET(one, 0, buffer);
    SET(one, 1, by);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queues[0], one, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clEnqueueNDRangeKernel(queues[1], one, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EXPECT_EQUAL(got[7], 7 + 55 + 1);

    // A kernel has the same parameters on all devices that have it.
    const cl_program differing = program_of(
        "kernel void differs(global int* to, TYPE by) {} kernel void agrees(int by) {}\n"
        "#ifdef SECOND\nkernel void lonely(int by) {}\n#endif\n");
    CHECK(clBuildProgram(differing, 1, &devices[0], "-DTYPE=int", NULL, NULL));
    CHECK(clBuildProgram(differing, 1, &devices[1], "-DTYPE=long -DSECOND", NULL, NULL));
    EXPECT_REFUSED(clCreateKernel(differing, "differs", &status), CL_INVALID_KERNEL_DEFINITION);
    size_t kernels = 0;
    char names[30];
    CHECK(clGetProgramInfo(differing, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    EXPECT_EQUAL(kernels, 2);
    CHECK(clGetProgramInfo(differing, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    REQUIRE(strcmp(names, "agrees;lonely") == 0 || strcmp(names, "lonely;agrees") == 0, "kernels `%s`", names);
    cl_kernel made[2] = {NULL};
    CHECK(clCreateKernelsInProgram(differing, 2, made, &number));
    EXPECT_EQUAL(number, 2);
    CHECK(clReleaseKernel(made[0]));
    CHECK(clReleaseKernel(made[1]));
    CHECK(clReleaseProgram(differing));

    // With two devices the kernel's information needs the name of one.
    size_t size;
    EXPECT_ERROR(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL), CL_INVALID_DEVICE);
    CHECK(clGetKernelWorkGroupInfo(kernel, devices[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    CHECK(clReleaseKernel(one));
    CHECK(clReleaseProgram(single));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseCommandQueue(queues[0]));
    CHECK(clReleaseCommandQueue(queues[1]));
    CHECK(clReleaseContext(context));
    return passed();
}
