//! # Checks find kernels that leave the part of a buffer that they were given, on either side, unless another argument has what they reach.
//! variables = { GCN_CHECK = "default", GCN_CHECK_ERROR_EXITCODE = "3" }
//! status = 3
//! findings = ["sub-buffer-overrun", "sub-buffer-overrun"]
//! stderr = ["stores 4 bytes of a buffer outside the sub-buffer that is the kernel's argument", "kernel over", "loads 4 bytes of a buffer outside the sub-buffer that is the kernel's argument", "kernel under", "no argument of the kernel covers the", "compare the index with the size of the sub-buffer"]
#include "check.h"

static const char* const SOURCE =
    "kernel void shift(global int* data, global int* other, int by) { data[get_global_id(0) + by] = other[get_global_id(0)]; }\n"
    "kernel void over(global int* data, global int* other, int by) { data[get_global_id(0) + by] = other[get_global_id(0)]; }\n"
    "kernel void under(global int* data, global int* other, int by) { other[get_global_id(0)] = data[get_global_id(0) + by]; }\n";

static cl_mem part(cl_mem whole, size_t origin, size_t size) {
    const cl_buffer_region region = {origin, size};
    const cl_mem made = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK(status);
    return made;
}

static void run(cl_kernel kernel, cl_mem data, cl_mem other, int by, size_t items) {
    SET(kernel, 0, data);
    SET(kernel, 1, other);
    SET(kernel, 2, by);
    launch(kernel, items, 0);
    CHECK(clFinish(queue));
}

int main(void) {
    open_device();
    const size_t alignment = device_uint(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    const size_t bytes = alignment < 256 ? 256 : alignment, items = bytes / sizeof(int);
    const cl_program program = build(SOURCE, "");
    const cl_kernel shift = kernel_of(program, "shift");
    const cl_kernel over = kernel_of(program, "over");
    const cl_kernel under = kernel_of(program, "under");
    int* const zeros = allocate(4 * items, sizeof(int));
    const cl_mem whole = buffer_of(4 * bytes, zeros);
    const cl_mem second = part(whole, bytes, bytes), third = part(whole, 2 * bytes, bytes);
    const cl_mem apart = buffer_of(bytes, zeros);
    // Parts as they are meant, side by side, and one that goes on in the other or in the whole, which the kernel has too.
    run(shift, second, apart, 0, items);
    run(shift, second, third, 0, items);
    run(shift, second, third, 1, items);
    run(shift, second, whole, 2, items);
    run(over, second, apart, 1, items);
    run(under, third, apart, -1, items);
    CHECK(clReleaseMemObject(apart));
    CHECK(clReleaseMemObject(third));
    CHECK(clReleaseMemObject(second));
    CHECK(clReleaseMemObject(whole));
    CHECK(clReleaseKernel(under));
    CHECK(clReleaseKernel(over));
    CHECK(clReleaseKernel(shift));
    CHECK(clReleaseProgram(program));
    close_device();
    free(zeros);
    return passed();
}
