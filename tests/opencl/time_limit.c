//! # A kernel that never ends is stopped at the time limit: its event fails with a report, and another queue goes on.
//! variables = { GCN_TIMEOUT = "0.3" }
//! stderr = ["gcn: error: kernel endless"]
#include "check.h"

#include <time.h>

static const char* const SOURCE =
    "kernel void endless(global volatile int* data) { while (data[0] == 0) {} }\n"
    "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n";

static double seconds(void) {
    struct timespec now;
    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "no clock");
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel endless = kernel_of(program, "endless"), add = kernel_of(program, "add");
    const int zeros[4] = {0}, expected[4] = {7, 7, 7, 7}, seven = 7;
    const cl_mem buffer = buffer_of(sizeof zeros, zeros);
    SET(endless, 0, buffer);
    SET(add, 0, buffer);
    SET(add, 1, seven);
    const cl_command_queue other = make_queue(0);
    const size_t global = 4;
    cl_event event;
    cl_int state = 99;
    const double begin = seconds();
    CHECK(clEnqueueNDRangeKernel(queue, endless, 1, NULL, &global, NULL, 0, NULL, &event));
    EXPECT_ERROR(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    const double taken = seconds() - begin;
    REQUIRE(taken > 0.25 && taken < 20, "the kernel is stopped after %f s", taken);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    EXPECT_EQUAL(state, CL_OUT_OF_RESOURCES);
    EXPECT_ERROR(clFinish(queue), CL_OUT_OF_RESOURCES);
    int got[4];
    CHECK(clEnqueueNDRangeKernel(other, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(other, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    expect_same("another queue's", got, expected, 4, sizeof(int));
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(endless));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
