//! # Kernels that read and write images of every kind and format: texels keep their bits, and have the values of their format.
//! targets = ["gfx906", "gfx803", "gfx701"]
#include "images.h"

static bool is_signed(cl_channel_type type) { return type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32; }
static bool is_unsigned(cl_channel_type type) { return type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32; }

// Texels that the format has one word for: no second -1, no unused bits, floating-point numbers that are finite.
static void fill(cl_image_format format, unsigned char* texels, size_t bytes) {
    uint64_t seed = 77;
    random_fill(texels, bytes, seed);
    for (size_t i = 0; i < bytes; i++) {
        switch (format.image_channel_data_type) {
            case CL_SNORM_INT8: texels[i] = texels[i] == 0x80 ? 0x81 : texels[i]; break;
            case CL_SNORM_INT16: if (i % 2 && texels[i] == 0x80 && texels[i - 1] == 0) texels[i - 1] = 1; break;
            case CL_UNORM_SHORT_555: if (i % 2) texels[i] &= 0x7f; break;
            case CL_UNORM_INT_101010: if (i % 4 == 3) texels[i] &= 0x3f; break;
            case CL_HALF_FLOAT: if (i % 2) texels[i] = (unsigned char)((texels[i] & 0x80) | (0x2c + texels[i] % 24)); break;
            default: break;
        }
    }
    if (format.image_channel_data_type == CL_FLOAT) {
        for (size_t i = 0; i < bytes / 4; i++) {
            const float value = (float)random_real(&seed, -100, 100);
            memcpy(texels + 4 * i, &value, 4);
        }
    }
}

static cl_program program_of_kind(const Shape* shape, bool is_depth) {
    static const char* const TYPES[] = {"image1d_t", "image1d_array_t", "image2d_t", "image2d_array_t", "image3d_t"};
    static const char* const PLACES[] = {"x", "(int2)(x, y)", "(int2)(x, y)", "(int4)(x, y, z, 0)", "(int4)(x, y, z, 0)"};
    const size_t kind = (size_t)(shape - SHAPES);
    const char* const type = !is_depth ? TYPES[kind] : kind == 2 ? "image2d_depth_t" : "image2d_array_depth_t";
    char source[2000];
    size_t at = 0;
    static const char* const SUFFIXES[] = {"f", "i", "ui"};
    for (int i = 0; i < (is_depth ? 1 : 3); i++) {
        at += (size_t)snprintf(source + at, sizeof source - at,
            "kernel void copy_%s(read_only %s from, write_only %s to) {\n"
            "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
            "    write_image%s(to, %s, read_image%s(from, %s)); }\n",
            SUFFIXES[i], type, type, SUFFIXES[i], PLACES[kind], SUFFIXES[i], PLACES[kind]);
    }
    return build(source, "");
}

static void check_copies(const Shape* shape) {
    cl_uint count = 0;
    cl_image_format* const formats = formats_of(CL_MEM_READ_WRITE, shape->type, &count);
    cl_program programs[2] = {NULL, NULL};
    for (cl_uint i = 0; i < count; i++) {
        const bool is_depth = formats[i].image_channel_order == CL_DEPTH;
        if (programs[is_depth] == NULL) {
            programs[is_depth] = program_of_kind(shape, is_depth);
        }
        const cl_channel_type type = formats[i].image_channel_data_type;
        const cl_kernel kernel = kernel_of(programs[is_depth], is_signed(type) ? "copy_i" : is_unsigned(type) ? "copy_ui" : "copy_f");
        const size_t bytes = texels_of(shape) * bytes_of(formats[i]);
        unsigned char* const texels = allocate(bytes, 1);
        unsigned char* const got = allocate(bytes, 1);
        fill(formats[i], texels, bytes);
        const cl_mem from = image_of(shape, formats[i], texels), to = image_of(shape, formats[i], NULL);
        SET(kernel, 0, from);
        SET(kernel, 1, to);
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, shape->size, NULL, 0, NULL, NULL));
        read_image(to, shape, got);
        if (type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010) {
            // The other bits are not defined.
            for (size_t j = 0; j < bytes; j++) {
                got[j] &= type == CL_UNORM_SHORT_555 ? (j % 2 ? 0x7f : 0xff) : j % 4 == 3 ? 0x3f : 0xff;
            }
        }
        char name[60];
        snprintf(name, sizeof name, "%s, order %#x, type %#x", shape->name, formats[i].image_channel_order, type);
        expect_same(name, got, texels, texels_of(shape), bytes_of(formats[i]));
        CHECK(clReleaseMemObject(from));
        CHECK(clReleaseMemObject(to));
        CHECK(clReleaseKernel(kernel));
        free(texels);
        free(got);
    }
    for (int i = 0; i < 2; i++) {
        if (programs[i] != NULL) {
            CHECK(clReleaseProgram(programs[i]));
        }
    }
    free(formats);
}

// Values of texels: what each order of channels puts where, and the values of types.
static void check_values(void) {
    static const struct {
        cl_image_format format;
        unsigned char texel[16];
        float value[4];
    } CASES[] = {
        {{CL_RGBA, CL_UNORM_INT8}, {0, 51, 102, 255}, {0, 0.2f, 0.4f, 1}},
        {{CL_BGRA, CL_UNORM_INT8}, {0, 51, 102, 255}, {0.4f, 0.2f, 0, 1}},
        {{CL_ARGB, CL_UNORM_INT8}, {0, 51, 102, 255}, {0.2f, 0.4f, 1, 0}},
        {{CL_A, CL_UNORM_INT8}, {51}, {0, 0, 0, 0.2f}},
        {{CL_R, CL_UNORM_INT8}, {51}, {0.2f, 0, 0, 1}},
        {{CL_RG, CL_UNORM_INT8}, {51, 255}, {0.2f, 1, 0, 1}},
        {{CL_RA, CL_UNORM_INT8}, {51, 102}, {0.2f, 0, 0, 0.4f}},
        {{CL_INTENSITY, CL_UNORM_INT8}, {51}, {0.2f, 0.2f, 0.2f, 0.2f}},
        {{CL_LUMINANCE, CL_UNORM_INT8}, {51}, {0.2f, 0.2f, 0.2f, 1}},
        {{CL_RGBA, CL_SNORM_INT8}, {0x80, 0x81, 0, 127}, {-1, -1, 0, 1}},
        {{CL_RG, CL_UNORM_INT16}, {0xff, 0xff, 0x33, 0x33}, {1, 0.2f, 0, 1}},
        {{CL_RGBA, CL_HALF_FLOAT}, {0, 0x3c, 0, 0xc0, 0, 0x38, 0, 0}, {1, -2, 0.5f, 0}},
        {{CL_RGB, CL_UNORM_INT_101010}, {0xff, 0x03, 0, 0}, {0, 0, 1, 1}},
        {{CL_RGB, CL_UNORM_SHORT_565}, {0x00, 0xf8}, {1, 0, 0, 1}},
        {{CL_sRGBA, CL_UNORM_INT8}, {255, 188, 0, 51}, {1, 0.5028865f, 0, 0.2f}},
    };
    const Shape shape = {"2D", CL_MEM_OBJECT_IMAGE2D, {1, 1, 1}};
    const cl_program program = build("kernel void value(read_only image2d_t i, global float4* out) { *out = read_imagef(i, (int2)(0, 0)); }", "");
    const cl_kernel kernel = kernel_of(program, "value");
    const cl_mem out = buffer_of(16, NULL);
    cl_uint count = 0;
    cl_image_format* const formats = formats_of(CL_MEM_READ_ONLY, shape.type, &count);
    const cl_image_desc desc = desc_of(&shape);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const cl_image_format format = CASES[i].format;
        if (!has_format(formats, count, format.image_channel_order, format.image_channel_data_type)) {
            continue;
        }
        const cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, (void*)CASES[i].texel, &status);
        CHECK(status);
        SET(kernel, 0, image);
        SET(kernel, 1, out);
        launch(kernel, 1, 1);
        float got[4];
        download(out, sizeof got, got);
        char name[60];
        snprintf(name, sizeof name, "order %#x, type %#x", format.image_channel_order, format.image_channel_data_type);
        const double expected[] = {CASES[i].value[0], CASES[i].value[1], CASES[i].value[2], CASES[i].value[3]};
        expect_near(name, got, expected, 4, format.image_channel_order == CL_sRGBA ? 0.5 / 255 : 1e-6);
        CHECK(clReleaseMemObject(image));
    }
    free(formats);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    skip_without_images();
    check_values();
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        check_copies(&SHAPES[i]);
    }
    close_device();
    return passed();
}
