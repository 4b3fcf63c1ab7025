//! # Images of every kind: their attributes, contents from the program's memory with and without pitches, references, destructors.
#include "images.h"

static const cl_image_format FORMAT = {CL_RGBA, CL_UNSIGNED_INT16};
enum { TEXEL = 8 };

static void check_attributes(const Shape* shape, cl_mem image, size_t row, size_t slice) {
    const bool is_array = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || shape->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const bool has_rows = shape->type != CL_MEM_OBJECT_IMAGE1D && shape->type != CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const bool is_3d = shape->type == CL_MEM_OBJECT_IMAGE3D;
    cl_image_format format;
    CHECK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    REQUIRE(memcmp(&format, &FORMAT, sizeof format) == 0, "%s: another format", shape->name);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_ELEMENT_SIZE), TEXEL);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_ROW_PITCH), row);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_SLICE_PITCH), is_array || is_3d ? slice : 0);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_WIDTH), shape->size[0]);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_HEIGHT), has_rows ? shape->size[1] : 0);
    EXPECT_EQUAL(image_size(image, CL_IMAGE_DEPTH), is_3d ? shape->size[2] : 0);
    const size_t images = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape->size[1] : shape->size[2];
    EXPECT_EQUAL(image_size(image, CL_IMAGE_ARRAY_SIZE), is_array ? images : 0);
    cl_uint none = 99;
    CHECK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof none, &none, NULL));
    EXPECT_EQUAL(none, 0);
    CHECK(clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof none, &none, NULL));
    EXPECT_EQUAL(none, 0);
    cl_mem buffer = image;
    CHECK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof buffer, &buffer, NULL));
    REQUIRE(buffer == NULL, "an image of no buffer");
    EXPECT_ERROR(clGetImageInfo(image, 0x1234, sizeof buffer, &buffer, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetImageInfo(image, CL_IMAGE_WIDTH, 1, &buffer, NULL), CL_INVALID_VALUE);
    cl_mem_object_type type = 0;
    CHECK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, shape->type);
    size_t bytes = 0;
    CHECK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    REQUIRE(bytes >= texels_of(shape) * TEXEL, "%s: %zu bytes", shape->name, bytes);
    cl_context of = NULL;
    CHECK(clGetMemObjectInfo(image, CL_MEM_CONTEXT, sizeof of, &of, NULL));
    REQUIRE(of == context, "another context");
}

static void check_contents(const Shape* shape) {
    const size_t count = texels_of(shape);
    uint64_t* const texels = allocate(count, TEXEL);
    uint64_t* const got = allocate(count, TEXEL);
    random_fill(texels, count * TEXEL, 7);
    const size_t row = shape->size[0] * TEXEL;
    const size_t slice = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * shape->size[1];
    cl_mem image = image_of(shape, FORMAT, texels);
    check_attributes(shape, image, row, slice);
    read_image(image, shape, got);
    expect_same(shape->name, got, texels, count, TEXEL);
    CHECK(clReleaseMemObject(image));
    // Rows and slices with padding in the program's memory.
    const bool is_lines = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const bool has_slices = is_lines || shape->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || shape->type == CL_MEM_OBJECT_IMAGE3D;
    const size_t wide = row + 3 * TEXEL;
    const size_t deep = is_lines ? 2 * wide : wide * (shape->size[1] + 2);
    char* const padded = allocate(deep * shape->size[1] * shape->size[2] + deep, 1);
    for (size_t z = 0; z < shape->size[2]; z++) {
        for (size_t y = 0; y < shape->size[1]; y++) {
            char* const at = padded + (is_lines ? y * deep : z * deep + y * wide);
            memcpy(at, texels + place(shape, 0, y, z), row);
        }
    }
    cl_image_desc desc = desc_of(shape);
    desc.image_row_pitch = wide;
    desc.image_slice_pitch = has_slices ? deep : 0;
    for (int use = 0; use < 2; use++) {
        const cl_mem_flags flags = use ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
        image = clCreateImage(context, flags, &FORMAT, &desc, padded, &status);
        CHECK(status);
        check_attributes(shape, image, wide, deep);
        memset(got, 0, count * TEXEL);
        read_image(image, shape, got);
        expect_same(shape->name, got, texels, count, TEXEL);
        void* host = image;
        CHECK(clGetMemObjectInfo(image, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
        REQUIRE(host == (use ? padded : NULL), "%p of the program's memory", host);
        cl_mem_flags own = 0;
        CHECK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof own, &own, NULL));
        EXPECT_EQUAL(own & flags, flags);
        CHECK(clReleaseMemObject(image));
    }
    free(texels);
    free(got);
    free(padded);
}

static void check_older(void) {
    uint64_t texels[4 * 3 * 2], got[4 * 3 * 2];
    random_fill(texels, sizeof texels, 8);
    const Shape flat = {"clCreateImage2D", CL_MEM_OBJECT_IMAGE2D, {4, 3, 1}};
    cl_mem image = clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &FORMAT, 4, 3, 0, texels, &status);
    CHECK(status);
    check_attributes(&flat, image, 4 * TEXEL, 0);
    read_image(image, &flat, got);
    expect_same(flat.name, got, texels, 12, TEXEL);
    CHECK(clReleaseMemObject(image));
    const Shape deep = {"clCreateImage3D", CL_MEM_OBJECT_IMAGE3D, {4, 3, 2}};
    image = clCreateImage3D(context, CL_MEM_COPY_HOST_PTR, &FORMAT, 4, 3, 2, 0, 0, texels, &status);
    CHECK(status);
    check_attributes(&deep, image, 4 * TEXEL, 12 * TEXEL);
    read_image(image, &deep, got);
    expect_same(deep.name, got, texels, 24, TEXEL);
    CHECK(clReleaseMemObject(image));
    EXPECT_REFUSED(clCreateImage2D(context, 0, &FORMAT, 0, 3, 0, NULL, &status), CL_INVALID_IMAGE_SIZE);
    EXPECT_REFUSED(clCreateImage2D(context, 0, &FORMAT, 4, 3, 4 * TEXEL, NULL, &status), CL_INVALID_IMAGE_SIZE);
    EXPECT_REFUSED(clCreateImage3D(context, 0, &FORMAT, 4, 3, 1, 0, 0, NULL, &status), CL_INVALID_IMAGE_SIZE);
    EXPECT_REFUSED(clCreateImage3D(context, CL_MEM_COPY_HOST_PTR, &FORMAT, 4, 3, 2, 4, 0, texels, &status), CL_INVALID_IMAGE_SIZE);
}

static void CL_CALLBACK count_up(cl_mem image, void* count) {
    (void)image;
    ++*(int*)count;
}

static void check_references(void) {
    const Shape* const shape = &SHAPES[2];
    const cl_image_desc desc = desc_of(shape);
    const cl_mem image = clCreateImageWithProperties(context, (const cl_mem_properties[]){0}, CL_MEM_READ_ONLY, &FORMAT, &desc, NULL, &status);
    CHECK(status);
    cl_mem_properties list[4];
    size_t size = 0;
    CHECK(clGetMemObjectInfo(image, CL_MEM_PROPERTIES, sizeof list, list, &size));
    EXPECT_EQUAL(size, sizeof list[0]);
    EXPECT_EQUAL(list[0], 0);
    int ends = 0;
    CHECK(clSetMemObjectDestructorCallback(image, count_up, &ends));
    CHECK(clRetainMemObject(image));
    cl_uint count = 0;
    CHECK(clGetMemObjectInfo(image, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    EXPECT_EQUAL(count, 2);
    CHECK(clReleaseMemObject(image));
    EXPECT_EQUAL(ends, 0);
    CHECK(clReleaseMemObject(image));
    EXPECT_EQUAL(ends, 1);
    EXPECT_ERROR(clReleaseMemObject(image), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clGetImageInfo(image, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
}

int main(void) {
    open_device();
    skip_without_images();
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        check_contents(&SHAPES[i]);
    }
    check_older();
    check_references();
    close_device();
    return passed();
}
