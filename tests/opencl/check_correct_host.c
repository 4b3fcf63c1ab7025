//! # Checks have no findings in a program that maps, unmaps and divides buffers as the specification has it, be it unusual.
//! variables = { GCN_CHECK = "default" }
#include "check.h"

#define ITEMS 128
#define BYTES (ITEMS * sizeof(int))

static const char* const SOURCE =
    "kernel void add(global int* to, global int* from) { to[get_global_id(0)] += from[get_global_id(0)]; }";

static cl_kernel kernel;

static void add(cl_command_queue to_queue, cl_mem to, cl_mem from, cl_event after, cl_event* done) {
    const size_t items = ITEMS;
    SET(kernel, 0, to);
    SET(kernel, 1, from);
    CHECK(clEnqueueNDRangeKernel(to_queue, kernel, 1, NULL, &items, NULL, after != NULL, after != NULL ? &after : NULL, done));
}

static int* map(cl_mem buffer, cl_map_flags flags, cl_bool is_blocking, cl_event* done) {
    int* const at = clEnqueueMapBuffer(queue, buffer, is_blocking, flags, 0, BYTES, 0, NULL, done, &status);
    CHECK(status);
    return at;
}

static void unmap(cl_mem buffer, void* at, cl_event* done) {
    CHECK(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, done));
}

static void set(cl_mem buffer, cl_map_flags flags, int value) {
    int* const at = map(buffer, flags, CL_TRUE, NULL);
    for (int i = 0; i < ITEMS; i++) {
        at[i] = value;
    }
    unmap(buffer, at, NULL);
}

static void expect(cl_mem buffer, int value) {
    int got[ITEMS];
    download(buffer, BYTES, got);
    for (int i = 0; i < ITEMS; i++) {
        EXPECT_EQUAL(got[i], value);
    }
}

// A map that is undone before it is carried out, and one that a kernel of another queue waits for.
static void check_order(cl_mem to, cl_mem from) {
    set(to, CL_MAP_WRITE_INVALIDATE_REGION, 0);
    set(from, CL_MAP_WRITE, 1);
    add(queue, to, from, NULL, NULL);
    int* at = map(to, CL_MAP_READ, CL_FALSE, NULL);
    unmap(to, at, NULL);
    add(queue, to, from, NULL, NULL);
    const cl_command_queue second = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event unmapped, added, mapped;
    at = map(from, CL_MAP_WRITE, CL_TRUE, NULL);
    at[0] = 1;
    unmap(from, at, &unmapped);
    add(second, to, from, unmapped, &added);
    CHECK(clFlush(queue));
    CHECK(clWaitForEvents(1, &added));
    at = map(to, CL_MAP_READ, CL_FALSE, &mapped);
    CHECK(clWaitForEvents(1, &mapped));
    EXPECT_EQUAL(at[7], 3);
    unmap(to, at, NULL);
    expect(to, 3);
    CHECK(clReleaseEvent(unmapped));
    CHECK(clReleaseEvent(added));
    CHECK(clReleaseEvent(mapped));
    CHECK(clReleaseCommandQueue(second));
}

// A kernel that is enqueued before the unmapping, and begins after it.
static void check_gate(cl_mem to, cl_mem from) {
    const cl_command_queue second = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    int* const at = map(to, CL_MAP_WRITE_INVALIDATE_REGION, CL_TRUE, NULL);
    memset(at, 0, BYTES);
    set(from, CL_MAP_WRITE, 5);
    cl_event added;
    add(second, to, from, gate, &added);
    unmap(to, at, NULL);
    CHECK(clFinish(queue));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &added));
    add(queue, to, from, NULL, NULL);
    expect(to, 10);
    CHECK(clReleaseEvent(added));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(second));
}

// Regions that overlap are mapped for reading, while kernels read them; regions side by side for writing.
static void check_several(cl_mem to, cl_mem from) {
    set(to, CL_MAP_WRITE, 0);
    set(from, CL_MAP_WRITE, 1);
    int* const first = map(from, CL_MAP_READ, CL_TRUE, NULL);
    int* const second = map(from, CL_MAP_READ, CL_TRUE, NULL);
    add(queue, to, from, NULL, NULL);
    unmap(from, first, NULL);
    add(queue, to, from, NULL, NULL);
    EXPECT_EQUAL(second[3], 1);
    unmap(from, second, NULL);
    int* halves[2];
    for (int i = 0; i < 2; i++) {
        halves[i] = clEnqueueMapBuffer(queue, from, CL_TRUE, CL_MAP_WRITE, i * BYTES / 2, BYTES / 2, 0, NULL, NULL, &status);
        CHECK(status);
    }
    halves[0][0] = 4;
    unmap(from, halves[0], NULL);
    for (int i = 0; i < ITEMS / 2; i++) {
        halves[1][i] = 4;
    }
    unmap(from, halves[1], NULL);
    for (int i = 0; i < 2; i++) {
        set(from, CL_MAP_WRITE, 4);
    }
    add(queue, to, from, NULL, NULL);
    expect(to, 6);
}

// A command writes through the pointer of a mapped region, and the region is unmapped before it is carried out.
static void check_pointer(cl_mem to, cl_mem from) {
    set(to, CL_MAP_WRITE, 0);
    set(from, CL_MAP_WRITE, 2);
    int* const at = map(to, CL_MAP_WRITE, CL_TRUE, NULL);
    CHECK(clEnqueueReadBuffer(queue, from, CL_FALSE, 0, BYTES, at, 0, NULL, NULL));
    unmap(to, at, NULL);
    add(queue, to, from, NULL, NULL);
    expect(to, 4);
}

// The program's own memory is its own again when no command uses it; the memory of a buffer that is gone is another's.
static void check_memory(cl_mem to) {
    static int numbers[ITEMS];
    const cl_mem own = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, numbers, &status);
    CHECK(status);
    set(to, CL_MAP_WRITE, 0);
    set(own, CL_MAP_WRITE, 1);
    add(queue, to, own, NULL, NULL);
    expect(to, 1);
    numbers[3] = 17;
    CHECK(clReleaseMemObject(own));
    for (int i = 0; i < 8; i++) {
        numbers[i % ITEMS] = 0;
        const cl_mem brief = buffer_of(BYTES, numbers);
        add(queue, to, brief, NULL, NULL);
        set(brief, CL_MAP_WRITE, i);
        CHECK(clFinish(queue));
        CHECK(clReleaseMemObject(brief));
    }
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    kernel = kernel_of(program, "add");
    const cl_mem whole = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 4 * 1024, NULL, &status);
    CHECK(status);
    const cl_mem buffers[2] = {buffer_of(BYTES, NULL), buffer_of(BYTES, NULL)};
    cl_mem parts[2];
    for (int i = 0; i < 2; i++) {
        const cl_buffer_region region = {(size_t)i * 1024, BYTES};
        parts[i] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
        CHECK(status);
    }
    const cl_mem* const pairs[2] = {buffers, parts};
    for (int i = 0; i < 2; i++) {
        check_order(pairs[i][0], pairs[i][1]);
        check_gate(pairs[i][0], pairs[i][1]);
        check_several(pairs[i][0], pairs[i][1]);
        check_pointer(pairs[i][0], pairs[i][1]);
        check_memory(pairs[i][0]);
        CHECK(clReleaseMemObject(pairs[i][0]));
        CHECK(clReleaseMemObject(pairs[i][1]));
    }
    CHECK(clReleaseMemObject(whole));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
