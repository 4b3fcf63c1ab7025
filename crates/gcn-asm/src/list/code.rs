//! Code to list, as the caller describes it.

use std::borrow::Cow;

use gcn_isa::{Isa, Syntax};
use gcn_object::KernelDescriptor;

/// Prefix of generated labels.
pub const LABELS: &str = "L";

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
#[derive(Clone, Copy, Debug)]
pub struct ListedKernel<'a> {
    /// The name of its code's symbol.
    pub name: &'a str,
    /// Its descriptor. Bits that no directive sets are not written.
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
    /// Its name; without one the listing switches no section.
    pub name: Option<&'a str>,
    /// Lines before its code.
    pub head: &'a str,
    /// The address of its first byte, which only comments show.
    pub address: u64,
    /// Its alignment in bytes, a power of two; `.p2align` is written if it is more than a word's.
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedNote<'a> {
    /// Bytes from the section's begin; the comment comes before the first instruction that begins there or later.
    pub offset: u64,
    /// Its lines.
    pub text: Cow<'a, str>,
}

/// A field that a linker fills in, as text.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListOptions {
    /// The spelling of instructions.
    pub syntax: Syntax,
    /// Adds each line's address and words as a comment.
    pub hex: bool,
}
