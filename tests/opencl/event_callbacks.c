//! # Functions that events call: for each status once, with the status that the command has reached, errors included.
#include "check.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

typedef struct {
    int calls;
    cl_int state;
    cl_event event;
} Seen;

static void CL_CALLBACK note(cl_event event, cl_int state, void* user) {
    Seen* const seen = user;
    pthread_mutex_lock(&mutex);
    seen->calls++;
    seen->state = state;
    seen->event = event;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void wait_for(Seen* seen, int calls) {
    pthread_mutex_lock(&mutex);
    while (seen->calls < calls) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static int calls_of(Seen* seen) {
    pthread_mutex_lock(&mutex);
    const int calls = seen->calls;
    pthread_mutex_unlock(&mutex);
    return calls;
}

static cl_event user_event(void) {
    const cl_event event = clCreateUserEvent(context, &status);
    CHECK(status);
    return event;
}

// A command that waits for a gate is neither running nor complete; then it passes each status.
static void check_each_status(void) {
    const cl_int states[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
    Seen seen[COUNT(states)] = {{0, 99, NULL}, {0, 99, NULL}, {0, 99, NULL}};
    const cl_event gate = user_event();
    const cl_mem buffer = buffer_of(64, NULL);
    const int pattern = 1;
    cl_event event;
    CHECK(clEnqueueFillBuffer(queue, buffer, &pattern, 4, 0, 64, 1, &gate, &event));
    for (size_t i = 0; i < COUNT(states); i++) {
        CHECK(clSetEventCallback(event, states[i], note, &seen[i]));
    }
    CHECK(clFlush(queue));
    EXPECT_EQUAL(calls_of(&seen[1]), 0);
    EXPECT_EQUAL(calls_of(&seen[2]), 0);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &event));
    for (size_t i = 0; i < COUNT(states); i++) {
        wait_for(&seen[i], 1);
        EXPECT_EQUAL(seen[i].state, states[i]);
        REQUIRE(seen[i].event == event, "another event");
    }
    CHECK(clFinish(queue));
    for (size_t i = 0; i < COUNT(states); i++) {
        EXPECT_EQUAL(calls_of(&seen[i]), 1);
    }
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(buffer));
}

// A function that is registered when the command is complete is called too, and several are.
static void check_late(void) {
    Seen seen[4] = {{0, 99, NULL}, {0, 99, NULL}, {0, 99, NULL}, {0, 99, NULL}};
    cl_event event;
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    for (size_t i = 0; i < COUNT(seen); i++) {
        CHECK(clSetEventCallback(event, CL_COMPLETE, note, &seen[i]));
    }
    for (size_t i = 0; i < COUNT(seen); i++) {
        wait_for(&seen[i], 1);
        EXPECT_EQUAL(seen[i].state, CL_COMPLETE);
    }
    CHECK(clReleaseEvent(event));
}

// User events call when their status is set; a negative one reaches the functions for completion.
static void check_user_events(void) {
    Seen good = {0, 99, NULL}, bad = {0, 99, NULL}, command = {0, 99, NULL};
    cl_event event = user_event();
    CHECK(clSetEventCallback(event, CL_COMPLETE, note, &good));
    EXPECT_EQUAL(calls_of(&good), 0);
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    wait_for(&good, 1);
    EXPECT_EQUAL(good.state, CL_COMPLETE);
    CHECK(clReleaseEvent(event));
    event = user_event();
    cl_event after;
    CHECK(clSetEventCallback(event, CL_COMPLETE, note, &bad));
    CHECK(clEnqueueMarkerWithWaitList(queue, 1, &event, &after));
    CHECK(clSetEventCallback(after, CL_COMPLETE, note, &command));
    CHECK(clFlush(queue));
    CHECK(clSetUserEventStatus(event, -42));
    wait_for(&bad, 1);
    EXPECT_EQUAL(bad.state, -42);
    wait_for(&command, 1);
    REQUIRE(command.state < 0, "the command ended with %d", command.state);
    CHECK(clReleaseEvent(after));
    CHECK(clReleaseEvent(event));
}

typedef struct {
    cl_mem buffer;
    cl_event last;
    Seen done;
} Chain;

// A function that enqueues a command and flushes it, which it may.
static void CL_CALLBACK enqueue_more(cl_event event, cl_int state, void* user) {
    (void)event;
    Chain* const chain = user;
    const int pattern = 9;
    REQUIRE(state == CL_COMPLETE, "the command ended with %d", state);
    CHECK(clEnqueueFillBuffer(queue, chain->buffer, &pattern, 4, 0, 64, 0, NULL, &chain->last));
    CHECK(clSetEventCallback(chain->last, CL_COMPLETE, note, &chain->done));
    CHECK(clFlush(queue));
}

static void check_enqueueing(void) {
    Chain chain = {buffer_of(64, NULL), NULL, {0, 99, NULL}};
    cl_event event;
    const int pattern = 8;
    CHECK(clEnqueueFillBuffer(queue, chain.buffer, &pattern, 4, 0, 64, 0, NULL, &event));
    CHECK(clSetEventCallback(event, CL_COMPLETE, enqueue_more, &chain));
    CHECK(clFlush(queue));
    wait_for(&chain.done, 1);
    int values[16];
    download(chain.buffer, 64, values);
    for (int i = 0; i < 16; i++) {
        EXPECT_EQUAL(values[i], 9);
    }
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseEvent(chain.last));
    CHECK(clReleaseMemObject(chain.buffer));
}

static void check_errors(void) {
    Seen seen = {0, 99, NULL};
    const cl_event event = user_event();
    EXPECT_ERROR(clSetEventCallback(NULL, CL_COMPLETE, note, &seen), CL_INVALID_EVENT);
    EXPECT_ERROR(clSetEventCallback(event, CL_COMPLETE, NULL, &seen), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetEventCallback(event, CL_QUEUED, note, &seen), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetEventCallback(event, -1, note, &seen), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetEventCallback(event, 17, note, &seen), CL_INVALID_VALUE);
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    EXPECT_EQUAL(calls_of(&seen), 0);
    CHECK(clReleaseEvent(event));
}

int main(void) {
    open_device();
    check_each_status();
    check_late();
    check_user_events();
    check_enqueueing();
    check_errors();
    close_device();
    return passed();
}
