//! # rocPRIM: radix sort of keys and of pairs, and merging.
#include "primitives.h"

// The one for merging does not include all that it needs.
#include <rocprim/device/device_radix_sort.hpp>

#include <rocprim/device/device_merge.hpp>

#include <algorithm>
#include <numeric>

int main() {
    for (size_t count : {1, 700, 20000}) {
        auto keys = random_bits<int>(count, count);
        const DeviceArray<int> device(keys), sorted(count);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::radix_sort_keys(storage, size, device.data(), sorted.data(), count);
        });
        std::sort(keys.begin(), keys.end());
        expect_same("sorted", sorted.download(), keys);

        auto words = random_bits<unsigned>(count, count + 1);
        for (unsigned& word : words) {
            word &= 0xfff;
        }
        std::vector<unsigned> order(count);
        std::iota(order.begin(), order.end(), 0u);
        const DeviceArray<unsigned> device_words(words), values(order), sorted_words(count), sorted_values(count);
        with_storage([&](void* storage, size_t& size) {
            return rocprim::radix_sort_pairs(storage, size, device_words.data(), sorted_words.data(), values.data(), sorted_values.data(),
                                             count, 0, 12);
        });
        std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return words[a] < words[b]; });
        expect_same("values", sorted_values.download(), order);
        std::sort(words.begin(), words.end());
        expect_same("keys", sorted_words.download(), words);

        // Two sorted arrays become one.
        std::vector<int> other(count / 2 + 3), merged;
        for (size_t i = 0; i < other.size(); i++) {
            other[i] = int(i * 30011) - 1000000;
        }
        std::merge(keys.begin(), keys.end(), other.begin(), other.end(), std::back_inserter(merged));
        const DeviceArray<int> device_other(other), device_merged(merged.size());
        with_storage([&](void* storage, size_t& size) {
            return rocprim::merge(storage, size, sorted.data(), device_other.data(), device_merged.data(), count, other.size());
        });
        expect_same("merged", device_merged.download(), merged);
    }
    return passed();
}
