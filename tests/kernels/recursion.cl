//! # Recursion: the stack's depth is known only when it runs.
//! except = { gfx600 = "clang-15 and 19 cannot pass a pointer to the stack here", "clang-14" = "clang-14 and 15 do not compile recursion" }
//! [buffers]
//! out = "u32*64"
//! [[launch]]
//! grid = 64
//! group = 64
//! reference = "recursion_reference"
//! args = ["out"]

#ifdef REFERENCE
// OpenCL C has no recursion: Fibonacci numbers by a loop.
kernel void recursion_reference(global uint *out)
{
    for (uint i = 0; i < 64; i++) {
        uint a = 0, b = 1;
        for (uint n = i % 12; n > 0; n--) {
            uint next = a + b;
            a = b;
            b = next;
        }
        out[i] = a;
    }
}
#else
__attribute__((noinline)) uint fibonacci(uint n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

kernel void recursion(global uint *out)
{
    out[get_global_id(0)] = fibonacci(get_global_id(0) % 12);
}
#endif
