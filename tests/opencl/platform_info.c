//! # Platforms: every property with its size, errors of the queries, devices by type, names of functions.
#include "check.h"

#include <CL/cl_ext.h>

static size_t property_size(cl_platform_info name) {
    size_t size = 0;
    CHECK(clGetPlatformInfo(platform, name, 0, NULL, &size));
    REQUIRE(size > 0, "property %#x has no bytes", name);
    return size;
}

// A property as its bytes; too small a memory must be refused.
static void* property(cl_platform_info name, size_t* size) {
    *size = property_size(name);
    char* const bytes = allocate(*size + 1, 1);
    bytes[*size] = 0x5a;
    EXPECT_ERROR(clGetPlatformInfo(platform, name, *size - 1, bytes, NULL), CL_INVALID_VALUE);
    CHECK(clGetPlatformInfo(platform, name, *size + 1, bytes, NULL));
    REQUIRE(bytes[*size] == 0x5a, "property %#x writes behind its value", name);
    return bytes;
}

static char* text_property(cl_platform_info name) {
    size_t size;
    char* const text = property(name, &size);
    REQUIRE(strlen(text) == size - 1, "property %#x: `%s` has not %zu bytes", name, text, size);
    return text;
}

static void check_texts(void) {
    const char* const profile = text_property(CL_PLATFORM_PROFILE);
    REQUIRE(strcmp(profile, "FULL_PROFILE") == 0 || strcmp(profile, "EMBEDDED_PROFILE") == 0, "profile `%s`", profile);
    REQUIRE(*text_property(CL_PLATFORM_NAME) != 0, "the platform has no name");
    REQUIRE(*text_property(CL_PLATFORM_VENDOR) != 0, "the platform has no vendor");
    unsigned major, minor;
    const char* const version = text_property(CL_PLATFORM_VERSION);
    REQUIRE(sscanf(version, "OpenCL %u.%u ", &major, &minor) == 2, "version `%s`", version);
    REQUIRE(strchr(version + strlen("OpenCL "), ' ') != NULL, "version `%s` needs a blank behind the numbers", version);
    cl_version number;
    EXPECT_EQUAL(property_size(CL_PLATFORM_NUMERIC_VERSION), sizeof number);
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof number, &number, NULL));
    EXPECT_EQUAL(CL_VERSION_MAJOR(number), major);
    EXPECT_EQUAL(CL_VERSION_MINOR(number), minor);
    EXPECT_EQUAL(major, 3);
    REQUIRE(*text_property(CL_PLATFORM_ICD_SUFFIX_KHR) != 0, "the platform has no suffix");
}

// The two lists of extensions name the same ones.
static void check_extensions(void) {
    const char* const text = text_property(CL_PLATFORM_EXTENSIONS);
    REQUIRE(has_word(text, "cl_khr_icd"), "extensions `%s`", text);
    size_t size;
    const cl_name_version* const list = property(CL_PLATFORM_EXTENSIONS_WITH_VERSION, &size);
    EXPECT_EQUAL(size % sizeof *list, 0);
    for (size_t i = 0; i < size / sizeof *list; i++) {
        REQUIRE(has_word(text, list[i].name), "`%s` is not among `%s`", list[i].name, text);
        REQUIRE(list[i].version != 0, "`%s` has no version", list[i].name);
    }
    size_t words = 0;
    for (const char* at = text; *at != 0; at++) {
        words += *at != ' ' && (at == text || at[-1] == ' ');
    }
    EXPECT_EQUAL(size / sizeof *list, words);
    cl_ulong resolution;
    EXPECT_EQUAL(property_size(CL_PLATFORM_HOST_TIMER_RESOLUTION), sizeof resolution);
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution, &resolution, NULL));
}

static void check_errors(void) {
    size_t size;
    EXPECT_ERROR(clGetPlatformInfo(platform, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetPlatformInfo(platform, CL_DEVICE_NAME, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    cl_platform_id some;
    EXPECT_ERROR(clGetPlatformIDs(0, &some, NULL), CL_INVALID_VALUE);
}

static void check_devices(void) {
    cl_uint count = 0;
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    REQUIRE(count > 0 && count < 100, "%u devices", count);
    cl_device_id* const all = allocate(count, sizeof *all);
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, all, NULL));
    cl_uint by_type = 0;
    const cl_device_type types[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM};
    for (size_t i = 0; i < COUNT(types); i++) {
        cl_uint found = 99;
        const cl_int error = clGetDeviceIDs(platform, types[i], 0, NULL, &found);
        if (error == CL_DEVICE_NOT_FOUND) {
            continue;
        }
        CHECK(error);
        REQUIRE(found > 0, "no device of type %zu without an error", i);
        by_type += found;
        cl_device_id first;
        CHECK(clGetDeviceIDs(platform, types[i], 1, &first, NULL));
        cl_device_type type;
        CHECK(clGetDeviceInfo(first, CL_DEVICE_TYPE, sizeof type, &type, NULL));
        REQUIRE(type & types[i], "type %#lx of a device that was found as %#lx", (long)type, (long)types[i]);
    }
    EXPECT_EQUAL(by_type, count);
    for (cl_uint i = 0; i < count; i++) {
        cl_platform_id owner = NULL;
        CHECK(clGetDeviceInfo(all[i], CL_DEVICE_PLATFORM, sizeof owner, &owner, NULL));
        REQUIRE(owner == platform, "device %u belongs to another platform", i);
        for (cl_uint j = 0; j < i; j++) {
            REQUIRE(all[i] != all[j], "devices %u and %u are one", j, i);
        }
    }
    // The default device is one of them.
    cl_device_id first;
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &first, &count));
    EXPECT_EQUAL(count, 1);
    EXPECT_ERROR(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &first, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetDeviceIDs(platform, (cl_device_type)1 << 20, 1, &first, NULL), CL_INVALID_DEVICE_TYPE);
    free(all);
}

int main(void) {
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(0, NULL, &count));
    REQUIRE(count >= 1, "no platform");
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    check_texts();
    check_extensions();
    check_errors();
    check_devices();
    REQUIRE(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunctionKHR") == NULL, "a function that nobody has");
    CHECK(clUnloadPlatformCompiler(platform));
    // The compiler is loaded again when it is needed.
    open_device();
    CHECK(clReleaseProgram(build("kernel void empty(void) {}", "")));
    close_device();
    return passed();
}
