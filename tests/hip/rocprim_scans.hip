//! # rocPRIM: reduction, prefix sums in both forms, by key, and runs of equal values.
#include "primitives.h"

#include <rocprim/device/device_reduce.hpp>
#include <rocprim/device/device_run_length_encode.hpp>
#include <rocprim/device/device_scan.hpp>

int main() {
    for (size_t count : {1, 1000, 50001}) {
        Random random(count);
        std::vector<int> in(count), inclusive(count), exclusive(count);
        int sum = 10, largest = -1000000;
        for (size_t i = 0; i < count; i++) {
            in[i] = int(random.below(4)) - 1;
            exclusive[i] = sum;
            sum += in[i];
            inclusive[i] = sum - 10;
            largest = std::max(largest, in[i]);
        }
        const DeviceArray<int> device(in), out(count), one(1);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::reduce(storage, size, device.data(), one.data(), 10, count, rocprim::plus<int>());
        });
        EXPECT_EQUAL(one.download()[0], sum);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::reduce(storage, size, device.data(), one.data(), -1000000, count, rocprim::maximum<int>());
        });
        EXPECT_EQUAL(one.download()[0], largest);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::inclusive_scan(storage, size, device.data(), out.data(), count, rocprim::plus<int>());
        });
        expect_same("inclusive", out.download(), inclusive);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::exclusive_scan(storage, size, device.data(), out.data(), 10, count, rocprim::plus<int>());
        });
        expect_same("exclusive", out.download(), exclusive);

        std::vector<int> values;
        std::vector<unsigned> lengths;
        for (int value : in) {
            if (values.empty() || values.back() != value) {
                values.push_back(value);
                lengths.push_back(0);
            }
            lengths.back()++;
        }
        const DeviceArray<unsigned> run_lengths(count), runs(1);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::run_length_encode(storage, size, device.data(), unsigned(count), out.data(), run_lengths.data(), runs.data());
        });
        EXPECT_EQUAL(runs.download()[0], values.size());
        auto got_values = out.download();
        auto got_lengths = run_lengths.download();
        got_values.resize(values.size());
        got_lengths.resize(values.size());
        expect_same("values of runs", got_values, values);
        expect_same("lengths of runs", got_lengths, lengths);
    }
    return passed();
}
