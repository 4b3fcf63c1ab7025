//! # Temperature of a chip: several steps of a stencil on a tile in local memory, whose valid part shrinks.
//! [buffers]
//! to = "f32*1600"
//! from = "f32*1600:random(227,60,90)"
//! power = "f32*1600:random(229,0,1)"
//! [[launch]]
//! grid = [64, 64]
//! group = [16, 16]
//! args = ["to", "from", "power", "i32:40", "i32:40", "i32:3"]
//! [bench.buffers]
//! to = "f32*1048576"
//! from = "f32*1048576:random(227,60,90)"
//! power = "f32*1048576:random(229,0,1)"
//! [[bench.launch]]
//! grid = [1376, 1376]
//! group = [16, 16]
//! args = ["to", "from", "power", "i32:1024", "i32:1024", "i32:2"]
//! repeat = 2

#pragma OPENCL FP_CONTRACT OFF

#define TILE 16

kernel void hotspot(global float *to, global const float *from, global const float *power, int width, int height, int steps)
{
    local float now[TILE][TILE], next[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), inner = TILE - 2 * steps;
    int column = (int)get_group_id(0) * inner + x - steps, row = (int)get_group_id(1) * inner + y - steps;
    int place = clamp(row, 0, height - 1) * width + clamp(column, 0, width - 1);
    float heat = power[place];
    now[y][x] = from[place];
    bool is_valid = true;
    for (int step = 1; step <= steps; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        is_valid = min(x, y) >= step && max(x, y) < TILE - step;
        if (is_valid) {
            float middle = now[y][x];
            float vertical = now[y - 1][x] + now[y + 1][x] - 2.0f * middle;
            float horizontal = now[y][x - 1] + now[y][x + 1] - 2.0f * middle;
            next[y][x] = middle + 0.125f * (heat + 0.5f * vertical + 0.25f * horizontal + 0.03125f * (80.0f - middle));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_valid)
            now[y][x] = next[y][x];
    }
    if (is_valid && column < width && row < height)
        to[row * width + column] = now[y][x];
}
