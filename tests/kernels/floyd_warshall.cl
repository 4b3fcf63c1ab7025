//! # All shortest paths and the nodes between, in one workgroup over global memory.
//! [buffers]
//! distance = "u32*256:random(197,1,1000)"
//! via = "i32*256:fill(-1)"
//! [[launch]]
//! grid = [16, 16]
//! group = [16, 16]
//! args = ["distance", "via"]

kernel void floyd_warshall(global uint *distance, global int *via)
{
    uint x = get_local_id(0), y = get_local_id(1), at = y * 16 + x;
    if (x == y)
        distance[at] = 0;
    for (uint k = 0; k < 16; k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        uint detour = distance[y * 16 + k] + distance[k * 16 + x];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (detour < distance[at]) {
            distance[at] = detour;
            via[at] = k;
        }
    }
}
