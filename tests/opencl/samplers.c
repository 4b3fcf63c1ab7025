//! # Samplers: their attributes, defaults, references, and the errors of making them.
#include "images.h"

static cl_uint attribute(cl_sampler sampler, cl_sampler_info name) {
    cl_uint value = 99;
    size_t size = 0;
    CHECK(clGetSamplerInfo(sampler, name, sizeof value, &value, &size));
    EXPECT_EQUAL(size, sizeof value);
    return value;
}

static void check_sampler(cl_sampler sampler, cl_bool is_normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
    EXPECT_EQUAL(attribute(sampler, CL_SAMPLER_NORMALIZED_COORDS), is_normalized);
    EXPECT_EQUAL(attribute(sampler, CL_SAMPLER_ADDRESSING_MODE), addressing);
    EXPECT_EQUAL(attribute(sampler, CL_SAMPLER_FILTER_MODE), filter);
    EXPECT_EQUAL(attribute(sampler, CL_SAMPLER_REFERENCE_COUNT), 1);
    cl_context of = NULL;
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof of, &of, NULL));
    REQUIRE(of == context, "another context");
}

int main(void) {
    open_device();
    skip_without_images();
    REQUIRE(device_uint(CL_DEVICE_MAX_SAMPLERS) >= 16, "too few samplers");
    static const cl_addressing_mode ADDRESSINGS[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};
    static const cl_filter_mode FILTERS[] = {CL_FILTER_NEAREST, CL_FILTER_LINEAR};
    for (cl_bool is_normalized = 0; is_normalized < 2; is_normalized++) {
        for (size_t i = 0; i < COUNT(ADDRESSINGS); i++) {
            for (size_t j = 0; j < COUNT(FILTERS); j++) {
                const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, FILTERS[j], CL_SAMPLER_NORMALIZED_COORDS, is_normalized,
                    CL_SAMPLER_ADDRESSING_MODE, ADDRESSINGS[i], 0};
                // Only coordinates from 0 to 1 repeat.
                if (!is_normalized && ADDRESSINGS[i] >= CL_ADDRESS_REPEAT) {
                    EXPECT_REFUSED(clCreateSampler(context, is_normalized, ADDRESSINGS[i], FILTERS[j], &status), CL_INVALID_VALUE);
                    EXPECT_REFUSED(clCreateSamplerWithProperties(context, list, &status), CL_INVALID_VALUE);
                    continue;
                }
                cl_sampler sampler = clCreateSampler(context, is_normalized, ADDRESSINGS[i], FILTERS[j], &status);
                CHECK(status);
                check_sampler(sampler, is_normalized, ADDRESSINGS[i], FILTERS[j]);
                size_t size = 99;
                CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
                EXPECT_EQUAL(size, 0);
                CHECK(clReleaseSampler(sampler));
                sampler = clCreateSamplerWithProperties(context, list, &status);
                CHECK(status);
                check_sampler(sampler, is_normalized, ADDRESSINGS[i], FILTERS[j]);
                cl_sampler_properties got[COUNT(list)];
                CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof got, got, &size));
                EXPECT_EQUAL(size, sizeof list);
                expect_same("properties", got, list, COUNT(list), sizeof list[0]);
                CHECK(clReleaseSampler(sampler));
            }
        }
    }
    cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &status);
    CHECK(status);
    check_sampler(sampler, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    CHECK(clRetainSampler(sampler));
    EXPECT_EQUAL(attribute(sampler, CL_SAMPLER_REFERENCE_COUNT), 2);
    CHECK(clReleaseSampler(sampler));
    cl_uint value;
    EXPECT_ERROR(clGetSamplerInfo(sampler, 0x1234, sizeof value, &value, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, 1, &value, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseSampler(sampler));
    EXPECT_ERROR(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    EXPECT_ERROR(clRetainSampler(sampler), CL_INVALID_SAMPLER);
    EXPECT_ERROR(clGetSamplerInfo(NULL, CL_SAMPLER_FILTER_MODE, sizeof value, &value, NULL), CL_INVALID_SAMPLER);
    EXPECT_REFUSED(clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &status), CL_INVALID_CONTEXT);
    EXPECT_REFUSED(clCreateSampler(context, CL_TRUE, 0, CL_FILTER_LINEAR, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 0, &status), CL_INVALID_VALUE);
    const cl_sampler_properties wrong[][5] = {{0x1234, 1, 0}, {CL_SAMPLER_FILTER_MODE, 1, 0},
        {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_REFUSED(clCreateSamplerWithProperties(context, wrong[i], &status), CL_INVALID_VALUE);
    }
    close_device();
    return passed();
}
