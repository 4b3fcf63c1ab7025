//! Result of an assembly: sections with bytes and relocations, symbols, kernels, and a listing.

use std::ops::Range;

use gcn_isa::{Form, Inst, Target};
use gcn_object::{Binding, Feature, KernelDescriptor, RelocationKind, SymbolKind, Visibility};

/// Name of the code section.
pub(crate) const TEXT: &str = ".text";

/// An assembled program. Sections start at address 0 until a writer lays them out.
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
    /// Target from `.amdgcn_target`, or else from the options.
    pub target: &'static Target,
    /// XNACK (replay of faulting accesses) setting, as in `.amdgcn_target "…:xnack+"`.
    pub xnack: Feature,
    /// SRAM ECC setting, as in `.amdgcn_target "…:sramecc+"`.
    pub sramecc: Feature,
    /// Value of `.amdhsa_code_object_version`, or the version implied by other directives: 2 to 6.
    pub code_object_version: Option<u8>,
    /// In order of first appearance; `.text` is always the first.
    pub sections: Vec<ProgramSection>,
    /// In order of first appearance. Relocations name them by index.
    pub symbols: Vec<ProgramSymbol>,
    /// Kernels declared by `.amdhsa_kernel`. Their descriptors are in `.rodata` too.
    pub kernels: Vec<ProgramKernel>,
    /// The YAML between `.amdgpu_metadata` and `.end_amdgpu_metadata`.
    pub metadata: Option<ProgramMetadata>,
    /// `.ident` strings.
    pub identifications: Vec<String>,
    /// All instructions in source order, if requested by the options.
    pub(crate) marks: Vec<PackedInstruction>,
    /// Lines of instructions and labels, if the options request debug information.
    pub(crate) lines: Option<ProgramLines>,
}

/// Instruction of the program in compact form. Its words are in the section's contents.
#[derive(Clone, Debug)]
pub(crate) struct PackedInstruction {
    /// In bytes from the start of the section.
    pub offset: u32,
    /// Start of the statement in the source.
    pub start: u32,
    /// Length of the statement in bytes, saturating.
    pub length: u16,
    pub section: u16,
    pub form: &'static Form,
    pub is_open: bool,
}

impl PackedInstruction {
    /// Creates the entry for a statement's instruction.
    pub(crate) fn new(
        section: u32,
        offset: u64,
        form: &'static Form,
        is_open: bool,
    ) -> PackedInstruction {
        PackedInstruction {
            // Sections and sources have lower limits.
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            start: 0,
            length: 0,
            section: u16::try_from(section).unwrap_or(u16::MAX),
            form,
            is_open,
        }
    }

    /// Sets the location of the statement.
    pub(crate) fn place(&mut self, span: &Range<usize>) {
        self.start = u32::try_from(span.start).unwrap_or(u32::MAX);
        self.length = u16::try_from(span.len()).unwrap_or(u16::MAX);
    }

    /// Span of the statement.
    pub(crate) fn span(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.length)
    }
}

/// Source locations of a program.
#[derive(Clone, Debug)]
pub(crate) struct ProgramLines {
    /// Directory that relative paths are based on.
    pub directory: String,
    /// Paths of the sources, the main one first.
    pub files: Vec<String>,
    /// Texts of the files; empty if they are not embedded.
    pub texts: Vec<String>,
    /// Location of each instruction.
    pub rows: Vec<LinePlace>,
    /// Locations of labels in code, with the index of their symbol.
    pub labels: Vec<(usize, LinePlace)>,
}

/// Source location of an instruction or a label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinePlace {
    pub section: usize,
    /// In bytes from the start of the section.
    pub offset: u64,
    /// Size of the instruction in bytes; 0 for a label.
    pub size: u64,
    /// Index of the file.
    pub file: usize,
    /// From 1.
    pub line: u64,
}

/// A section.
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
    /// Name.
    pub name: String,
    /// Kind of its contents.
    pub kind: SectionKind,
    /// Flags of the section, such as loaded, writable and executable.
    pub flags: SectionFlags,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// Address that the section is linked at (`.gcn_address`), if specified.
    pub address: Option<u64>,
    /// Bytes; empty if its kind is [`SectionKind::NoBits`].
    pub bytes: Vec<u8>,
    /// Size in bytes.
    pub size: u64,
    /// Relocations in source order. The fields hold zero; addends are stored here.
    pub relocations: Vec<ProgramRelocation>,
}

/// Kind of a section's contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionKind {
    /// Bytes.
    ProgBits,
    /// Zeros that occupy no space in the file.
    NoBits,
    /// ELF notes.
    Note,
    /// Another ELF section type, by number: arrays of addresses.
    Other(u32),
}

/// Flags of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SectionFlags {
    /// Part of the loaded image.
    pub alloc: bool,
    /// May be written.
    pub write: bool,
    /// Holds code.
    pub exec: bool,
    /// Identical elements may be merged.
    pub merge: bool,
    /// Contains null-terminated strings.
    pub strings: bool,
}

/// A relocation, which the linker applies.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// use gcn_object::RelocationKind;
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: ".data\n.quad other + 8\n" };
/// let program = assemble(&source, &Options::new(target)).program;
/// let field = &program.section(".data").expect("it is there").relocations[0];
/// assert_eq!((field.offset, field.kind, field.addend), (0, RelocationKind::Abs64, 8));
/// assert_eq!(program.symbols[field.symbol].name, "other");
/// assert_eq!(&source.text[field.span.clone()], "other + 8");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramRelocation {
    /// Offset of the field from the start of the section, in bytes.
    pub offset: u64,
    /// Kind of the relocation.
    pub kind: RelocationKind,
    /// Index of the symbol.
    pub symbol: usize,
    /// Addend.
    pub addend: i64,
    /// Span of the expression in the source.
    pub span: Range<usize>,
}

/// A symbol.
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
    /// Name; empty for numeric labels.
    pub name: String,
    /// Location of the symbol.
    pub place: SymbolPlace,
    /// Size in bytes (`.size`).
    pub size: u64,
    /// `.globl`, `.weak`, `.local`. Undefined symbols are global.
    pub binding: Binding,
    /// `.hidden`, `.protected`, `.internal`.
    pub visibility: Visibility,
    /// `.type`.
    pub kind: SymbolKind,
    /// Span of the definition, or of the first use.
    pub span: Range<usize>,
    /// True for symbols that the assembler defines, for example `.amdgcn.next_free_vgpr`.
    pub is_builtin: bool,
}

impl ProgramSymbol {
    /// True if the symbol stays internal to the assembler: built-in symbols, names with `.L` and numeric labels.
    pub fn is_temporary(&self) -> bool {
        self.is_builtin || self.name.is_empty() || self.name.starts_with(".L")
    }
}

/// Location of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolPlace {
    /// Not defined in this source.
    Undefined,
    /// A number.
    Absolute(i64),
    /// In a section.
    Section {
        /// Index.
        section: usize,
        /// In bytes from the start of the section.
        offset: u64,
    },
    /// Common symbol (`.comm`): zeros that the linker allocates.
    Common {
        /// Alignment in bytes.
        align: u64,
    },
}

/// A kernel.
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
    /// Name of the code symbol; the descriptor's symbol appends `.kd`.
    pub name: String,
    /// Descriptor built from `.amdhsa_kernel`.
    pub descriptor: KernelDescriptor,
    /// The directive.
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
/// let metadata = program.metadata.expect("it is there");
/// assert_eq!(metadata.yaml.trim_end(), "amdhsa.version: [1, 2]");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramMetadata {
    /// The YAML document.
    pub yaml: String,
    /// Span in the source.
    pub span: Range<usize>,
}

/// An instruction of the program, with its location.
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
    /// Index of the section.
    pub section: u32,
    /// In bytes from the start of the section.
    pub offset: u64,
    /// The instruction with all resolved values filled in.
    pub inst: Inst,
    /// The statement.
    pub span: Range<usize>,
    /// True if a field is incomplete because of a relocation or an error.
    pub open: bool,
}

impl Program {
    /// All instructions in source order; empty if the options do not request a listing.
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
                open: mark.is_open,
            }
        })
    }

    /// The section with this name.
    pub fn section(&self, name: &str) -> Option<&ProgramSection> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// Bytes of `.text`. Relocated fields hold zero; [`Program::to_linked_raw`] fills them in.
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

/// The instruction with this form that was assembled at an offset of a section with these bytes.
pub(crate) fn inst_at(bytes: &[u8], offset: u64, form: &'static Form) -> Inst {
    let (words, _) = bytes.get(offset as usize..).unwrap_or(&[]).as_chunks();
    let word = |index: usize| words.get(index).map_or(0, |&word| u32::from_le_bytes(word));
    Inst::with_words(form, [word(0), word(1)])
}
