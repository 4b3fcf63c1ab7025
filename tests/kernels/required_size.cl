//! # A required size of workgroups, and local memory of three sources: fixed, argument, private arrays put there.
//! [buffers]
//! out = "u32*256"
//! [[launch]]
//! grid = [32, 8]
//! group = [16, 4]
//! args = ["out", "local:256", "local:64"]

kernel __attribute__((reqd_work_group_size(16, 4, 1))) void required_size(global uint *out, local uint *words, local uchar *bytes)
{
    local uint fixed_words[64];
    uint l = get_local_id(1) * 16 + get_local_id(0), at = get_global_id(1) * 32 + get_global_id(0);
    uint mine[4] = {l, l * 2, l * 3, at};
    words[l] = at * 3;
    bytes[63 - l] = at;
    fixed_words[l ^ 1] = at + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = words[63 - l] + bytes[l] * 1000 + fixed_words[(l + 5) & 63] + mine[at & 3] + get_local_size(0);
}
