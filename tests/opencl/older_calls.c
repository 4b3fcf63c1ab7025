//! # Calls of OpenCL 1.0 to 1.2 that later versions replaced: tasks, markers, barriers, samplers, images, and unloading.
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "check.h"

static const char* const SOURCE =
    "kernel void once(global int* to) { to[0] = get_work_dim() * 1000 + get_global_size(0) * 100 + get_local_size(0) * 10 + get_num_groups(0); }\n"
    "kernel __attribute__((reqd_work_group_size(2, 1, 1))) void two(global int* to) { to[get_global_id(0)] = 1; }\n";

static cl_int state_of(cl_event event) {
    cl_int state = 99;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state;
}

static void check_tasks(cl_program program, cl_command_queue by) {
    const cl_kernel kernel = kernel_of(program, "once"), two = kernel_of(program, "two");
    int got = 0;
    cl_event event;
    cl_command_type type;
    const cl_mem to = buffer_of(8, NULL);
    EXPECT_ERROR(clEnqueueTask(by, kernel, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    SET(kernel, 0, to);
    SET(two, 0, to);
    CHECK(clEnqueueTask(by, kernel, 0, NULL, &event));
    CHECK(clEnqueueReadBuffer(by, to, CL_TRUE, 0, 4, &got, 1, &event, NULL));
    EXPECT_EQUAL(got, 1111);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_TASK);
    EXPECT_ERROR(clEnqueueTask(by, two, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    EXPECT_ERROR(clEnqueueTask(NULL, kernel, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueTask(by, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(two));
}

// A marker's event is complete when all before it is; barriers and waits hold what comes behind them.
static void check_order(cl_command_queue by) {
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    const int before = 1, after = 2;
    const cl_mem buffer = buffer_of(4, &before);
    cl_event marker, behind;
    CHECK(clEnqueueWaitForEvents(by, 1, &gate));
    CHECK(clEnqueueFillBuffer(by, buffer, &after, 4, 0, 4, 0, NULL, NULL));
    CHECK(clEnqueueMarker(by, &marker));
    CHECK(clEnqueueBarrier(by));
    CHECK(clEnqueueFillBuffer(by, buffer, &before, 4, 0, 4, 0, NULL, &behind));
    CHECK(clFlush(by));
    REQUIRE(state_of(marker) > CL_COMPLETE && state_of(behind) > CL_COMPLETE, "commands passed the wait for an event");
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &behind));
    REQUIRE(state_of(marker) == CL_COMPLETE, "the barrier opened before the marker");
    int got;
    download(buffer, 4, &got);
    EXPECT_EQUAL(got, before);
    EXPECT_ERROR(clEnqueueMarker(by, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueMarker(NULL, &marker), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueBarrier(NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueWaitForEvents(NULL, 1, &gate), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueWaitForEvents(by, 0, &gate), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueWaitForEvents(by, 1, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(marker));
    CHECK(clReleaseEvent(behind));
    CHECK(clReleaseMemObject(buffer));
}

static void check_images(void) {
    if (device_uint(CL_DEVICE_IMAGE_SUPPORT)) {
        return;
    }
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    EXPECT_REFUSED(clCreateImage2D(context, CL_MEM_READ_ONLY, &format, 16, 16, 0, NULL, &status), CL_INVALID_OPERATION);
    EXPECT_REFUSED(clCreateImage3D(context, CL_MEM_READ_ONLY, &format, 4, 4, 4, 0, 0, NULL, &status), CL_INVALID_OPERATION);
    EXPECT_REFUSED(clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status), CL_INVALID_OPERATION);
}

// A change of the queue's order waits for the commands in the queue.
static void check_change_of_order(cl_program program) {
    enum { LAUNCHES = 100 };
    const cl_command_queue_properties property = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const cl_command_queue changed = make_queue(property);
    const cl_kernel kernel = kernel_of(program, "once");
    const cl_mem to = buffer_of(sizeof(int), NULL);
    SET(kernel, 0, to);
    cl_event events[LAUNCHES];
    cl_command_queue_properties value = 0;
    for (cl_bool on = CL_FALSE; on <= CL_TRUE; on++) {
        const size_t one = 1;
        for (int i = 0; i < LAUNCHES; i++) {
            CHECK(clEnqueueNDRangeKernel(changed, kernel, 1, NULL, &one, NULL, 0, NULL, &events[i]));
        }
        CHECK(clSetCommandQueueProperty(changed, property, on, &value));
        EXPECT_EQUAL(value, on ? 0 : property);
        for (int i = 0; i < LAUNCHES; i++) {
            EXPECT_EQUAL(state_of(events[i]), CL_COMPLETE);
            CHECK(clReleaseEvent(events[i]));
        }
    }
    CHECK(clGetCommandQueueInfo(changed, CL_QUEUE_PROPERTIES, sizeof value, &value, NULL));
    EXPECT_EQUAL(value, property);
    EXPECT_ERROR(clSetCommandQueueProperty(changed, 1 << 20, CL_TRUE, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetCommandQueueProperty(NULL, property, CL_TRUE, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseCommandQueue(changed));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "-cl-std=CL1.1");
    cl_command_queue by = clCreateCommandQueue(context, device, 0, &status);
    CHECK(status);
    check_tasks(program, by);
    check_order(by);
    CHECK(clReleaseCommandQueue(by));
    if (device_ulong(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        by = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
        CHECK(status);
        check_order(by);
        CHECK(clReleaseCommandQueue(by));
        check_change_of_order(program);
    }
    check_images();
    CHECK(clUnloadCompiler());
    REQUIRE(clGetExtensionFunctionAddress("clNoSuchFunctionKHR") == NULL, "a function that nobody has");
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
