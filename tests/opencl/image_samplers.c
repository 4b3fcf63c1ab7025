//! # Samples of images of every kind: all modes of samplers, of the program and of the source, compared with the specification's formulas.
//! targets = ["gfx906", "gfx803", "gfx701", "gfx600"]
#include "images.h"

enum { SAMPLES = 512 };

static const cl_image_format FORMAT = {CL_RGBA, CL_FLOAT};

// Sizes are powers of two, so that coordinates from 0 to 1 are exact.
static const Shape SAMPLED[] = {
    {"image1d_t", CL_MEM_OBJECT_IMAGE1D, {16, 1, 1}},
    {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, {16, 5, 1}},
    {"image2d_t", CL_MEM_OBJECT_IMAGE2D, {16, 8, 1}},
    {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, {16, 8, 3}},
    {"image3d_t", CL_MEM_OBJECT_IMAGE3D, {16, 8, 4}},
};
static const char* const SWIZZLES[] = {"x", "xy", "xy", "xyzw", "xyzw"};
static const int FILTERED[] = {1, 1, 2, 2, 3};

// The texel's number for one dimension's coordinate, or -1 for the border.
static long addressed(long i, long size, cl_addressing_mode mode) {
    switch (mode) {
        case CL_ADDRESS_CLAMP_TO_EDGE: return i < 0 ? 0 : i >= size ? size - 1 : i;
        case CL_ADDRESS_REPEAT: return ((i % size) + size) % size;
        case CL_ADDRESS_MIRRORED_REPEAT: {
            const long period = ((i % (2 * size)) + 2 * size) % (2 * size);
            return period < size ? period : 2 * size - 1 - period;
        }
        default: return i < 0 || i >= size ? -1 : i;
    }
}

static float texel(const Shape* shape, const float* texels, const long at[3], int component) {
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        return 0;
    }
    return texels[4 * place(shape, at[0], at[1], at[2]) + component];
}

// A sample of an image, by the formulas of the specification.
static void sample(const Shape* shape, int filtered, const float* texels, const float* coordinates, cl_bool is_normalized, cl_addressing_mode mode, cl_filter_mode filter, double result[4]) {
    long low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    double weight[3] = {0, 0, 0};
    for (int d = 0; d < filtered; d++) {
        const long size = (long)shape->size[d];
        const double u = is_normalized ? coordinates[d] * (double)size : coordinates[d];
        const double from = filter == CL_FILTER_LINEAR ? u - 0.5 : u;
        const long first = (long)floor(from);
        low[d] = addressed(first, size, mode);
        high[d] = filter == CL_FILTER_LINEAR ? addressed(first + 1, size, mode) : low[d];
        weight[d] = filter == CL_FILTER_LINEAR ? from - (double)first : 0;
    }
    if (filtered < 3 && shape->size[filtered] > 1) {
        // The layer is the nearest.
        const long last = (long)shape->size[filtered] - 1, layer = lrintf(coordinates[filtered]);
        low[filtered] = high[filtered] = layer < 0 ? 0 : layer > last ? last : layer;
    }
    for (int component = 0; component < 4; component++) {
        double sum = 0;
        for (int corner = 0; corner < 8; corner++) {
            double share = 1;
            long at[3];
            for (int d = 0; d < 3; d++) {
                const bool is_high = corner >> d & 1;
                at[d] = is_high ? high[d] : low[d];
                share *= is_high ? weight[d] : 1 - weight[d];
            }
            if (share != 0) {
                sum += share * texel(shape, texels, at, component);
            }
        }
        result[component] = sum;
    }
}

// Coordinates around and in the image, multiples of 1/8 of a texel; for nearest texels never between two.
static void make_coordinates(const Shape* shape, int filtered, cl_bool is_normalized, cl_addressing_mode mode, cl_filter_mode filter, float* coordinates) {
    uint64_t seed = 31;
    for (int i = 0; i < SAMPLES; i++) {
        for (int d = 0; d < 4; d++) {
            if (d >= filtered) {
                coordinates[4 * i + d] = d < 3 ? (float)((long)(random_bits(&seed) % 29) - 8) * 0.4f : 0;
                continue;
            }
            const long size = (long)shape->size[d], margin = mode == CL_ADDRESS_NONE ? 0 : 2 * size;
            const long steps = 8 * (size + 2 * margin);
            long step = (long)(random_bits(&seed) % (uint64_t)steps) - 8 * margin;
            if (filter == CL_FILTER_NEAREST) {
                step |= 1;
            } else if (mode == CL_ADDRESS_NONE) {
                step = step < 4 ? 4 : step > 8 * size - 4 ? 8 * size - 4 : step;
            }
            const double u = (double)step / 8;
            coordinates[4 * i + d] = (float)(is_normalized ? u / (double)size : u);
        }
    }
}

static const char* name_of(cl_addressing_mode mode) {
    switch (mode) {
        case CL_ADDRESS_NONE: return "CLK_ADDRESS_NONE";
        case CL_ADDRESS_CLAMP_TO_EDGE: return "CLK_ADDRESS_CLAMP_TO_EDGE";
        case CL_ADDRESS_CLAMP: return "CLK_ADDRESS_CLAMP";
        case CL_ADDRESS_REPEAT: return "CLK_ADDRESS_REPEAT";
        default: return "CLK_ADDRESS_MIRRORED_REPEAT";
    }
}

// The kernels of a kind: with the program's sampler, and with each of the source's.
static char* source_of(size_t kind) {
    char* const source = allocate(1 << 14, 1);
    size_t at = (size_t)sprintf(source,
        "kernel void of_program(read_only %s i, sampler_t s, global const float4* at, global float4* out) {\n"
        "    out[get_global_id(0)] = read_imagef(i, s, at[get_global_id(0)].%s); }\n", SAMPLED[kind].name, SWIZZLES[kind]);
    for (int mode = 0; mode < 5; mode++) {
        for (int filter = 0; filter < 2; filter++) {
            for (int is_normalized = mode < 3 ? 0 : 1; is_normalized < 2; is_normalized++) {
                at += (size_t)sprintf(source + at,
                    "constant sampler_t S%d%d%d = %s | %s | %s;\n"
                    "kernel void of_source_%d%d%d(read_only %s i, global const float4* at, global float4* out) {\n"
                    "    out[get_global_id(0)] = read_imagef(i, S%d%d%d, at[get_global_id(0)].%s); }\n",
                    mode, filter, is_normalized, name_of(CL_ADDRESS_NONE + (cl_addressing_mode)mode), filter ? "CLK_FILTER_LINEAR" : "CLK_FILTER_NEAREST",
                    is_normalized ? "CLK_NORMALIZED_COORDS_TRUE" : "CLK_NORMALIZED_COORDS_FALSE",
                    mode, filter, is_normalized, SAMPLED[kind].name, mode, filter, is_normalized, SWIZZLES[kind]);
            }
        }
    }
    return source;
}

static void expect(cl_mem out, const char* what, const double* expected) {
    static float got[SAMPLES * 4];
    download(out, sizeof got, got);
    // The device filters with weights of 8 bits, of which those here have 6 at most.
    expect_near(what, got, expected, SAMPLES * 4, 1e-5);
}

static void check_kind(size_t kind) {
    const Shape* const shape = &SAMPLED[kind];
    float* const texels = allocate(texels_of(shape), 16);
    uint64_t seed = 5;
    for (size_t i = 0; i < texels_of(shape) * 4; i++) {
        texels[i] = (float)random_real(&seed, -1, 1);
    }
    const cl_mem image = image_of(shape, FORMAT, texels);
    char* const source = source_of(kind);
    const cl_program program = build(source, "");
    const cl_kernel of_program = kernel_of(program, "of_program");
    static float coordinates[SAMPLES * 4];
    static double expected[SAMPLES * 4];
    const cl_mem at = buffer_of(sizeof coordinates, NULL), out = buffer_of(sizeof coordinates, NULL);
    for (int mode = 0; mode < 5; mode++) {
        for (int filter = 0; filter < 2; filter++) {
            for (int is_normalized = mode < 3 ? 0 : 1; is_normalized < 2; is_normalized++) {
                const cl_addressing_mode addressing = CL_ADDRESS_NONE + (cl_addressing_mode)mode;
                const cl_filter_mode filters = filter ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
                make_coordinates(shape, FILTERED[kind], is_normalized, addressing, filters, coordinates);
                for (int i = 0; i < SAMPLES; i++) {
                    sample(shape, FILTERED[kind], texels, coordinates + 4 * i, is_normalized, addressing, filters, expected + 4 * i);
                }
                CHECK(clEnqueueWriteBuffer(queue, at, CL_TRUE, 0, sizeof coordinates, coordinates, 0, NULL, NULL));
                const cl_sampler sampler = clCreateSampler(context, is_normalized, addressing, filters, &status);
                CHECK(status);
                SET(of_program, 0, image);
                SET(of_program, 1, sampler);
                SET(of_program, 2, at);
                SET(of_program, 3, out);
                launch(of_program, SAMPLES, 0);
                char what[100];
                snprintf(what, sizeof what, "%s, %s, filter %d, normalized %d", shape->name, name_of(addressing), filter, is_normalized);
                expect(out, what, expected);
                CHECK(clReleaseSampler(sampler));
                char name[40];
                snprintf(name, sizeof name, "of_source_%d%d%d", mode, filter, is_normalized);
                const cl_kernel of_source = kernel_of(program, name);
                SET(of_source, 0, image);
                SET(of_source, 1, at);
                SET(of_source, 2, out);
                launch(of_source, SAMPLES, 0);
                expect(out, name, expected);
                CHECK(clReleaseKernel(of_source));
            }
        }
    }
    CHECK(clReleaseKernel(of_program));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(at));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(image));
    free(source);
    free(texels);
}

// Integer coordinates, channels that are not there, and integers as texels.
static void check_borders(void) {
    const char* const source =
        "kernel void borders(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c, sampler_t s, global float4* out, global int4* whole) {\n"
        "    out[0] = read_imagef(a, s, (int2)(-1, 0)); out[1] = read_imagef(a, s, (int2)(1, 1));\n"
        "    out[2] = read_imagef(b, s, (int2)(5, 5)); out[3] = read_imagef(b, s, (int2)(1, 0));\n"
        "    whole[0] = read_imagei(c, s, (int2)(0, 1)); whole[1] = read_imagei(c, s, (int2)(0, 2)); }\n";
    const Shape shape = {"2D", CL_MEM_OBJECT_IMAGE2D, {2, 2, 1}};
    const float red[] = {0.5f, 1, 2, 3}, two[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const short shorts[] = {-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16};
    const cl_mem a = image_of(&shape, (cl_image_format){CL_R, CL_FLOAT}, red), b = image_of(&shape, (cl_image_format){CL_RG, CL_FLOAT}, two);
    const cl_mem c = image_of(&shape, (cl_image_format){CL_RGBA, CL_SIGNED_INT16}, shorts);
    const cl_mem out = buffer_of(4 * 16, NULL), whole = buffer_of(2 * 16, NULL);
    const cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    CHECK(status);
    const cl_program program = build(source, "");
    const cl_kernel kernel = kernel_of(program, "borders");
    SET(kernel, 0, a);
    SET(kernel, 1, b);
    SET(kernel, 2, c);
    SET(kernel, 3, sampler);
    SET(kernel, 4, out);
    SET(kernel, 5, whole);
    launch(kernel, 1, 1);
    // The border of a format without alpha is opaque.
    const float expected[] = {0, 0, 0, 1, 3, 0, 0, 1, 0, 0, 0, 1, 3, 4, 0, 1};
    const int numbers[] = {-9, -10, -11, -12, 0, 0, 0, 0};
    float got[16];
    int integers[8];
    download(out, sizeof got, got);
    expect_same("texels", got, expected, 16, 4);
    download(whole, sizeof integers, integers);
    expect_same("integers", integers, numbers, 8, 4);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseSampler(sampler));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(c));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(whole));
}

int main(void) {
    open_device();
    skip_without_images();
    for (size_t kind = 0; kind < COUNT(SAMPLED); kind++) {
        check_kind(kind);
    }
    check_borders();
    close_device();
    return passed();
}
