//! # Matrix by vector, a work-item for each row: the lanes of a load are a row apart.
//! [buffers]
//! y = "f32*96"
//! a = "f32*4608:random(233,-1,1)"
//! x = "f32*48:random(239,-1,1)"
//! [[launch]]
//! grid = 128
//! group = 64
//! args = ["y", "a", "x", "u32:96", "u32:48"]
//! [bench.buffers]
//! y = "f32*4096"
//! a = "f32*4194304:random(233,-1,1)"
//! x = "f32*1024:random(239,-1,1)"
//! [[bench.launch]]
//! grid = 4096
//! group = 64
//! args = ["y", "a", "x", "u32:4096", "u32:1024"]
//! repeat = 2

#pragma OPENCL FP_CONTRACT OFF

kernel void matvec(global float *y, global const float *a, global const float *x, uint rows, uint columns)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (uint column = 0; column < columns; column++)
        sum += a[row * columns + column] * x[column];
    y[row] = sum;
}
