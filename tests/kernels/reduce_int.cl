//! # Sums, least and greatest values of a workgroup by halving in local memory, of all by atomics.
//! everywhere = true
//! [buffers]
//! totals = "i32:0,2147483647,-2147483648,0"
//! partial = "i32*16"
//! data = "i32*4000:random(5,-100000,100000)"
//! [[launch]]
//! grid = 1024
//! group = 256
//! args = ["totals", "partial", "data", "u32:4000"]

kernel void reduce_int(global int *totals, global int *partial, global const int *data, uint count)
{
    local int sums[256];
    uint item = get_local_id(0);
    int sum = 0, least = INT_MAX, most = INT_MIN;
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        int value = data[i];
        sum += value;
        least = min(least, value);
        most = max(most, value);
    }
    sums[item] = sum;
    for (uint reach = get_local_size(0) / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < reach)
            sums[item] += sums[item + reach];
    }
    if (item == 0) {
        partial[get_group_id(0)] = sums[0];
        atomic_add(&totals[0], sums[0]);
    }
    atomic_min(&totals[1], least);
    atomic_max(&totals[2], most);
    atomic_xor(&totals[3], sum);
}
