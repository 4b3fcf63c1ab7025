//! # k-means with sums by atomics; pi by chance with a generator of the program's own; a random walk.
#include "check.h"

constexpr int CLUSTERS = 5;

// Points are whole numbers, so that sums do not depend on their order.
__global__ void assign(const int2* points, const float2* centres, int* sums, int* owner, int count) {
    __shared__ int own[3 * CLUSTERS];
    if (threadIdx.x < 3 * CLUSTERS) {
        own[threadIdx.x] = 0;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int best = 0;
        float nearest = 1e30f;
        for (int c = 0; c < CLUSTERS; c++) {
            const float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
            const float square = fmaf(dx, dx, dy * dy);
            if (square < nearest) {
                nearest = square;
                best = c;
            }
        }
        owner[i] = best;
        atomicAdd(&own[3 * best], points[i].x);
        atomicAdd(&own[3 * best + 1], points[i].y);
        atomicAdd(&own[3 * best + 2], 1);
    }
    __syncthreads();
    if (threadIdx.x < 3 * CLUSTERS) {
        atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
    }
}

__host__ __device__ uint32_t next(uint32_t& state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__host__ __device__ unsigned hits_of(uint32_t seed, unsigned trials) {
    uint32_t state = seed * 2654435761u + 1;
    unsigned hits = 0;
    for (unsigned t = 0; t < trials; t++) {
        const uint64_t x = next(state) >> 8, y = next(state) >> 8;
        hits += x * x + y * y < (uint64_t(1) << 48);
    }
    return hits;
}

__global__ void monte_carlo(unsigned* total, unsigned trials) {
    __shared__ unsigned own;
    if (threadIdx.x == 0) {
        own = 0;
    }
    __syncthreads();
    atomicAdd(&own, hits_of(blockIdx.x * blockDim.x + threadIdx.x, trials));
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(total, own);
    }
}

int main() {
    const int count = 2000;
    Random random(3);
    std::vector<int2> points(count);
    for (int i = 0; i < count; i++) {
        const int c = i % CLUSTERS;
        points[i] = make_int2(1000 * c + int(random.below(400)), 700 * (c * c % 3) + int(random.below(400)));
    }
    std::vector<float2> centres(CLUSTERS);
    for (int c = 0; c < CLUSTERS; c++) {
        centres[c] = make_float2(1000 * c + 500, 300);
    }
    const DeviceArray<int2> device_points(points);
    const DeviceArray<float2> device_centres(centres);
    const DeviceArray<int> sums(3 * CLUSTERS), owner(count);
    bool settled = false;
    for (int step = 0; step < 20 && !settled; step++) {
        device_centres.upload(centres);
        sums.clear();
        assign<<<groups_of(count, 192), 192>>>(device_points, device_centres, sums, owner, count);
        CHECK_LAUNCH();
        const auto got = sums.download();
        settled = true;
        for (int c = 0; c < CLUSTERS; c++) {
            REQUIRE(got[3 * c + 2] > 0, "cluster %d is empty", c);
            const float2 centre = make_float2(float(got[3 * c]) / got[3 * c + 2], float(got[3 * c + 1]) / got[3 * c + 2]);
            settled = settled && centre.x == centres[c].x && centre.y == centres[c].y;
            centres[c] = centre;
        }
    }
    REQUIRE(settled, "the centres still move");
    const auto owners = owner.download();
    for (int i = 0; i < count; i++) {
        EXPECT_EQUAL(owners[i], i % CLUSTERS);
    }

    const unsigned groups = 10, group = 128, trials = 50;
    const DeviceArray<unsigned> total(1);
    total.clear();
    monte_carlo<<<groups, group>>>(total, trials);
    CHECK_LAUNCH();
    unsigned expected = 0;
    for (unsigned i = 0; i < groups * group; i++) {
        expected += hits_of(i, trials);
    }
    EXPECT_EQUAL(total.download()[0], expected);
    const double pi = 4.0 * expected / (groups * group * trials);
    REQUIRE(std::fabs(pi - M_PI) < 0.05, "pi is %g", pi);
    return passed();
}
