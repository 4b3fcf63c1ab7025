//! # Mandelbrot set in single precision, and in double precision deeper in.
//! [buffers]
//! single = "u32*1024"
//! deep = "u32*1024"
//! [[launch]]
//! grid = [32, 32]
//! group = [16, 4]
//! args = ["single", "f32:0.09375", "u32:100"]
//! [[launch]]
//! kernel = "deeper"
//! grid = [32, 32]
//! group = [16, 4]
//! args = ["deep", "u32:100"]
//! [bench.buffers]
//! single = "u32*1048576"
//! [[bench.launch]]
//! grid = [1024, 1024]
//! group = [16, 4]
//! args = ["single", "f32:0.0029296875", "u32:2000"]

#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uint *single, float step, uint most)
{
    uint x = get_global_id(0), y = get_global_id(1), n;
    float cx = x * step - 2.0f, cy = y * step - 1.5f, zx = 0, zy = 0;
    for (n = 0; n < most && zx * zx + zy * zy < 4.0f; n++) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
    }
    single[y * get_global_size(0) + x] = n;
}

kernel void deeper(global uint *deep, uint most)
{
    uint x = get_global_id(0), y = get_global_id(1), n;
    double dx = -0.74364 + x * 0x1p-14, dy = 0.13182 + y * 0x1p-14, ux = 0, uy = 0;
    for (n = 0; n < most && ux * ux + uy * uy < 4.0; n++) {
        double t = ux * ux - uy * uy + dx;
        uy = 2.0 * ux * uy + dy;
        ux = t;
    }
    deep[y * get_global_size(0) + x] = n;
}
