//! # Devices: every property of OpenCL 3.0 has its type's size, refuses too small a memory, and agrees with the others.
//! targets = ["gfx803", "gfx900", "gfx906", "gfx600"]
#include "check.h"

// Not in the headers.
#define CL_DEVICE_MAX_REAL_TIME_COMPUTE_QUEUES_AMD 0x404d
#define CL_DEVICE_MAX_REAL_TIME_COMPUTE_UNITS_AMD 0x404e

enum Kind { UINT, ULONG, SIZE, SIZES, HANDLE, TEXT, NAMES, LIST };

static const struct {
    cl_device_info id;
    enum Kind kind;
    const char* name;
} PROPERTIES[] = {
#define ROW(kind, name) {CL_DEVICE_##name, kind, #name}
    ROW(ULONG, TYPE),
    ROW(UINT, VENDOR_ID),
    ROW(UINT, MAX_COMPUTE_UNITS),
    ROW(UINT, MAX_REAL_TIME_COMPUTE_QUEUES_AMD),
    ROW(UINT, MAX_REAL_TIME_COMPUTE_UNITS_AMD),
    ROW(UINT, MAX_WORK_ITEM_DIMENSIONS),
    ROW(SIZES, MAX_WORK_ITEM_SIZES),
    ROW(SIZE, MAX_WORK_GROUP_SIZE),
    ROW(UINT, PREFERRED_VECTOR_WIDTH_CHAR),
    ROW(UINT, PREFERRED_VECTOR_WIDTH_SHORT),
    ROW(UINT, PREFERRED_VECTOR_WIDTH_INT),
    ROW(UINT, PREFERRED_VECTOR_WIDTH_LONG),
    ROW(UINT, PREFERRED_VECTOR_WIDTH_FLOAT),
    ROW(UINT, PREFERRED_VECTOR_WIDTH_DOUBLE),
    ROW(UINT, PREFERRED_VECTOR_WIDTH_HALF),
    ROW(UINT, NATIVE_VECTOR_WIDTH_CHAR),
    ROW(UINT, NATIVE_VECTOR_WIDTH_SHORT),
    ROW(UINT, NATIVE_VECTOR_WIDTH_INT),
    ROW(UINT, NATIVE_VECTOR_WIDTH_LONG),
    ROW(UINT, NATIVE_VECTOR_WIDTH_FLOAT),
    ROW(UINT, NATIVE_VECTOR_WIDTH_DOUBLE),
    ROW(UINT, NATIVE_VECTOR_WIDTH_HALF),
    ROW(UINT, MAX_CLOCK_FREQUENCY),
    ROW(UINT, ADDRESS_BITS),
    ROW(ULONG, MAX_MEM_ALLOC_SIZE),
    ROW(UINT, IMAGE_SUPPORT),
    ROW(UINT, MAX_READ_IMAGE_ARGS),
    ROW(UINT, MAX_WRITE_IMAGE_ARGS),
    ROW(UINT, MAX_READ_WRITE_IMAGE_ARGS),
    ROW(TEXT, IL_VERSION),
    ROW(NAMES, ILS_WITH_VERSION),
    ROW(SIZE, IMAGE2D_MAX_WIDTH),
    ROW(SIZE, IMAGE2D_MAX_HEIGHT),
    ROW(SIZE, IMAGE3D_MAX_WIDTH),
    ROW(SIZE, IMAGE3D_MAX_HEIGHT),
    ROW(SIZE, IMAGE3D_MAX_DEPTH),
    ROW(SIZE, IMAGE_MAX_BUFFER_SIZE),
    ROW(SIZE, IMAGE_MAX_ARRAY_SIZE),
    ROW(UINT, MAX_SAMPLERS),
    ROW(UINT, IMAGE_PITCH_ALIGNMENT),
    ROW(UINT, IMAGE_BASE_ADDRESS_ALIGNMENT),
    ROW(UINT, MAX_PIPE_ARGS),
    ROW(UINT, PIPE_MAX_ACTIVE_RESERVATIONS),
    ROW(UINT, PIPE_MAX_PACKET_SIZE),
    ROW(SIZE, MAX_PARAMETER_SIZE),
    ROW(UINT, MEM_BASE_ADDR_ALIGN),
    ROW(UINT, MIN_DATA_TYPE_ALIGN_SIZE),
    ROW(ULONG, SINGLE_FP_CONFIG),
    ROW(ULONG, DOUBLE_FP_CONFIG),
    ROW(UINT, GLOBAL_MEM_CACHE_TYPE),
    ROW(UINT, GLOBAL_MEM_CACHELINE_SIZE),
    ROW(ULONG, GLOBAL_MEM_CACHE_SIZE),
    ROW(ULONG, GLOBAL_MEM_SIZE),
    ROW(ULONG, MAX_CONSTANT_BUFFER_SIZE),
    ROW(UINT, MAX_CONSTANT_ARGS),
    ROW(SIZE, MAX_GLOBAL_VARIABLE_SIZE),
    ROW(SIZE, GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE),
    ROW(UINT, LOCAL_MEM_TYPE),
    ROW(ULONG, LOCAL_MEM_SIZE),
    ROW(UINT, ERROR_CORRECTION_SUPPORT),
    ROW(UINT, HOST_UNIFIED_MEMORY),
    ROW(SIZE, PROFILING_TIMER_RESOLUTION),
    ROW(UINT, ENDIAN_LITTLE),
    ROW(UINT, AVAILABLE),
    ROW(UINT, COMPILER_AVAILABLE),
    ROW(UINT, LINKER_AVAILABLE),
    ROW(ULONG, EXECUTION_CAPABILITIES),
    ROW(ULONG, QUEUE_ON_HOST_PROPERTIES),
    ROW(ULONG, QUEUE_ON_DEVICE_PROPERTIES),
    ROW(UINT, QUEUE_ON_DEVICE_PREFERRED_SIZE),
    ROW(UINT, QUEUE_ON_DEVICE_MAX_SIZE),
    ROW(UINT, MAX_ON_DEVICE_QUEUES),
    ROW(UINT, MAX_ON_DEVICE_EVENTS),
    ROW(TEXT, BUILT_IN_KERNELS),
    ROW(NAMES, BUILT_IN_KERNELS_WITH_VERSION),
    ROW(HANDLE, PLATFORM),
    ROW(TEXT, NAME),
    ROW(TEXT, VENDOR),
    ROW(TEXT, PROFILE),
    ROW(TEXT, VERSION),
    ROW(UINT, NUMERIC_VERSION),
    ROW(TEXT, OPENCL_C_VERSION),
    ROW(NAMES, OPENCL_C_ALL_VERSIONS),
    ROW(NAMES, OPENCL_C_FEATURES),
    ROW(TEXT, EXTENSIONS),
    ROW(NAMES, EXTENSIONS_WITH_VERSION),
    ROW(SIZE, PRINTF_BUFFER_SIZE),
    ROW(UINT, PREFERRED_INTEROP_USER_SYNC),
    ROW(HANDLE, PARENT_DEVICE),
    ROW(UINT, PARTITION_MAX_SUB_DEVICES),
    ROW(LIST, PARTITION_PROPERTIES),
    ROW(ULONG, PARTITION_AFFINITY_DOMAIN),
    ROW(LIST, PARTITION_TYPE),
    ROW(UINT, REFERENCE_COUNT),
    ROW(ULONG, SVM_CAPABILITIES),
    ROW(UINT, PREFERRED_PLATFORM_ATOMIC_ALIGNMENT),
    ROW(UINT, PREFERRED_GLOBAL_ATOMIC_ALIGNMENT),
    ROW(UINT, PREFERRED_LOCAL_ATOMIC_ALIGNMENT),
    ROW(UINT, MAX_NUM_SUB_GROUPS),
    ROW(UINT, SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS),
    ROW(ULONG, ATOMIC_MEMORY_CAPABILITIES),
    ROW(ULONG, ATOMIC_FENCE_CAPABILITIES),
    ROW(UINT, NON_UNIFORM_WORK_GROUP_SUPPORT),
    ROW(UINT, WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT),
    ROW(UINT, GENERIC_ADDRESS_SPACE_SUPPORT),
    ROW(ULONG, DEVICE_ENQUEUE_CAPABILITIES),
    ROW(UINT, PIPE_SUPPORT),
    ROW(SIZE, PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    ROW(TEXT, LATEST_CONFORMANCE_VERSION_PASSED),
    {CL_DRIVER_VERSION, TEXT, "CL_DRIVER_VERSION"},
#undef ROW
};

static void check_size(const char* name, enum Kind kind, size_t size, const char* bytes) {
    size_t exact = 0, unit = 0;
    switch (kind) {
        case UINT: exact = sizeof(cl_uint); break;
        case ULONG: exact = sizeof(cl_ulong); break;
        case SIZE: exact = sizeof(size_t); break;
        case HANDLE: exact = sizeof(void*); break;
        case SIZES: exact = sizeof(size_t) * device_uint(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS); break;
        case TEXT: exact = strnlen(bytes, size) + 1; break;
        case NAMES: unit = sizeof(cl_name_version); break;
        case LIST: unit = sizeof(cl_device_partition_property); break;
    }
    REQUIRE(exact == 0 || size == exact, "%s: expected %zu bytes, got %zu", name, exact, size);
    REQUIRE(unit == 0 || size % unit == 0, "%s: %zu bytes are not a multiple of %zu", name, size, unit);
}

static void check_property(cl_device_info id, enum Kind kind, const char* name) {
    size_t size = 0, again = 0;
    const cl_int error = clGetDeviceInfo(device, id, 0, NULL, &size);
    REQUIRE(error == CL_SUCCESS, "%s: %s", name, error_name(error));
    char* const bytes = allocate(size + 8, 1);
    memset(bytes, 0x5a, size + 8);
    if (size > 0) {
        EXPECT_ERROR(clGetDeviceInfo(device, id, size - 1, bytes, NULL), CL_INVALID_VALUE);
    }
    REQUIRE(clGetDeviceInfo(device, id, size + 8, bytes, &again) == CL_SUCCESS, "%s: larger memory is refused", name);
    REQUIRE(again == size, "%s: %zu bytes, then %zu", name, size, again);
    for (size_t i = size; i < size + 8; i++) {
        REQUIRE(bytes[i] == 0x5a, "%s writes behind its value", name);
    }
    check_size(name, kind, size, bytes);
    free(bytes);
}

static void check_limits(void) {
    cl_device_type type;
    device_property(CL_DEVICE_TYPE, sizeof type, &type);
    REQUIRE(type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR), "type %#lx", (long)type);
    REQUIRE(device_uint(CL_DEVICE_MAX_COMPUTE_UNITS) >= 1, "no compute unit");
    REQUIRE(device_uint(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) >= 3, "fewer than three dimensions");
    size_t sizes[3];
    REQUIRE(device_uint(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) == 3, "more than three dimensions");
    device_property(CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes);
    const size_t group = device_size(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    for (int i = 0; i < 3; i++) {
        REQUIRE(sizes[i] >= 1, "no work-items in dimension %d", i);
    }
    REQUIRE(group >= 1 && sizes[0] >= group, "%zu work-items in a group, %zu in its first dimension", group, sizes[0]);
    EXPECT_EQUAL(group % device_size(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 0);
    const cl_ulong memory = device_ulong(CL_DEVICE_GLOBAL_MEM_SIZE), most = device_ulong(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    REQUIRE(most <= memory, "one allocation may have %llu bytes of %llu", (long long)most, (long long)memory);
    const cl_ulong least = memory / 4 < (1u << 30) ? memory / 4 : 1u << 30;
    REQUIRE(most >= least, "one allocation may have %llu bytes only", (long long)most);
    REQUIRE(device_size(CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024, "arguments of fewer than 1024 bytes");
    // An alignment in bits, of the largest type at least: long16.
    const cl_uint alignment = device_uint(CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    REQUIRE(alignment >= 1024 && (alignment & (alignment - 1)) == 0, "alignment of %u bits", alignment);
    REQUIRE(device_ulong(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 64 << 10, "little constant memory");
    REQUIRE(device_uint(CL_DEVICE_MAX_CONSTANT_ARGS) >= 8, "few constant arguments");
    REQUIRE(device_ulong(CL_DEVICE_LOCAL_MEM_SIZE) >= 32 << 10, "little local memory");
    REQUIRE(device_size(CL_DEVICE_PRINTF_BUFFER_SIZE) >= 1 << 20, "a small buffer for printf");
    const cl_uint bits = device_uint(CL_DEVICE_ADDRESS_BITS);
    REQUIRE(bits == 64 || bits == 32, "addresses of %u bits", bits);
    EXPECT_EQUAL(device_uint(CL_DEVICE_AVAILABLE), CL_TRUE);
    EXPECT_EQUAL(device_uint(CL_DEVICE_COMPILER_AVAILABLE), CL_TRUE);
    EXPECT_EQUAL(device_uint(CL_DEVICE_LINKER_AVAILABLE), CL_TRUE);
    EXPECT_EQUAL(device_uint(CL_DEVICE_ENDIAN_LITTLE), CL_TRUE);
    REQUIRE(device_ulong(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL, "the device runs no kernels");
    REQUIRE(device_ulong(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE, "queues without profiling");
    EXPECT_EQUAL(device_uint(CL_DEVICE_REFERENCE_COUNT), 1);
    cl_device_id parent = device;
    device_property(CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent);
    REQUIRE(parent == NULL, "a device that is no part of another has a parent");
}

// True for a device of OpenCL 3.0: others have no features of its language by name. GCN 1.0 has no generic addresses.
static bool is_of_3(void) {
    return strcmp(device_text(CL_DEVICE_NAME), "gfx600") != 0;
}

static bool has_feature(const char* name) {
    return has_name(CL_DEVICE_OPENCL_C_FEATURES, name);
}

static void check_floats(void) {
    const cl_device_fp_config single = device_ulong(CL_DEVICE_SINGLE_FP_CONFIG);
    REQUIRE((single & CL_FP_INF_NAN) && (single & (CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO)), "floats: %#lx", (long)single);
    const cl_device_fp_config doubles = device_ulong(CL_DEVICE_DOUBLE_FP_CONFIG);
    const cl_device_fp_config all = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
    REQUIRE(doubles == 0 || (doubles & all) == all, "doubles: %#lx", (long)doubles);
    EXPECT_EQUAL(has_extension("cl_khr_fp64"), doubles != 0);
    EXPECT_EQUAL(device_uint(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) != 0, doubles != 0);
    EXPECT_EQUAL(device_uint(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) != 0, doubles != 0);
    const bool half = has_extension("cl_khr_fp16");
    EXPECT_EQUAL(device_uint(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) != 0, half);
    EXPECT_EQUAL(has_feature("__opencl_c_fp64"), is_of_3() && doubles != 0);
}

static void check_images(void) {
    const bool images = device_uint(CL_DEVICE_IMAGE_SUPPORT);
    const struct {
        cl_device_info name;
        cl_ulong least;
    } numbers[] = {{CL_DEVICE_MAX_READ_IMAGE_ARGS, 8}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 8}, {CL_DEVICE_MAX_SAMPLERS, 16}};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const cl_uint value = device_uint(numbers[i].name);
        REQUIRE(images ? value >= numbers[i].least : value == 0, "property %#x is %u", numbers[i].name, value);
    }
    REQUIRE(images ? device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH) >= 2048 : device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH) == 0,
            "images of %zu columns", device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH));
    EXPECT_EQUAL(has_feature("__opencl_c_images"), is_of_3() && images);
}

static void check_versions(void) {
    unsigned major, minor;
    char* const version = device_text(CL_DEVICE_VERSION);
    REQUIRE(sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && version[strlen("OpenCL 3.0")] == ' ', "version `%s`", version);
    EXPECT_EQUAL(major, is_of_3() ? 3 : 1);
    EXPECT_EQUAL(device_uint(CL_DEVICE_NUMERIC_VERSION), CL_MAKE_VERSION(major, minor, CL_VERSION_PATCH(device_uint(CL_DEVICE_NUMERIC_VERSION))));
    char* const language = device_text(CL_DEVICE_OPENCL_C_VERSION);
    REQUIRE(strncmp(language, "OpenCL C ", 9) == 0 && strchr(language + 9, ' ') != NULL, "language `%s`", language);
    cl_name_version names[20];
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof names, names, &size));
    unsigned found = 0;
    for (size_t i = 0; i < size / sizeof *names; i++) {
        EXPECT_TEXT(names[i].name, "OpenCL C");
        found |= 1u << (CL_VERSION_MAJOR(names[i].version) * 4 + CL_VERSION_MINOR(names[i].version));
    }
    // OpenCL 3.0 needs OpenCL C 1.0, 1.1, 1.2 and 3.0.
    const unsigned needed = 1u << 4 | 1u << 5 | 1u << 6 | (is_of_3() ? 1u << 12 : 0);
    EXPECT_EQUAL(found & needed, needed);
    const cl_int built = clBuildProgram(program_of("kernel void a(void) {}"), 1, &device, "-cl-std=CL3.0", NULL, NULL);
    EXPECT_EQUAL(built, is_of_3() ? CL_SUCCESS : CL_INVALID_BUILD_OPTIONS);
    char source[100];
    sprintf(source, "#if __OPENCL_VERSION__ != %u\n#error another version\n#endif\nkernel void a(void) {}", major * 100 + minor * 10);
    CHECK(clBuildProgram(program_of(source), 1, &device, "", NULL, NULL));
}

// The two lists of extensions name the same ones, and the device has those that OpenCL 1.1 made part of the language.
static void check_extensions(void) {
    char* const text = device_text(CL_DEVICE_EXTENSIONS);
    size_t size, words = 0;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &size));
    cl_name_version* const list = allocate(size, 1);
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, size, list, NULL));
    for (size_t i = 0; i < size / sizeof *list; i++) {
        REQUIRE(has_word(text, list[i].name), "`%s` is not among `%s`", list[i].name, text);
    }
    for (const char* at = text; *at != 0; at++) {
        words += *at != ' ' && (at == text || at[-1] == ' ');
    }
    EXPECT_EQUAL(size / sizeof *list, words);
    const char* const needed[] = {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
                                  "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
                                  "cl_khr_local_int32_extended_atomics"};
    for (size_t i = 0; i < COUNT(needed); i++) {
        REQUIRE(has_word(text, needed[i]), "`%s` lacks %s", text, needed[i]);
    }
}

// Optional features: each is reported the same by its property and by its name in the language.
static void check_features(void) {
    const struct {
        const char* name;
        bool has;
    } features[] = {
        {"__opencl_c_generic_address_space", device_uint(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT)},
        {"__opencl_c_work_group_collective_functions", device_uint(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT)},
        {"__opencl_c_pipes", device_uint(CL_DEVICE_PIPE_SUPPORT)},
        {"__opencl_c_device_enqueue", device_ulong(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) & CL_DEVICE_QUEUE_SUPPORTED},
        {"__opencl_c_subgroups", device_uint(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0},
        {"__opencl_c_program_scope_global_variables", device_size(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) != 0},
        {"__opencl_c_atomic_order_seq_cst", device_ulong(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & CL_DEVICE_ATOMIC_ORDER_SEQ_CST},
        {"__opencl_c_atomic_scope_device", device_ulong(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & CL_DEVICE_ATOMIC_SCOPE_DEVICE},
        {"__opencl_c_read_write_images", device_uint(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) != 0},
    };
    for (size_t i = 0; i < COUNT(features); i++) {
        REQUIRE(has_feature(features[i].name) == (is_of_3() && features[i].has), "%s differs from its property",
                features[i].name);
    }
    const cl_ulong least = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    EXPECT_EQUAL(device_ulong(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & least, least);
    const cl_ulong fences = CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    EXPECT_EQUAL(device_ulong(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) & fences, fences);
    const cl_ulong svm = device_ulong(CL_DEVICE_SVM_CAPABILITIES);
    REQUIRE(svm == 0 || (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER), "shared memory without the simplest: %#lx", (long)svm);
}

// Devices of OpenCL 1.2 have neither sub-groups nor functions of whole work-groups.
static void check_groups(void) {
    EXPECT_EQUAL(device_uint(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0, is_of_3());
    EXPECT_EQUAL(device_uint(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), is_of_3());
    EXPECT_EQUAL(device_uint(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT), is_of_3());
    EXPECT_EQUAL(has_extension("cl_khr_subgroups"), is_of_3());
    const cl_program program = build("kernel void a(void) {}", "");
    const cl_kernel kernel = kernel_of(program, "a");
    size_t number;
    EXPECT_ERROR(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof number, &number, NULL),
                 is_of_3() ? CL_SUCCESS : CL_INVALID_OPERATION);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    for (size_t i = 0; i < COUNT(PROPERTIES); i++) {
        check_property(PROPERTIES[i].id, PROPERTIES[i].kind, PROPERTIES[i].name);
    }
    size_t size;
    EXPECT_ERROR(clGetDeviceInfo(device, 0x4242, 0, NULL, &size), CL_INVALID_VALUE);
    EXPECT_ERROR(clGetDeviceInfo(device, CL_PLATFORM_NAME, 0, NULL, &size), CL_INVALID_VALUE);
    check_limits();
    check_floats();
    check_images();
    check_versions();
    check_extensions();
    check_features();
    check_groups();
    close_device();
    return passed();
}
