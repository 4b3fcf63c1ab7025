//! Code to list, as the caller describes it.

use std::borrow::Cow;

use gcn_isa::{Isa, Syntax};
use gcn_object::KernelDescriptor;

/// Prefix of generated labels.
pub const LABELS: &str = "L";
/// Bytes of a word.
pub(crate) const WORD: usize = 4;

/// Code to list.
#[derive(Clone, Debug)]
pub struct ListedCode<'a> {
    /// The instruction set that decodes it.
    pub isa: Isa,
    /// The operand of `.amdgcn_target`; without it the directive is not written.
    pub target_id: Option<String>,
    /// The operand of `.amdhsa_code_object_version`, if there is such a directive for it (4 to 6).
    pub version: Option<u8>,
    /// True if the target id asks for XNACK_MASK (the chip has XNACK, and it is not off).
    pub reserves_xnack: bool,
    /// Prefix of labels generated for branches; made longer if a symbol begins with it.
    pub labels: &'a str,
    /// Runs of code, in the order of the listing.
    pub sections: Vec<ListedSection<'a>>,
    /// Kernels whose descriptors are written after the code, each if a symbol has its name.
    pub kernels: Vec<ListedKernel<'a>>,
    /// YAML for `.amdgpu_metadata`.
    pub metadata: Option<String>,
}

/// A kernel.
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
    /// The name of its code's symbol.
    pub name: &'a str,
    /// Descriptor. Bits that no directive sets are not written.
    pub descriptor: &'a KernelDescriptor,
}

impl<'a> ListedCode<'a> {
    /// Words without a container: one nameless section at address zero.
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

/// A run of code.
#[derive(Clone, Debug)]
pub struct ListedSection<'a> {
    /// Name; without one the listing switches no section.
    pub name: Option<&'a str>,
    /// Lines before its code.
    pub head: &'a str,
    /// The address of its first byte, which only comments show.
    pub address: u64,
    /// Alignment in bytes, a power of two; `.p2align` is written if it is more than a word's.
    pub align: u64,
    /// The code: words, little endian.
    pub bytes: &'a [u8],
    /// Names of places in it, in any order.
    pub symbols: Vec<ListedSymbol<'a>>,
    /// Fields that a linker fills in, in the order of their places.
    pub open: Vec<ListedField<'a>>,
    /// Comments, in the order of their places.
    pub notes: Vec<ListedNote<'a>>,
}

/// A comment on lines of its own before an instruction.
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
    /// Bytes from the section's begin; the comment comes before the first instruction that begins there or later.
    pub offset: u64,
    /// Lines.
    pub text: Cow<'a, str>,
}

/// A field that a linker fills in, as text.
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
    /// Bytes from the section's begin.
    pub offset: u64,
    /// The operand of an instruction that names the value to fill in, if one can.
    pub operand: Option<&'a str>,
    /// The operand of `.long` that names it, if one can.
    pub long: Option<&'a str>,
    /// Kind and expression as `.reloc` has them, which can say it always.
    pub reloc: &'a str,
}

/// A name of a place in a section.
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
    /// The name.
    pub name: &'a str,
    /// Bytes from the section's begin; a symbol outside the section is left out.
    pub offset: u64,
    /// In bytes; `.size` is written if it is not zero.
    pub size: u64,
    /// Bytes from it on that are no instructions: all of a table, the header before a kernel's code.
    pub data: u64,
    /// True if `.globl` is written.
    pub global: bool,
    /// True if `.type NAME,@function` is written.
    pub function: bool,
    /// Lines before its label that say what else it is.
    pub before: &'a str,
    /// Lines that stand for its data; no other symbol is inside of that.
    pub data_text: Option<&'a str>,
}

/// Options of a listing.
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
    /// The spelling of instructions.
    pub syntax: Syntax,
    /// Adds each line's address and words as a comment.
    pub hex: bool,
}
