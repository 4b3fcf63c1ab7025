//! # Mapped images: every kind, with memory of the device's and of the program's, pitches, counts, and errors.
#include "images.h"

static const cl_image_format FORMAT = {CL_RGBA, CL_UNSIGNED_INT8};

static bool is_lines(const Shape* shape) { return shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }

static cl_uint map_count(cl_mem image) {
    cl_uint count = 99;
    CHECK(clGetMemObjectInfo(image, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

// The texel at a place of a mapped region.
static uint32_t* mapped(const Shape* shape, char* at, size_t row, size_t slice, size_t x, size_t y, size_t z) {
    return (uint32_t*)(at + (is_lines(shape) ? y * slice : y * row + z * slice) + x * 4);
}

static void check_shape(const Shape* shape, cl_mem_flags flags, uint64_t* seed) {
    const size_t count = texels_of(shape);
    const size_t wide = (shape->size[0] + 5) * 4;
    const size_t deep = is_lines(shape) ? wide : wide * shape->size[1];
    const bool has_slices = is_lines(shape) || shape->size[2] > 1;
    uint32_t* const expected = allocate(count, 4);
    uint32_t* const got = allocate(count, 4);
    char* const host = allocate(deep * shape->size[1] * shape->size[2], 1);
    cl_image_desc desc = desc_of(shape);
    const bool has_host = flags & CL_MEM_USE_HOST_PTR;
    if (has_host) {
        desc.image_row_pitch = wide;
        desc.image_slice_pitch = has_slices ? deep : 0;
    }
    const cl_mem image = clCreateImage(context, flags, &FORMAT, &desc, has_host ? host : NULL, &status);
    CHECK(status);
    random_fill(expected, count * 4, 1);
    CHECK(clEnqueueWriteImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, 0, expected, 0, NULL, NULL));
    for (int time = 0; time < 12; time++) {
        size_t origin[3], region[3], row = 0, slice = 1;
        random_box(shape, seed, origin, region);
        static const cl_map_flags MODES[] = {CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
        const cl_map_flags mode = MODES[time % 3];
        char* const at = clEnqueueMapImage(queue, image, CL_TRUE, mode, origin, region, &row, &slice, 0, NULL, NULL, &status);
        CHECK(status);
        EXPECT_EQUAL(map_count(image), 1);
        REQUIRE(row >= shape->size[0] * 4, "%s: rows of %zu bytes", shape->name, row);
        REQUIRE(has_slices ? slice >= row : slice == 0, "%s: slices of %zu bytes", shape->name, slice);
        if (has_host) {
            EXPECT_EQUAL(row, wide);
            const size_t down = is_lines(shape) ? deep : wide;
            EXPECT_EQUAL(at - host, origin[0] * 4 + origin[1] * down + (is_lines(shape) ? 0 : origin[2] * deep));
        }
        for (size_t z = 0; z < region[2]; z++) {
            for (size_t y = 0; y < region[1]; y++) {
                for (size_t x = 0; x < region[0]; x++) {
                    uint32_t* const texel = mapped(shape, at, row, slice, x, y, z);
                    uint32_t* const model = &expected[place(shape, origin[0] + x, origin[1] + y, origin[2] + z)];
                    if (mode & CL_MAP_READ) {
                        EXPECT_EQUAL(*texel, *model);
                    }
                    if (mode != CL_MAP_READ) {
                        *texel = *model = (uint32_t)random_bits(seed);
                    }
                }
            }
        }
        CHECK(clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL));
        CHECK(clFinish(queue));
        EXPECT_EQUAL(map_count(image), 0);
        read_image(image, shape, got);
        expect_same(shape->name, got, expected, count, 4);
    }
    CHECK(clReleaseMemObject(image));
    free(expected);
    free(got);
    free(host);
}

static void refuse(cl_mem image, cl_map_flags flags, const size_t* origin, const size_t* region, size_t* row, size_t* slice, cl_int error) {
    EXPECT_REFUSED(clEnqueueMapImage(queue, image, CL_TRUE, flags, origin, region, row, slice, 0, NULL, NULL, &status), error);
    EXPECT_EQUAL(map_count(image), 0);
}

static void check_errors(void) {
    const size_t far[3] = {1000, 0, 0};
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        const Shape* const shape = &SHAPES[i];
        const cl_mem image = image_of(shape, FORMAT, NULL);
        size_t row, slice;
        refuse(image, CL_MAP_READ, NULL, shape->size, &row, &slice, CL_INVALID_VALUE);
        refuse(image, CL_MAP_READ, ORIGIN, NULL, &row, &slice, CL_INVALID_VALUE);
        refuse(image, CL_MAP_READ, far, shape->size, &row, &slice, CL_INVALID_VALUE);
        refuse(image, CL_MAP_READ, ORIGIN, far, &row, &slice, CL_INVALID_VALUE);
        refuse(image, 1 << 10, ORIGIN, shape->size, &row, &slice, CL_INVALID_VALUE);
        refuse(image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, ORIGIN, shape->size, &row, &slice, CL_INVALID_VALUE);
        refuse(image, CL_MAP_READ, ORIGIN, shape->size, NULL, &slice, CL_INVALID_VALUE);
        if (is_lines(shape) || shape->size[2] > 1) {
            refuse(image, CL_MAP_READ, ORIGIN, shape->size, &row, NULL, CL_INVALID_VALUE);
        } else {
            void* const at = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, ORIGIN, shape->size, &row, NULL, 0, NULL, NULL, &status);
            CHECK(status);
            EXPECT_ERROR(clEnqueueUnmapMemObject(queue, image, (char*)at + 4, 0, NULL, NULL), CL_INVALID_VALUE);
            const size_t texel[3] = {1, 1, 1};
            EXPECT_REFUSED(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, ORIGIN, texel, &row, NULL, 0, NULL, NULL, &status),
                           CL_INVALID_OPERATION);
            CHECK(clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL));
        }
        CHECK(clReleaseMemObject(image));
    }
    const cl_image_desc desc = desc_of(&SHAPES[2]);
    size_t row;
    cl_mem image = clCreateImage(context, CL_MEM_HOST_WRITE_ONLY, &FORMAT, &desc, NULL, &status);
    CHECK(status);
    refuse(image, CL_MAP_READ, ORIGIN, SHAPES[2].size, &row, NULL, CL_INVALID_OPERATION);
    CHECK(clReleaseMemObject(image));
    image = clCreateImage(context, CL_MEM_HOST_READ_ONLY, &FORMAT, &desc, NULL, &status);
    CHECK(status);
    refuse(image, CL_MAP_WRITE, ORIGIN, SHAPES[2].size, &row, NULL, CL_INVALID_OPERATION);
    CHECK(clReleaseMemObject(image));
}

int main(void) {
    open_device();
    skip_without_images();
    uint64_t seed = 21;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        check_shape(&SHAPES[i], CL_MEM_READ_WRITE, &seed);
        check_shape(&SHAPES[i], CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, &seed);
        check_shape(&SHAPES[i], CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &seed);
    }
    check_errors();
    close_device();
    return passed();
}
