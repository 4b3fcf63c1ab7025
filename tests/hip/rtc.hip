//! # Source text is compiled at run time, with options, templates by name, and messages where it is wrong.
#include "check.h"

#include <hip/hiprtc.h>

#include <string>

#define CHECK_RTC(call)                                                                              \
    do {                                                                                             \
        const hiprtcResult check_got = (call);                                                       \
        REQUIRE(check_got == HIPRTC_SUCCESS, "%s: %s", #call, hiprtcGetErrorString(check_got));      \
    } while (0)

const char* const SOURCE = R"(
extern "C" __global__ void polynomial(const double* x, double* y, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        double value = 0;
        for (int k = DEGREE; k >= 0; k--) {
            value = fma(value, x[i], double(k + 1));
        }
        y[i] = value;
    }
}

template <typename T, int FACTOR>
__global__ void scale(T* data) {
    data[threadIdx.x] *= FACTOR;
}
)";

int main() {
    int major = 0, minor = 0;
    CHECK_RTC(hiprtcVersion(&major, &minor));
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    const std::string architecture = std::string("--offload-arch=") + properties.gcnArchName;

    hiprtcProgram program;
    CHECK_RTC(hiprtcCreateProgram(&program, SOURCE, "polynomial.hip", 0, nullptr, nullptr));
    CHECK_RTC(hiprtcAddNameExpression(program, "scale<int, 9>"));
    const char* options[] = {architecture.c_str(), "-DDEGREE=5"};
    const hiprtcResult result = hiprtcCompileProgram(program, 2, options);
    if (result != HIPRTC_SUCCESS) {
        size_t size = 0;
        CHECK_RTC(hiprtcGetProgramLogSize(program, &size));
        std::string log(size, '\0');
        CHECK_RTC(hiprtcGetProgramLog(program, &log[0]));
        FAIL("%s\n%s", hiprtcGetErrorString(result), log.c_str());
    }
    const char* lowered = nullptr;
    CHECK_RTC(hiprtcGetLoweredName(program, "scale<int, 9>", &lowered));
    const std::string scale_name = lowered;
    size_t size = 0;
    CHECK_RTC(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    CHECK_RTC(hiprtcGetCode(program, code.data()));
    CHECK_RTC(hiprtcDestroyProgram(&program));

    hipModule_t module;
    hipFunction_t polynomial, scale;
    CHECK(hipModuleLoadData(&module, code.data()));
    CHECK(hipModuleGetFunction(&polynomial, module, "polynomial"));
    CHECK(hipModuleGetFunction(&scale, module, scale_name.c_str()));
    unsigned count = 1000;
    const auto x = random_reals<double>(count, -2, 2, 9);
    const DeviceArray<double> device_x(x), y(count);
    double *px = device_x, *py = y;
    void* arguments[] = {&px, &py, &count};
    CHECK(hipModuleLaunchKernel(polynomial, groups_of(count, 256), 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    std::vector<double> expected(count, 0);
    for (unsigned i = 0; i < count; i++) {
        for (int k = 5; k >= 0; k--) {
            expected[i] = std::fma(expected[i], x[i], double(k + 1));
        }
    }
    expect_same("polynomial", y.download(), expected);
    const DeviceArray<int> data(std::vector<int>{1, -2, 3, 40});
    int* pointer = data;
    void* one[] = {&pointer};
    CHECK(hipModuleLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, nullptr, one, nullptr));
    expect_same("scaled", data.download(), {9, -18, 27, 360});
    CHECK(hipModuleUnload(module));

    CHECK_RTC(hiprtcCreateProgram(&program, "__global__ void wrong() { int x = nothing; }", "wrong.hip", 0, nullptr, nullptr));
    REQUIRE(hiprtcCompileProgram(program, 1, options) == HIPRTC_ERROR_COMPILATION, "it compiles");
    CHECK_RTC(hiprtcGetProgramLogSize(program, &size));
    std::string log(size, '\0');
    CHECK_RTC(hiprtcGetProgramLog(program, &log[0]));
    REQUIRE(log.find("undeclared identifier 'nothing'") != std::string::npos, "the log: %s", log.c_str());
    CHECK_RTC(hiprtcDestroyProgram(&program));
    return passed();
}
