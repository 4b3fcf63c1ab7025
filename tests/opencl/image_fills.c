//! # Images filled with a colour: every format, compared with the conversion of the specification; boxes; events.
#include "images.h"

// A number of 0 to 1 or -1 to 1 as an integer, rounded to nearest even.
static long scaled(float value, float low, double largest) {
    const double clamped = value < low ? low : value > 1 ? 1 : value;
    return lrint(clamped * largest);
}

static uint16_t half_of(float value) {
    // The colours here are halves.
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if ((bits & 0x7fffffff) == 0) {
        return (uint16_t)(bits >> 16);
    }
    return (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112 << 10)));
}

static float srgb(float value) {
    const double linear = value <= 0 ? 0 : value > 1 ? 1 : value;
    return (float)(linear < 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

// The texel of a colour: the components in the order of the format's memory, each converted.
static size_t texel_of(cl_image_format format, const float color[4], const int32_t whole[4], unsigned char* texel) {
    static const char* const ORDERS[] = {"0", "3", "01", "03", "210", "0123", "2103", "3012", "0", "0"};
    const bool is_srgb = format.image_channel_order == CL_sRGBA;
    const char* order = is_srgb ? "0123" : format.image_channel_order == CL_DEPTH ? "0" : ORDERS[format.image_channel_order - CL_R];
    size_t bytes = 0;
    uint32_t packed = 0;
    for (; *order != 0; order++) {
        const int of = *order - '0';
        const float real = is_srgb && of < 3 ? srgb(color[of]) : color[of];
        const int32_t number = whole[of];
        int64_t value = 0;
        size_t size = 1;
        switch (format.image_channel_data_type) {
            case CL_SNORM_INT8: value = scaled(real, -1, 127); break;
            case CL_SNORM_INT16: value = scaled(real, -1, 32767); size = 2; break;
            case CL_UNORM_INT8: value = scaled(real, 0, 255); break;
            case CL_UNORM_INT16: value = scaled(real, 0, 65535); size = 2; break;
            case CL_SIGNED_INT8: case CL_UNSIGNED_INT8: value = number; break;
            case CL_SIGNED_INT16: case CL_UNSIGNED_INT16: value = number; size = 2; break;
            case CL_SIGNED_INT32: case CL_UNSIGNED_INT32: value = number; size = 4; break;
            case CL_HALF_FLOAT: value = half_of(real); size = 2; break;
            case CL_FLOAT: memcpy(&value, &real, 4); size = 4; break;
            // Blue comes first, in the lowest bits.
            case CL_UNORM_SHORT_565: packed |= (uint32_t)scaled(real, 0, of == 1 ? 63 : 31) << (of == 2 ? 0 : of == 1 ? 5 : 11); size = 0; break;
            case CL_UNORM_SHORT_555: packed |= (uint32_t)scaled(real, 0, 31) << (5 * (2 - of)); size = 0; break;
            case CL_UNORM_INT_101010: packed |= (uint32_t)scaled(real, 0, 1023) << (10 * (2 - of)); size = 0; break;
            default: FAIL("type %#x", format.image_channel_data_type);
        }
        memcpy(texel + bytes, &value, size);
        bytes += size;
    }
    if (bytes == 0) {
        bytes = format.image_channel_data_type == CL_UNORM_INT_101010 ? 4 : 2;
        memcpy(texel, &packed, bytes);
    }
    return bytes;
}

static bool is_integer(cl_channel_type type) { return type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32; }

static void check_format(const Shape* shape, cl_image_format format, uint64_t* seed) {
    static const float COLORS[][4] = {{0, 0.25f, 0.5f, 1}, {1, 0.125f, 0.75f, 0}, {-0.5f, 1.5f, 0.625f, -2}};
    static const int32_t NUMBERS[4] = {3, 100, 7, 21};
    const size_t bytes = bytes_of(format), count = texels_of(shape);
    unsigned char* const expected = allocate(count, bytes);
    unsigned char* const got = allocate(count, bytes);
    random_fill(expected, count * bytes, 5);
    const cl_image_desc desc = desc_of(shape);
    const cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, expected, &status);
    CHECK(status);
    for (size_t i = 0; i < COUNT(COLORS); i++) {
        size_t origin[3], region[3];
        random_box(shape, seed, origin, region);
        const void* const color = is_integer(format.image_channel_data_type) ? (const void*)NUMBERS : COLORS[i];
        cl_event event;
        CHECK(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, &event));
        cl_command_type type = 0;
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        EXPECT_EQUAL(type, CL_COMMAND_FILL_IMAGE);
        CHECK(clReleaseEvent(event));
        unsigned char texel[16];
        EXPECT_EQUAL(texel_of(format, COLORS[i], NUMBERS, texel), bytes);
        for (size_t z = 0; z < region[2]; z++) {
            for (size_t y = 0; y < region[1]; y++) {
                for (size_t x = 0; x < region[0]; x++) {
                    memcpy(expected + place(shape, origin[0] + x, origin[1] + y, origin[2] + z) * bytes, texel, bytes);
                }
            }
        }
    }
    read_image(image, shape, got);
    char name[60];
    snprintf(name, sizeof name, "%s, order %#x, type %#x", shape->name, format.image_channel_order, format.image_channel_data_type);
    expect_same(name, got, expected, count, bytes);
    CHECK(clReleaseMemObject(image));
    free(expected);
    free(got);
}

int main(void) {
    open_device();
    skip_without_images();
    uint64_t seed = 17;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        cl_uint count = 0;
        cl_image_format* const formats = formats_of(CL_MEM_READ_ONLY, SHAPES[i].type, &count);
        for (cl_uint j = 0; j < count; j++) {
            check_format(&SHAPES[i], formats[j], &seed);
        }
        free(formats);
    }
    close_device();
    return passed();
}
