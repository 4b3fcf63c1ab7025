//! # Errors of making images, one by one.
#include "images.h"

#include <stddef.h>

static const cl_image_format FORMAT = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc FLAT = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8};

// A description with one member of another value.
#define WITH(base, member, value) changed(base, offsetof(cl_image_desc, member), (value), sizeof base.member)

static cl_image_desc changed(cl_image_desc desc, size_t at, size_t value, size_t size) {
    memcpy((char*)&desc + at, &value, size);
    return desc;
}

static void refuse_desc(cl_image_desc desc, cl_int error) {
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_READ_WRITE, &FORMAT, &desc, NULL, &status), error);
}

static void check_sizes(void) {
    const size_t wide = device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH), high = device_size(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
    refuse_desc(WITH(FLAT, image_width, 0), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(FLAT, image_height, 0), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(FLAT, image_width, wide + 1), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(FLAT, image_height, high + 1), CL_INVALID_IMAGE_SIZE);
    const cl_image_desc deep = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4};
    refuse_desc(WITH(deep, image_depth, 0), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(deep, image_depth, device_size(CL_DEVICE_IMAGE3D_MAX_DEPTH) + 1), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(deep, image_width, device_size(CL_DEVICE_IMAGE3D_MAX_WIDTH) + 1), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(deep, image_height, device_size(CL_DEVICE_IMAGE3D_MAX_HEIGHT) + 1), CL_INVALID_IMAGE_SIZE);
    const cl_image_desc lines = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4, .image_array_size = 4};
    refuse_desc(WITH(lines, image_array_size, 0), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(lines, image_array_size, device_size(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) + 1), CL_INVALID_IMAGE_SIZE);
    refuse_desc(WITH(lines, image_width, wide + 1), CL_INVALID_IMAGE_SIZE);
}

static void check_descriptions(void) {
    refuse_desc(WITH(FLAT, image_type, CL_MEM_OBJECT_BUFFER), CL_INVALID_IMAGE_DESCRIPTOR);
    refuse_desc(WITH(FLAT, image_type, 0), CL_INVALID_IMAGE_DESCRIPTOR);
    refuse_desc(WITH(FLAT, num_mip_levels, 2), CL_INVALID_IMAGE_DESCRIPTOR);
    refuse_desc(WITH(FLAT, num_samples, 4), CL_INVALID_IMAGE_DESCRIPTOR);
    // Distances without memory that has them.
    refuse_desc(WITH(FLAT, image_row_pitch, 64), CL_INVALID_IMAGE_DESCRIPTOR);
    refuse_desc(WITH(FLAT, image_slice_pitch, 512), CL_INVALID_IMAGE_DESCRIPTOR);
    refuse_desc(WITH(FLAT, image_type, CL_MEM_OBJECT_IMAGE1D_BUFFER), CL_INVALID_IMAGE_DESCRIPTOR);
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, NULL, NULL, &status), CL_INVALID_IMAGE_DESCRIPTOR);
    static char host[4096];
    const size_t wrong[] = {63, 60, 66};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const cl_image_desc desc = WITH(FLAT, image_row_pitch, wrong[i]);
        EXPECT_REFUSED(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &FORMAT, &desc, host, &status), CL_INVALID_IMAGE_DESCRIPTOR);
    }
    const cl_image_desc layers = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 16, .image_height = 8, .image_array_size = 2};
    const size_t slices[] = {64, 512 - 64, 512 + 4};
    for (size_t i = 0; i < COUNT(slices); i++) {
        const cl_image_desc desc = WITH(layers, image_slice_pitch, slices[i]);
        EXPECT_REFUSED(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &FORMAT, &desc, host, &status), CL_INVALID_IMAGE_DESCRIPTOR);
    }
}

static void check_formats(void) {
    EXPECT_REFUSED(clCreateImage(context, 0, NULL, &FLAT, NULL, &status), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    const cl_image_format wrong[] = {{0, CL_FLOAT}, {CL_RGBA, 0}, {CL_RGB, CL_FLOAT}, {CL_BGRA, CL_FLOAT}, {CL_RGBA, CL_UNORM_SHORT_565}, {CL_INTENSITY, CL_SIGNED_INT8}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_REFUSED(clCreateImage(context, 0, &wrong[i], &FLAT, NULL, &status), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    const cl_image_format absent = {CL_RGBx, CL_UNORM_INT_101010};
    EXPECT_REFUSED(clCreateImage(context, 0, &absent, &FLAT, NULL, &status), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    // Depths are of two dimensions, and kernels do not write sRGB.
    const cl_image_format depth = {CL_DEPTH, CL_FLOAT}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4};
    EXPECT_REFUSED(clCreateImage(context, 0, &depth, &line, NULL, &status), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_WRITE_ONLY, &srgb, &FLAT, NULL, &status), CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

static void check_flags(void) {
    const cl_mem_flags wrong[] = {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, CL_MEM_KERNEL_READ_AND_WRITE, 1ull << 40};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_REFUSED(clCreateImage(context, wrong[i], &FORMAT, &FLAT, NULL, &status), CL_INVALID_VALUE);
    }
    static char host[512];
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &FORMAT, &FLAT, host, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, &FORMAT, &FLAT, host, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_READ_ONLY, &FORMAT, &FLAT, host, &status), CL_INVALID_HOST_PTR);
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_USE_HOST_PTR, &FORMAT, &FLAT, NULL, &status), CL_INVALID_HOST_PTR);
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &FORMAT, &FLAT, NULL, &status), CL_INVALID_HOST_PTR);
    EXPECT_REFUSED(clCreateImage(NULL, 0, &FORMAT, &FLAT, NULL, &status), CL_INVALID_CONTEXT);
    const cl_mem_properties property[] = {0x4321, 1, 0};
    EXPECT_REFUSED(clCreateImageWithProperties(context, property, 0, &FORMAT, &FLAT, NULL, &status), CL_INVALID_PROPERTY);
    EXPECT_REFUSED(clCreateImageWithProperties(NULL, NULL, 0, &FORMAT, &FLAT, NULL, &status), CL_INVALID_CONTEXT);
}

static void check_parents(void) {
    const cl_mem buffer = buffer_of(1 << 16, NULL);
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1 << 14, .mem_object = buffer};
    const cl_mem image = clCreateImage(context, 0, &FORMAT, &line, NULL, &status);
    CHECK(status);
    line.image_width++;
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &line, NULL, &status), CL_INVALID_IMAGE_SIZE);
    line.image_width = 0;
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &line, NULL, &status), CL_INVALID_IMAGE_SIZE);
    line.image_width = 16;
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &FORMAT, &line, &line, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateImage(context, CL_MEM_ALLOC_HOST_PTR, &FORMAT, &line, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &line, &line, &status), CL_INVALID_HOST_PTR);
    line.mem_object = image;
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &line, NULL, &status), CL_INVALID_IMAGE_DESCRIPTOR);
    line.mem_object = (cl_mem)&line;
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &line, NULL, &status), CL_INVALID_IMAGE_DESCRIPTOR);
    const cl_image_desc deep = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4, .mem_object = buffer};
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &deep, NULL, &status), CL_INVALID_IMAGE_DESCRIPTOR);
    // Images and buffers are of each other's functions only where the specification says so.
    const cl_buffer_region part = {0, 64};
    EXPECT_REFUSED(clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status), CL_INVALID_MEM_OBJECT);
    char host[64];
    EXPECT_ERROR(clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 64, host, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, buffer, image, 0, 0, 64, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueFillBuffer(queue, image, host, 4, 0, 64, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_REFUSED(clEnqueueMapBuffer(queue, image, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof host, host, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(image));
    const cl_mem_flags limits[][2] = {{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE}, {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY}, {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY}, {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY}};
    for (size_t i = 0; i < COUNT(limits); i++) {
        const cl_mem limited = clCreateBuffer(context, limits[i][0], 4096, NULL, &status);
        CHECK(status);
        line.mem_object = limited;
        EXPECT_REFUSED(clCreateImage(context, limits[i][1], &FORMAT, &line, NULL, &status), CL_INVALID_VALUE);
        CHECK(clReleaseMemObject(limited));
    }
    CHECK(clReleaseMemObject(buffer));
}

int main(void) {
    open_device();
    skip_without_images();
    check_sizes();
    check_descriptions();
    check_formats();
    check_flags();
    check_parents();
    close_device();
    return passed();
}
