// Images of every kind, with the texels that they must have: dense arrays of the program's.
#ifndef IMAGES_H
#define IMAGES_H

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "check.h"

// A kind of image with its size as commands count it: texels in a row, rows or lines of an array, slices or images of an array.
typedef struct {
    const char* name;
    cl_mem_object_type type;
    size_t size[3];
} Shape;

static const Shape SHAPES[] = {
    {"1D", CL_MEM_OBJECT_IMAGE1D, {37, 1, 1}},
    {"1D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, {37, 5, 1}},
    {"2D", CL_MEM_OBJECT_IMAGE2D, {37, 11, 1}},
    {"2D array", CL_MEM_OBJECT_IMAGE2D_ARRAY, {19, 7, 5}},
    {"3D", CL_MEM_OBJECT_IMAGE3D, {19, 7, 5}},
};

static const size_t ORIGIN[3] = {0, 0, 0};

static inline void skip_without_images(void) {
    if (!device_uint(CL_DEVICE_IMAGE_SUPPORT)) {
        skip("images");
    }
}

static inline size_t texels_of(const Shape* shape) { return shape->size[0] * shape->size[1] * shape->size[2]; }

static inline cl_image_desc desc_of(const Shape* shape) {
    const size_t* const size = shape->size;
    cl_image_desc desc = {.image_type = shape->type, .image_width = size[0]};
    switch (shape->type) {
        case CL_MEM_OBJECT_IMAGE1D_ARRAY: desc.image_array_size = size[1]; break;
        case CL_MEM_OBJECT_IMAGE2D: desc.image_height = size[1]; break;
        case CL_MEM_OBJECT_IMAGE2D_ARRAY: desc.image_height = size[1]; desc.image_array_size = size[2]; break;
        case CL_MEM_OBJECT_IMAGE3D: desc.image_height = size[1]; desc.image_depth = size[2]; break;
        default: break;
    }
    return desc;
}

static inline size_t channels_of(cl_image_format format) {
    switch (format.image_channel_order) {
        case CL_RG: case CL_RA: return 2;
        case CL_RGBA: case CL_BGRA: case CL_ARGB: case CL_sRGBA: return 4;
        default: return 1;
    }
}

// Bytes of a texel.
static inline size_t bytes_of(cl_image_format format) {
    switch (format.image_channel_data_type) {
        case CL_UNORM_SHORT_565: case CL_UNORM_SHORT_555: return 2;
        case CL_UNORM_INT_101010: return 4;
        case CL_SNORM_INT8: case CL_UNORM_INT8: case CL_SIGNED_INT8: case CL_UNSIGNED_INT8: return channels_of(format);
        case CL_SIGNED_INT32: case CL_UNSIGNED_INT32: case CL_FLOAT: return 4 * channels_of(format);
        default: return 2 * channels_of(format);
    }
}

// An image for kernels to read and write, with texels unless `texels` is null.
static inline cl_mem image_of(const Shape* shape, cl_image_format format, const void* texels) {
    const cl_image_desc desc = desc_of(shape);
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (texels != NULL ? CL_MEM_COPY_HOST_PTR : 0);
    const cl_mem image = clCreateImage(context, flags, &format, &desc, (void*)texels, &status);
    CHECK(status);
    return image;
}

// All texels of an image.
static inline void read_image(cl_mem image, const Shape* shape, void* texels) {
    CHECK(clEnqueueReadImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, 0, texels, 0, NULL, NULL));
}

static inline size_t image_size(cl_mem image, cl_image_info name) {
    size_t value = 99, size = 0;
    CHECK(clGetImageInfo(image, name, sizeof value, &value, &size));
    EXPECT_EQUAL(size, sizeof value);
    return value;
}

// Formats that the device has for some flags; the caller frees them.
static inline cl_image_format* formats_of(cl_mem_flags flags, cl_mem_object_type type, cl_uint* count) {
    CHECK(clGetSupportedImageFormats(context, flags, type, 0, NULL, count));
    cl_image_format* const formats = allocate(*count, sizeof *formats);
    if (*count > 0) {
        CHECK(clGetSupportedImageFormats(context, flags, type, *count, formats, NULL));
    }
    return formats;
}

static inline bool has_format(const cl_image_format* formats, cl_uint count, cl_channel_order order, cl_channel_type type) {
    for (cl_uint i = 0; i < count; i++) {
        if (formats[i].image_channel_order == order && formats[i].image_channel_data_type == type) {
            return true;
        }
    }
    return false;
}

// A random box in a shape.
static inline void random_box(const Shape* shape, uint64_t* seed, size_t origin[3], size_t region[3]) {
    for (int d = 0; d < 3; d++) {
        origin[d] = random_bits(seed) % shape->size[d];
        region[d] = 1 + random_bits(seed) % (shape->size[d] - origin[d]);
    }
}

// The place of a texel in a dense array.
static inline size_t place(const Shape* shape, size_t x, size_t y, size_t z) {
    return (z * shape->size[1] + y) * shape->size[0] + x;
}

#endif
