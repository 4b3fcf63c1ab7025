//! # Checks know images: a result that depends on texels that nobody has written is a finding, others are none.
//! variables = { GCN_CHECK = "default", GCN_CHECK_ERROR_EXITCODE = "3" }
//! status = 3
//! findings = ["uninitialized-result"]
//! stderr = ["kernel copy", "<program ", ">:3:", "3 |     to[y"]
#include "images.h"

static const char* const SOURCE =
    "kernel void copy(read_only image2d_t from, global uint4* to) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    to[y * get_global_size(0) + x] = read_imageui(from, (int2)(x, y));\n"
    "}\n";

int main(void) {
    open_device();
    skip_without_images();
    const Shape shape = {"2D", CL_MEM_OBJECT_IMAGE2D, {16, 4, 1}};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    static uint32_t texels[16 * 4 * 4], got[16 * 4 * 4];
    random_fill(texels, sizeof texels, 1);
    const cl_program program = build(SOURCE, "-g");
    const cl_kernel kernel = kernel_of(program, "copy");
    const cl_mem out = buffer_of(sizeof got, NULL);
    SET(kernel, 1, out);
    // Texels of the program's memory, of a command, of a fill and of a map are written; those of the last image are not.
    for (int way = 0; way < 5; way++) {
        const cl_mem image = image_of(&shape, format, way == 0 ? texels : NULL);
        if (way == 1) {
            CHECK(clEnqueueWriteImage(queue, image, CL_TRUE, ORIGIN, shape.size, 0, 0, texels, 0, NULL, NULL));
        } else if (way == 2) {
            CHECK(clEnqueueFillImage(queue, image, texels, ORIGIN, shape.size, 0, NULL, NULL));
        } else if (way == 3) {
            size_t row;
            void* const at = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, ORIGIN, shape.size, &row, NULL, 0, NULL, NULL, &status);
            CHECK(status);
            CHECK(clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL));
        }
        SET(kernel, 0, image);
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, shape.size, NULL, 0, NULL, NULL));
        download(out, sizeof got, got);
        CHECK(clReleaseMemObject(image));
    }
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
