//! # Checks of kernels by name: a name that no kernel had which was launched is said when the program exits, and changes no status.
//! variables = { GCN_CHECK = "default", GCN_CHECK_KERNEL = "nosuch,shif", GCN_CHECK_ERROR_EXITCODE = "3" }
//! stderr = ["gcn: nothing was checked: no launched kernel is named nosuch or shif; the launched kernels are fill, shift\n"]
#include "check.h"

// It begins with a byte order mark, which is no part of the text.
static const char* const SOURCE = "\xef\xbb\xbf"
    "kernel void shift(global int* data, int by) { data[get_global_id(0)] = by; }\n"
    "kernel void fill(global int* data, int by) { data[get_global_id(0)] = by; }\n";

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_mem buffer = buffer_of(64 * sizeof(int), NULL);
    const int by = 5;
    for (int i = 0; i < 2; ++i) {
        const cl_kernel kernel = kernel_of(program, i == 0 ? "shift" : "fill");
        SET(kernel, 0, buffer);
        SET(kernel, 1, by);
        launch(kernel, 64, 64);
        CHECK(clFinish(queue));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
