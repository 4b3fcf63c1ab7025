//! # Images and samplers as arguments of kernels: what kernels and the host learn of them, and the errors.
//! targets = ["gfx906", "gfx803", "gfx701"]
#include "images.h"

static const char* const SOURCE =
    "kernel void about_1d(read_only image1d_t i, global int* out) {\n"
    "    out[0] = get_image_width(i); out[4] = get_image_channel_data_type(i); out[5] = get_image_channel_order(i); }\n"
    "kernel void about_1d_array(write_only image1d_array_t i, global int* out) {\n"
    "    out[0] = get_image_width(i); out[3] = get_image_array_size(i); out[4] = get_image_channel_data_type(i); out[5] = get_image_channel_order(i); }\n"
    "kernel void about_2d(read_only image2d_t i, global int* out) {\n"
    "    out[0] = get_image_dim(i).x; out[1] = get_image_dim(i).y; out[4] = get_image_channel_data_type(i); out[5] = get_image_channel_order(i); }\n"
    "kernel void about_2d_array(read_only image2d_array_t i, global int* out) {\n"
    "    out[0] = get_image_width(i); out[1] = get_image_height(i); out[3] = get_image_array_size(i);\n"
    "    out[4] = get_image_channel_data_type(i); out[5] = get_image_channel_order(i); }\n"
    "kernel void about_3d(read_only image3d_t i, global int* out) {\n"
    "    out[0] = get_image_dim(i).x; out[1] = get_image_dim(i).y; out[2] = get_image_dim(i).z; out[4] = get_image_channel_data_type(i); out[5] = get_image_channel_order(i); }\n"
    "kernel void all(read_only image2d_t from, write_only image2d_t to, read_write image2d_t both, sampler_t how, global int* out) { *out = 1; }\n";

static const char* const KERNELS[] = {"about_1d", "about_1d_array", "about_2d", "about_2d_array", "about_3d"};

static void check_queries(cl_program program) {
    static const cl_image_format FORMATS[] = {{CL_RGBA, CL_FLOAT}, {CL_BGRA, CL_UNORM_INT8}, {CL_R, CL_SIGNED_INT16}, {CL_RG, CL_HALF_FLOAT}, {CL_RGBA, CL_UNSIGNED_INT32}};
    const cl_mem out = buffer_of(6 * sizeof(int), NULL);
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        const Shape* const shape = &SHAPES[i];
        const cl_kernel kernel = kernel_of(program, KERNELS[i]);
        for (size_t j = 0; j < COUNT(FORMATS); j++) {
            const cl_mem image = image_of(shape, FORMATS[j], NULL);
            const int zero[6] = {0};
            int got[6];
            CHECK(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL));
            SET(kernel, 0, image);
            SET(kernel, 1, out);
            launch(kernel, 1, 1);
            download(out, sizeof got, got);
            const bool has_rows = i >= 2;
            EXPECT_EQUAL(got[0], shape->size[0]);
            EXPECT_EQUAL(got[1], has_rows ? shape->size[1] : 0);
            EXPECT_EQUAL(got[2], shape->type == CL_MEM_OBJECT_IMAGE3D ? shape->size[2] : 0);
            EXPECT_EQUAL(got[3], shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape->size[1] : shape->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? shape->size[2] : 0);
            EXPECT_EQUAL(got[4], FORMATS[j].image_channel_data_type);
            EXPECT_EQUAL(got[5], FORMATS[j].image_channel_order);
            CHECK(clReleaseMemObject(image));
        }
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(out));
}

static void check_info(cl_kernel kernel) {
    static const cl_kernel_arg_access_qualifier ACCESS[] = {CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        CL_KERNEL_ARG_ACCESS_READ_WRITE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ACCESS_NONE};
    static const char* const TYPES[] = {"image2d_t", "image2d_t", "image2d_t", "sampler_t", "int*"};
    for (cl_uint i = 0; i < COUNT(ACCESS); i++) {
        cl_kernel_arg_access_qualifier access = 0;
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
        EXPECT_EQUAL(access, ACCESS[i]);
        cl_kernel_arg_address_qualifier address = 0;
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
        EXPECT_EQUAL(address, i == 3 ? CL_KERNEL_ARG_ADDRESS_PRIVATE : CL_KERNEL_ARG_ADDRESS_GLOBAL);
        char type[64];
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
        EXPECT_TEXT(type, TYPES[i]);
    }
}

static cl_mem flat(cl_mem_flags flags) {
    static const cl_image_format FORMAT = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = desc_of(&SHAPES[2]);
    const cl_mem image = clCreateImage(context, flags, &FORMAT, &desc, NULL, &status);
    CHECK(status);
    return image;
}

static void refuse(cl_kernel kernel, cl_uint index, const void* value, cl_int error) {
    EXPECT_ERROR(clSetKernelArg(kernel, index, sizeof(cl_mem), value), error);
}

static void check_errors(cl_kernel kernel) {
    const cl_mem out = buffer_of(sizeof(int), NULL), any = flat(CL_MEM_READ_WRITE), read = flat(CL_MEM_READ_ONLY), write = flat(CL_MEM_WRITE_ONLY);
    const cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    CHECK(status);
    refuse(kernel, 0, &write, CL_INVALID_ARG_VALUE);
    refuse(kernel, 1, &read, CL_INVALID_ARG_VALUE);
    refuse(kernel, 2, &read, CL_INVALID_ARG_VALUE);
    refuse(kernel, 2, &write, CL_INVALID_ARG_VALUE);
    refuse(kernel, 0, NULL, CL_INVALID_ARG_VALUE);
    refuse(kernel, 0, &out, CL_INVALID_MEM_OBJECT);
    refuse(kernel, 0, &sampler, CL_INVALID_MEM_OBJECT);
    refuse(kernel, 4, &any, CL_INVALID_MEM_OBJECT);
    refuse(kernel, 3, &any, CL_INVALID_SAMPLER);
    refuse(kernel, 3, NULL, CL_INVALID_SAMPLER);
    EXPECT_ERROR(clSetKernelArg(kernel, 0, 4, &any), CL_INVALID_ARG_SIZE);
    EXPECT_ERROR(clSetKernelArg(kernel, 3, 4, &sampler), CL_INVALID_ARG_SIZE);
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        if (SHAPES[i].type != CL_MEM_OBJECT_IMAGE2D) {
            const cl_mem other = image_of(&SHAPES[i], (cl_image_format){CL_RGBA, CL_UNORM_INT8}, NULL);
            refuse(kernel, 0, &other, CL_INVALID_ARG_VALUE);
            CHECK(clReleaseMemObject(other));
        }
    }
    const cl_context elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    const cl_sampler foreign = clCreateSampler(elsewhere, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    CHECK(status);
    refuse(kernel, 3, &foreign, CL_INVALID_SAMPLER);
    CHECK(clReleaseSampler(foreign));
    CHECK(clReleaseContext(elsewhere));
    const size_t one = 1;
    SET(kernel, 0, read);
    SET(kernel, 1, write);
    SET(kernel, 2, any);
    SET(kernel, 4, out);
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    SET(kernel, 3, sampler);
    launch(kernel, 1, 0);
    int got = 0;
    download(out, sizeof got, &got);
    EXPECT_EQUAL(got, 1);
    // The kernel keeps neither images nor samplers.
    CHECK(clReleaseSampler(sampler));
    EXPECT_ERROR(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(any));
    CHECK(clReleaseMemObject(read));
    CHECK(clReleaseMemObject(write));
}

int main(void) {
    open_device();
    skip_without_images();
    const cl_program program = build(SOURCE, "-cl-kernel-arg-info");
    check_queries(program);
    const cl_kernel kernel = kernel_of(program, "all");
    check_info(kernel);
    check_errors(kernel);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
