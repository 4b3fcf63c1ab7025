/* libgcn: AMD GCN machine code decoded, printed, assembled, run on emulated devices and checked. */

#ifndef GCN_H
#define GCN_H

/*
 * Generated from the sources of gcn-c: change those, and run `GCN_BLESS=1 cargo test -p gcn-c --test header`.
 *
 * Errors: functions with a parameter `error` set `*error` to a new error on failure and to null on success. `error` may be
 * null. Free each error with gcn_error_free.
 *
 * Handles are opaque and may be used by several threads at once. A null pointer, or a handle that was freed or is of another
 * type, is an error; functions without `error` return null or 0 for it. Whoever makes a handle frees it, with the function of
 * its type; an object that others still need lives until they are freed. Texts are UTF-8 and end with a NUL; those that a
 * function returns belong to the object that it names.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Class of registers.
 */
typedef enum {
  /**
   * VGPRs by their numbers.
   */
  GCN_REGISTER_CLASS_VECTOR = 0,
  /**
   * Scalar registers by their numbers in operands, below 128: SGPRs, VCC (106), M0 (124), EXEC (126), ...
   */
  GCN_REGISTER_CLASS_SCALAR = 1,
  /**
   * The condition code SCC; no number.
   */
  GCN_REGISTER_CLASS_SCC = 2,
  /**
   * Other state of a wave, such as the program counter or MODE; no number.
   */
  GCN_REGISTER_CLASS_STATE = 3,
} gcn_register_class;

/**
 * Severity of a diagnostic or a finding.
 */
typedef enum {
  /**
   * Information.
   */
  GCN_SEVERITY_NOTE = 0,
  /**
   * Probably not what was meant.
   */
  GCN_SEVERITY_WARNING = 1,
  /**
   * Wrong.
   */
  GCN_SEVERITY_ERROR = 2,
} gcn_severity;

/**
 * Dialect of assembly text, where LLVM's and CLRX's languages differ.
 */
typedef enum {
  /**
   * LLVM's.
   */
  GCN_DIALECT_LLVM = 0,
  /**
   * CLRX's.
   */
  GCN_DIALECT_CLRX = 1,
} gcn_dialect;

/**
 * Spelling of instructions.
 */
typedef enum {
  /**
   * LLVM's.
   */
  GCN_SYNTAX_LLVM = 0,
  /**
   * CLRX's, as its documents specify it.
   */
  GCN_SYNTAX_CLRX = 1,
} gcn_syntax;

/**
 * Result of an assembly: diagnostics, and a program if there are no errors among them.
 */
typedef struct gcn_assembly gcn_assembly;

/**
 * Device memory with a name.
 */
typedef struct gcn_buffer gcn_buffer;

/**
 * Checkers that watch launches of a device: missing waits, races, accesses out of bounds, undefined values and others.
 */
typedef struct gcn_checker gcn_checker;

/**
 * Emulated GPU with memory of its own.
 */
typedef struct gcn_device gcn_device;

/**
 * Error of a function, with a stable name, a message and, where it is known, a place in a source.
 */
typedef struct gcn_error gcn_error;

/**
 * Something that is wrong with a kernel.
 */
typedef struct gcn_finding gcn_finding;

/**
 * Kernel of a module.
 */
typedef struct gcn_kernel gcn_kernel;

/**
 * Launch of a kernel: sizes, arguments and, once it has run, results.
 */
typedef struct gcn_launch gcn_launch;

/**
 * Code in a device's memory.
 */
typedef struct gcn_module gcn_module;

/**
 * Code object that has been read.
 */
typedef struct gcn_object gcn_object;

/**
 * Target: the number that code objects have for a processor (EF_AMDGPU_MACH), such as 0x2c for gfx900. No target is 0.
 */
typedef uint32_t gcn_target;

/**
 * Instruction, as `gcn_decode` fills it in. It has no pointers: copy and keep it as you like. The functions that take one decode
 * its words again.
 */
typedef struct {
  /**
   * Target that it was decoded for.
   */
  gcn_target target;
  /**
   * Length in words: 1 or 2.
   */
  uint32_t word_count;
  /**
   * Words; the second is 0 if the instruction has one.
   */
  uint32_t words[2];
  /**
   * Words from the next instruction to the target of a branch; 0 for other instructions.
   */
  int64_t branch_offset;
  /**
   * True if it is a branch with a target in its words.
   */
  bool is_branch;
} gcn_instruction;

/**
 * Use of registers by an instruction, implicit ones included.
 */
typedef struct {
  /**
   * Class.
   */
  gcn_register_class register_class;
  /**
   * Number of the first register.
   */
  uint32_t first;
  /**
   * Number of registers.
   */
  uint32_t count;
  /**
   * Bits of each dword that are read; 0 if none.
   */
  uint32_t read;
  /**
   * Bits of each dword that may be written; 0 if none.
   */
  uint32_t written;
} gcn_register_use;

/**
 * Options of an assembly. A structure of zero bytes has the defaults.
 */
typedef struct {
  /**
   * One of `gcn_dialect`.
   */
  uint32_t dialect;
  /**
   * Version of code objects, 2 to 6; 0 for that of the source, or the default.
   */
  uint32_t code_object_version;
  /**
   * Directory from which the source's name starts, for debug information with the line of each instruction; null for none.
   */
  const char *debug_directory;
} gcn_assembly_options;

/**
 * Diagnostic of an assembly. Texts belong to the assembly.
 */
typedef struct {
  /**
   * Severity.
   */
  gcn_severity severity;
  /**
   * Stable name, such as `unknown-opcode`, which `gcn explain` expands.
   */
  const char *name;
  /**
   * Message: a sentence without a full stop.
   */
  const char *message;
  /**
   * Lines that say how to mend it; may be empty.
   */
  const char *help;
  /**
   * File.
   */
  const char *file;
  /**
   * Line, from 1.
   */
  uint32_t line;
  /**
   * Column, in characters from 1.
   */
  uint32_t column;
} gcn_diagnostic;

/**
 * Kernel of a code object. Texts belong to the handle that it was read from.
 */
typedef struct {
  /**
   * Symbol, without `.kd`.
   */
  const char *name;
  /**
   * Address of the kernel descriptor in the object.
   */
  uint64_t descriptor_address;
  /**
   * Address of the first instruction in the object.
   */
  uint64_t entry_address;
  /**
   * Bytes of code from the entry on; 0 if the symbol does not say.
   */
  uint64_t code_size;
  /**
   * Bytes of the argument segment; 0 if the producer did not say.
   */
  uint64_t argument_bytes;
  /**
   * Bytes of LDS, without the dynamic part.
   */
  uint32_t lds_bytes;
  /**
   * Bytes of scratch of a lane.
   */
  uint32_t scratch_bytes;
  /**
   * VGPRs; 0 if the metadata do not say.
   */
  uint32_t vgprs;
  /**
   * SGPRs, VCC and the like included; 0 if the metadata do not say.
   */
  uint32_t sgprs;
  /**
   * Arguments in the metadata, hidden ones included; 0 if there are no metadata.
   */
  size_t argument_count;
} gcn_kernel_info;

/**
 * Argument of a kernel, as the metadata describe it. Texts belong to the handle that it was read from.
 */
typedef struct {
  /**
   * Name in the source, or null.
   */
  const char *name;
  /**
   * Type in the source, or null.
   */
  const char *type_name;
  /**
   * Kind of the value, as metadata name it: `by_value`, `global_buffer`, `hidden_none`, ...
   */
  const char *value_kind;
  /**
   * Address space of a pointer (`global`, `local`, `constant`, ...), or null.
   */
  const char *address_space;
  /**
   * Offset in the argument segment, in bytes.
   */
  uint64_t offset;
  /**
   * Size in bytes.
   */
  uint64_t size;
  /**
   * True if the runtime gives the argument, not the caller.
   */
  bool is_hidden;
  /**
   * True if the source declares it `const`.
   */
  bool is_const;
} gcn_argument_info;

/**
 * Symbol of a code object. Its name belongs to the object.
 */
typedef struct {
  /**
   * Name.
   */
  const char *name;
  /**
   * Address, or the number if it is absolute.
   */
  uint64_t value;
  /**
   * Size in bytes.
   */
  uint64_t size;
  /**
   * ELF's number of the kind: 1 data, 2 code, 10 a kernel of version 2.
   */
  uint32_t kind;
  /**
   * ELF's number of the binding: 0 local, 1 global, 2 weak.
   */
  uint32_t binding;
  /**
   * True if the object defines it.
   */
  bool is_defined;
} gcn_symbol;

/**
 * Section of a code object. Name and bytes belong to the object.
 */
typedef struct {
  /**
   * Name.
   */
  const char *name;
  /**
   * Bytes in the file; null if it has none.
   */
  const uint8_t *bytes;
  /**
   * Number of bytes in the file.
   */
  size_t byte_count;
  /**
   * Address; 0 if it is not loaded.
   */
  uint64_t address;
  /**
   * Size in memory.
   */
  uint64_t size;
  /**
   * True if it has code.
   */
  bool is_code;
} gcn_section;

/**
 * Options of a device. A structure of zero bytes has the defaults.
 */
typedef struct {
  /**
   * Bytes of memory that buffers, scratch and registers of workgroups may take in all; 0 for all of the host's.
   */
  uint64_t memory;
  /**
   * Instructions after which a wave is stopped with a fault; 0 for no limit.
   */
  uint64_t instruction_limit;
  /**
   * Host threads that a kernel runs on; 0 for all of the host's.
   */
  uint32_t threads;
} gcn_device_options;

/**
 * Work done by a launch.
 */
typedef struct {
  /**
   * Instructions executed, one for each wave that did.
   */
  uint64_t instructions;
  /**
   * Waves run.
   */
  uint64_t waves;
  /**
   * Workgroups run.
   */
  uint64_t workgroups;
} gcn_statistics;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the library's version, such as `0.1.0`. The text is static.
 */
const char *gcn_version(void);

/**
 * Returns the stable name of an error, such as `unknown-opcode`, which `gcn explain` expands. The text belongs to the error.
 * Null if `error` is no error.
 */
const char *gcn_error_name(const gcn_error *error);

/**
 * Returns the message of an error: a sentence without a full stop; that of a fault has several lines. The text belongs to the
 * error. Null if `error` is no error.
 */
const char *gcn_error_message(const gcn_error *error);

/**
 * Returns lines that say how to mend an error; may be empty. The text belongs to the error. Null if `error` is no error.
 */
const char *gcn_error_help(const gcn_error *error);

/**
 * Returns the source file that an error is in, or null where it is not known. The text belongs to the error.
 */
const char *gcn_error_file(const gcn_error *error);

/**
 * Returns the line that an error is in, from 1; 0 where it is not known.
 */
uint32_t gcn_error_line(const gcn_error *error);

/**
 * Returns the column that an error is in, in characters from 1; 0 where it is not known.
 */
uint32_t gcn_error_column(const gcn_error *error);

/**
 * Frees an error and its texts. Null and errors that have been freed are ignored.
 */
void gcn_error_free(gcn_error *error);

/**
 * Returns the target of a name such as `gfx906`, `vega20` or `gfx906:xnack-`; 0 and an error if there is none.
 *
 * `name` ends with a NUL.
 */
gcn_target gcn_target_named(const char *name, gcn_error **error);

/**
 * Returns LLVM's name of a target, such as `gfx906`; null if there is no such target. The text is static.
 */
const char *gcn_target_name(gcn_target target);

/**
 * Returns the number of targets; `gcn_target_at` has each.
 */
size_t gcn_target_count(void);

/**
 * Returns a target by its index below `gcn_target_count`, in order of age; 0 if there is none.
 */
gcn_target gcn_target_at(size_t index);

/**
 * Decodes the instruction that `count` words begin with into `*instruction`.
 *
 * `words` has `count` words, in the byte order of the host. On failure `*instruction` is unchanged: words that are no
 * instruction of the target give the error `unknown-instruction`, and a second word that is missing
 * `truncated-instruction`. Pass null for `error` in a loop over words that may be data, so that no error is made.
 */
bool gcn_decode(gcn_target target,
                const uint32_t *words,
                size_t count,
                gcn_instruction *instruction,
                gcn_error **error);

/**
 * Prints an instruction as `snprintf` does: writes as much of its text as `size` bytes have room for, and a NUL, and returns the
 * length of the whole text without the NUL. 0 and an error on failure.
 *
 * `syntax` is one of `gcn_syntax`. `label` names the target of a branch; if it is null, a branch shows its distance in words.
 * `buffer` has `size` bytes; it may be null if `size` is 0. 128 bytes have room for every instruction without a label.
 */
size_t gcn_instruction_print(const gcn_instruction *instruction,
                             uint32_t syntax,
                             const char *label,
                             char *buffer,
                             size_t size,
                             gcn_error **error);

/**
 * Returns the mnemonic of an instruction on its target, without the suffix of its encoding, such as `v_add_f32`; null and an error
 * on failure. The text is static.
 */
const char *gcn_instruction_mnemonic(const gcn_instruction *instruction,
                                     gcn_error **error);

/**
 * Lists the registers that an instruction reads and writes, implicit ones included: writes as many uses as `size` has room for,
 * and sets `*count` to the number of all. No instruction has more than 24.
 *
 * `uses` has room for `size` uses; it may be null if `size` is 0.
 */
bool gcn_instruction_registers(const gcn_instruction *instruction,
                               gcn_register_use *uses,
                               size_t size,
                               size_t *count,
                               gcn_error **error);

/**
 * Assembles text for a target such as `gfx906` or `gfx906:xnack-`. The result is there even if the text has errors:
 * `gcn_assembly_diagnostic` has each, and the functions that need a complete program fail with the first. Null and an error if an
 * argument is wrong.
 *
 * `name` is the text's name in messages, `text` the program; both end with a NUL. `options` may be null. The text may include no
 * files. Free the result with `gcn_assembly_free`.
 */
gcn_assembly *gcn_assemble(const char *target,
                           const char *name,
                           const char *text,
                           const gcn_assembly_options *options,
                           gcn_error **error);

/**
 * Returns the number of diagnostics of an assembly; 0 if the handle is invalid.
 */
size_t gcn_assembly_diagnostic_count(const gcn_assembly *assembly);

/**
 * Writes a diagnostic by its index, in the order of the source, to `*diagnostic`. Its texts belong to the assembly.
 */
bool gcn_assembly_diagnostic(const gcn_assembly *assembly, size_t index, gcn_diagnostic *diagnostic, gcn_error **error);

/**
 * Returns the words of the program's `.text`, in little-endian bytes, and sets `*size` to their number of bytes. Null and an error
 * if the text has errors. The bytes belong to the assembly.
 */
const uint8_t *gcn_assembly_words(const gcn_assembly *assembly,
                                  size_t *size,
                                  gcn_error **error);

/**
 * Returns the program as a loadable code object and sets `*size` to its number of bytes. Null and an error if the text has errors,
 * or the program cannot be linked. The bytes belong to the assembly.
 */
const uint8_t *gcn_assembly_object(const gcn_assembly *assembly,
                                   size_t *size,
                                   gcn_error **error);

/**
 * Returns the target of an assembly; 0 if the handle is invalid.
 */
gcn_target gcn_assembly_target(const gcn_assembly *assembly);

/**
 * Frees an assembly with its texts and bytes. Null and handles that have been freed are ignored.
 */
void gcn_assembly_free(gcn_assembly *assembly);

/**
 * Reads a code object: an ELF file for AMDGPU of version 2 to 6. Null and an error if the bytes are none.
 *
 * `bytes` has `size` bytes, which are copied. Free the result with `gcn_object_free`.
 */
gcn_object *gcn_object_read(const uint8_t *bytes, size_t size, gcn_error **error);

/**
 * Returns the processor and features that an object is for, such as `gfx906:sramecc+:xnack-`; empty if it names no processor, null if
 * the handle is invalid. The text belongs to the object.
 */
const char *gcn_object_target_id(const gcn_object *object);

/**
 * Returns the target of an object; 0 if it is for none that this library has, or the handle is invalid.
 */
gcn_target gcn_object_target(const gcn_object *object);

/**
 * Returns the version of an object, 2 to 6; 0 if the handle is invalid.
 */
uint32_t gcn_object_version(const gcn_object *object);

/**
 * Returns the number of kernels of an object; 0 if the handle is invalid.
 */
size_t gcn_object_kernel_count(const gcn_object *object);

/**
 * Writes what an object says of a kernel, by its index, to `*kernel`. Its texts belong to the object.
 */
bool gcn_object_kernel(const gcn_object *object, size_t index, gcn_kernel_info *kernel, gcn_error **error);

/**
 * Writes an argument, by its index, of a kernel, by its index, to `*argument`. Its texts belong to the object.
 */
bool gcn_object_argument(const gcn_object *object,
                         size_t kernel,
                         size_t index,
                         gcn_argument_info *argument,
                         gcn_error **error);

/**
 * Returns the number of symbols of an object; 0 if the handle is invalid.
 */
size_t gcn_object_symbol_count(const gcn_object *object);

/**
 * Writes a symbol, by its index, to `*symbol`. Its name belongs to the object.
 */
bool gcn_object_symbol(const gcn_object *object, size_t index, gcn_symbol *symbol, gcn_error **error);

/**
 * Returns the number of sections of an object; 0 if the handle is invalid.
 */
size_t gcn_object_section_count(const gcn_object *object);

/**
 * Writes a section, by its index, to `*section`. Its name and bytes belong to the object.
 */
bool gcn_object_section(const gcn_object *object, size_t index, gcn_section *section, gcn_error **error);

/**
 * Frees an object with its texts and bytes. Null and handles that have been freed are ignored.
 */
void gcn_object_free(gcn_object *object);

/**
 * Makes a device of a name such as `gfx906` or `vega20`. Null and an error if no target has the name.
 *
 * `name` ends with a NUL; `options` may be null. Free the result with `gcn_device_free`.
 */
gcn_device *gcn_device_new(const char *name, const gcn_device_options *options, gcn_error **error);

/**
 * Returns the target of a device; 0 if the handle is invalid.
 */
gcn_target gcn_device_target(const gcn_device *device);

/**
 * Frees a device. Its memory lives until its buffers, modules, kernels and launches have been freed too. Null and handles that
 * have been freed are ignored.
 */
void gcn_device_free(gcn_device *device);

/**
 * Allocates `size` zero bytes of a device's memory. Null and an error if there is no room.
 *
 * `name` names the buffer in messages; it ends with a NUL. Free the result with `gcn_buffer_free`.
 */
gcn_buffer *gcn_buffer_new(const gcn_device *device, const char *name, uint64_t size, gcn_error **error);

/**
 * Stores `size` bytes into a buffer, from byte `offset` on. Nothing is stored on failure.
 *
 * `bytes` has `size` bytes; it may be null if `size` is 0.
 */
bool gcn_buffer_write(const gcn_buffer *buffer, uint64_t offset, const void *bytes, size_t size, gcn_error **error);

/**
 * Copies `size` bytes out of a buffer, from byte `offset` on.
 *
 * `bytes` has room for `size` bytes; it may be null if `size` is 0.
 */
bool gcn_buffer_read(const gcn_buffer *buffer, uint64_t offset, void *bytes, size_t size, gcn_error **error);

/**
 * Returns the bytes of a buffer; 0 if the handle is invalid.
 */
uint64_t gcn_buffer_size(const gcn_buffer *buffer);

/**
 * Returns the address that kernels have for a buffer; 0 if the handle is invalid. The host must not use it as a pointer.
 */
uint64_t gcn_buffer_address(const gcn_buffer *buffer);

/**
 * Returns the name of a buffer; null if the handle is invalid. The text belongs to the buffer.
 */
const char *gcn_buffer_name(const gcn_buffer *buffer);

/**
 * Frees a buffer. A launch that has it among its arguments keeps its memory. Null and handles that have been freed are ignored.
 */
void gcn_buffer_free(gcn_buffer *buffer);

/**
 * Loads a code object into a device, or the one for the device in a bundle, a fat binary or an executable that holds one. Null and
 * an error if there is none, or no memory for it.
 *
 * `bytes` has `size` bytes, which are copied. Free the result with `gcn_module_free`.
 */
gcn_module *gcn_module_load(const gcn_device *device,
                            const uint8_t *bytes,
                            size_t size,
                            gcn_error **error);

/**
 * Assembles text for a device, with debug information, and loads it. Null and the first error of the text, with its place, if it
 * cannot be assembled; `gcn_assemble` has all diagnostics.
 *
 * `name` is the text's name in messages, `text` the program; both end with a NUL. Free the result with `gcn_module_free`.
 */
gcn_module *gcn_module_assemble(const gcn_device *device,
                                const char *name,
                                const char *text,
                                gcn_error **error);

/**
 * Frees a module. Its code lives until its kernels and their launches have been freed too. Null and handles that have been freed
 * are ignored.
 */
void gcn_module_free(gcn_module *module);

/**
 * Returns the kernel of a module that has a name: its symbol, or any name that tools print for it. Null and an error if none or
 * several have it.
 *
 * `name` ends with a NUL. Free the result with `gcn_kernel_free`.
 */
gcn_kernel *gcn_kernel_named(const gcn_module *module,
                             const char *name,
                             gcn_error **error);

/**
 * Writes what the code object says of a kernel to `*info`. Its texts belong to the kernel.
 */
bool gcn_kernel_describe(const gcn_kernel *kernel, gcn_kernel_info *info, gcn_error **error);

/**
 * Writes an argument of a kernel, by its index, to `*argument`. Its texts belong to the kernel.
 */
bool gcn_kernel_argument(const gcn_kernel *kernel, size_t index, gcn_argument_info *argument, gcn_error **error);

/**
 * Frees a kernel. Null and handles that have been freed are ignored.
 */
void gcn_kernel_free(gcn_kernel *kernel);

/**
 * Makes checkers for the launches of a device. Make them before buffers are written, so that they know what the host has stored. A
 * device has one set of checkers that sees what the host does: the one that was made last.
 *
 * `names` has the names of checks, separated by commas, such as `waits,races` (see `gcn check --help`), and ends with a NUL; null
 * for those that are on by default. Free the result with `gcn_checker_free`.
 */
gcn_checker *gcn_checker_new(const gcn_device *device,
                             const char *names,
                             gcn_error **error);

/**
 * Returns the number of different findings of all launches so far; 0 if the handle is invalid.
 */
size_t gcn_checker_finding_count(const gcn_checker *checker);

/**
 * Returns a finding of all launches so far, by its index. Null and an error if there is none. Free the result with
 * `gcn_finding_free`.
 */
gcn_finding *gcn_checker_finding(const gcn_checker *checker, size_t index, gcn_error **error);

/**
 * Frees checkers. Launches that have them keep them. Null and handles that have been freed are ignored.
 */
void gcn_checker_free(gcn_checker *checker);

/**
 * Returns the stable name of a finding, such as `missing-wait`, which `gcn explain` expands. The text belongs to the finding. Null if
 * the handle is invalid.
 */
const char *gcn_finding_name(const gcn_finding *finding);

/**
 * Returns the severity of a finding: a warning or an error; `GCN_SEVERITY_NOTE` if the handle is invalid.
 */
gcn_severity gcn_finding_severity(const gcn_finding *finding);

/**
 * Returns the message of a finding: a sentence without a full stop. The text belongs to the finding. Null if the handle is invalid.
 */
const char *gcn_finding_message(const gcn_finding *finding);

/**
 * Returns the symbol of a finding's kernel, or null where it is not known. The text belongs to the finding.
 */
const char *gcn_finding_kernel(const gcn_finding *finding);

/**
 * Returns the text of a finding's instruction, or null where there is none. The text belongs to the finding.
 */
const char *gcn_finding_instruction(const gcn_finding *finding);

/**
 * Returns the source file of a finding's instruction, or null where it is not known: code without debug information has none. The
 * text belongs to the finding.
 */
const char *gcn_finding_file(const gcn_finding *finding);

/**
 * Returns the line of a finding's instruction, from 1; 0 where it is not known.
 */
uint32_t gcn_finding_line(const gcn_finding *finding);

/**
 * Returns the column of a finding's instruction, from 1; 0 where it is not known.
 */
uint32_t gcn_finding_column(const gcn_finding *finding);

/**
 * Returns how often a finding had happened when it was read; 0 if the handle is invalid.
 */
uint64_t gcn_finding_occurrences(const gcn_finding *finding);

/**
 * Returns the whole report of a finding, in the form of a compiler's diagnostics: several lines, with the source, the other sides of a
 * conflict, buffers and help. The text belongs to the finding. Null if the handle is invalid.
 */
const char *gcn_finding_report(const gcn_finding *finding);

/**
 * Frees a finding and its texts. Null and handles that have been freed are ignored.
 */
void gcn_finding_free(gcn_finding *finding);

/**
 * Makes a launch of a kernel, without arguments. Null and an error if an argument is wrong.
 *
 * `grid` has the work-items in x, y and z, and `group` those of a workgroup; `group` may be null for the size that the kernel requires,
 * or else 64 in x. Free the result with `gcn_launch_free`.
 */
gcn_launch *gcn_launch_new(const gcn_kernel *kernel,
                           const uint32_t *grid,
                           const uint32_t *group,
                           gcn_error **error);

/**
 * Adds the address of a buffer behind a launch's arguments. The launch keeps the buffer's memory until it is freed.
 */
bool gcn_launch_buffer(const gcn_launch *launch, const gcn_buffer *buffer, gcn_error **error);

/**
 * Adds a value, a number or a structure, behind a launch's arguments. Where the kernel has metadata, its size must be the
 * argument's, which `gcn_launch_run` checks.
 *
 * `value` has `size` bytes, which are copied.
 */
bool gcn_launch_value(const gcn_launch *launch,
                      const void *value,
                      size_t size,
                      gcn_error **error);

/**
 * Adds a pointer to `size` bytes of LDS of each workgroup behind a launch's arguments.
 */
bool gcn_launch_local(const gcn_launch *launch, uint32_t size, gcn_error **error);

/**
 * Has checkers of the same device watch a launch. The launch keeps them until it is freed.
 */
bool gcn_launch_check(const gcn_launch *launch, const gcn_checker *checker, gcn_error **error);

/**
 * Runs a launch and returns when it has ended. A fault of the kernel is an error with its report, and the line of its source where
 * that is known. A launch may run several times.
 *
 * `statistics` has room for the work done, or is null; it is written on success.
 */
bool gcn_launch_run(const gcn_launch *launch,
                    gcn_statistics *statistics,
                    gcn_error **error);

/**
 * Returns the text that the kernel printed in a launch's last run; empty if there was none, null if the handle is invalid or it has
 * not run. The text belongs to the launch, until that runs again.
 */
const char *gcn_launch_printed(const gcn_launch *launch);

/**
 * Returns the number of findings that a launch's last run was the first to have: a finding that the checkers know from another run is
 * counted there. 0 if the handle is invalid.
 */
size_t gcn_launch_finding_count(const gcn_launch *launch);

/**
 * Returns a finding that a launch's last run was the first to have, by its index. Null and an error if there is none. Free the
 * result with `gcn_finding_free`.
 */
gcn_finding *gcn_launch_finding(const gcn_launch *launch,
                                size_t index,
                                gcn_error **error);

/**
 * Frees a launch and its text. Null and handles that have been freed are ignored.
 */
void gcn_launch_free(gcn_launch *launch);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GCN_H */
