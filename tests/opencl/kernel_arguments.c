//! # Arguments by value of every scalar and vector type, each at every alignment that the one before it leaves.
//! targets = ["gfx803", "gfx900", "gfx906", "gfx600"]
#include "check.h"

static const struct {
    const char* name;
    size_t size;
    const char* extension;
} TYPES[] = {{"char", 1, NULL},  {"uchar", 1, NULL}, {"short", 2, NULL}, {"ushort", 2, NULL},
             {"int", 4, NULL},   {"uint", 4, NULL},  {"long", 8, NULL},  {"ulong", 8, NULL},
             {"float", 4, NULL}, {"double", 8, "cl_khr_fp64"}, {"half", 2, "cl_khr_fp16"}};
static const int WIDTHS[] = {1, 2, 3, 4, 8, 16};

// Kernels for all widths of a type: an argument behind one of a byte, and one behind that.
static size_t write_kernels(char* source, const char* type, const char* extension) {
    size_t at = 0;
    if (extension != NULL) {
        at += (size_t)sprintf(source + at, "#pragma OPENCL EXTENSION %s : enable\n", extension);
    }
    for (size_t w = 0; w < COUNT(WIDTHS); w++) {
        char width[12] = "", store[100];
        if (WIDTHS[w] > 1) {
            sprintf(width, "%d", WIDTHS[w]);
            sprintf(store, "vstore%d(value, 0, to); vstore%d(other, 1, to)", WIDTHS[w], WIDTHS[w]);
        } else {
            sprintf(store, "to[0] = value; to[1] = other");
        }
        at += (size_t)sprintf(source + at,
                              "kernel void take_%s%d(char first, %s%s value, short second, %s%s other, global %s* to, global int* rest) {\n"
                              "    %s; rest[0] = first; rest[1] = second; rest[2] = sizeof(value);\n}\n",
                              type, WIDTHS[w], type, width, type, width, type, store);
    }
    return at;
}

static void check_type(cl_program program, const char* name, size_t size, const char* extension) {
    for (size_t w = 0; w < COUNT(WIDTHS); w++) {
        const size_t width = (size_t)WIDTHS[w], room = (width == 3 ? 4 : width) * size;
        char kernel_name[40];
        sprintf(kernel_name, "take_%s%zu", name, width);
        const cl_kernel kernel = kernel_of(program, kernel_name);
        unsigned char value[128], other[128], got[256];
        random_fill(value, sizeof value, size * 100 + width);
        random_fill(other, sizeof other, size * 200 + width);
        if (extension != NULL || strcmp(name, "float") == 0) {
            // Numbers that are none may lose their bits: keep the exponents small.
            for (size_t i = size - 1; i < sizeof value; i += size) {
                value[i] &= 0xbf;
                other[i] &= 0xbf;
            }
        }
        const cl_char first = -5;
        const cl_short second = -300;
        int rest[3];
        const cl_mem to = buffer_of(2 * width * size, NULL), numbers = buffer_of(sizeof rest, NULL);
        SET(kernel, 0, first);
        CHECK(clSetKernelArg(kernel, 1, room, value));
        SET(kernel, 2, second);
        CHECK(clSetKernelArg(kernel, 3, room, other));
        SET(kernel, 4, to);
        SET(kernel, 5, numbers);
        launch(kernel, 1, 1);
        download(to, 2 * width * size, got);
        download(numbers, sizeof rest, rest);
        char what[60];
        sprintf(what, "%s%zu", name, width);
        expect_same(what, got, value, width, size);
        expect_same(what, got + width * size, other, width, size);
        EXPECT_EQUAL(rest[0], first);
        EXPECT_EQUAL(rest[1], second);
        EXPECT_EQUAL(rest[2], room);
        // The size is that of the type in the specification, for three elements that of four.
        EXPECT_ERROR(clSetKernelArg(kernel, 1, room - 1, value), CL_INVALID_ARG_SIZE);
        EXPECT_ERROR(clSetKernelArg(kernel, 1, room + 1, value), CL_INVALID_ARG_SIZE);
        if (width == 3) {
            EXPECT_ERROR(clSetKernelArg(kernel, 1, 3 * size, value), CL_INVALID_ARG_SIZE);
        }
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseMemObject(to));
        CHECK(clReleaseMemObject(numbers));
    }
}

int main(void) {
    open_device();
    static char source[40000];
    bool is_there[COUNT(TYPES)];
    size_t at = 0;
    for (size_t i = 0; i < COUNT(TYPES); i++) {
        is_there[i] = TYPES[i].extension == NULL || has_extension(TYPES[i].extension);
        at += is_there[i] ? write_kernels(source + at, TYPES[i].name, TYPES[i].extension) : 0;
    }
    const cl_program program = build(source, "");
    for (size_t i = 0; i < COUNT(TYPES); i++) {
        if (is_there[i]) {
            check_type(program, TYPES[i].name, TYPES[i].size, TYPES[i].extension);
        }
    }
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
