//! # Features that a device may lack: native kernels, pipes, images and samplers; every call that needs them refuses.
#include "check.h"

static void CL_CALLBACK native(void* user) { (void)user; }

static void check_native(void) {
    const cl_ulong capabilities = device_ulong(CL_DEVICE_EXECUTION_CAPABILITIES);
    if (capabilities & CL_EXEC_NATIVE_KERNEL) {
        EXPECT_ERROR(clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        return;
    }
    int arguments = 1;
    EXPECT_ERROR(clEnqueueNativeKernel(queue, native, &arguments, sizeof arguments, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    EXPECT_ERROR(clEnqueueNativeKernel(queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    EXPECT_ERROR(clEnqueueNativeKernel(NULL, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
}

static void check_pipes(void) {
    if (device_uint(CL_DEVICE_PIPE_SUPPORT)) {
        return;
    }
    EXPECT_REFUSED(clCreatePipe(context, CL_MEM_READ_WRITE, 4, 16, NULL, &status), CL_INVALID_OPERATION);
    EXPECT_REFUSED(clCreatePipe(NULL, CL_MEM_READ_WRITE, 4, 16, NULL, &status), CL_INVALID_CONTEXT);
    const cl_mem buffer = buffer_of(64, NULL);
    cl_uint size;
    EXPECT_ERROR(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(buffer));
}

// Two faults at once, and no rule which of them counts: the object is no image, and the device has none.
static void expect_no_image(cl_int error) {
    REQUIRE(error == CL_INVALID_MEM_OBJECT || error == CL_INVALID_OPERATION, "a buffer used as an image: %s", error_name(error));
}

static void check_images(void) {
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const cl_image_desc deep = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4};
    const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 16};
    const cl_image_desc* const descriptions[] = {&flat, &deep, &line};
    for (size_t i = 0; i < COUNT(descriptions); i++) {
        EXPECT_REFUSED(clCreateImage(context, CL_MEM_READ_ONLY, &format, descriptions[i], NULL, &status), CL_INVALID_OPERATION);
        EXPECT_REFUSED(clCreateImageWithProperties(context, NULL, CL_MEM_READ_ONLY, &format, descriptions[i], NULL, &status), CL_INVALID_OPERATION);
    }
    EXPECT_REFUSED(clCreateImage(NULL, CL_MEM_READ_ONLY, &format, &flat, NULL, &status), CL_INVALID_CONTEXT);
    const cl_sampler_properties properties[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    EXPECT_REFUSED(clCreateSamplerWithProperties(context, properties, &status), CL_INVALID_OPERATION);
    EXPECT_REFUSED(clCreateSamplerWithProperties(NULL, properties, &status), CL_INVALID_CONTEXT);
    // No formats are there, which is no error.
    cl_uint count = 99;
    CHECK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    EXPECT_EQUAL(count, 0);
    EXPECT_ERROR(clGetSupportedImageFormats(NULL, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_INVALID_CONTEXT);
    // Buffers are no images.
    const cl_mem buffer = buffer_of(4096, NULL);
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    char host[4096];
    expect_no_image(clEnqueueReadImage(queue, buffer, CL_TRUE, zero, region, 0, 0, host, 0, NULL, NULL));
    expect_no_image(clEnqueueWriteImage(queue, buffer, CL_TRUE, zero, region, 0, 0, host, 0, NULL, NULL));
    expect_no_image(clEnqueueFillImage(queue, buffer, host, zero, region, 0, NULL, NULL));
    expect_no_image(clEnqueueCopyImage(queue, buffer, buffer, zero, zero, region, 0, NULL, NULL));
    expect_no_image(clEnqueueCopyImageToBuffer(queue, buffer, buffer, zero, region, 0, 0, NULL, NULL));
    expect_no_image(clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, zero, region, 0, NULL, NULL));
    size_t pitch;
    REQUIRE(clEnqueueMapImage(queue, buffer, CL_TRUE, CL_MAP_READ, zero, region, &pitch, NULL, 0, NULL, NULL, &status) == NULL, "a mapped buffer");
    expect_no_image(status);
    EXPECT_ERROR(clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof pitch, &pitch, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(buffer));
    // The language has no macro for what is not there.
    const cl_program program = build(
        "#ifdef __IMAGE_SUPPORT__\n#error images\n#endif\n#ifdef __opencl_c_images\n#error images\n#endif\nkernel void none(void) {}\n", "");
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    check_native();
    check_pipes();
    if (!device_uint(CL_DEVICE_IMAGE_SUPPORT)) {
        check_images();
    }
    close_device();
    return passed();
}
