//! # Breadth-first search, a level with each launch.
//! [findings]
//! global-race = "a node is read while others may claim it: whoever comes first, the level is the same"
//! [buffers]
//! distance = "i32*512:fill(-1)"
//! edges = "u32*1536:random(127,0,511)"
//! [[launch]]
//! kernel = "begin"
//! grid = 1
//! group = 1
//! args = ["distance"]
//! [[launch]]
//! kernel = "expand"
//! grid = 512
//! group = 64
//! args = ["distance", "edges", "i32:0"]
//! [[launch]]
//! kernel = "expand"
//! grid = 512
//! group = 64
//! args = ["distance", "edges", "i32:1"]
//! [[launch]]
//! kernel = "expand"
//! grid = 512
//! group = 64
//! args = ["distance", "edges", "i32:2"]
//! [[launch]]
//! kernel = "expand"
//! grid = 512
//! group = 64
//! args = ["distance", "edges", "i32:3"]
//! [[launch]]
//! kernel = "expand"
//! grid = 512
//! group = 64
//! args = ["distance", "edges", "i32:4"]
//! [[launch]]
//! kernel = "expand"
//! grid = 512
//! group = 64
//! args = ["distance", "edges", "i32:5"]
//! [[launch]]
//! kernel = "expand"
//! grid = 512
//! group = 64
//! args = ["distance", "edges", "i32:6"]
//! [bench.buffers]
//! distance = "i32*1048576:random(131,-1,3)"
//! edges = "u32*3145728:random(127,0,1048575)"
//! [[bench.launch]]
//! kernel = "expand"
//! grid = 1048576
//! group = 64
//! args = ["distance", "edges", "i32:0"]
//! [[bench.launch]]
//! kernel = "expand"
//! grid = 1048576
//! group = 64
//! args = ["distance", "edges", "i32:1"]
//! [[bench.launch]]
//! kernel = "expand"
//! grid = 1048576
//! group = 64
//! args = ["distance", "edges", "i32:2"]
//! [[bench.launch]]
//! kernel = "expand"
//! grid = 1048576
//! group = 64
//! args = ["distance", "edges", "i32:3"]

kernel void begin(global int *distance)
{
    distance[7] = 0;
}

kernel void expand(global int *distance, global const uint *edges, int level)
{
    uint node = get_global_id(0);
    if (distance[node] == level)
        for (uint n = 0; n < 3; n++)
            atomic_cmpxchg(&distance[edges[node * 3 + n]], -1, level + 1);
}
