//! # Checks find a race in local memory; the same kernel with its barrier has no finding, and checks change no result.
//! variables = { GCN_CHECK = "default" }
//! findings = ["lds-race"]
//! stderr = ["no_barrier", "help: `barrier(CLK_LOCAL_MEM_FENCE)` between the accesses", ", local id "]
#include "check.h"

#define ITEMS 256

// Each work-item writes a place of the tile and reads that of an item in another wave.
static const char* const SOURCE =
    "#define PART(name, between)                                                   \\\n"
    "    kernel void name(global const int* in, global int* out, local int* tile) { \\\n"
    "        const size_t i = get_local_id(0);                                      \\\n"
    "        tile[i] = in[i];                                                       \\\n"
    "        between;                                                               \\\n"
    "        out[i] = tile[(i + 64) % 256];                                         \\\n"
    "    }\n"
    "PART(with_barrier, barrier(CLK_LOCAL_MEM_FENCE))\n"
    "PART(no_barrier, mem_fence(CLK_LOCAL_MEM_FENCE))\n";

int main(void) {
    open_device();
    int values[ITEMS], expected[ITEMS], got[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        values[i] = i * 3;
        expected[i] = (i + 64) % ITEMS * 3;
    }
    const cl_program program = build(SOURCE, "");
    const cl_mem in = buffer_of(sizeof values, values), out = buffer_of(sizeof got, NULL);
    const char* const names[] = {"with_barrier", "no_barrier"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const cl_kernel kernel = kernel_of(program, names[i]);
        SET(kernel, 0, in);
        SET(kernel, 1, out);
        CHECK(clSetKernelArg(kernel, 2, ITEMS * sizeof(int), NULL));
        launch(kernel, ITEMS, ITEMS);
        CHECK(clFinish(queue));
        if (i == 0) {
            download(out, sizeof got, got);
            expect_same(names[i], got, expected, ITEMS, sizeof(int));
        }
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(in));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
