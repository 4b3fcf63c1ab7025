//! # Queues in order and out of order: graphs of commands with wait lists across queues, markers and barriers.
#include "check.h"

static const char* const SOURCE =
    "kernel void combine(global const int* a, global const int* b, global int* to) {\n"
    "    size_t i = get_global_id(0);\n"
    "    to[i] = a[i] * 3 + b[i] * 5 + 1;\n"
    "}\n";

enum { NODES = 60, LENGTH = 32, QUEUES = 3 };

// A graph whose node `i` combines two earlier nodes; queues take turns, and wait lists are all that orders the commands.
static void check_graph(cl_command_queue_properties properties) {
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "combine");
    cl_command_queue queues[QUEUES];
    for (int q = 0; q < QUEUES; q++) {
        queues[q] = make_queue(properties);
    }
    static int expected[NODES][LENGTH];
    cl_mem nodes[NODES];
    cl_event done[NODES];
    uint64_t seed = 9;
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    for (int i = 0; i < NODES; i++) {
        nodes[i] = buffer_of(sizeof expected[i], NULL);
        const cl_command_queue by = queues[i % QUEUES];
        if (i < 2) {
            const int pattern = 7 + i;
            for (int k = 0; k < LENGTH; k++) {
                expected[i][k] = pattern;
            }
            CHECK(clEnqueueFillBuffer(by, nodes[i], &pattern, 4, 0, sizeof expected[i], 1, &gate, &done[i]));
            continue;
        }
        const int a = (int)(random_bits(&seed) % (uint64_t)i), b = (int)(random_bits(&seed) % (uint64_t)i);
        for (int k = 0; k < LENGTH; k++) {
            const unsigned sum = (unsigned)expected[a][k] * 3 + (unsigned)expected[b][k] * 5 + 1;
            expected[i][k] = (int)sum;
        }
        SET(kernel, 0, nodes[a]);
        SET(kernel, 1, nodes[b]);
        SET(kernel, 2, nodes[i]);
        const cl_event both[2] = {done[a], done[b]};
        const size_t global = LENGTH;
        CHECK(clEnqueueNDRangeKernel(by, kernel, 1, NULL, &global, NULL, 2, both, &done[i]));
    }
    for (int q = 0; q < QUEUES; q++) {
        CHECK(clFlush(queues[q]));
    }
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(NODES, done));
    for (int i = 0; i < NODES; i++) {
        int got[LENGTH];
        download(nodes[i], sizeof got, got);
        expect_same("node", got, expected[i], LENGTH, sizeof(int));
        CHECK(clReleaseMemObject(nodes[i]));
        CHECK(clReleaseEvent(done[i]));
    }
    for (int q = 0; q < QUEUES; q++) {
        CHECK(clReleaseCommandQueue(queues[q]));
    }
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static bool is_complete(cl_event event) {
    cl_int state;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return state == CL_COMPLETE;
}

static void fill(cl_command_queue by, cl_mem buffer, int value, const cl_event* gate, cl_event* done) {
    CHECK(clEnqueueFillBuffer(by, buffer, &value, 4, 0, 4, gate != NULL, gate, done));
}

// Out of order, a command does not wait for an earlier one that waits itself; markers wait, and barriers hold what follows.
static void check_out_of_order(void) {
    const cl_command_queue free_queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    const cl_mem a = buffer_of(4, NULL), b = buffer_of(4, NULL);
    cl_event blocked, passing, marker, barrier, behind;
    fill(free_queue, a, 1, &gate, &blocked);
    fill(free_queue, b, 2, NULL, &passing);
    CHECK(clWaitForEvents(1, &passing));
    REQUIRE(!is_complete(blocked), "the command ran in front of its gate");
    // A marker with a list waits for the list alone; without a list for all before it.
    CHECK(clEnqueueMarkerWithWaitList(free_queue, 1, &passing, &marker));
    CHECK(clWaitForEvents(1, &marker));
    REQUIRE(!is_complete(blocked), "the marker waited for more than its list");
    CHECK(clReleaseEvent(marker));
    CHECK(clEnqueueMarkerWithWaitList(free_queue, 0, NULL, &marker));
    CHECK(clEnqueueBarrierWithWaitList(free_queue, 0, NULL, &barrier));
    fill(free_queue, b, 3, NULL, &behind);
    CHECK(clFlush(free_queue));
    REQUIRE(!is_complete(marker) && !is_complete(barrier) && !is_complete(behind), "a command passed the barrier");
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &behind));
    REQUIRE(is_complete(blocked) && is_complete(barrier), "the barrier opened before the commands in front of it ended");
    CHECK(clFinish(free_queue));
    REQUIRE(is_complete(marker), "the marker is left over");
    int got;
    download(b, 4, &got);
    EXPECT_EQUAL(got, 3);
    download(a, 4, &got);
    EXPECT_EQUAL(got, 1);
    const cl_event all[] = {gate, blocked, passing, marker, barrier, behind};
    for (size_t i = 0; i < COUNT(all); i++) {
        CHECK(clReleaseEvent(all[i]));
    }
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseCommandQueue(free_queue));
}

// A barrier with a list holds what follows until the list is complete, in either kind of queue.
static void check_barrier_list(cl_command_queue_properties properties) {
    const cl_command_queue by = make_queue(properties);
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    const int before = 5;
    const cl_mem buffer = buffer_of(4, &before);
    cl_event behind;
    CHECK(clEnqueueBarrierWithWaitList(by, 1, &gate, NULL));
    fill(by, buffer, 6, NULL, &behind);
    CHECK(clFlush(by));
    REQUIRE(!is_complete(behind), "a command passed the barrier");
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(by));
    int got;
    download(buffer, 4, &got);
    EXPECT_EQUAL(got, 6);
    CHECK(clReleaseEvent(behind));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseCommandQueue(by));
}

static void check_errors(void) {
    const cl_event none = NULL;
    EXPECT_ERROR(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clEnqueueBarrierWithWaitList(queue, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
}

int main(void) {
    open_device();
    check_graph(0);
    check_barrier_list(0);
    if (device_ulong(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        check_graph(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        check_barrier_list(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        check_out_of_order();
    }
    check_errors();
    close_device();
    return passed();
}
