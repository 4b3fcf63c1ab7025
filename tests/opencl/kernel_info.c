//! # Kernels: names, numbers of arguments, attributes, argument information, and what a work-group of them takes.
#include "check.h"

static const char* const SOURCE =
    "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void fixed_group(global const float* restrict input,\n"
    "        volatile global int4* output, constant uchar* table, local short* scratch, uint number, char3 vector) {\n"
    "    local int own[16];\n"
    "    own[get_local_id(0)] = scratch[0] + table[number];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    output[0] = (int4)(own[0] + (int)input[0] + vector.x);\n"
    "}\n"
    "kernel __attribute__((work_group_size_hint(64, 1, 1))) __attribute__((vec_type_hint(float4)))\n"
    "void hints(global unsigned int* pointer) { pointer[0] = 1; }\n"
    "kernel void none(void) {}\n"
    "kernel void private_array(global int* to, int n) {\n"
    "    int values[64];\n"
    "    for (int i = 0; i < 64; i++) values[i] = to[i] * n;\n"
    "    for (int i = 0; i < 64; i++) to[i] = values[(values[i] & 63)];\n"
    "}\n";

static char* text_of(cl_kernel kernel, cl_kernel_info name) {
    static char text[200];
    size_t size = 0, again = 0;
    CHECK(clGetKernelInfo(kernel, name, 0, NULL, &size));
    REQUIRE(size > 0 && size <= sizeof text, "property %#x has %zu bytes", name, size);
    EXPECT_ERROR(clGetKernelInfo(kernel, name, size - 1, text, NULL), CL_INVALID_VALUE);
    CHECK(clGetKernelInfo(kernel, name, sizeof text, text, &again));
    EXPECT_EQUAL(again, size);
    EXPECT_EQUAL(strlen(text) + 1, size);
    return text;
}

static cl_uint number_of(cl_kernel kernel, cl_kernel_info name) {
    cl_uint number = 99;
    size_t size;
    CHECK(clGetKernelInfo(kernel, name, sizeof number, &number, &size));
    EXPECT_EQUAL(size, sizeof number);
    return number;
}

// Attributes come as they are in the source but for blanks.
static void check_attributes(cl_kernel kernel, const char* const* parts, size_t count) {
    const char* const text = text_of(kernel, CL_KERNEL_ATTRIBUTES);
    char dense[200];
    size_t length = 0;
    for (const char* at = text; *at != 0; at++) {
        if (*at != ' ') {
            dense[length++] = *at;
        }
    }
    dense[length] = 0;
    for (size_t i = 0; i < count; i++) {
        REQUIRE(strstr(dense, parts[i]) != NULL, "attributes `%s` lack `%s`", text, parts[i]);
    }
    REQUIRE(count > 0 || length == 0, "attributes `%s` of a kernel that has none", text);
}

static void check_kernel(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "fixed_group");
    EXPECT_TEXT(text_of(kernel, CL_KERNEL_FUNCTION_NAME), "fixed_group");
    EXPECT_EQUAL(number_of(kernel, CL_KERNEL_NUM_ARGS), 6);
    EXPECT_EQUAL(number_of(kernel, CL_KERNEL_REFERENCE_COUNT), 1);
    check_attributes(kernel, (const char*[]){"reqd_work_group_size(8,4,2)"}, 1);
    size_t size;
    EXPECT_ERROR(clGetKernelInfo(kernel, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, 0, NULL, &size), CL_INVALID_KERNEL);
    CHECK(clReleaseKernel(kernel));
    const cl_kernel hints = kernel_of(program, "hints");
    check_attributes(hints, (const char*[]){"work_group_size_hint(64,1,1)", "vec_type_hint(float4)"}, 2);
    CHECK(clReleaseKernel(hints));
    const cl_kernel none = kernel_of(program, "none");
    EXPECT_EQUAL(number_of(none, CL_KERNEL_NUM_ARGS), 0);
    check_attributes(none, NULL, 0);
    CHECK(clReleaseKernel(none));
}

static const struct {
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_type_qualifier qualifiers;
    const char *type, *name;
} ARGUMENTS[] = {
    {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, "float*", "input"},
    {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE, "int4*", "output"},
    {CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST, "uchar*", "table"},
    {CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE, "short*", "scratch"},
    {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "uint", "number"},
    {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "char3", "vector"},
};

static void check_arguments(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "fixed_group");
    for (cl_uint i = 0; i < COUNT(ARGUMENTS); i++) {
        cl_kernel_arg_address_qualifier space;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_type_qualifier qualifiers;
        char text[100];
        size_t size;
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, &size));
        EXPECT_EQUAL(size, sizeof space);
        EXPECT_EQUAL(space, ARGUMENTS[i].space);
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, &size));
        EXPECT_EQUAL(size, sizeof access);
        EXPECT_EQUAL(access, CL_KERNEL_ARG_ACCESS_NONE);
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, &size));
        EXPECT_EQUAL(size, sizeof qualifiers);
        EXPECT_EQUAL(qualifiers, ARGUMENTS[i].qualifiers);
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, &size));
        EXPECT_TEXT(text, ARGUMENTS[i].type);
        EXPECT_EQUAL(size, strlen(text) + 1);
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof text, text, &size));
        EXPECT_TEXT(text, ARGUMENTS[i].name);
        EXPECT_EQUAL(size, strlen(text) + 1);
        EXPECT_ERROR(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, size - 1, text, NULL), CL_INVALID_VALUE);
    }
    size_t size;
    EXPECT_ERROR(clGetKernelArgInfo(kernel, 6, CL_KERNEL_ARG_NAME, 0, NULL, &size), CL_INVALID_ARG_INDEX);
    EXPECT_ERROR(clGetKernelArgInfo(kernel, 0, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetKernelArgInfo(NULL, 0, CL_KERNEL_ARG_NAME, 0, NULL, &size), CL_INVALID_KERNEL);
    CHECK(clReleaseKernel(kernel));
    const cl_kernel hints = kernel_of(program, "hints");
    char text[20];
    CHECK(clGetKernelArgInfo(hints, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    EXPECT_TEXT(text, "uint*");
    CHECK(clReleaseKernel(hints));
}

static void check_group(cl_program program) {
    cl_kernel kernel = kernel_of(program, "fixed_group");
    size_t sizes[3], value, length;
    cl_ulong bytes, before;
#define INFO(name, value)                                                                        \
    CHECK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_##name, sizeof(value), &(value), &length)); \
    EXPECT_EQUAL(length, sizeof(value))
    INFO(COMPILE_WORK_GROUP_SIZE, sizes);
    EXPECT_EQUAL(sizes[0] * 10000 + sizes[1] * 100 + sizes[2], 80402);
    INFO(WORK_GROUP_SIZE, value);
    REQUIRE(value >= 64 && value <= device_size(CL_DEVICE_MAX_WORK_GROUP_SIZE), "groups of %zu", value);
    INFO(PREFERRED_WORK_GROUP_SIZE_MULTIPLE, value);
    REQUIRE(value >= 1, "multiples of %zu", value);
    INFO(LOCAL_MEM_SIZE, before);
    REQUIRE(before >= 64, "%llu bytes of local memory", (long long)before);
    CHECK(clSetKernelArg(kernel, 3, 1000, NULL));
    INFO(LOCAL_MEM_SIZE, bytes);
    REQUIRE(bytes >= before + 998, "%llu bytes of local memory after %llu", (long long)bytes, (long long)before);
    INFO(PRIVATE_MEM_SIZE, bytes);
    EXPECT_ERROR(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, 1, &value, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetKernelWorkGroupInfo(kernel, device, 0x4242, 0, NULL, &length), CL_INVALID_VALUE);
    // Only kernels that are built in, and devices of another kind, have a global size.
    EXPECT_ERROR(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetKernelWorkGroupInfo(NULL, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof value, &value, NULL), CL_INVALID_KERNEL);
    // One device needs no name.
    CHECK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof value, &value, NULL));
    CHECK(clReleaseKernel(kernel));
    kernel = kernel_of(program, "none");
    INFO(COMPILE_WORK_GROUP_SIZE, sizes);
    EXPECT_EQUAL(sizes[0] + sizes[1] + sizes[2], 0);
    INFO(LOCAL_MEM_SIZE, bytes);
    EXPECT_EQUAL(bytes, 0);
    INFO(WORK_GROUP_SIZE, value);
    REQUIRE(value >= 1 && value <= device_size(CL_DEVICE_MAX_WORK_GROUP_SIZE), "groups of %zu", value);
    CHECK(clReleaseKernel(kernel));
    kernel = kernel_of(program, "private_array");
    INFO(PRIVATE_MEM_SIZE, bytes);
    INFO(WORK_GROUP_SIZE, value);
    REQUIRE(value >= 1, "no group");
    CHECK(clReleaseKernel(kernel));
}

// Groups of another size than the kernel's own are refused.
static void check_required_size(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "fixed_group");
    const cl_mem buffer = buffer_of(1024, NULL);
    const cl_uint number = 0;
    const cl_char4 vector = {{0}};
    SET(kernel, 0, buffer);
    SET(kernel, 1, buffer);
    SET(kernel, 2, buffer);
    CHECK(clSetKernelArg(kernel, 3, 8, NULL));
    SET(kernel, 4, number);
    SET(kernel, 5, vector);
    const size_t global[3] = {16, 8, 4}, right[3] = {8, 4, 2};
    const size_t wrong[][3] = {{4, 8, 2}, {8, 4, 1}, {8, 2, 2}, {1, 1, 1}, {16, 4, 1}};
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, right, 0, NULL, NULL));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, wrong[i], 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    }
    // Fewer dimensions have groups of one in the others.
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, right, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "-cl-kernel-arg-info");
    check_kernel(program);
    check_arguments(program);
    check_group(program);
    check_required_size(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
