//! # Images read and written in boxes, with and without pitches of the program's, compared with arrays; and the errors.
#include "images.h"

static const cl_image_format FORMAT = {CL_RG, CL_UNSIGNED_INT8};
enum { TEXEL = 2, TIMES = 40 };

static bool is_lines(const Shape* shape) { return shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }

static bool has_slices(const Shape* shape) {
    return is_lines(shape) || shape->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || shape->type == CL_MEM_OBJECT_IMAGE3D;
}

static void check_boxes(const Shape* shape) {
    const size_t count = texels_of(shape);
    uint16_t* const expected = allocate(count, TEXEL);
    uint16_t* const got = allocate(count, TEXEL);
    random_fill(expected, count * TEXEL, 3);
    const cl_mem image = image_of(shape, FORMAT, expected);
    uint64_t seed = 11;
    for (int time = 0; time < TIMES; time++) {
        size_t origin[3], region[3];
        random_box(shape, &seed, origin, region);
        // Pitches are given, or left to the platform, each by itself.
        const size_t row = region[0] * TEXEL + random_bits(&seed) % 5;
        const size_t rows = is_lines(shape) ? 1 : region[1];
        const size_t given_row = time % 2 ? row : 0;
        const size_t pitch = given_row ? given_row : region[0] * TEXEL;
        const size_t slice = pitch * rows + random_bits(&seed) % 9;
        const size_t given_slice = time % 3 && has_slices(shape) ? slice : 0;
        const size_t layer = given_slice ? given_slice : pitch * rows;
        const size_t down = is_lines(shape) ? layer : pitch;
        char* const box = allocate(down * region[1] + layer * region[2] + 64, 1);
        const bool is_write = time % 4 < 2;
        random_fill(box, down * region[1] + layer * region[2], seed);
        if (is_write) {
            CHECK(clEnqueueWriteImage(queue, image, time % 8 < 4, origin, region, given_row, given_slice, box, 0, NULL, NULL));
        } else {
            CHECK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, given_row, given_slice, box, 0, NULL, NULL));
        }
        CHECK(clFinish(queue));
        for (size_t z = 0; z < region[2]; z++) {
            for (size_t y = 0; y < region[1]; y++) {
                uint16_t* const texels = &expected[place(shape, origin[0], origin[1] + y, origin[2] + z)];
                char* const at = box + z * layer + y * down;
                if (is_write) {
                    memcpy(texels, at, region[0] * TEXEL);
                } else {
                    expect_same(shape->name, at, texels, region[0], TEXEL);
                }
            }
        }
        free(box);
    }
    read_image(image, shape, got);
    expect_same(shape->name, got, expected, count, TEXEL);
    CHECK(clReleaseMemObject(image));
    free(expected);
    free(got);
}

static void check_bounds(const Shape* shape) {
    const cl_mem image = image_of(shape, FORMAT, NULL);
    static char host[1 << 16];
    for (int d = 0; d < 3; d++) {
        size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
        origin[d] = shape->size[d];
        EXPECT_ERROR(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
        EXPECT_ERROR(clEnqueueFillImage(queue, image, host, origin, region, 0, NULL, NULL), CL_INVALID_VALUE);
        origin[d] = SIZE_MAX;
        EXPECT_ERROR(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
        origin[d] = 0;
        region[d] = shape->size[d] + 1;
        EXPECT_ERROR(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
        EXPECT_ERROR(clEnqueueCopyImage(queue, image, image, origin, origin, region, 0, NULL, NULL), CL_INVALID_VALUE);
        region[d] = 0;
        EXPECT_ERROR(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
    }
    const size_t row = shape->size[0] * TEXEL;
    EXPECT_ERROR(clEnqueueReadImage(queue, image, CL_TRUE, ORIGIN, shape->size, row - 1, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
    const size_t rows = is_lines(shape) ? 1 : shape->size[1];
    EXPECT_ERROR(clEnqueueReadImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, has_slices(shape) ? row * rows - 1 : row * rows, host, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueReadImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueWriteImage(queue, image, CL_TRUE, NULL, shape->size, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueWriteImage(queue, image, CL_TRUE, ORIGIN, NULL, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueWriteImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, 0, host, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clEnqueueWriteImage(NULL, image, CL_TRUE, ORIGIN, shape->size, 0, 0, host, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueFillImage(queue, image, NULL, ORIGIN, shape->size, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(image));
    EXPECT_ERROR(clEnqueueReadImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, 0, host, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
}

static void check_access(void) {
    const Shape* const shape = &SHAPES[2];
    const cl_image_desc desc = desc_of(shape);
    static char host[1 << 12];
    const cl_mem_flags flags[] = {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY};
    for (size_t i = 0; i < COUNT(flags); i++) {
        const cl_mem image = clCreateImage(context, flags[i], &FORMAT, &desc, NULL, &status);
        CHECK(status);
        const cl_int reads = i == 1 ? CL_SUCCESS : CL_INVALID_OPERATION, writes = i == 2 ? CL_SUCCESS : CL_INVALID_OPERATION;
        EXPECT_ERROR(clEnqueueReadImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, 0, host, 0, NULL, NULL), reads);
        EXPECT_ERROR(clEnqueueWriteImage(queue, image, CL_TRUE, ORIGIN, shape->size, 0, 0, host, 0, NULL, NULL), writes);
        CHECK(clEnqueueFillImage(queue, image, host, ORIGIN, shape->size, 0, NULL, NULL));
        CHECK(clReleaseMemObject(image));
    }
    const cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    const cl_mem foreign = clCreateImage(other, 0, &FORMAT, &desc, NULL, &status);
    CHECK(status);
    EXPECT_ERROR(clEnqueueReadImage(queue, foreign, CL_TRUE, ORIGIN, shape->size, 0, 0, host, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK(clReleaseMemObject(foreign));
    CHECK(clReleaseContext(other));
}

static void check_events(void) {
    const Shape* const shape = &SHAPES[2];
    const cl_mem image = image_of(shape, FORMAT, NULL);
    static uint16_t texels[37 * 11], got[37 * 11];
    random_fill(texels, sizeof texels, 5);
    const cl_event start = clCreateUserEvent(context, &status);
    CHECK(status);
    cl_event written, read;
    CHECK(clEnqueueWriteImage(queue, image, CL_FALSE, ORIGIN, shape->size, 0, 0, texels, 1, &start, &written));
    CHECK(clEnqueueReadImage(queue, image, CL_FALSE, ORIGIN, shape->size, 0, 0, got, 1, &written, &read));
    cl_command_type type = 0;
    CHECK(clGetEventInfo(written, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_WRITE_IMAGE);
    CHECK(clGetEventInfo(read, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_READ_IMAGE);
    // The commands keep the image.
    CHECK(clReleaseMemObject(image));
    CHECK(clSetUserEventStatus(start, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &read));
    expect_same("after a user event", got, texels, COUNT(got), TEXEL);
    CHECK(clReleaseEvent(start));
    CHECK(clReleaseEvent(written));
    CHECK(clReleaseEvent(read));
}

int main(void) {
    open_device();
    skip_without_images();
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        check_boxes(&SHAPES[i]);
        check_bounds(&SHAPES[i]);
    }
    check_access();
    check_events();
    close_device();
    return passed();
}
