/* Decodes and prints the same words with libgcn and with LLVM's C API, in turns in one run: `cargo xtask bench capi`.
 * Arguments: a target, a file of assembly text. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "gcn.h"

enum { ROUNDS = 5, WORD = 4, LINE = 256 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    exit(EXIT_FAILURE);
}

static char *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fail(path);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    if (text == NULL || fread(text, 1, size, file) != size)
        fail(path);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* What a disassembly has come to: to be the same for both, but for blanks. */
typedef struct {
    size_t instructions;
    size_t characters;
} work;

static void count(work *done, const char *text) {
    done->instructions += 1;
    for (; *text != '\0'; text++)
        done->characters += *text != ' ' && *text != '\t';
}

static work by_gcn(gcn_target target, const uint32_t *words, size_t size, int counts) {
    work done = {0, 0};
    char text[LINE];
    gcn_instruction instruction;
    for (size_t at = 0; at < size; at += instruction.word_count) {
        if (!gcn_decode(target, words + at, size - at, &instruction, NULL)
            || gcn_instruction_print(&instruction, GCN_SYNTAX_LLVM, NULL, text, sizeof text, NULL) == 0)
            fail("libgcn does not decode a word");
        if (counts)
            count(&done, text);
        else
            done.instructions += 1;
    }
    return done;
}

static work by_llvm(LLVMDisasmContextRef context, uint32_t *words, size_t size, int counts) {
    work done = {0, 0};
    char text[LINE];
    uint8_t *bytes = (uint8_t *)words;
    for (size_t at = 0; at < size * WORD;) {
        size_t length = LLVMDisasmInstruction(context, bytes + at, size * WORD - at, at, text, sizeof text);
        if (length == 0)
            fail("LLVM does not decode a word");
        at += length;
        if (counts)
            count(&done, text);
        else
            done.instructions += 1;
    }
    return done;
}

/* Keeps the instructions that LLVM's disassembler knows: it rejects some that LLVM's assembler makes. Their number of words. */
static size_t keep_known(LLVMDisasmContextRef context, gcn_target target, uint32_t *words, size_t size) {
    char text[LINE];
    size_t kept = 0, left_out = 0;
    gcn_instruction instruction;
    for (size_t at = 0; at < size; at += instruction.word_count) {
        if (!gcn_decode(target, words + at, size - at, &instruction, NULL))
            fail("libgcn does not decode a word");
        size_t length = instruction.word_count * WORD;
        if (LLVMDisasmInstruction(context, (uint8_t *)(words + at), length, 0, text, sizeof text) == length) {
            memmove(words + kept, words + at, length);
            kept += instruction.word_count;
        } else {
            left_out += 1;
        }
    }
    printf("%zu instructions are left out: LLVM does not decode them\n", left_out);
    return kept;
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments != 3)
        fail("usage: disassembly TARGET FILE");
    const char *name = arguments[1];
    char *source = contents(arguments[2]);
    gcn_error *error = NULL;
    gcn_assembly *assembly = gcn_assemble(name, arguments[2], source, NULL, &error);
    size_t bytes = 0;
    const uint8_t *code = assembly != NULL ? gcn_assembly_words(assembly, &bytes, &error) : NULL;
    if (code == NULL)
        fail(gcn_error_message(error));
    uint32_t *words = malloc(bytes);
    if (words == NULL)
        fail("no memory");
    memcpy(words, code, bytes);
    size_t size = bytes / WORD;
    gcn_target target = gcn_assembly_target(assembly);
    gcn_assembly_free(assembly);

    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    LLVMDisasmContextRef context = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", name, NULL, 0, NULL, NULL);
    if (context == NULL)
        fail("LLVM has no disassembler for the target");

    size = keep_known(context, target, words, size);

    /* Both build tables on first use, and both are to print the same. */
    work ours = by_gcn(target, words, size, 1), theirs = by_llvm(context, words, size, 1);
    printf("libgcn %zu instructions, %zu characters; LLVM %zu and %zu\n", ours.instructions, ours.characters,
           theirs.instructions, theirs.characters);
    if (ours.instructions != theirs.instructions)
        fail("they do not see the same instructions");
    double best_ours = 1e9, best_theirs = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        by_gcn(target, words, size, 0);
        double middle = now();
        by_llvm(context, words, size, 0);
        double end = now();
        if (middle - begin < best_ours)
            best_ours = middle - begin;
        if (end - middle < best_theirs)
            best_theirs = end - middle;
    }
    double millions = (double)ours.instructions / 1e6;
    printf("libgcn: %.2f million instructions a second\n", millions / best_ours);
    printf("LLVM: %.2f million instructions a second\n", millions / best_theirs);
    printf("ratio: %.1f\n", best_theirs / best_ours);
    LLVMDisasmDispose(context);
    free(words);
    free(source);
    return 0;
}
