//! # 8 and 16-bit vectors: saturation, conversion, packing.
//! # A function sets s33 by V_READFIRSTLANE just before it returns, and the caller loads from scratch by s33.
//! build_findings = { "clang-14 -O0" = "missing-wait-states" }
//! [buffers]
//! out8 = "u8*1024"
//! out16 = "u16*1024"
//! a = "u8*1024:random(3)"
//! b = "u16*1024:random(4)"
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["out8", "out16", "a", "b"]

kernel void vector_short(global uchar16 *out8, global ushort16 *out16, global const uchar16 *a, global const ushort16 *b)
{
    size_t i = get_global_id(0);
    uchar16 x = a[i];
    ushort16 y = b[i];
    char16 sx = as_char16(x);
    short16 sy = as_short16(y);
    out8[i] = add_sat(x, convert_uchar16_sat(y)) ^ as_uchar16(sub_sat(sx, convert_char16_sat(sy)));
    short16 mixed = convert_short16(sx) * sy + (short16)(7, -7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    mixed = max(mixed, min(sy, convert_short16(x)));
    out16[i] = as_ushort16(mixed) + hadd(y, convert_ushort16(x)) + mul_hi(y, rotate(y, (ushort16)(5))) + abs_diff(mixed, sy);
}
