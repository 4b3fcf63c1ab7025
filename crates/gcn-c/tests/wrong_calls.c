/* Null pointers, handles that were freed or are of another type, and values that stand for nothing: each is an error with a name. */
#include <stdio.h>
#include <string.h>

#include "gcn.h"

static int failures;

static void expect(int line, int failed, gcn_error *error, const char *name) {
    const char *found = error != NULL ? gcn_error_name(error) : "no error";
    if (!failed || strcmp(found, name) != 0) {
        printf("line %d: %s, expected %s (%s)\n", line, found, name, error ? gcn_error_message(error) : "");
        failures += 1;
    }
    gcn_error_free(error);
}

#define EXPECT(NAME, CALL)                         \
    do {                                           \
        gcn_error *error = NULL;                   \
        int failed = !(CALL);                      \
        expect(__LINE__, failed, error, NAME);     \
    } while (0)

static void check(int line, int holds) {
    if (!holds) {
        printf("line %d is wrong\n", line);
        failures += 1;
    }
}

#define CHECK(CONDITION) check(__LINE__, CONDITION)

int main(void) {
    const uint32_t grid[3] = {64, 1, 1}, words[2] = {0xbf810000, 0};
    const uint32_t pair[1] = {0xdc508000}, data[1] = {0xffffffff};
    const char *kernel_text = "    .text\n    .type k,@function\nk:\n    s_endpgm\n    .rodata\n    .p2align 6\n"
                              "    .amdhsa_kernel k\n      .amdhsa_next_free_vgpr 1\n      .amdhsa_next_free_sgpr 1\n"
                              "    .end_amdhsa_kernel\n";
    gcn_instruction instruction;
    gcn_diagnostic diagnostic;
    gcn_kernel_info info;
    gcn_symbol symbol;
    gcn_register_use use;
    size_t size = 0;
    char text[8], byte = 0;

    /* Targets and instructions. */
    EXPECT("null-pointer", gcn_target_named(NULL, &error));
    EXPECT("unsupported-target", gcn_target_named("gfx1030", &error));
    EXPECT("invalid-text", gcn_target_named("gfx\xff", &error));
    CHECK(gcn_target_name(0) == NULL && gcn_target_at(1000) == 0);
    CHECK(gcn_target_named("gfx1030", NULL) == 0);
    CHECK(strcmp(gcn_target_name(gcn_target_at(0)), "gfx600") == 0 && gcn_target_count() > 10);
    gcn_target target = gcn_target_named("vega20", NULL);
    CHECK(strcmp(gcn_target_name(target), "gfx906") == 0);
    EXPECT("null-pointer", gcn_decode(target, NULL, 1, &instruction, &error));
    EXPECT("null-pointer", gcn_decode(target, words, 1, NULL, &error));
    EXPECT("invalid-array", gcn_decode(target, (const uint32_t *)(const void *)((const char *)words + 1), 1, &instruction, &error));
    EXPECT("invalid-array", gcn_decode(target, words, (size_t)-1, &instruction, &error));
    EXPECT("invalid-choice", gcn_decode(7, words, 1, &instruction, &error));
    EXPECT("truncated-instruction", gcn_decode(target, words, 0, &instruction, &error));
    EXPECT("truncated-instruction", gcn_decode(target, pair, 1, &instruction, &error));
    EXPECT("unknown-instruction", gcn_decode(target, data, 1, &instruction, &error));
    CHECK(gcn_decode(target, words, 1, &instruction, NULL));
    EXPECT("null-pointer", gcn_instruction_print(NULL, GCN_SYNTAX_LLVM, NULL, text, sizeof text, &error));
    EXPECT("null-pointer", gcn_instruction_print(&instruction, GCN_SYNTAX_LLVM, NULL, NULL, 8, &error));
    EXPECT("invalid-choice", gcn_instruction_print(&instruction, 9, NULL, text, sizeof text, &error));
    CHECK(gcn_instruction_print(&instruction, GCN_SYNTAX_CLRX, NULL, NULL, 0, NULL) == strlen("s_endpgm"));
    CHECK(gcn_instruction_print(&instruction, GCN_SYNTAX_LLVM, NULL, text, sizeof text, NULL) == strlen("s_endpgm"));
    CHECK(strcmp(text, "s_endpg") == 0); /* as much as there is room for */
    CHECK(strcmp(gcn_instruction_mnemonic(&instruction, NULL), "s_endpgm") == 0);
    EXPECT("null-pointer", gcn_instruction_mnemonic(NULL, &error) != NULL);
    EXPECT("null-pointer", gcn_instruction_registers(&instruction, &use, 1, NULL, &error));
    memset(&instruction, 0xff, sizeof instruction);
    EXPECT("invalid-choice", gcn_instruction_print(&instruction, GCN_SYNTAX_LLVM, NULL, text, sizeof text, &error));

    /* Assemblies and code objects. */
    EXPECT("null-pointer", gcn_assemble("gfx906", "k.s", NULL, NULL, &error) != NULL);
    EXPECT("unsupported-target", gcn_assemble("gfx9060", "k.s", "", NULL, &error) != NULL);
    EXPECT("invalid-choice", gcn_assemble("gfx906:tls+", "k.s", "", NULL, &error) != NULL);
    gcn_assembly_options options = {5, 0, NULL};
    EXPECT("invalid-choice", gcn_assemble("gfx906", "k.s", "", &options, &error) != NULL);
    gcn_assembly *wrong = gcn_assemble("gfx906", "k.s", "s_nop 0\n  s_endpgn\n", NULL, NULL);
    CHECK(gcn_assembly_diagnostic_count(wrong) == 1 && gcn_assembly_diagnostic(wrong, 0, &diagnostic, NULL));
    CHECK(diagnostic.severity == GCN_SEVERITY_ERROR && diagnostic.line == 2 && diagnostic.column == 3);
    CHECK(strcmp(diagnostic.name, "unknown-opcode") == 0 && strcmp(diagnostic.file, "k.s") == 0);
    EXPECT("index-range", gcn_assembly_diagnostic(wrong, 1, &diagnostic, &error));
    EXPECT("unknown-opcode", gcn_assembly_words(wrong, &size, &error) != NULL);
    EXPECT("unknown-opcode", gcn_assembly_object(wrong, &size, &error) != NULL);
    options.dialect = GCN_DIALECT_LLVM;
    options.code_object_version = 7;
    gcn_assembly *later = gcn_assemble("gfx906", "k.s", kernel_text, &options, NULL);
    EXPECT("invalid-choice", gcn_assembly_object(later, &size, &error) != NULL);
    gcn_assembly *assembly = gcn_assemble("gfx906:xnack-", "k.s", kernel_text, NULL, NULL);
    CHECK(gcn_assembly_words(assembly, &size, NULL) != NULL && size == 4 && gcn_assembly_target(assembly) == target);
    EXPECT("null-pointer", gcn_assembly_object(assembly, NULL, &error) != NULL);
    const uint8_t *bytes = gcn_assembly_object(assembly, &size, NULL);
    EXPECT("not-a-code-object", gcn_object_read((const uint8_t *)kernel_text, 20, &error) != NULL);
    EXPECT("not-a-code-object", gcn_object_read(NULL, 0, &error) != NULL);
    EXPECT("null-pointer", gcn_object_read(NULL, 1, &error) != NULL);
    gcn_object *object = gcn_object_read(bytes, size, NULL);
    CHECK(gcn_object_kernel_count(object) == 1 && gcn_object_target(object) == target && gcn_object_version(object) >= 4);
    EXPECT("index-range", gcn_object_kernel(object, 1, &info, &error));
    EXPECT("index-range", gcn_object_symbol(object, 1000, &symbol, &error));
    EXPECT("null-pointer", gcn_object_kernel(object, 0, NULL, &error));
    EXPECT("null-pointer", gcn_object_kernel(NULL, 0, &info, &error));

    /* Handles of another type, those that were freed, and pointers that are none. */
    EXPECT("invalid-handle", gcn_object_kernel((gcn_object *)assembly, 0, &info, &error));
    gcn_object_free((gcn_object *)assembly); /* frees nothing */
    CHECK(gcn_assembly_target(assembly) == target);
    gcn_assembly_free(assembly);
    gcn_assembly_free(assembly);
    EXPECT("invalid-handle", gcn_assembly_words(assembly, &size, &error) != NULL);
    CHECK(gcn_assembly_diagnostic_count(assembly) == 0 && gcn_assembly_target(assembly) == 0);
    EXPECT("invalid-handle", gcn_object_kernel((gcn_object *)&size, 0, &info, &error));
    CHECK(gcn_error_name(NULL) == NULL && gcn_error_message((gcn_error *)object) == NULL && gcn_error_line(NULL) == 0);

    /* Devices, buffers and launches. */
    gcn_device_options small = {1 << 20, 0, 1};
    EXPECT("unsupported-target", gcn_device_new("gfx90a", NULL, &error) != NULL);
    gcn_device *device = gcn_device_new("gfx906", &small, NULL);
    CHECK(gcn_device_target(device) == target);
    EXPECT("out-of-memory", gcn_buffer_new(device, "large", 2 << 20, &error) != NULL);
    EXPECT("null-pointer", gcn_buffer_new(device, NULL, 4, &error) != NULL);
    EXPECT("null-pointer", gcn_buffer_new(NULL, "x", 4, &error) != NULL);
    gcn_buffer *buffer = gcn_buffer_new(device, "x", 4, NULL);
    CHECK(gcn_buffer_size(buffer) == 4 && gcn_buffer_address(buffer) != 0 && strcmp(gcn_buffer_name(buffer), "x") == 0);
    EXPECT("buffer-range", gcn_buffer_read(buffer, 4, &byte, 1, &error));
    EXPECT("buffer-range", gcn_buffer_read(buffer, UINT64_MAX, &byte, 1, &error));
    EXPECT("buffer-range", gcn_buffer_read(buffer, 0, &byte, (size_t)-1 / 2, &error));
    EXPECT("buffer-range", gcn_buffer_write(buffer, 4, &byte, 1, &error));
    EXPECT("null-pointer", gcn_buffer_write(buffer, 0, NULL, 1, &error));
    EXPECT("null-pointer", gcn_buffer_read(buffer, 0, NULL, 1, &error));
    EXPECT("not-a-code-object", gcn_module_load(device, (const uint8_t *)kernel_text, 20, &error) != NULL);
    EXPECT("unknown-opcode", gcn_module_assemble(device, "k.s", "s_endpgn\n", &error) != NULL);
    gcn_module *module = gcn_module_assemble(device, "k.s", kernel_text, NULL);
    EXPECT("unknown-kernel", gcn_kernel_named(module, "l", &error) != NULL);
    gcn_kernel *kernel = gcn_kernel_named(module, "k", NULL);
    CHECK(gcn_kernel_describe(kernel, &info, NULL) && strcmp(info.name, "k") == 0);
    EXPECT("null-pointer", gcn_launch_new(kernel, NULL, NULL, &error) != NULL);
    EXPECT("invalid-handle", gcn_launch_new((gcn_kernel *)module, grid, NULL, &error) != NULL);
    gcn_launch *launch = gcn_launch_new(kernel, grid, NULL, NULL);
    CHECK(gcn_launch_printed(launch) == NULL);
    EXPECT("null-pointer", gcn_launch_buffer(launch, NULL, &error));
    EXPECT("null-pointer", gcn_launch_value(launch, NULL, 4, &error));
    EXPECT("null-pointer", gcn_launch_local(NULL, 4, &error));
    EXPECT("null-pointer", gcn_launch_check(launch, NULL, &error));
    EXPECT("index-range", gcn_launch_finding(launch, 0, &error) != NULL);
    EXPECT("invalid-choice", gcn_checker_new(device, "everything", &error) != NULL);
    gcn_checker *checker = gcn_checker_new(device, "waits,races", NULL);
    CHECK(gcn_launch_check(launch, checker, NULL) && gcn_checker_finding_count(checker) == 0);
    EXPECT("index-range", gcn_checker_finding(checker, 0, &error) != NULL);
    const uint32_t none[3] = {0, 1, 1}, much[3] = {2048, 1, 1};
    gcn_launch *empty = gcn_launch_new(kernel, none, NULL, NULL), *large = gcn_launch_new(kernel, much, much, NULL);
    EXPECT("grid-size", gcn_launch_run(empty, NULL, &error));
    EXPECT("workgroup-size", gcn_launch_run(large, NULL, &error));

    /* What a launch needs lives as long as it does. */
    gcn_kernel_free(kernel);
    gcn_module_free(module);
    gcn_checker_free(checker);
    gcn_device_free(device);
    CHECK(gcn_launch_run(launch, NULL, NULL) && gcn_launch_run(launch, NULL, NULL));
    CHECK(strcmp(gcn_launch_printed(launch), "") == 0 && gcn_launch_finding_count(launch) == 0);
    CHECK(gcn_finding_name(NULL) == NULL && gcn_finding_severity(NULL) == GCN_SEVERITY_NOTE);

    gcn_launch_free(launch);
    gcn_launch_free(empty);
    gcn_launch_free(large);
    gcn_buffer_free(buffer);
    gcn_object_free(object);
    gcn_assembly_free(wrong);
    gcn_assembly_free(later);
    CHECK(gcn_version() != NULL);
    return failures != 0;
}
