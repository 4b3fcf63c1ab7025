//! # Contexts: properties, devices, errors of creation, references, and functions that run when one ends.
#include "check.h"

static void check_properties(void) {
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    const cl_context made = clCreateContext(list, 1, &device, NULL, NULL, &status);
    CHECK(status);
    cl_context_properties kept[8];
    size_t size;
    CHECK(clGetContextInfo(made, CL_CONTEXT_PROPERTIES, sizeof kept, kept, &size));
    EXPECT_EQUAL(size, sizeof list);
    expect_same("properties", kept, list, COUNT(list), sizeof *list);
    cl_device_id devices[4];
    CHECK(clGetContextInfo(made, CL_CONTEXT_DEVICES, sizeof devices, devices, &size));
    EXPECT_EQUAL(size, sizeof(cl_device_id));
    REQUIRE(devices[0] == device, "another device");
    cl_uint number = 0;
    CHECK(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, sizeof number, &number, &size));
    EXPECT_EQUAL(number, 1);
    EXPECT_EQUAL(size, sizeof number);
    CHECK(clGetContextInfo(made, CL_CONTEXT_REFERENCE_COUNT, sizeof number, &number, &size));
    EXPECT_EQUAL(number, 1);
    CHECK(clRetainContext(made));
    CHECK(clGetContextInfo(made, CL_CONTEXT_REFERENCE_COUNT, sizeof number, &number, NULL));
    EXPECT_EQUAL(number, 2);
    EXPECT_ERROR(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, sizeof number - 1, &number, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetContextInfo(made, CL_CONTEXT_DEVICES, 1, devices, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetContextInfo(made, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetContextInfo(NULL, CL_CONTEXT_NUM_DEVICES, sizeof number, &number, NULL), CL_INVALID_CONTEXT);
    CHECK(clReleaseContext(made));
    CHECK(clReleaseContext(made));
    // Without properties there are none to report.
    CHECK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof kept, kept, &size));
    REQUIRE(size == 0 || (size == sizeof *kept && kept[0] == 0), "%zu bytes of properties that nobody gave", size);
}

static void CL_CALLBACK ignore(const char* text, const void* data, size_t size, void* user) {
    (void)text, (void)data, (void)size, (void)user;
}

static void check_creation_errors(void) {
    EXPECT_REFUSED(clCreateContext(NULL, 0, &device, NULL, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateContext(NULL, 1, NULL, NULL, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateContext(NULL, 1, &device, NULL, &status, &status), CL_INVALID_VALUE);
    const cl_device_id none = NULL;
    EXPECT_REFUSED(clCreateContext((cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}, 1, &none,
                                   NULL, NULL, &status),
                   CL_INVALID_DEVICE);
    const cl_context_properties unknown[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0x4242, 1, 0};
    EXPECT_REFUSED(clCreateContext(unknown, 1, &device, NULL, NULL, &status), CL_INVALID_PROPERTY);
    const cl_context_properties twice[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    EXPECT_REFUSED(clCreateContext(twice, 1, &device, NULL, NULL, &status), CL_INVALID_PROPERTY);
    // The same device twice counts once.
    const cl_device_id both[] = {device, device};
    const cl_context made = clCreateContext(NULL, 2, both, ignore, NULL, &status);
    CHECK(status);
    cl_uint number;
    CHECK(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, sizeof number, &number, NULL));
    EXPECT_EQUAL(number, 1);
    CHECK(clReleaseContext(made));
}

static void check_by_type(void) {
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    const cl_context made = clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, NULL, NULL, &status);
    CHECK(status);
    cl_uint number, all;
    CHECK(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, sizeof number, &number, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &all));
    EXPECT_EQUAL(number, all);
    CHECK(clReleaseContext(made));
    cl_device_type type;
    device_property(CL_DEVICE_TYPE, sizeof type, &type);
    const cl_device_type other = type & CL_DEVICE_TYPE_GPU ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
    EXPECT_REFUSED(clCreateContextFromType(list, other, NULL, NULL, &status), CL_DEVICE_NOT_FOUND);
    EXPECT_REFUSED(clCreateContextFromType(list, (cl_device_type)1 << 20, NULL, NULL, &status), CL_INVALID_DEVICE_TYPE);
    EXPECT_REFUSED(clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, NULL, &status, &status), CL_INVALID_VALUE);
}

static int order[4];
static int ended;

static void CL_CALLBACK end(cl_context gone, void* user) {
    (void)gone;
    order[ended++] = *(int*)user;
}

// Functions run in the opposite order of their registration, once the last reference and what uses the context are gone.
static void check_destructors(void) {
    static int numbers[] = {1, 2, 3};
    const cl_context made = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    for (int i = 0; i < 3; i++) {
        CHECK(clSetContextDestructorCallback(made, end, &numbers[i]));
    }
    EXPECT_ERROR(clSetContextDestructorCallback(made, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clSetContextDestructorCallback(NULL, end, NULL), CL_INVALID_CONTEXT);
    CHECK(clRetainContext(made));
    CHECK(clReleaseContext(made));
    EXPECT_EQUAL(ended, 0);
    const cl_mem buffer = clCreateBuffer(made, 0, 16, NULL, &status);
    CHECK(status);
    CHECK(clReleaseContext(made));
    EXPECT_EQUAL(ended, 0);
    CHECK(clReleaseMemObject(buffer));
    EXPECT_EQUAL(ended, 3);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQUAL(order[i], 3 - i);
    }
}

int main(void) {
    open_device();
    check_properties();
    check_creation_errors();
    check_by_type();
    check_destructors();
    EXPECT_ERROR(clRetainContext(NULL), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clReleaseContext(NULL), CL_INVALID_CONTEXT);
    close_device();
    return passed();
}
