// sums[group] = sum of the workgroup's elements of in, as far as there are n. The dynamic LDS `partial` has an element
// for each work-item. The last workgroup may have fewer work-items than the others, and any number of them.
kernel void reduce(global const int *in, global int *sums, local int *partial, uint n)
{
    uint item = get_local_id(0);
    size_t i = get_global_id(0);
    partial[item] = i < n ? in[i] : 0;

    for (uint size = get_local_size(0); size > 1;) {
        uint lower = (size + 1) / 2; // an odd one out stays as it is
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item + lower < size)
            partial[item] += partial[item + lower];
        size = lower;
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}
