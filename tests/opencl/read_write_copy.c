//! # Reads, writes and copies of buffers at every alignment and of many lengths, blocking and not, and their errors.
#include "check.h"

enum { BYTES = 3000 };

static unsigned char host[BYTES], model[BYTES], other_model[BYTES], got[BYTES];

// Writes, copies between buffers and within one, and reads at odd places, held against copies of the host.
static void check_contents(void) {
    uint64_t seed = 1;
    random_fill(model, BYTES, 2);
    random_fill(other_model, BYTES, 3);
    const cl_mem a = buffer_of(BYTES, model), b = buffer_of(BYTES, other_model);
    for (int turn = 0; turn < 200; turn++) {
        const size_t length = 1 + random_bits(&seed) % (turn % 4 == 0 ? BYTES / 2 : 40);
        const size_t from = random_bits(&seed) % (BYTES - length), to = random_bits(&seed) % (BYTES - length);
        switch (turn % 4) {
            case 0:
                random_fill(host + from, length, seed);
                CHECK(clEnqueueWriteBuffer(queue, a, turn % 8 == 0, to, length, host + from, 0, NULL, NULL));
                memcpy(model + to, host + from, length);
                // The command may still read the memory.
                CHECK(clFinish(queue));
                break;
            case 1:
                CHECK(clEnqueueCopyBuffer(queue, a, b, from, to, length, 0, NULL, NULL));
                memcpy(other_model + to, model + from, length);
                break;
            case 2:
                if (from + length > to && to + length > from) {
                    EXPECT_ERROR(clEnqueueCopyBuffer(queue, b, b, from, to, length, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
                } else {
                    CHECK(clEnqueueCopyBuffer(queue, b, b, from, to, length, 0, NULL, NULL));
                    memcpy(other_model + to, other_model + from, length);
                }
                break;
            case 3:
                memset(got, 0xee, BYTES);
                CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, from, length, got + to, 0, NULL, NULL));
                expect_same("part", got + to, other_model + from, length, 1);
                REQUIRE(to == 0 || got[to - 1] == 0xee, "a read writes before its place");
                REQUIRE(got[to + length] == 0xee, "a read writes behind its place");
        }
    }
    download(a, BYTES, got);
    expect_same("first", got, model, BYTES, 1);
    download(b, BYTES, got);
    expect_same("second", got, other_model, BYTES, 1);
    // A copy that ends where its source begins does not overlap.
    CHECK(clEnqueueCopyBuffer(queue, a, a, 100, 0, 100, 0, NULL, NULL));
    CHECK(clEnqueueCopyBuffer(queue, a, a, 0, 100, 100, 0, NULL, NULL));
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

// Commands of one queue in order: the last write wins, and reads see what was enqueued before them.
static void check_order(void) {
    enum { TURNS = 100 };
    static int values[TURNS], results[TURNS];
    const cl_mem buffer = buffer_of(4, NULL);
    for (int i = 0; i < TURNS; i++) {
        values[i] = i * i;
        CHECK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4, &values[i], 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &results[i], 0, NULL, NULL));
    }
    CHECK(clFinish(queue));
    expect_same("result", results, values, TURNS, sizeof(int));
    CHECK(clReleaseMemObject(buffer));
}

static void check_errors(void) {
    const cl_mem buffer = buffer_of(64, NULL), other = buffer_of(32, NULL);
    cl_event event = NULL;
    const struct {
        size_t offset, size;
    } outside[] = {{0, 65}, {64, 1}, {60, 5}, {SIZE_MAX - 3, 8}, {8, SIZE_MAX - 3}, {65, 0}};
    for (size_t i = 0; i < COUNT(outside); i++) {
        const size_t at = outside[i].offset, size = outside[i].size;
        EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, at, size, got, 0, NULL, NULL), CL_INVALID_VALUE);
        EXPECT_ERROR(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, at, size, got, 0, NULL, NULL), CL_INVALID_VALUE);
        EXPECT_ERROR(clEnqueueCopyBuffer(queue, buffer, other, at, 0, size, 0, NULL, NULL), CL_INVALID_VALUE);
    }
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, buffer, other, 0, 0, 33, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, buffer, other, 0, 32, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, 4, got, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueWriteBuffer(NULL, buffer, CL_TRUE, 0, 4, got, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueCopyBuffer(NULL, buffer, other, 0, 0, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EXPECT_ERROR(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 4, got, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueWriteBuffer(queue, NULL, CL_TRUE, 0, 4, got, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, NULL, other, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, buffer, NULL, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    // Lists of events: a length without a list, a list without a length, and no event in it.
    EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, got, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, got, 0, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, got, 1, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, got, 1, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_ERROR(clEnqueueCopyBuffer(queue, buffer, other, 0, 0, 4, 1, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(other));
}

int main(void) {
    open_device();
    check_contents();
    check_order();
    check_errors();
    close_device();
    return passed();
}
