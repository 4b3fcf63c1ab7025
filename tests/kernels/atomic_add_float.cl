//! # Sums of floats by key, with an atomic addition of loads and a compare-and-swap in a loop, as compilers make it. The sums are exact.
//! [buffers]
//! sums = "f32*64"
//! keys = "u32*512:random(251)"
//! values = "i8*512:random(257)"
//! [[launch]]
//! grid = 512
//! group = 128
//! args = ["sums", "keys", "values", "u32:63"]
//! [bench.buffers]
//! sums = "f32*4096"
//! keys = "u32*262144:random(251)"
//! values = "i8*262144:random(257)"
//! [[bench.launch]]
//! grid = 262144
//! group = 256
//! args = ["sums", "keys", "values", "u32:4095"]

void add(global float *to, float by)
{
    global uint *bits = (global uint *)to;
    uint expected, found = *bits;
    do {
        expected = found;
        found = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + by));
    } while (found != expected);
}

kernel void atomic_add_float(global float *sums, global const uint *keys, global const char *values, uint mask)
{
    uint i = get_global_id(0);
    add(&sums[keys[i] & mask], values[i]);
}
