//! # Bodies that attract each other, by tiles in LDS: positions after some steps, and the momentum.
#include "check.h"

constexpr unsigned GROUP = 128;

struct Body {
    float x, y, z, mass;
};

__host__ __device__ inline void attract(const Body& on, const Body& by, float force[3]) {
    const float dx = by.x - on.x, dy = by.y - on.y, dz = by.z - on.z;
    const float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
    const float scale = by.mass / (square * sqrtf(square));
    force[0] = fmaf(dx, scale, force[0]);
    force[1] = fmaf(dy, scale, force[1]);
    force[2] = fmaf(dz, scale, force[2]);
}

__global__ void accelerate(const Body* bodies, float3* speeds, unsigned count, float time) {
    __shared__ Body tile[GROUP];
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    const Body own = i < count ? bodies[i] : Body{};
    float force[3] = {};
    for (unsigned start = 0; start < count; start += GROUP) {
        if (start + threadIdx.x < count) {
            tile[threadIdx.x] = bodies[start + threadIdx.x];
        }
        __syncthreads();
        const unsigned size = count - start < GROUP ? count - start : GROUP;
        for (unsigned k = 0; k < size; k++) {
            attract(own, tile[k], force);
        }
        __syncthreads();
    }
    if (i < count) {
        speeds[i].x = fmaf(force[0], time, speeds[i].x);
        speeds[i].y = fmaf(force[1], time, speeds[i].y);
        speeds[i].z = fmaf(force[2], time, speeds[i].z);
    }
}

__global__ void move(Body* bodies, const float3* speeds, unsigned count, float time) {
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    if (i < count) {
        bodies[i].x = fmaf(speeds[i].x, time, bodies[i].x);
        bodies[i].y = fmaf(speeds[i].y, time, bodies[i].y);
        bodies[i].z = fmaf(speeds[i].z, time, bodies[i].z);
    }
}

int main() {
    const unsigned count = 300, steps = 5;
    const float time = 0.01f;
    const auto numbers = random_reals<float>(4 * count, -1, 1, 6);
    std::vector<Body> bodies(count);
    for (unsigned i = 0; i < count; i++) {
        bodies[i] = {numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], (numbers[4 * i + 3] + 1.5f) / 100};
    }
    std::vector<float3> speeds(count, make_float3(0, 0, 0));
    const DeviceArray<Body> device_bodies(bodies);
    const DeviceArray<float3> device_speeds(speeds);
    for (unsigned step = 0; step < steps; step++) {
        accelerate<<<groups_of(count, GROUP), GROUP>>>(device_bodies, device_speeds, count, time);
        move<<<groups_of(count, GROUP), GROUP>>>(device_bodies, device_speeds, count, time);
        CHECK_LAUNCH();
        for (unsigned i = 0; i < count; i++) {
            float force[3] = {};
            for (const Body& other : bodies) {
                attract(bodies[i], other, force);
            }
            speeds[i].x = std::fma(force[0], time, speeds[i].x);
            speeds[i].y = std::fma(force[1], time, speeds[i].y);
            speeds[i].z = std::fma(force[2], time, speeds[i].z);
        }
        for (unsigned i = 0; i < count; i++) {
            bodies[i].x = std::fma(speeds[i].x, time, bodies[i].x);
            bodies[i].y = std::fma(speeds[i].y, time, bodies[i].y);
            bodies[i].z = std::fma(speeds[i].z, time, bodies[i].z);
        }
    }
    const auto got = device_bodies.download();
    double momentum[3] = {};
    const auto got_speeds = device_speeds.download();
    for (unsigned i = 0; i < count; i++) {
        for (float difference : {got[i].x - bodies[i].x, got[i].y - bodies[i].y, got[i].z - bodies[i].z}) {
            REQUIRE(std::fabs(difference) < 1e-5f, "body %u is %g away", i, difference);
        }
        momentum[0] += got[i].mass * got_speeds[i].x;
        momentum[1] += got[i].mass * got_speeds[i].y;
        momentum[2] += got[i].mass * got_speeds[i].z;
    }
    for (double part : momentum) {
        REQUIRE(std::fabs(part) < 1e-4, "momentum %g", part);
    }
    return passed();
}
