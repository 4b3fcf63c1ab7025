//! # Five-point stencil, ten steps back and forth.
//! [findings]
//! misaligned-access = "hidden arguments of 16 bits, side by side, are loaded in one piece"
//! [buffers]
//! a = "f32*1024:random(29,0,1)"
//! b = "f32*1024"
//! [[launch]]
//! grid = [32, 32]
//! group = [16, 4]
//! args = ["b", "a", "f32:0.2"]
//! [[launch]]
//! grid = [32, 32]
//! group = [16, 4]
//! args = ["a", "b", "f32:0.2"]
//! [bench.buffers]
//! a = "f32*4194304:random(29,0,1)"
//! b = "f32*4194304"
//! [[bench.launch]]
//! grid = [2048, 2048]
//! group = [64, 4]
//! args = ["b", "a", "f32:0.2"]
//! repeat = 2

#pragma OPENCL FP_CONTRACT OFF

kernel void stencil2d(global float *to, global const float *from, float rate)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    float middle = from[y * w + x];
    float sum = from[y * w + max(x - 1, 0)] + from[y * w + min(x + 1, w - 1)] + from[max(y - 1, 0) * w + x] +
                from[min(y + 1, h - 1) * w + x];
    to[y * w + x] = middle + rate * (sum - 4.0f * middle);
}
