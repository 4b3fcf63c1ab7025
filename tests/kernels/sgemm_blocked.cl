//! # C = A B, 4 x 4 elements of the result in the registers of a work-item.
//! std = "CL1.2"
//! [buffers]
//! c = "f32*4096"
//! a = "f32*2048:random(1,-1,1)"
//! b = "f32*2048:random(2,-1,1)"
//! [[launch]]
//! grid = [16, 16]
//! group = [8, 8]
//! args = ["c", "a", "b", "local:1024", "local:1024", "u32:64", "u32:32"]
//! [bench.buffers]
//! c = "f32*1048576"
//! a = "f32*1048576:random(1,-1,1)"
//! b = "f32*1048576:random(2,-1,1)"
//! [[bench.launch]]
//! grid = [256, 256]
//! group = [8, 8]
//! args = ["c", "a", "b", "local:1024", "local:1024", "u32:1024", "u32:1024"]

#define BLOCK 4
#define SIDE 8
#define DEPTH 8

kernel void sgemm_blocked(global float *c, global const float *a, global const float *b, local float *left,
                          local float *right, uint n, uint k)
{
    uint x = get_local_id(0), y = get_local_id(1), item = y * SIDE + x;
    uint top = get_group_id(1) * SIDE * BLOCK, first = get_group_id(0) * SIDE * BLOCK;
    float sum[BLOCK][BLOCK];
    for (uint i = 0; i < BLOCK; i++)
        for (uint j = 0; j < BLOCK; j++)
            sum[i][j] = 0;
    for (uint step = 0; step < k; step += DEPTH) {
        for (uint at = item; at < SIDE * BLOCK * DEPTH; at += SIDE * SIDE) {
            uint row = at / DEPTH, depth = at % DEPTH;
            left[depth * SIDE * BLOCK + row] = a[(top + row) * k + step + depth];
            right[at] = b[(step + at / (SIDE * BLOCK)) * n + first + at % (SIDE * BLOCK)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint depth = 0; depth < DEPTH; depth++) {
            float4 u = vload4(y, left + depth * SIDE * BLOCK), v = vload4(x, right + depth * SIDE * BLOCK);
            float us[BLOCK] = {u.x, u.y, u.z, u.w}, vs[BLOCK] = {v.x, v.y, v.z, v.w};
            for (uint i = 0; i < BLOCK; i++)
                for (uint j = 0; j < BLOCK; j++)
                    sum[i][j] = fma(us[i], vs[j], sum[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < BLOCK; i++)
        vstore4((float4)(sum[i][0], sum[i][1], sum[i][2], sum[i][3]), x,
                c + (top + y * BLOCK + i) * n + first);
}
