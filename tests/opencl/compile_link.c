//! # Programs compiled apart and linked: embedded headers, libraries, binaries of each kind, and errors of both steps.
#include "check.h"

static const char* const HEADER = "int triple(int value);\n#define START 100\n";
static const char* const LIBRARY = "#include <shared/triple.h>\nint triple(int value) { return 3 * value; }\n";
static const char* const MAIN =
    "#include \"shared/triple.h\"\n"
    "kernel void answer(global int* to) { to[get_global_id(0)] = START + triple((int)get_global_id(0)) * FACTOR; }\n";

static cl_program compile(const char* source, const char* options) {
    const cl_program program = program_of(source), header = program_of(HEADER);
    const char* names[] = {"shared/triple.h"};
    const cl_int error = clCompileProgram(program, 1, &device, options, 1, &header, names, NULL, NULL);
    REQUIRE(error == CL_SUCCESS, "%s\n%s", error_name(error), build_log(program));
    CHECK(clReleaseProgram(header));
    return program;
}

static cl_program link_all(const char* options, cl_uint count, const cl_program* programs) {
    const cl_program linked = clLinkProgram(context, 1, &device, options, count, programs, NULL, NULL, &status);
    if (status != CL_SUCCESS) {
        FAIL("link with `%s`: %s\n%s", options, error_name(status), linked == NULL ? "" : build_log(linked));
    }
    return linked;
}

static cl_program_binary_type type_of(cl_program program) {
    cl_program_binary_type type = 99;
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    return type;
}

static void check_answers(cl_program program, int factor) {
    const cl_kernel kernel = kernel_of(program, "answer");
    int got[8];
    const cl_mem to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, to);
    launch(kernel, 8, 0);
    download(to, sizeof got, got);
    for (int i = 0; i < 8; i++) {
        EXPECT_EQUAL(got[i], 100 + 3 * i * factor);
    }
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

// The binary of one program, as a new one.
static cl_program reload(cl_program program) {
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    REQUIRE(size > 0, "no binary");
    unsigned char* const bytes = allocate(size, 1);
    unsigned char* list[1] = {bytes};
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof list, list, NULL));
    const unsigned char* constant_list[1] = {bytes};
    const cl_program loaded = clCreateProgramWithBinary(context, 1, &device, &size, constant_list, NULL, &status);
    CHECK(status);
    EXPECT_EQUAL(type_of(loaded), type_of(program));
    free(bytes);
    return loaded;
}

static void check_linking(void) {
    cl_program parts[2] = {compile(MAIN, "-DFACTOR=1"), compile(LIBRARY, "")};
    EXPECT_EQUAL(type_of(parts[0]), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    EXPECT_REFUSED(clCreateKernel(parts[0], "answer", &status), CL_INVALID_PROGRAM_EXECUTABLE);
    const cl_program linked = link_all("", 2, parts);
    EXPECT_EQUAL(type_of(linked), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    check_answers(linked, 1);
    // A library, and another main part for it; then the same from their binaries.
    const cl_program library = link_all("-create-library", 1, &parts[1]);
    EXPECT_EQUAL(type_of(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    const cl_program other = compile(MAIN, "-D FACTOR=5 -cl-std=CL1.2");
    const cl_program second = link_all("-cl-fast-relaxed-math", 2, (cl_program[]){other, library});
    check_answers(second, 5);
    const cl_program third = link_all("", 2, (cl_program[]){reload(other), reload(library)});
    check_answers(third, 5);
    // Programs that are linked do not need their parts.
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
    CHECK(clReleaseProgram(library));
    CHECK(clReleaseProgram(other));
    check_answers(linked, 1);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(second));
    CHECK(clReleaseProgram(third));
}

static void check_failures(void) {
    // The main part alone lacks a function.
    const cl_program lonely = compile(MAIN, "-DFACTOR=1");
    const cl_program linked = clLinkProgram(context, 1, &device, "", 1, &lonely, NULL, NULL, &status);
    EXPECT_EQUAL(status, CL_LINK_PROGRAM_FAILURE);
    if (linked != NULL) {
        char* const log = build_log(linked);
        REQUIRE(strstr(log, "triple") != NULL, "the log does not name the function:\n%s", log);
        free(log);
        CHECK(clReleaseProgram(linked));
    }
    // Its binary cannot be built either, however often, and stays.
    const cl_program loaded = reload(lonely);
    for (int i = 0; i < 2; i++) {
        EXPECT_ERROR(clBuildProgram(loaded, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        EXPECT_EQUAL(type_of(loaded), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    }
    const cl_program library = compile(LIBRARY, "");
    const cl_program whole = link_all("", 2, (cl_program[]){reload(loaded), library});
    check_answers(whole, 1);
    CHECK(clReleaseProgram(whole));
    CHECK(clReleaseProgram(library));
    CHECK(clReleaseProgram(loaded));
    CHECK(clReleaseProgram(lonely));
    // A wrong source, and a header that nobody embeds.
    const char* const wrong[] = {"kernel void a(void) {\n  wrong }", "#include \"nowhere.h\"\n"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const cl_program program = program_of(wrong[i]);
        EXPECT_ERROR(clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
        char* const log = build_log(program);
        REQUIRE(strstr(log, i == 0 ? ":2:" : "nowhere.h") != NULL, "the log:\n%s", log);
        free(log);
        CHECK(clReleaseProgram(program));
    }
}

// Of two headers with one name the first is included.
static void check_two_headers(void) {
    const cl_program headers[2] = {program_of("#define VALUE 1\n"), program_of("#define VALUE 2\n")};
    const char* names[2] = {"h.h", "h.h"};
    const cl_program program = program_of("#include <h.h>\n#if VALUE != 1\n#error the second header\n#endif\nkernel void a(void) {}\n");
    CHECK(clCompileProgram(program, 0, NULL, "", 2, headers, names, NULL, NULL));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(headers[0]));
    CHECK(clReleaseProgram(headers[1]));
}

static void check_errors(void) {
    const cl_program program = program_of("kernel void a(void) {}"), header = program_of(HEADER);
    const char *names[] = {"h.h"}, *none[] = {NULL};
    EXPECT_ERROR(clCompileProgram(NULL, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    EXPECT_ERROR(clCompileProgram(program, 0, &device, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clCompileProgram(program, 1, NULL, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clCompileProgram(program, 0, NULL, "", 1, &header, NULL, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clCompileProgram(program, 0, NULL, "", 1, NULL, names, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clCompileProgram(program, 0, NULL, "", 0, &header, names, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clCompileProgram(program, 0, NULL, "", 1, &header, none, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_ERROR(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, &status), CL_INVALID_VALUE);
    EXPECT_ERROR(clCompileProgram(program, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
    EXPECT_REFUSED(clLinkProgram(NULL, 0, NULL, "", 1, &program, NULL, NULL, &status), CL_INVALID_CONTEXT);
    EXPECT_REFUSED(clLinkProgram(context, 0, NULL, "", 0, NULL, NULL, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clLinkProgram(context, 0, NULL, "", 1, NULL, NULL, NULL, &status), CL_INVALID_VALUE);
    EXPECT_REFUSED(clLinkProgram(context, 0, &device, "", 1, &program, NULL, NULL, &status), CL_INVALID_VALUE);
    // A source that is not compiled cannot be linked, and no program that is none.
    EXPECT_REFUSED(clLinkProgram(context, 0, NULL, "", 1, &program, NULL, NULL, &status), CL_INVALID_OPERATION);
    const cl_program nothing = NULL;
    EXPECT_REFUSED(clLinkProgram(context, 0, NULL, "", 1, &nothing, NULL, NULL, &status), CL_INVALID_PROGRAM);
    CHECK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    EXPECT_REFUSED(clLinkProgram(context, 0, NULL, "-no-such-option", 1, &program, NULL, NULL, &status), CL_INVALID_LINKER_OPTIONS);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(header));
}

int main(void) {
    open_device();
    check_linking();
    check_failures();
    check_two_headers();
    check_errors();
    close_device();
    return passed();
}
