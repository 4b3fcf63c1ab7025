//! # Structures by value, with members of every alignment, and vectors as arguments.
//! everywhere = true
//! versions = [2, 3, 4, 6]
//! [buffers]
//! out = "f64*128"
//! [[launch]]
//! grid = 128
//! group = 64
//! args = ["out", ["u8:7", "u8:0,0,0", "u32:100", "u64:5000000000", "u16:3,0,0,0", "f64:0.5", "i16:-4,0,0,0"], "f32:1,2,3,4", "i8:-9", "u16:65535", ["f32:1.5,2.5,-3.5,0"]]

typedef struct {
    uchar a;
    uint b;
    ulong c;
    ushort d;
    double e;
    short f;
} Mixed;

kernel void struct_value(global double *out, Mixed m, float4 v, char c, ushort s, float3 w)
{
    size_t i = get_global_id(0);
    out[i] = m.a + m.b * (double)i + m.c + m.d * m.e + m.f + v.x * v.w + v.y - v.z + c + s + w.x + w.y * w.z;
}
