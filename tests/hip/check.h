// Helpers of the programs in this directory: checks that end the program with a message, arrays in device memory, and
// numbers that look random and are the same in every run.
#pragma once

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// Ends the program: prints its place and a message.
[[noreturn]] inline void fail(const char* file, int line, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "%s:%d: ", file, line);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    va_end(arguments);
    std::exit(1);
}

#define FAIL(...) fail(__FILE__, __LINE__, __VA_ARGS__)

// Ends the program unless a condition holds; the rest of the arguments is a message with values.
#define REQUIRE(condition, ...)                                                        \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::fprintf(stderr, "not true: %s\n", #condition);                        \
            FAIL(__VA_ARGS__);                                                         \
        }                                                                              \
    } while (0)

// Ends the program unless a call of HIP returns `expected`.
#define EXPECT_ERROR(call, expected)                                                   \
    do {                                                                               \
        const hipError_t check_got = (call);                                           \
        if (check_got != (expected)) {                                                 \
            FAIL("%s: expected %s, got %s", #call, hipGetErrorName(expected),          \
                 hipGetErrorName(check_got));                                          \
        }                                                                              \
    } while (0)

// Ends the program unless a call of HIP succeeds.
#define CHECK(call) EXPECT_ERROR(call, hipSuccess)

// Ends the program unless two integers are equal.
#define EXPECT_EQUAL(got, expected)                                                    \
    do {                                                                               \
        const long long check_got = (long long)(got);                                  \
        const long long check_expected = (long long)(expected);                        \
        if (check_got != check_expected) {                                             \
            FAIL("%s: expected %lld (%#llx), got %lld (%#llx)", #got, check_expected,  \
                 check_expected, check_got, check_got);                                \
        }                                                                              \
    } while (0)

// Ends the program unless the kernel launch before it succeeded.
#define CHECK_LAUNCH() CHECK(hipGetLastError())

// An array in device memory, freed with the object.
template <typename T>
class DeviceArray {
  public:
    explicit DeviceArray(size_t count) : count_(count) {
        CHECK(hipMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& contents) : DeviceArray(contents.size()) {
        upload(contents);
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { (void)hipFree(data_); }

    T* data() const { return data_; }
    operator T*() const { return data_; }
    size_t bytes() const { return count_ * sizeof(T); }
    void upload(const std::vector<T>& contents) const {
        CHECK(hipMemcpy(data_, contents.data(), contents.size() * sizeof(T), hipMemcpyHostToDevice));
    }
    std::vector<T> download() const {
        std::vector<T> contents(count_);
        CHECK(hipMemcpy(contents.data(), data_, bytes(), hipMemcpyDeviceToHost));
        return contents;
    }
    void clear(int byte = 0) const { CHECK(hipMemset(data_, byte, bytes())); }

  private:
    T* data_ = nullptr;
    size_t count_;
};

// Ends the program unless two arrays have the same bits, and names the first element that differs.
template <typename T>
void expect_same(const char* name, const std::vector<T>& got, const std::vector<T>& expected) {
    REQUIRE(got.size() == expected.size(), "%s: expected %zu elements, got %zu", name, expected.size(), got.size());
    size_t different = 0, first = 0;
    for (size_t i = 0; i < got.size(); i++) {
        if (std::memcmp(&got[i], &expected[i], sizeof(T)) != 0 && different++ == 0) {
            first = i;
        }
    }
    if (different != 0) {
        auto hex = [](const T& value) {
            static char texts[2][2 * sizeof(T) + 1];
            static int turn = 0;
            char* text = texts[turn ^= 1];
            const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
            for (size_t i = 0; i < sizeof(T); i++) {
                std::snprintf(text + 2 * i, 3, "%02x", bytes[sizeof(T) - 1 - i]);
            }
            return text;
        };
        const char* want = hex(expected[first]);
        const char* have = hex(got[first]);
        FAIL("%s[%zu]: expected 0x%s, got 0x%s (%zu of %zu elements differ)", name, first, want, have, different,
             got.size());
    }
}

// Ends the program unless the elements of two arrays differ by `tolerance` at most, absolute below 1 and relative above.
template <typename T>
void expect_near(const char* name, const std::vector<T>& got, const std::vector<T>& expected, double tolerance) {
    REQUIRE(got.size() == expected.size(), "%s: expected %zu elements, got %zu", name, expected.size(), got.size());
    for (size_t i = 0; i < got.size(); i++) {
        const double want = expected[i], have = got[i];
        const double scale = std::fabs(want) > 1 ? std::fabs(want) : 1;
        if (!(std::fabs(want - have) <= tolerance * scale)) {
            FAIL("%s[%zu]: expected %.17g, got %.17g (tolerance %g)", name, i, want, have, tolerance);
        }
    }
}

// Numbers that look random: SplitMix64.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t bits() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // At least 0 and below `limit`.
    uint64_t below(uint64_t limit) { return bits() % limit; }
    // At least `low` and below `high`.
    double real(double low, double high) { return low + (high - low) * ((bits() >> 11) * 0x1p-53); }

  private:
    uint64_t state_;
};

// `count` numbers at least `low` and below `high`.
template <typename T>
std::vector<T> random_reals(size_t count, double low, double high, uint64_t seed) {
    Random random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        value = static_cast<T>(random.real(low, high));
    }
    return values;
}

// `count` integers of all bits.
template <typename T>
std::vector<T> random_bits(size_t count, uint64_t seed) {
    Random random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        value = static_cast<T>(random.bits());
    }
    return values;
}

// Number of groups of `group` items that hold `count` items.
inline unsigned groups_of(size_t count, unsigned group) {
    return static_cast<unsigned>((count + group - 1) / group);
}

// The end of a program that found no fault.
inline int passed() {
    std::puts("ok");
    return 0;
}
