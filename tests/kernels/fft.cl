//! # Radix-2 FFT of 256 points in local memory, and back.
//! except = { "gfx600 -O0" = "clang cannot select the generic pointers of the device library" }
//! [buffers]
//! data = "f32*1024:random(97,-1,1)"
//! spectrum = "f32*1024"
//! again = "f32*1024"
//! [[launch]]
//! grid = 256
//! group = 128
//! args = ["spectrum", "data", "f32:-1", "f32:1"]
//! [[launch]]
//! grid = 256
//! group = 128
//! args = ["again", "spectrum", "f32:1", "f32:0.00390625"]
//! [compare]
//! spectrum = "2e-5"
//! again = "2e-6"
//! [bench.buffers]
//! data = "f32*4194304:random(97,-1,1)"
//! spectrum = "f32*4194304"
//! again = "f32*4194304"
//! [[bench.launch]]
//! grid = 1048576
//! group = 128
//! args = ["spectrum", "data", "f32:-1", "f32:1"]
//! [[bench.launch]]
//! grid = 1048576
//! group = 128
//! args = ["again", "spectrum", "f32:1", "f32:0.00390625"]

kernel void fft(global float2 *out, global const float2 *in, float sign, float scale)
{
    local float2 x[256];
    uint item = get_local_id(0), base = get_group_id(0) * 256;
    for (uint n = item; n < 256; n += 128) {
        uint reversed = 0;
        for (uint bit = 0; bit < 8; bit++)
            reversed |= (n >> bit & 1) << (7 - bit);
        x[reversed] = in[base + n] * scale;
    }
    for (uint size = 1; size < 256; size <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint k = item & (size - 1), low = 2 * item - k;
        float c, s = sincos(sign * M_PI_F * k / size, &c);
        float2 a = x[low], b = x[low + size];
        float2 t = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
        x[low] = a + t;
        x[low + size] = a - t;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = item; n < 256; n += 128)
        out[base + n] = x[n];
}
