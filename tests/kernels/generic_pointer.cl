//! # One function on private, local and global memory through generic pointers, and what they convert back to.
//! everywhere = true
//! versions = [3, 4, 6]
//! host_std = "CL2.0"
//! except = { gfx600 = "GCN 1.0 has no flat addresses", "gfx700 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined", "gfx803 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined" }
//! [buffers]
//! out = "i32*256"
//! data = "i32*256:random(47,0,1000)"
//! [[launch]]
//! grid = 128
//! group = 64
//! reference = "generic_reference"
//! args = ["out", "data"]

#ifdef REFERENCE
kernel void generic_reference(global int *out, global int *data)
{
    for (int i = 0; i < 128; i++) {
        int mine[4] = {i, 2 * i, 3 * i, 4 * i};
        int s = i % 64 * 7;
        int sum = mine[i & 3] * 2 + 1 + s * 2 + 1;
        mine[i & 3] = mine[i & 3] * 2 + 1;
        s = s * 2 + 1;
        sum += data[i] * 2 + 1;
        data[i] = data[i] * 2 + 1;
        int picked = i % 3 == 0 ? mine[i & 3] : i % 3 == 1 ? s : data[i];
        out[i] = sum;
        out[i + 128] = picked * 2 + 1 + 10000 * (i % 3);
        if (i % 3 == 2)
            data[i] = data[i] * 2 + 1;
    }
}
#else
__attribute__((noinline)) int twice(int *p)
{
    *p = *p * 2 + 1;
    return *p;
}

kernel void generic_pointer(global int *out, global int *data)
{
    local int shared[64];
    int i = get_global_id(0), l = get_local_id(0);
    int mine[4] = {i, 2 * i, 3 * i, 4 * i};
    shared[l] = l * 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = twice(&mine[i & 3]) + twice(&shared[l]) + twice(&data[i]);
    out[i] = sum;
    int *any = i % 3 == 0 ? (int *)&mine[i & 3] : i % 3 == 1 ? (int *)&shared[l] : (int *)&data[i];
    int space = to_private(any) ? 0 : to_local(any) ? 1 : to_global(any) ? 2 : 3;
    out[i + 128] = twice(any) + 10000 * space;
}
#endif
