//! # Reads, writes and copies of boxes with pitches in one to three dimensions, against loops of the host, and their errors.
#include "check.h"

enum { BYTES = 6000 };

static unsigned char model[BYTES], other_model[BYTES], got[BYTES], host[BYTES];

// A box in memory: where it begins, and the distances of rows and slices.
typedef struct {
    size_t origin[3], row, slice;
} Place;

static size_t place_offset(const Place* place, size_t y, size_t z) {
    return (place->origin[2] + z) * place->slice + (place->origin[1] + y) * place->row + place->origin[0];
}

static void copy_box(unsigned char* to, const Place* at, const unsigned char* from, const Place* source, const size_t* region) {
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++) {
            memcpy(to + place_offset(at, y, z), from + place_offset(source, y, z), region[0]);
        }
    }
}

// Bytes up to the end of a box.
static size_t end_of(const Place* place, const size_t* region) {
    return place_offset(place, region[1] - 1, region[2] - 1) + region[0];
}

// A place for a region, with pitches that are tight, or wider.
static Place random_place(uint64_t* seed, const size_t* region) {
    Place place = {{random_bits(seed) % 8, random_bits(seed) % 4, random_bits(seed) % 3}, 0, 0};
    place.row = region[0] + place.origin[0] + random_bits(seed) % 5;
    // A slice has whole rows in copies, though not in reads and writes of some versions.
    place.slice = place.row * (region[1] + place.origin[1] + random_bits(seed) % 3);
    return place;
}

static void check_contents(void) {
    uint64_t seed = 11;
    random_fill(model, BYTES, 12);
    random_fill(other_model, BYTES, 13);
    const cl_mem a = buffer_of(BYTES, model), b = buffer_of(BYTES, other_model);
    int done[3] = {0};
    for (int turn = 0; turn < 150; turn++) {
        const size_t region[3] = {1 + random_bits(&seed) % 30, 1 + random_bits(&seed) % (turn % 5 == 0 ? 1 : 9),
                                  1 + random_bits(&seed) % (turn % 2 == 0 ? 1 : 5)};
        const Place p = random_place(&seed, region), q = random_place(&seed, region);
        if (end_of(&p, region) > BYTES || end_of(&q, region) > BYTES) {
            continue;
        }
        const cl_bool blocking = random_bits(&seed) % 2;
        done[turn % 3]++;
        switch (turn % 3) {
            case 0:
                random_fill(host, BYTES, seed);
                CHECK(clEnqueueWriteBufferRect(queue, a, blocking, p.origin, q.origin, region, p.row, p.slice, q.row, q.slice,
                                               host, 0, NULL, NULL));
                CHECK(clFinish(queue));
                copy_box(model, &p, host, &q, region);
                break;
            case 1:
                CHECK(clEnqueueCopyBufferRect(queue, a, b, p.origin, q.origin, region, p.row, p.slice, q.row, q.slice, 0, NULL,
                                              NULL));
                copy_box(other_model, &q, model, &p, region);
                break;
            case 2:
                random_fill(got, BYTES, seed);
                memcpy(host, got, BYTES);
                copy_box(host, &q, other_model, &p, region);
                CHECK(clEnqueueReadBufferRect(queue, b, blocking, p.origin, q.origin, region, p.row, p.slice, q.row, q.slice, got,
                                              0, NULL, NULL));
                CHECK(clFinish(queue));
                expect_same("read", got, host, BYTES, 1);
        }
    }
    REQUIRE(done[0] > 20 && done[1] > 20 && done[2] > 20, "boxes: %d, %d, %d", done[0], done[1], done[2]);
    download(a, BYTES, got);
    expect_same("first", got, model, BYTES, 1);
    download(b, BYTES, got);
    expect_same("second", got, other_model, BYTES, 1);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

// Pitches of zero stand for those of a box without gaps.
static void check_default_pitches(void) {
    const size_t origin[3] = {2, 1, 1}, zero[3] = {0, 0, 0}, region[3] = {10, 4, 3};
    random_fill(model, BYTES, 14);
    const cl_mem a = buffer_of(BYTES, model), b = buffer_of(BYTES, model);
    Place tight = {{2, 1, 1}, 10, 40}, first = {{0, 0, 0}, 10, 40};
    memset(got, 0, BYTES);
    memset(host, 0, BYTES);
    CHECK(clEnqueueReadBufferRect(queue, a, CL_TRUE, origin, zero, region, 0, 0, 0, 0, got, 0, NULL, NULL));
    copy_box(host, &first, model, &tight, region);
    expect_same("read", got, host, BYTES, 1);
    random_fill(host, BYTES, 15);
    CHECK(clEnqueueWriteBufferRect(queue, a, CL_TRUE, origin, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
    memcpy(other_model, model, BYTES);
    copy_box(model, &tight, host, &first, region);
    CHECK(clEnqueueCopyBufferRect(queue, a, b, origin, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
    copy_box(other_model, &first, model, &tight, region);
    download(b, BYTES, got);
    expect_same("copy", got, other_model, BYTES, 1);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

// Two boxes of one buffer, side by side in the same rows: no byte is in both.
static void check_within_one(void) {
    random_fill(model, BYTES, 16);
    const cl_mem a = buffer_of(BYTES, model);
    const size_t left[3] = {0, 0, 0}, right[3] = {32, 0, 0}, near[3] = {8, 0, 0}, region[3] = {32, 8, 2};
    CHECK(clEnqueueCopyBufferRect(queue, a, a, left, right, region, 64, 64 * 10, 64, 64 * 10, 0, NULL, NULL));
    const Place from = {{0, 0, 0}, 64, 640}, to = {{32, 0, 0}, 64, 640};
    copy_box(model, &to, model, &from, region);
    download(a, BYTES, got);
    expect_same("halves", got, model, BYTES, 1);
    EXPECT_ERROR(clEnqueueCopyBufferRect(queue, a, a, left, near, region, 64, 640, 64, 640, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    EXPECT_ERROR(clEnqueueCopyBufferRect(queue, a, a, left, right, region, 64, 640, 128, 1280, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(a));
}

static void check_errors(void) {
    const cl_mem a = buffer_of(1000, NULL), b = buffer_of(1000, NULL);
    const size_t zero[3] = {0, 0, 0};
    const struct {
        size_t origin[3], region[3], row, slice;
    } wrong[] = {
        {{0, 0, 0}, {0, 1, 1}, 0, 0},       {{0, 0, 0}, {1, 0, 1}, 0, 0},   {{0, 0, 0}, {1, 1, 0}, 0, 0},
        {{0, 0, 0}, {10, 2, 1}, 9, 0},      {{0, 0, 0}, {10, 4, 2}, 10, 39}, {{0, 0, 0}, {10, 4, 2}, 10, 45},
        {{0, 0, 0}, {1001, 1, 1}, 0, 0},    {{0, 0, 0}, {10, 101, 1}, 0, 0}, {{0, 0, 0}, {10, 10, 11}, 0, 0},
        {{1, 0, 0}, {1000, 1, 1}, 0, 0},    {{0, 1, 0}, {10, 100, 1}, 0, 0}, {{0, 0, 1}, {10, 10, 10}, 0, 0},
        {{0, 0, 0}, {10, 2, 1}, 1000, 2000}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_ERROR(clEnqueueReadBufferRect(queue, a, CL_TRUE, wrong[i].origin, zero, wrong[i].region, wrong[i].row,
                                             wrong[i].slice, 0, 0, got, 0, NULL, NULL),
                     CL_INVALID_VALUE);
        EXPECT_ERROR(clEnqueueWriteBufferRect(queue, a, CL_TRUE, wrong[i].origin, zero, wrong[i].region, wrong[i].row,
                                              wrong[i].slice, 0, 0, got, 0, NULL, NULL),
                     CL_INVALID_VALUE);
        EXPECT_ERROR(clEnqueueCopyBufferRect(queue, a, b, wrong[i].origin, zero, wrong[i].region, wrong[i].row, wrong[i].slice,
                                             wrong[i].row, wrong[i].slice, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    }
    const size_t region[3] = {4, 4, 4};
    EXPECT_ERROR(clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, region, 0, 0, 3, 0, got, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, region, 0, 0, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueReadBufferRect(queue, a, CL_TRUE, NULL, zero, region, 0, 0, 0, 0, got, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueReadBufferRect(queue, NULL, CL_TRUE, zero, zero, region, 0, 0, 0, 0, got, 0, NULL, NULL),
                 CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueWriteBufferRect(NULL, a, CL_TRUE, zero, zero, region, 0, 0, 0, 0, got, 0, NULL, NULL),
                 CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueCopyBufferRect(queue, a, b, zero, zero, region, 0, 0, 0, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

int main(void) {
    open_device();
    check_contents();
    check_default_pitches();
    check_within_one();
    check_errors();
    close_device();
    return passed();
}
