//! # Parts of buffers: origins and sizes, flags that they inherit, contents that they share, and errors.
#include "check.h"

static const char* const SOURCE = "kernel void negate(global int* data) { data[get_global_id(0)] *= -1; }";

static size_t alignment;

static cl_mem part(cl_mem whole, cl_mem_flags flags, size_t origin, size_t size) {
    const cl_buffer_region region = {origin, size};
    const cl_mem made = clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK(status);
    return made;
}

static void check_information(cl_mem whole) {
    const cl_mem made = part(whole, CL_MEM_READ_ONLY, alignment, 100);
    cl_mem parent = NULL;
    size_t value = 0;
    cl_mem_flags flags;
    cl_mem_object_type type;
    CHECK(clGetMemObjectInfo(made, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    REQUIRE(parent == whole, "another parent");
    CHECK(clGetMemObjectInfo(made, CL_MEM_OFFSET, sizeof value, &value, NULL));
    EXPECT_EQUAL(value, alignment);
    CHECK(clGetMemObjectInfo(made, CL_MEM_SIZE, sizeof value, &value, NULL));
    EXPECT_EQUAL(value, 100);
    CHECK(clGetMemObjectInfo(made, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    EXPECT_EQUAL(flags & (CL_MEM_READ_ONLY | CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY), CL_MEM_READ_ONLY);
    CHECK(clGetMemObjectInfo(made, CL_MEM_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_MEM_OBJECT_BUFFER);
    CHECK(clReleaseMemObject(made));
}

// Access of kernels and of the host comes from the whole where the part does not name it.
static void check_inheritance(void) {
    const cl_mem whole = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 4 * alignment, NULL, &status);
    CHECK(status);
    const cl_mem made = part(whole, 0, 0, alignment);
    cl_mem_flags flags;
    CHECK(clGetMemObjectInfo(made, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    EXPECT_EQUAL(flags, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
    int value = 1;
    EXPECT_ERROR(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_INVALID_OPERATION);
    const cl_buffer_region region = {0, alignment};
    const cl_mem_flags wrong[] = {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_USE_HOST_PTR,
                                  CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_REFUSED(clCreateSubBuffer(whole, wrong[i], CL_BUFFER_CREATE_TYPE_REGION, &region, &status), CL_INVALID_VALUE);
    }
    CHECK(clReleaseMemObject(made));
    CHECK(clReleaseMemObject(whole));
    const cl_mem outputs = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, 4 * alignment, NULL, &status);
    CHECK(status);
    const cl_mem_flags refused[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY};
    for (size_t i = 0; i < COUNT(refused); i++) {
        EXPECT_REFUSED(clCreateSubBuffer(outputs, refused[i], CL_BUFFER_CREATE_TYPE_REGION, &region, &status), CL_INVALID_VALUE);
    }
    CHECK(clReleaseMemObject(outputs));
}

static void check_errors(cl_mem whole, size_t bytes) {
    const struct {
        size_t origin, size;
        cl_int error;
    } rows[] = {{alignment, 0, CL_INVALID_BUFFER_SIZE},
                {0, bytes + 1, CL_INVALID_VALUE},
                {alignment, bytes, CL_INVALID_VALUE},
                {bytes, 4, CL_INVALID_VALUE},
                {alignment, SIZE_MAX - alignment / 2, CL_INVALID_VALUE},
                {1, 4, CL_MISALIGNED_SUB_BUFFER_OFFSET},
                {alignment / 2, 4, CL_MISALIGNED_SUB_BUFFER_OFFSET},
                {alignment + 4, 4, CL_MISALIGNED_SUB_BUFFER_OFFSET}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const cl_buffer_region region = {rows[i].origin, rows[i].size};
        EXPECT_REFUSED(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status), rows[i].error);
    }
    const cl_buffer_region region = {0, 4};
    EXPECT_REFUSED(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateSubBuffer(whole, 0, 0x4242, &region, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateSubBuffer(NULL, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status), CL_INVALID_MEM_OBJECT);
    const cl_mem made = part(whole, 0, 0, alignment);
    EXPECT_REFUSED(clCreateSubBuffer(made, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(made));
}

// Kernels, copies and maps of parts change the whole, and only there.
static void check_contents(cl_kernel kernel, cl_mem_flags way) {
    const size_t quarter = alignment < 64 ? 64 : alignment, count = 4 * quarter / sizeof(int);
    int* const values = allocate(count, sizeof(int));
    int* const expected = allocate(count, sizeof(int));
    int* const got = allocate(count, sizeof(int));
    for (size_t i = 0; i < count; i++) {
        expected[i] = values[i] = (int)i + 1;
    }
    const cl_mem whole = clCreateBuffer(context, way, count * sizeof(int), values, &status);
    CHECK(status);
    const cl_mem second = part(whole, 0, quarter, quarter), last = part(whole, 0, 3 * quarter, quarter);
    SET(kernel, 0, second);
    launch(kernel, quarter / sizeof(int), 0);
    CHECK(clEnqueueCopyBuffer(queue, second, last, 4, 8, 16, 0, NULL, NULL));
    const cl_int pattern = 77;
    CHECK(clEnqueueFillBuffer(queue, last, &pattern, sizeof pattern, 32, 8, 0, NULL, NULL));
    int* const mapped = clEnqueueMapBuffer(queue, last, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 48, 8, 0, NULL, NULL, &status);
    CHECK(status);
    const size_t at = quarter / sizeof(int);
    EXPECT_EQUAL(mapped[0], 3 * at + 13);
    mapped[1] = 55;
    CHECK(clEnqueueUnmapMemObject(queue, last, mapped, 0, NULL, NULL));
    for (size_t i = 0; i < at; i++) {
        expected[at + i] *= -1;
    }
    for (size_t i = 0; i < 4; i++) {
        expected[3 * at + 2 + i] = expected[at + 1 + i];
    }
    expected[3 * at + 8] = expected[3 * at + 9] = 77;
    expected[3 * at + 13] = 55;
    // The whole lives on when its parts are gone, and the other way round.
    CHECK(clReleaseMemObject(second));
    download(whole, count * sizeof(int), got);
    expect_same("whole", got, expected, count, sizeof(int));
    CHECK(clReleaseMemObject(whole));
    download(last, quarter, got);
    expect_same("part", got, expected + 3 * at, at, sizeof(int));
    CHECK(clReleaseMemObject(last));
    free(values);
    free(expected);
    free(got);
}

// Copies within one buffer, through its parts: refused where they overlap.
static void check_overlap(cl_mem whole) {
    const cl_mem first = part(whole, 0, 0, 2 * alignment), second = part(whole, 0, alignment, 2 * alignment);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, first, second, alignment, 0, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, first, second, alignment, 8, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK(clEnqueueCopyBuffer(queue, first, second, 0, 0, alignment, 0, NULL, NULL));
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseMemObject(second));
}

static cl_uint map_count(cl_mem buffer) {
    cl_uint count = 99;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

// A region of `written` is mapped for writing, and all of `read`, which shares it, for reading: the program's writes stay.
// The region is not mapped for writing again.
static void check_both_mapped(cl_mem written, size_t offset, cl_mem read, size_t size) {
    const cl_map_flags write = CL_MAP_WRITE;
    int* const at = clEnqueueMapBuffer(queue, written, CL_TRUE, write, offset, 8, 0, NULL, NULL, &status);
    CHECK(status);
    at[1] = 1000;
    EXPECT_REFUSED(clEnqueueMapBuffer(queue, read, CL_TRUE, write, 0, size, 0, NULL, NULL, &status), CL_INVALID_OPERATION);
    offset += 4;
    EXPECT_REFUSED(clEnqueueMapBuffer(queue, written, CL_TRUE, write, offset, 4, 0, NULL, NULL, &status), CL_INVALID_OPERATION);
    int* const all = clEnqueueMapBuffer(queue, read, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &status);
    CHECK(status);
    EXPECT_EQUAL(at[1], 1000);
    EXPECT_EQUAL(map_count(written), 1);
    EXPECT_EQUAL(map_count(read), 1);
    EXPECT_ERROR(clEnqueueUnmapMemObject(queue, written, all + 2, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clEnqueueUnmapMemObject(queue, read, all, 0, NULL, NULL));
    CHECK(clEnqueueUnmapMemObject(queue, written, at, 0, NULL, NULL));
    int got;
    CHECK(clEnqueueReadBuffer(queue, written, CL_TRUE, offset, sizeof got, &got, 0, NULL, NULL));
    EXPECT_EQUAL(got, 1000);
}

static void check_maps(cl_kernel kernel, cl_mem_flags way) {
    const size_t count = 2 * alignment / sizeof(int);
    int* const values = allocate(count, sizeof(int));
    for (size_t i = 0; i < count; i++) {
        values[i] = (int)i + 1;
    }
    const cl_mem whole = clCreateBuffer(context, way, 2 * alignment, values, &status);
    CHECK(status);
    const cl_mem made = part(whole, 0, alignment, alignment);
    // The device's contents differ from those of the program's memory.
    SET(kernel, 0, whole);
    launch(kernel, count, 0);
    check_both_mapped(whole, alignment, made, alignment);
    launch(kernel, count, 0);
    check_both_mapped(made, 16, whole, 2 * alignment);
    // A part that is released while it is mapped does not keep the region.
    void* const at = clEnqueueMapBuffer(queue, made, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &status);
    CHECK(status);
    REQUIRE(at != NULL, "no address");
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(made));
    void* const all = clEnqueueMapBuffer(queue, whole, CL_TRUE, CL_MAP_WRITE, 0, 2 * alignment, 0, NULL, NULL, &status);
    CHECK(status);
    CHECK(clEnqueueUnmapMemObject(queue, whole, all, 0, NULL, NULL));
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(whole));
    free(values);
}

int main(void) {
    open_device();
    alignment = device_uint(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "negate");
    const size_t bytes = 4 * alignment;
    const cl_mem whole = buffer_of(bytes, NULL);
    check_information(whole);
    check_inheritance();
    check_errors(whole, bytes);
    check_contents(kernel, CL_MEM_COPY_HOST_PTR);
    check_contents(kernel, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR);
    check_contents(kernel, CL_MEM_USE_HOST_PTR);
    check_overlap(whole);
    check_maps(kernel, CL_MEM_COPY_HOST_PTR);
    check_maps(kernel, CL_MEM_USE_HOST_PTR);
    CHECK(clReleaseMemObject(whole));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
