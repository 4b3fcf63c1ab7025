//! # Loads and stores of bytes and shorts, signed and not, in global, local and constant memory.
//! [buffers]
//! out8 = "u8*512"
//! out16 = "u16*512"
//! sums = "i64*256"
//! in8 = "i8*1024:random(61)"
//! in16 = "i16*1024:random(67)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out8", "out16", "sums", "in8", "in16"]

kernel void subword(global uchar *out8, global ushort *out16, global long *sums, constant char *in8, global const short *in16)
{
    local uchar bytes[128];
    local short shorts[128];
    uint i = get_global_id(0), l = get_local_id(0);
    bytes[l * 2] = in8[i * 3 + 1];
    bytes[l * 2 + 1] = in16[i * 3];
    shorts[l + 64] = in8[i];
    shorts[63 - l] = in16[i * 2 + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    char a = bytes[127 - l];
    uchar b = bytes[l];
    short c = shorts[l * 2];
    ushort d = shorts[127 - l];
    out8[i * 2] = a + c;
    out8[i * 2 + 1] = b * d;
    out16[i] = a * b;
    out16[i + 256] = c - d;
    sums[i] = (long)a * b + (ulong)d * c + in8[i] + (uchar)in8[i + 1] + (ushort)in16[i];
}
