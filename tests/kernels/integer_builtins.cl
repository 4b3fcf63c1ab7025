//! # Integer builtins: saturation, high halves, counts, rotation, 24-bit products, selection, dot of bytes.
//! [buffers]
//! out = "u32*6144"
//! a = "u32*256:random(233)"
//! b = "u32*256:random(239)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out", "a", "b"]

kernel void integer_builtins(global uint *out, global const uint *a, global const uint *b)
{
    uint i = get_global_id(0), x = a[i], y = b[i];
    int sx = x, sy = y;
    global uint *o = out + i * 24;
    o[0] = add_sat(x, y);
    o[1] = add_sat(sx, sy);
    o[2] = sub_sat(x, y);
    o[3] = sub_sat(sx, sy);
    o[4] = mul_hi(x, y);
    o[5] = mul_hi(sx, sy);
    o[6] = mad_sat(x, y, x);
    o[7] = mad_sat(sx, sy, sx);
    o[8] = hadd(sx, sy);
    o[9] = rhadd(x, y);
    o[10] = clz(x >> (y & 31));
    o[11] = popcount(x);
    o[12] = rotate(x, y);
    o[13] = mul24(sx << 8 >> 8, sy << 8 >> 8);
    o[14] = mad24(x & 0xffffff, y & 0xff, x);
    o[15] = abs(sx);
    o[16] = bitselect(x, y, x * 7);
    o[17] = upsample((ushort)x, (ushort)y);
    o[18] = clamp(sx, -1000, 1000);
    o[19] = (uint)(upsample(x, y) >> 7);
    o[20] = abs_diff(x, y);
    char4 p = as_char4(x), q = as_char4(y);
    int4 product = convert_int4(p) * convert_int4(q);
    o[21] = product.x + product.y + product.z + product.w;
    uchar4 u = as_uchar4(x);
    o[22] = u.x * u.y + u.z * u.w + as_uint(u.wzyx);
    short2 h = as_short2(x), g = as_short2(y);
    o[23] = h.x * g.x + h.y * g.y;
}
