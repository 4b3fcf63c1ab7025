//! # Images that a kernel reads and writes: texels in place, each kind, and what other work-items of a group wrote.
//! targets = ["gfx906", "gfx803", "gfx701"]
#include "images.h"

static const cl_image_format FORMAT = {CL_RGBA, CL_UNSIGNED_INT32};

int main(void) {
    open_device();
    skip_without_images();
    if (device_uint(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) == 0) {
        skip("images that kernels read and write");
    }
    static const char* const TYPES[] = {"image1d_t", "image1d_array_t", "image2d_t", "image2d_array_t", "image3d_t"};
    static const char* const PLACES[] = {"x", "(int2)(x, y)", "(int2)(x, y)", "(int4)(x, y, z, 0)", "(int4)(x, y, z, 0)"};
    for (size_t kind = 0; kind < COUNT(SHAPES); kind++) {
        const Shape* const shape = &SHAPES[kind];
        char source[2000];
        snprintf(source, sizeof source,
            "#ifndef __opencl_c_read_write_images\n#error a feature without its macro\n#endif\n"
            "kernel void change(read_write %s i) {\n"
            "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
            "    uint4 texel = read_imageui(i, %s);\n"
            "    write_imageui(i, %s, texel.yzwx * 3 + (uint4)(x, y, z, 1));\n"
            "    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
            "    write_imageui(i, %s, read_imageui(i, %s) ^ 5); }\n",
            TYPES[kind], PLACES[kind], PLACES[kind], PLACES[kind], PLACES[kind]);
        const cl_program program = build(source, "");
        const cl_kernel kernel = kernel_of(program, "change");
        const size_t count = texels_of(shape);
        uint32_t* const expected = allocate(count, 16);
        uint32_t* const got = allocate(count, 16);
        random_fill(expected, count * 16, kind);
        const cl_mem image = image_of(shape, FORMAT, expected);
        SET(kernel, 0, image);
        for (int time = 0; time < 2; time++) {
            CHECK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, shape->size, NULL, 0, NULL, NULL));
            for (uint32_t z = 0; z < shape->size[2]; z++) {
                for (uint32_t y = 0; y < shape->size[1]; y++) {
                    for (uint32_t x = 0; x < shape->size[0]; x++) {
                        uint32_t* const texel = &expected[4 * place(shape, x, y, z)];
                        const uint32_t first = texel[0], add[4] = {x, y, z, 1};
                        for (int c = 0; c < 4; c++) {
                            texel[c] = ((c < 3 ? texel[c + 1] : first) * 3 + add[c]) ^ 5;
                        }
                    }
                }
            }
        }
        read_image(image, shape, got);
        expect_same(shape->name, got, expected, count, 16);
        CHECK(clReleaseMemObject(image));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
        free(expected);
        free(got);
    }
    // Each work-item reads what its neighbour wrote before the barrier.
    const cl_program program = build(
        "kernel void turn(read_write image2d_t i) {\n"
        "    int x = get_local_id(0), y = get_group_id(0), n = get_local_size(0);\n"
        "    write_imageui(i, (int2)(x, y), (uint4)(x, y, 0, 0));\n"
        "    work_group_barrier(CLK_IMAGE_MEM_FENCE);\n"
        "    uint4 next = read_imageui(i, (int2)((x + 1) % n, y));\n"
        "    work_group_barrier(CLK_IMAGE_MEM_FENCE);\n"
        "    write_imageui(i, (int2)(x, y), next + 100); }\n", "");
    const cl_kernel kernel = kernel_of(program, "turn");
    const Shape shape = {"2D", CL_MEM_OBJECT_IMAGE2D, {128, 4, 1}};
    const cl_mem image = image_of(&shape, FORMAT, NULL);
    SET(kernel, 0, image);
    launch(kernel, 512, 128);
    static uint32_t got[512 * 4], expected[512 * 4];
    for (uint32_t i = 0; i < 512; i++) {
        const uint32_t texel[4] = {(i % 128 + 1) % 128 + 100, i / 128 + 100, 100, 100};
        memcpy(&expected[4 * i], texel, sizeof texel);
    }
    read_image(image, &shape, got);
    expect_same("neighbours", got, expected, 512, 16);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
