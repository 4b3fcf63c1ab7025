//! # Functions of floats against the host's long doubles, within the errors that the specification allows; special values.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "math_reference.h"

// The distance of a float from the exact result, in units of the last place of the exact one.
static double error_of(float got, Real exact) {
    const float rounded = (float)exact;
    if (isnan(exact) || isnan(got)) {
        return isnan(exact) && isnan(got) ? 0 : INFINITY;
    }
    if (got == rounded) {
        return 0;
    }
    if (isinf(rounded) || isinf(got)) {
        return INFINITY;
    }
    const int exponent = exact == 0 ? -126 : ilogbl(exact) < -126 ? -126 : ilogbl(exact);
    return fabs((double)((Real)got - exact)) / ldexp(1, exponent - 23);
}

static void check_function(cl_program program, const Function* function, bool flushes) {
    char name[40];
    snprintf(name, sizeof name, "call_%s", function->name);
    const cl_kernel kernel = kernel_of(program, name);
    float arguments[3][POINTS], got[POINTS];
    uint64_t seed = function->name[0] + 256u * (unsigned)function->name[1];
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) {
            arguments[k][i] = (float)argument_for(function, i, k, &seed, 60);
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
        const float x = arguments[0][i], y = arguments[1][i], z = arguments[2][i];
        const Real exact = function->of(x, y, z);
        const bool is_tiny = fabsl(exact) < 0x1p-126L;
        const double error = error_of(got[i], exact);
        // Within half a unit is correctly rounded.
        const double allowed = function->single == 0 ? 0 : function->single;
        REQUIRE(error <= allowed || (flushes && is_tiny && got[i] == 0), "%s(%a, %a, %a): expected %.9Lg (%a), got %.9g (%a), %g ulp, %g allowed",
                function->name, x, y, z, exact, (float)exact, got[i], got[i], error, function->single);
    }
    for (int k = 0; k < 4; k++) {
        CHECK(clReleaseMemObject(buffers[k]));
    }
    CHECK(clReleaseKernel(kernel));
}

static const char* const SPECIAL =
    "kernel void special(global const float* a, global int* to, global float* f) {\n"
    "    float zero = a[0], inf = a[1], nan_value = a[2], two = a[3], minus = a[4];\n"
    "    int n; float part; int quotient;\n"
    "    to[0] = isnan(sqrt(minus)); to[1] = isinf(log(zero)) && log(zero) < 0; to[2] = exp(-inf) == 0; to[3] = isnan(fmod(two, zero));\n"
    "    to[4] = pow(zero, zero) == 1 && pow(nan_value, zero) == 1 && pow(1.0f + zero, nan_value) == 1; to[5] = fmax(nan_value, two) == two;\n"
    "    to[6] = isnan(fmax(nan_value, nan_value)); to[7] = atan2(zero, minus) > 3; to[8] = isinf(two / zero); to[9] = isnan(inf - inf);\n"
    "    to[10] = rint(2.5f * two / 2) == 2 && rint(3.5f * two / 2) == 4; to[11] = round(2.5f * two / 2) == 3; to[12] = signbit(-zero) != 0;\n"
    "    f[0] = frexp(12.0f * two, &n); to[13] = n; f[1] = modf(-3.25f * two, &part); f[2] = part; f[3] = ldexp(1.5f * two, 4);\n"
    "    f[4] = remquo(7.0f * two, 4.0f, &quotient); to[14] = quotient & 7; to[15] = ilogb(40.0f * two); f[5] = nextafter(two, inf);\n"
    "    f[6] = fract(-1.25f * two, &part); f[7] = part; f[8] = sincos(zero, &part); f[9] = part; f[10] = pown(two, -3); f[11] = rootn(8.0f * two / 2, 3);\n"
    "    f[12] = lgamma_r(-0.5f * two / 2, &n); to[16] = n; f[13] = mad(two, two, two);\n"
    "    f[14] = half_divide(two, 4.0f); f[15] = native_sqrt(two * 8); f[16] = half_exp2(two); f[17] = native_recip(two * 2);\n"
    "    to[17] = as_int(nan(5u)) != 0 && isnan(nan(5u));\n"
    "}\n";

static void check_special_values(void) {
    const cl_program program = build(SPECIAL, "");
    const cl_kernel kernel = kernel_of(program, "special");
    const float values[5] = {0, INFINITY, NAN, 2, -2};
    const int expected[18] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 4, 6, -1, 1};
    const float expected_f[18] = {0.75f, -0.5f, -6, 48, 0, 0, 0.5f, -3, 0, 1, 0.125f, 2, 1.2655121f, 6, 0.5f, 4, 4, 0.25f};
    const double within[18] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1e-6, 1e-6, 1e-6, 0, 1e-3, 1e-3, 4e-3, 1e-3};
    int got[18];
    float got_f[18];
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL), f = buffer_of(sizeof got_f, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    SET(kernel, 2, f);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    download(f, sizeof got_f, got_f);
    for (int i = 0; i < 18; i++) {
        REQUIRE(got[i] == expected[i], "special value %d: expected %d, got %d", i, expected[i], got[i]);
    }
    for (int i = 0; i < 18; i++) {
        float want = i == 5 ? nextafterf(2, INFINITY) : i == 4 ? remainderf(14, 4) : expected_f[i];
        REQUIRE(fabs((double)got_f[i] - want) <= within[i], "special result %d: expected %g, got %g", i, want, got_f[i]);
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(f));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void) {
    open_device();
    const bool flushes = !(device_ulong(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM);
    const cl_program program = program_for("float", "");
    for (size_t f = 0; f < COUNT(FUNCTIONS); f++) {
        check_function(program, &FUNCTIONS[f], flushes);
    }
    CHECK(clReleaseProgram(program));
    check_special_values();
    close_device();
    return passed();
}
