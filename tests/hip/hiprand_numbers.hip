//! # hipRAND over rocRAND: the same numbers, normal ones in a stream, errors of wrong arguments.
//! links = ["hiprand", "rocrand"]
#include "check.h"

#include <hiprand/hiprand.h>

#include "random_reference.h"

#define CHECK_RAND(call)                                                                 \
    do {                                                                                 \
        const hiprandStatus_t check_got = (call);                                        \
        REQUIRE(check_got == HIPRAND_STATUS_SUCCESS, "%s: %d", #call, int(check_got));   \
    } while (0)

int main() {
    const size_t count = 10000;
    const DeviceArray<unsigned> out(count);
    const DeviceArray<float> single(count);
    hiprandGenerator_t generator;
    CHECK_RAND(hiprandCreateGenerator(&generator, HIPRAND_RNG_PSEUDO_PHILOX4_32_10));
    CHECK_RAND(hiprandSetPseudoRandomGeneratorSeed(generator, 17));
    CHECK_RAND(hiprandGenerate(generator, out, count));
    const auto numbers = out.download();
    for (size_t i = 0; i < count; i++) {
        EXPECT_EQUAL(numbers[i], philox(17, 0, i));
    }
    hipStream_t stream;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_RAND(hiprandSetStream(generator, stream));
    CHECK_RAND(hiprandGenerateNormal(generator, single, count, 10, 3));
    CHECK(hipStreamSynchronize(stream));
    const Moments normal(single.download());
    REQUIRE(std::fabs(normal.mean - 10) < 0.15 && std::fabs(normal.variance - 9) < 0.7, "mean %g, variance %g", normal.mean,
            normal.variance);
    CHECK_RAND(hiprandGenerateUniform(generator, single, count));
    CHECK(hipStreamSynchronize(stream));
    const Moments uniform(single.download());
    REQUIRE(std::fabs(uniform.mean - 0.5) < 0.015 && std::fabs(uniform.variance - 1 / 12.0) < 0.005, "mean %g, variance %g",
            uniform.mean, uniform.variance);
    REQUIRE(hiprandGenerate(nullptr, out, count) != HIPRAND_STATUS_SUCCESS, "no generator");
    CHECK_RAND(hiprandDestroyGenerator(generator));
    CHECK(hipStreamDestroy(stream));
    return passed();
}
