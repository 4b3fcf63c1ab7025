//! # Functions that run when a buffer ends: their order, once commands and parts of the buffer are gone.
#include "check.h"

static int order[8];
static int ended;

static void CL_CALLBACK end(cl_mem buffer, void* user) {
    REQUIRE(buffer != NULL, "the end of no buffer");
    order[ended++] = *(int*)user;
}

// A function that frees the host's memory, which the specification is made for.
static void CL_CALLBACK free_memory(cl_mem buffer, void* user) {
    (void)buffer;
    *(int*)user = -1;
    free(user);
    order[ended++] = 4;
}

int main(void) {
    open_device();
    int numbers[] = {1, 2, 3};
    cl_mem buffer = buffer_of(64, NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(clSetMemObjectDestructorCallback(buffer, end, &numbers[i]));
    }
    EXPECT_ERROR(clSetMemObjectDestructorCallback(buffer, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetMemObjectDestructorCallback(NULL, end, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clRetainMemObject(buffer));
    CHECK(clReleaseMemObject(buffer));
    EXPECT_EQUAL(ended, 0);
    CHECK(clReleaseMemObject(buffer));
    EXPECT_EQUAL(ended, 3);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQUAL(order[i], 3 - i);
    }

    // A command that waits holds its buffer.
    ended = 0;
    void* const memory = malloc(4096);
    REQUIRE(memory != NULL, "4096 bytes");
    buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, memory, &status);
    CHECK(status);
    CHECK(clSetMemObjectDestructorCallback(buffer, free_memory, memory));
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    const cl_int pattern = 5;
    cl_event done;
    CHECK(clEnqueueFillBuffer(queue, buffer, &pattern, sizeof pattern, 0, 4096, 1, &gate, &done));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clFlush(queue));
    EXPECT_EQUAL(ended, 0);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &done));
    CHECK(clReleaseEvent(done));
    CHECK(clReleaseEvent(gate));
    CHECK(clFinish(queue));
    for (int tries = 0; ended == 0 && tries < 1000000; tries++) {
        CHECK(clFinish(queue));
    }
    EXPECT_EQUAL(ended, 1);
    EXPECT_EQUAL(order[0], 4);

    // A part holds its whole.
    ended = 0;
    const cl_mem whole = buffer_of(4096, NULL);
    const cl_buffer_region region = {0, 64};
    const cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK(status);
    CHECK(clSetMemObjectDestructorCallback(whole, end, &numbers[0]));
    CHECK(clSetMemObjectDestructorCallback(part, end, &numbers[1]));
    CHECK(clReleaseMemObject(whole));
    EXPECT_EQUAL(ended, 0);
    CHECK(clReleaseMemObject(part));
    EXPECT_EQUAL(ended, 2);
    EXPECT_EQUAL(order[0], 2);
    EXPECT_EQUAL(order[1], 1);
    close_device();
    return passed();
}
