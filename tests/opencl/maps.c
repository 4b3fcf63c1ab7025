//! # Mapped buffers: reads, writes, invalidated regions, several maps of one buffer, their counts, and their errors.
#include "check.h"

enum { COUNT_OF_INTS = 256, BYTES = COUNT_OF_INTS * sizeof(int) };

static const char* const SOURCE = "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }";

static cl_uint map_count(cl_mem buffer) {
    cl_uint count = 99;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

static int* map(cl_mem buffer, cl_map_flags flags, size_t first, size_t count) {
    int* const at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, first * sizeof(int), count * sizeof(int), 0, NULL, NULL, &status);
    CHECK(status);
    REQUIRE(at != NULL, "no address");
    return at;
}

static void unmap(cl_mem buffer, void* at) { CHECK(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL)); }

static void add(cl_kernel kernel, cl_mem buffer, int by) {
    SET(kernel, 0, buffer);
    SET(kernel, 1, by);
    launch(kernel, COUNT_OF_INTS, 0);
}

static void check_modes(cl_kernel kernel, cl_mem_flags way) {
    static int values[COUNT_OF_INTS], expected[COUNT_OF_INTS], got[COUNT_OF_INTS];
    for (int i = 0; i < COUNT_OF_INTS; i++) {
        values[i] = expected[i] = i * 3;
    }
    const bool has_contents = way & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    const cl_mem buffer = clCreateBuffer(context, way, BYTES, has_contents ? values : NULL, &status);
    CHECK(status);
    if (!has_contents) {
        int* const all = map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, COUNT_OF_INTS);
        memcpy(all, expected, BYTES);
        unmap(buffer, all);
    }
    CHECK(clFinish(queue));
    EXPECT_EQUAL(map_count(buffer), 0);
    add(kernel, buffer, 5);
    for (int i = 0; i < COUNT_OF_INTS; i++) {
        expected[i] += 5;
    }
    // A map to read sees the kernel's results, from its first element on.
    int* at = map(buffer, CL_MAP_READ, 10, 100);
    EXPECT_EQUAL(map_count(buffer), 1);
    expect_same("mapped to read", at, expected + 10, 100, sizeof(int));
    unmap(buffer, at);
    // A map to write keeps what is not written.
    at = map(buffer, CL_MAP_WRITE, 20, 50);
    for (int i = 0; i < 50; i += 2) {
        at[i] = expected[20 + i] = -i;
    }
    unmap(buffer, at);
    at = map(buffer, CL_MAP_READ | CL_MAP_WRITE, 30, 3);
    expect_same("mapped for both", at, expected + 30, 3, sizeof(int));
    at[2] = expected[32] = 1234;
    unmap(buffer, at);
    at = map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 40, 8);
    for (int i = 0; i < 8; i++) {
        at[i] = expected[40 + i] = 7 * i;
    }
    unmap(buffer, at);
    add(kernel, buffer, 1);
    for (int i = 0; i < COUNT_OF_INTS; i++) {
        expected[i]++;
    }
    download(buffer, BYTES, got);
    expect_same("all", got, expected, COUNT_OF_INTS, sizeof(int));
    CHECK(clReleaseMemObject(buffer));
}

// Regions that overlap may be mapped to read at once; each map is undone by itself.
static void check_several(void) {
    int values[COUNT_OF_INTS];
    for (int i = 0; i < COUNT_OF_INTS; i++) {
        values[i] = i;
    }
    const cl_mem buffer = buffer_of(BYTES, values);
    int* const first = map(buffer, CL_MAP_READ, 0, 128);
    int* const second = map(buffer, CL_MAP_READ, 64, 128);
    int* const third = map(buffer, CL_MAP_READ, 0, 128);
    EXPECT_EQUAL(map_count(buffer), 3);
    expect_same("second", second, values + 64, 128, sizeof(int));
    unmap(buffer, first);
    CHECK(clFinish(queue));
    EXPECT_EQUAL(map_count(buffer), 2);
    expect_same("second and not the first", second, values + 64, 128, sizeof(int));
    expect_same("third", third, values, 128, sizeof(int));
    unmap(buffer, third);
    unmap(buffer, second);
    CHECK(clFinish(queue));
    EXPECT_EQUAL(map_count(buffer), 0);
    // Regions apart may be mapped to write at once.
    int* const low = map(buffer, CL_MAP_WRITE, 0, 4);
    int* const high = map(buffer, CL_MAP_WRITE, 4, 4);
    for (int i = 0; i < 4; i++) {
        low[i] = 100 + i;
        high[i] = 200 + i;
    }
    unmap(buffer, low);
    unmap(buffer, high);
    int got[9];
    const int expected[9] = {100, 101, 102, 103, 200, 201, 202, 203, 8};
    download(buffer, sizeof got, got);
    expect_same("apart", got, expected, 9, sizeof(int));
    CHECK(clReleaseMemObject(buffer));
}

// A second map sees the kernel's results, and leaves alone what was written through the first.
static void check_written(cl_kernel kernel, cl_mem_flags way) {
    static int values[COUNT_OF_INTS];
    memset(values, 0, sizeof values);
    const cl_mem buffer = clCreateBuffer(context, way, BYTES, values, &status);
    CHECK(status);
    add(kernel, buffer, 3);
    int* const first = map(buffer, CL_MAP_WRITE, 16, 16);
    first[0] = 5;
    first[15] = 6;
    int* const second = map(buffer, CL_MAP_READ, 0, COUNT_OF_INTS);
    EXPECT_EQUAL(first[0], 5);
    EXPECT_EQUAL(first[15], 6);
    EXPECT_EQUAL(second[0], 3);
    EXPECT_EQUAL(second[15], 3);
    EXPECT_EQUAL(second[32], 3);
    EXPECT_EQUAL(second[COUNT_OF_INTS - 1], 3);
    unmap(buffer, second);
    unmap(buffer, first);
    int got[COUNT_OF_INTS];
    download(buffer, BYTES, got);
    for (int i = 0; i < COUNT_OF_INTS; i++) {
        EXPECT_EQUAL(got[i], i == 16 ? 5 : i == 31 ? 6 : 3);
    }
    CHECK(clReleaseMemObject(buffer));
}

// A map that does not block, behind a kernel that waits for an event.
static void check_not_blocking(cl_kernel kernel) {
    const int zero = 0;
    const cl_mem buffer = buffer_of(BYTES, NULL);
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    CHECK(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    CHECK(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
    add(kernel, buffer, 42);
    cl_event events[2];
    int* const at = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, BYTES, 0, NULL, &events[0], &status);
    CHECK(status);
    cl_int state;
    cl_command_type type;
    CHECK(clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    REQUIRE(state > CL_COMPLETE, "the map is complete before the kernel begins: %d", state);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, events));
    CHECK(clGetEventInfo(events[0], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_MAP_BUFFER);
    EXPECT_EQUAL(at[0], 42);
    EXPECT_EQUAL(at[COUNT_OF_INTS - 1], 42);
    CHECK(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, &events[1]));
    CHECK(clWaitForEvents(1, &events[1]));
    CHECK(clGetEventInfo(events[1], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_UNMAP_MEM_OBJECT);
    CHECK(clReleaseEvent(events[0]));
    CHECK(clReleaseEvent(events[1]));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(buffer));
}

static void check_errors(void) {
    const cl_mem buffer = buffer_of(64, NULL);
    const cl_mem_flags flags[] = {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS};
    const cl_map_flags refused[][3] = {{CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_WRITE},
                                       {CL_MAP_READ, CL_MAP_READ, CL_MAP_READ},
                                       {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION}};
#define REFUSED(buffer, flags, offset, size, error) \
    EXPECT_REFUSED(clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, size, 0, NULL, NULL, &status), error)
    REFUSED(buffer, CL_MAP_READ, 0, 65, CL_INVALID_VALUE);
    REFUSED(buffer, CL_MAP_READ, 64, 1, CL_INVALID_VALUE);
    REFUSED(buffer, CL_MAP_READ, SIZE_MAX - 3, 8, CL_INVALID_VALUE);
    REFUSED(buffer, CL_MAP_READ, 0, 0, CL_INVALID_VALUE);
    REFUSED(buffer, (cl_map_flags)1 << 20, 0, 4, CL_INVALID_VALUE);
    REFUSED(buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, CL_INVALID_VALUE);
    REFUSED(buffer, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, CL_INVALID_VALUE);
    REFUSED(NULL, CL_MAP_READ, 0, 4, CL_INVALID_MEM_OBJECT);
    for (size_t i = 0; i < COUNT(flags); i++) {
        const cl_mem closed = clCreateBuffer(context, flags[i], 64, NULL, &status);
        CHECK(status);
        for (size_t k = 0; k < 3; k++) {
            REFUSED(closed, refused[i][k], 0, 4, CL_INVALID_OPERATION);
        }
        CHECK(clReleaseMemObject(closed));
    }
    EXPECT_REFUSED(clEnqueueMapBuffer(NULL, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status), CL_INVALID_COMMAND_QUEUE);
    EXPECT_REFUSED(clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 1, NULL, NULL, &status), CL_INVALID_EVENT_WAIT_LIST);
    int nowhere;
    EXPECT_ERROR(clEnqueueUnmapMemObject(queue, buffer, &nowhere, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueUnmapMemObject(queue, buffer, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueUnmapMemObject(queue, NULL, &nowhere, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_EQUAL(map_count(buffer), 0);
    // Undone once, a map cannot be undone again.
    void* const at = map(buffer, CL_MAP_READ, 0, 4);
    unmap(buffer, at);
    CHECK(clFinish(queue));
    EXPECT_ERROR(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(buffer));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "add");
    const cl_mem_flags ways[] = {0, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR};
    for (size_t i = 0; i < COUNT(ways); i++) {
        check_modes(kernel, ways[i]);
    }
    check_several();
    check_written(kernel, CL_MEM_COPY_HOST_PTR);
    check_written(kernel, CL_MEM_USE_HOST_PTR);
    check_not_blocking(kernel);
    check_errors();
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
