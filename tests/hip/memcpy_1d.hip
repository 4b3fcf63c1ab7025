//! # Copies in all directions, at odd offsets and sizes, blocking and in streams, with pinned, pageable and managed memory.
#include "check.h"

constexpr size_t SIZE = 3 << 20;

enum class Kind { DEVICE, PAGEABLE, PINNED, MANAGED };

struct Memory {
    Kind kind;
    unsigned char* data;
};

bool is_device(const Memory& memory) { return memory.kind == Kind::DEVICE; }

hipMemcpyKind direction(const Memory& to, const Memory& from) {
    return is_device(from) ? (is_device(to) ? hipMemcpyDeviceToDevice : hipMemcpyDeviceToHost)
                           : (is_device(to) ? hipMemcpyHostToDevice : hipMemcpyHostToHost);
}

void put(const Memory& memory, const std::vector<unsigned char>& contents) {
    if (is_device(memory)) {
        CHECK(hipMemcpy(memory.data, contents.data(), contents.size(), hipMemcpyHostToDevice));
    } else {
        std::memcpy(memory.data, contents.data(), contents.size());
    }
}

std::vector<unsigned char> get(const Memory& memory, size_t size) {
    std::vector<unsigned char> contents(size);
    if (is_device(memory)) {
        CHECK(hipMemcpy(contents.data(), memory.data, size, hipMemcpyDeviceToHost));
    } else {
        std::memcpy(contents.data(), memory.data, size);
    }
    return contents;
}

int main() {
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    auto allocate = [](Kind kind) {
        unsigned char* data = nullptr;
        switch (kind) {
            case Kind::DEVICE: CHECK(hipMalloc(&data, SIZE)); break;
            case Kind::PAGEABLE: data = static_cast<unsigned char*>(std::malloc(SIZE)); break;
            case Kind::PINNED: CHECK(hipHostMalloc(&data, SIZE, 0)); break;
            case Kind::MANAGED: CHECK(hipMallocManaged(&data, SIZE, hipMemAttachGlobal)); break;
        }
        return Memory{kind, data};
    };
    const Kind kinds[] = {Kind::DEVICE, Kind::PAGEABLE, Kind::PINNED, Kind::MANAGED};
    const size_t places[][3] = {{0, 0, 1},      {1, 0, 1},    {0, 3, 5},        {5, 7, 64},      {0, 0, 4096},
                                {13, 1, 10007}, {4, 8, 65536}, {0, 0, SIZE - 64}, {31, 17, SIZE - 999}};
    const auto background = random_bits<unsigned char>(SIZE, 1), contents = random_bits<unsigned char>(SIZE, 2);
    unsigned turn = 0;
    for (Kind from_kind : kinds) {
        for (Kind to_kind : kinds) {
            const Memory from = allocate(from_kind), to = allocate(to_kind);
            put(from, contents);
            for (const auto& place : places) {
                const size_t to_offset = place[0], from_offset = place[1], size = place[2];
                // Only what is near the copy is looked at.
                const size_t end = std::min(SIZE, to_offset + size + 64);
                std::vector<unsigned char> expected(background.begin(), background.begin() + end);
                put(to, expected);
                std::memcpy(&expected[to_offset], &contents[from_offset], size);
                unsigned char* target = to.data + to_offset;
                const unsigned char* source = from.data + from_offset;
                switch (turn++ % 4) {
                    case 0: CHECK(hipMemcpy(target, source, size, direction(to, from))); break;
                    case 1: CHECK(hipMemcpy(target, source, size, hipMemcpyDefault)); break;
                    case 2: CHECK(hipMemcpyAsync(target, source, size, direction(to, from), stream)); break;
                    case 3: CHECK(hipMemcpyWithStream(target, source, size, hipMemcpyDefault, stream)); break;
                }
                CHECK(hipDeviceSynchronize());
                expect_same("copy", get(to, end), expected);
            }
            for (const Memory& memory : {from, to}) {
                switch (memory.kind) {
                    case Kind::DEVICE:
                    case Kind::MANAGED: CHECK(hipFree(memory.data)); break;
                    case Kind::PINNED: CHECK(hipHostFree(memory.data)); break;
                    case Kind::PAGEABLE: std::free(memory.data); break;
                }
            }
        }
    }
    CHECK(hipStreamDestroy(stream));
    return passed();
}
