//! # A code object that was compiled by itself is loaded from file and from memory; its kernels run, its variables change.
//! module = "modules/saxpy.hip"
#include "check.h"

#include <fstream>
#include <iterator>
#include <string>

// Launches with pointers to arguments.
void run_saxpy(hipModule_t module, float bias) {
    hipFunction_t saxpy;
    CHECK(hipModuleGetFunction(&saxpy, module, "saxpy"));
    unsigned count = 5000;
    float a = 1.5f;
    const auto x = random_reals<float>(count, -5, 5, 1), y = random_reals<float>(count, -5, 5, 2);
    const DeviceArray<float> device_x(x), device_y(y);
    float *px = device_x, *py = device_y;
    void* arguments[] = {&a, &px, &py, &count};
    CHECK(hipModuleLaunchKernel(saxpy, groups_of(count, 192), 1, 1, 192, 1, 1, 0, nullptr, arguments, nullptr));
    std::vector<float> expected(count);
    for (unsigned i = 0; i < count; i++) {
        expected[i] = std::fma(a, x[i], y[i]) + bias;
    }
    expect_same("saxpy", device_y.download(), expected);
}

// Launches with a packed buffer of arguments, in three dimensions, with LDS of the launch.
void run_look_up(hipModule_t module, const std::vector<unsigned>& table) {
    hipFunction_t look_up;
    CHECK(hipModuleGetFunction(&look_up, module, "look_up"));
    const unsigned groups = 3, size = 4 * 3 * 5;
    const DeviceArray<unsigned> out(groups * size);
    unsigned* pointer = out;
    size_t bytes = sizeof(pointer);
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &pointer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
    CHECK(hipModuleLaunchKernel(look_up, groups, 1, 1, 4, 3, 5, size * sizeof(unsigned), nullptr, nullptr, extra));
    std::vector<unsigned> expected(groups * size);
    for (unsigned i = 0; i < expected.size(); i++) {
        expected[i] = table[(size - 1 - i % size) % 4] + i / size;
    }
    expect_same("looked up", out.download(), expected);
}

void use(hipModule_t module) {
    run_saxpy(module, 2.5f);
    run_look_up(module, {10, 20, 30, 40});
    hipDeviceptr_t address;
    size_t size = 0;
    CHECK(hipModuleGetGlobal(&address, &size, module, "bias"));
    EXPECT_EQUAL(size, sizeof(float));
    float bias = 0;
    CHECK(hipMemcpyDtoH(&bias, address, size));
    REQUIRE(bias == 2.5f, "%g", bias);
    bias = -1;
    CHECK(hipMemcpyHtoD(address, &bias, size));
    run_saxpy(module, -1);
    CHECK(hipModuleGetGlobal(&address, &size, module, "table"));
    EXPECT_EQUAL(size, 4 * sizeof(unsigned));
    CHECK(hipMemsetD32(address, 7, 4));
    run_look_up(module, {7, 7, 7, 7});
    hipFunction_t function;
    EXPECT_ERROR(hipModuleGetFunction(&function, module, "saxp"), hipErrorNotFound);
    EXPECT_ERROR(hipModuleGetGlobal(&address, &size, module, "nothing"), hipErrorNotFound);
}

int main(int, char** arguments) {
    hipModule_t from_file, from_memory, again;
    CHECK(hipModuleLoad(&from_file, arguments[1]));
    use(from_file);
    std::ifstream file(arguments[1], std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(!image.empty(), "%s is empty", arguments[1]);
    CHECK(hipModuleLoadData(&from_memory, image.data()));
    // Each module has its own variables.
    use(from_memory);
    CHECK(hipModuleUnload(from_file));
    CHECK(hipModuleLoadDataEx(&again, image.data(), 0, nullptr, nullptr));
    use(again);
    CHECK(hipModuleUnload(from_memory));
    CHECK(hipModuleUnload(again));
    hipModule_t none;
    EXPECT_ERROR(hipModuleLoad(&none, "/nonexistent/file.co"), hipErrorFileNotFound);
    EXPECT_ERROR(hipModuleLoad(&none, nullptr), hipErrorInvalidValue);
    return passed();
}
