//! # Copies to, from and between arrays: rectangles and boxes, at offsets, from host and device memory, in streams.
#include "textures.h"

constexpr size_t WIDTH = 50, HEIGHT = 20, DEPTH = 6;

// Puts a rectangle of `from`, whose rows have `pitch` elements, into rows of WIDTH elements.
template <typename T>
void put(std::vector<T>& to, size_t x, size_t y, const std::vector<T>& from, size_t pitch, size_t width, size_t height) {
    for (size_t row = 0; row < height; row++) {
        for (size_t column = 0; column < width; column++) {
            to[(y + row) * WIDTH + x + column] = from[row * pitch + column];
        }
    }
}

void rectangles(hipStream_t stream) {
    const size_t x = 7, y = 3, width = 31, height = 12, pitch = 40, bytes = sizeof(float);
    const TexelArray<float> array(1, WIDTH, HEIGHT);
    const auto background = random_reals<float>(array.elements(), 0, 1, 1);
    const auto values = random_reals<float>(pitch * height, 1, 2, 2);
    // HIP 5.2 copies from and to device memory as if its rows had no padding.
    std::vector<float> dense;
    for (size_t row = 0; row < height; row++) {
        dense.insert(dense.end(), &values[row * pitch], &values[row * pitch + width]);
    }
    const DeviceArray<float> on_device(dense);
    auto expected = background;
    put(expected, x, y, values, pitch, width, height);

    array.upload(background);
    CHECK(hipMemcpy2DToArray(array.get(), x * bytes, y, values.data(), pitch * bytes, width * bytes, height,
                             hipMemcpyHostToDevice));
    expect_same("2D from the host", array.download(), expected);
    array.upload(background);
    CHECK(hipMemcpy2DToArray(array.get(), x * bytes, y, on_device, width * bytes, width * bytes, height,
                             hipMemcpyDeviceToDevice));
    expect_same("2D from the device", array.download(), expected);
    array.upload(background);
    CHECK(hipMemcpy2DToArrayAsync(array.get(), x * bytes, y, values.data(), pitch * bytes, width * bytes, height,
                                  hipMemcpyHostToDevice, stream));
    CHECK(hipStreamSynchronize(stream));
    expect_same("2D in a stream", array.download(), expected);

    std::vector<float> got(pitch * height, -1.0f), rectangle(pitch * height, -1.0f);
    for (size_t row = 0; row < height; row++) {
        std::memcpy(&rectangle[row * pitch], &values[row * pitch], width * bytes);
    }
    CHECK(hipMemcpy2DFromArray(got.data(), pitch * bytes, array.get(), x * bytes, y, width * bytes, height,
                               hipMemcpyDeviceToHost));
    expect_same("2D to the host", got, rectangle);
    on_device.clear();
    CHECK(hipMemcpy2DFromArray(on_device, width * bytes, array.get(), x * bytes, y, width * bytes, height,
                               hipMemcpyDeviceToDevice));
    expect_same("2D to the device", on_device.download(), dense);
    got.assign(got.size(), -1.0f);
    CHECK(hipMemcpy2DFromArrayAsync(got.data(), pitch * bytes, array.get(), x * bytes, y, width * bytes, height,
                                    hipMemcpyDeviceToHost, stream));
    CHECK(hipStreamSynchronize(stream));
    expect_same("2D to the host in a stream", got, rectangle);

    // Between arrays, at other places.
    const TexelArray<float> other(1, WIDTH, HEIGHT);
    other.upload(background);
    hip_Memcpy2D parameters = {};
    parameters.srcMemoryType = hipMemoryTypeArray;
    parameters.srcArray = array.get();
    parameters.srcXInBytes = x * bytes;
    parameters.srcY = y;
    parameters.dstMemoryType = hipMemoryTypeArray;
    parameters.dstArray = other.get();
    parameters.dstXInBytes = 2 * bytes;
    parameters.dstY = 1;
    parameters.WidthInBytes = width * bytes;
    parameters.Height = height;
    CHECK(hipMemcpyParam2D(&parameters));
    expected = background;
    put(expected, 2, 1, values, pitch, width, height);
    expect_same("2D between arrays", other.download(), expected);
}

template <typename T>
void boxes(const char* name, int channels, hipStream_t stream) {
    const TexelArray<T> array(channels, WIDTH, HEIGHT, DEPTH);
    const size_t element = channels * sizeof(T);
    const auto background = random_bits<T>(array.elements() * channels, 3);
    const size_t x = 5, y = 4, z = 2, width = 20, height = 9, depth = 3;
    const auto values = random_bits<T>(width * height * depth * channels, 4);
    auto expected = background;
    for (size_t slice = 0; slice < depth; slice++) {
        for (size_t row = 0; row < height; row++) {
            std::memcpy(&expected[(((z + slice) * HEIGHT + y + row) * WIDTH + x) * channels],
                        &values[(slice * height + row) * width * channels], width * element);
        }
    }
    const DeviceArray<T> on_device(values);
    for (const bool from_device : {false, true}) {
        array.upload(background);
        hipMemcpy3DParms parameters = {};
        T* const memory = from_device ? on_device.data() : const_cast<T*>(values.data());
        parameters.srcPtr = make_hipPitchedPtr(memory, width * element, width, height);
        parameters.dstArray = array.get();
        parameters.dstPos = make_hipPos(x, y, z);
        parameters.extent = make_hipExtent(width, height, depth);
        parameters.kind = from_device ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice;
        CHECK(hipMemcpy3DAsync(&parameters, stream));
        CHECK(hipStreamSynchronize(stream));
        expect_same(name, array.download(), expected);

        parameters = {};
        std::vector<T> got(values.size());
        parameters.srcArray = array.get();
        parameters.srcPos = make_hipPos(x, y, z);
        on_device.clear();
        T* const back = from_device ? on_device.data() : got.data();
        parameters.dstPtr = make_hipPitchedPtr(back, width * element, width, height);
        parameters.extent = make_hipExtent(width, height, depth);
        parameters.kind = from_device ? hipMemcpyDeviceToDevice : hipMemcpyDeviceToHost;
        CHECK(hipMemcpy3D(&parameters));
        expect_same(name, from_device ? on_device.download() : got, values);
        on_device.upload(values);
    }
    // Between arrays.
    const TexelArray<T> other(channels, WIDTH, HEIGHT, DEPTH);
    other.upload(background);
    hipMemcpy3DParms parameters = {};
    parameters.srcArray = array.get();
    parameters.srcPos = make_hipPos(x, y, z);
    parameters.dstArray = other.get();
    parameters.dstPos = make_hipPos(x, y, z);
    parameters.extent = make_hipExtent(width, height, depth);
    parameters.kind = hipMemcpyDeviceToDevice;
    CHECK(hipMemcpy3D(&parameters));
    expect_same(name, other.download(), expected);
}

void lines() {
    const TexelArray<int> array(1, WIDTH, 0);
    const auto values = random_bits<int>(WIDTH, 5);
    const DeviceArray<int> on_device(values);
    CHECK(hipMemcpyHtoA(array.get(), 0, values.data(), array.row_bytes()));
    expect_same("a line from the host", array.download(), values);
    std::vector<int> got(WIDTH);
    CHECK(hipMemcpyAtoH(got.data(), array.get(), 0, array.row_bytes()));
    expect_same("a line to the host", got, values);
    CHECK(hipMemcpyFromArray(got.data(), array.get(), 0, 0, array.row_bytes(), hipMemcpyDeviceToHost));
    expect_same("a line of an array", got, values);
    const auto others = random_bits<int>(WIDTH, 6);
    CHECK(hipMemcpyToArray(array.get(), 0, 0, others.data(), array.row_bytes(), hipMemcpyHostToDevice));
    expect_same("a line to an array", array.download(), others);
}

int main() {
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    rectangles(stream);
    boxes<float>("boxes of float", 1, stream);
    boxes<unsigned char>("boxes of uchar", 1, stream);
    boxes<unsigned char>("boxes of uchar4", 4, stream);
    boxes<unsigned short>("boxes of ushort2", 2, stream);
    boxes<unsigned>("boxes of uint4", 4, stream);
    lines();
    CHECK(hipStreamDestroy(stream));
    return passed();
}
