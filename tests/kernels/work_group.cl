//! # Work-group collectives of OpenCL 2.0: all, any, broadcast, reductions and scans.
//! everywhere = true
//! except = { "gfx700 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined", "gfx803 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined", "gfx600 -O0" = "clang cannot select the generic pointers of the device library", "clang-14 -O0" = "clang-14 and 15 crash on the device library" }
//! [buffers]
//! out = "i32*1536"
//! in = "i32*256:random(271,-50,50)"
//! [[launch]]
//! grid = 256
//! group = 128
//! reference = "work_group_reference"
//! args = ["out", "in"]

#ifdef REFERENCE
kernel void work_group_reference(global int *out, global const int *in)
{
    for (uint group = 0; group < 2; group++) {
        global const int *x = in + group * 128;
        int sum = 0, least = INT_MAX, most = INT_MIN, all = 1, any = 0;
        for (uint i = 0; i < 128; i++) {
            all &= x[i] > -51;
            any |= x[i] == 200;
            sum += x[i];
            least = min(least, x[i]);
            most = max(most, x[i]);
        }
        int before = 0, highest = INT_MIN;
        for (uint i = 0; i < 128; i++) {
            global int *o = out + (group * 128 + i) * 6;
            highest = max(highest, x[i]);
            o[0] = all * 2 + any;
            o[1] = x[77];
            o[2] = sum;
            o[3] = least * 1000 + most;
            o[4] = before;
            before += x[i];
            o[5] = highest;
        }
    }
}
#else
kernel void work_group(global int *out, global const int *in)
{
    uint i = get_global_id(0);
    int x = in[i];
    global int *o = out + i * 6;
    o[0] = (work_group_all(x > -51) != 0) * 2 + (work_group_any(x == 200) != 0);
    o[1] = work_group_broadcast(x, 77);
    o[2] = work_group_reduce_add(x);
    o[3] = work_group_reduce_min(x) * 1000 + work_group_reduce_max(x);
    o[4] = work_group_scan_exclusive_add(x);
    o[5] = work_group_scan_inclusive_max(x);
}
#endif
