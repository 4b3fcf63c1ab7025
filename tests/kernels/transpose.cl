//! # Transposition by padded tiles, with an edge.
//! [buffers]
//! out = "f32*1850"
//! in = "f32*1850:random(23)"
//! [[launch]]
//! grid = [64, 24]
//! group = [16, 8]
//! args = ["out", "in", "u32:50", "u32:37"]
//! [bench.buffers]
//! out = "f32*4194304"
//! in = "f32*4194304:random(23)"
//! [[bench.launch]]
//! grid = [2048, 1024]
//! group = [16, 8]
//! args = ["out", "in", "u32:2048", "u32:2048"]
//! repeat = 4

kernel void transpose(global float *out, global const float *in, uint width, uint height)
{
    local float tile[16][17];
    uint x = get_local_id(0), left = get_group_id(0) * 16, top = get_group_id(1) * 16;
    for (uint y = get_local_id(1); y < 16; y += 8)
        if (left + x < width && top + y < height)
            tile[y][x] = in[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint y = get_local_id(1); y < 16; y += 8)
        if (top + x < height && left + y < width)
            out[(left + y) * height + top + x] = tile[x][y];
}
