//! Assembled program: sections with bytes and relocations, symbols, kernels, and a listing.

use std::ops::Range;

use gcn_isa::{Form, Inst, Target};
use gcn_object::{Binding, Feature, KernelDescriptor, RelocationKind, SymbolKind, Visibility};

/// Name of the code section.
pub(crate) const TEXT: &str = ".text";

/// An assembled program. Sections start at address 0 until the program is linked.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, SymbolPlace, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "s_nop 0\nend:\ns_endpgm\n.data\n.long 1, 2\n" };
/// let program = assemble(&source, &Options::new(target)).program;
/// assert_eq!(program.section(".data").map(|section| section.size), Some(8));
/// let end = program.symbols.iter().find(|symbol| symbol.name == "end").expect("a label");
/// assert_eq!(end.place, SymbolPlace::Section { section: 0, offset: 4 });
/// assert!(!end.is_temporary());
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    /// Target from the options; `.amdgcn_target` must name the same one.
    pub target: &'static Target,
    /// XNACK setting (replay of faulting accesses), as in `.amdgcn_target "…:xnack+"`.
    pub xnack: Feature,
    /// SRAM ECC setting, as in `.amdgcn_target "…:sramecc+"`.
    pub sramecc: Feature,
    /// Version from `.amdhsa_code_object_version`, or implied by other directives: 2 to 6.
    pub code_object_version: Option<u8>,
    /// Sections in order of first appearance, beginning with `.text`.
    pub sections: Vec<ProgramSection>,
    /// Symbols in order of first appearance. Relocations refer to them by index.
    pub symbols: Vec<ProgramSymbol>,
    /// Kernels declared by `.amdhsa_kernel`. Their descriptors are also part of the section contents.
    pub kernels: Vec<ProgramKernel>,
    /// Metadata between `.amdgpu_metadata` and `.end_amdgpu_metadata`.
    pub metadata: Option<ProgramMetadata>,
    /// Strings from `.ident` directives.
    pub identifications: Vec<String>,
    /// All instructions in source order, if the options request a listing or debug information.
    pub(crate) marks: Vec<PackedInstruction>,
    /// Lines of instructions and labels, if the options request debug information.
    pub(crate) lines: Option<ProgramLines>,
}

/// Compact record of an instruction, whose words are in the section contents.
#[derive(Clone, Debug)]
pub(crate) struct PackedInstruction {
    /// Byte offset in the section.
    pub offset: u32,
    /// Start of the statement's span.
    pub start: u32,
    /// Length of the statement's span in bytes, saturating.
    pub length: u16,
    pub section: u16,
    pub form: &'static Form,
    /// Number of fields that lack their final values.
    pub open_fields: u8,
}

impl PackedInstruction {
    /// Creates a record for an instruction, without its source location.
    pub(crate) fn new(
        section: u32,
        offset: u64,
        form: &'static Form,
        open_fields: u8,
    ) -> PackedInstruction {
        PackedInstruction {
            // Limits on sections and sources keep these values in range.
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            start: 0,
            length: 0,
            section: u16::try_from(section).unwrap_or(u16::MAX),
            form,
            open_fields,
        }
    }

    /// Sets the source location to the statement's span.
    pub(crate) fn place(&mut self, span: &Range<usize>) {
        self.start = u32::try_from(span.start).unwrap_or(u32::MAX);
        self.length = u16::try_from(span.len()).unwrap_or(u16::MAX);
    }

    /// Span of the statement in the source.
    pub(crate) fn span(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.length)
    }
}

/// Source locations of a program.
#[derive(Clone, Debug)]
pub(crate) struct ProgramLines {
    /// Base directory for relative paths.
    pub directory: String,
    /// Source paths, main file first.
    pub files: Vec<String>,
    /// Text of each file; empty if not embedded.
    pub texts: Vec<String>,
    /// Locations of instructions.
    pub rows: Vec<LinePlace>,
    /// Locations of labels in code, each with the index of its symbol.
    pub labels: Vec<(usize, LinePlace)>,
}

/// Source location of an instruction or a label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinePlace {
    pub section: usize,
    /// Byte offset in the section.
    pub offset: u64,
    /// Size in bytes; 0 for a label.
    pub size: u64,
    /// Index into the source files.
    pub file: usize,
    /// One-based line number.
    pub line: u64,
}

/// A program section.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, SectionKind, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: ".rodata\n.p2align 4\n.long 7\n.bss\n.skip 64\n" };
/// let program = assemble(&source, &Options::new(target)).program;
/// let [rodata, bss] = [".rodata", ".bss"].map(|name| program.section(name).expect(name));
/// assert_eq!((rodata.kind, rodata.align, &rodata.bytes[..]), (SectionKind::ProgBits, 16, &[7, 0, 0, 0][..]));
/// assert!(rodata.flags.alloc && !rodata.flags.write && bss.flags.write);
/// assert_eq!((bss.kind, bss.size, bss.bytes.len()), (SectionKind::NoBits, 64, 0));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSection {
    /// Section name.
    pub name: String,
    /// Kind of contents.
    pub kind: SectionKind,
    /// Section flags, such as loaded, writable and executable.
    pub flags: SectionFlags,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// Link address, if specified by `.gcn_address`.
    pub address: Option<u64>,
    /// Section contents; empty for [`SectionKind::NoBits`].
    pub bytes: Vec<u8>,
    /// Size in bytes.
    pub size: u64,
    /// Relocations with their addends. The relocated fields hold zero, except those of `.reloc`.
    pub relocations: Vec<ProgramRelocation>,
}

/// Kind of section contents, which determines the ELF type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionKind {
    /// Program data (`SHT_PROGBITS`).
    ProgBits,
    /// Zeros that take no space in the file (`SHT_NOBITS`).
    NoBits,
    /// ELF notes (`SHT_NOTE`).
    Note,
    /// Array of function pointers for the loader, such as `SHT_INIT_ARRAY`, by ELF section type.
    Other(u32),
}

/// Section flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SectionFlags {
    /// Loaded into memory at run time.
    pub alloc: bool,
    /// Writable.
    pub write: bool,
    /// Contains code.
    pub exec: bool,
    /// Contains elements that may be merged if identical.
    pub merge: bool,
    /// Contains null-terminated strings.
    pub strings: bool,
}

/// A relocation for the linker to apply.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// use gcn_object::RelocationKind;
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: ".data\n.quad other + 8\n" };
/// let program = assemble(&source, &Options::new(target)).program;
/// let field = &program.section(".data").expect("the section exists").relocations[0];
/// assert_eq!((field.offset, field.kind, field.addend), (0, RelocationKind::Abs64, 8));
/// assert_eq!(program.symbols[field.symbol].name, "other");
/// assert_eq!(&source.text[field.span.clone()], "other + 8");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramRelocation {
    /// Byte offset of the field in the section.
    pub offset: u64,
    /// Relocation kind.
    pub kind: RelocationKind,
    /// Index of the symbol in [`Program::symbols`].
    pub symbol: usize,
    /// Constant added to the symbol's value.
    pub addend: i64,
    /// Span of the expression in the source.
    pub span: Range<usize>,
}

/// A program symbol.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, SymbolPlace, assemble};
/// use gcn_object::Binding;
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: ".globl answer\nanswer = 42\n.Lagain: s_branch .Lagain\n" };
/// let program = assemble(&source, &Options::new(target)).program;
/// let named = |name: &str| program.symbols.iter().find(|symbol| symbol.name == name).expect(name);
/// assert_eq!((named("answer").place, named("answer").binding), (SymbolPlace::Absolute(42), Binding::Global));
/// assert!(named(".Lagain").is_temporary() && !named("answer").is_temporary());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSymbol {
    /// Symbol name; empty for numeric labels that are defined, and for other anonymous symbols.
    pub name: String,
    /// Location or value of the symbol.
    pub place: SymbolPlace,
    /// Size in bytes, for example from `.size` or `.comm`.
    pub size: u64,
    /// Binding from `.globl`, `.weak` or `.local`. By default, undefined, common and descriptor symbols are global, others local.
    pub binding: Binding,
    /// Visibility from `.hidden`, `.protected` or `.internal`.
    pub visibility: Visibility,
    /// Symbol type, for example from `.type`.
    pub kind: SymbolKind,
    /// Span of the definition, or of the first use if undefined.
    pub span: Range<usize>,
    /// True for symbols defined by the assembler, such as `.amdgcn.next_free_vgpr`.
    pub is_builtin: bool,
}

impl ProgramSymbol {
    /// Returns true if the symbol is internal to the assembler: built-in symbols, numeric labels, and names that begin
    /// with `.L`.
    pub fn is_temporary(&self) -> bool {
        self.is_builtin || self.name.is_empty() || self.name.starts_with(".L")
    }
}

/// Location or value of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolPlace {
    /// Not defined in this program.
    Undefined,
    /// Absolute number.
    Absolute(i64),
    /// Position in a section.
    Section {
        /// Index of the section in [`Program::sections`].
        section: usize,
        /// Byte offset in the section.
        offset: u64,
    },
    /// Common symbol (`.comm`): zeros allocated by the linker.
    Common {
        /// Alignment in bytes.
        align: u64,
    },
}

/// A kernel declared by `.amdhsa_kernel`.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let text = ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 16\n.end_amdhsa_kernel\nk: s_endpgm\n";
/// let program = assemble(&Source { name: "a.s", text }, &Options::new(target)).program;
/// let kernel = &program.kernels[0];
/// assert_eq!(kernel.name, "k");
/// let rsrc1 = kernel.descriptor.compute_pgm_rsrc1;
/// assert_eq!(rsrc1.granulated_workitem_vgpr_count(), 1, "two blocks of four");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramKernel {
    /// Name of the code symbol; the descriptor symbol has the suffix `.kd`.
    pub name: String,
    /// Kernel descriptor built from the directives.
    pub descriptor: KernelDescriptor,
    /// Span of the directive.
    pub span: Range<usize>,
}

/// Metadata as written in the source.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let text = ".amdgpu_metadata\namdhsa.version: [1, 2]\n.end_amdgpu_metadata\n";
/// let program = assemble(&Source { name: "a.s", text }, &Options::new(target)).program;
/// let metadata = program.metadata.expect("the program has metadata");
/// assert_eq!(metadata.yaml.trim_end(), "amdhsa.version: [1, 2]");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramMetadata {
    /// YAML text.
    pub yaml: String,
    /// Span of the text in the source.
    pub span: Range<usize>,
}

/// An instruction in the program, with its location.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "s_mov_b32 s0, 7\ns_mov_b32 s1, other\n" };
/// let program = assemble(&source, &Options::new(target)).program;
/// let open: Vec<bool> = program.listing().map(|listing| listing.open).collect();
/// assert_eq!(open, [false, true], "a linker fills in the address");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Index of the section in [`Program::sections`].
    pub section: u32,
    /// Byte offset in the section.
    pub offset: u64,
    /// Instruction with all resolved values filled in.
    pub inst: Inst,
    /// Span of the statement.
    pub span: Range<usize>,
    /// True if a field lacks its final value, because of a relocation or an error.
    pub open: bool,
}

impl Program {
    /// All instructions in source order; empty unless the options request a listing or debug information.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Options, Source, assemble};
    /// let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let source = Source { name: "a.s", text: "s_nop 0\ns_endpgm // the last\n" };
    /// let program = assemble(&source, &Options::new(target)).program;
    /// let last = program.listing().last().expect("two instructions");
    /// assert_eq!((last.offset, last.inst.text(), last.open), (4, "s_endpgm".to_owned(), false));
    /// assert_eq!(source.text[last.span].trim(), "s_endpgm");
    /// ```
    pub fn listing(&self) -> impl Iterator<Item = Listing> + '_ {
        self.marks.iter().map(|mark| {
            let section = u32::from(mark.section);
            let offset = u64::from(mark.offset);
            let bytes = self.sections.get(section as usize);
            let bytes = bytes.map_or(&[][..], |section| &section.bytes);
            Listing {
                section,
                offset,
                inst: inst_at(bytes, offset, mark.form),
                span: mark.span(),
                open: mark.open_fields > 0,
            }
        })
    }

    /// First section called `name`.
    pub fn section(&self, name: &str) -> Option<&ProgramSection> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// Bytes of `.text`, with zeros in relocated fields; [`Program::to_linked_raw`] fills them in.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Options, Source, assemble};
    /// let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let source = Source { name: "a.s", text: ".data\n.long 7\n.text\ns_endpgm\n" };
    /// let program = assemble(&source, &Options::new(target)).program;
    /// assert_eq!(program.to_raw(), 0xbf81_0000_u32.to_le_bytes());
    /// ```
    pub fn to_raw(&self) -> Vec<u8> {
        self.section(TEXT)
            .map(|s| s.bytes.clone())
            .unwrap_or_default()
    }
}

/// Instruction of the given form at an offset in section contents.
pub(crate) fn inst_at(bytes: &[u8], offset: u64, form: &'static Form) -> Inst {
    let (words, _) = bytes.get(offset as usize..).unwrap_or(&[]).as_chunks();
    let word = |index: usize| words.get(index).map_or(0, |&word| u32::from_le_bytes(word));
    Inst::with_words(form, [word(0), word(1)])
}
