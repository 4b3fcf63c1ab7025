//! # Shared virtual memory, fine: the host and kernels use it without maps, and a kernel sees pointers in structures.
#include "check.h"

static const char* const SOURCE =
    "typedef struct { global int* values; global float* more; int count; } Table;\n"
    "kernel void by_table(global Table* tables) {\n"
    "    global Table* t = tables + get_global_id(0);\n"
    "    for (int i = 0; i < t->count; i++) { t->values[i] *= 2; t->more[i] = (float)t->values[i] / 4.0f; }\n"
    "    t->count = -t->count;\n"
    "}\n"
    "kernel void follow(global int* data) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + 1; }\n"
    "kernel void count(global atomic_int* total) {\n"
    "    atomic_fetch_add_explicit(total, 2, memory_order_relaxed, memory_scope_device);\n"
    "}\n";

typedef struct {
    int* values;
    float* more;
    cl_int count;
} Table;

static void* shared(size_t size) {
    void* const memory = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    REQUIRE(memory != NULL, "no shared memory of %zu bytes", size);
    return memory;
}

static void check_tables(cl_program program) {
    enum { TABLES = 5, LENGTH = 12 };
    Table* const tables = shared(TABLES * sizeof *tables);
    void* pointers[2 * TABLES];
    for (int t = 0; t < TABLES; t++) {
        pointers[2 * t] = tables[t].values = shared(LENGTH * sizeof(int));
        pointers[2 * t + 1] = tables[t].more = shared(LENGTH * sizeof(float));
        tables[t].count = LENGTH - t;
        for (int i = 0; i < LENGTH; i++) {
            tables[t].values[i] = 100 * t + i;
            tables[t].more[i] = -1;
        }
    }
    const cl_kernel kernel = kernel_of(program, "by_table");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, tables));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
    launch(kernel, TABLES, 0);
    CHECK(clFinish(queue));
    for (int t = 0; t < TABLES; t++) {
        EXPECT_EQUAL(tables[t].count, t - LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            const bool is_in = i < LENGTH - t;
            EXPECT_EQUAL(tables[t].values[i], (100 * t + i) * (is_in ? 2 : 1));
            EXPECT_EQUAL(4 * tables[t].more[i], is_in ? 2 * (100 * t + i) : -4);
        }
        clSVMFree(context, tables[t].values);
        clSVMFree(context, tables[t].more);
    }
    clSVMFree(context, tables);
    CHECK(clReleaseKernel(kernel));
}

// Host and kernel take turns without any command between them but the launches.
static void check_turns(cl_program program) {
    enum { LENGTH = 64 };
    int* const data = shared(LENGTH * sizeof(int));
    int model[LENGTH];
    const cl_kernel kernel = kernel_of(program, "follow");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, data));
    for (int i = 0; i < LENGTH; i++) {
        data[i] = model[i] = i;
    }
    for (int turn = 0; turn < 5; turn++) {
        launch(kernel, LENGTH, 0);
        CHECK(clFinish(queue));
        for (int i = 0; i < LENGTH; i++) {
            model[i] = model[i] * 3 + 1;
        }
        expect_same("data", data, model, LENGTH, sizeof(int));
        data[turn] = model[turn] = -turn;
    }
    clSVMFree(context, data);
    CHECK(clReleaseKernel(kernel));
}

static void check_atomics(cl_program program) {
    int* const total = shared(sizeof(int));
    *total = 7;
    const cl_kernel kernel = kernel_of(program, "count");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, total));
    launch(kernel, 256, 64);
    launch(kernel, 256, 64);
    CHECK(clFinish(queue));
    EXPECT_EQUAL(*total, 7 + 4 * 256);
    clSVMFree(context, total);
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_ulong capabilities = device_ulong(CL_DEVICE_SVM_CAPABILITIES);
    if (!(capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
        REQUIRE(clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 16, 0) == NULL, "fine memory of a device without it");
        skip("fine shared virtual memory");
    }
    void* const atomic = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 16, 0);
    EXPECT_EQUAL(atomic != NULL, (capabilities & CL_DEVICE_SVM_ATOMICS) != 0);
    clSVMFree(context, atomic);
    const cl_program program = build(SOURCE, "");
    check_tables(program);
    check_turns(program);
    check_atomics(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
