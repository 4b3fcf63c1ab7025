// Helpers for arrays, textures and surfaces: objects that free what they hold, and samples computed on the host.
#pragma once

#include "check.h"

#include <array>

// The format of an element: `channels` of T each.
template <typename T>
hipChannelFormatDesc format_of(int channels) {
    const auto bits = static_cast<int>(8 * sizeof(T));
    const auto kind = std::is_floating_point<T>::value ? hipChannelFormatKindFloat
                      : std::is_signed<T>::value       ? hipChannelFormatKindSigned
                                                       : hipChannelFormatKindUnsigned;
    return hipCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind);
}

// An array of the device, of elements of some channels of T. A height or depth of 0 says that there is no such dimension.
template <typename T>
class TexelArray {
  public:
    TexelArray(int channels, size_t width, size_t height, size_t depth = 0, unsigned flags = hipArrayDefault)
        : channels_(channels), extent_(make_hipExtent(width, height, depth)) {
        const auto format = format_of<T>(channels);
        if (depth == 0) {
            CHECK(hipMallocArray(&array_, &format, width, height, flags));
        } else {
            CHECK(hipMalloc3DArray(&array_, &format, extent_, flags));
        }
    }
    TexelArray(const TexelArray&) = delete;
    TexelArray& operator=(const TexelArray&) = delete;
    ~TexelArray() { (void)hipFreeArray(array_); }

    decltype(hipResourceDesc{}.res.array.array) get() const { return array_; }
    size_t width() const { return extent_.width; }
    size_t rows() const { return extent_.height == 0 ? 1 : extent_.height; }
    size_t slices() const { return extent_.depth == 0 ? 1 : extent_.depth; }
    size_t elements() const { return width() * rows() * slices(); }
    size_t row_bytes() const { return width() * channels_ * sizeof(T); }

    // Copies all elements, which follow each other in memory. HIP 5.2 has hipMemcpy3D for arrays with rows only.
    void upload(const std::vector<T>& texels) const {
        REQUIRE(texels.size() == elements() * channels_, "an upload of %zu values", texels.size());
        if (extent_.depth == 0) {
            CHECK(hipMemcpy2DToArray(array_, 0, 0, texels.data(), row_bytes(), row_bytes(), rows(), hipMemcpyHostToDevice));
            return;
        }
        auto parameters = all();
        parameters.srcPtr = make_hipPitchedPtr(const_cast<T*>(texels.data()), row_bytes(), width(), parameters.extent.height);
        parameters.dstArray = array_;
        parameters.kind = hipMemcpyHostToDevice;
        CHECK(hipMemcpy3D(&parameters));
    }
    std::vector<T> download() const {
        std::vector<T> texels(elements() * channels_);
        if (extent_.depth == 0) {
            CHECK(hipMemcpy2DFromArray(texels.data(), row_bytes(), array_, 0, 0, row_bytes(), rows(), hipMemcpyDeviceToHost));
            return texels;
        }
        auto parameters = all();
        parameters.srcArray = array_;
        parameters.dstPtr = make_hipPitchedPtr(texels.data(), row_bytes(), width(), parameters.extent.height);
        parameters.kind = hipMemcpyDeviceToHost;
        CHECK(hipMemcpy3D(&parameters));
        return texels;
    }

  private:
    hipMemcpy3DParms all() const {
        hipMemcpy3DParms parameters = {};
        parameters.extent = make_hipExtent(width(), rows(), slices());
#if HIP_VERSION_MAJOR < 6
        // HIP 5.2 counts layers of lines as rows, as OpenCL does.
        if (extent_.height == 0) {
            parameters.extent = make_hipExtent(width(), slices(), 1);
        }
#endif
        return parameters;
    }

    int channels_;
    hipExtent extent_;
    decltype(hipResourceDesc{}.res.array.array) array_ = nullptr;
};

// How a texture is read.
struct Sampling {
    hipTextureAddressMode address = hipAddressModeClamp;
    hipTextureFilterMode filter = hipFilterModePoint;
    bool normalized = false;
    hipTextureReadMode read = hipReadModeElementType;

    hipTextureDesc description() const {
        hipTextureDesc description = {};
        description.addressMode[0] = description.addressMode[1] = description.addressMode[2] = address;
        description.filterMode = filter;
        description.readMode = read;
        description.normalizedCoords = normalized;
        return description;
    }
};

// A texture, destroyed with the object.
class Texture {
  public:
    Texture(const hipResourceDesc& resource, const Sampling& sampling) {
        const auto description = sampling.description();
        CHECK(hipCreateTextureObject(&texture_, &resource, &description, nullptr));
    }
    template <typename T>
    Texture(const TexelArray<T>& array, const Sampling& sampling) : Texture(resource_of(array), sampling) {}
    Texture(const Texture&) = delete;
    Texture& operator=(const Texture&) = delete;
    ~Texture() { (void)hipDestroyTextureObject(texture_); }

    operator hipTextureObject_t() const { return texture_; }

    template <typename T>
    static hipResourceDesc resource_of(const TexelArray<T>& array) {
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypeArray;
        resource.res.array.array = array.get();
        return resource;
    }

  private:
    hipTextureObject_t texture_ = nullptr;
};

// An image on the host, of floating-point texels with one channel.
struct HostImage {
    std::array<int, 3> size;
    std::vector<float> texels;

    float at(int x, int y, int z) const { return texels[(size_t(z) * size[1] + y) * size[0] + x]; }
};

// The number of the texel for a number that may be beyond the image, or -1 for the border.
inline int addressed(hipTextureAddressMode mode, int index, int size) {
    const auto modulo = [](int a, int b) { return (a % b + b) % b; };
    switch (mode) {
    case hipAddressModeWrap: return modulo(index, size);
    case hipAddressModeMirror: {
        const int turn = modulo(index, 2 * size);
        return turn < size ? turn : 2 * size - 1 - turn;
    }
    case hipAddressModeClamp: return index < 0 ? 0 : index >= size ? size - 1 : index;
    case hipAddressModeBorder: return index < 0 || index >= size ? -1 : index;
    }
    return -1;
}

// The sample at a place, whose coordinates are counted in texels. Coordinates of dimensions that the texture lacks are 0.5.
inline float sample(const HostImage& image, const Sampling& sampling, std::array<double, 3> place) {
    auto mode = sampling.address;
    if (!sampling.normalized && (mode == hipAddressModeWrap || mode == hipAddressModeMirror)) {
        mode = hipAddressModeClamp; // HIP has no repetition of coordinates that are not normalized.
    }
    const auto texel = [&](int x, int y, int z) {
        x = addressed(mode, x, image.size[0]);
        y = addressed(mode, y, image.size[1]);
        z = addressed(mode, z, image.size[2]);
        return x < 0 || y < 0 || z < 0 ? 0.0f : image.at(x, y, z);
    };
    if (sampling.filter == hipFilterModePoint) {
        return texel(int(std::floor(place[0])), int(std::floor(place[1])), int(std::floor(place[2])));
    }
    int first[3];
    double weight[3];
    for (int d = 0; d < 3; d++) {
        first[d] = int(std::floor(place[d] - 0.5));
        weight[d] = place[d] - 0.5 - first[d];
    }
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double part = 1;
        int at[3];
        for (int d = 0; d < 3; d++) {
            const bool upper = corner >> d & 1;
            part *= upper ? weight[d] : 1 - weight[d];
            at[d] = first[d] + upper;
        }
        if (part != 0) {
            sum += part * texel(at[0], at[1], at[2]);
        }
    }
    return float(sum);
}

// Weights of a linear filter have eight bits after the point in hardware.
constexpr double FILTER_TOLERANCE = 3.0 / 256;
