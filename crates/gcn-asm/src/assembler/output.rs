//! Assembler output: section contents, fixups, instruction records and kernels.

use std::ops::Range;

use gcn_isa::Form;
use gcn_object::RelocationKind;

use crate::argument::DelayedValue;
use crate::assembler::layout::Layout;
use crate::descriptor::KernelDirectives;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::encode::DelayedField;
use crate::header::{BEGIN, END, HeaderDirectives};
use crate::ids;
use crate::inputs::features::Features;
use crate::inputs::options::Options;
use crate::program::{
    PackedInstruction, ProgramKernel, ProgramMetadata, ProgramRelocation, SectionKind,
};

/// Maximum total of section contents in bytes; keeps mistakes from exhausting memory.
const MAX_BYTES: u64 = 1 << 28;
/// Maximum size in bytes of a section of zeros, which needs no memory.
pub(crate) const MAX_NOBITS: u64 = 1 << 40;
/// S_NOP, used to pad code.
pub(crate) const NOP: [u8; 4] = 0xbf80_0000u32.to_le_bytes();

/// Output collected for the program.
pub(crate) struct Output {
    /// Section contents by section index; trailing empty ones may be missing.
    pub contents: Vec<SectionContents>,
    /// Total size of the contents in bytes; excludes sections of zeros.
    total: u64,
    pub fixups: Vec<Fixup>,
    pub relocs: Vec<RelocDirective>,
    pub marks: Vec<PackedInstruction>,
    pub kernels: DeclaredKernels,
    pub features: Features,
    pub metadata: Option<ProgramMetadata>,
    pub code_object_version: Option<u8>,
    pub identifications: Vec<String>,
    /// True if instructions are recorded, for the listing or for debug information.
    pub is_listing: bool,
}

/// A section's bytes and relocations.
#[derive(Default)]
pub(crate) struct SectionContents {
    /// Empty for a section of zeros.
    pub bytes: Vec<u8>,
    pub relocations: Vec<ProgramRelocation>,
}

/// Kernels declared by directives.
#[derive(Default)]
pub(crate) struct DeclaredKernels {
    /// Open `.amdhsa_kernel` block.
    pub open: Option<KernelDirectives>,
    pub closed: Vec<KernelDirectives>,
    /// Open `.amd_kernel_code_t` block.
    pub open_header: Option<HeaderDirectives>,
    pub closed_headers: Vec<HeaderDirectives>,
    pub finished: Vec<ProgramKernel>,
    /// Total LDS size of `.amdgpu_lds` symbols, in bytes.
    pub lds_size: u32,
}

impl DeclaredKernels {
    /// Checks that no kernel block is open, because such a block holds only keys. `word` begins the statement.
    pub(crate) fn check_outside(&self, word: &str, span: &Range<usize>) -> Result<(), Fail> {
        let block = match (&self.open, &self.open_header) {
            (Some(kernel), _) => {
                format!("`.amdhsa_kernel {}` and `.end_amdhsa_kernel`", kernel.name)
            }
            (None, Some(_)) => format!("`{BEGIN}` and `{END}`"),
            (None, None) => return Ok(()),
        };
        let message = format!("`{word}` cannot be between {block}");
        Err(fail(&ids::MISPLACED_DIRECTIVE, span.clone(), message))
    }
}

/// A field filled in at the end of the source.
#[derive(Clone, Debug)]
pub(crate) struct Fixup {
    pub section: u32,
    /// Offset of the data or instruction in the section, in bytes.
    pub offset: u64,
    pub kind: FixupKind,
    pub value: DelayedValue,
    pub span: Range<usize>,
    /// Form and record index of the instruction that contains the field.
    pub instruction: Option<(&'static Form, usize)>,
}

impl Fixup {
    /// Returns true for a branch whose target is already known and in the same section, such as an earlier label.
    pub(crate) fn is_to_label_before(&self) -> bool {
        let DelayedValue::Value(value) = self.value else {
            return false;
        };
        let place = value.plus.and_then(|term| term.place);
        self.kind == FixupKind::Branch
            && value.minus.is_none()
            && place.is_some_and(|(section, _)| section == self.section)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FixupKind {
    /// Data of this width in bytes.
    Data(u8),
    /// An instruction's literal dword.
    Literal,
    /// Branch offset.
    Branch,
    /// Another field of an instruction.
    Field(DelayedField),
}

/// Relocation requested by `.reloc`.
#[derive(Clone, Debug)]
pub(crate) struct RelocDirective {
    pub section: u32,
    pub place: DelayedValue,
    pub kind: RelocationKind,
    pub value: DelayedValue,
    pub span: Range<usize>,
}

impl Output {
    /// Creates an empty output; records instructions if the options request a listing or debug information.
    pub(crate) fn new(options: &Options<'_>) -> Output {
        Output {
            contents: Vec::new(),
            total: 0,
            fixups: Vec::new(),
            relocs: Vec::new(),
            marks: Vec::new(),
            kernels: DeclaredKernels::default(),
            features: options.features,
            metadata: None,
            code_object_version: None,
            identifications: Vec::new(),
            is_listing: options.listing || options.debug.is_some(),
        }
    }

    /// Mutable contents of a section, created if missing.
    fn contents_mut(&mut self, section: u32) -> Option<&mut SectionContents> {
        let index = section as usize;
        if index >= self.contents.len() {
            self.contents.resize_with(index + 1, Default::default);
        }
        self.contents.get_mut(index)
    }

    pub(crate) fn relocate(&mut self, section: u32, relocation: ProgramRelocation) {
        if let Some(contents) = self.contents_mut(section) {
            contents.relocations.push(relocation);
        }
    }

    pub(crate) fn bytes(&self, section: u32) -> &[u8] {
        let contents = self.contents.get(section as usize);
        contents.map_or(&[], |contents| &contents.bytes)
    }

    /// Adds to the total size of the contents; fails if it would exceed the limit.
    fn count(&mut self, bytes: u64, span: &Range<usize>) -> Result<(), Fail> {
        let total = self.total.saturating_add(bytes);
        if total > MAX_BYTES {
            return Err(too_large("program", MAX_BYTES, span));
        }
        self.total = total;
        Ok(())
    }

    /// Emits bytes into the current section.
    pub(crate) fn emit(
        &mut self,
        layout: &mut Layout,
        bytes: &[u8],
        span: &Range<usize>,
    ) -> Result<(), Fail> {
        let current = layout.current;
        let Some(section) = layout.section_mut() else {
            return Ok(());
        };
        if section.kind == SectionKind::NoBits {
            if bytes.iter().any(|&b| b != 0) {
                return Err(zeros_only(&section.name, span)
                    .with_help("put data into `.data` or `.rodata`, code into `.text`"));
            }
            return self.emit_zeros(layout, bytes.len() as u64, span);
        }
        self.count(bytes.len() as u64, span)?;
        section.size += bytes.len() as u64;
        if let Some(contents) = self.contents_mut(current) {
            contents.bytes.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Emits zeros into the current section.
    pub(crate) fn emit_zeros(
        &mut self,
        layout: &mut Layout,
        count: u64,
        span: &Range<usize>,
    ) -> Result<(), Fail> {
        let current = layout.current;
        let Some(section) = layout.section_mut() else {
            return Ok(());
        };
        let size = section.size.saturating_add(count);
        if section.kind != SectionKind::NoBits {
            self.count(count, span)?;
        } else if size > MAX_NOBITS {
            return Err(too_large("section", MAX_NOBITS, span));
        }
        section.size = size;
        if section.kind != SectionKind::NoBits
            && let Some(contents) = self.contents_mut(current)
        {
            contents.bytes.resize(size as usize, 0);
        }
        Ok(())
    }

    /// Emits `count` copies of an element into the current section.
    pub(crate) fn emit_repeated(
        &mut self,
        layout: &mut Layout,
        count: u64,
        element: &[u8],
        span: &Range<usize>,
    ) -> Result<(), Fail> {
        let (current, start) = layout.here();
        self.emit_zeros(layout, count.saturating_mul(element.len() as u64), span)?;
        if element.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let section = layout.section();
        if let Some(zeros) = section.filter(|section| section.kind == SectionKind::NoBits) {
            return Err(zeros_only(&zeros.name, span));
        }
        let contents = self.contents.get_mut(current as usize);
        let added = contents.and_then(|contents| contents.bytes.get_mut(start as usize..));
        for chunk in added
            .into_iter()
            .flat_map(|a| a.chunks_exact_mut(element.len()))
        {
            chunk.copy_from_slice(element);
        }
        Ok(())
    }

    /// Pads the current section with zeros to an alignment, and raises the section's alignment accordingly.
    pub(crate) fn align(
        &mut self,
        layout: &mut Layout,
        align: u64,
        span: &Range<usize>,
    ) -> Result<(), Fail> {
        let (section, offset) = layout.here();
        layout.align(section, align);
        self.emit_zeros(layout, offset.next_multiple_of(align) - offset, span)
    }

    /// Overwrites bytes emitted earlier.
    pub(crate) fn patch(&mut self, section: u32, offset: u64, bytes: &[u8]) {
        let contents = self.contents.get_mut(section as usize);
        let place = contents
            .and_then(|contents| contents.bytes.get_mut(offset as usize..))
            .and_then(|rest| rest.get_mut(..bytes.len()));
        if let Some(place) = place {
            place.copy_from_slice(bytes);
        }
    }
}

fn zeros_only(name: &str, span: &Range<usize>) -> Fail {
    let message = format!("section `{name}` holds no bytes, only zeros");
    fail(&ids::ZEROS_SECTION, span.clone(), message)
}

fn too_large(what: &str, limit: u64, span: &Range<usize>) -> Fail {
    fail(
        &ids::SECTION_LIMIT,
        span.clone(),
        format!("the {what} would become too large"),
    )
    .with_help(format!("at most {limit} bytes are possible"))
}

/// Checks that a number fits in `width` bytes as a signed or unsigned value.
pub(crate) fn check_width(number: i64, width: u8, span: &Range<usize>) -> Result<(), Fail> {
    let bits = u32::from(width) * 8;
    if bits >= 64 {
        return Ok(());
    }
    let high = (1i64 << bits) - 1;
    let low = -(1i64 << (bits - 1));
    if (low..=high).contains(&number) {
        Ok(())
    } else {
        let message = format!("{number} is out of range {low} to {high}");
        Err(fail(&ids::VALUE_RANGE, span.clone(), message))
    }
}
