//! # Formats of images: the lists that the specification asks for, and the size of a texel of each format that the device has.
#include "images.h"

static const cl_channel_type TYPES[] = {CL_UNORM_INT8, CL_UNORM_INT16, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32,
    CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT};

static void require(const cl_image_format* formats, cl_uint count, cl_channel_order order, cl_channel_type type) {
    REQUIRE(has_format(formats, count, order, type), "the device lacks a format of order %#x, type %#x", order, type);
}

static void check_list(cl_mem_flags flags, cl_mem_object_type type) {
    cl_uint count = 0;
    cl_image_format* const formats = formats_of(flags, type, &count);
    for (cl_uint i = 0; i < count; i++) {
        for (cl_uint j = 0; j < i; j++) {
            REQUIRE(memcmp(&formats[i], &formats[j], sizeof formats[i]) != 0, "a format comes twice");
        }
    }
    const bool is_both = flags & CL_MEM_KERNEL_READ_AND_WRITE;
    for (size_t i = 0; i < COUNT(TYPES); i++) {
        // Of both the specification has no 16 bits from 0 to 1.
        if (!is_both || TYPES[i] != CL_UNORM_INT16) {
            require(formats, count, CL_RGBA, TYPES[i]);
        }
        if (is_both && TYPES[i] != CL_UNORM_INT16) {
            require(formats, count, CL_R, TYPES[i]);
        }
    }
    if (!is_both) {
        require(formats, count, CL_BGRA, CL_UNORM_INT8);
    }
    const bool is_flat = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (has_extension("cl_khr_depth_images") && is_flat && !is_both) {
        require(formats, count, CL_DEPTH, CL_UNORM_INT16);
        require(formats, count, CL_DEPTH, CL_FLOAT);
    }
    // A list with room for less is cut, and its number is that of all.
    cl_image_format first[2];
    cl_uint all = 0;
    CHECK(clGetSupportedImageFormats(context, flags, type, 2, first, &all));
    EXPECT_EQUAL(all, count);
    expect_same("the first formats", first, formats, 2, sizeof first[0]);
    free(formats);
}

static void check_texels(const Shape* shape, cl_mem_flags flags) {
    cl_uint count = 0;
    cl_image_format* const formats = formats_of(flags, shape->type, &count);
    const cl_image_desc desc = desc_of(shape);
    for (cl_uint i = 0; i < count; i++) {
        const size_t bytes = bytes_of(formats[i]);
        const cl_mem image = clCreateImage(context, flags, &formats[i], &desc, NULL, &status);
        CHECK(status);
        EXPECT_EQUAL(image_size(image, CL_IMAGE_ELEMENT_SIZE), bytes);
        char* const texels = allocate(texels_of(shape), bytes);
        char* const got = allocate(texels_of(shape), bytes);
        random_fill(texels, texels_of(shape) * bytes, i);
        CHECK(clEnqueueWriteImage(queue, image, CL_FALSE, ORIGIN, shape->size, 0, 0, texels, 0, NULL, NULL));
        read_image(image, shape, got);
        expect_same(shape->name, got, texels, texels_of(shape), bytes);
        CHECK(clReleaseMemObject(image));
        free(texels);
        free(got);
    }
    free(formats);
}

int main(void) {
    open_device();
    skip_without_images();
    static const cl_mem_flags FLAGS[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_MEM_KERNEL_READ_AND_WRITE};
    for (size_t i = 0; i < COUNT(FLAGS); i++) {
        if (FLAGS[i] == CL_MEM_KERNEL_READ_AND_WRITE && device_uint(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) == 0) {
            continue;
        }
        for (size_t j = 0; j < COUNT(SHAPES); j++) {
            check_list(FLAGS[i], SHAPES[j].type);
            if (FLAGS[i] == CL_MEM_READ_ONLY || FLAGS[i] == CL_MEM_READ_WRITE) {
                check_texels(&SHAPES[j], FLAGS[i]);
            }
        }
        check_list(FLAGS[i], CL_MEM_OBJECT_IMAGE1D_BUFFER);
    }
    cl_image_format format;
    cl_uint count;
    EXPECT_ERROR(clGetSupportedImageFormats(NULL, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_INVALID_CONTEXT);
    EXPECT_ERROR(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 0, NULL, &count), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, &format, &count), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetSupportedImageFormats(context, 1ull << 40, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_INVALID_VALUE);
    close_device();
    return passed();
}
