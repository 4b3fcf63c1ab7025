//! Types that describe code to list, and listing options.

use std::borrow::Cow;

use gcn_isa::{Isa, Syntax};
use gcn_object::KernelDescriptor;

/// Default prefix of generated labels.
pub const LABELS: &str = "L";
/// Size of a word in bytes.
pub(crate) const WORD: usize = 4;

/// Code to list, with symbols and kernels.
#[derive(Clone, Debug)]
pub struct ListedCode<'a> {
    /// Instruction set for decoding.
    pub isa: Isa,
    /// Operand of `.amdgcn_target`; `None` omits the directive.
    pub target_id: Option<String>,
    /// Operand of `.amdhsa_code_object_version`; the directive is written only for versions 4 to 6.
    pub version: Option<u8>,
    /// True if the assembler reserves XNACK_MASK for the target ID: the chip has XNACK, and it is not turned off.
    pub reserves_xnack: bool,
    /// Prefix of labels generated for branch targets; extended if a symbol begins with it.
    pub labels: &'a str,
    /// Sections in listing order.
    pub sections: Vec<ListedSection<'a>>,
    /// Kernels whose descriptors are written after the code. Kernels without a symbol of the same name are skipped.
    pub kernels: Vec<ListedKernel<'a>>,
    /// YAML text for `.amdgpu_metadata`.
    pub metadata: Option<String>,
}

/// A kernel name and its descriptor.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, ListedCode, ListedKernel, ListedSymbol, list};
/// let isa = gcn_isa::Target::named("gfx900").expect("a target").isa;
/// let mut code = ListedCode::raw(isa, &[0, 0, 0x81, 0xbf]);
/// let symbol = ListedSymbol {
///     name: "ends", offset: 0, size: 4, data: 0, global: true, function: true, before: "", data_text: None,
/// };
/// code.sections[0].symbols.push(symbol);
/// let descriptor = gcn_object::KernelDescriptor { group_segment_fixed_size: 64, ..Default::default() };
/// code.kernels.push(ListedKernel { name: "ends", descriptor: &descriptor });
/// let text = list(&code, &ListOptions::default());
/// assert!(text.contains(".amdhsa_kernel ends\n\t\t.amdhsa_group_segment_fixed_size 64\n"), "{text}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ListedKernel<'a> {
    /// Name of the kernel's code symbol.
    pub name: &'a str,
    /// Kernel descriptor. Bits that no directive can set are lost.
    pub descriptor: &'a KernelDescriptor,
}

impl<'a> ListedCode<'a> {
    /// Wraps raw code without a container: one unnamed section at address zero.
    pub fn raw(isa: Isa, bytes: &'a [u8]) -> ListedCode<'a> {
        let section = ListedSection {
            name: None,
            head: "",
            address: 0,
            align: 1,
            bytes,
            symbols: Vec::new(),
            open: Vec::new(),
            notes: Vec::new(),
        };
        ListedCode {
            isa,
            target_id: None,
            version: None,
            reserves_xnack: false,
            labels: LABELS,
            sections: vec![section],
            kernels: Vec::new(),
            metadata: None,
        }
    }
}

/// A code section to list.
#[derive(Clone, Debug)]
pub struct ListedSection<'a> {
    /// Section name; `None` omits the section directive.
    pub name: Option<&'a str>,
    /// Lines written before the code.
    pub head: &'a str,
    /// Address of the first byte; used only in comments.
    pub address: u64,
    /// Alignment in bytes, a power of two; `.p2align` is written for more than a word.
    pub align: u64,
    /// Code as little-endian words.
    pub bytes: &'a [u8],
    /// Symbols in this section, in any order.
    pub symbols: Vec<ListedSymbol<'a>>,
    /// Relocated fields, in ascending order of offset.
    pub open: Vec<ListedField<'a>>,
    /// Comments, in ascending order of offset.
    pub notes: Vec<ListedNote<'a>>,
}

/// A comment on lines of its own, before an instruction.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, ListedCode, ListedNote, list};
/// let isa = gcn_isa::Target::named("gfx900").expect("a target").isa;
/// let words = [0xbf80_0000_u32, 0xbf81_0000].map(u32::to_le_bytes).concat();
/// let mut code = ListedCode::raw(isa, &words);
/// code.sections[0].notes.push(ListedNote { offset: 4, text: "scale.cl:12".into() });
/// assert_eq!(list(&code, &ListOptions::default()), "\ts_nop 0\n// scale.cl:12\n\ts_endpgm\n");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedNote<'a> {
    /// Byte offset; the comment precedes the first instruction at or after it.
    pub offset: u64,
    /// Comment text of one or more lines.
    pub text: Cow<'a, str>,
}

/// Textual forms of a relocated field.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, ListedCode, ListedField, list};
/// let isa = gcn_isa::Target::named("gfx900").expect("a target").isa;
/// let mut code = ListedCode::raw(isa, &[0, 0, 0x82, 0xbf]);
/// let reloc = "R_AMDGPU_REL16, other";
/// code.sections[0].open.push(ListedField { offset: 0, operand: Some("other"), long: None, reloc });
/// assert!(list(&code, &ListOptions::default()).starts_with("\ts_branch other\n"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedField<'a> {
    /// Byte offset in the section.
    pub offset: u64,
    /// Value as an instruction operand, if it can be written as one.
    pub operand: Option<&'a str>,
    /// Value as an operand of `.long`, if it can be written as one.
    pub long: Option<&'a str>,
    /// Relocation kind and expression for `.reloc`, which can express any field.
    pub reloc: &'a str,
}

/// A symbol defined in a section.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, ListedCode, ListedSymbol, list};
/// let isa = gcn_isa::Target::named("gfx900").expect("a target").isa;
/// let words = [0xbf81_0000_u32, 7].map(u32::to_le_bytes).concat();
/// let mut code = ListedCode::raw(isa, &words);
/// let symbol = ListedSymbol {
///     name: "ends", offset: 0, size: 0, data: 0, global: true, function: false, before: "", data_text: None,
/// };
/// code.sections[0].symbols = vec![symbol, ListedSymbol { name: "table", offset: 4, data: 4, global: false, ..symbol }];
/// let text = list(&code, &ListOptions::default());
/// let lines: Vec<&str> = text.lines().map(str::trim).collect();
/// assert_eq!(lines, [".globl ends", "ends:", "s_endpgm", "table:", ".long 0x00000007"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedSymbol<'a> {
    /// Symbol name.
    pub name: &'a str,
    /// Byte offset in the section; symbols outside the section are omitted.
    pub offset: u64,
    /// Size in bytes; `.size` is omitted if zero.
    pub size: u64,
    /// Number of data bytes at the symbol: a whole table, or the header before a kernel's code.
    pub data: u64,
    /// True to write `.globl`.
    pub global: bool,
    /// True to write `.type NAME,@function`.
    pub function: bool,
    /// Further attribute directives, written before the label.
    pub before: &'a str,
    /// Lines that represent the symbol's data, which must not contain other symbols.
    pub data_text: Option<&'a str>,
}

/// Listing options.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, ListedCode, list};
/// use gcn_isa::Syntax;
/// let isa = gcn_isa::Target::named("gfx900").expect("a target").isa;
/// let code = ListedCode::raw(isa, &[1, 3, 0, 0x7e]);
/// let text = |syntax, hex| list(&code, &ListOptions { syntax, hex }).trim().to_owned();
/// assert_eq!(text(Syntax::Llvm, false), "v_mov_b32_e32 v0, v1");
/// assert_eq!(text(Syntax::Clrx, false), "v_mov_b32       v0, v1");
/// assert!(text(Syntax::Llvm, true).ends_with(" // 000000000000: 7E000301"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListOptions {
    /// Instruction syntax.
    pub syntax: Syntax,
    /// Adds a comment with address and words to each line.
    pub hex: bool,
}
