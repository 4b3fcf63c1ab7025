//! # Bodies that attract each other, in steps with two buffers that take turns; the host computes the same in doubles.
//! targets = ["gfx803", "gfx900", "gfx906", "gfx600", "gfx700", "gfx90c"]
#include "check.h"

static const char* const SOURCE =
    "kernel void step_bodies(global const float4* from, global float4* to, global float4* speeds, local float4* tile, float time) {\n"
    "    int i = get_global_id(0), l = get_local_id(0), n = get_global_size(0), size = get_local_size(0);\n"
    "    float4 own = from[i];\n"
    "    float3 pull = (float3)(0);\n"
    "    for (int first = 0; first < n; first += size) {\n"
    "        tile[l] = from[first + l];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < size; k++) {\n"
    "            float3 way = tile[k].xyz - own.xyz;\n"
    "            float inverse = rsqrt(dot(way, way) + 0.05f);\n"
    "            pull += way * (tile[k].w * inverse * inverse * inverse);\n"
    "        }\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    float4 speed = speeds[i];\n"
    "    speed.xyz += pull * time;\n"
    "    speeds[i] = speed;\n"
    "    to[i] = (float4)(own.xyz + speed.xyz * time, own.w);\n"
    "}\n";

enum { BODIES = 128, GROUP = 64, STEPS = 4 };
static const float TIME = 0.01f;

static void step_on_host(double (*places)[4], double (*speeds)[4]) {
    static double pulls[BODIES][3];
    for (int i = 0; i < BODIES; i++) {
        memset(pulls[i], 0, sizeof pulls[i]);
        for (int k = 0; k < BODIES; k++) {
            double way[3], square = (double)0.05f;
            for (int d = 0; d < 3; d++) {
                way[d] = places[k][d] - places[i][d];
                square += way[d] * way[d];
            }
            for (int d = 0; d < 3; d++) {
                pulls[i][d] += way[d] * places[k][3] / (square * sqrt(square));
            }
        }
    }
    for (int i = 0; i < BODIES; i++) {
        for (int d = 0; d < 3; d++) {
            speeds[i][d] += pulls[i][d] * TIME;
            places[i][d] += speeds[i][d] * TIME;
        }
    }
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel kernel = kernel_of(program, "step_bodies");
    static float bodies[BODIES][4], speeds[BODIES][4];
    static double places[BODIES][4], moving[BODIES][4];
    uint64_t seed = 41;
    for (int i = 0; i < BODIES; i++) {
        for (int d = 0; d < 4; d++) {
            bodies[i][d] = (float)(d == 3 ? random_real(&seed, 0.5, 2) : random_real(&seed, -1, 1));
            speeds[i][d] = (float)(d == 3 ? 0 : random_real(&seed, -0.1, 0.1));
            places[i][d] = bodies[i][d];
            moving[i][d] = speeds[i][d];
        }
    }
    const cl_mem turns[2] = {buffer_of(sizeof bodies, bodies), buffer_of(sizeof bodies, NULL)};
    const cl_mem motion = buffer_of(sizeof speeds, speeds);
    SET(kernel, 2, motion);
    CHECK(clSetKernelArg(kernel, 3, GROUP * 16, NULL));
    SET(kernel, 4, TIME);
    for (int step = 0; step < STEPS; step++) {
        SET(kernel, 0, turns[step % 2]);
        SET(kernel, 1, turns[(step + 1) % 2]);
        launch(kernel, BODIES, GROUP);
        step_on_host(places, moving);
    }
    download(turns[STEPS % 2], sizeof bodies, bodies);
    download(motion, sizeof speeds, speeds);
    expect_near("place", bodies[0], places[0], 4 * BODIES, 1e-5);
    expect_near("speed", speeds[0], moving[0], 4 * BODIES, 1e-4);
    CHECK(clReleaseMemObject(turns[0]));
    CHECK(clReleaseMemObject(turns[1]));
    CHECK(clReleaseMemObject(motion));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
