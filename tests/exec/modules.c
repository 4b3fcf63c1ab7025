// Two programs of one kernel each for sessions of `gcn exec --dap`. Before the second is built, it waits for a line of standard input.
#include "../opencl/check.h"

static void run(const char* source, const char* name, cl_mem buffer) {
    const cl_program program = build(source, "");
    const cl_kernel kernel = kernel_of(program, name);
    SET(kernel, 0, buffer);
    launch(kernel, 64, 0);
    clFinish(queue);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    int host[64] = {0};
    const cl_mem buffer = buffer_of(sizeof host, host);
    // Its code is longer than that of the second, which is loaded at the same address.
    run("kernel void first(global int* data) { data[get_global_id(0)] = 1 + get_global_size(0) % get_local_size(0); }\n", "first",
        buffer);
    while (getchar() != '\n' && !feof(stdin)) {
    }
    run("kernel void second(global int* data) { data[get_global_id(0)] += 2; }\n", "second", buffer);
    CHECK(clReleaseMemObject(buffer));
    close_device();
    return passed();
}
