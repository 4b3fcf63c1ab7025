//! # k-means: nearest centre for each point, new centres from sums in fixed point.
//! [buffers]
//! points = "f32*1024:random(173,0,1)"
//! centres = "f32*10:random(179,0,1)"
//! sums = "i32*15"
//! nearest = "u32*512"
//! [[launch]]
//! kernel = "assign"
//! grid = 512
//! group = 128
//! args = ["nearest", "sums", "points", "centres", "u32:5"]
//! [[launch]]
//! kernel = "update"
//! grid = 5
//! group = 5
//! args = ["centres", "sums"]
//! [[launch]]
//! kernel = "assign"
//! grid = 512
//! group = 128
//! args = ["nearest", "sums", "points", "centres", "u32:5"]

#pragma OPENCL FP_CONTRACT OFF

kernel void assign(global uint *nearest, global int *sums, global const float2 *points, global const float2 *centres, uint count)
{
    uint i = get_global_id(0), best = 0;
    float2 p = points[i];
    float least = INFINITY;
    for (uint n = 0; n < count; n++) {
        float2 d = p - centres[n];
        float far = d.x * d.x + d.y * d.y;
        if (far < least) {
            least = far;
            best = n;
        }
    }
    nearest[i] = best;
    int2 fixed_point = convert_int2_rte(p * 65536.0f);
    atomic_add(&sums[best * 3], fixed_point.x);
    atomic_add(&sums[best * 3 + 1], fixed_point.y);
    atomic_inc(&sums[best * 3 + 2]);
}

kernel void update(global float2 *centres, global int *sums)
{
    uint n = get_global_id(0);
    int count = max(sums[n * 3 + 2], 1);
    centres[n] = (float2)(sums[n * 3] / count, sums[n * 3 + 1] / count) * 0x1p-16f;
    sums[n * 3] = sums[n * 3 + 1] = sums[n * 3 + 2] = 0;
}
