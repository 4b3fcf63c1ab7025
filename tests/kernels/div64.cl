//! # 64-bit division and remainder, signed and unsigned, with divisors of every length, products and shifts.
//! [buffers]
//! out = "i64*1536"
//! a = "i64*256:random(71)"
//! b = "i64*256:random(73)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out", "a", "b"]

kernel void div64(global long *out, global const long *a, global const long *b)
{
    size_t i = get_global_id(0);
    long x = a[i], y = b[i] >> (i & 63);
    y = y == 0 || (y == -1 && x == LONG_MIN) ? 3 : y;
    out[i] = x / y;
    out[i + 256] = x % y;
    ulong ux = x, uy = y;
    out[i + 512] = ux / uy;
    out[i + 768] = ux % uy;
    out[i + 1024] = mul_hi(x, b[i]) ^ (long)mul_hi(ux, uy) ^ x * y;
    out[i + 1280] = (x << (i & 63)) ^ (x >> (uy & 63)) ^ (long)(ux >> (i & 63)) ^ (clz(uy) << 8) ^ popcount(ux) ^
                    rotate(x, y) ^ abs_diff(x >> 1, y >> 1) ^ add_sat(x, y) ^ sub_sat(x, b[i]);
}
