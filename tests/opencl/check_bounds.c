//! # Checks watch a program's kernels: a store behind the last element of a buffer is a finding at its line, and the exit status says so.
//! variables = { GCN_CHECK = "default", GCN_CHECK_ERROR_EXITCODE = "3" }
//! status = 3
//! findings = ["global-out-of-bounds"]
//! stderr = ["kernel shift", "<program ", ">:2:", "2 |     data[get_global_id(0) + 1] = by;", "global id 63,0,0, local id 63,0,0", "shift ended at the access of the finding global-out-of-bounds"]
#include "check.h"

static const char* const SOURCE =
    "kernel void shift(global int* data, int by) {\n"
    "    data[get_global_id(0) + 1] = by;\n"
    "}\n";

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "shift");
    const cl_mem buffer = buffer_of(64 * sizeof(int), NULL);
    const int by = 5;
    SET(kernel, 0, buffer);
    SET(kernel, 1, by);
    // Within the buffer, then one element behind it.
    launch(kernel, 63, 63);
    CHECK(clFinish(queue));
    launch(kernel, 64, 64);
    clFinish(queue);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
