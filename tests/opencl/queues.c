//! # Command queues: properties, information, errors of creation, flush and finish.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "check.h"

static void check_information(cl_command_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    const cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &status);
    CHECK(status);
    cl_context holder = NULL;
    cl_device_id worker = NULL;
    cl_command_queue_properties reported = 99;
    cl_queue_properties kept[8];
    size_t size;
    CHECK(clGetCommandQueueInfo(made, CL_QUEUE_CONTEXT, sizeof holder, &holder, &size));
    EXPECT_EQUAL(size, sizeof holder);
    REQUIRE(holder == context, "another context");
    CHECK(clGetCommandQueueInfo(made, CL_QUEUE_DEVICE, sizeof worker, &worker, &size));
    EXPECT_EQUAL(size, sizeof worker);
    REQUIRE(worker == device, "another device");
    CHECK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof reported, &reported, &size));
    EXPECT_EQUAL(size, sizeof reported);
    EXPECT_EQUAL(reported, properties);
    CHECK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof kept, kept, &size));
    EXPECT_EQUAL(size, sizeof list);
    expect_same("properties", kept, list, COUNT(list), sizeof *list);
    EXPECT_ERROR(clGetCommandQueueInfo(made, CL_QUEUE_CONTEXT, 1, &holder, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetCommandQueueInfo(made, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    cl_uint bytes;
    EXPECT_ERROR(clGetCommandQueueInfo(made, CL_QUEUE_SIZE, sizeof bytes, &bytes, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(clReleaseCommandQueue(made));
}

// The function of OpenCL 1.2, and no properties at all.
static void check_other_ways(void) {
    cl_command_queue_properties reported = 99;
    cl_command_queue made = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    CHECK(status);
    CHECK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof reported, &reported, NULL));
    EXPECT_EQUAL(reported, CL_QUEUE_PROFILING_ENABLE);
    CHECK(clReleaseCommandQueue(made));
    made = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    CHECK(status);
    CHECK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof reported, &reported, NULL));
    EXPECT_EQUAL(reported, 0);
    size_t size = 99;
    CHECK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    EXPECT_EQUAL(size, 0);
    CHECK(clReleaseCommandQueue(made));
}

static void check_errors(void) {
    const cl_queue_properties unknown[] = {0x4242, 1, 0};
    const cl_queue_properties bits[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)1 << 40, 0};
    EXPECT_REFUSED(clCreateCommandQueueWithProperties(NULL, device, NULL, &status), CL_INVALID_CONTEXT);
    EXPECT_REFUSED(clCreateCommandQueueWithProperties(context, NULL, NULL, &status), CL_INVALID_DEVICE);
    EXPECT_REFUSED(clCreateCommandQueueWithProperties(context, device, unknown, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateCommandQueueWithProperties(context, device, bits, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateCommandQueue(context, device, (cl_command_queue_properties)1 << 40, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateCommandQueue(NULL, device, 0, &status), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clFlush(NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
}

// A flushed queue ends its commands by itself; a finished one has ended them.
static void check_flush_and_finish(void) {
    const cl_mem buffer = buffer_of(64, NULL);
    const cl_uint pattern = 7;
    cl_uint values[16] = {0};
    cl_event event;
    CHECK(clEnqueueFillBuffer(queue, buffer, &pattern, sizeof pattern, 0, 64, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 64, values, 0, NULL, &event));
    CHECK(clFlush(queue));
    cl_int state = CL_QUEUED;
    while (state != CL_COMPLETE) {
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
        REQUIRE(state >= 0, "the command ended with %d", state);
    }
    for (int i = 0; i < 16; i++) {
        EXPECT_EQUAL(values[i], 7);
    }
    CHECK(clReleaseEvent(event));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 64, values, 0, NULL, &event));
    CHECK(clFinish(queue));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    EXPECT_EQUAL(state, CL_COMPLETE);
    CHECK(clFinish(queue));
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(buffer));
}

int main(void) {
    open_device();
    check_information(0);
    check_information(CL_QUEUE_PROFILING_ENABLE);
    if (device_ulong(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        check_information(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        check_information(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    }
    check_other_ways();
    check_errors();
    check_flush_and_finish();
    close_device();
    return passed();
}
