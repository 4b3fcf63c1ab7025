//! # 64-bit atomics, which cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics add, on global and local memory.
#include "check.h"

static const char* const SOURCE =
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
    "kernel void totals(global long* g, global ulong* u, global long* out) {\n"
    "    local long l[4];\n"
    "    long i = get_global_id(0), k = get_local_id(0), large = i << 33;\n"
    "    if (k < 4) l[k] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atom_add(g + 0, large + 1); atom_sub(g + 1, large); atom_inc(g + 2); atom_dec(g + 3);\n"
    "    atom_min(g + 4, 5 - large); atom_max(g + 5, large - 5);\n"
    "    atom_and(g + 6, ~(1L << (i % 60))); atom_or(g + 7, 1L << (i % 63)); atom_xor(g + 8, i * 0x123456789abL);\n"
    "    atom_max(u, 0x8000000000000000UL + i);\n"
    "    atom_add(l + 0, k << 32); atom_max(l + 1, k << 40); atom_xor(l + 2, k << 20); atom_dec(l + 3);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (k < 4) out[get_group_id(0) * 4 + k] = l[k];\n"
    "}\n"
    "kernel void returned(global long* next, global int* owner, global long* swapped) {\n"
    "    long i = get_global_id(0);\n"
    "    owner[(atom_add(next, 0x100000000L) >> 32) - 1] = i;\n"
    "    if (atom_cmpxchg(swapped, i << 33, -1L) == i << 33) atom_xchg(swapped + 1, i);\n"
    "}\n";

enum { ITEMS = 128, GROUP = 64 };

int main(void) {
    open_device();
    if (!has_extension("cl_khr_int64_base_atomics") || !has_extension("cl_khr_int64_extended_atomics")) {
        skip("64-bit atomics");
    }
    const cl_program program = build(SOURCE, "-cl-std=CL1.2");
    cl_long g[9] = {0, 0, 1L << 40, 0, 1000, -1000, -1, 0, 0}, got[9], out[ITEMS / GROUP][4];
    cl_ulong u = 7, got_u;
    cl_kernel kernel = kernel_of(program, "totals");
    const cl_mem mg = buffer_of(sizeof g, g), mu = buffer_of(sizeof u, &u), mo = buffer_of(sizeof out, NULL);
    SET(kernel, 0, mg);
    SET(kernel, 1, mu);
    SET(kernel, 2, mo);
    launch(kernel, ITEMS, GROUP);
    cl_long l[4] = {0};
    for (cl_long i = 0; i < ITEMS; i++) {
        const cl_long large = i << 33;
        g[0] += large + 1, g[1] -= large, g[2]++, g[3]--;
        g[4] = 5 - large < g[4] ? 5 - large : g[4];
        g[5] = large - 5 > g[5] ? large - 5 : g[5];
        g[6] &= ~(1L << (i % 60)), g[7] |= 1L << (i % 63), g[8] ^= i * 0x123456789abL;
        u = 0x8000000000000000UL + (cl_ulong)i;
    }
    for (cl_long k = 0; k < GROUP; k++) {
        l[0] += k << 32, l[1] = k << 40, l[2] ^= k << 20, l[3]--;
    }
    download(mg, sizeof got, got);
    download(mu, sizeof got_u, &got_u);
    download(mo, sizeof out, out);
    expect_same("global", got, g, 9, sizeof *g);
    EXPECT_EQUAL(got_u, u);
    for (int group = 0; group < ITEMS / GROUP; group++) {
        expect_same("local", out[group], l, 4, sizeof *l);
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mg));
    CHECK(clReleaseMemObject(mu));
    CHECK(clReleaseMemObject(mo));

    kernel = kernel_of(program, "returned");
    cl_long next = 1L << 32, swapped[2] = {77L << 33, 0};
    int owner[ITEMS];
    bool seen[ITEMS] = {false};
    const cl_mem counter = buffer_of(sizeof next, &next), owners = buffer_of(sizeof owner, NULL), cells = buffer_of(sizeof swapped, swapped);
    SET(kernel, 0, counter);
    SET(kernel, 1, owners);
    SET(kernel, 2, cells);
    launch(kernel, ITEMS, GROUP);
    download(owners, sizeof owner, owner);
    download(cells, sizeof swapped, swapped);
    for (int i = 0; i < ITEMS; i++) {
        REQUIRE(owner[i] >= 0 && owner[i] < ITEMS && !seen[owner[i]], "ticket %d belongs to %d", i, owner[i]);
        seen[owner[i]] = true;
    }
    EXPECT_EQUAL(swapped[0], -1);
    EXPECT_EQUAL(swapped[1], 77);
    CHECK(clReleaseMemObject(counter));
    CHECK(clReleaseMemObject(owners));
    CHECK(clReleaseMemObject(cells));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
