//! # Checks find kernels that access what the program has mapped: any access of a region that is mapped for writing, and writes of one
//! # that is mapped for reading. Kernels may read the latter, and everything in other regions.
//! variables = { GCN_CHECK = "default", GCN_CHECK_ERROR_EXITCODE = "3" }
//! status = 3
//! findings = ["mapped-buffer-access", "mapped-buffer-access", "mapped-buffer-access"]
//! stderr = ["stores 4 bytes of a buffer while the host has them mapped for reading", "kernel store", "loads 4 bytes of a buffer while the host has them mapped for writing", "kernel load", "stores 4 bytes of a buffer while the host has them mapped for writing", "kernel fill", "clEnqueueMapBuffer has mapped the 128 bytes starting at", "call clEnqueueUnmapMemObject before the kernel", "a buffer (clCreateBuffer)"]
#include "check.h"

#define ITEMS 64
#define BYTES (ITEMS * sizeof(int))

static const char* const SOURCE =
    "kernel void copy(global int* to, global int* from) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
    "kernel void store(global int* to, global int* from) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
    "kernel void load(global int* to, global int* from) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
    "kernel void fill(global int* to, global int* from) { to[get_global_id(0)] = 1; }\n";

static void run(cl_kernel kernel, cl_mem to, cl_mem from, size_t items) {
    SET(kernel, 0, to);
    SET(kernel, 1, from);
    launch(kernel, items, items);
    CHECK(clFinish(queue));
}

static void* map(cl_mem buffer, cl_map_flags flags, size_t offset, size_t bytes) {
    void* const at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, bytes, 0, NULL, NULL, &status);
    CHECK(status);
    return at;
}

static void unmap(cl_mem buffer, void* at) { CHECK(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL)); }

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel copy = kernel_of(program, "copy");
    const cl_kernel store = kernel_of(program, "store");
    const cl_kernel load = kernel_of(program, "load");
    const cl_kernel fill = kernel_of(program, "fill");
    const int numbers[ITEMS] = {1, 2, 3};
    const cl_mem mapped = buffer_of(BYTES, numbers);
    const cl_mem other = buffer_of(BYTES, numbers);
    // Kernels may read what is mapped for reading.
    void* at = map(mapped, CL_MAP_READ, 0, BYTES);
    run(copy, other, mapped, ITEMS);
    run(store, mapped, other, ITEMS);
    unmap(mapped, at);
    run(copy, mapped, other, ITEMS);
    // The second half.
    at = map(mapped, CL_MAP_WRITE, BYTES / 2, BYTES / 2);
    run(copy, other, mapped, ITEMS / 2);
    run(load, other, mapped, ITEMS);
    unmap(mapped, at);
    at = map(mapped, CL_MAP_WRITE_INVALIDATE_REGION, BYTES / 2, BYTES / 2);
    memset(at, 0, BYTES / 2);
    run(copy, mapped, other, ITEMS / 2);
    run(fill, mapped, other, ITEMS);
    unmap(mapped, at);
    run(copy, mapped, other, ITEMS);
    CHECK(clReleaseMemObject(other));
    CHECK(clReleaseMemObject(mapped));
    CHECK(clReleaseKernel(fill));
    CHECK(clReleaseKernel(load));
    CHECK(clReleaseKernel(store));
    CHECK(clReleaseKernel(copy));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
