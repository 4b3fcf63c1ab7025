//! # Seven-point stencil in three dimensions, a plane at a time in registers.
//! [buffers]
//! out = "f64*4096"
//! in = "f64*4096:random(31,-1,1)"
//! [[launch]]
//! grid = [16, 16, 4]
//! group = [8, 4, 2]
//! args = ["out", "in"]

#pragma OPENCL FP_CONTRACT OFF
#define SIDE 16
#define AT(x, y, z) in[(((z) & (SIDE - 1)) * SIDE + ((y) & (SIDE - 1))) * SIDE + ((x) & (SIDE - 1))]

kernel void stencil3d(global double *out, global const double *in)
{
    int x = get_global_id(0), y = get_global_id(1), first = get_global_id(2) * SIDE / get_global_size(2);
    double below = AT(x, y, first - 1), here = AT(x, y, first);
    for (int z = first; z < first + SIDE / 4; z++) {
        double above = AT(x, y, z + 1);
        double sum = (AT(x - 1, y, z) + AT(x + 1, y, z)) + (AT(x, y - 1, z) + AT(x, y + 1, z)) + (below + above);
        out[(z * SIDE + y) * SIDE + x] = 0.5 * here + sum / 12.0;
        below = here;
        here = above;
    }
}
