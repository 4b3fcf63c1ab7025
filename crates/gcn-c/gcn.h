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
 * Register class.
 */
typedef enum {
  /**
   * VGPRs, by number.
   */
  GCN_REGISTER_CLASS_VECTOR = 0,
  /**
   * Scalar registers, by operand encoding below 128: SGPRs, VCC (106), M0 (124), EXEC (126), ...
   */
  GCN_REGISTER_CLASS_SCALAR = 1,
  /**
   * Scalar condition code (SCC), which has no number.
   */
  GCN_REGISTER_CLASS_SCC = 2,
  /**
   * Other wave state, such as the program counter or MODE, which has no number.
   */
  GCN_REGISTER_CLASS_STATE = 3,
} gcn_register_class;

/**
 * Severity of a diagnostic or a finding.
 */
typedef enum {
  /**
   * Additional information.
   */
  GCN_SEVERITY_NOTE = 0,
  /**
   * Valid code that is probably a mistake.
   */
  GCN_SEVERITY_WARNING = 1,
  /**
   * Invalid code.
   */
  GCN_SEVERITY_ERROR = 2,
} gcn_severity;

/**
 * Assembly dialect, for constructs where LLVM's and CLRX's languages differ.
 */
typedef enum {
  /**
   * LLVM's dialect.
   */
  GCN_DIALECT_LLVM = 0,
  /**
   * CLRX's dialect.
   */
  GCN_DIALECT_CLRX = 1,
} gcn_dialect;

/**
 * Syntax of printed instructions.
 */
typedef enum {
  /**
   * LLVM's syntax.
   */
  GCN_SYNTAX_LLVM = 0,
  /**
   * CLRX's syntax, as its documentation specifies.
   */
  GCN_SYNTAX_CLRX = 1,
} gcn_syntax;

/**
 * Result of assembling a source: diagnostics and, unless one of them is an error, a program.
 */
typedef struct gcn_assembly gcn_assembly;

/**
 * Named buffer in device memory.
 */
typedef struct gcn_buffer gcn_buffer;

/**
 * Checkers that observe launches on a device: they detect missing waits, races, out-of-bounds accesses, undefined
 * values and other problems.
 */
typedef struct gcn_checker gcn_checker;

/**
 * Emulated GPU with its own memory.
 */
typedef struct gcn_device gcn_device;

/**
 * Error reported by a function, with a stable name, a message and, if known, a source location.
 */
typedef struct gcn_error gcn_error;

/**
 * Problem in a kernel, found by a checker.
 */
typedef struct gcn_finding gcn_finding;

/**
 * Kernel in a module.
 */
typedef struct gcn_kernel gcn_kernel;

/**
 * Kernel launch: sizes, arguments and, after a run, results.
 */
typedef struct gcn_launch gcn_launch;

/**
 * Code loaded into a device's memory.
 */
typedef struct gcn_module gcn_module;

/**
 * Parsed code object.
 */
typedef struct gcn_object gcn_object;

/**
 * Target ID: the processor number in code objects (EF_AMDGPU_MACH), such as 0x2c for gfx900. 0 is not a target.
 */
typedef uint32_t gcn_target;

/**
 * Decoded instruction, filled in by `gcn_decode`. It contains no pointers and can be copied freely. Functions that
 * take an instruction decode its words again.
 */
typedef struct {
  /**
   * Target that the words were decoded for.
   */
  gcn_target target;
  /**
   * Length in words: 1 or 2.
   */
  uint32_t word_count;
  /**
   * Encoded words; the second is 0 for a one-word instruction.
   */
  uint32_t words[2];
  /**
   * Branch distance in words, relative to the next instruction; 0 for other instructions.
   */
  int64_t branch_offset;
  /**
   * True for branches whose words encode the target.
   */
  bool is_branch;
} gcn_instruction;

/**
 * Registers that an instruction uses, explicitly or implicitly.
 */
typedef struct {
  /**
   * Register class.
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
   * Mask of the bits that are read in each dword; 0 if none.
   */
  uint32_t read;
  /**
   * Mask of the bits that may be written in each dword; 0 if none.
   */
  uint32_t written;
} gcn_register_use;

/**
 * Assembler options. A zero-initialized structure selects the defaults.
 */
typedef struct {
  /**
   * Dialect, a `gcn_dialect` value.
   */
  uint32_t dialect;
  /**
   * Code object version, 2 to 6; 0 selects the version stated in the source, or the default.
   */
  uint32_t code_object_version;
  /**
   * Directory that the source name is relative to. If this is not null, the assembler generates line debug
   * information.
   */
  const char *debug_directory;
} gcn_assembly_options;

/**
 * Assembler diagnostic. Its strings belong to the assembly.
 */
typedef struct {
  /**
   * Severity of the diagnostic.
   */
  gcn_severity severity;
  /**
   * Stable name, such as `unknown-opcode`, explained by `gcn explain`.
   */
  const char *name;
  /**
   * Message without a final period.
   */
  const char *message;
  /**
   * Suggested fix; may be empty or have several lines.
   */
  const char *help;
  /**
   * Source file name.
   */
  const char *file;
  /**
   * Line number, starting at 1.
   */
  uint32_t line;
  /**
   * Column number in characters, starting at 1.
   */
  uint32_t column;
} gcn_diagnostic;

/**
 * Kernel in a code object. Strings belong to the handle that the kernel was read from.
 */
typedef struct {
  /**
   * Symbol name, without `.kd`.
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
   * Size of the code in bytes, starting at the entry; 0 if the symbol has no size.
   */
  uint64_t code_size;
  /**
   * Size of the kernel argument segment in bytes; 0 if unknown.
   */
  uint64_t argument_bytes;
  /**
   * Static LDS size in bytes.
   */
  uint32_t lds_bytes;
  /**
   * Scratch size per lane in bytes.
   */
  uint32_t scratch_bytes;
  /**
   * Number of VGPRs; 0 if the metadata does not specify it.
   */
  uint32_t vgprs;
  /**
   * Number of SGPRs, including VCC and other special registers; 0 if the metadata does not specify it.
   */
  uint32_t sgprs;
  /**
   * Number of arguments in the metadata, including hidden ones; 0 without metadata.
   */
  size_t argument_count;
} gcn_kernel_info;

/**
 * Kernel argument, as described by the metadata. Strings belong to the handle that the argument was read from.
 */
typedef struct {
  /**
   * Name in the source; may be null.
   */
  const char *name;
  /**
   * Type in the source; may be null.
   */
  const char *type_name;
  /**
   * Value kind, as named in the metadata: `by_value`, `global_buffer`, `hidden_none`, ...
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
   * True if the runtime sets the argument instead of the caller.
   */
  bool is_hidden;
  /**
   * True if the source declares the argument `const`.
   */
  bool is_const;
} gcn_argument_info;

/**
 * Symbol in a code object. Its name belongs to the object.
 */
typedef struct {
  /**
   * Symbol name.
   */
  const char *name;
  /**
   * Address, or the value of an absolute symbol.
   */
  uint64_t value;
  /**
   * Size in bytes.
   */
  uint64_t size;
  /**
   * ELF symbol type: 1 for data, 2 for code, 10 for a kernel in a version 2 object.
   */
  uint32_t kind;
  /**
   * ELF symbol binding: 0 for local, 1 for global, 2 for weak.
   */
  uint32_t binding;
  /**
   * True if the symbol is defined in the object.
   */
  bool is_defined;
} gcn_symbol;

/**
 * Section in a code object. Its name and bytes belong to the object.
 */
typedef struct {
  /**
   * Section name.
   */
  const char *name;
  /**
   * Contents in the file; null if there are none.
   */
  const uint8_t *bytes;
  /**
   * Size of the contents in the file, in bytes.
   */
  size_t byte_count;
  /**
   * Load address; 0 if the section is not loaded.
   */
  uint64_t address;
  /**
   * Size in memory, in bytes.
   */
  uint64_t size;
  /**
   * True if the section contains code.
   */
  bool is_code;
} gcn_section;

/**
 * Device options. A zero-initialized structure selects the defaults.
 */
typedef struct {
  /**
   * Limit in bytes on the total memory for buffers, scratch and workgroup registers; 0 for all of the host's memory.
   */
  uint64_t memory;
  /**
   * Number of instructions after which a wave faults; 0 for no limit.
   */
  uint64_t instruction_limit;
  /**
   * Number of host threads that run a kernel; 0 to use all of the host's.
   */
  uint32_t threads;
} gcn_device_options;

/**
 * Work done by a launch.
 */
typedef struct {
  /**
   * Number of instructions executed, counted per wave.
   */
  uint64_t instructions;
  /**
   * Number of waves that ran.
   */
  uint64_t waves;
  /**
   * Number of workgroups that ran.
   */
  uint64_t workgroups;
} gcn_statistics;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the library's version, such as `0.1.0`. The string is static.
 */
const char *gcn_version(void);

/**
 * Returns the stable name of an error, such as `unknown-opcode`, explained by `gcn explain`; null if `error` is
 * invalid. The string belongs to the error.
 */
const char *gcn_error_name(const gcn_error *error);

/**
 * Returns the message of an error, without a final period; null if `error` is invalid. Messages of faults have several
 * lines. The string belongs to the error.
 */
const char *gcn_error_message(const gcn_error *error);

/**
 * Returns the suggested fix for an error, which may be empty or have several lines; null if `error` is invalid. The
 * string belongs to the error.
 */
const char *gcn_error_help(const gcn_error *error);

/**
 * Returns the source file of an error, or null if unknown. The string belongs to the error.
 */
const char *gcn_error_file(const gcn_error *error);

/**
 * Returns the line number of an error, starting at 1; 0 if unknown.
 */
uint32_t gcn_error_line(const gcn_error *error);

/**
 * Returns the column number of an error, in characters starting at 1; 0 if unknown.
 */
uint32_t gcn_error_column(const gcn_error *error);

/**
 * Frees an error and its strings. Null and freed errors are ignored.
 */
void gcn_error_free(gcn_error *error);

/**
 * Looks up a target by a name such as `gfx906`, `vega20` or `gfx906:xnack-`. Returns 0 and sets an error if the name
 * is unknown.
 *
 * `name` is null-terminated.
 */
gcn_target gcn_target_named(const char *name, gcn_error **error);

/**
 * Returns LLVM's name for a target, such as `gfx906`; null if there is no such target. The string is static.
 */
const char *gcn_target_name(gcn_target target);

/**
 * Returns the number of targets that `gcn_target_at` enumerates.
 */
size_t gcn_target_count(void);

/**
 * Returns the target at `index`, in order of age; 0 if `index` is not below `gcn_target_count`.
 */
gcn_target gcn_target_at(size_t index);

/**
 * Decodes the first instruction in an array of words into `*instruction`.
 *
 * `words` points to `count` words in host byte order. On failure, `*instruction` is unchanged: the error is
 * `unknown-instruction` if the words do not decode for the target, or `truncated-instruction` if the second word is
 * missing. In a loop over words that may be data, pass null for `error` to avoid creating errors.
 */
bool gcn_decode(gcn_target target,
                const uint32_t *words,
                size_t count,
                gcn_instruction *instruction,
                gcn_error **error);

/**
 * Prints an instruction like `snprintf`: writes as much of its text as fits in `size` bytes, including a terminator,
 * and returns the length of the whole text, excluding the terminator. Returns 0 and sets an error on failure.
 *
 * `syntax` is a `gcn_syntax` value. `label` is the name of the branch target; if it is null, branches show their
 * distance in words. `buffer` has room for `size` bytes; it may be null if `size` is 0. Without a label, 128 bytes are
 * enough for every instruction.
 */
size_t gcn_instruction_print(const gcn_instruction *instruction,
                             uint32_t syntax,
                             const char *label,
                             char *buffer,
                             size_t size,
                             gcn_error **error);

/**
 * Returns the mnemonic of an instruction on its target, without an encoding suffix, such as `v_add_f32`. Returns
 * null and sets an error on failure. The string is static.
 */
const char *gcn_instruction_mnemonic(const gcn_instruction *instruction, gcn_error **error);

/**
 * Lists the registers that an instruction reads and writes, including implicit ones. Writes at most `size` uses, and
 * sets `*count` to the total number, which is at most 24.
 *
 * `uses` has room for `size` uses; it may be null if `size` is 0.
 */
bool gcn_instruction_registers(const gcn_instruction *instruction,
                               gcn_register_use *uses,
                               size_t size,
                               size_t *count,
                               gcn_error **error);

/**
 * Assembles text for a target such as `gfx906` or `gfx906:xnack-`. Text with errors also produces a result:
 * `gcn_assembly_diagnostic` returns each error, and functions that need a complete program fail with the first one.
 * Returns null and sets an error if an argument is invalid.
 *
 * `text` is the program and `name` is its name in messages; both are null-terminated. `options` may be null. The text
 * must not include files. Free the result with `gcn_assembly_free`.
 */
gcn_assembly *gcn_assemble(const char *target,
                           const char *name,
                           const char *text,
                           const gcn_assembly_options *options,
                           gcn_error **error);

/**
 * Returns the number of diagnostics in an assembly; 0 if the handle is invalid.
 */
size_t gcn_assembly_diagnostic_count(const gcn_assembly *assembly);

/**
 * Writes the diagnostic at `index`, in source order, to `*diagnostic`. Its strings belong to the assembly.
 */
bool gcn_assembly_diagnostic(const gcn_assembly *assembly, size_t index, gcn_diagnostic *diagnostic, gcn_error **error);

/**
 * Returns the program's `.text` as little-endian words, and sets `*size` to their size in bytes. Returns null and
 * sets an error if the text has errors, or if a word depends on another section or on the address of `.text`
 * (`raw-relocation`). The bytes belong to the assembly.
 */
const uint8_t *gcn_assembly_words(const gcn_assembly *assembly, size_t *size, gcn_error **error);

/**
 * Returns the program as a loadable code object, and sets `*size` to its size in bytes. Returns null and sets an
 * error if the text has errors, or the program cannot be linked. The bytes belong to the assembly.
 */
const uint8_t *gcn_assembly_object(const gcn_assembly *assembly, size_t *size, gcn_error **error);

/**
 * Returns the target of an assembly; 0 if the handle is invalid.
 */
gcn_target gcn_assembly_target(const gcn_assembly *assembly);

/**
 * Frees an assembly with its strings and bytes. Null and freed handles are ignored.
 */
void gcn_assembly_free(gcn_assembly *assembly);

/**
 * Reads a code object: an AMDGPU ELF file with code object version 2 to 6. Returns null and sets an error if the bytes
 * are not a code object.
 *
 * `bytes` points to `size` bytes, which are copied. Free the result with `gcn_object_free`.
 */
gcn_object *gcn_object_read(const uint8_t *bytes, size_t size, gcn_error **error);

/**
 * Returns the processor and features of an object, such as `gfx906:sramecc+:xnack-`; empty if the object specifies no
 * processor, null if the handle is invalid. The string belongs to the object.
 */
const char *gcn_object_target_id(const gcn_object *object);

/**
 * Returns the target of an object; 0 if the library does not support the target, or the handle is invalid.
 */
gcn_target gcn_object_target(const gcn_object *object);

/**
 * Returns the code object version of an object, 2 to 6; 0 if the handle is invalid.
 */
uint32_t gcn_object_version(const gcn_object *object);

/**
 * Returns the number of kernels in an object; 0 if the handle is invalid.
 */
size_t gcn_object_kernel_count(const gcn_object *object);

/**
 * Writes the description of the kernel at `index` to `*kernel`. Its strings belong to the object.
 */
bool gcn_object_kernel(const gcn_object *object, size_t index, gcn_kernel_info *kernel, gcn_error **error);

/**
 * Writes the description of an argument to `*argument`. The kernel and the argument are selected by index. Strings
 * belong to the object.
 */
bool gcn_object_argument(const gcn_object *object,
                         size_t kernel,
                         size_t index,
                         gcn_argument_info *argument,
                         gcn_error **error);

/**
 * Returns the number of symbols in an object; 0 if the handle is invalid.
 */
size_t gcn_object_symbol_count(const gcn_object *object);

/**
 * Writes the symbol at `index` to `*symbol`. Its name belongs to the object.
 */
bool gcn_object_symbol(const gcn_object *object, size_t index, gcn_symbol *symbol, gcn_error **error);

/**
 * Returns the number of sections in an object; 0 if the handle is invalid.
 */
size_t gcn_object_section_count(const gcn_object *object);

/**
 * Writes the section at `index` to `*section`. Its name and bytes belong to the object.
 */
bool gcn_object_section(const gcn_object *object, size_t index, gcn_section *section, gcn_error **error);

/**
 * Frees an object with its strings and bytes. Null and freed handles are ignored.
 */
void gcn_object_free(gcn_object *object);

/**
 * Creates a device from a name such as `gfx906` or `vega20`. Returns null and sets an error if the name is unknown.
 *
 * `name` is null-terminated; `options` may be null. Free the result with `gcn_device_free`.
 */
gcn_device *gcn_device_new(const char *name, const gcn_device_options *options, gcn_error **error);

/**
 * Returns the target of a device; 0 if the handle is invalid.
 */
gcn_target gcn_device_target(const gcn_device *device);

/**
 * Frees a device. Its memory stays allocated until its buffers, modules, kernels and launches are freed too. Null and
 * freed handles are ignored.
 */
void gcn_device_free(gcn_device *device);

/**
 * Allocates `size` bytes of zeroed device memory. Returns null and sets an error if there is not enough memory.
 *
 * `name` is null-terminated and identifies the buffer in messages. Free the result with `gcn_buffer_free`.
 */
gcn_buffer *gcn_buffer_new(const gcn_device *device, const char *name, uint64_t size, gcn_error **error);

/**
 * Writes `size` bytes to a buffer, starting at byte `offset`. On failure, nothing is written.
 *
 * `bytes` points to `size` bytes; it may be null if `size` is 0.
 */
bool gcn_buffer_write(const gcn_buffer *buffer, uint64_t offset, const void *bytes, size_t size, gcn_error **error);

/**
 * Reads `size` bytes from a buffer, starting at byte `offset`.
 *
 * `bytes` has room for `size` bytes; it may be null if `size` is 0.
 */
bool gcn_buffer_read(const gcn_buffer *buffer, uint64_t offset, void *bytes, size_t size, gcn_error **error);

/**
 * Returns the size of a buffer in bytes; 0 if the handle is invalid.
 */
uint64_t gcn_buffer_size(const gcn_buffer *buffer);

/**
 * Returns the device address of a buffer; 0 if the handle is invalid. The host must not use it as a pointer.
 */
uint64_t gcn_buffer_address(const gcn_buffer *buffer);

/**
 * Returns the name of a buffer; null if the handle is invalid. The string belongs to the buffer.
 */
const char *gcn_buffer_name(const gcn_buffer *buffer);

/**
 * Frees a buffer. Launches that have the buffer as an argument keep its memory alive. Null and freed handles are
 * ignored.
 */
void gcn_buffer_free(gcn_buffer *buffer);

/**
 * Loads a code object onto a device, or the code object for the device from a bundle, a fat binary or an executable.
 * Returns null and sets an error if there is no such code object, or not enough memory.
 *
 * `bytes` points to `size` bytes, which are copied. Free the result with `gcn_module_free`.
 */
gcn_module *gcn_module_load(const gcn_device *device, const uint8_t *bytes, size_t size, gcn_error **error);

/**
 * Assembles text for a device, with debug information, and loads it. If the text has errors, returns null and sets the
 * first error, with its source location; `gcn_assemble` returns all diagnostics.
 *
 * `text` is the program and `name` is its name in messages; both are null-terminated. Free the result with
 * `gcn_module_free`.
 */
gcn_module *gcn_module_assemble(const gcn_device *device, const char *name, const char *text, gcn_error **error);

/**
 * Frees a module. Its code stays loaded until its kernels and their launches are freed too. Null and freed handles are
 * ignored.
 */
void gcn_module_free(gcn_module *module);

/**
 * Looks up a kernel in a module by its symbol, or by any name that tools print for it. Returns null and sets an error
 * unless exactly one kernel has the name.
 *
 * `name` is null-terminated. Free the result with `gcn_kernel_free`.
 */
gcn_kernel *gcn_kernel_named(const gcn_module *module, const char *name, gcn_error **error);

/**
 * Writes the code object's description of a kernel to `*info`. Its strings belong to the kernel.
 */
bool gcn_kernel_describe(const gcn_kernel *kernel, gcn_kernel_info *info, gcn_error **error);

/**
 * Writes the description of the kernel argument at `index` to `*argument`. Its strings belong to the kernel.
 */
bool gcn_kernel_argument(const gcn_kernel *kernel, size_t index, gcn_argument_info *argument, gcn_error **error);

/**
 * Frees a kernel. Null and freed handles are ignored.
 */
void gcn_kernel_free(gcn_kernel *kernel);

/**
 * Creates checkers for launches on a device. Create them before writing buffers, so that they observe the host's
 * writes. If a device has several checkers, only the last ones created observe accesses by the host.
 *
 * `names` is a null-terminated, comma-separated list of checks, such as `waits,races` (see `gcn check --help`), or
 * null for the default checks. Free the result with `gcn_checker_free`.
 */
gcn_checker *gcn_checker_new(const gcn_device *device, const char *names, gcn_error **error);

/**
 * Returns the number of distinct findings in all launches so far; 0 if the handle is invalid.
 */
size_t gcn_checker_finding_count(const gcn_checker *checker);

/**
 * Returns the finding at `index` among all launches so far. Returns null and sets an error if the index is out of
 * range. Free the result with `gcn_finding_free`.
 */
gcn_finding *gcn_checker_finding(const gcn_checker *checker, size_t index, gcn_error **error);

/**
 * Frees checkers. Launches that use them keep them alive. Null and freed handles are ignored.
 */
void gcn_checker_free(gcn_checker *checker);

/**
 * Returns the stable name of a finding, such as `missing-wait`, explained by `gcn explain`; null if the handle is
 * invalid. The string belongs to the finding.
 */
const char *gcn_finding_name(const gcn_finding *finding);

/**
 * Returns the severity of a finding: a warning or an error; `GCN_SEVERITY_NOTE` if the handle is invalid.
 */
gcn_severity gcn_finding_severity(const gcn_finding *finding);

/**
 * Returns the message of a finding, without a final period; null if the handle is invalid. The string belongs to the
 * finding.
 */
const char *gcn_finding_message(const gcn_finding *finding);

/**
 * Returns the symbol of a finding's kernel, or null if unknown. The string belongs to the finding.
 */
const char *gcn_finding_kernel(const gcn_finding *finding);

/**
 * Returns the text of a finding's instruction, or null if there is none. The string belongs to the finding.
 */
const char *gcn_finding_instruction(const gcn_finding *finding);

/**
 * Returns the source file of a finding's instruction, or null if unknown, for example without debug information. The
 * string belongs to the finding.
 */
const char *gcn_finding_file(const gcn_finding *finding);

/**
 * Returns the line number of a finding's instruction, starting at 1; 0 if unknown.
 */
uint32_t gcn_finding_line(const gcn_finding *finding);

/**
 * Returns the column number of a finding's instruction, starting at 1; 0 if unknown.
 */
uint32_t gcn_finding_column(const gcn_finding *finding);

/**
 * Returns the number of times a finding had occurred when it was retrieved; 0 if the handle is invalid.
 */
uint64_t gcn_finding_occurrences(const gcn_finding *finding);

/**
 * Returns the full report of a finding in the format of compiler diagnostics, with the source, other conflicting
 * accesses, buffers and help; null if the handle is invalid. The string has several lines and belongs to the finding.
 */
const char *gcn_finding_report(const gcn_finding *finding);

/**
 * Frees a finding and its strings. Null and freed handles are ignored.
 */
void gcn_finding_free(gcn_finding *finding);

/**
 * Creates a launch of a kernel, without arguments. Returns null and sets an error if an argument is invalid.
 *
 * `grid` is the grid size and `group` the workgroup size, in work-items in x, y and z. If `group` is null, the
 * workgroup size is the one required by the kernel, or else 64 in x. Free the result with `gcn_launch_free`.
 */
gcn_launch *gcn_launch_new(const gcn_kernel *kernel, const uint32_t *grid, const uint32_t *group, gcn_error **error);

/**
 * Appends the address of a buffer to a launch's arguments. The launch keeps the buffer's memory alive until the launch
 * is freed.
 */
bool gcn_launch_buffer(const gcn_launch *launch, const gcn_buffer *buffer, gcn_error **error);

/**
 * Appends a value, such as a number or a structure, to a launch's arguments. If the kernel has metadata, the size must
 * match the argument's; `gcn_launch_run` checks this.
 *
 * `value` points to `size` bytes, which are copied.
 */
bool gcn_launch_value(const gcn_launch *launch, const void *value, size_t size, gcn_error **error);

/**
 * Appends a pointer to `size` bytes of LDS, allocated for each workgroup, to a launch's arguments.
 */
bool gcn_launch_local(const gcn_launch *launch, uint32_t size, gcn_error **error);

/**
 * Sets a launch's checkers, which must be for the same device; they replace earlier ones. The launch keeps them alive
 * until it is freed.
 */
bool gcn_launch_check(const gcn_launch *launch, const gcn_checker *checker, gcn_error **error);

/**
 * Runs a launch to completion. If the kernel faults, the error contains the fault report and, if known, the source
 * line. A launch may run several times.
 *
 * If `statistics` is not null, it receives the work done by a successful launch.
 */
bool gcn_launch_run(const gcn_launch *launch, gcn_statistics *statistics, gcn_error **error);

/**
 * Returns the text that the kernel printed in a launch's last run, which may be empty; null if the handle is invalid
 * or the launch has not run. The string belongs to the launch until the next run.
 */
const char *gcn_launch_printed(const gcn_launch *launch);

/**
 * Returns the number of new findings in a launch's last run; 0 if the handle is invalid. A finding that the checkers
 * already reported in another run is not new, and only its number of occurrences increases.
 */
size_t gcn_launch_finding_count(const gcn_launch *launch);

/**
 * Returns the new finding at `index` from a launch's last run. Returns null and sets an error if the index is out of
 * range. Free the result with `gcn_finding_free`.
 */
gcn_finding *gcn_launch_finding(const gcn_launch *launch, size_t index, gcn_error **error);

/**
 * Frees a launch and its text. Null and freed handles are ignored.
 */
void gcn_launch_free(gcn_launch *launch);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GCN_H */
