//! # printf: integers, characters, strings, pointers, floating-point numbers and vectors, from one work-item and many.
//! everywhere = true
//! prints = true
//! versions = [4]
//! except = { "gfx600 -O0" = "clang-19 cannot select the atomic load of the device library", "gfx700 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined", "gfx803 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined" }
//! [[launch]]
//! kernel = "print"
//! grid = 64
//! group = 64
//! args = ["i32:-7", "f32:2.5", "u64:81985529216486895"]
//! [[launch]]
//! kernel = "in_turn"
//! grid = 6
//! group = 1
//! args = ["u32:3"]

kernel void print(int i, float x, ulong wide)
{
    if (get_global_id(0) != 5)
        return;
    printf("plain text: no arguments\n");
    printf("%d %5d|%-5d|%05d|%+d|% d|%i\n", i, i, i, i, 9, 9, 1 << 20);
    printf("%u %x %X %#x %o %#o %08x\n", (uint)i, (uint)i, 48879u, 255u, 8u, 8u, 4660u);
    printf("%hhd %hd %ld %lu %lx\n", (char)-3, (short)-300, (long)i * 10000000000L, wide, wide);
    printf("%c%c%c %s %s:%5s|%-6s|\n", 'G', 'C', 'N', "some text", "", "abc", "de");
    printf("%f %.2f %10.3f|%-10.1f|%+.0f %e %.3e %g %g %g\n", x, x * 3, x, x, x, x, x * 1e10f, x, x * 1e-7f, x * 1e9f);
    printf("%v4hld %v2hld %v4hlx %v3hlf %.1v4hlf %5.2v2hlf\n", (int4)(1, -2, 3, i), (int2)(i, 7), (uint4)(10, 11, 12, 13),
           (float3)(x, 1.0f, -1.0f), (float4)(x, 0.5f, 0.25f, 8.0f), (float2)(x, 3.14159f));
    printf("100%% of %d\n", i);
    for (int k = 0; k < 3; k++)
        if (k != 1)
            printf("round %d\n", k);
}

kernel void in_turn(uint width)
{
    uint id = get_group_id(0);
    if (id % width == 0)
        printf("group %u of %u\n", id, (uint)get_num_groups(0));
}
