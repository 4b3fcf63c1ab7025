//! # Forces between atoms by lists of neighbours (Lennard-Jones): gathers of four floats.
//! [buffers]
//! force = "f32*512"
//! position = "f32*512:random(211,0,6)"
//! neighbours = "u32*1024:random(223,0,127)"
//! [[launch]]
//! grid = 128
//! group = 64
//! args = ["force", "position", "neighbours", "u32:128", "u32:8"]
//! [compare]
//! force = "1e-4"
//! [bench.buffers]
//! force = "f32*262144"
//! position = "f32*262144:random(211,0,6)"
//! neighbours = "u32*2097152:random(223,0,65535)"
//! [[bench.launch]]
//! grid = 65536
//! group = 64
//! args = ["force", "position", "neighbours", "u32:65536", "u32:32"]
//! repeat = 2

#pragma OPENCL FP_CONTRACT OFF

kernel void md(global float4 *force, global const float4 *position, global const uint *neighbours, uint atoms, uint count)
{
    uint atom = get_global_id(0);
    float3 me = position[atom].xyz, sum = 0;
    for (uint n = 0; n < count; n++) {
        float3 d = me - position[neighbours[n * atoms + atom]].xyz;
        // Atoms that are closer than the cores of two count as at that distance.
        float inverse = 1.0f / max(dot(d, d), 0.9f);
        float six = inverse * inverse * inverse;
        if (inverse > 0.0625f)
            sum += d * (inverse * six * (2.0f * six - 1.0f));
    }
    force[atom] = (float4)(sum, 0);
}
