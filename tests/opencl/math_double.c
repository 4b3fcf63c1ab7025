//! # Functions of doubles against the host's long doubles, within the errors that the specification allows.
#include "math_reference.h"

// The distance of a double from the exact result, in units of the last place of the exact one.
static double error_of(double got, Real exact) {
    const double rounded = (double)exact;
    if (isnan(exact) || isnan(got)) {
        return isnan(exact) && isnan(got) ? 0 : INFINITY;
    }
    if (got == rounded) {
        return 0;
    }
    if (isinf(rounded) || isinf(got)) {
        return INFINITY;
    }
    const int exponent = exact == 0 ? -1022 : ilogbl(exact) < -1022 ? -1022 : ilogbl(exact);
    return (double)(fabsl((Real)got - exact) / ldexpl(1, exponent - 52));
}

static void check_function(cl_program program, const Function* function) {
    char name[40];
    snprintf(name, sizeof name, "call_%s", function->name);
    const cl_kernel kernel = kernel_of(program, name);
    double arguments[3][POINTS], got[POINTS];
    uint64_t seed = function->name[0] + 256u * (unsigned)function->name[1];
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) {
            arguments[k][i] = argument_for(function, i, k, &seed, 400);
        }
    }
    cl_mem buffers[4];
    for (int k = 0; k < 3; k++) {
        buffers[k] = buffer_of(sizeof arguments[k], arguments[k]);
        SET(kernel, (cl_uint)k, buffers[k]);
    }
    buffers[3] = buffer_of(sizeof got, NULL);
    SET(kernel, 3, buffers[3]);
    launch(kernel, POINTS, 0);
    download(buffers[3], sizeof got, got);
    for (int i = 0; i < POINTS; i++) {
        const double x = arguments[0][i], y = arguments[1][i], z = arguments[2][i];
        // The host's own functions are correctly rounded where nothing is allowed: long double would round twice.
        Real exact = function->of(x, y, z);
        exact = function->twice > 0                         ? exact
                : function->of == reference_fma             ? (Real)fma(x, y, z)
                : function->of == reference_divide          ? (Real)(x / y)
                : function->of == reference_multiply        ? (Real)(x * y)
                : function->of == reference_add             ? (Real)(x + y)
                : function->of == reference_subtract        ? (Real)(x - y)
                : function->of == reference_fdim            ? (Real)fdim(x, y)
                : function->of == reference_sqrt            ? (Real)sqrt(x)
                                                            : exact;
        const double error = error_of(got[i], exact);
        REQUIRE(error <= function->twice, "%s(%a, %a, %a): expected %.17Lg (%a), got %.17g (%a), %g ulp, %g allowed",
                function->name, x, y, z, exact, (double)exact, got[i], got[i], error, function->twice);
    }
    for (int k = 0; k < 4; k++) {
        CHECK(clReleaseMemObject(buffers[k]));
    }
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    if (!has_extension("cl_khr_fp64")) {
        skip("doubles");
    }
    const cl_program program = program_for("double", "");
    for (size_t f = 0; f < COUNT(FUNCTIONS); f++) {
        check_function(program, &FUNCTIONS[f]);
    }
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
