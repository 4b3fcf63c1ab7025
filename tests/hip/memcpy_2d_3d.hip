//! # Rectangles and boxes are copied between pitched memories, in all directions, blocking and in streams.
#include "check.h"

struct Box {
    size_t pitch, rows, slices;
    size_t bytes() const { return pitch * rows * slices; }
};

int main() {
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    const Box source = {160, 24, 5}, target = {192, 20, 6};
    const auto contents = random_bits<unsigned char>(source.bytes(), 1), background = random_bits<unsigned char>(target.bytes(), 2);
    const DeviceArray<unsigned char> device_source(contents), device_target(background.size());
    std::vector<unsigned char> host_target(background.size());
    unsigned char* pinned;
    CHECK(hipHostMalloc(&pinned, contents.size(), 0));
    std::memcpy(pinned, contents.data(), contents.size());

    const size_t rectangles[][2] = {{1, 1}, {4, 7}, {128, 20}, {100, 13}, {33, 3}, {160, 20}};
    for (const auto& rectangle : rectangles) {
        const size_t width = rectangle[0], height = rectangle[1];
        auto expected = background;
        for (size_t y = 0; y < height; y++) {
            std::memcpy(&expected[y * target.pitch], &contents[y * source.pitch], width);
        }
        const unsigned char* sources[] = {contents.data(), pinned, device_source};
        for (const unsigned char* from : sources) {
            const bool from_device = from == device_source.data();
            device_target.upload(background);
            CHECK(hipMemcpy2D(device_target, target.pitch, from, source.pitch, width, height,
                              from_device ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice));
            expect_same("2D to device", device_target.download(), expected);
            device_target.upload(background);
            CHECK(hipMemcpy2DAsync(device_target, target.pitch, from, source.pitch, width, height, hipMemcpyDefault, stream));
            CHECK(hipStreamSynchronize(stream));
            expect_same("2D to device in a stream", device_target.download(), expected);
            host_target = background;
            CHECK(hipMemcpy2D(host_target.data(), target.pitch, from, source.pitch, width, height,
                              from_device ? hipMemcpyDeviceToHost : hipMemcpyHostToHost));
            expect_same("2D to host", host_target, expected);
        }
        hip_Memcpy2D parameters = {};
        parameters.srcMemoryType = hipMemoryTypeHost;
        parameters.srcHost = contents.data();
        parameters.srcPitch = source.pitch;
        parameters.dstMemoryType = hipMemoryTypeDevice;
        parameters.dstDevice = device_target.data();
        parameters.dstPitch = target.pitch;
        parameters.WidthInBytes = width;
        parameters.Height = height;
        device_target.upload(background);
        CHECK(hipMemcpyParam2D(&parameters));
        expect_same("2D by parameters", device_target.download(), expected);
    }
    EXPECT_ERROR(hipMemcpy2D(device_target, 8, device_source, 160, 16, 2, hipMemcpyDeviceToDevice), hipErrorInvalidPitchValue);

    const size_t boxes[][3] = {{1, 1, 1}, {64, 5, 3}, {37, 20, 5}, {100, 2, 2}};
    const size_t offset[3] = {7, 2, 1};
    for (const auto& box : boxes) {
        const size_t width = box[0], height = std::min(box[1], target.rows - offset[1]), depth = std::min<size_t>(box[2], 4);
        auto expected = background;
        for (size_t z = 0; z < depth; z++) {
            for (size_t y = 0; y < height; y++) {
                std::memcpy(&expected[((z + offset[2]) * target.rows + y + offset[1]) * target.pitch + offset[0]],
                            &contents[(z * source.rows + y) * source.pitch + 3], width);
            }
        }
        for (bool from_device : {false, true}) {
            for (bool to_device : {false, true}) {
                for (bool in_stream : {false, true}) {
                    void* from = from_device ? device_source.data() : pinned;
                    void* to = to_device ? device_target.data() : host_target.data();
                    device_target.upload(background);
                    host_target = background;
                    hipMemcpy3DParms parameters = {};
                    parameters.srcPtr = make_hipPitchedPtr(from, source.pitch, source.pitch, source.rows);
                    parameters.srcPos = make_hipPos(3, 0, 0);
                    parameters.dstPtr = make_hipPitchedPtr(to, target.pitch, target.pitch, target.rows);
                    parameters.dstPos = make_hipPos(offset[0], offset[1], offset[2]);
                    parameters.extent = make_hipExtent(width, height, depth);
                    parameters.kind = from_device ? (to_device ? hipMemcpyDeviceToDevice : hipMemcpyDeviceToHost)
                                                  : (to_device ? hipMemcpyHostToDevice : hipMemcpyHostToHost);
                    CHECK(in_stream ? hipMemcpy3DAsync(&parameters, stream) : hipMemcpy3D(&parameters));
                    CHECK(hipStreamSynchronize(stream));
                    expect_same("3D", to_device ? device_target.download() : host_target, expected);
                }
            }
        }
    }
    CHECK(hipHostFree(pinned));
    CHECK(hipStreamDestroy(stream));
    return passed();
}
