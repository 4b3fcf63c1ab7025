/* Runs kernels by OpenCL on the host: the reference that emulated runs are compared with.
 *
 * It is a program of its own so that a compiler or kernel that crashes takes no test with it. Its argument is a file
 * of lines, one word and what belongs to it:
 *
 *     source FILE          OpenCL C
 *     options TEXT         for its compiler
 *     times FILE           a file for the seconds that each launch runs, without its compilation
 *     buffer FILE          a buffer with these bytes; buffers count from 0; the results replace the file
 *     launch NAME GX GY GZ LX LY LZ
 *     b N                  the next argument is buffer N,
 *     v HEX                these bytes by value,
 *     l BYTES              local memory,
 *     n                    or null
 *     end                  of a launch: it runs
 *
 * What kernels print goes to standard output. The exit status is 1 if anything fails, with a message. */

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 64, MAX_LINE = 1 << 16, MAX_LOG = 1 << 16 };

typedef struct {
    char *path;
    char *bytes;
    size_t size;
    cl_mem memory;
} Buffer;

static void fail(const char *what, long code) {
    fprintf(stderr, "%s: %ld\n", what, code);
    exit(1);
}

static void check(cl_int status, const char *what) {
    if (status != CL_SUCCESS)
        fail(what, status);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(path, 0);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        fail(path, (long)*size);
    fclose(file);
    return bytes;
}

static size_t from_hex(const char *text, unsigned char *bytes) {
    size_t count = 0;
    for (unsigned byte; sscanf(text + 2 * count, "%2x", &byte) == 1; count++)
        bytes[count] = (unsigned char)byte;
    return count;
}

static cl_program build(cl_context context, cl_device_id device, const char *path, const char *options) {
    size_t size;
    const char *text = read_file(path, &size);
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &size, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        static char log[MAX_LOG];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        exit(1);
    }
    return program;
}

static double seconds(cl_event run) {
    cl_ulong begin, end;
    check(clGetEventProfilingInfo(run, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL), "the time of the start");
    check(clGetEventProfilingInfo(run, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "the time of the end");
    return (double)(end - begin) * 1e-9;
}

int main(int count, char **arguments) {
    if (count != 2)
        fail("one argument is wanted", count);
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "no OpenCL device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &status);
    check(status, "clCreateCommandQueueWithProperties");

    static char line[MAX_LINE], source[MAX_LINE], options[MAX_LINE];
    static Buffer buffers[MAX_BUFFERS];
    unsigned used = 0;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    cl_uint argument = 0;
    size_t grid[3], group[3];
    FILE *times = NULL;
    FILE *job = fopen(arguments[1], "r");
    if (!job)
        fail(arguments[1], 0);
    while (fgets(line, sizeof line, job)) {
        line[strcspn(line, "\n")] = 0;
        char *rest = line + strcspn(line, " ");
        if (*rest)
            *rest++ = 0;
        if (!strcmp(line, "source")) {
            strcpy(source, rest);
        } else if (!strcmp(line, "options")) {
            strcpy(options, rest);
        } else if (!strcmp(line, "times")) {
            times = fopen(rest, "w");
            if (!times)
                fail(rest, 0);
        } else if (!strcmp(line, "buffer")) {
            if (used == MAX_BUFFERS)
                fail("too many buffers", used);
            Buffer *buffer = &buffers[used++];
            buffer->path = strdup(rest);
            buffer->bytes = read_file(rest, &buffer->size);
            buffer->memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, buffer->size, buffer->bytes, &status);
            check(status, "clCreateBuffer");
        } else if (!strcmp(line, "launch")) {
            char name[256];
            if (sscanf(rest, "%255s %zu %zu %zu %zu %zu %zu", name, &grid[0], &grid[1], &grid[2], &group[0], &group[1], &group[2]) != 7)
                fail(rest, 0);
            if (!program)
                program = build(context, device, source, options);
            kernel = clCreateKernel(program, name, &status);
            check(status, name);
            argument = 0;
        } else if (!strcmp(line, "b")) {
            unsigned long index = strtoul(rest, NULL, 10);
            if (index >= used)
                fail("no such buffer", (long)index);
            check(clSetKernelArg(kernel, argument++, sizeof(cl_mem), &buffers[index].memory), "a buffer as argument");
        } else if (!strcmp(line, "v")) {
            static unsigned char bytes[MAX_LINE];
            size_t size = from_hex(rest, bytes);
            check(clSetKernelArg(kernel, argument++, size, bytes), "a value as argument");
        } else if (!strcmp(line, "l")) {
            check(clSetKernelArg(kernel, argument++, strtoul(rest, NULL, 10), NULL), "local memory as argument");
        } else if (!strcmp(line, "n")) {
            check(clSetKernelArg(kernel, argument++, sizeof(cl_mem), NULL), "null as argument");
        } else if (!strcmp(line, "end")) {
            cl_event run;
            check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, grid, group, 0, NULL, &run), "the launch");
            check(clFinish(queue), "the run");
            if (times)
                fprintf(times, "%.9f\n", seconds(run));
            clReleaseEvent(run);
            clReleaseKernel(kernel);
        } else {
            fail(line, 0);
        }
    }
    for (unsigned i = 0; i < used; i++) {
        Buffer *buffer = &buffers[i];
        check(clEnqueueReadBuffer(queue, buffer->memory, CL_TRUE, 0, buffer->size, buffer->bytes, 0, NULL, NULL), "reading a buffer");
        FILE *file = fopen(buffer->path, "wb");
        if (!file || fwrite(buffer->bytes, 1, buffer->size, file) != buffer->size || fclose(file))
            fail(buffer->path, 0);
    }
    if (times && fclose(times))
        fail("the times", 0);
    return 0;
}
