//! # Vectors at addresses that are aligned to their elements only, in global and local memory, of every width.
//! std = "CL1.2"
//! [findings]
//! misaligned-access = "that is what it tests"
//! [buffers]
//! out = "u16*4096"
//! in = "u16*4200:random(307)"
//! [[launch]]
//! grid = 128
//! group = 64
//! args = ["out", "in"]

kernel void unaligned_vectors(global ushort *out, global const ushort *in)
{
    local ushort tile[64 * 16 + 3];
    if (get_local_id(0) < 3)
        tile[get_local_id(0)] = 0;
    uint i = get_global_id(0), l = get_local_id(0);
    vstore16(vload16(i, in + 1), l, tile + 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    ushort8 a = vload8(l * 2, tile + 1);
    ushort3 b = vload3(i, in + 5);
    ushort2 c = vload2(i * 3, in + 7);
    vstore8(a.s76543210, i * 2, out);
    vstore4((ushort4)(b, 9) + vload4(l, tile), i * 4 + 2, out);
    vstore3(b + (ushort3)(c, 1), i, out + 128 * 16 + 1);
    vstore2(c, i * 8 + 7, out);
}
