//! # Checks hold kernels to the flags of buffers: a load from one that is only written, and a store to one that is only read, are
//! # findings; a part of a buffer has its own flags, and memory that an object with other flags reaches is free.
//! variables = { GCN_CHECK = "bounds", GCN_CHECK_ERROR_EXITCODE = "3" }
//! status = 3
//! findings = ["load-from-write-only", "store-to-read-only", "store-to-read-only"]
//! stderr = ["loads 4 bytes of a buffer that was created write-only for kernels", "kernel load", "stores 4 bytes of a buffer that was created read-only for kernels", "kernel store", "kernel copy"]
#include "check.h"

#define ITEMS 64

static const char* const SOURCE =
    "kernel void copy(global int* to, global int* from) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
    "kernel void store(global int* to, global int* from) { to[get_global_id(0)] = 1; }\n"
    "kernel void load(global int* to, global int* from) { to[get_global_id(0)] = from[get_global_id(0)]; }\n";

static void run(cl_kernel kernel, cl_mem to, cl_mem from) {
    SET(kernel, 0, to);
    SET(kernel, 1, from);
    launch(kernel, ITEMS, ITEMS);
    CHECK(clFinish(queue));
}

static cl_mem made(cl_mem_flags flags) {
    const cl_mem buffer = clCreateBuffer(context, flags, 2 * ITEMS * sizeof(int), NULL, &status);
    CHECK(status);
    const int zero = 0;
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 2 * ITEMS * sizeof(int), 0, NULL, NULL));
    return buffer;
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel copy = kernel_of(program, "copy");
    const cl_kernel store = kernel_of(program, "store");
    const cl_kernel load = kernel_of(program, "load");
    const cl_mem any = made(CL_MEM_READ_WRITE);
    const cl_mem read = made(CL_MEM_READ_ONLY);
    const cl_mem written = made(CL_MEM_WRITE_ONLY);
    const cl_buffer_region half = {0, ITEMS * sizeof(int)};
    const cl_mem part = clCreateSubBuffer(any, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
    CHECK(status);
    // As they are meant, and a part that the whole reaches too.
    run(copy, written, read);
    run(copy, any, part);
    // The findings.
    run(load, any, written);
    run(store, read, any);
    run(copy, part, read);
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(written));
    CHECK(clReleaseMemObject(read));
    CHECK(clReleaseMemObject(any));
    CHECK(clReleaseKernel(load));
    CHECK(clReleaseKernel(store));
    CHECK(clReleaseKernel(copy));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
