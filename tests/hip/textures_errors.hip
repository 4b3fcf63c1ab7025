//! # Images are not executed: arrays and textures are refused with an error, and the device works on.
//! stderr = ["hsa_ext_image_data_get_info is not supported"]
#include "check.h"

int main() {
    const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray* array = nullptr;
    REQUIRE(hipMallocArray(&array, &format, 64, 64, hipArrayDefault) != hipSuccess, "an array");
    hipResourceDesc resource = {};
    hipTextureDesc description = {};
    hipTextureObject_t texture;
    const DeviceArray<float> memory(64);
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory.data();
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = memory.bytes();
    description.readMode = hipReadModeElementType;
    REQUIRE(hipCreateTextureObject(&texture, &resource, &description, nullptr) != hipSuccess, "a texture");
    (void)hipGetLastError();
    // Nothing is harmed.
    memory.clear();
    expect_same("memory", memory.download(), std::vector<float>(64, 0.0f));
    return passed();
}
