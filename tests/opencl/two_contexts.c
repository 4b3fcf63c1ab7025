//! # Objects of two contexts that are mixed in one call: every call that takes two objects refuses them.
#include "check.h"

static const char* const SOURCE = "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n";

int main(void) {
    open_device();
    const cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    const cl_mem theirs = clCreateBuffer(foreign, 0, 64, NULL, &status);
    CHECK(status);
    const cl_event gate = clCreateUserEvent(foreign, &status);
    CHECK(status);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    const char* source = SOURCE;
    const cl_program their_program = clCreateProgramWithSource(foreign, 1, &source, NULL, &status);
    CHECK(status);
    CHECK(clBuildProgram(their_program, 0, NULL, "", NULL, NULL));
    const cl_kernel their_kernel = kernel_of(their_program, "add");
    const cl_mem ours = buffer_of(64, NULL);
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "add");

    char host[64] = {0};
    const cl_int by = 1;
    const size_t global = 16, zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    SET(their_kernel, 0, theirs);
    SET(their_kernel, 1, by);
    SET(kernel, 0, ours);
    SET(kernel, 1, by);
    EXPECT_ERROR(clEnqueueReadBuffer(queue, theirs, CL_TRUE, 0, 64, host, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueWriteBuffer(queue, theirs, CL_TRUE, 0, 64, host, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueFillBuffer(queue, theirs, &by, 4, 0, 64, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, ours, theirs, 0, 0, 64, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, theirs, ours, 0, 0, 64, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueReadBufferRect(queue, theirs, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueWriteBufferRect(queue, theirs, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueCopyBufferRect(queue, ours, theirs, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_REFUSED(clEnqueueMapBuffer(queue, theirs, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueMigrateMemObjects(queue, 1, &theirs, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, their_kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    // Events in wait lists.
    EXPECT_ERROR(clEnqueueReadBuffer(queue, ours, CL_TRUE, 0, 64, host, 1, &gate, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueWriteBuffer(queue, ours, CL_TRUE, 0, 64, host, 1, &gate, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueFillBuffer(queue, ours, &by, 4, 0, 64, 1, &gate, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, ours, ours, 0, 32, 16, 1, &gate, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &gate, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_INVALID_CONTEXT);
    EXPECT_REFUSED(clEnqueueMapBuffer(queue, ours, CL_TRUE, CL_MAP_READ, 0, 64, 1, &gate, NULL, &status), CL_INVALID_CONTEXT);
    const cl_program fresh = program_of(SOURCE);
    const char* name = "h.h";
    EXPECT_ERROR(clCompileProgram(fresh, 0, NULL, "", 1, &their_program, &name, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK(clCompileProgram(fresh, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    const cl_program mixed[2] = {fresh, their_program};
    EXPECT_REFUSED(clLinkProgram(context, 0, NULL, "", 2, mixed, NULL, NULL, &status), CL_INVALID_CONTEXT);
    CHECK(clReleaseProgram(fresh));
    // What was refused has left nothing behind.
    CHECK(clFinish(queue));
    launch(kernel, 16, 0);
    CHECK(clFinish(queue));

    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(their_kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(their_program));
    CHECK(clReleaseMemObject(ours));
    CHECK(clReleaseMemObject(theirs));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseContext(foreign));
    close_device();
    return passed();
}
