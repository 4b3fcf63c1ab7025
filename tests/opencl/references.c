//! # Reference counts of every kind of object, and objects that live as long as others need them.
#include "check.h"

static const char* const SOURCE =
    "kernel void increment(global int* data) { data[get_global_id(0)] += 1; }";

// Queries, retains and releases an object, whose creation counts one.
#define COUNT_REFERENCES(object, info, name, retain, release)           \
    do {                                                                \
        cl_uint check_count = 99;                                       \
        CHECK(info(object, name, sizeof check_count, &check_count, NULL)); \
        EXPECT_EQUAL(check_count, 1);                                   \
        CHECK(retain(object));                                          \
        CHECK(retain(object));                                          \
        CHECK(info(object, name, sizeof check_count, &check_count, NULL)); \
        EXPECT_EQUAL(check_count, 3);                                   \
        CHECK(release(object));                                         \
        CHECK(info(object, name, sizeof check_count, &check_count, NULL)); \
        EXPECT_EQUAL(check_count, 2);                                   \
        CHECK(release(object));                                         \
    } while (0)

static void check_counts(void) {
    const cl_mem buffer = buffer_of(64, NULL);
    COUNT_REFERENCES(buffer, clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT, clRetainMemObject, clReleaseMemObject);
    const cl_command_queue other = make_queue(0);
    COUNT_REFERENCES(other, clGetCommandQueueInfo, CL_QUEUE_REFERENCE_COUNT, clRetainCommandQueue, clReleaseCommandQueue);
    const cl_program program = program_of(SOURCE);
    COUNT_REFERENCES(program, clGetProgramInfo, CL_PROGRAM_REFERENCE_COUNT, clRetainProgram, clReleaseProgram);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    const cl_kernel kernel = kernel_of(program, "increment");
    COUNT_REFERENCES(kernel, clGetKernelInfo, CL_KERNEL_REFERENCE_COUNT, clRetainKernel, clReleaseKernel);
    const cl_event event = clCreateUserEvent(context, &status);
    CHECK(status);
    COUNT_REFERENCES(event, clGetEventInfo, CL_EVENT_REFERENCE_COUNT, clRetainEvent, clReleaseEvent);
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseMemObject(buffer));
}

// A kernel, its buffer, its program and its queue are released while the kernel waits for an event.
static void check_lives(void) {
    int values[4] = {1, 2, 3, 4};
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof values, values, &status);
    CHECK(status);
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "increment");
    CHECK(clReleaseProgram(program));
    SET(kernel, 0, buffer);
    const cl_command_queue other = make_queue(0);
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    const size_t global = 4;
    cl_event done[2];
    CHECK(clEnqueueNDRangeKernel(other, kernel, 1, NULL, &global, NULL, 1, &gate, &done[0]));
    int result[4];
    CHECK(clEnqueueReadBuffer(other, buffer, CL_FALSE, 0, sizeof result, result, 0, NULL, &done[1]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clFlush(other));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(other));
    CHECK(clWaitForEvents(2, done));
    const int expected[4] = {2, 3, 4, 5};
    expect_same("result", result, expected, 4, sizeof(int));
    CHECK(clReleaseEvent(done[0]));
    CHECK(clReleaseEvent(done[1]));
}

// A kernel holds its program, and a program its context.
static void check_chain(void) {
    const cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    const char* source = SOURCE;
    const cl_program program = clCreateProgramWithSource(other, 1, &source, NULL, &status);
    CHECK(status);
    CHECK(clReleaseContext(other));
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    const cl_kernel kernel = kernel_of(program, "increment");
    CHECK(clReleaseProgram(program));
    cl_program held = NULL;
    cl_context holder = NULL;
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof held, &held, NULL));
    REQUIRE(held == program, "the kernel has another program");
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof holder, &holder, NULL));
    REQUIRE(holder == other, "the kernel has another context");
    char name[20];
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    EXPECT_TEXT(name, "increment");
    CHECK(clReleaseKernel(kernel));
}

static void check_errors(void) {
    EXPECT_ERROR(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clRetainCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clReleaseCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clRetainProgram(NULL), CL_INVALID_PROGRAM);
    EXPECT_ERROR(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
    EXPECT_ERROR(clRetainKernel(NULL), CL_INVALID_KERNEL);
    EXPECT_ERROR(clReleaseKernel(NULL), CL_INVALID_KERNEL);
    EXPECT_ERROR(clRetainEvent(NULL), CL_INVALID_EVENT);
    EXPECT_ERROR(clReleaseEvent(NULL), CL_INVALID_EVENT);
    EXPECT_ERROR(clRetainSampler(NULL), CL_INVALID_SAMPLER);
    EXPECT_ERROR(clReleaseSampler(NULL), CL_INVALID_SAMPLER);
    EXPECT_ERROR(clReleaseDevice(NULL), CL_INVALID_DEVICE);
}

int main(void) {
    open_device();
    check_counts();
    check_lives();
    check_chain();
    check_errors();
    close_device();
    return passed();
}
