//! # Buffers: every flag and pair of flags, memory of the host, information, and errors of creation.
#include "check.h"

#include <CL/cl_ext.h>

static const char* const SOURCE =
    "kernel void doubled(global const int* from, global int* to) { size_t i = get_global_id(0); to[i] = from[i] * 2; }";

static void check_information(cl_mem buffer, cl_mem_flags flags, size_t bytes, void* host) {
    cl_mem_object_type type = 0;
    cl_mem_flags reported = 99;
    size_t size = 0, length = 0;
    void* pointer = &size;
    cl_uint number = 99;
    cl_context holder = NULL;
    cl_mem parent = buffer;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, &length));
    EXPECT_EQUAL(length, sizeof type);
    EXPECT_EQUAL(type, CL_MEM_OBJECT_BUFFER);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof reported, &reported, &length));
    EXPECT_EQUAL(length, sizeof reported);
    // Kernels read and write a buffer that does not say what they do; the flag for it may be added.
    const bool is_silent = !(flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY));
    EXPECT_EQUAL(is_silent ? reported & ~(cl_mem_flags)CL_MEM_READ_WRITE : reported, flags);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, &length));
    EXPECT_EQUAL(length, sizeof size);
    EXPECT_EQUAL(size, bytes);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof pointer, &pointer, &length));
    EXPECT_EQUAL(length, sizeof pointer);
    REQUIRE(pointer == host, "host pointer %p, expected %p", pointer, host);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof number, &number, &length));
    EXPECT_EQUAL(length, sizeof number);
    EXPECT_EQUAL(number, 0);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof holder, &holder, NULL));
    REQUIRE(holder == context, "another context");
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    REQUIRE(parent == NULL, "a buffer by itself is part of another");
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof size, &size, NULL));
    EXPECT_EQUAL(size, 0);
    cl_bool shared = 99;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof shared, &shared, &length));
    EXPECT_EQUAL(length, sizeof shared);
    EXPECT_EQUAL(shared, CL_FALSE);
    cl_mem_properties properties[4];
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, sizeof properties, properties, &length));
    EXPECT_EQUAL(length, 0);
    EXPECT_ERROR(clGetMemObjectInfo(buffer, CL_MEM_SIZE, 1, &size, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetMemObjectInfo(buffer, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);
}

// Access of kernels, ways to have memory, and accesses of the host, in every combination that is allowed.
static void check_all_flags(cl_kernel kernel) {
    const cl_mem_flags accesses[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
    const cl_mem_flags ways[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR,
                                 CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};
    const cl_mem_flags hosts[] = {0, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS};
    enum { LENGTH = 24 };
    for (size_t a = 0; a < COUNT(accesses); a++) {
        for (size_t w = 0; w < COUNT(ways); w++) {
            for (size_t h = 0; h < COUNT(hosts); h++) {
                const cl_mem_flags flags = accesses[a] | ways[w] | hosts[h];
                int values[LENGTH], results[LENGTH];
                for (int i = 0; i < LENGTH; i++) {
                    values[i] = (int)(1000 * a + 100 * w + 50 * h) + i;
                }
                const bool has_contents = ways[w] & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
                const cl_mem buffer = clCreateBuffer(context, flags, sizeof values, has_contents ? values : NULL, &status);
                CHECK(status);
                check_information(buffer, flags, sizeof values, ways[w] & CL_MEM_USE_HOST_PTR ? values : NULL);
                const bool may_read = !(hosts[h] & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS));
                const bool may_write = !(hosts[h] & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS));
                EXPECT_ERROR(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
                             may_write ? CL_SUCCESS : CL_INVALID_OPERATION);
                EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL),
                             may_read ? CL_SUCCESS : CL_INVALID_OPERATION);
                if (may_read && (may_write || has_contents)) {
                    expect_same("contents", results, values, LENGTH, sizeof(int));
                }
                // Kernels take what they may read, and give what they may write.
                if (accesses[a] != CL_MEM_WRITE_ONLY && (may_write || has_contents)) {
                    const cl_mem to = buffer_of(sizeof values, NULL);
                    SET(kernel, 0, buffer);
                    SET(kernel, 1, to);
                    launch(kernel, LENGTH, 0);
                    download(to, sizeof results, results);
                    for (int i = 0; i < LENGTH; i++) {
                        EXPECT_EQUAL(results[i], 2 * values[i]);
                    }
                    CHECK(clReleaseMemObject(to));
                }
                CHECK(clReleaseMemObject(buffer));
            }
        }
    }
}

// COPY takes the host's values at the creation; USE shows what a kernel wrote once the buffer is mapped.
static void check_host_memory(cl_kernel kernel) {
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int written[8] = {0};
    const cl_mem copy = buffer_of(sizeof values, values);
    memset(values, 0, sizeof values);
    const cl_mem used = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof written, written, &status);
    CHECK(status);
    SET(kernel, 0, copy);
    SET(kernel, 1, used);
    launch(kernel, 8, 0);
    const void* const mapped = clEnqueueMapBuffer(queue, used, CL_TRUE, CL_MAP_READ, 0, sizeof written, 0, NULL, NULL, &status);
    CHECK(status);
    REQUIRE(mapped == written, "mapped at %p, not at the host's %p", mapped, (void*)written);
    for (int i = 0; i < 8; i++) {
        EXPECT_EQUAL(written[i], 2 * (i + 1));
    }
    CHECK(clEnqueueUnmapMemObject(queue, used, (void*)mapped, 0, NULL, NULL));
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(copy));
    CHECK(clReleaseMemObject(used));
}

static void check_errors(void) {
    int value = 0;
    const cl_mem_flags together[] = {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                     CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                     CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
                                     CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                     CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                     CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
                                     CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                     CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
                                     (cl_mem_flags)1 << 40};
    for (size_t i = 0; i < COUNT(together); i++) {
        void* const host = together[i] & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? &value : NULL;
        EXPECT_REFUSED(clCreateBuffer(context, together[i], sizeof value, host, &status), CL_INVALID_VALUE);
    }
    EXPECT_REFUSED(clCreateBuffer(context, 0, 0, NULL, &status), CL_INVALID_BUFFER_SIZE);
    const cl_ulong most = device_ulong(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    EXPECT_REFUSED(clCreateBuffer(context, 0, (size_t)most + 1, NULL, &status), CL_INVALID_BUFFER_SIZE);
    EXPECT_REFUSED(clCreateBuffer(context, 0, SIZE_MAX, NULL, &status), CL_INVALID_BUFFER_SIZE);
    EXPECT_REFUSED(clCreateBuffer(context, 0, 4, &value, &status), CL_INVALID_HOST_PTR);
    EXPECT_REFUSED(clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 4, &value, &status), CL_INVALID_HOST_PTR);
    EXPECT_REFUSED(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4, NULL, &status), CL_INVALID_HOST_PTR);
    EXPECT_REFUSED(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &status), CL_INVALID_HOST_PTR);
    EXPECT_REFUSED(clCreateBuffer(NULL, 0, 4, NULL, &status), CL_INVALID_CONTEXT);
}

// The creation of OpenCL 3.0, with an empty list of properties, and with one that nobody knows.
static void check_properties(void) {
    const cl_mem_properties none[] = {0};
    const cl_mem_properties unknown[] = {0x4242, 1, 0};
    cl_mem_properties kept[4] = {9};
    size_t size = 99;
    const cl_mem buffer = clCreateBufferWithProperties(context, none, CL_MEM_READ_ONLY, 32, NULL, &status);
    CHECK(status);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, sizeof kept, kept, &size));
    EXPECT_EQUAL(size, sizeof none);
    EXPECT_EQUAL(kept[0], 0);
    CHECK(clReleaseMemObject(buffer));
    const cl_mem plain = clCreateBufferWithProperties(context, NULL, CL_MEM_READ_ONLY, 32, NULL, &status);
    CHECK(status);
    CHECK(clGetMemObjectInfo(plain, CL_MEM_PROPERTIES, sizeof kept, kept, &size));
    EXPECT_EQUAL(size, 0);
    CHECK(clReleaseMemObject(plain));
    EXPECT_REFUSED(clCreateBufferWithProperties(context, unknown, 0, 32, NULL, &status), CL_INVALID_PROPERTY);
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "doubled");
    check_all_flags(kernel);
    check_host_memory(kernel);
    check_errors();
    check_properties();
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
