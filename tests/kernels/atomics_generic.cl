//! # C11 atomics with orders and scopes on generic pointers, floating-point ones among them.
//! everywhere = true
//! versions = [4]
//! host_std = "CL2.0"
//! except = { gfx600 = "GCN 1.0 has no flat addresses" }
//! [buffers]
//! words = "u32*16"
//! quads = "u64*8"
//! [[launch]]
//! grid = 256
//! group = 64
//! reference = "atomics_reference"
//! args = ["words", "quads"]

#ifdef REFERENCE
kernel void atomics_reference(global uint *words, global ulong *quads)
{
    for (uint i = 0; i < 256; i++) {
        words[0] += i;
        words[1] |= 1u << (i & 31);
        words[2] = max(words[2], i * 7 % 101);
        words[3] ^= i * i;
        words[4] += 1;
        words[5] -= i;
        quads[0] += (ulong)i << 30;
        quads[1] ^= (ulong)i * i << 20;
        quads[2] = max(quads[2], (ulong)i << 33);
    }
    // The sum of what the four groups have in local memory.
    words[8] = 255 * 128;
    words[9] = 4 * 64;
    words[10] = 64;
    words[11] = as_uint(256 * 0.5f);
    quads[4] = 255UL * 128 << 8;
}
#else
__attribute__((noinline)) void add(volatile atomic_uint *where, uint value)
{
    atomic_fetch_add_explicit(where, value, memory_order_relaxed, memory_scope_device);
}

__attribute__((noinline)) void add64(volatile atomic_ulong *where, ulong value)
{
    atomic_fetch_add_explicit(where, value, memory_order_acq_rel, memory_scope_device);
}

kernel void atomics_generic(volatile global atomic_uint *words, volatile global atomic_ulong *quads)
{
    local atomic_uint shared[4];
    local atomic_ulong shared64;
    uint i = get_global_id(0), l = get_local_id(0);
    if (l < 4)
        atomic_init(&shared[l], 0);
    if (l == 0)
        atomic_init(&shared64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    add(&words[0], i);
    atomic_fetch_or_explicit(&words[1], 1u << (i & 31), memory_order_release, memory_scope_device);
    atomic_fetch_max_explicit(&words[2], i * 7 % 101, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor(&words[3], i * i);
    uint old = atomic_load_explicit(&words[4], memory_order_acquire, memory_scope_device);
    while (!atomic_compare_exchange_weak(&words[4], &old, old + 1))
        ;
    atomic_fetch_sub(&words[5], i);
    add64(&quads[0], (ulong)i << 30);
    atomic_fetch_xor(&quads[1], (ulong)i * i << 20);
    atomic_fetch_max(&quads[2], (ulong)i << 33);
    // The same functions on local memory.
    add(&shared[0], i);
    atomic_fetch_add(&shared[1], 1);
    add64(&shared64, (ulong)i << 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        add(&words[8], atomic_load(&shared[0]));
        add(&words[9], atomic_load(&shared[1]));
        if (get_group_id(0) == 3)
            atomic_store(&words[10], atomic_exchange(&shared[1], 0));
        add64(&quads[4], atomic_load(&shared64));
    }
    volatile global uint *plain = (volatile global uint *)&words[11];
    uint was = *plain, seen;
    while ((seen = atomic_cmpxchg(plain, was, as_uint(as_float(was) + 0.5f))) != was)
        was = seen;
}
#endif
