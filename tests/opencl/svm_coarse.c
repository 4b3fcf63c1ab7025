//! # Shared virtual memory, coarse: allocation, maps, copies, fills, migration, pointers inside, frees in a queue, and errors.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

#include <pthread.h>

static const char* const SOURCE =
    "typedef struct Node { global struct Node* next; int value; } Node;\n"
    "kernel void sum(global Node* first, global int* to) {\n"
    "    int total = 0;\n"
    "    for (global Node* at = first; at != 0; at = at->next) { total += at->value; at->value = -at->value; }\n"
    "    to[0] = total;\n"
    "}\n"
    "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n";

typedef struct Node {
    struct Node* next;
    cl_int value;
} Node;

enum { LENGTH = 64, BYTES = LENGTH * sizeof(int) };

static void* shared(cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
    void* const memory = clSVMAlloc(context, flags, size, alignment);
    REQUIRE(memory != NULL, "no shared memory of %zu bytes", size);
    REQUIRE(alignment == 0 || (uintptr_t)memory % alignment == 0, "%p is not aligned to %u", memory, alignment);
    return memory;
}

static void map(void* memory, size_t size, cl_map_flags flags) {
    CHECK(clEnqueueSVMMap(queue, CL_TRUE, flags, memory, size, 0, NULL, NULL));
}

static void unmap(void* memory) { CHECK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL)); }

static void check_commands(cl_program program) {
    int* const a = shared(CL_MEM_READ_WRITE, BYTES, 0);
    int* const b = shared(0, BYTES, 128);
    const cl_kernel kernel = kernel_of(program, "add");
    int host[LENGTH], expected[LENGTH];
    map(a, BYTES, CL_MAP_WRITE_INVALIDATE_REGION);
    for (int i = 0; i < LENGTH; i++) {
        a[i] = i;
        expected[i] = i + 5;
    }
    unmap(a);
    CHECK(clSetKernelArgSVMPointer(kernel, 0, a));
    const cl_int five = 5, pattern[2] = {-1, -2};
    SET(kernel, 1, five);
    launch(kernel, LENGTH, 0);
    CHECK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, BYTES, 0, NULL, NULL));
    // A pointer into the middle is an argument like any other.
    CHECK(clSetKernelArgSVMPointer(kernel, 0, b + 32));
    launch(kernel, 8, 0);
    CHECK(clEnqueueSVMMemFill(queue, b + 48, pattern, sizeof pattern, 32, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, b, BYTES, 0, NULL, NULL));
    for (int i = 0; i < 8; i++) {
        expected[32 + i] += 5;
        expected[48 + i] = pattern[i % 2];
    }
    expect_same("copy", host, expected, LENGTH, sizeof(int));
    host[3] = 99;
    CHECK(clEnqueueSVMMemcpy(queue, CL_FALSE, a, host, BYTES, 0, NULL, NULL));
    const void* both[2] = {a, b};
    const size_t sizes[2] = {0, BYTES};
    CHECK(clEnqueueSVMMigrateMem(queue, 2, both, sizes, 0, 0, NULL, NULL));
    map(a, BYTES, CL_MAP_READ);
    expect_same("host's", a, host, LENGTH, sizeof(int));
    unmap(a);
    CHECK(clFinish(queue));
    EXPECT_ERROR(clEnqueueSVMMemcpy(queue, CL_TRUE, a, a + 1, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK(clReleaseKernel(kernel));
    clSVMFree(context, a);
    clSVMFree(context, b);
    clSVMFree(context, NULL);
}

// A list whose nodes are in several allocations: the kernel is told of those that are no arguments.
static void check_pointers_inside(cl_program program) {
    enum { NODES = 10 };
    Node* nodes[NODES];
    void* pointers[NODES];
    for (int i = 0; i < NODES; i++) {
        pointers[i] = nodes[i] = shared(CL_MEM_READ_WRITE, sizeof(Node), 0);
    }
    int* const to = shared(CL_MEM_READ_WRITE, sizeof(int), 0);
    int sum = 0;
    for (int i = 0; i < NODES; i++) {
        map(nodes[i], sizeof(Node), CL_MAP_WRITE);
        nodes[i]->next = i + 1 < NODES ? nodes[i + 1] : NULL;
        nodes[i]->value = i * i + 1;
        sum += nodes[i]->value;
        unmap(nodes[i]);
    }
    const cl_kernel kernel = kernel_of(program, "sum");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, nodes[0]));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, to));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
    launch(kernel, 1, 1);
    map(to, sizeof(int), CL_MAP_READ);
    EXPECT_EQUAL(*to, sum);
    unmap(to);
    map(nodes[NODES - 1], sizeof(Node), CL_MAP_READ);
    EXPECT_EQUAL(nodes[NODES - 1]->value, -((NODES - 1) * (NODES - 1) + 1));
    unmap(nodes[NODES - 1]);
    EXPECT_ERROR(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetKernelExecInfo(kernel, 0x4242, sizeof pointers, pointers), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_INVALID_KERNEL);
    CHECK(clFinish(queue));
    for (int i = 0; i < NODES; i++) {
        clSVMFree(context, nodes[i]);
    }
    clSVMFree(context, to);
    CHECK(clReleaseKernel(kernel));
}

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    cl_command_queue by;
    cl_uint count;
    void* freed[4];
} Seen;

static void CL_CALLBACK free_them(cl_command_queue by, cl_uint count, void* pointers[], void* user) {
    Seen* const seen = user;
    cl_context of = NULL;
    pthread_mutex_lock(&seen->mutex);
    REQUIRE(by == seen->by, "another queue");
    CHECK(clGetCommandQueueInfo(by, CL_QUEUE_CONTEXT, sizeof of, &of, NULL));
    REQUIRE(of == context, "a queue of another context");
    seen->count = count;
    for (cl_uint i = 0; i < count; i++) {
        seen->freed[i] = pointers[i];
        clSVMFree(context, pointers[i]);
    }
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->mutex);
}

static void check_frees(void) {
    void* pointers[2] = {shared(0, 100, 0), shared(0, 200, 0)};
    void* const kept[2] = {pointers[0], pointers[1]};
    Seen seen = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, queue, 0, {NULL}};
    cl_event event;
    cl_command_type type;
    CHECK(clEnqueueSVMFree(queue, 2, pointers, free_them, &seen, 0, NULL, &event));
    // The list is taken at the call.
    pointers[0] = pointers[1] = NULL;
    CHECK(clWaitForEvents(1, &event));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_SVM_FREE);
    CHECK(clReleaseEvent(event));
    pthread_mutex_lock(&seen.mutex);
    EXPECT_EQUAL(seen.count, 2);
    REQUIRE(seen.freed[0] == kept[0] && seen.freed[1] == kept[1], "other pointers");
    pthread_mutex_unlock(&seen.mutex);
    void* one[1] = {shared(0, 100, 0)};
    CHECK(clEnqueueSVMFree(queue, 1, one, NULL, NULL, 0, NULL, NULL));
    CHECK(clFinish(queue));
    EXPECT_ERROR(clEnqueueSVMFree(queue, 0, one, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
}

// The function gets the queue, although the program has released it before the command.
static void check_free_of_released_queue(void) {
    const cl_command_queue by = make_queue(0);
    const cl_event gate = clCreateUserEvent(context, &status);
    CHECK(status);
    Seen seen = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, by, 0, {NULL}};
    void* one[1] = {shared(0, 100, 0)};
    CHECK(clEnqueueSVMFree(by, 1, one, free_them, &seen, 1, &gate, NULL));
    CHECK(clReleaseCommandQueue(by));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clReleaseEvent(gate));
    pthread_mutex_lock(&seen.mutex);
    while (seen.count == 0) {
        pthread_cond_wait(&seen.changed, &seen.mutex);
    }
    pthread_mutex_unlock(&seen.mutex);
}

// A buffer over shared memory is that memory.
static void check_buffer(cl_program program) {
    int* const memory = shared(CL_MEM_READ_WRITE, BYTES, 0);
    map(memory, BYTES, CL_MAP_WRITE);
    for (int i = 0; i < LENGTH; i++) {
        memory[i] = 10 * i;
    }
    unmap(memory);
    CHECK(clFinish(queue));
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, memory, &status);
    CHECK(status);
    cl_bool is_shared = CL_FALSE;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof is_shared, &is_shared, NULL));
    EXPECT_EQUAL(is_shared, CL_TRUE);
    const cl_kernel kernel = kernel_of(program, "add");
    const cl_int one = 1;
    SET(kernel, 0, buffer);
    SET(kernel, 1, one);
    launch(kernel, LENGTH, 0);
    int* const at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &status);
    CHECK(status);
    REQUIRE(at == memory, "mapped at %p, not at %p", (void*)at, (void*)memory);
    for (int i = 0; i < LENGTH; i++) {
        EXPECT_EQUAL(at[i], 10 * i + 1);
    }
    CHECK(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL));
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    clSVMFree(context, memory);
}

static void check_errors(void) {
    int* const memory = shared(CL_MEM_READ_WRITE, BYTES, 0);
    const int pattern = 0;
    REQUIRE(clSVMAlloc(context, CL_MEM_READ_WRITE, 0, 0) == NULL, "memory of no bytes");
    REQUIRE(clSVMAlloc(context, CL_MEM_READ_WRITE, (size_t)device_ulong(CL_DEVICE_MAX_MEM_ALLOC_SIZE) + 1, 0) == NULL, "too much memory");
    REQUIRE(clSVMAlloc(context, CL_MEM_READ_WRITE, 16, 3) == NULL, "an alignment that is no power of two");
    REQUIRE(clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 16, 0) == NULL, "atomics without the fine grain");
    REQUIRE(clSVMAlloc(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, 0) == NULL, "flags that exclude each other");
    REQUIRE(clSVMAlloc(NULL, CL_MEM_READ_WRITE, 16, 0) == NULL, "no context");
    EXPECT_ERROR(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, memory, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, memory, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemcpy(queue, CL_TRUE, memory, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemFill(queue, NULL, &pattern, 4, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemFill(queue, memory, NULL, 4, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemFill(queue, memory, &pattern, 3, 15, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemFill(queue, memory, &pattern, SIZE_MAX, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemFill(queue, memory, &pattern, 4, 15, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueSVMMemFill(queue, (char*)memory + 2, &pattern, 4, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    for (int i = 0; i < 2; i++) {
        const cl_mem_flags flags = i == 0 ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
        EXPECT_REFUSED(clCreateBuffer(context, flags, BYTES + 1, memory, &status), CL_INVALID_BUFFER_SIZE);
    }
    clSVMFree(context, memory);
}

int main(void) {
    open_device();
    if (!(device_ulong(CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) {
        skip("shared virtual memory");
    }
    const cl_program program = build(SOURCE, "");
    check_commands(program);
    check_pointers_inside(program);
    check_frees();
    check_free_of_released_queue();
    check_buffer(program);
    check_errors();
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
