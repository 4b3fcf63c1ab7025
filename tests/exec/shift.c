// Two kernels for sessions of `gcn exec --debug`. With an argument, the second one stores behind its buffer.
#include "../opencl/check.h"

static const char* const SOURCE =
    "kernel void shift(global int* data, int by) {\n"
    "    const int at = get_global_id(0);\n"
    "    data[at] = data[at] << by;\n"
    "}\n"
    "kernel void fill(global int* data, int number) {\n"
    "    data[get_global_id(0)] = number;\n"
    "}\n";

int main(int count, char** arguments) {
    (void)arguments;
    open_device();
    const cl_program program = build(SOURCE, "");
    int host[64];
    for (int i = 0; i < 64; ++i) {
        host[i] = i;
    }
    const cl_mem buffer = buffer_of(sizeof host, host);
    const int number = 4;
    for (int i = 0; i < 2; ++i) {
        const cl_kernel kernel = kernel_of(program, i == 0 ? "shift" : "fill");
        SET(kernel, 0, buffer);
        SET(kernel, 1, number);
        launch(kernel, i == 1 && count > 1 ? 65 : 64, 0);
        clFinish(queue);
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
