//! # Shortest paths by relaxing every edge until nothing changes, in one workgroup.
//! [buffers]
//! distance = "u32*256:fill(1000000)"
//! rounds = "u32*1"
//! ends = "u32*1024:random(131,0,255)"
//! weights = "u32*1024:random(137,1,100)"
//! [[launch]]
//! grid = 256
//! group = 256
//! args = ["distance", "rounds", "ends", "weights"]
//! [compare]
//! rounds = "any"

kernel void sssp(volatile global uint *distance, global uint *rounds, global const uint *ends, global const uint *weights)
{
    local uint changed;
    uint node = get_local_id(0), round = 0;
    if (node == 0)
        distance[0] = 0;
    do {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (node == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint here = distance[node];
        for (uint n = 0; n < 4; n++) {
            uint to = ends[node * 4 + n], length = here + weights[node * 4 + n];
            if (here < 1000000 && length < atomic_min(&distance[to], length))
                atomic_or(&changed, 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        round++;
    } while (changed && round < 300);
    if (node == 0)
        *rounds = round;
}
