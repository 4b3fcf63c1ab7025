//! # HIP: printf by calls to the host, from some lanes and from one, with texts that take several calls.
//! everywhere = true
//! prints = true
//! except = { gfx600 = "no generic pointers, which the device library's calls need" }
//! [findings]
//! misaligned-access = "the device library sends text in pieces of 8 bytes, wherever it begins"
//! [[launch]]
//! grid = 64
//! group = 64
//! reference = "speak_reference"
//! args = ["i32:-7", "f32:2.5"]

#define NUMBERS if (lane % 20 == 3) printf("lane %u: %d %5.2f|%-10.3e|%g %x %c%c\n", lane, i * (int)lane, x * lane, x, x / 3, lane << 8, 'o', 'k')
#define LONG if (lane == 63) printf("a format that is longer than one call can take, with %ld and %s in it, and %lx at its end\n", (long)i << 40, "text that is longer than a call, too, so that it is sent in parts", 81985529216486895L)
#define PLAIN if (lane < 2) printf("nothing else, 100%%\n")

#ifdef REFERENCE
kernel void speak_reference(int i, float x)
{
    for (uint lane = 0; lane < 64; lane++)
        NUMBERS;
    for (uint lane = 0; lane < 64; lane++)
        LONG;
    for (uint lane = 0; lane < 6; lane++)
        if (lane & 1)
            printf("%s lane %u\n", "odd", lane);
        else
            printf("%s lane %u\n", "even and longer", lane);
    for (uint lane = 0; lane < 64; lane++)
        PLAIN;
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
extern "C" __device__ int printf(const char *, ...);

extern "C" __global__ void printf_hostcall(int i, float x)
{
    unsigned lane = __builtin_amdgcn_workitem_id_x();
    const char *volatile kinds[2] = {"even and longer", "odd"};
    NUMBERS;
    LONG;
    if (lane < 6)
        printf("%s lane %u\n", kinds[lane & 1], lane);
    PLAIN;
}
#endif
