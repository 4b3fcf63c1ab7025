// C++: handles that free themselves, and errors as exceptions. Shows an error of the assembler with its place, and a kernel's
// fault with the line of its source.
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "gcn.h"

// A handle that its function frees.
template <typename T, void (*Free)(T *)>
struct Freed {
    void operator()(T *handle) const { Free(handle); }
};
template <typename T, void (*Free)(T *)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

using Device = Handle<gcn_device, gcn_device_free>;
using Module = Handle<gcn_module, gcn_module_free>;
using Kernel = Handle<gcn_kernel, gcn_kernel_free>;
using Launch = Handle<gcn_launch, gcn_launch_free>;

struct Error : std::runtime_error {
    explicit Error(gcn_error *error) : std::runtime_error(gcn_error_message(error)), name(gcn_error_name(error)) {
        if (const char *file = gcn_error_file(error)) {
            place = std::string(file) + ":" + std::to_string(gcn_error_line(error));
            if (gcn_error_column(error) != 0)
                place += ":" + std::to_string(gcn_error_column(error));
        }
        gcn_error_free(error);
    }

    std::string name;
    std::string place;
};

// Calls a function of the library and throws its error.
template <typename Function, typename... Arguments>
auto call(Function function, Arguments... arguments) {
    gcn_error *error = nullptr;
    auto result = function(arguments..., &error);
    if (error != nullptr)
        throw Error(error);
    return result;
}

static const std::string kernel_of(const std::string &body) {
    return "    .text\n    .type k,@function\nk:\n" + body
           + "    s_endpgm\n    .size k, .-k\n    .rodata\n    .p2align 6\n    .amdhsa_kernel k\n"
             "      .amdhsa_next_free_vgpr 3\n      .amdhsa_next_free_sgpr 8\n    .end_amdhsa_kernel\n";
}

static void run(const Device &device, const std::string &body) {
    try {
        const std::string source = kernel_of(body);
        Module module(call(gcn_module_assemble, device.get(), "k.s", source.c_str()));
        Kernel kernel(call(gcn_kernel_named, module.get(), "k"));
        const uint32_t grid[3] = {64, 1, 1};
        Launch launch(call(gcn_launch_new, kernel.get(), grid, static_cast<const uint32_t *>(nullptr)));
        gcn_statistics work{};
        call(gcn_launch_run, launch.get(), &work);
        std::cout << "ok: " << work.instructions << " instructions\n";
    } catch (const Error &error) {
        // A fault's report goes on with addresses, the instruction and what is near.
        const std::string message = error.what();
        std::cout << error.place << ": error[" << error.name << "]: " << message.substr(0, message.find(", at 0x")) << "\n";
    }
}

int main() {
    Device device(call(gcn_device_new, "gfx906", static_cast<const gcn_device_options *>(nullptr)));
    run(device, "    v_mov_b32 v1, 1.0\n");
    run(device, "    v_mov_b32 v1, 1.0\n    v_ad_f32 v1, v1, v1\n");
    run(device, "    v_mov_b32 v1, 0\n    v_mov_b32 v2, 0\n    global_store_dword v[1:2], v1, off\n");
    try {
        call(gcn_device_new, "gfx1030", static_cast<const gcn_device_options *>(nullptr));
    } catch (const Error &error) {
        std::cout << "error[" << error.name << "]: " << error.what() << "\n";
    }
    return 0;
}
