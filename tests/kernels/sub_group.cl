//! # Sub-groups: identity, reductions, scans, broadcast, ballot and votes.
//! everywhere = true
//! except = { "clang-14 -O0" = "clang-14 and 15 crash on the device library" }
//! [buffers]
//! out = "i32*1024"
//! in = "i32*128:random(277,-50,50)"
//! [[launch]]
//! grid = 128
//! group = 128
//! reference = "sub_group_reference"
//! args = ["out", "in"]

#ifdef REFERENCE
kernel void sub_group_reference(global int *out, global const int *in)
{
    for (uint wave = 0; wave < 2; wave++) {
        global const int *x = in + wave * 64;
        int sum = 0, least = INT_MAX, before = 0, highest = INT_MIN;
        ulong positive = 0;
        for (uint i = 0; i < 64; i++) {
            sum += x[i];
            least = min(least, x[i]);
            positive |= (ulong)(x[i] > 0) << i;
        }
        for (uint i = 0; i < 64; i++) {
            global int *o = out + (wave * 64 + i) * 8;
            highest = max(highest, x[i]);
            o[0] = 64 * 1000 + wave * 100 + i;
            o[1] = sum;
            o[2] = least;
            o[3] = before;
            before += x[i];
            o[4] = highest;
            o[5] = x[13];
            o[6] = (int)(positive >> (i & 32)) ^ popcount(positive);
            o[7] = 2;
        }
    }
}
#else
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sub_group(global int *out, global const int *in)
{
    uint i = get_global_id(0), lane = get_sub_group_local_id();
    int x = in[i];
    global int *o = out + i * 8;
    o[0] = get_sub_group_size() * 1000 + get_sub_group_id() * 100 + lane;
    o[1] = sub_group_reduce_add(x);
    o[2] = sub_group_reduce_min(x);
    o[3] = sub_group_scan_exclusive_add(x);
    o[4] = sub_group_scan_inclusive_max(x);
    o[5] = sub_group_broadcast(x, 13);
    ulong positive = __builtin_amdgcn_uicmp((uint)(x > 0), 0u, 33);
    o[6] = (int)(positive >> (lane & 32)) ^ popcount(positive);
    o[7] = (sub_group_all(x > -51) != 0) * 2 + (sub_group_any(x > 100) != 0);
}
#endif
