//! # Prefix sums of many workgroups: each by itself (Blelloch), then the sums of the groups, then both added.
//! [buffers]
//! data = "u32*2048:random(11)"
//! sums = "u32*16"
//! [[launch]]
//! kernel = "scan_groups"
//! grid = 1024
//! group = 64
//! args = ["data", "sums", "local:512"]
//! [[launch]]
//! kernel = "scan_sums"
//! grid = 1
//! group = 1
//! args = ["sums", "u32:16"]
//! [[launch]]
//! kernel = "add_sums"
//! grid = 2048
//! group = 128
//! args = ["data", "sums"]
//! [bench.buffers]
//! data = "u32*2097152:random(11)"
//! sums = "u32*16384"
//! [[bench.launch]]
//! kernel = "scan_groups"
//! grid = 1048576
//! group = 64
//! args = ["data", "sums", "local:512"]
//! [[bench.launch]]
//! kernel = "scan_sums"
//! grid = 1
//! group = 1
//! args = ["sums", "u32:16384"]
//! [[bench.launch]]
//! kernel = "add_sums"
//! grid = 2097152
//! group = 128
//! args = ["data", "sums"]

kernel void scan_groups(global uint *data, global uint *sums, local uint *tree)
{
    uint item = get_local_id(0), size = 2 * get_local_size(0), stride = 1;
    global uint *mine = data + get_group_id(0) * size;
    tree[2 * item] = mine[2 * item];
    tree[2 * item + 1] = mine[2 * item + 1];
    for (uint active = size >> 1; active > 0; active >>= 1, stride <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < active)
            tree[stride * (2 * item + 2) - 1] += tree[stride * (2 * item + 1) - 1];
    }
    if (item == 0) {
        sums[get_group_id(0)] = tree[size - 1];
        tree[size - 1] = 0;
    }
    for (uint active = 1; active < size; active <<= 1) {
        stride >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < active) {
            uint left = stride * (2 * item + 1) - 1, right = stride * (2 * item + 2) - 1;
            uint old = tree[left];
            tree[left] = tree[right];
            tree[right] += old;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[2 * item] = tree[2 * item];
    mine[2 * item + 1] = tree[2 * item + 1];
}

kernel void scan_sums(global uint *sums, uint count)
{
    uint sum = 0;
    for (uint i = 0; i < count; i++) {
        uint next = sums[i];
        sums[i] = sum;
        sum += next;
    }
}

kernel void add_sums(global uint *data, global const uint *sums)
{
    data[get_global_id(0)] += sums[get_group_id(0)];
}
