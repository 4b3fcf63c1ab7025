//! # 5 x 5 convolution of RGBA bytes, weights in constant memory of the program.
//! [findings]
//! misaligned-access = "hidden arguments of 16 bits, side by side, are loaded in one piece"
//! [buffers]
//! out = "u8*4096"
//! in = "u8*4096:random(37)"
//! [[launch]]
//! grid = [32, 32]
//! group = [32, 2]
//! args = ["out", "in"]
//! [bench.buffers]
//! out = "u8*4194304"
//! in = "u8*4194304:random(37)"
//! [[bench.launch]]
//! grid = [1024, 1024]
//! group = [32, 2]
//! args = ["out", "in"]

constant int weights[5][5] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1},
};

kernel void convolution(global uchar4 *out, global const uchar4 *in)
{
    int2 at = {get_global_id(0), get_global_id(1)}, size = {get_global_size(0), get_global_size(1)};
    int4 sum = 128;
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++) {
            int2 from = clamp(at + (int2)(x, y), 0, size - 1);
            sum += weights[y + 2][x + 2] * convert_int4(in[from.y * size.x + from.x]);
        }
    out[at.y * size.x + at.x] = convert_uchar4_sat(sum >> 8);
}
