//! # C = A B by tiles in local memory.
//! everywhere = true
//! [buffers]
//! c = "f32*2048"
//! a = "f32*3072:random(1,-1,1)"
//! b = "f32*1536:random(2,-1,1)"
//! [[launch]]
//! grid = [32, 64]
//! group = [16, 16]
//! args = ["c", "a", "b", "u32:32", "u32:48"]
//! [bench.buffers]
//! c = "f32*1048576"
//! a = "f32*1048576:random(1,-1,1)"
//! b = "f32*1048576:random(2,-1,1)"
//! [[bench.launch]]
//! grid = [1024, 1024]
//! group = [16, 16]
//! args = ["c", "a", "b", "u32:1024", "u32:1024"]
//! [bench.small]
//! times = 4096
//! [bench.small.buffers]
//! c = "f32*256"
//! a = "f32*16384:random(1,-1,1)"
//! b = "f32*16384:random(2,-1,1)"
//! [[bench.small.launch]]
//! grid = [16, 16]
//! group = [16, 16]
//! args = ["c", "a", "b", "u32:16", "u32:1024"]

#define TILE 16

kernel void sgemm_tiled(global float *c, global const float *a, global const float *b, uint n, uint k)
{
    local float left[TILE][TILE], right[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint tile = 0; tile < k / TILE; tile++) {
        left[y][x] = a[row * k + tile * TILE + x];
        right[y][x] = b[(tile * TILE + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TILE; i++)
            sum = fma(left[y][i], right[i][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
