//! # Copies between images of all kinds, and between images and buffers, compared with arrays; and the errors.
#include "images.h"

static const cl_image_format FORMAT = {CL_R, CL_UNSIGNED_INT32};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Copies a box that both images have from one to the other.
static void check_pair(const Shape* from, const Shape* to, uint64_t* seed) {
    uint32_t* const source = allocate(texels_of(from), 4);
    uint32_t* const expected = allocate(texels_of(to), 4);
    uint32_t* const got = allocate(texels_of(to), 4);
    random_fill(source, texels_of(from) * 4, 1);
    random_fill(expected, texels_of(to) * 4, 2);
    const cl_mem read = image_of(from, FORMAT, source), written = image_of(to, FORMAT, expected);
    size_t a[3], b[3], region[3];
    for (int d = 0; d < 3; d++) {
        region[d] = 1 + random_bits(seed) % least(from->size[d], to->size[d]);
        a[d] = random_bits(seed) % (from->size[d] - region[d] + 1);
        b[d] = random_bits(seed) % (to->size[d] - region[d] + 1);
    }
    cl_event event;
    CHECK(clEnqueueCopyImage(queue, read, written, a, b, region, 0, NULL, &event));
    cl_command_type type = 0;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EXPECT_EQUAL(type, CL_COMMAND_COPY_IMAGE);
    CHECK(clReleaseEvent(event));
    read_image(written, to, got);
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++) {
            memcpy(&expected[place(to, b[0], b[1] + y, b[2] + z)], &source[place(from, a[0], a[1] + y, a[2] + z)], region[0] * 4);
        }
    }
    expect_same(to->name, got, expected, texels_of(to), 4);
    CHECK(clReleaseMemObject(read));
    CHECK(clReleaseMemObject(written));
    free(source);
    free(expected);
    free(got);
}

static void check_buffers(const Shape* shape, uint64_t* seed) {
    uint32_t* const texels = allocate(texels_of(shape), 4);
    enum { NUMBERS = 4096 };
    static uint32_t numbers[NUMBERS], got[NUMBERS];
    random_fill(texels, texels_of(shape) * 4, 3);
    random_fill(numbers, sizeof numbers, 4);
    const cl_mem image = image_of(shape, FORMAT, texels), buffer = buffer_of(sizeof numbers, numbers);
    for (int time = 0; time < 6; time++) {
        size_t origin[3], region[3];
        random_box(shape, seed, origin, region);
        const size_t count = region[0] * region[1] * region[2];
        const size_t first = random_bits(seed) % (NUMBERS - count);
        const bool is_read = time % 2;
        if (is_read) {
            CHECK(clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, first * 4, 0, NULL, NULL));
        } else {
            CHECK(clEnqueueCopyBufferToImage(queue, buffer, image, first * 4, origin, region, 0, NULL, NULL));
        }
        uint32_t* at = numbers + first;
        for (size_t z = 0; z < region[2]; z++) {
            for (size_t y = 0; y < region[1]; y++, at += region[0]) {
                uint32_t* const row = &texels[place(shape, origin[0], origin[1] + y, origin[2] + z)];
                memcpy(is_read ? at : row, is_read ? row : at, region[0] * 4);
            }
        }
    }
    download(buffer, sizeof got, got);
    expect_same("the buffer", got, numbers, NUMBERS, 4);
    read_image(image, shape, got);
    expect_same(shape->name, got, texels, texels_of(shape), 4);
    // A region that the buffer has no room for.
    EXPECT_ERROR(clEnqueueCopyImageToBuffer(queue, image, buffer, ORIGIN, shape->size, sizeof numbers - texels_of(shape) * 4 + 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueCopyBufferToImage(queue, buffer, image, SIZE_MAX, ORIGIN, shape->size, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueCopyImageToBuffer(queue, image, image, ORIGIN, shape->size, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, ORIGIN, shape->size, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyImageToBuffer(queue, image, buffer, NULL, shape->size, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueCopyBufferToImage(queue, buffer, image, 0, ORIGIN, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(buffer));
    free(texels);
}

static void check_errors(void) {
    const Shape* const shape = &SHAPES[2];
    const cl_mem image = image_of(shape, FORMAT, NULL);
    const cl_image_format formats[] = {{CL_R, CL_SIGNED_INT32}, {CL_RG, CL_UNSIGNED_INT32}};
    for (size_t i = 0; i < COUNT(formats); i++) {
        const cl_mem other = image_of(shape, formats[i], NULL);
        EXPECT_ERROR(clEnqueueCopyImage(queue, image, other, ORIGIN, ORIGIN, shape->size, 0, NULL, NULL), CL_IMAGE_FORMAT_MISMATCH);
        CHECK(clReleaseMemObject(other));
    }
    const size_t near[3] = {3, 2, 0}, beside[3] = {8, 0, 0}, region[3] = {8, 4, 1};
    EXPECT_ERROR(clEnqueueCopyImage(queue, image, image, ORIGIN, near, region, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    EXPECT_ERROR(clEnqueueCopyImage(queue, image, image, ORIGIN, ORIGIN, region, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK(clEnqueueCopyImage(queue, image, image, ORIGIN, beside, region, 0, NULL, NULL));
    const cl_mem buffer = buffer_of(4096, NULL);
    EXPECT_ERROR(clEnqueueCopyImage(queue, image, buffer, ORIGIN, ORIGIN, region, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyImage(queue, buffer, image, ORIGIN, ORIGIN, region, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyImage(queue, image, image, NULL, beside, region, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueCopyImage(queue, image, image, ORIGIN, NULL, region, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueCopyImage(queue, image, image, ORIGIN, beside, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(image));
}

int main(void) {
    open_device();
    skip_without_images();
    uint64_t seed = 9;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        for (size_t j = 0; j < COUNT(SHAPES); j++) {
            check_pair(&SHAPES[i], &SHAPES[j], &seed);
        }
        check_buffers(&SHAPES[i], &seed);
    }
    check_errors();
    close_device();
    return passed();
}
