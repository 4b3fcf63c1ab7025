//! # y = a x + y on a part of a grid.
//! everywhere = true
//! versions = [2, 3, 4, 6]
//! [buffers]
//! y = "f32*1000:random(1,-1,1)"
//! x = "f32*1000:random(2,-4,4)"
//! [[launch]]
//! grid = 1024
//! group = 128
//! args = ["y", "x", "f32:2.5", "u32:1000"]
//! [bench.buffers]
//! y = "f32*8388608:random(1,-1,1)"
//! x = "f32*8388608:random(2,-4,4)"
//! [[bench.launch]]
//! grid = 8388608
//! group = 256
//! args = ["y", "x", "f32:2.5", "u32:8388608"]
//! repeat = 2

kernel void saxpy(global float *y, global const float *x, float a, uint count)
{
    size_t i = get_global_id(0);
    if (i < count)
        y[i] = fma(a, x[i], y[i]);
}
