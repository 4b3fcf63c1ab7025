//! # Rectangles and boxes of pitched memory are filled, and nothing around them.
#include "check.h"

struct Shape {
    size_t width, height, depth;
};

// Checks that the box of `inner` at the origin is `value` and the rest of `outer` is 0xcc.
void expect_box(const void* memory, size_t pitch, Shape outer, Shape inner, unsigned char value) {
    std::vector<unsigned char> got(pitch * outer.height * outer.depth), expected(got.size(), 0xcc);
    CHECK(hipMemcpy(got.data(), memory, got.size(), hipMemcpyDeviceToHost));
    for (size_t z = 0; z < inner.depth; z++) {
        for (size_t y = 0; y < inner.height; y++) {
            std::memset(&expected[(z * outer.height + y) * pitch], value, inner.width);
        }
    }
    expect_same("box", got, expected);
}

int main() {
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    for (Shape outer : {Shape{1, 1, 1}, {64, 4, 1}, {100, 17, 1}, {333, 40, 1}}) {
        unsigned char* memory;
        size_t pitch = 0;
        CHECK(hipMallocPitch(reinterpret_cast<void**>(&memory), &pitch, outer.width, outer.height));
        REQUIRE(pitch >= outer.width && pitch % 64 == 0, "pitch %zu for a width of %zu", pitch, outer.width);
        for (Shape inner : {outer, Shape{(outer.width + 1) / 2, (outer.height + 2) / 3, 1}}) {
            CHECK(hipMemset(memory, 0xcc, pitch * outer.height));
            CHECK(hipMemset2D(memory, pitch, 0x11, inner.width, inner.height));
            expect_box(memory, pitch, outer, inner, 0x11);
            CHECK(hipMemset(memory, 0xcc, pitch * outer.height));
            CHECK(hipMemset2DAsync(memory, pitch, 0x22, inner.width, inner.height, stream));
            CHECK(hipStreamSynchronize(stream));
            expect_box(memory, pitch, outer, inner, 0x22);
        }
        EXPECT_ERROR(hipMemset2D(memory, pitch, 0, pitch + 1, outer.height), hipErrorInvalidValue);
        CHECK(hipFree(memory));
    }
    for (Shape outer : {Shape{16, 3, 5}, {129, 7, 4}}) {
        hipPitchedPtr memory;
        CHECK(hipMalloc3D(&memory, make_hipExtent(outer.width, outer.height, outer.depth)));
        REQUIRE(memory.pitch >= outer.width, "pitch %zu", memory.pitch);
        for (Shape inner : {outer, Shape{outer.width - 5, outer.height - 1, outer.depth - 2}}) {
            const hipExtent extent = make_hipExtent(inner.width, inner.height, inner.depth);
            CHECK(hipMemset(memory.ptr, 0xcc, memory.pitch * outer.height * outer.depth));
            CHECK(hipMemset3D(memory, 0x33, extent));
            expect_box(memory.ptr, memory.pitch, outer, inner, 0x33);
            CHECK(hipMemset(memory.ptr, 0xcc, memory.pitch * outer.height * outer.depth));
            CHECK(hipMemset3DAsync(memory, 0x44, extent, stream));
            CHECK(hipStreamSynchronize(stream));
            expect_box(memory.ptr, memory.pitch, outer, inner, 0x44);
        }
        CHECK(hipFree(memory.ptr));
    }
    CHECK(hipStreamDestroy(stream));
    return passed();
}
