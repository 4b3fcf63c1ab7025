//! # Program-scope variables: constants with pointers into each other, zeroed and initialised data in global memory.
//! everywhere = true
//! versions = [3, 4, 6]
//! host_std = "CL2.0"
//! except = { "gfx600 -O0" = "no generic pointers" }
//! [buffers]
//! out = "u32*128"
//! [[launch]]
//! grid = 64
//! group = 64
//! reference = "globals_reference"
//! args = ["out"]
//! [[launch]]
//! grid = 64
//! group = 64
//! reference = "globals_reference_twice"
//! args = ["out"]

constant uint primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
constant char text[] = "device text";

#ifdef REFERENCE
static void fill(global uint *out)
{
    for (uint i = 0; i < 64; i++) {
        out[i] = primes[i & 7] * 3 + (uint)text[i % 11] + (i & 1 ? primes[5] : primes[2]) + 77 + i * 2;
        out[i + 64] = i * 3 + 1;
    }
}
kernel void globals_reference(global uint *out) { fill(out); }
kernel void globals_reference_twice(global uint *out) { fill(out); }
#else
global uint counters[64];
global uint start[4] = {1, 1, 1, 1};
global uint bias = 77;
global uint *global where = &bias;
constant uint *constant tables[2] = {&primes[2], &primes[5]};

kernel void globals(global uint *out)
{
    uint i = get_global_id(0);
    counters[i] += i * 3;
    start[i & 3] |= 0;
    out[i] = primes[i & 7] * 3 + (uint)text[i % 11] + *tables[i & 1] + *where + i * 2;
    out[i + 64] = counters[i] + start[i & 3];
}
#endif
