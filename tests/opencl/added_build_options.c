//! # Options that the user adds to every build, as `gcn exec --build-options` does: behind the program's own, which they overrule.
//! variables = { GCN_BUILD_OPTIONS = "-O0 -DCOUNT=3 -D 'TEXT=b c'" }
#include "check.h"

int main(void) {
    open_device();
    const char* const source =
        "#define STRING_OF(x) #x\n"
        "#define STRING(x) STRING_OF(x)\n"
        "#ifdef __OPTIMIZE__\n"
        "#error the code is optimised\n"
        "#endif\n"
        "kernel void count(global int* to) { to[0] = COUNT; to[1] = OWN; to[2] = sizeof STRING(TEXT); }\n";
    const char* const options = "-O3 -DCOUNT=1 -DOWN=2";
    const cl_program program = build(source, options);
    int found[3] = {0};
    const cl_mem buffer = buffer_of(sizeof found, found);
    const cl_kernel kernel = kernel_of(program, "count");
    SET(kernel, 0, buffer);
    launch(kernel, 1, 1);
    download(buffer, sizeof found, found);
    EXPECT_EQUAL(found[0], 3);
    EXPECT_EQUAL(found[1], 2);
    EXPECT_EQUAL(found[2], 4);
    // The program sees its own options alone.
    char kept[1000];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof kept, kept, NULL));
    REQUIRE(strstr(kept, options) != NULL && strstr(kept, "TEXT") == NULL, "the options are `%s`", kept);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
