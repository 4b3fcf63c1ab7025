//! # Integer arithmetic on vectors of every width.
//! [buffers]
//! out = "u32*1024"
//! a = "u32*1024:random(1)"
//! b = "u32*1024:random(2)"
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["out", "a", "b"]

kernel void vector_int(global uint16 *out, global const uint16 *a, global const uint16 *b)
{
    size_t i = get_global_id(0);
    uint16 x = a[i], y = b[i];
    uint16 r;
    r.lo.lo = x.lo.lo + y.lo.lo;
    r.lo.hi = x.lo.hi * y.lo.hi - (x.lo.lo ^ y.hi.hi);
    r.s89 = x.s89 / (y.s89 | 1);
    r.sab = x.sab % (y.sab | 1);
    r.scde = rotate(x.scde, y.scde) + mul_hi(x.scde, y.scde);
    r.sf = (x.sf >> (y.sf & 31)) | (uint)((int)x.sf >> 3) | (x.sf << (y.s0 & 31));
    out[i] = select(r, ~r, (x > y) & (r < y));
}
