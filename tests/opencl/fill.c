//! # Fills of buffers with patterns of every size, at every multiple of it, and their errors.
#include "check.h"

enum { BYTES = 2048 };

int main(void) {
    open_device();
    static unsigned char model[BYTES], got[BYTES], pattern[256];
    random_fill(model, BYTES, 5);
    random_fill(pattern, sizeof pattern, 6);
    const cl_mem buffer = buffer_of(BYTES, model);
    uint64_t seed = 7;
    for (size_t size = 1; size <= 128; size *= 2) {
        for (int turn = 0; turn < 12; turn++) {
            const size_t most = BYTES / size, offset = random_bits(&seed) % most * size;
            const size_t length = random_bits(&seed) % (most - offset / size + 1) * size;
            if (length == 0) {
                continue;
            }
            pattern[0] = (unsigned char)turn;
            cl_event event;
            CHECK(clEnqueueFillBuffer(queue, buffer, pattern, size, offset, length, 0, NULL, &event));
            // The pattern is taken at the call.
            unsigned char kept[128];
            memcpy(kept, pattern, size);
            memset(pattern, 0xaa, size);
            CHECK(clWaitForEvents(1, &event));
            cl_command_type type;
            CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
            EXPECT_EQUAL(type, CL_COMMAND_FILL_BUFFER);
            CHECK(clReleaseEvent(event));
            memcpy(pattern, kept, size);
            for (size_t i = 0; i < length; i++) {
                model[offset + i] = pattern[i % size];
            }
        }
        download(buffer, BYTES, got);
        expect_same("buffer", got, model, BYTES, 1);
    }

    const struct {
        size_t size, offset, length;
    } wrong[] = {{0, 0, 16},  {3, 0, 15},   {5, 0, 20},          {256, 0, 256},        {96, 0, 96},
                 {4, 2, 8},   {4, 4, 6},    {4, 0, BYTES + 4},   {4, BYTES, 4},        {16, 8, 16},
                 {8, 0, 100}, {128, 64, 128}, {4, SIZE_MAX - 3, 8}, {4, 8, SIZE_MAX - 3},
                 {SIZE_MAX, 0, 16}, {(size_t)1 << 63, 0, 0}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_ERROR(
            clEnqueueFillBuffer(queue, buffer, pattern, wrong[i].size, wrong[i].offset, wrong[i].length, 0, NULL, NULL),
            CL_INVALID_VALUE);
    }
    EXPECT_ERROR(clEnqueueFillBuffer(queue, buffer, NULL, 4, 0, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueFillBuffer(queue, NULL, pattern, 4, 0, 16, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueFillBuffer(NULL, buffer, pattern, 4, 0, 16, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 16, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    download(buffer, BYTES, got);
    expect_same("after errors", got, model, BYTES, 1);
    CHECK(clReleaseMemObject(buffer));
    close_device();
    return passed();
}
