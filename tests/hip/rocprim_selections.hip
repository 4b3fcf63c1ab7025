//! # rocPRIM: selection by flags and by condition, distinct values, partition, histogram and transformation.
#include "primitives.h"

#include <rocprim/device/device_histogram.hpp>
#include <rocprim/device/device_partition.hpp>
#include <rocprim/device/device_select.hpp>
#include <rocprim/device/device_transform.hpp>

#include <algorithm>

struct IsOdd {
    __host__ __device__ bool operator()(int value) const { return (value & 1) != 0; }
};

struct Affine {
    __host__ __device__ int operator()(int value) const { return value * 3 - 7; }
};

int main() {
    for (size_t count : {1, 999, 30000}) {
        Random random(count);
        std::vector<int> in(count), odd, even, distinct;
        std::vector<unsigned char> flags(count);
        for (size_t i = 0; i < count; i++) {
            in[i] = int(random.below(20));
            flags[i] = random.below(3) == 0;
            (in[i] & 1 ? odd : even).push_back(in[i]);
            if (i == 0 || in[i] != in[i - 1]) {
                distinct.push_back(in[i]);
            }
        }
        const DeviceArray<int> device(in), out(count);
        const DeviceArray<unsigned char> device_flags(flags);
        const DeviceArray<unsigned> selected(1);
        auto expect = [&](const char* name, const std::vector<int>& expected) {
            EXPECT_EQUAL(selected.download()[0], expected.size());
            auto got = out.download();
            got.resize(expected.size());
            expect_same(name, got, expected);
        };
        with_storage([&](void* storage, size_t& size) {
            return rocprim::select(storage, size, device.data(), out.data(), selected.data(), count, IsOdd());
        });
        expect("odd", odd);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::select(storage, size, device.data(), device_flags.data(), out.data(), selected.data(), count);
        });
        std::vector<int> flagged;
        for (size_t i = 0; i < count; i++) {
            if (flags[i]) {
                flagged.push_back(in[i]);
            }
        }
        expect("flagged", flagged);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::unique(storage, size, device.data(), out.data(), selected.data(), count, rocprim::equal_to<int>());
        });
        expect("distinct", distinct);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::partition(storage, size, device.data(), out.data(), selected.data(), count, IsOdd());
        });
        // The second part comes backwards.
        EXPECT_EQUAL(selected.download()[0], odd.size());
        auto parted = odd;
        parted.insert(parted.end(), even.rbegin(), even.rend());
        expect_same("parted", out.download(), parted);

        const DeviceArray<unsigned> bins(10);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::histogram_even(storage, size, device.data(), unsigned(count), bins.data(), 11u, 0, 20);
        });
        std::vector<unsigned> counts(10, 0);
        for (int value : in) {
            counts[value / 2]++;
        }
        expect_same("bins", bins.download(), counts);
        CHECK(rocprim::transform(device.data(), out.data(), count, Affine()));
        for (int& value : in) {
            value = Affine()(value);
        }
        expect_same("transformed", out.download(), in);
    }
    return passed();
}
