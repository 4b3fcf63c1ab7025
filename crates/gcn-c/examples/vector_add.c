/* Assembles a kernel, looks at its code object, runs it on an emulated gfx906 and checks the sums. */
#include "common.h"

static const char source[] =
    "    .text\n"
    "    .type vector_add,@function\n"
    "vector_add:\n"
    "    s_load_dwordx4 s[4:7], s[0:1], 0x0      // a, b\n"
    "    s_load_dwordx2 s[8:9], s[0:1], 0x10     // sum\n"
    "    s_load_dword s3, s[0:1], 0x18           // n\n"
    "    s_lshl_b32 s2, s2, 6                    // workgroups of 64\n"
    "    v_add_u32 v0, s2, v0\n"
    "    s_waitcnt lgkmcnt(0)\n"
    "    v_cmp_gt_u32 vcc, s3, v0\n"
    "    s_and_saveexec_b64 s[10:11], vcc\n"
    "    s_cbranch_execz end\n"
    "    v_lshlrev_b32 v0, 2, v0\n"
    "    global_load_dword v1, v0, s[4:5]\n"
    "    global_load_dword v2, v0, s[6:7]\n"
    "    s_waitcnt vmcnt(0)\n"
    "    v_add_f32 v1, v1, v2\n"
    "    global_store_dword v0, v1, s[8:9]\n"
    "end:\n"
    "    s_endpgm\n"
    "    .size vector_add, .-vector_add\n"
    "    .rodata\n"
    "    .p2align 6\n"
    "    .amdhsa_kernel vector_add\n"
    "      .amdhsa_kernarg_size 28\n"
    "      .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
    "      .amdhsa_next_free_vgpr 3\n"
    "      .amdhsa_next_free_sgpr 12\n"
    "    .end_amdhsa_kernel\n"
    "    .amdgpu_metadata\n"
    "---\n"
    "amdhsa.version: [1, 1]\n"
    "amdhsa.kernels:\n"
    "  - .name: vector_add\n"
    "    .symbol: vector_add.kd\n"
    "    .kernarg_segment_size: 28\n"
    "    .kernarg_segment_align: 8\n"
    "    .group_segment_fixed_size: 0\n"
    "    .private_segment_fixed_size: 0\n"
    "    .wavefront_size: 64\n"
    "    .sgpr_count: 14\n"
    "    .vgpr_count: 3\n"
    "    .max_flat_workgroup_size: 64\n"
    "    .args:\n"
    "      - {.name: a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n"
    "      - {.name: b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}\n"
    "      - {.name: sum, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global}\n"
    "      - {.name: n, .offset: 24, .size: 4, .value_kind: by_value, .type_name: uint}\n"
    "...\n"
    "    .end_amdgpu_metadata\n";

enum { COUNT = 1000 };

int main(void) {
    gcn_error *error = NULL;

    /* Text to a code object. */
    gcn_assembly *assembly = gcn_assemble("gfx906", "vector_add.s", source, NULL, &error);
    if (assembly == NULL)
        fail(error);
    size_t size = 0;
    const uint8_t *bytes = gcn_assembly_object(assembly, &size, &error);
    if (bytes == NULL)
        fail(error);

    /* What the code object says. */
    gcn_object *object = gcn_object_read(bytes, size, &error);
    gcn_kernel_info info;
    if (object == NULL || !gcn_object_kernel(object, 0, &info, &error))
        fail(error);
    printf("%s for %s: %u VGPRs, %zu arguments\n", info.name, gcn_object_target_id(object), info.vgprs,
           info.argument_count);
    for (size_t index = 0; index < info.argument_count; index++) {
        gcn_argument_info argument;
        if (!gcn_object_argument(object, 0, index, &argument, &error))
            fail(error);
        printf("  %s: %s, %d bytes\n", argument.name, argument.value_kind, (int)argument.size);
    }
    for (size_t index = 0; index < gcn_object_symbol_count(object); index++) {
        gcn_symbol symbol;
        if (!gcn_object_symbol(object, index, &symbol, &error))
            fail(error);
        if (symbol.kind == 2)
            printf("  symbol %s: %d bytes of code\n", symbol.name, (int)symbol.size);
    }

    /* The kernel and its buffers on a device. */
    gcn_device *device = gcn_device_new("gfx906", NULL, &error);
    if (device == NULL)
        fail(error);
    gcn_module *module = gcn_module_load(device, bytes, size, &error);
    if (module == NULL)
        fail(error);
    gcn_kernel *kernel = gcn_kernel_named(module, "vector_add", &error);
    if (kernel == NULL)
        fail(error);
    float a[COUNT], b[COUNT], sums[COUNT];
    for (int index = 0; index < COUNT; index++) {
        a[index] = (float)index;
        b[index] = 0.5f;
    }
    gcn_buffer *buffers[3];
    const char *names[3] = {"a", "b", "sum"};
    for (int index = 0; index < 3; index++) {
        buffers[index] = gcn_buffer_new(device, names[index], sizeof a, &error);
        if (buffers[index] == NULL)
            fail(error);
    }
    if (!gcn_buffer_write(buffers[0], 0, a, sizeof a, &error) || !gcn_buffer_write(buffers[1], 0, b, sizeof b, &error))
        fail(error);

    /* A launch: buffers by their handles, a number by its bytes. */
    const uint32_t grid[3] = {COUNT, 1, 1}, group[3] = {64, 1, 1}, n = COUNT;
    gcn_launch *launch = gcn_launch_new(kernel, grid, group, &error);
    if (launch == NULL)
        fail(error);
    for (int index = 0; index < 3; index++)
        if (!gcn_launch_buffer(launch, buffers[index], &error))
            fail(error);
    gcn_statistics work;
    if (!gcn_launch_value(launch, &n, sizeof n, &error) || !gcn_launch_run(launch, &work, &error))
        fail(error);
    if (!gcn_buffer_read(buffers[2], 0, sums, sizeof sums, &error))
        fail(error);

    int wrong = 0;
    for (int index = 0; index < COUNT; index++)
        wrong += sums[index] != (float)index + 0.5f;
    printf("%d waves, %d of %d sums are wrong\n", (int)work.waves, wrong, COUNT);

    gcn_launch_free(launch);
    for (int index = 0; index < 3; index++)
        gcn_buffer_free(buffers[index]);
    gcn_kernel_free(kernel);
    gcn_module_free(module);
    gcn_device_free(device);
    gcn_object_free(object);
    gcn_assembly_free(assembly);
    return wrong != 0;
}
