//! # HIP: printf into a buffer, formats by their hashes and by their texts.
//! everywhere = true
//! prints = true
//! device_options = ["-mprintf-kind=buffered"]
//! libraries = ["opencl"]
//! except = { gfx600 = "no generic pointers, which the device library's printf needs", "clang-14" = "it has no such printf", "gfx700 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined", "gfx803 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined" }
//! [[launch]]
//! grid = 64
//! group = 64
//! reference = "speak_reference"
//! args = ["i32:-7", "f32:2.5"]

#define NUMBERS if (lane % 20 == 3) printf("lane %u: %d %5.2f|%-10.3e|%g %x %c%c\n", lane, i * (int)lane, x * lane, x, x / 3, lane << 8, 'o', 'k')
#define WIDE if (lane == 63) printf("%ld %s: %lx\n", (long)i << 40, "text in the record", 81985529216486895L)
#define PLAIN if (lane < 2) printf("nothing else, 100%%\n")

#ifdef REFERENCE
kernel void speak_reference(int i, float x)
{
    for (uint lane = 0; lane < 64; lane++)
        NUMBERS;
    for (uint lane = 0; lane < 64; lane++)
        WIDE;
    printf("<%s> %d\n", "even and longer", i);
    printf("%d is odd: %s\n", i, "odd");
    for (uint lane = 0; lane < 64; lane++)
        PLAIN;
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
extern "C" __device__ int printf(const char *, ...);

extern "C" __global__ void printf_buffered(int i, float x)
{
    unsigned lane = __builtin_amdgcn_workitem_id_x();
    const char *volatile kinds[2] = {"even and longer", "odd"};
    NUMBERS;
    WIDE;
    if (lane == 5)
        printf("<%s> %d\n", kinds[0], i);
    if (lane == 5)
        printf("%d is odd: %s\n", i, kinds[1]);
    PLAIN;
}
#endif
