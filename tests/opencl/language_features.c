//! # Features and extensions of the language: the compiler defines those that the device reports, and no others.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

// Optional features of OpenCL C 3.0.
static const char* const FEATURES[] = {"__opencl_c_3d_image_writes",
                                       "__opencl_c_atomic_order_acq_rel",
                                       "__opencl_c_atomic_order_seq_cst",
                                       "__opencl_c_atomic_scope_device",
                                       "__opencl_c_atomic_scope_all_devices",
                                       "__opencl_c_device_enqueue",
                                       "__opencl_c_generic_address_space",
                                       "__opencl_c_fp64",
                                       "__opencl_c_images",
                                       "__opencl_c_int64",
                                       "__opencl_c_pipes",
                                       "__opencl_c_program_scope_global_variables",
                                       "__opencl_c_read_write_images",
                                       "__opencl_c_subgroups",
                                       "__opencl_c_work_group_collective_functions"};

static void check_features(void) {
    static char source[8000];
    size_t at = 0;
    for (size_t i = 0; i < COUNT(FEATURES); i++) {
        const bool is_there = has_name(CL_DEVICE_OPENCL_C_FEATURES, FEATURES[i]);
        at += (size_t)sprintf(source + at, "#%s %s\n#error %s\n#endif\n", is_there ? "ifndef" : "ifdef", FEATURES[i], FEATURES[i]);
    }
    strcpy(source + at, "kernel void none(void) {}\n");
    CHECK(clReleaseProgram(build(source, "-cl-std=CL3.0")));
    // Each feature is one of the list above, or of integer dot products, which an extension brought.
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, 0, NULL, &size));
    cl_name_version* const names = allocate(size, 1);
    CHECK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, size, names, NULL));
    for (size_t i = 0; i < size / sizeof *names; i++) {
        bool is_known = strstr(names[i].name, "__opencl_c_integer_dot_product") == names[i].name;
        for (size_t k = 0; k < COUNT(FEATURES); k++) {
            is_known = is_known || strcmp(names[i].name, FEATURES[k]) == 0;
        }
        REQUIRE(is_known, "feature `%s`", names[i].name);
        REQUIRE(names[i].version != 0, "feature `%s` has no version", names[i].name);
    }
    free(names);
    REQUIRE(has_name(CL_DEVICE_OPENCL_C_FEATURES, "__opencl_c_int64"), "no 64-bit integers");
}

// Extensions that change the language have a macro of their name; those of the host need none.
static void check_extensions(void) {
    static const char* const of_language[] = {"cl_khr_byte_addressable_store",
                                              "cl_khr_global_int32_base_atomics",
                                              "cl_khr_global_int32_extended_atomics",
                                              "cl_khr_local_int32_base_atomics",
                                              "cl_khr_local_int32_extended_atomics",
                                              "cl_khr_int64_base_atomics",
                                              "cl_khr_int64_extended_atomics",
                                              "cl_khr_fp64",
                                              "cl_khr_fp16",
                                              "cl_khr_3d_image_writes",
                                              "cl_khr_subgroups"};
    const char* const standards[] = {"-cl-std=CL1.2", "-cl-std=CL3.0"};
    for (size_t s = 0; s < COUNT(standards); s++) {
        static char source[8000];
        size_t at = 0;
        for (size_t i = 0; i < COUNT(of_language); i++) {
            // Subgroups came with OpenCL C 2.0.
            const bool is_later = s == 0 && strcmp(of_language[i], "cl_khr_subgroups") == 0;
            if (has_extension(of_language[i]) && !is_later) {
                at += (size_t)sprintf(source + at, "#ifndef %s\n#error %s\n#endif\n", of_language[i], of_language[i]);
            }
        }
        strcpy(source + at, "kernel void none(void) {}\n");
        CHECK(clReleaseProgram(build(source, standards[s])));
    }
}

int main(void) {
    open_device();
    check_features();
    check_extensions();
    close_device();
    return passed();
}
