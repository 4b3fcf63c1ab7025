//! # Checks find kernels that read what the program has written through the pointer of a region that it had unmapped. What a command
//! # has written since, and what kernels do not read, is no finding.
//! variables = { GCN_CHECK = "default", GCN_CHECK_ERROR_EXITCODE = "3" }
//! status = 3
//! findings = ["written-after-unmap", "written-after-unmap"]
//! stderr = ["loads 4 bytes of a buffer that the host has written after clEnqueueUnmapMemObject", "kernel sum", "kernel late", "the host has changed the 1 byte starting at", "the host has changed the 4 bytes starting at", "lane 5", "map the buffer again with clEnqueueMapBuffer"]
#include "check.h"

#define ITEMS 64
#define BYTES (ITEMS * sizeof(int))

static const char* const SOURCE =
    "kernel void copy(global int* to, global int* from) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
    "kernel void sum(global int* to, global int* from) { to[get_global_id(0)] += from[get_global_id(0)]; }\n"
    "kernel void late(global int* to, global int* from) { to[get_global_id(0)] = 2 * from[get_global_id(0)]; }\n";

static void run(cl_kernel kernel, cl_mem to, cl_mem from) {
    SET(kernel, 0, to);
    SET(kernel, 1, from);
    launch(kernel, ITEMS, ITEMS);
}

// Maps all of a buffer, sets it, and unmaps it; the pointer, which means nothing any more.
static int* set(cl_mem buffer, int value) {
    int* const at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &status);
    CHECK(status);
    for (int i = 0; i < ITEMS; i++) {
        at[i] = value;
    }
    CHECK(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL));
    return at;
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel copy = kernel_of(program, "copy");
    const cl_kernel sum = kernel_of(program, "sum");
    const cl_kernel late = kernel_of(program, "late");
    const int zero = 0;
    const cl_mem buffer = buffer_of(BYTES, NULL);
    const cl_mem other = buffer_of(BYTES, NULL);
    set(other, 3);
    // Before the command that unmaps it is carried out, and after.
    int* stale = set(buffer, 1);
    stale[5] = 2;
    run(sum, other, buffer);
    CHECK(clFinish(queue));
    stale = set(buffer, 1);
    CHECK(clFinish(queue));
    stale[5] = 0x11111111;
    run(late, other, buffer);
    CHECK(clFinish(queue));
    // Overwritten by a command, and by a kernel.
    stale = set(buffer, 1);
    CHECK(clFinish(queue));
    stale[5] = 2;
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    run(copy, other, buffer);
    stale = set(buffer, 1);
    CHECK(clFinish(queue));
    stale[5] = 2;
    run(copy, buffer, other);
    run(copy, other, buffer);
    CHECK(clFinish(queue));
    // As it is meant.
    set(buffer, 4);
    run(copy, other, buffer);
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(other));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(late));
    CHECK(clReleaseKernel(sum));
    CHECK(clReleaseKernel(copy));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
