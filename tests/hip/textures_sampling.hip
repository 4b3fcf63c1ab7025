//! # Samples of textures of one, two and three dimensions and of layers: address modes, filters, coordinates.
#include "textures.h"

struct Place {
    float x, y, z;
};

enum Shape { LINE, PLANE, VOLUME, LAYERED_LINES, LAYERED_PLANES };

__global__ void samples(hipTextureObject_t texture, Shape shape, const Place* places, float* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Place at = places[i];
    switch (shape) {
    case LINE: out[i] = tex1D<float>(texture, at.x); break;
    case PLANE: out[i] = tex2D<float>(texture, at.x, at.y); break;
    case VOLUME: out[i] = tex3D<float>(texture, at.x, at.y, at.z); break;
    case LAYERED_LINES: out[i] = tex1DLayered<float>(texture, at.x, int(at.z)); break;
    case LAYERED_PLANES: out[i] = tex2DLayered<float>(texture, at.x, at.y, int(at.z)); break;
    }
}

// Places in and around the image, none of them near an edge of a texel.
std::vector<std::array<double, 3>> places_of(const std::array<int, 3>& size, int dimensions, uint64_t seed) {
    Random random(seed);
    std::vector<std::array<double, 3>> places;
    for (int i = 0; i < 400; i++) {
        std::array<double, 3> place = {0.5, 0.5, 0.5};
        for (int d = 0; d < dimensions; d++) {
            const int texel = int(random.below(5 * size[d])) - 2 * size[d];
            place[d] = texel + (1 + random.below(15)) / 16.0;
        }
        places.push_back(place);
    }
    return places;
}

void check_samples(const char* name, Shape shape, std::array<int, 3> size, const Texture& texture, const HostImage& image,
                   const Sampling& sampling) {
    const bool layered = shape == LAYERED_LINES || shape == LAYERED_PLANES;
    const int dimensions = shape == LINE || shape == LAYERED_LINES ? 1 : shape == VOLUME ? 3 : 2;
    const auto places = places_of(size, dimensions, dimensions);
    std::vector<Place> on_device;
    std::vector<float> expected;
    for (size_t i = 0; i < places.size(); i++) {
        auto place = places[i];
        const int layer = layered ? int(i) % size[2] : 0;
        const auto coordinate = [&](int d) { return float(sampling.normalized ? place[d] / size[d] : place[d]); };
        on_device.push_back({coordinate(0), coordinate(1), layered ? float(layer) : coordinate(2)});
        if (layered) {
            // A layer is an image of its own.
            HostImage alone = {{size[0], size[1], 1}, {}};
            const auto begin = image.texels.begin() + size_t(layer) * size[0] * size[1];
            alone.texels.assign(begin, begin + size_t(size[0]) * size[1]);
            expected.push_back(sample(alone, sampling, place));
        } else {
            expected.push_back(sample(image, sampling, place));
        }
    }
    const DeviceArray<Place> device_places(on_device);
    const DeviceArray<float> out(places.size());
    samples<<<groups_of(places.size(), 64), 64>>>(texture, shape, device_places, out, int(places.size()));
    CHECK_LAUNCH();
    const bool exact = sampling.filter == hipFilterModePoint;
    char what[80];
    std::snprintf(what, sizeof what, "%s, address mode %d, filter %d, normalized %d", name, sampling.address,
                  sampling.filter, sampling.normalized);
    expect_near(what, out.download(), expected, exact ? 0 : dimensions * FILTER_TOLERANCE);
}

void check_shape(const char* name, Shape shape, std::array<int, 3> size) {
    const bool layered = shape == LAYERED_LINES || shape == LAYERED_PLANES;
    const bool has_rows = shape != LINE && shape != LAYERED_LINES;
    const bool has_slices = layered || shape == VOLUME;
    const TexelArray<float> array(1, size[0], has_rows ? size[1] : 0, has_slices ? size[2] : 0,
                                  layered ? hipArrayLayered : hipArrayDefault);
    const HostImage image = {size, random_reals<float>(size_t(size[0]) * size[1] * size[2], 0, 1, size[0])};
    array.upload(image.texels);
    expect_same(name, array.download(), image.texels);
    for (const bool normalized : {false, true}) {
        for (const auto filter : {hipFilterModePoint, hipFilterModeLinear}) {
            for (const auto address : {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder}) {
                Sampling sampling;
                sampling.address = address;
                sampling.filter = filter;
                sampling.normalized = normalized;
                const Texture texture(array, sampling);
                check_samples(name, shape, size, texture, image, sampling);
            }
        }
    }
}

int main() {
    check_shape("1D", LINE, {61, 1, 1});
    check_shape("2D", PLANE, {33, 17, 1});
    check_shape("2D of powers of two", PLANE, {64, 32, 1});
    check_shape("3D", VOLUME, {13, 7, 5});
    check_shape("layers of 1D", LAYERED_LINES, {29, 1, 6});
    check_shape("layers of 2D", LAYERED_PLANES, {15, 11, 4});
    return passed();
}
