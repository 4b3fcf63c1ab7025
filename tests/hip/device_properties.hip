//! # What the device says of itself is that of a Radeon of its generation; attributes agree with properties.
#include "check.h"

#include <string>

int main() {
    int devices = 0, device = -1, version = 0;
    CHECK(hipGetDeviceCount(&devices));
    EXPECT_EQUAL(devices, 1);
    CHECK(hipGetDevice(&device));
    EXPECT_EQUAL(device, 0);
    CHECK(hipRuntimeGetVersion(&version));
    REQUIRE(version > 50000000, "version %d", version);
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    const std::string name = properties.gcnArchName;
    const char* target = std::getenv("GCN_TARGET");
    REQUIRE(target != nullptr && name.substr(0, name.find(':')) == target, "%s instead of %s", name.c_str(), target);
    REQUIRE(properties.name[0] != '\0', "no name");
    EXPECT_EQUAL(properties.warpSize, 64);
    EXPECT_EQUAL(properties.maxThreadsPerBlock, 1024);
    EXPECT_EQUAL(properties.maxThreadsDim[0], 1024);
    EXPECT_EQUAL(properties.maxThreadsDim[1], 1024);
    EXPECT_EQUAL(properties.maxThreadsDim[2], 1024);
    for (int size : properties.maxGridSize) {
        REQUIRE(size >= 65535, "grids of %d", size);
    }
    EXPECT_EQUAL(properties.sharedMemPerBlock, 65536);
    EXPECT_EQUAL(properties.maxThreadsPerMultiProcessor, 2560);
    REQUIRE(properties.multiProcessorCount >= 8 && properties.multiProcessorCount <= 64, "%d compute units",
            properties.multiProcessorCount);
    REQUIRE(properties.clockRate > 500000 && properties.clockRate < 3000000, "%d kHz", properties.clockRate);
    REQUIRE(properties.memoryClockRate > 300000, "memory at %d kHz", properties.memoryClockRate);
    REQUIRE(properties.memoryBusWidth >= 128, "a bus of %d bits", properties.memoryBusWidth);
    REQUIRE(properties.totalGlobalMem >= size_t(1) << 30, "%zu bytes", properties.totalGlobalMem);
    EXPECT_EQUAL(properties.major, name.find("gfx9") == 0 ? 9 : 8);
    EXPECT_EQUAL(properties.canMapHostMemory, 1);
    EXPECT_EQUAL(properties.integrated, 0);
    EXPECT_EQUAL(properties.concurrentKernels, 1);
    EXPECT_EQUAL(properties.arch.hasDoubles, 1);
    EXPECT_EQUAL(properties.arch.hasGlobalInt64Atomics, 1);
    EXPECT_EQUAL(properties.arch.hasWarpBallot, 1);

    const struct {
        hipDeviceAttribute_t attribute;
        long long value;
    } rows[] = {
        {hipDeviceAttributeWarpSize, properties.warpSize},
        {hipDeviceAttributeMaxThreadsPerBlock, properties.maxThreadsPerBlock},
        {hipDeviceAttributeMaxBlockDimX, properties.maxThreadsDim[0]},
        {hipDeviceAttributeMaxGridDimX, properties.maxGridSize[0]},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, (long long)properties.sharedMemPerBlock},
        {hipDeviceAttributeMultiprocessorCount, properties.multiProcessorCount},
        {hipDeviceAttributeClockRate, properties.clockRate},
        {hipDeviceAttributeComputeCapabilityMajor, properties.major},
        {hipDeviceAttributeComputeCapabilityMinor, properties.minor},
        {hipDeviceAttributePciBusId, properties.pciBusID},
    };
    for (const auto& row : rows) {
        int value = -1;
        CHECK(hipDeviceGetAttribute(&value, row.attribute, 0));
        EXPECT_EQUAL(value, row.value);
    }
    size_t total = 0;
    hipDevice_t handle;
    char device_name[256];
    CHECK(hipDeviceGet(&handle, 0));
    CHECK(hipDeviceTotalMem(&total, handle));
    EXPECT_EQUAL(total, properties.totalGlobalMem);
    CHECK(hipDeviceGetName(device_name, sizeof(device_name), handle));
    REQUIRE(std::strcmp(device_name, properties.name) == 0, "%s and %s", device_name, properties.name);
    char bus[32];
    CHECK(hipDeviceGetPCIBusId(bus, sizeof(bus), 0));
    int found = -1;
    CHECK(hipDeviceGetByPCIBusId(&found, bus));
    EXPECT_EQUAL(found, 0);
    return passed();
}
