/* Decodes words in a loop, prints each instruction and counts the registers that it writes. */
#include <inttypes.h>

#include "common.h"

static const uint32_t code[] = {
    0xc00a0100, 0x00000000, /* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
    0xdc508000, 0x01040000, /* global_load_dword v1, v0, s[4:5] */
    0xffffffff,             /* data */
    0xbf85fffb,             /* s_cbranch_scc1 -5 */
    0xbf810000,             /* s_endpgm */
};

int main(void) {
    gcn_error *error = NULL;
    gcn_target target = gcn_target_named("gfx906", &error);
    if (target == 0)
        fail(error);

    size_t count = sizeof code / sizeof *code;
    for (size_t at = 0; at < count;) {
        gcn_instruction instruction;
        if (!gcn_decode(target, code + at, count - at, &instruction, NULL)) {
            printf("%2zu: .long 0x%08" PRIx32 "\n", at, code[at]);
            at += 1;
            continue;
        }
        char text[128];
        gcn_instruction_print(&instruction, GCN_SYNTAX_LLVM, NULL, text, sizeof text, NULL);

        gcn_register_use uses[24];
        size_t used = 0, written = 0;
        if (!gcn_instruction_registers(&instruction, uses, 24, &used, &error))
            fail(error);
        for (size_t index = 0; index < used; index++)
            if (uses[index].written != 0 && uses[index].register_class != GCN_REGISTER_CLASS_STATE)
                written += uses[index].count;

        printf("%2zu: %-40s writes %zu", at, text, written);
        at += instruction.word_count;
        if (instruction.is_branch)
            printf(", goes to %" PRId64, (int64_t)at + instruction.branch_offset);
        printf("\n");
    }

    /* A loop that wants to know why asks for the error. */
    gcn_instruction unused;
    if (!gcn_decode(target, code, 1, &unused, &error)) {
        printf("error[%s]: %s\n", gcn_error_name(error), gcn_error_message(error));
        gcn_error_free(error);
    }
    return 0;
}
