//! Table of diagnostics: stable names, meanings and remedies.
//!
//! Each row describes a diagnostic: scripts may filter by name, and `gcn explain NAME` prints the row. A test assembles
//! each example and expects that row's diagnostic.

use std::fmt;

/// Explanation of a diagnostic.
///
/// ```
/// let range = gcn_asm::explain("offset-range").expect("the name of a diagnostic");
/// assert_eq!(range.name, "offset-range");
/// assert!(range.to_string().contains("ds_read_b32"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Explanation {
    /// Name of lower-case words and dashes, shown after the severity: `offset-range` in `error[offset-range]`.
    pub name: &'static str,
    /// Description of the problem, in complete sentences.
    pub meaning: &'static str,
    /// Source that triggers the diagnostic; empty if no source alone does.
    pub example: &'static str,
    /// Advice on fixing the problem, in complete sentences.
    pub remedy: &'static str,
    /// Document or erratum that states the rule; empty if the language itself implies the rule.
    pub source: &'static str,
}

/// Writes the explanation as paragraphs: name, meaning, example, remedy, source.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.name, self.meaning)?;
        if !self.example.is_empty() {
            writeln!(f, "\nExample:\n")?;
            for line in self.example.lines() {
                writeln!(f, "    {line}")?;
            }
        }
        writeln!(f, "\n{}", self.remedy)?;
        if !self.source.is_empty() {
            writeln!(f, "\nSource: {}", self.source)?;
        }
        Ok(())
    }
}

/// Explanation of the diagnostic called `name`; `None` if the name is unknown.
///
/// # Examples
/// ```
/// assert_eq!(gcn_asm::explain("unknown-opcode").map(|row| row.name), Some("unknown-opcode"));
/// assert_eq!(gcn_asm::explain("no-such-name"), None);
/// ```
pub fn explain(name: &str) -> Option<&'static Explanation> {
    ALL.iter().copied().find(|row| row.name == name)
}

/// All explanations, in table order.
///
/// # Examples
/// ```
/// let all = gcn_asm::explanations();
/// assert!(all.iter().all(|row| gcn_asm::explain(row.name) == Some(row)));
/// ```
pub fn explanations() -> &'static [&'static Explanation] {
    ALL
}

/// Defines a static for each row, documented with its meaning, and a list of all rows.
macro_rules! table {
    ($($id:ident $name:literal
        meaning $meaning:literal
        example $example:literal
        remedy $remedy:literal
        $(; source $source:literal)?
    )*) => {
        $(
            #[doc = $meaning]
            pub static $id: Explanation = Explanation {
                name: $name,
                meaning: $meaning,
                example: $example,
                remedy: $remedy,
                source: concat!($($source)?),
            };
        )*
        static ALL: &[&Explanation] = &[$(&$id),*];
    };
}

table! {
    // Characters and words.
    INVALID_CHARACTER "invalid-character"
        meaning "A character in single quotes is missing or is not ASCII."
        example ".byte 'é'"
        remedy "Write one ASCII character, or its code as a number."
    INVALID_ESCAPE "invalid-escape"
        meaning "A string has an escape that does not exist or does not fit into a byte."
        example ".ascii \"\\q\""
        remedy "Use \\n, \\t, \\r, \\b, \\f, \\\", \\\\, \\', \\xHH or an octal number from \\0 to \\377."
    INVALID_NUMBER "invalid-number"
        meaning "A word that begins with a digit is not a number of the expected form and width."
        example ".long 0x1g"
        remedy "Write 12, 0xc, 0b1100, 014 (octal) or 1.5; integers have at most 64 bits."
    INVALID_UTF8 "invalid-utf8"
        meaning "A name, or the text of an included file, is not valid UTF-8."
        example ".globl \"\\xff\""
        remedy "Store the source as UTF-8."
    UNEXPECTED_TOKEN "unexpected-token"
        meaning "The statement continues with something that its syntax does not allow there."
        example "v_mov_b32 v0, )"
        remedy "The message names the expected token. Commas separate operands; blanks separate modifiers."
    UNTERMINATED "unterminated"
        meaning "A string, comment or macro argument has no end."
        example ".ascii \"text"
        remedy "Add the closing quote, `*/` or parenthesis; a string ends on the line on which it begins."

    // Expressions and numbers.
    ADDRESS_DIFFERENCE "address-difference"
        meaning "An expression subtracts addresses whose distance cannot be expressed as a relocation."
        example ".long 0 - there\n.data\nthere: .long 0"
        remedy "Subtract addresses in the same section, or subtract a label of this section from an address."
    ADDRESS_VALUE "address-value"
        meaning "A number is needed, but the expression is an address, which is known only after linking."
        example "start: .fill start"
        remedy "Subtract another address of the same section: `end - start` is a number."
    ADDRESS_WIDTH "address-width"
        meaning "An address is stored in a field of a width for which code objects have no relocation."
        example ".byte there\n.data\nthere: .long 0"
        remedy "Store addresses with `.quad`, their halves with `.long symbol@abs32@lo` and `symbol@abs32@hi`."
    CIRCULAR_SYMBOL "circular-symbol"
        meaning "A symbol's value depends on the symbol itself."
        example "a = b\nb = a\n.long a"
        remedy "Give one of the symbols a value of its own."
    DIVISION_BY_ZERO "division-by-zero"
        meaning "An expression divides by zero, or takes a remainder of such a division."
        example ".long 1 / 0"
        remedy "Guard the division with `.if`."
    EXPRESSION_LIMIT "expression-limit"
        meaning "Evaluating an expression takes more steps than the assembler allows."
        example ""
        remedy "Define intermediate symbols with `.set`, which evaluates them once, in place of `.eqv`."
    FLOAT_VALUE "float-value"
        meaning "An integer or an address is needed, but a floating-point constant is written."
        example ".long 1.5 + 2"
        remedy "Store floating-point data with `.float` or `.double`; expressions compute with integers."
    FUNCTION_ARGUMENTS "function-arguments"
        meaning "A function of an expression has too few or too many arguments."
        example ".long alignto(1)"
        remedy "The message says how many arguments the function takes."
    UNDEFINED_SYMBOL "undefined-symbol"
        meaning "A symbol is used as a number, or a numeric label is used, and the source does not define it."
        example "s_movk_i32 s0, missing"
        remedy "Define the symbol with `.set`, with `--defsym`, or as a label; check its spelling."
    UNKNOWN_VALUE "unknown-value"
        meaning "A number decides the length or layout of the program, and is not known at this line."
        example ".fill later\n.set later, 4"
        remedy "Define the symbol above this line."
    VALUE_RANGE "value-range"
        meaning "A number lies outside the range of the directive, function or data that takes it."
        example ".byte 1000"
        remedy "The message gives the range. `.short`, `.long` and `.quad` hold larger numbers than `.byte`."

    // Symbols and labels.
    INVALID_LABEL "invalid-label"
        meaning "The current location, `.`, is written in place of a label's name."
        example ".:"
        remedy "Give the label a name, or a number for a label that can be defined repeatedly."
    INVALID_SCOPE "invalid-scope"
        meaning "A scope is opened with a path, but `.scope` opens one name in the current scope."
        example ".scope a::b\n.ends"
        remedy "Open the outer scope first, and the inner one in it.";
        source "errata E028"
    REDEFINED_SYMBOL "redefined-symbol"
        meaning "A label, or a symbol that can be defined once, is defined again."
        example "start:\nstart:"
        remedy "Rename one of the two, or use numeric labels: `1:` with `1b` and `1f`."
    SYMBOL_EXPRESSION "symbol-expression"
        meaning "An exported symbol has a value that a symbol of a code object cannot have."
        example ".globl a\na = there - here\n.data\nthere: .long 0\n.text\nhere:"
        remedy "Keep the symbol local, or give it a number or one address."
    SYMBOL_TYPE "symbol-type"
        meaning "`.type` names a type that symbols do not have."
        example ".type a, @table"
        remedy "Write @function, @object or @notype."

    // Instructions.
    UNKNOWN_OPCODE "unknown-opcode"
        meaning "No supported generation has an instruction of this name."
        example "v_ad_f32 v0, v1, v2"
        remedy "The message suggests the closest name; `gcn isa` lists the instructions of a target."
    UNSUPPORTED_OPCODE "unsupported-opcode"
        meaning "The instruction exists on other generations, but not on the target."
        example "s_cbranch_i_fork s[0:1], 0\nv_mac_legacy_f32 v0, v1, v2"
        remedy "Choose another `--target`, or an instruction that the target has."
    UNSUPPORTED_ENCODING "unsupported-encoding"
        meaning "The mnemonic's suffix requests an encoding that the instruction does not have on the target."
        example "v_mac_f32_sdwa v0, v1, v2"
        remedy "Leave out the suffix: the assembler chooses the shortest encoding that holds the operands."
    MISALIGNED_INSTRUCTION "misaligned-instruction"
        meaning "An instruction begins at an offset that is not a multiple of 4 bytes, and cannot be executed there."
        example ".byte 0\ns_nop 0"
        remedy "Write `.p2align 2` between data and code."
    INSTRUCTION_RULE "instruction-rule"
        meaning "Every operand has an encoding, but the manual forbids their combination."
        example "image_atomic_add v0, v[2:5], s[8:15] dmask:0x2 unorm glc"
        remedy "The message names the rule; `gcn isa MNEMONIC` shows the instruction's operands."
    CONSTANT_BUS "constant-bus"
        meaning "A vector instruction reads more than one scalar register or literal; the hardware has one bus for them."
        example "v_add_f32_e64 v0, s0, s1"
        remedy "Move one of the values to a VGPR with `v_mov_b32` first."

    // Operands.
    BRANCH_ALIGNMENT "branch-alignment"
        meaning "The distance to a branch's target is not a multiple of 4 bytes."
        example "s_branch there\n.byte 0\nthere:"
        remedy "Write `.p2align 2` before the target's label."
    BRANCH_RANGE "branch-range"
        meaning "The target of a branch is farther away than 32767 dwords, the range of its 16-bit field."
        example "s_branch there\n.fill 200000\nthere:"
        remedy "Compute the address with `s_getpc_b64` and `s_add_u32`, and jump with `s_setpc_b64`."
    DUPLICATE_NAME "duplicate-name"
        meaning "A field of an operand is written twice."
        example "s_set_gpr_idx_on s0, gpr_idx(SRC0, SRC0)"
        remedy "Write each field once."
    INVALID_MESSAGE "invalid-message"
        meaning "The parts of `sendmsg(…)` do not match, or the target has no such message."
        example "s_sendmsg sendmsg(MSG_GS, GS_OP_NOP)"
        remedy "GS messages take an operation and a stream, other messages neither."
    LITERAL "literal"
        meaning "A constant needs a 32-bit literal, but the instruction has no room for it or does not accept one there."
        example "v_add_f32_e64 v0, 1.25, v1"
        remedy "Inline constants need no literal: integers -16 to 64, ±0.5, ±1.0, ±2.0, ±4.0. Load others first."
    OFFSET_RANGE "offset-range"
        meaning "The offset of a memory instruction does not fit into its field."
        example "ds_read_b32 v0, v1 offset:70000"
        remedy "The message gives the range. Add the excess to the address register."
    OPERAND_COUNT "operand-count"
        meaning "An instruction has too few or too many operands."
        example "v_add_f32 v0, v1"
        remedy "The message shows the operands; those in brackets are optional."
    OPERAND_KIND "operand-kind"
        meaning "An operand is not of the kind that the instruction takes at its position."
        example "v_add_f32 s0, v1, v2"
        remedy "The message says which kind is expected, and how the instruction is written."
    OPERAND_ORDER "operand-order"
        meaning "An operand follows a modifier."
        example "buffer_load_dword v0, offen v1, s[4:7], 0"
        remedy "Write all operands, separated by commas, and the modifiers after the last one."
    OPERAND_RANGE "operand-range"
        meaning "The number of an operand or modifier does not fit into its field."
        example "s_nop 70000"
        remedy "The message gives the range."
    SOURCE_MODIFIER "source-modifier"
        meaning "A sign, absolute value or sign extension is written on an operand that has none, or twice."
        example "v_and_b32 v0, -v1, v2"
        remedy "`-` and `|…|` apply to floating-point sources of encodings that have fields for them, `sext` to SDWA."
    UNKNOWN_NAME "unknown-name"
        meaning "A counter, function, hardware register, message or format has no such name on the target."
        example "s_getreg_b32 s0, hwreg(HW_REG_CLOCK)"
        remedy "The message lists the names, or write the number."

    // Registers.
    REGISTER_ALIGNMENT "register-alignment"
        meaning "A group of scalar registers is not aligned to its size."
        example "s_mov_b64 s[1:2], 0"
        remedy "Pairs begin at even numbers, larger groups at multiples of 4."
    REGISTER_COUNT "register-count"
        meaning "An operand has more or fewer registers than the instruction reads or writes there."
        example "v_add_f32 v0, v[1:2], v3"
        remedy "The message gives the count. Modifiers such as `dmask`, `tfe` and `offen` change it."
    REGISTER_LIST "register-list"
        meaning "The registers of a list are not consecutive."
        example "s_mov_b64 [s0,s2], 0"
        remedy "Name consecutive registers, or write the group as `s[0:1]`."
    REGISTER_RANGE "register-range"
        meaning "A register's number is larger than the target's last one, or a group ends before it begins."
        example "v_mov_b32 v256, 0"
        remedy "VGPRs are v0 to v255; the message names the last scalar register."
    UNSUPPORTED_REGISTER "unsupported-register"
        meaning "Other generations have a register of this name, but the target does not."
        example "s_mov_b32 s0, null"
        remedy "The message says where the register exists."

    // Modifiers.
    DUPLICATE_MODIFIER "duplicate-modifier"
        meaning "A modifier is written twice on one instruction."
        example "ds_read_b32 v0, v1 offset:4 offset:8"
        remedy "Leave one of them out."
    INVALID_SWIZZLE "invalid-swizzle"
        meaning "The pattern of `swizzle(…)` is not one that the hardware has."
        example "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST, 3, 0)"
        remedy "Modes are QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP and REVERSE; group sizes are powers of two."
    LIST_LENGTH "list-length"
        meaning "A list of bits, such as that of `op_sel`, is longer than the instruction has operands."
        example "v_pk_add_u16 v0, v1, v2 op_sel:[0,0,1,0]"
        remedy "Write one number per source, and one for the destination where the encoding has it."
    MISSING_MODIFIER "missing-modifier"
        meaning "The instruction requires this modifier, because it would do something else without it."
        example "ds_gws_barrier v0"
        remedy "Add the modifier that the message names."
    MODIFIER_VALUE "modifier-value"
        meaning "A modifier has no value, or one that does not exist."
        example "v_mov_b32_dpp v0, v1 row_bcast:7"
        remedy "The message shows the values."
    SCALAR_OFFSET "scalar-offset"
        meaning "The offset of a scalar store or atomic is a register other than M0, which AMD's manual does not allow."
        example "s_store_dword s0, s[2:3], s4"
        remedy "Move the offset to M0, or write a number.";
        source "errata E026"
    UNKNOWN_MODIFIER "unknown-modifier"
        meaning "A word after the operands is not a modifier of any instruction."
        example "v_add_f32 v0, v1, v2 clmp"
        remedy "The message suggests the closest modifier of the instruction."
    UNSUPPORTED_MODIFIER "unsupported-modifier"
        meaning "The modifier exists, but not on this instruction, encoding or target."
        example "ds_read_b32 v0, v1 glc"
        remedy "The message shows the modifiers that the instruction has."
    UNUSED_MODIFIER "unused-modifier"
        meaning "The modifier is encoded, and has no effect on this instruction."
        example "ds_swizzle_b32 v0, v1 offset:0 gds"
        remedy "Leave the modifier out.";
        source "errata E022"

    // Directives and blocks.
    DUPLICATE_METADATA "duplicate-metadata"
        meaning "The source has metadata twice; the last block counts."
        example ".amdgpu_metadata\na: 1\n.end_amdgpu_metadata\n.amdgpu_metadata\na: 1\n.end_amdgpu_metadata"
        remedy "Merge the blocks."
    INVALID_METADATA "invalid-metadata"
        meaning "Metadata of a code object is not valid YAML or does not have the expected structure."
        example ".amdgpu_pal_metadata\na: [\n.end_amdgpu_pal_metadata"
        remedy "The message gives the place in the YAML."
    MISPLACED_DIRECTIVE "misplaced-directive"
        meaning "A statement is written outside the block that it belongs to, or inside one that does not allow it."
        example ".amdhsa_next_free_vgpr 4"
        remedy "The message names the block."
    UNCLOSED_BLOCK "unclosed-block"
        meaning "A block of lines is not closed."
        example ".if 1"
        remedy "Add the directive that ends it: `.endif`, `.endm`, `.endr`, `.end_amdhsa_kernel`."
    UNKNOWN_DIRECTIVE "unknown-directive"
        meaning "Neither LLVM nor CLRX has a directive of this name that the assembler supports."
        example ".lnog 1"
        remedy "The message suggests the closest name."
    UNOPENED_BLOCK "unopened-block"
        meaning "A directive ends a block that was not opened."
        example ".endif"
        remedy "Remove it, or add the beginning; an earlier error may have hidden it."

    // Data and layout.
    EMPTY_FILL "empty-fill"
        meaning "A directive that repeats data has a size or count that makes it emit nothing, or less."
        example ".fill -1, 4, 0"
        remedy "Write a count and a size from 0 on; an element has at most 8 bytes."
    INVALID_ALIGNMENT "invalid-alignment"
        meaning "An alignment is not a power of two, is too large, or its padding is not a multiple of the fill value."
        example ".balign 3"
        remedy "Align to a power of two up to 65536 bytes."
    INVALID_ORG "invalid-org"
        meaning "`.org` moves backward, or to a location that is unknown or in another section."
        example ".long 0\n.org 2"
        remedy "Write a number, or a label of this section plus a number, that lies ahead."
    MISSING_VALUE "missing-value"
        meaning "A list of data has no number between two commas; 0 is stored."
        example ".byte 1,,2"
        remedy "Write the 0."
    SECTION_ADDRESS "section-address"
        meaning "A section is given two different addresses."
        example ".gcn_address 0x1000\n.gcn_address 0x2000"
        remedy "Write `.gcn_address` once per section."
    SECTION_ATTRIBUTE "section-attribute"
        meaning "A section's flag, type or group does not exist, or differs from the section's existing one."
        example ".section .x, \"q\""
        remedy "Flags are a, w, x, M, S; types @progbits, @nobits, @note, @init_array, @fini_array, @preinit_array."
    SECTION_LIMIT "section-limit"
        meaning "A section, all sections, or their number would exceed what the assembler supports."
        example ".fill 0x20000000, 8, 0"
        remedy "Check the counts of `.fill`, `.org` and `.rept`; the sections hold at most 256 MiB, one of zeros 1 TiB."
    TRUNCATED_VALUE "truncated-value"
        meaning "A value has more bits than the data that holds it; the upper bits are dropped."
        example ".byte 0x1ff"
        remedy "Mask the value, or store it with a wider directive."
    ZEROS_SECTION "zeros-section"
        meaning "Nonzero data is put into a section that takes no space in the file."
        example ".bss\n.long 1"
        remedy "Use `.data` or `.rodata`, and `.text` for code."

    // Kernels and code objects.
    CODE_OBJECT_VERSION "code-object-version"
        meaning "A directive requests a code object version that does not exist or is not supported."
        example ".hsa_code_object_version 3, 0"
        remedy "Request versions 2 to 6 with `.amdhsa_code_object_version`."
    DUPLICATE_KEY "duplicate-key"
        meaning "A kernel's descriptor sets a key twice."
        example ".amdhsa_kernel k\n.amdhsa_kernarg_size 8\n.amdhsa_kernarg_size 8\n.end_amdhsa_kernel\nk:"
        remedy "Leave one of them out."
    IMPLIED_LDS "implied-lds"
        meaning "A kernel does not state its LDS; the symbols of `.amdgpu_lds` count."
        example ".amdgpu_lds a, 16\nk:\n.amdhsa_kernel k\n.end_amdhsa_kernel"
        remedy "State it with `.amdhsa_group_segment_fixed_size`, or leave it so."
    IMPLIED_REGISTERS "implied-registers"
        meaning "A kernel does not state its registers; the assembler counts those that its code uses."
        example "k:\ns_endpgm\n.amdhsa_kernel k\n.end_amdhsa_kernel"
        remedy "State them with `.amdhsa_next_free_vgpr` and `.amdhsa_next_free_sgpr`, or leave it so."
    KERNEL_ALIGNMENT "kernel-alignment"
        meaning "A kernel's code begins at an address that the hardware cannot start at."
        example "s_nop 0\nk:\n.amdhsa_kernel k\n.end_amdhsa_kernel"
        remedy "Write `.p2align 8` before the kernel's label."
    KERNEL_WITHOUT_CODE "kernel-without-code"
        meaning "A kernel has a descriptor, and no label of its name."
        example ".amdhsa_kernel k\n.end_amdhsa_kernel"
        remedy "Add the label before the kernel's first instruction; check the spelling."
    KEY_RANGE "key-range"
        meaning "The value of a descriptor's key does not fit into its field."
        example ".amdhsa_kernel k\n.amdhsa_ieee_mode 2\n.end_amdhsa_kernel\nk:"
        remedy "The message gives the range."
    LDS_LIMIT "lds-limit"
        meaning "The symbols in LDS need more memory than a workgroup can have."
        example ".amdgpu_lds a, 65536\n.amdgpu_lds b, 65536"
        remedy "A workgroup has 64 KiB: share the memory, or allocate it at the launch."
    LINK "link"
        meaning "The code object could not be linked."
        example "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, missing@rel32@lo\n.globl other"
        remedy "Define the symbol that the message names, or let the reference go through the GOT."
    NOTE_SIZE "note-size"
        meaning "A name is longer than a note of a code object can hold."
        example ""
        remedy "Shorten the name."
    PAL_METADATA "pal-metadata"
        meaning "The source has PAL's metadata, but the code object is made for HSA."
        example ".amd_amdgpu_pal_metadata 0x2c0a, 0x0"
        remedy "Tools that look for PAL's metadata find it; a PAL driver does not load the file."
    RAW_RELOCATION "raw-relocation"
        meaning "Raw words were requested, but the code has a field that only a linker can fill in."
        example "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, there@rel32@lo\n.data\nthere: .long 0"
        remedy "Make a code object, or refer only to labels in `.text`, relative to the program counter."
    REGISTER_LIMIT "register-limit"
        meaning "A kernel needs more SGPRs than a wave of the target can have."
        example ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 200\n.end_amdhsa_kernel\nk:"
        remedy "Use fewer registers; VCC, FLAT_SCRATCH and XNACK_MASK count."
    UNKNOWN_KEY "unknown-key"
        meaning "A kernel's descriptor has no key of this name on GCN."
        example ".amdhsa_kernel k\n.amdhsa_wavefront_size32 0\n.end_amdhsa_kernel\nk:"
        remedy "The message suggests the closest key; some keys exist on later architectures only."
    UNKNOWN_RELOCATION "unknown-relocation"
        meaning "Code objects have no relocation of this name."
        example ".long a@abs64"
        remedy "Write @abs32@lo, @abs32@hi, @rel32@lo, @rel32@hi, @rel64, @gotpcrel, @gotpcrel32@lo or @gotpcrel32@hi."
    INVALID_RELOCATION "invalid-relocation"
        meaning "`.reloc` names a field outside its section, or a value that a relocation cannot express."
        example ".reloc there, R_AMDGPU_ABS32, a\n.data\nthere: .long 0"
        remedy "Write `.reloc` in the section of the field; the value is a symbol plus a number."
    UNSUPPORTED_KEY "unsupported-key"
        meaning "The descriptor's key exists on other generations, but not on the target."
        example ".amdgcn_target \"amdgcn-amd-amdhsa--gfx801\"\n.amdhsa_kernel k\n.amdhsa_fp16_overflow 1\n.end_amdhsa_kernel\nk:"
        remedy "Leave the key out for this target, for example with `.if .amdgcn.gfx_generation_number >= 9`."
    USER_SGPRS "user-sgprs"
        meaning "The stated number of user SGPRs is smaller than the number that the other keys require."
        example ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 8\n.amdhsa_user_sgpr_count 1\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.end_amdhsa_kernel\nk:"
        remedy "Leave `.amdhsa_user_sgpr_count` out: the sum is computed."

    // Targets.
    TARGET_FEATURE "target-feature"
        meaning "A feature such as xnack does not exist on the target, or two settings of it contradict each other."
        example ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900:tgsplit+\""
        remedy "The features are xnack and sramecc, each followed by + or -."
    TARGET_MISMATCH "target-mismatch"
        meaning "The source is for another GPU than the one that it is assembled for."
        example ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n.gpu Tahiti"
        remedy "Assemble with the `--target` of the source, or change its directive."
    UNKNOWN_TARGET "unknown-target"
        meaning "A directive does not name a GCN GPU or architecture."
        example ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\""
        remedy "`gcn info --targets` lists the GPUs; gfx600 to gfx90c are supported."

    // Macros, loops and files.
    EXPANSION_LIMIT "expansion-limit"
        meaning "Macros, loops and included files expand to more text or repetitions than the assembler allows."
        example ".rept -1\n.endr"
        remedy "Check the recursion's or loop's end; repeat data with `.fill`."
    MACRO_ARGUMENT "macro-argument"
        meaning "A macro call has too many arguments, a missing one, or one with an unknown name."
        example ".macro m a\n.endm\nm 1, 2"
        remedy "The message names the parameter; give parameters defaults as in `a=0`."
    MACRO_PARAMETER "macro-parameter"
        meaning "The list of a macro's parameters is not valid."
        example ".macro m a, a\n.endm"
        remedy "Parameters have different names; the one with `:vararg` comes last."
    NESTING_LIMIT "nesting-limit"
        meaning "Macros, files, scopes or parentheses are nested deeper than the assembler allows."
        example ".macro m\nm\n.endm\nm"
        remedy "End the recursion with `.if` and `.exitm`."
    REDEFINED_MACRO "redefined-macro"
        meaning "A macro of this name is already defined."
        example ".macro m\n.endm\n.macro m\n.endm"
        remedy "Remove the first with `.purgem`, or rename one."
    SOURCE_LIMIT "source-limit"
        meaning "The source is longer than 2 GiB."
        example ""
        remedy "Split the source."
    UNKNOWN_MACRO "unknown-macro"
        meaning "A directive names a macro that is not defined here."
        example ".purgem m"
        remedy "Check the spelling, and define the macro before this line."
    UNREADABLE_FILE "unreadable-file"
        meaning "An included file cannot be read."
        example ".include \"missing.s\""
        remedy "Included paths start at the including file or at a directory given with `-I`."
    USER_ERROR "user-error"
        meaning "The source itself reports an error, with `.error`, `.err`, `.abort` or `.fail`."
        example ".error \"unsupported\""
        remedy "Read the message; its author wrote the condition that leads to it."
    USER_NOTE "user-note"
        meaning "The source itself prints a text, with `.print`."
        example ".print \"here\""
        remedy "Nothing is wrong."
    USER_WARNING "user-warning"
        meaning "The source itself warns, with `.warning` or with `.fail` of 500 or more."
        example ".warning \"slow\""
        remedy "Read the message; its author wrote the condition that leads to it."

    // CLRX's language.
    CLRX_DIRECTIVE "clrx-directive"
        meaning "The directive belongs to CLRX's language, and the source is read as LLVM's."
        example ".scope a\n.ends"
        remedy "Assemble with `--dialect clrx`."
    CLRX_UNSUPPORTED "clrx-unsupported"
        meaning "A part of CLRX's language is not supported: register allocation, or a binary format."
        example ".amd"
        remedy "Name registers, as in `x = %v[0:3]`; make raw words or an HSA code object, see `--format`."
    UNKNOWN_FORMAT "unknown-format"
        meaning "CLRX has no binary format of this name."
        example ".format coff"
        remedy "The supported formats are `raw` and `rocm`."
}
