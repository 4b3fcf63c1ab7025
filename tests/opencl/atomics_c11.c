//! # Atomics as C11 has them, with orders and scopes: totals, flags that hand data on between groups, fences and locks.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const char* const SOURCE =
    "kernel void totals(global atomic_int* g, global atomic_uint* u, global atomic_float* f, global int* out) {\n"
    "    local atomic_int l;\n"
    "    int i = get_global_id(0), k = get_local_id(0);\n"
    "    if (k == 0) atomic_init(&l, 100);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_fetch_add_explicit(g + 0, i, memory_order_relaxed, memory_scope_device);\n"
    "    atomic_fetch_sub_explicit(g + 1, i, memory_order_acq_rel, memory_scope_device);\n"
    "    atomic_fetch_min_explicit(g + 2, -i, memory_order_relaxed, memory_scope_device);\n"
    "    atomic_fetch_max_explicit(g + 3, i, memory_order_release, memory_scope_device);\n"
    "    atomic_fetch_or_explicit(u + 0, 1u << (i % 32), memory_order_acquire, memory_scope_device);\n"
    "    atomic_fetch_and_explicit(u + 1, ~(1u << (i % 20)), memory_order_relaxed, memory_scope_device);\n"
    "    atomic_fetch_xor_explicit(u + 2, i * 5u, memory_order_relaxed, memory_scope_device);\n"
    "    atomic_fetch_add_explicit(&l, k, memory_order_relaxed, memory_scope_work_group);\n"
    "    if (i == 5) atomic_store_explicit(f, 1.5f, memory_order_relaxed, memory_scope_device);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (k == 0) out[get_group_id(0)] = atomic_load_explicit(&l, memory_order_relaxed, memory_scope_work_group);\n"
    "}\n"
    "kernel void lock(global atomic_int* gate, global int* shared, int turns) {\n"
    "    if (get_local_id(0) != 0) return;\n"
    "    for (int t = 0; t < turns; t++) {\n"
    "        int expected = 0;\n"
    "        while (!atomic_compare_exchange_weak_explicit(gate, &expected, 1, memory_order_acquire,\n"
    "                                                      memory_order_relaxed, memory_scope_device)) expected = 0;\n"
    "        shared[0] += 1; shared[1] = shared[0] * 2;\n"
    "        atomic_store_explicit(gate, 0, memory_order_release, memory_scope_device);\n"
    "    }\n"
    "}\n"
    "kernel void last_group(global const int* from, global int* part, global atomic_uint* done, global int* to) {\n"
    "    local uint before;\n"
    "    uint group = get_group_id(0), size = get_local_size(0);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        int sum = 0;\n"
    "        for (uint i = 0; i < size; i++) sum += from[group * size + i];\n"
    "        part[group] = sum;\n"
    "        before = atomic_fetch_add_explicit(done, 1u, memory_order_acq_rel, memory_scope_device);\n"
    "        if (before == get_num_groups(0) - 1) {\n"
    "            sum = 0;\n"
    "            for (uint i = 0; i < get_num_groups(0); i++) sum += part[i];\n"
    "            to[0] = sum;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "kernel void fences(global int* to, local int* data) {\n"
    "    local atomic_int flag;\n"
    "    int k = get_local_id(0);\n"
    "    if (k == 0) atomic_init(&flag, 0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[k] = k + 7;\n"
    "    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);\n"
    "    int before = atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);\n"
    "    if (before == (int)get_local_size(0) - 1) {\n"
    "        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);\n"
    "        int sum = 0;\n"
    "        for (int i = 0; i < (int)get_local_size(0); i++) sum += data[i];\n"
    "        to[get_group_id(0)] = sum;\n"
    "    }\n"
    "}\n"
    "kernel void ordered(global atomic_int* a, global atomic_flag* flag, global int* to) {\n"
    "    int old = atomic_fetch_add(a, 3);\n"
    "    to[get_global_id(0)] = old;\n"
    "    if (!atomic_flag_test_and_set(flag)) atomic_store(a + 1, 1 + (int)get_global_id(0));\n"
    "    int expected = 0;\n"
    "    if (atomic_compare_exchange_strong(a + 2, &expected, 9)) atomic_fetch_add(a + 3, 1);\n"
    "    else if (expected == 9) atomic_fetch_add(a + 4, 1);\n"
    "}\n";

enum { ITEMS = 256, GROUP = 64, GROUPS = ITEMS / GROUP };

static void check_totals(cl_program program) {
    int g[4] = {0}, got[4], out[GROUPS];
    cl_uint u[3] = {0, ~0u, 0}, got_u[3];
    float f = 0;
    const cl_kernel kernel = kernel_of(program, "totals");
    const cl_mem mg = buffer_of(sizeof g, g), mu = buffer_of(sizeof u, u), mf = buffer_of(sizeof f, &f), mo = buffer_of(sizeof out, NULL);
    SET(kernel, 0, mg);
    SET(kernel, 1, mu);
    SET(kernel, 2, mf);
    SET(kernel, 3, mo);
    launch(kernel, ITEMS, GROUP);
    for (int i = 0; i < ITEMS; i++) {
        g[0] += i, g[1] -= i, g[2] = -i, g[3] = i;
        u[0] |= 1u << (i % 32), u[1] &= ~(1u << (i % 20)), u[2] ^= (cl_uint)i * 5;
    }
    download(mg, sizeof got, got);
    download(mu, sizeof got_u, got_u);
    download(mf, sizeof f, &f);
    download(mo, sizeof out, out);
    expect_same("signed", got, g, 4, sizeof(int));
    expect_same("unsigned", got_u, u, 3, sizeof(int));
    REQUIRE(f == 1.5f, "stored float %g", f);
    for (int i = 0; i < GROUPS; i++) {
        EXPECT_EQUAL(out[i], 100 + GROUP * (GROUP - 1) / 2);
    }
    CHECK(clReleaseMemObject(mg));
    CHECK(clReleaseMemObject(mu));
    CHECK(clReleaseMemObject(mf));
    CHECK(clReleaseMemObject(mo));
    CHECK(clReleaseKernel(kernel));
}

static void check_lock(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "lock");
    const int zeros[2] = {0}, turns = 20;
    int got[2];
    const cl_mem gate = buffer_of(4, zeros), shared = buffer_of(8, zeros);
    SET(kernel, 0, gate);
    SET(kernel, 1, shared);
    SET(kernel, 2, turns);
    launch(kernel, ITEMS, GROUP);
    download(shared, sizeof got, got);
    EXPECT_EQUAL(got[0], turns * GROUPS);
    EXPECT_EQUAL(got[1], 2 * turns * GROUPS);
    CHECK(clReleaseMemObject(gate));
    CHECK(clReleaseMemObject(shared));
    CHECK(clReleaseKernel(kernel));
}

// The group that comes last sees what all others have written.
static void check_last_group(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "last_group");
    int values[1024], sum = 0, got = 0;
    const int zero = 0;
    for (int i = 0; i < 1024; i++) {
        values[i] = i * 3 - 100;
        sum += values[i];
    }
    const cl_mem from = buffer_of(sizeof values, values), part = buffer_of(4 * 32, NULL), done = buffer_of(4, &zero), to = buffer_of(4, &zero);
    SET(kernel, 0, from);
    SET(kernel, 1, part);
    SET(kernel, 2, done);
    SET(kernel, 3, to);
    launch(kernel, 1024, 32);
    download(to, sizeof got, &got);
    EXPECT_EQUAL(got, sum);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(done));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

static void check_fences(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "fences");
    int got[2];
    const cl_mem to = buffer_of(sizeof got, NULL);
    SET(kernel, 0, to);
    CHECK(clSetKernelArg(kernel, 1, 128 * sizeof(int), NULL));
    launch(kernel, 256, 128);
    download(to, sizeof got, got);
    EXPECT_EQUAL(got[0], 128 * 127 / 2 + 7 * 128);
    EXPECT_EQUAL(got[1], 128 * 127 / 2 + 7 * 128);
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
}

// Operations without an order are sequentially consistent; those of all work-items have one order.
static void check_ordered(cl_program program) {
    const cl_kernel kernel = kernel_of(program, "ordered");
    int zeros[8] = {0}, a[5], to[ITEMS], flag = 0;
    bool seen[ITEMS] = {false};
    const cl_mem cells = buffer_of(sizeof zeros, zeros), gate = buffer_of(4, &flag), results = buffer_of(sizeof to, NULL);
    SET(kernel, 0, cells);
    SET(kernel, 1, gate);
    SET(kernel, 2, results);
    launch(kernel, ITEMS, GROUP);
    download(cells, sizeof a, a);
    download(results, sizeof to, to);
    for (int i = 0; i < ITEMS; i++) {
        const int turn = to[i] / 3;
        REQUIRE(to[i] % 3 == 0 && turn >= 0 && turn < ITEMS && !seen[turn], "value %d at work-item %d", to[i], i);
        seen[turn] = true;
    }
    EXPECT_EQUAL(a[0], 3 * ITEMS);
    REQUIRE(a[1] >= 1 && a[1] <= ITEMS, "the flag was set by %d", a[1]);
    EXPECT_EQUAL(a[2], 9);
    EXPECT_EQUAL(a[3], 1);
    EXPECT_EQUAL(a[4], ITEMS - 1);
    CHECK(clReleaseMemObject(cells));
    CHECK(clReleaseMemObject(gate));
    CHECK(clReleaseMemObject(results));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    const cl_ulong needed = CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    if ((device_ulong(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & needed) != needed) {
        skip("ordered atomics of the device's scope");
    }
    const char* const standards[] = {"-cl-std=CL2.0", "-cl-std=CL3.0"};
    for (size_t i = 0; i < COUNT(standards); i++) {
        const cl_program program = build(SOURCE, standards[i]);
        check_totals(program);
        check_lock(program);
        check_last_group(program);
        check_fences(program);
        check_ordered(program);
        CHECK(clReleaseProgram(program));
    }
    close_device();
    return passed();
}
