//! # An update that is launched again and again with four waves.
//! [buffers]
//! y = "f32*256:random(271,-1,1)"
//! x = "f32*256:random(277,-1,1)"
//! [[launch]]
//! grid = 256
//! group = 256
//! args = ["y", "x"]
//! repeat = 3
//! [[bench.launch]]
//! grid = 256
//! group = 256
//! args = ["y", "x"]
//! repeat = 20000

#pragma OPENCL FP_CONTRACT OFF

kernel void small_launches(global float *y, global const float *x)
{
    uint i = get_global_id(0);
    y[i] = 0.5f * y[i] + x[i];
}
