//! # printf of kernels: conversions, vectors and pointers, the output of many work-items, and its return value.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

#include <unistd.h>

// Runs kernels with the program's standard output in a file, and returns the text.
static char* captured(void (*run)(void)) {
    static char text[200000];
    FILE* const file = tmpfile();
    REQUIRE(file != NULL, "no file");
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    REQUIRE(kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0, "standard output cannot be replaced");
    run();
    CHECK(clFinish(queue));
    fflush(stdout);
    REQUIRE(dup2(kept, STDOUT_FILENO) >= 0, "standard output cannot be put back");
    close(kept);
    rewind(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    fclose(file);
    return text;
}

static const char* const SOURCE =
    "kernel void formats(global int* to) {\n"
    "    to[0] = printf(\"plain text, 100%%\\n\");\n"
    "    printf(\"%d %i %u %x %X %o %c\\n\", -5, 12345, 4000000000u, 0xbeefu, 0xBEEFu, 8u, 'z');\n"
    "    printf(\"[%5d] [%-5d] [%05d] [%+d] [%.3d]\\n\", 42, 42, 42, 42, 7);\n"
    "    printf(\"%hhd %hd %ld %lu %lx\\n\", (char)-3, (short)-300, -5000000000L, 18000000000000000000UL, 0x123456789abcdefL);\n"
    "    printf(\"%f %.2f %10.3f %e %g %G\\n\", 1.5f, 2.345f, -3.14159f, 12345.678f, 0.0001f, 1e20f);\n"
    "    printf(\"%a [%#x] [%#o] [% d]\\n\", 1.0f, 255, 8, 5);\n"
    "    printf(\"[%s] [%10s] [%-6s] [%.2s]\\n\", \"words\", \"right\", \"bye\", \"cut\");\n"
    "    printf(\"%f %f %f\\n\", INFINITY, -INFINITY, 0.0f);\n"
    "}\n"
    "kernel void vectors(void) {\n"
    "    printf(\"%v4hlf\\n\", (float4)(1.0f, 2.5f, -3.0f, 0.0f));\n"
    "    printf(\"%v4hld %v2hlx\\n\", (int4)(1, -2, 3, -4), (uint2)(0xab, 0xcd));\n"
    "    printf(\"%v3hlu|%v8hhd|%v2hd\\n\", (uint3)(7, 8, 9), (char8)(1, 2, 3, 4, 5, 6, 7, -8), (short2)(-1, 500));\n"
    "    printf(\"%v2ld %5.1v2hlf\\n\", (long2)(-1L, 1L << 40), (float2)(1.25f, 22.0f));\n"
    "}\n"
    "kernel void items(int base) { printf(\"item %d of group %d\\n\", base + (int)get_global_id(0), (int)get_group_id(0)); }\n"
    "kernel void pointers(global int* to) {\n"
    "    to[0] = (int)(ulong)to; to[1] = (int)((ulong)to >> 32);\n"
    "    printf(\"%p\\n\", to);\n"
    "}\n";

static cl_program program;
static cl_mem buffer;

static void run_formats(void) {
    const cl_kernel kernel = kernel_of(program, "formats");
    SET(kernel, 0, buffer);
    launch(kernel, 1, 1);
    CHECK(clReleaseKernel(kernel));
}

static void run_vectors(void) {
    const cl_kernel kernel = kernel_of(program, "vectors");
    launch(kernel, 1, 1);
    CHECK(clReleaseKernel(kernel));
}

static void run_items(void) {
    const cl_kernel kernel = kernel_of(program, "items");
    for (cl_int base = 0; base < 1200; base += 400) {
        SET(kernel, 0, base);
        launch(kernel, 400, 40);
    }
    CHECK(clReleaseKernel(kernel));
}

static void run_pointers(void) {
    const cl_kernel kernel = kernel_of(program, "pointers");
    SET(kernel, 0, buffer);
    launch(kernel, 1, 1);
    CHECK(clReleaseKernel(kernel));
}

// A line for each work-item, once, those of a launch behind those of the launch before it.
static void check_items(void) {
    static bool seen[1200];
    int count = 0;
    for (char* line = strtok(captured(run_items), "\n"); line != NULL; line = strtok(NULL, "\n")) {
        int item, group;
        REQUIRE(sscanf(line, "item %d of group %d", &item, &group) == 2, "line `%s`", line);
        REQUIRE(item >= 0 && item < 1200 && !seen[item], "item %d twice or nowhere", item);
        EXPECT_EQUAL(group, item % 400 / 40);
        EXPECT_EQUAL(item / 400, count / 400);
        seen[item] = true;
        count++;
    }
    EXPECT_EQUAL(count, 1200);
}

int main(void) {
    open_device();
    program = build(SOURCE, "");
    buffer = buffer_of(8, NULL);
    EXPECT_TEXT(captured(run_formats),
                "plain text, 100%\n"
                "-5 12345 4000000000 beef BEEF 10 z\n"
                "[   42] [42   ] [00042] [+42] [007]\n"
                "-3 -300 -5000000000 18000000000000000000 123456789abcdef\n"
                "1.500000 2.35     -3.142 1.234568e+04 0.0001 1E+20\n"
                "0x1p+0 [0xff] [010] [ 5]\n"
                "[words] [     right] [bye   ] [cu]\n"
                "inf -inf 0.000000\n");
    int got[2];
    download(buffer, 4, got);
    EXPECT_EQUAL(got[0], 0);
    EXPECT_TEXT(captured(run_vectors),
                "1.000000,2.500000,-3.000000,0.000000\n"
                "1,-2,3,-4 ab,cd\n"
                "7,8,9|1,2,3,4,5,6,7,-8|-1,500\n"
                "-1,1099511627776   1.2, 22.0\n");
    check_items();
    char expected[40];
    const char* const text = captured(run_pointers);
    download(buffer, 8, got);
    snprintf(expected, sizeof expected, "%p\n", (void*)((uintptr_t)(unsigned)got[1] << 32 | (unsigned)got[0]));
    EXPECT_TEXT(text, expected);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
