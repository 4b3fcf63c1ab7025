//! # 32-bit atomics of OpenCL C 1.2 on global and local memory, against the same operations in turn on the host.
//! targets = ["gfx803", "gfx900", "gfx906", "gfx600"]
#include "check.h"

static const char* const SOURCE =
    "kernel void totals(global int* g, global uint* u, global float* f, global int* out) {\n"
    "    local int l[8];\n"
    "    int i = get_global_id(0), k = get_local_id(0);\n"
    "    if (k < 8) l[k] = k == 3 ? 0x7fffffff : k == 5 ? -1 : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_add(g + 0, i); atomic_sub(g + 1, 2 * i); atomic_inc(g + 2); atomic_dec(g + 3);\n"
    "    atomic_min(g + 4, 100 - i); atomic_max(g + 5, i * 3 - 50);\n"
    "    atomic_and(g + 6, ~(1 << (i % 16))); atomic_or(g + 7, 1 << (i % 31)); atomic_xor(g + 8, i * 77);\n"
    "    atomic_min(u + 0, 0x80000000u + i); atomic_max(u + 1, 0x80000000u + i); atomic_add(u + 2, 0x7fffffffu);\n"
    "    atomic_add(l + 0, k); atomic_sub(l + 1, k); atomic_inc(l + 2); atomic_min(l + 3, 40 - k); atomic_max(l + 4, k * k);\n"
    "    atomic_and(l + 5, ~(1 << (k % 24))); atomic_or(l + 6, 1 << (k % 24)); atomic_xor(l + 7, k << 3);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (k < 8) out[get_group_id(0) * 8 + k] = l[k];\n"
    "    if (i == 7) atomic_xchg(f, 2.5f);\n"
    "}\n"
    "kernel void tickets(volatile global int* next, global int* owner, global int* exchange) {\n"
    "    int i = get_global_id(0);\n"
    "    owner[atomic_inc(next)] = i;\n"
    "    int old = atomic_xchg(exchange, i + 1);\n"
    "    exchange[1 + i] = old;\n"
    "}\n"
    "kernel void floats(volatile global uint* sum, global const float* values) {\n"
    "    uint seen, wanted;\n"
    "    do {\n"
    "        seen = *sum;\n"
    "        wanted = as_uint(as_float(seen) + values[get_global_id(0)]);\n"
    "    } while (atomic_cmpxchg(sum, seen, wanted) != seen);\n"
    "}\n";

enum { ITEMS = 256, GROUP = 64 };

static void check_totals(cl_program program) {
    int g[9] = {0, 0, 0, 0, 1000, -1000, -1, 0, 0}, got[9];
    cl_uint u[3] = {~0u, 0, 5}, got_u[3];
    int out[ITEMS / GROUP][8];
    float f = 0;
    const cl_kernel kernel = kernel_of(program, "totals");
    const cl_mem mg = buffer_of(sizeof g, g), mu = buffer_of(sizeof u, u), mf = buffer_of(sizeof f, &f), mo = buffer_of(sizeof out, NULL);
    SET(kernel, 0, mg);
    SET(kernel, 1, mu);
    SET(kernel, 2, mf);
    SET(kernel, 3, mo);
    launch(kernel, ITEMS, GROUP);
    int l[8] = {0, 0, 0, 0x7fffffff, 0, -1, 0, 0};
    for (int i = 0; i < ITEMS; i++) {
        g[0] += i, g[1] -= 2 * i, g[2]++, g[3]--;
        g[4] = 100 - i < g[4] ? 100 - i : g[4];
        g[5] = i * 3 - 50 > g[5] ? i * 3 - 50 : g[5];
        g[6] &= ~(1 << (i % 16)), g[7] |= 1 << (i % 31), g[8] ^= i * 77;
        const cl_uint high = 0x80000000u + (cl_uint)i;
        u[0] = high < u[0] ? high : u[0], u[1] = high > u[1] ? high : u[1], u[2] += 0x7fffffffu;
    }
    for (int k = 0; k < GROUP; k++) {
        l[0] += k, l[1] -= k, l[2]++;
        l[3] = 40 - k < l[3] ? 40 - k : l[3];
        l[4] = k * k > l[4] ? k * k : l[4];
        l[5] &= ~(1 << (k % 24)), l[6] |= 1 << (k % 24), l[7] ^= k << 3;
    }
    download(mg, sizeof got, got);
    download(mu, sizeof got_u, got_u);
    download(mf, sizeof f, &f);
    download(mo, sizeof out, out);
    expect_same("signed", got, g, 9, sizeof(int));
    expect_same("unsigned", got_u, u, 3, sizeof(int));
    REQUIRE(f == 2.5f, "exchanged float %g", f);
    for (int group = 0; group < ITEMS / GROUP; group++) {
        expect_same("local", out[group], l, 8, sizeof(int));
    }
    CHECK(clReleaseMemObject(mg));
    CHECK(clReleaseMemObject(mu));
    CHECK(clReleaseMemObject(mf));
    CHECK(clReleaseMemObject(mo));
    CHECK(clReleaseKernel(kernel));
}

// Values that atomics return: every ticket has one owner, and an exchange hands each value on once.
static void check_returned(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "tickets");
    int zero = 0, owner[ITEMS], exchange[ITEMS + 1];
    bool seen[ITEMS + 1] = {false};
    const cl_mem next = buffer_of(4, &zero), owners = buffer_of(sizeof owner, NULL), chain = buffer_of(sizeof exchange, NULL);
    CHECK(clEnqueueFillBuffer(queue, chain, &zero, 4, 0, sizeof exchange, 0, NULL, NULL));
    SET(kernel, 0, next);
    SET(kernel, 1, owners);
    SET(kernel, 2, chain);
    launch(kernel, ITEMS, GROUP);
    download(owners, sizeof owner, owner);
    download(chain, sizeof exchange, exchange);
    for (int i = 0; i < ITEMS; i++) {
        REQUIRE(owner[i] >= 0 && owner[i] < ITEMS && !seen[owner[i]], "ticket %d belongs to %d", i, owner[i]);
        seen[owner[i]] = true;
    }
    memset(seen, 0, sizeof seen);
    for (int i = 0; i <= ITEMS; i++) {
        REQUIRE(exchange[i] >= 0 && exchange[i] <= ITEMS && !seen[exchange[i]], "value %d twice", exchange[i]);
        seen[exchange[i]] = true;
    }
    CHECK(clReleaseMemObject(next));
    CHECK(clReleaseMemObject(owners));
    CHECK(clReleaseMemObject(chain));
    CHECK(clReleaseKernel(kernel));
}

// A sum of floats by compare and exchange: exact, for the values are small integers.
static void check_compare_exchange(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "floats");
    float values[ITEMS], sum = 0, got;
    for (int i = 0; i < ITEMS; i++) {
        values[i] = (float)(i % 19 - 3);
        sum += values[i];
    }
    const float zero = 0;
    const cl_mem total = buffer_of(4, &zero), from = buffer_of(sizeof values, values);
    SET(kernel, 0, total);
    SET(kernel, 1, from);
    launch(kernel, ITEMS, GROUP);
    download(total, sizeof got, &got);
    REQUIRE(got == sum, "sum: expected %g, got %g", sum, got);
    CHECK(clReleaseMemObject(total));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "-cl-std=CL1.2");
    check_totals(program);
    check_returned(program);
    check_compare_exchange(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
