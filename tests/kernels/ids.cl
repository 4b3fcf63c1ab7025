//! # Work-item functions in three dimensions, with partial workgroups at every edge.
//! everywhere = true
//! versions = [2, 3, 4, 6]
//! [findings]
//! misaligned-access = "hidden arguments of 16 bits, side by side, are loaded in one piece"
//! [buffers]
//! out = "u32*2100"
//! [[launch]]
//! grid = [15, 7, 5]
//! group = [4, 3, 2]
//! reference = "ids_reference"
//! args = ["out"]

#ifdef REFERENCE
kernel void ids_reference(global uint *out)
{
    const uint grid[3] = {15, 7, 5}, group[3] = {4, 3, 2};
    for (uint at = 0; at < 525; at++) {
        uint id[3] = {at % 15, at / 15 % 7, at / 105};
        uint sum = 0, size = 1, local_at = 0, stride = 1, groups = 0;
        for (uint d = 0; d < 3; d++) {
            uint first = id[d] / group[d] * group[d];
            uint here = min(group[d], grid[d] - first);
            sum = sum * 31 + (id[d] - first) * 7 + id[d] / group[d];
            local_at += (id[d] - first) * stride;
            stride *= here;
            size = size * 16 + here;
            groups = groups * 16 + (grid[d] + group[d] - 1) / group[d];
        }
        global uint *o = out + at * 4;
        o[0] = sum;
        o[1] = size;
        o[2] = groups * 64 + local_at;
        o[3] = at * 16 + 3;
    }
}
#else
kernel void ids(global uint *out)
{
    uint at = get_global_linear_id(), sum = 0, size = 1, groups = 0;
    #pragma unroll
    for (uint d = 0; d < 3; d++) {
        sum = sum * 31 + get_local_id(d) * 7 + get_group_id(d);
        size = size * 16 + get_local_size(d);
        groups = groups * 16 + get_num_groups(d);
    }
    global uint *o = out + at * 4;
    o[0] = sum;
    o[1] = size;
    o[2] = groups * 64 + get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
    o[3] = (uint)(get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2))) * 16 +
           get_work_dim() + get_global_offset(0);
}
#endif
