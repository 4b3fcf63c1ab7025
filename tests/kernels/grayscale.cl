//! # Brightness of RGB pixels of three bytes: loads and stores of single bytes.
//! [buffers]
//! out = "u8*700"
//! in = "u8*2100:random(269)"
//! [[launch]]
//! grid = 768
//! group = 128
//! args = ["out", "in", "u32:700"]
//! [bench.buffers]
//! out = "u8*4194304"
//! in = "u8*12582912:random(269)"
//! [[bench.launch]]
//! grid = 4194304
//! group = 256
//! args = ["out", "in", "u32:4194304"]

kernel void grayscale(global uchar *out, global const uchar *in, uint count)
{
    uint i = get_global_id(0);
    if (i < count)
        out[i] = (77 * in[3 * i] + 150 * in[3 * i + 1] + 29 * in[3 * i + 2] + 128) >> 8;
}
