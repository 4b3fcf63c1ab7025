//! # Products of matrices by tiles in local memory, of sizes that are no multiple of a tile, in floats and in doubles.
#include "check.h"

static const char* const SOURCE =
    "kernel void multiply(global const REAL* a, global const REAL* b, global REAL* to, int rows, int columns, int inner) {\n"
    "    local REAL left[TILE][TILE], right[TILE][TILE];\n"
    "    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);\n"
    "    REAL sum = 0;\n"
    "    for (int first = 0; first < inner; first += TILE) {\n"
    "        left[ly][lx] = y < rows && first + lx < inner ? a[y * inner + first + lx] : 0;\n"
    "        right[ly][lx] = x < columns && first + ly < inner ? b[(first + ly) * columns + x] : 0;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < TILE; k++) sum += left[ly][k] * right[k][lx];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (x < columns && y < rows) to[y * columns + x] = sum;\n"
    "}\n";

enum { MOST = 70 };

// The elements are small integers, so that every sum is exact in either type.
static void check_product(cl_program program, size_t size, int tile, int rows, int columns, int inner) {
    static double a[MOST * MOST], b[MOST * MOST], got[MOST * MOST];
    static float floats[3][MOST * MOST];
    uint64_t seed = (uint64_t)(rows * 10000 + columns * 100 + inner);
    for (int i = 0; i < MOST * MOST; i++) {
        floats[0][i] = (float)(a[i] = (double)(random_bits(&seed) % 41) - 20);
        floats[1][i] = (float)(b[i] = (double)(random_bits(&seed) % 41) - 20);
    }
    const bool is_float = size == sizeof(float);
    const size_t bytes = MOST * MOST * size;
    const cl_mem left = buffer_of(bytes, is_float ? (void*)floats[0] : a), right = buffer_of(bytes, is_float ? (void*)floats[1] : b);
    const cl_mem to = buffer_of(bytes, NULL);
    const cl_kernel kernel = kernel_of(program, "multiply");
    SET(kernel, 0, left);
    SET(kernel, 1, right);
    SET(kernel, 2, to);
    SET(kernel, 3, rows);
    SET(kernel, 4, columns);
    SET(kernel, 5, inner);
    const size_t local[2] = {(size_t)tile, (size_t)tile};
    const size_t global[2] = {((size_t)columns + local[0] - 1) / local[0] * local[0], ((size_t)rows + local[1] - 1) / local[1] * local[1]};
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    download(to, (size_t)(rows * columns) * size, is_float ? (void*)floats[2] : got);
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            double sum = 0;
            for (int k = 0; k < inner; k++) {
                sum += a[y * inner + k] * b[k * columns + x];
            }
            const double have = is_float ? floats[2][y * columns + x] : got[y * columns + x];
            REQUIRE(have == sum, "element %d,%d: expected %g, got %g", y, x, sum, have);
        }
    }
    CHECK(clReleaseMemObject(left));
    CHECK(clReleaseMemObject(right));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    cl_program program = build(SOURCE, "-DREAL=float -DTILE=16");
    check_product(program, sizeof(float), 16, 48, 48, 48);
    check_product(program, sizeof(float), 16, 33, 70, 19);
    check_product(program, sizeof(float), 16, 1, 65, 1);
    CHECK(clReleaseProgram(program));
    if (has_extension("cl_khr_fp64")) {
        program = build(SOURCE, "-DREAL=double -DTILE=8");
        check_product(program, sizeof(double), 8, 40, 24, 32);
        check_product(program, sizeof(double), 8, 7, 50, 51);
        CHECK(clReleaseProgram(program));
    }
    close_device();
    return passed();
}
