//! # Forces between bodies by tiles in local memory, a step in time.
//! [buffers]
//! to = "f32*512"
//! speed = "f32*512:random(101,-0.1,0.1)"
//! from = "f32*512:random(103,0.1,1)"
//! [[launch]]
//! grid = 128
//! group = 64
//! args = ["to", "speed", "from", "local:1024", "f32:0.01", "f32:0.05"]
//! [compare]
//! to = "1e-5"
//! speed = "1e-5"
//! [bench.buffers]
//! to = "f32*32768"
//! speed = "f32*32768:random(101,-0.1,0.1)"
//! from = "f32*32768:random(103,0.1,1)"
//! [[bench.launch]]
//! grid = 8192
//! group = 64
//! args = ["to", "speed", "from", "local:1024", "f32:0.00001", "f32:0.05"]
//! repeat = 2

kernel void nbody(global float4 *to, global float4 *speed, global const float4 *from, local float4 *tile, float dt,
                  float softening)
{
    uint i = get_global_id(0), l = get_local_id(0);
    float4 me = from[i];
    float3 force = 0;
    for (uint first = 0; first < get_global_size(0); first += get_local_size(0)) {
        tile[l] = from[first + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint n = 0; n < get_local_size(0); n++) {
            float3 d = tile[n].xyz - me.xyz;
            float r = rsqrt(dot(d, d) + softening);
            force += d * (tile[n].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = speed[i];
    v.xyz += force * dt;
    speed[i] = v;
    to[i] = (float4)(me.xyz + v.xyz * dt, me.w);
}
