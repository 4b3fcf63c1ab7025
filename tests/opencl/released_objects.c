//! # Objects that are gone: the specification leaves their use open, this platform refuses each call with the type's error.
#include "check.h"

static const char* const SOURCE = "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n";

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "add"), gone_kernel = kernel_of(program, "add");
    const cl_mem gone_buffer = buffer_of(64, NULL), buffer = buffer_of(64, NULL);
    const cl_command_queue gone_queue = make_queue(0);
    const cl_event gone_event = clCreateUserEvent(context, &status);
    CHECK(status);
    const cl_program gone_program = build(SOURCE, "");
    const cl_context gone_context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    CHECK(clSetUserEventStatus(gone_event, CL_COMPLETE));
    CHECK(clReleaseKernel(gone_kernel));
    CHECK(clReleaseMemObject(gone_buffer));
    CHECK(clReleaseCommandQueue(gone_queue));
    CHECK(clReleaseEvent(gone_event));
    CHECK(clReleaseProgram(gone_program));
    CHECK(clReleaseContext(gone_context));

    int values[16] = {0};
    cl_uint count;
    const cl_int one = 1;
    const size_t global = 16;
    EXPECT_ERROR(clReleaseKernel(gone_kernel), CL_INVALID_KERNEL);
    EXPECT_ERROR(clReleaseMemObject(gone_buffer), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clRetainCommandQueue(gone_queue), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clReleaseEvent(gone_event), CL_INVALID_EVENT);
    EXPECT_ERROR(clRetainProgram(gone_program), CL_INVALID_PROGRAM);
    EXPECT_ERROR(clReleaseContext(gone_context), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clGetMemObjectInfo(gone_buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clGetEventInfo(gone_event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL), CL_INVALID_EVENT);
    EXPECT_ERROR(clGetKernelInfo(gone_kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL), CL_INVALID_KERNEL);
    EXPECT_ERROR(clSetKernelArg(gone_kernel, 1, sizeof one, &one), CL_INVALID_KERNEL);
    EXPECT_ERROR(clSetKernelArg(kernel, 0, sizeof gone_buffer, &gone_buffer), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueReadBuffer(queue, gone_buffer, CL_TRUE, 0, 64, values, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueReadBuffer(gone_queue, buffer, CL_TRUE, 0, 64, values, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, values, 1, &gone_event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clWaitForEvents(1, &gone_event), CL_INVALID_EVENT);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, gone_kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    EXPECT_ERROR(clFinish(gone_queue), CL_INVALID_COMMAND_QUEUE);
    EXPECT_REFUSED(clCreateKernel(gone_program, "add", &status), CL_INVALID_PROGRAM);
    EXPECT_REFUSED(clCreateBuffer(gone_context, 0, 64, NULL, &status), CL_INVALID_CONTEXT);
    EXPECT_REFUSED(clCreateCommandQueueWithProperties(gone_context, device, NULL, &status), CL_INVALID_CONTEXT);

    // What is not gone works on.
    SET(kernel, 0, buffer);
    SET(kernel, 1, one);
    launch(kernel, 16, 0);
    CHECK(clFinish(queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(buffer));
    close_device();
    return passed();
}
