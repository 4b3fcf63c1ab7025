//! # Mandelbrot set in single precision, and in double precision deeper in.
//! [buffers]
//! single = "u32*1024"
//! deep = "u32*1024"
//! [[launch]]
//! grid = [32, 32]
//! group = [16, 4]
//! args = ["single", "deep", "u32:100"]

#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uint *single, global uint *deep, uint most)
{
    uint x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), at = y * w + x, n;
    float cx = x * 0.09375f - 2.0f, cy = y * 0.09375f - 1.5f, zx = 0, zy = 0;
    for (n = 0; n < most && zx * zx + zy * zy < 4.0f; n++) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
    }
    single[at] = n;
    double dx = -0.74364 + x * 0x1p-14, dy = 0.13182 + y * 0x1p-14, ux = 0, uy = 0;
    for (n = 0; n < most && ux * ux + uy * uy < 4.0; n++) {
        double t = ux * ux - uy * uy + dx;
        uy = 2.0 * ux * uy + dy;
        ux = t;
    }
    deep[at] = n;
}
