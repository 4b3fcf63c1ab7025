//! # Profiling: times of every kind of command in order, and those that have none; information about events.
#include "check.h"

static const char* const SOURCE = "kernel void work(global int* data) { data[get_global_id(0)] += 1; }";

static const cl_profiling_info STEPS[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                          CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE};

// The times of a command that is complete; it began no earlier than a time, and its end is returned.
static cl_ulong check_times(cl_event event, const char* name, cl_ulong begin) {
    cl_ulong last = begin, end = 0;
    for (size_t i = 0; i < COUNT(STEPS); i++) {
        cl_ulong time = 0;
        size_t size;
        CHECK(clGetEventProfilingInfo(event, STEPS[i], sizeof time, &time, &size));
        EXPECT_EQUAL(size, sizeof time);
        REQUIRE(time >= last, "%s: time %zu is %llu, the one before it %llu", name, i, (long long)time, (long long)last);
        last = time;
        if (STEPS[i] == CL_PROFILING_COMMAND_END) {
            end = time;
        }
    }
    cl_ulong time;
    size_t size;
    EXPECT_ERROR(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 4, &time, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetEventProfilingInfo(event, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    return end;
}

static void check_information(cl_event event, cl_command_queue of, cl_command_type type) {
    cl_command_type kind = 0;
    cl_command_queue owner = NULL;
    cl_context holder = NULL;
    cl_int state = 99;
    size_t size;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, &size));
    EXPECT_EQUAL(size, sizeof kind);
    EXPECT_EQUAL(kind, type);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof owner, &owner, &size));
    EXPECT_EQUAL(size, sizeof owner);
    REQUIRE(owner == of, "another queue");
    CHECK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof holder, &holder, NULL));
    REQUIRE(holder == context, "another context");
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, &size));
    EXPECT_EQUAL(size, sizeof state);
    EXPECT_EQUAL(state, CL_COMPLETE);
    EXPECT_ERROR(clGetEventInfo(event, CL_EVENT_CONTEXT, 1, &holder, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetEventInfo(event, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
}

enum { MOST = 16, BYTES = 256 };

static cl_event events[MOST];
static cl_command_type types[MOST];
static size_t count;

// Keeps the event that the next command is given.
static cl_event* next(cl_command_type type) {
    REQUIRE(count < MOST, "room for %d events", MOST);
    types[count] = type;
    return &events[count++];
}

static void enqueue_all(cl_command_queue timed) {
    static char host[BYTES];
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "work");
    const cl_mem a = buffer_of(BYTES, NULL), b = buffer_of(BYTES, NULL);
    const int pattern = 3;
    const size_t global = BYTES / 4, zero[3] = {0, 0, 0}, region[3] = {4, 4, 4};
    SET(kernel, 0, a);
    CHECK(clEnqueueFillBuffer(timed, a, &pattern, 4, 0, BYTES, 0, NULL, next(CL_COMMAND_FILL_BUFFER)));
    CHECK(clEnqueueWriteBuffer(timed, b, CL_FALSE, 0, BYTES, host, 0, NULL, next(CL_COMMAND_WRITE_BUFFER)));
    CHECK(clEnqueueNDRangeKernel(timed, kernel, 1, NULL, &global, NULL, 0, NULL, next(CL_COMMAND_NDRANGE_KERNEL)));
    CHECK(clEnqueueCopyBuffer(timed, a, b, 0, 0, BYTES, 0, NULL, next(CL_COMMAND_COPY_BUFFER)));
    CHECK(clEnqueueReadBufferRect(timed, b, CL_FALSE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, next(CL_COMMAND_READ_BUFFER_RECT)));
    CHECK(clEnqueueWriteBufferRect(timed, b, CL_FALSE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, next(CL_COMMAND_WRITE_BUFFER_RECT)));
    CHECK(clEnqueueCopyBufferRect(timed, a, b, zero, zero, region, 0, 0, 0, 0, 0, NULL, next(CL_COMMAND_COPY_BUFFER_RECT)));
    CHECK(clEnqueueMarkerWithWaitList(timed, 0, NULL, next(CL_COMMAND_MARKER)));
    CHECK(clEnqueueBarrierWithWaitList(timed, 0, NULL, next(CL_COMMAND_BARRIER)));
    void* const at = clEnqueueMapBuffer(timed, b, CL_FALSE, CL_MAP_READ, 0, BYTES, 0, NULL, next(CL_COMMAND_MAP_BUFFER), &status);
    CHECK(status);
    CHECK(clEnqueueUnmapMemObject(timed, b, at, 0, NULL, next(CL_COMMAND_UNMAP_MEM_OBJECT)));
    const cl_mem both[2] = {a, b};
    CHECK(clEnqueueMigrateMemObjects(timed, 2, both, 0, 0, NULL, next(CL_COMMAND_MIGRATE_MEM_OBJECTS)));
    CHECK(clEnqueueReadBuffer(timed, b, CL_FALSE, 0, BYTES, host, 0, NULL, next(CL_COMMAND_READ_BUFFER)));
    CHECK(clFinish(timed));
    EXPECT_EQUAL(host[0], 4);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    const cl_command_queue timed = make_queue(CL_QUEUE_PROFILING_ENABLE);
    enqueue_all(timed);
    cl_ulong queued = 0, ended = 0;
    for (size_t i = 0; i < count; i++) {
        char name[20];
        sprintf(name, "command %zu", i);
        check_information(events[i], timed, types[i]);
        // Commands of one queue are queued in order, and in a queue in order they end in order.
        const cl_ulong end = check_times(events[i], name, queued);
        CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, NULL));
        REQUIRE(end >= ended, "%s ends before the one in front of it", name);
        ended = end;
        CHECK(clReleaseEvent(events[i]));
    }
    EXPECT_EQUAL(count, 13);
    REQUIRE(ended > 0, "no time passes");

    // Without profiling, and before the end, there are no times; user events never have any.
    cl_event event;
    cl_ulong time;
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    EXPECT_ERROR(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK(clReleaseEvent(event));
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    EXPECT_ERROR(clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK(clEnqueueMarkerWithWaitList(timed, 1, &gate, &event));
    EXPECT_ERROR(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &event));
    check_times(event, "marker", 0);
    EXPECT_ERROR(clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_INVALID_EVENT);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(timed));
    close_device();
    return passed();
}
