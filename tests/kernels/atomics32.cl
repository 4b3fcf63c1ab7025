//! # Every 32-bit atomic on global and on local memory.
//! everywhere = true
//! [buffers]
//! words = "u32:0,0,4294967295,0,4294967295,0,0,0,0,0,0,0,2147483647,2147483648,0,0"
//! locals = "u32*64"
//! seen = "u32*256"
//! flags = "u32*256"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["words", "locals", "seen", "flags"]

static uint noise(uint i) { return (i ^ 61) * 0x27d4eb2d ^ i >> 3; }

kernel void atomics32(volatile global uint *words, global uint *locals, global uint *seen, global uint *flags)
{
    local uint shared[16];
    uint i = get_global_id(0), l = get_local_id(0), x = noise(i);
    volatile global int *ints = (volatile global int *)words;
    if (l < 16)
        shared[l] = l == 2 || l == 4 ? ~0u : l == 12 ? INT_MAX : l == 13 ? 0x80000000 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile local int *shared_ints = (volatile local int *)shared;
    atomic_add(&words[0], x);
    atomic_sub(&words[1], x);
    atomic_and(&words[2], x | 1u << (i & 31));
    atomic_or(&words[3], 1u << (x & 31));
    atomic_min(&words[4], x);
    atomic_max(&words[5], x);
    atomic_xor(&words[6], x);
    seen[atomic_inc(&words[7])] = 1;
    atomic_dec(&words[8]);
    atomic_min(&ints[12], (int)x);
    atomic_max(&ints[13], (int)x);
    // One of the work-items wins each flag.
    if (atomic_cmpxchg(&flags[i / 4], 0u, 1u) == 0)
        atomic_add(&words[9], 1u);
    flags[i / 4 + 64] = 1;
    uint old = atomic_xchg(&flags[128 + i / 2], 5u);
    atomic_add(&words[10], old);

    atomic_add(&shared[0], x);
    atomic_sub(&shared[1], x);
    atomic_and(&shared[2], x | 1u << (i & 31));
    atomic_or(&shared[3], 1u << (x & 31));
    atomic_min(&shared[4], x);
    atomic_max(&shared[5], x);
    atomic_xor(&shared[6], x);
    atomic_add(&shared[7], atomic_inc(&shared[8]));
    atomic_dec(&shared[9]);
    if (atomic_cmpxchg(&shared[10], l, l + 1) == l)
        atomic_add(&shared[11], 0u);
    atomic_min(&shared_ints[12], (int)x);
    atomic_max(&shared_ints[13], (int)x);
    atomic_add(&shared[14], atomic_xchg(&shared[15], 3u));
    barrier(CLK_LOCAL_MEM_FENCE);
    // How far the chain of exchanges goes depends on the order of the work-items.
    if (l < 16 && l != 10)
        locals[get_group_id(0) * 16 + l] = shared[l];
}
