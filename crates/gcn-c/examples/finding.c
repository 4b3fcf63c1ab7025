/* Runs a kernel that lacks a wait under checkers, and shows what they find. */
#include "common.h"

static const char source[] =
    "    .text\n"
    "    .type copy,@function\n"
    "copy:\n"
    "    s_load_dwordx4 s[4:7], s[0:1], 0x0\n"
    "    v_lshlrev_b32 v0, 2, v0\n"
    "    s_waitcnt lgkmcnt(0)\n"
    "    global_load_dword v1, v0, s[4:5]\n"
    "    global_store_dword v0, v1, s[6:7]\n" /* s_waitcnt vmcnt(0) is missing before it */
    "    s_endpgm\n"
    "    .size copy, .-copy\n"
    "    .rodata\n"
    "    .p2align 6\n"
    "    .amdhsa_kernel copy\n"
    "      .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
    "      .amdhsa_next_free_vgpr 2\n"
    "      .amdhsa_next_free_sgpr 8\n"
    "    .end_amdhsa_kernel\n";

int main(void) {
    gcn_error *error = NULL;
    gcn_device *device = gcn_device_new("gfx906", NULL, &error);
    if (device == NULL)
        fail(error);
    /* Before any buffer is written, so that the checkers know what the host has stored. */
    gcn_checker *checker = gcn_checker_new(device, NULL, &error);
    if (checker == NULL)
        fail(error);
    gcn_module *module = gcn_module_assemble(device, "copy.s", source, &error);
    if (module == NULL)
        fail(error);
    gcn_kernel *kernel = gcn_kernel_named(module, "copy", &error);
    if (kernel == NULL)
        fail(error);

    const uint32_t grid[3] = {64, 1, 1};
    const uint32_t values[64] = {1, 2, 3};
    gcn_buffer *from = gcn_buffer_new(device, "from", sizeof values, &error);
    if (from == NULL || !gcn_buffer_write(from, 0, values, sizeof values, &error))
        fail(error);
    gcn_buffer *to = gcn_buffer_new(device, "to", sizeof values, &error);
    if (to == NULL)
        fail(error);
    gcn_launch *launch = gcn_launch_new(kernel, grid, NULL, &error);
    if (launch == NULL)
        fail(error);
    if (!gcn_launch_buffer(launch, from, &error) || !gcn_launch_buffer(launch, to, &error)
        || !gcn_launch_check(launch, checker, &error) || !gcn_launch_run(launch, NULL, &error))
        fail(error);

    for (size_t index = 0; index < gcn_launch_finding_count(launch); index++) {
        gcn_finding *finding = gcn_launch_finding(launch, index, &error);
        if (finding == NULL)
            fail(error);
        printf("%s:%u: %s[%s]: %s\n", gcn_finding_file(finding), gcn_finding_line(finding),
               gcn_finding_severity(finding) == GCN_SEVERITY_ERROR ? "error" : "warning", gcn_finding_name(finding),
               gcn_finding_message(finding));
        printf("  %s\n", gcn_finding_instruction(finding));
        /* The whole report, as `gcn check` has it. */
        fprintf(stderr, "%s\n", gcn_finding_report(finding));
        gcn_finding_free(finding);
    }

    gcn_launch_free(launch);
    gcn_buffer_free(from);
    gcn_buffer_free(to);
    gcn_kernel_free(kernel);
    gcn_module_free(module);
    gcn_checker_free(checker);
    gcn_device_free(device);
    return 0;
}
