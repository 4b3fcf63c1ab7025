//! Lists a complete code object as source, for `gcn dis --full`.
//!
//! The source assembles to sections with the same bytes, symbols with the same attributes, and the same relocations.
//! Sections of a linked object keep their addresses (`.gcn_address`), because code contains distances between sections;
//! the loader's tables are regenerated. Anything that no directive expresses exactly is listed as bytes, with its
//! meaning in comments. Directives are checked by assembling them.

mod listed;

mod kernels;
mod relocations;

use std::fmt::Write;

use gcn_isa::Target;
use gcn_object::{
    Binding, CodeObject, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, KERNEL_CODE_SIZE, Symbol, SymbolKind,
    SymbolSection, Visibility,
};

use super::data::{self, LinkedField, ListedMark};
use super::{ListOptions, ListedCode, ListedField, Name, list_to, notes};
use crate::assembler::layout::OTHER_SECTION_TYPES;

use listed::{EXECUTE, LABELS, ListedObject, NOBITS, WRITE, sum};

pub use listed::target_id;

/// ELF section index of symbols in LDS.
const LDS: u16 = 0xff00;
/// Maximum alignment in bytes that directives support.
const MAX_ALIGN: u64 = 1 << 16;

/// Lists a complete code object as UTF-8 text, passed to `sink` in chunks of whole lines.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, list_object};
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx803").expect("a target");
/// let file = std::fs::read("../gcn-object/tests/fixtures/scale-gfx803-v3.co")?;
/// let object = gcn_object::read(&file)?;
/// let mut text = Vec::new();
/// list_object(&object, target, &ListOptions::default(), &mut |part| text.extend_from_slice(part));
/// let text = String::from_utf8(text)?;
/// let again = assemble(&Source { name: "scale.s", text: &text }, &Options::new(target)).program.to_object(None)?;
/// assert_eq!(gcn_object::read(&again)?.kernels, object.kernels, "the kernels are unchanged");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn list_object(
    object: &CodeObject,
    target: &'static Target,
    options: &ListOptions,
    sink: &mut dyn FnMut(&[u8]),
) {
    let mut whole = ListedObject::new(object, target);
    whole.add_relocation_fields();
    let mut out = String::new();
    out.push_str(&whole.target_directives());
    sink(out.as_bytes());
    whole.code(options, sink);
    for &section in &whole.data {
        out.clear();
        whole.data_section(&mut out, section);
        sink(out.as_bytes());
    }
    out.clear();
    whole.symbols_elsewhere(&mut out);
    notes::write(&mut out, object, &whole.target_directives());
    sink(out.as_bytes());
}

impl ListedObject<'_> {
    /// Directives that enter a section, and the label at its beginning.
    fn head(&self, index: usize) -> String {
        let mut out = String::new();
        let (Some(section), Some(name)) = (self.object.sections.get(index), self.names.get(&index))
        else {
            return out;
        };
        let name = Name(name);
        let has = |flag, letter| {
            if section.flags & flag != 0 {
                letter
            } else {
                ""
            }
        };
        let kind = match section.kind {
            NOBITS => "nobits",
            number => OTHER_SECTION_TYPES
                .iter()
                .find(|&&(_, known)| known == number)
                .map_or("progbits", |&(name, _)| name),
        };
        let (write, execute) = (has(WRITE, "w"), has(EXECUTE, "x"));
        let _ = writeln!(out, "\n\t.section {name},\"a{write}{execute}\",@{kind}");
        if self.object.linked {
            let _ = writeln!(out, "\t.gcn_address {:#x}", section.address);
        }
        let is_code = section.flags & EXECUTE != 0;
        let problem = if self.overlapping.contains(&index) {
            Some("It overlaps another section")
        } else if self.object.linked && is_code && !section.address.is_multiple_of(4) {
            Some("Code begins at a multiple of 4")
        } else {
            None
        };
        if let Some(problem) = problem {
            let _ = writeln!(out, "\t// {problem}: the assembler refuses this address.");
        }
        let is_alignment = section.align.is_power_of_two() && section.align <= MAX_ALIGN;
        let is_aligned =
            !self.object.linked || section.address.is_multiple_of(section.align.max(1));
        if section.align > 1 && is_alignment && is_aligned {
            let _ = writeln!(out, "\t.p2align {}", section.align.trailing_zeros());
        }
        let _ = writeln!(out, "{}:", self.begin_label(index));
        out
    }

    /// Lines that set a symbol's attributes, written before its label.
    fn attributes(&self, symbol: &Symbol) -> String {
        let mut out = String::new();
        let name = Name(&symbol.name);
        let lines = [
            match symbol.binding {
                Binding::Global => Some(format!(".globl {name}")),
                Binding::Weak => Some(format!(".weak {name}")),
                Binding::Local | Binding::Other(_) => None,
            },
            match symbol.visibility {
                Visibility::Default | Visibility::Other(_) => None,
                Visibility::Internal => Some(format!(".internal {name}")),
                Visibility::Hidden => Some(format!(".hidden {name}")),
                Visibility::Protected => Some(format!(".protected {name}")),
            },
            match symbol.kind {
                SymbolKind::Object => Some(format!(".type {name},@object")),
                SymbolKind::Function => Some(format!(".type {name},@function")),
                SymbolKind::HsaKernel => Some(format!(".amdgpu_hsa_kernel {name}")),
                _ => None,
            },
            (symbol.size != 0).then(|| format!(".size {name}, {}", symbol.size)),
        ];
        for line in lines.into_iter().flatten() {
            let _ = writeln!(out, "\t{line}");
        }
        out
    }

    /// Lists all code sections.
    fn code(&self, options: &ListOptions, sink: &mut dyn FnMut(&[u8])) {
        let object = self.object;
        struct SectionTexts {
            index: usize,
            head: String,
            symbols: Vec<(usize, String, Option<String>)>,
        }
        let texts: Vec<SectionTexts> = self
            .code
            .iter()
            .map(|&index| {
                let places = self.places.get(&index).map_or(&[][..], Vec::as_slice);
                // Only one of several symbols at a header lists it.
                let mut listed = None;
                let symbols = places
                    .iter()
                    .filter_map(|&place| {
                        let symbol = object.symbols.get(place)?;
                        let header = match listed == Some(symbol.value) {
                            true => None,
                            false => self.kernel_code(index, symbol),
                        };
                        listed = header.as_ref().map(|_| symbol.value).or(listed);
                        Some((place, self.attributes(symbol), header))
                    })
                    .collect();
                SectionTexts {
                    index,
                    head: self.head(index),
                    symbols,
                }
            })
            .collect();
        let sections = texts
            .iter()
            .filter_map(|texts| {
                let section = object.sections.get(texts.index)?;
                let symbols = texts.symbols.iter().filter_map(|(place, before, text)| {
                    let symbol = object.symbols.get(*place)?;
                    let data = match symbol.kind {
                        SymbolKind::Object => symbol.size,
                        SymbolKind::HsaKernel => KERNEL_CODE_SIZE as u64,
                        _ => 0,
                    };
                    Some(super::ListedSymbol {
                        name: &symbol.name,
                        offset: symbol.value.checked_sub(section.address)?,
                        size: 0,
                        data,
                        global: false,
                        function: false,
                        before,
                        data_text: text.as_deref(),
                    })
                });
                let open = self
                    .section_fields(texts.index)
                    .iter()
                    .map(|field| ListedField {
                        offset: field.offset,
                        operand: field.operand.as_deref(),
                        long: field.long.as_deref(),
                        reloc: &field.reloc,
                    });
                Some(super::ListedSection {
                    name: None,
                    head: &texts.head,
                    address: section.address,
                    align: 1,
                    bytes: object.section_bytes(section),
                    symbols: symbols.collect(),
                    open: open.collect(),
                    notes: Vec::new(),
                })
            })
            .collect();
        let code = ListedCode {
            isa: self.target.isa,
            target_id: None,
            version: None,
            reserves_xnack: false,
            labels: LABELS,
            sections,
            kernels: Vec::new(),
            metadata: None,
        };
        list_to(&code, options, sink);
    }

    /// Lists a data section.
    fn data_section(&self, out: &mut String, index: usize) {
        let Some(section) = self.object.sections.get(index) else {
            return;
        };
        out.push_str(&self.head(index));
        let mut marks: Vec<ListedMark> = Vec::new();
        let mut covered: Vec<u64> = Vec::new();
        for &place in self.places.get(&index).map_or(&[][..], Vec::as_slice) {
            let Some(symbol) = self.object.symbols.get(place) else {
                continue;
            };
            let offset = symbol.value.wrapping_sub(section.address);
            let entry = offset.wrapping_add(ENTRY_OFFSET_FIELD);
            if covered.last() != Some(&entry)
                && let Some(text) = self.descriptor(index, symbol)
            {
                covered.push(entry);
                let size = DESCRIPTOR_SIZE as u64;
                marks.push(ListedMark::block(offset, size, text));
                continue;
            }
            let mut text = self.attributes(symbol);
            let _ = writeln!(text, "{}:", Name(&symbol.name));
            if self.is_descriptor(symbol) {
                text.push_str("\t// A kernel descriptor that no directive says exactly.\n");
            }
            marks.push(ListedMark::label(offset, text));
        }
        for field in self.section_fields(index) {
            // Symbols are sorted by offset, so `covered` is sorted too.
            if covered.binary_search(&field.offset).is_ok() {
                continue;
            }
            let fill = LinkedField {
                long: field.long.clone(),
                quad: field.quad.clone(),
                reloc: field.reloc.clone(),
            };
            marks.push(ListedMark::field(field.offset, fill));
        }
        data::write(out, self.object.section_bytes(section), section.size, marks);
    }

    /// Defines symbols that are not labels.
    fn symbols_elsewhere(&self, out: &mut String) {
        for (index, symbol) in self.object.symbols.iter().enumerate() {
            if self.is_shadowed(symbol) {
                let (name, value) = (symbol.name.escape_debug(), symbol.value);
                let _ = writeln!(out, "\t// Left out: another `{name}`, at {value:#x}.");
            }
            if !self.has_name(index) {
                continue;
            }
            let name = Name(&symbol.name);
            let definition = match symbol.section {
                SymbolSection::Section(section) if self.is_label(section, symbol) => continue,
                SymbolSection::Section(section) => {
                    let begin = self.object.sections.get(section).map_or(0, |s| s.address);
                    let offset = symbol.value.wrapping_sub(begin).cast_signed();
                    let label = self.begin_label(section);
                    format!(
                        "{}\t.set {name}, {}\n",
                        self.attributes(symbol),
                        sum(&label, offset)
                    )
                }
                SymbolSection::Absolute => {
                    let value = symbol.value.cast_signed();
                    format!("{}\t.set {name}, {value}\n", self.attributes(symbol))
                }
                SymbolSection::Undefined if symbol.binding == Binding::Weak => {
                    format!("\t.weak {name}\n")
                }
                SymbolSection::Common { align } => {
                    let exponent = align.max(1).ilog2();
                    format!("\t.comm {name},{},{exponent}\n", symbol.size)
                }
                SymbolSection::Other(LDS) => {
                    let visible = self.attributes(&Symbol {
                        kind: SymbolKind::NoType,
                        size: 0,
                        ..symbol.clone()
                    });
                    format!(
                        "{visible}\t.amdgpu_lds {name}, {}, {}\n",
                        symbol.size, symbol.value
                    )
                }
                SymbolSection::Undefined | SymbolSection::Other(_) => continue,
            };
            out.push_str(&definition);
        }
    }
}
