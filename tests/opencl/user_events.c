//! # User events: commands that wait for them, failures that pass from command to command, and errors.
#include "check.h"

static cl_event user_event(void) {
    const cl_event event = clCreateUserEvent(context, &status);
    CHECK(status);
    return event;
}

static cl_int state_of(cl_event event) {
    cl_int state = 99;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state;
}

static void check_information(void) {
    const cl_event event = user_event();
    cl_command_type type = 0;
    cl_command_queue owner = queue;
    cl_context holder = NULL;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_USER);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof owner, &owner, NULL));
    REQUIRE(owner == NULL, "a user event has a queue");
    CHECK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof holder, &holder, NULL));
    REQUIRE(holder == context, "another context");
    EXPECT_EQUAL(state_of(event), CL_SUBMITTED);
    EXPECT_ERROR(clSetUserEventStatus(event, CL_RUNNING), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetUserEventStatus(event, CL_QUEUED), CL_INVALID_VALUE);
    EXPECT_EQUAL(state_of(event), CL_SUBMITTED);
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    EXPECT_EQUAL(state_of(event), CL_COMPLETE);
    CHECK(clWaitForEvents(1, &event));
    // A status is set once.
    EXPECT_ERROR(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
    EXPECT_ERROR(clSetUserEventStatus(event, -3), CL_INVALID_OPERATION);
    CHECK(clReleaseEvent(event));
    EXPECT_REFUSED(clCreateUserEvent(NULL, &status), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clSetUserEventStatus(NULL, CL_COMPLETE), CL_INVALID_EVENT);
    cl_event marker;
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    EXPECT_ERROR(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
    CHECK(clWaitForEvents(1, &marker));
    CHECK(clReleaseEvent(marker));
}

// Commands wait for all of several events.
static void check_waiting(void) {
    cl_event gates[3], done;
    for (int i = 0; i < 3; i++) {
        gates[i] = user_event();
    }
    const int before = 1, after = 2;
    const cl_mem buffer = buffer_of(4, &before);
    CHECK(clEnqueueFillBuffer(queue, buffer, &after, 4, 0, 4, 3, gates, &done));
    CHECK(clFlush(queue));
    const int turns[] = {2, 0, 1};
    for (int i = 0; i < 3; i++) {
        REQUIRE(state_of(done) > CL_RUNNING, "the command is at %d before gate %d", state_of(done), i);
        CHECK(clSetUserEventStatus(gates[turns[i]], CL_COMPLETE));
    }
    CHECK(clWaitForEvents(1, &done));
    int got;
    download(buffer, 4, &got);
    EXPECT_EQUAL(got, after);
    for (int i = 0; i < 3; i++) {
        CHECK(clReleaseEvent(gates[i]));
    }
    CHECK(clReleaseEvent(done));
    CHECK(clReleaseMemObject(buffer));
}

// A failure ends what waits for it, in this queue and in another; what does not wait for it lives.
static void check_failure(void) {
    const cl_command_queue other = make_queue(0);
    const cl_event gate = user_event();
    const int before = 1, after = 2;
    const cl_mem buffer = buffer_of(4, &before);
    cl_event failing[3];
    CHECK(clEnqueueFillBuffer(queue, buffer, &after, 4, 0, 4, 1, &gate, &failing[0]));
    CHECK(clEnqueueFillBuffer(other, buffer, &after, 4, 0, 4, 1, &failing[0], &failing[1]));
    CHECK(clEnqueueMarkerWithWaitList(other, 1, &failing[1], &failing[2]));
    CHECK(clFlush(queue));
    CHECK(clFlush(other));
    CHECK(clSetUserEventStatus(gate, -7));
    EXPECT_ERROR(clWaitForEvents(1, &gate), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQUAL(state_of(gate), -7);
    for (int i = 0; i < 3; i++) {
        EXPECT_ERROR(clWaitForEvents(1, &failing[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        REQUIRE(state_of(failing[i]) < 0, "command %d ended with %d", i, state_of(failing[i]));
    }
    // A blocking command that waits for a failure reports it and does nothing.
    int got = 77;
    EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &got, 1, &gate, NULL),
                 CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQUAL(got, 77);
    // The buffer is as it was, and new queues work on.
    const cl_command_queue third = make_queue(0);
    CHECK(clEnqueueReadBuffer(third, buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EXPECT_EQUAL(got, before);
    for (int i = 0; i < 3; i++) {
        CHECK(clReleaseEvent(failing[i]));
    }
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(third));
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseMemObject(buffer));
}

static void check_wait_errors(void) {
    const cl_event event = user_event();
    EXPECT_ERROR(clWaitForEvents(0, &event), CL_INVALID_VALUE);
    EXPECT_ERROR(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    const cl_event none[2] = {event, NULL};
    EXPECT_ERROR(clWaitForEvents(2, none), CL_INVALID_EVENT);
    const cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    const cl_event theirs = clCreateUserEvent(foreign, &status);
    CHECK(status);
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    CHECK(clSetUserEventStatus(theirs, CL_COMPLETE));
    const cl_event mixed[2] = {event, theirs};
    EXPECT_ERROR(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
    CHECK(clReleaseEvent(theirs));
    CHECK(clReleaseContext(foreign));
    CHECK(clReleaseEvent(event));
}

int main(void) {
    open_device();
    check_information();
    check_waiting();
    check_failure();
    check_wait_errors();
    close_device();
    return passed();
}
