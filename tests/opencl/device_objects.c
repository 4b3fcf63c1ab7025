//! # Root devices: references that mean nothing, parts that cannot be made, timers, and what only devices with queues have.
#include "check.h"

static void check_references(void) {
    CHECK(clRetainDevice(device));
    EXPECT_EQUAL(device_uint(CL_DEVICE_REFERENCE_COUNT), 1);
    for (int i = 0; i < 3; i++) {
        CHECK(clReleaseDevice(device));
    }
    EXPECT_EQUAL(device_uint(CL_DEVICE_REFERENCE_COUNT), 1);
    char* const name = device_text(CL_DEVICE_NAME);
    REQUIRE(*name != 0, "the device has no name");
    free(name);
}

// Parts by each property: a device that does not name the property refuses it.
static void check_parts(void) {
    cl_device_partition_property kinds[10];
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds, &size));
    const size_t count = size / sizeof *kinds;
    const cl_device_partition_property tried[][4] = {
        {CL_DEVICE_PARTITION_EQUALLY, 1, 0, 0},
        {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0, 0}};
    for (size_t i = 0; i < COUNT(tried); i++) {
        bool named = false;
        for (size_t k = 0; k < count; k++) {
            named = named || kinds[k] == tried[i][0];
        }
        cl_uint parts = 0;
        const cl_int error = clCreateSubDevices(device, tried[i], 0, NULL, &parts);
        if (named) {
            REQUIRE(error == CL_SUCCESS || error == CL_DEVICE_PARTITION_FAILED, "%s", error_name(error));
        } else {
            EXPECT_ERROR(error, CL_INVALID_VALUE);
        }
    }
    const cl_device_partition_property unknown[] = {0x4242, 1, 0};
    EXPECT_ERROR(clCreateSubDevices(device, unknown, 0, NULL, NULL), CL_INVALID_VALUE);
    const cl_uint most = device_uint(CL_DEVICE_PARTITION_MAX_SUB_DEVICES);
    REQUIRE(count == 0 || kinds[0] != 0 || most <= 1, "%u parts, but no way to make them", most);
}

// Times of the host and of the device go forward, and lie between each other's.
static void check_timers(void) {
    cl_ulong resolution;
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution, &resolution, NULL));
    cl_ulong host[3], at_device[2];
    if (resolution == 0) {
        EXPECT_ERROR(clGetHostTimer(device, &host[0]), CL_INVALID_OPERATION);
        EXPECT_ERROR(clGetDeviceAndHostTimer(device, &at_device[0], &host[0]), CL_INVALID_OPERATION);
        return;
    }
    CHECK(clGetHostTimer(device, &host[0]));
    CHECK(clGetDeviceAndHostTimer(device, &at_device[0], &host[1]));
    CHECK(clGetDeviceAndHostTimer(device, &at_device[1], &host[2]));
    REQUIRE(host[0] <= host[1] && host[1] <= host[2], "times of the host: %llu, %llu, %llu", (long long)host[0],
            (long long)host[1], (long long)host[2]);
    REQUIRE(at_device[0] <= at_device[1], "times of the device: %llu, %llu", (long long)at_device[0], (long long)at_device[1]);
    EXPECT_ERROR(clGetHostTimer(device, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetDeviceAndHostTimer(device, NULL, &host[0]), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetDeviceAndHostTimer(device, &at_device[0], NULL), CL_INVALID_VALUE);
}

// Queues of the device's own, pipes and programs in an intermediate language: refused where the device has none.
static void check_absent(void) {
    if (device_uint(CL_DEVICE_MAX_ON_DEVICE_QUEUES) == 0) {
        EXPECT_ERROR(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_OPERATION);
        const cl_queue_properties on_device[] = {
            CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
        EXPECT_REFUSED(clCreateCommandQueueWithProperties(context, device, on_device, &status), CL_INVALID_QUEUE_PROPERTIES);
    }
    if (device_uint(CL_DEVICE_PIPE_SUPPORT) == CL_FALSE) {
        EXPECT_REFUSED(clCreatePipe(context, 0, 4, 16, NULL, &status), CL_INVALID_OPERATION);
    }
    char* const languages = device_text(CL_DEVICE_IL_VERSION);
    if (*languages == 0) {
        const unsigned words[] = {0x07230203, 0x10000, 0, 1, 0};
        EXPECT_REFUSED(clCreateProgramWithIL(context, words, sizeof words, &status), CL_INVALID_OPERATION);
    }
    char* const kernels = device_text(CL_DEVICE_BUILT_IN_KERNELS);
    if (!has_word(kernels, "no_such_kernel")) {
        EXPECT_REFUSED(clCreateProgramWithBuiltInKernels(context, 1, &device, "no_such_kernel", &status), CL_INVALID_VALUE);
    }
    free(languages);
    free(kernels);
}

int main(void) {
    open_device();
    check_references();
    check_parts();
    check_timers();
    check_absent();
    close_device();
    return passed();
}
