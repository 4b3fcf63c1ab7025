//! # Sum and sum of squares in a fixed order, two passes.
//! [buffers]
//! partial = "f32*64"
//! result = "f32*2"
//! data = "f32*8192:random(9,0,1)"
//! [[launch]]
//! kernel = "first"
//! grid = 2048
//! group = 64
//! args = ["partial", "data", "local:512"]
//! [[launch]]
//! kernel = "second"
//! grid = 32
//! group = 32
//! args = ["result", "partial", "local:256"]
//! [bench.buffers]
//! partial = "f32*131072"
//! data = "f32*16777216:random(9,0,1)"
//! [[bench.launch]]
//! kernel = "first"
//! grid = 4194304
//! group = 64
//! args = ["partial", "data", "local:512"]
//! repeat = 2
//! [bench.small]
//! times = 2048
//! [bench.small.buffers]
//! partial = "f32*128"
//! data = "f32*16384:random(9,0,1)"
//! [[bench.small.launch]]
//! kernel = "first"
//! grid = 4096
//! group = 64
//! args = ["partial", "data", "local:512"]

#pragma OPENCL FP_CONTRACT OFF

static float2 halve(local float2 *sums, float2 mine)
{
    uint item = get_local_id(0);
    sums[item] = mine;
    for (uint reach = get_local_size(0) >> 1; reach; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < reach)
            sums[item] = sums[item] + sums[item + reach];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sums[0];
}

kernel void first(global float2 *partial, global const float4 *data, local float2 *sums)
{
    float4 x = data[get_global_id(0)], y = x * x;
    float2 all = halve(sums, (float2)((x.x + x.y) + (x.z + x.w), (y.x + y.y) + (y.z + y.w)));
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = all;
}

kernel void second(global float2 *result, global const float2 *partial, local float2 *sums)
{
    float2 all = halve(sums, partial[get_global_id(0)]);
    if (get_local_id(0) == 0)
        *result = all;
}
