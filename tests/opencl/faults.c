//! # A kernel that faults fails its event and its queue, with a report on standard error; other queues go on.
//! stderr = ["gcn: error: kernel store_far"]
#include "check.h"

static const char* const SOURCE =
    "kernel void store_far(ulong where) { *(global int*)where = 1; }\n"
    "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n";

static cl_int state_of(cl_event event) {
    cl_int state = 99;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state;
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel wrong = kernel_of(program, "store_far"), right = kernel_of(program, "add");
    const int values[4] = {1, 2, 3, 4}, expected[4] = {11, 12, 13, 14};
    const cl_mem buffer = buffer_of(sizeof values, values);
    const cl_ulong nowhere = 0x10;
    const cl_int ten = 10;
    const size_t global = 4;
    SET(wrong, 0, nowhere);
    SET(right, 0, buffer);
    SET(right, 1, ten);
    const cl_command_queue failing = make_queue(0);
    cl_event events[2];
    CHECK(clEnqueueNDRangeKernel(failing, wrong, 1, NULL, &global, NULL, 0, NULL, &events[0]));
    EXPECT_ERROR(clWaitForEvents(1, &events[0]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    REQUIRE(state_of(events[0]) < 0, "the kernel that faults ended with %d", state_of(events[0]));
    // What waits for it fails too, and does nothing; the device works on.
    CHECK(clEnqueueNDRangeKernel(queue, right, 1, NULL, &global, NULL, 1, &events[0], &events[1]));
    EXPECT_ERROR(clWaitForEvents(1, &events[1]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    REQUIRE(clFinish(failing) != CL_SUCCESS, "the queue of a kernel that faults finishes as if nothing were");
    const cl_command_queue other = make_queue(0);
    int got[4];
    CHECK(clEnqueueNDRangeKernel(other, right, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(other, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    expect_same("result", got, expected, 4, sizeof(int));
    CHECK(clReleaseEvent(events[0]));
    CHECK(clReleaseEvent(events[1]));
    CHECK(clReleaseCommandQueue(failing));
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(wrong));
    CHECK(clReleaseKernel(right));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
