//! # Every 64-bit atomic on global and on local memory.
//! options = ["-Dcl_khr_int64_base_atomics", "-Dcl_khr_int64_extended_atomics"]
//! [buffers]
//! words = "u64:0,0,18446744073709551615,0,18446744073709551615,0,0,0,0,0,9223372036854775807,9223372036854775808,0,0,0,0"
//! locals = "u64*64"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["words", "locals"]

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

static ulong noise(ulong i) { return (i ^ 61) * 0x9e3779b97f4a7c15UL ^ i >> 3; }

kernel void atomics64(volatile global ulong *words, global ulong *locals)
{
    local ulong shared[16];
    uint i = get_global_id(0), l = get_local_id(0);
    ulong x = noise(i);
    volatile global long *longs = (volatile global long *)words;
    if (l < 16)
        shared[l] = l == 2 || l == 4 ? ~0UL : l == 10 ? LONG_MAX : l == 11 ? LONG_MIN : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile local long *shared_longs = (volatile local long *)shared;
    atom_add(&words[0], x);
    atom_sub(&words[1], x);
    atom_and(&words[2], x | 1UL << (i & 63));
    atom_or(&words[3], 1UL << (x & 63));
    atom_min(&words[4], x);
    atom_max(&words[5], x);
    atom_xor(&words[6], x);
    atom_add(&words[7], atom_inc(&words[8]));
    atom_dec(&words[9]);
    atom_min(&longs[10], (long)x);
    atom_max(&longs[11], (long)x);
    atom_add(&words[12], atom_xchg(&words[13], 7UL));
    if (atom_cmpxchg(&words[14], 0UL, 1UL) == 0)
        atom_inc(&words[15]);

    atom_add(&shared[0], x);
    atom_sub(&shared[1], x);
    atom_and(&shared[2], x | 1UL << (i & 63));
    atom_or(&shared[3], 1UL << (x & 63));
    atom_min(&shared[4], x);
    atom_max(&shared[5], x);
    atom_xor(&shared[6], x);
    atom_add(&shared[7], atom_inc(&shared[8]));
    atom_dec(&shared[9]);
    atom_min(&shared_longs[10], (long)x);
    atom_max(&shared_longs[11], (long)x);
    atom_add(&shared[12], atom_xchg(&shared[13], 7UL));
    if (atom_cmpxchg(&shared[14], 0UL, 1UL) == 0)
        atom_inc(&shared[15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        locals[get_group_id(0) * 16 + l] = shared[l];
}
