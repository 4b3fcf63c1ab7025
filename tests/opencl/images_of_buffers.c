//! # Images of a buffer's memory, in one and two dimensions, and of another image's: attributes, kernels that see one memory, and errors.
//! targets = ["gfx906", "gfx803", "gfx701"]
#include "images.h"

static const cl_image_format FORMAT = {CL_RGBA, CL_UNSIGNED_INT8};

static void check_parent(cl_mem image, cl_mem parent, cl_mem buffer) {
    cl_mem got = NULL;
    CHECK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof got, &got, NULL));
    REQUIRE(got == parent, "another parent");
    CHECK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof got, &got, NULL));
    REQUIRE(got == buffer, "another buffer");
}

static void check_line(void) {
    enum { TEXELS = 1000 };
    static uint32_t texels[TEXELS], got[TEXELS];
    random_fill(texels, sizeof texels, 1);
    const cl_mem buffer = buffer_of(sizeof texels, texels);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = TEXELS, .mem_object = buffer};
    const cl_mem image = clCreateImage(context, 0, &FORMAT, &desc, NULL, &status);
    CHECK(status);
    check_parent(image, buffer, buffer);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_WIDTH), TEXELS);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_HEIGHT), 0);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_ROW_PITCH), TEXELS * 4);
    const cl_program program = build(
        "kernel void reverse(read_only image1d_buffer_t from, write_only image1d_buffer_t to, global int* width) {\n"
        "    int x = get_global_id(0), n = get_image_width(from);\n"
        "    if (x == 0) *width = n;\n"
        "    write_imageui(to, x, read_imageui(from, n - 1 - x).wzyx); }\n", "");
    const cl_kernel kernel = kernel_of(program, "reverse");
    const cl_mem target = buffer_of(sizeof texels, NULL), width = buffer_of(4, NULL);
    cl_image_desc other = desc;
    other.mem_object = target;
    const cl_mem to = clCreateImage(context, CL_MEM_WRITE_ONLY, &FORMAT, &other, NULL, &status);
    CHECK(status);
    SET(kernel, 0, image);
    SET(kernel, 1, to);
    SET(kernel, 2, width);
    launch(kernel, TEXELS, 0);
    int n = 0;
    download(width, sizeof n, &n);
    EXPECT_EQUAL(n, TEXELS);
    download(target, sizeof got, got);
    static uint32_t expected[TEXELS];
    for (int i = 0; i < TEXELS; i++) {
        expected[i] = __builtin_bswap32(texels[TEXELS - 1 - i]);
    }
    expect_same("a buffer that was written as an image", got, expected, TEXELS, 4);
    // Commands of images see the same memory.
    const size_t at[3] = {7, 0, 0}, region[3] = {100, 1, 1};
    CHECK(clEnqueueReadImage(queue, to, CL_TRUE, at, region, 0, 0, got, 0, NULL, NULL));
    expect_same("the image", got, expected + 7, 100, 4);
    EXPECT_ERROR(clEnqueueCopyImageToBuffer(queue, image, buffer, at, region, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyBufferToImage(queue, buffer, image, 0, at, region, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    // The images keep the buffers.
    CHECK(clReleaseMemObject(buffer));
    CHECK(clEnqueueReadImage(queue, image, CL_TRUE, at, region, 0, 0, got, 0, NULL, NULL));
    expect_same("after the buffer", got, texels + 7, 100, 4);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(target));
    CHECK(clReleaseMemObject(width));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void check_flat(void) {
    const size_t align = device_uint(CL_DEVICE_IMAGE_PITCH_ALIGNMENT), base = device_uint(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT);
    if (!has_extension("cl_khr_image2d_from_buffer")) {
        return;
    }
    REQUIRE(align > 0 && base > 0, "alignments of %zu and %zu", align, base);
    const size_t row = align * 4, height = 5, width = align - 3;
    uint32_t* const texels = allocate(row * height, 1);
    uint32_t* const got = allocate(row * height, 1);
    random_fill(texels, row * height, 2);
    const cl_mem buffer = buffer_of(row * height, texels);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = row, .mem_object = buffer};
    const cl_mem image = clCreateImage(context, 0, &FORMAT, &desc, NULL, &status);
    CHECK(status);
    check_parent(image, buffer, buffer);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_ROW_PITCH), row);
    const cl_program program = build(
        "kernel void invert(read_only image2d_t from, global uchar4* to, int width) {\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    to[y * width + x] = ~convert_uchar4(read_imageui(from, (int2)(x, y))); }\n", "");
    const cl_kernel kernel = kernel_of(program, "invert");
    const cl_mem out = buffer_of(row * height, NULL);
    const cl_int columns = (cl_int)width;
    SET(kernel, 0, image);
    SET(kernel, 1, out);
    SET(kernel, 2, columns);
    const size_t range[2] = {width, height};
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, range, NULL, 0, NULL, NULL));
    download(out, width * height * 4, got);
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            EXPECT_EQUAL(got[y * width + x], ~texels[y * align + x]);
        }
    }
    // Copies from the first row of the image to the last one of its buffer, and back to another row.
    const size_t top[3] = {0, 0, 0}, third[3] = {0, 2, 0}, region[3] = {8, 1, 1};
    CHECK(clEnqueueCopyImageToBuffer(queue, image, buffer, top, region, row * (height - 1), 0, NULL, NULL));
    CHECK(clEnqueueCopyBufferToImage(queue, buffer, image, row * (height - 1), third, region, 0, NULL, NULL));
    download(buffer, row * height, got);
    expect_same("copied to the buffer", got + align * (height - 1), texels, 8, 4);
    expect_same("copied to the image", got + align * 2, texels, 8, 4);
    // Kernels read sRGB and do not write it, and the buffer is for both.
    const cl_image_format read_only = {CL_sRGBA, CL_UNORM_INT8};
    EXPECT_REFUSED(clCreateImage(context, 0, &read_only, &desc, NULL, &status), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    const cl_mem read = clCreateImage(context, CL_MEM_READ_ONLY, &read_only, &desc, NULL, &status);
    CHECK(status);
    CHECK(clReleaseMemObject(read));
    desc.image_row_pitch = row + 4;
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &desc, NULL, &status), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.image_row_pitch = row;
    desc.image_height = height + 1;
    EXPECT_REFUSED(clCreateImage(context, 0, &FORMAT, &desc, NULL, &status), CL_INVALID_IMAGE_SIZE);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    free(texels);
    free(got);
}

static void check_view(void) {
    const Shape shape = {"2D", CL_MEM_OBJECT_IMAGE2D, {4, 1, 1}};
    const unsigned char texels[16] = {0, 255, 188, 10, 255, 255, 255, 255, 0, 0, 0, 0, 100, 50, 25, 12};
    const cl_mem image = image_of(&shape, (cl_image_format){CL_RGBA, CL_UNORM_INT8}, texels);
    cl_image_desc desc = desc_of(&shape);
    desc.mem_object = image;
    const cl_image_format format = {CL_sRGBA, CL_UNORM_INT8};
    const cl_mem view = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
    CHECK(status);
    check_parent(view, image, NULL);
    const cl_program program = build(
        "kernel void values(read_only image2d_t i, global float4* out) { out[get_global_id(0)] = read_imagef(i, (int2)(get_global_id(0), 0)); }", "");
    const cl_kernel kernel = kernel_of(program, "values");
    const cl_mem out = buffer_of(64, NULL);
    SET(kernel, 0, view);
    SET(kernel, 1, out);
    launch(kernel, 4, 0);
    float got[16];
    double expected[16];
    download(out, sizeof got, got);
    for (int i = 0; i < 16; i++) {
        const double value = texels[i] / 255.0;
        expected[i] = i % 4 == 3 ? value : value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    }
    expect_near("sRGB", got, expected, 16, 0.5 / 255);
    const cl_image_format wrong[] = {{CL_sRGBA, CL_UNORM_INT8}, {CL_RGBA, CL_SIGNED_INT8}, {CL_BGRA, CL_UNORM_INT8}};
    for (size_t i = 1; i < COUNT(wrong); i++) {
        EXPECT_REFUSED(clCreateImage(context, 0, &wrong[i], &desc, NULL, &status), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    desc.image_width++;
    EXPECT_REFUSED(clCreateImage(context, 0, &format, &desc, NULL, &status), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(view));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    skip_without_images();
    check_line();
    check_flat();
    check_view();
    close_device();
    return passed();
}
