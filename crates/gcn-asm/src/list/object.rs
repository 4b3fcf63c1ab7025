//! A whole code object as source: `gcn dis --full`.
//!
//! The source assembles to sections with the same bytes, symbols with the same attributes and the same relocations. Of a
//! linked object every section keeps its address (`.gcn_address`), since distances between sections are in its code; the
//! tables for the loader are made anew. What a directive cannot say exactly is bytes, with the reading as comments.
//! The assembler itself is asked if it can.

mod kernels;
mod relocations;

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use gcn_isa::Target;
use gcn_object::{
    Binding, CodeObject, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, Feature, KERNEL_CODE_SIZE,
    ObjectKernel, RelocationKind, RelocationTarget, Section, Symbol, SymbolKind, SymbolSection,
    Version, Visibility,
};

use super::data::{self, Field, Mark};
use super::{ListOptions, ListedCode, ListedField, Name, is_name, list_to, notes};
use crate::assembly::assemble;
use crate::directive::section::OTHER_SECTION_TYPES;
use crate::header;
use crate::inputs::features::Features;
use crate::inputs::options::{Options, Source};

/// The types of sections that hold bytes and zeros of the program (`SHT_PROGBITS`, `SHT_NOBITS`).
const PROGBITS: u32 = 1;
const NOBITS: u32 = 8;
/// `SHF_WRITE` and `SHF_EXECINSTR`.
const WRITE: u64 = 1;
const EXECUTE: u64 = 4;
/// Sections that a linker adds for page protection.
const RELRO_PADDING: &str = ".relro_padding";
/// Section index of symbols that are in LDS.
const LDS: u16 = 0xff00;
/// The largest alignment that directives take, in bytes.
const MAX_ALIGN: u64 = 1 << 16;
/// Prefix of labels that are no symbols of the object.
const LABELS: &str = ".L";

/// A target as `.amdgcn_target` has it, with the settings of the object.
///
/// # Examples
/// ```
/// let target = gcn_isa::Target::named("gfx803").expect("a target");
/// let file = std::fs::read("../gcn-object/tests/fixtures/scale-gfx803-v3.co")?;
/// let object = gcn_object::read(&file)?;
/// assert_eq!(gcn_asm::list::target_id(&object, target), "amdgcn-amd-amdhsa--gfx803");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn target_id(object: &CodeObject, target: &Target) -> String {
    let known = |has, feature| if has { feature } else { Feature::Unsupported };
    let features = Features {
        xnack: known(target.xnack, object.flags.xnack),
        sramecc: known(target.sramecc, object.flags.sramecc),
    };
    format!("amdgcn-amd-amdhsa--{}{features}", target.name)
}

/// The source of a whole code object, in UTF-8, given to `sink` in parts of whole lines.
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
/// assert_eq!(gcn_object::read(&again)?.kernels, object.kernels, "it is the same again");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn list_object(
    object: &CodeObject,
    target: &'static Target,
    options: &ListOptions,
    sink: &mut dyn FnMut(&[u8]),
) {
    let whole = Whole::new(object, target);
    let mut out = String::new();
    whole.prologue(&mut out);
    sink(out.as_bytes());
    whole.code(options, sink);
    for &section in &whole.data {
        out.clear();
        whole.data_section(&mut out, section);
        sink(out.as_bytes());
    }
    out.clear();
    whole.symbols_elsewhere(&mut out);
    notes::write(&mut out, object, &whole.before());
    sink(out.as_bytes());
}

/// The object and what is to be known of it.
struct Whole<'a> {
    object: &'a CodeObject<'a>,
    target: &'static Target,
    /// The sections of the program, by index: code, and the others.
    code: Vec<usize>,
    data: Vec<usize>,
    /// The names of the sections in the source, by index; each is there once.
    names: HashMap<usize, String>,
    /// The symbol that has each name.
    named: HashMap<&'a str, usize>,
    /// Prefix of labels that are no symbols.
    labels: String,
    /// The symbols of each section that are labels in it, in the order of their places.
    places: HashMap<usize, Vec<usize>>,
    /// Fields that a linker or loader fills in, by section and in the order of their places.
    fields: HashMap<usize, Vec<FieldText>>,
}

/// A field that a linker or loader fills in, as text.
struct FieldText {
    /// Bytes from the section's begin.
    offset: u64,
    kind: RelocationKind,
    /// Spellings as an operand of an instruction and in `.long` and `.quad`.
    operand: Option<String>,
    long: Option<String>,
    quad: Option<String>,
    /// Kind and expression of `.reloc`.
    reloc: String,
    /// The symbol that it refers to, if it is one, and the addend.
    target: Option<usize>,
    addend: i64,
}

fn is_program(section: &Section) -> bool {
    let other = OTHER_SECTION_TYPES
        .iter()
        .any(|&(_, number)| number == section.kind);
    let kept = matches!(section.kind, PROGBITS | NOBITS) || other;
    section.is_loaded() && kept && section.name != RELRO_PADDING
}

impl<'a> Whole<'a> {
    fn new(object: &'a CodeObject<'a>, target: &'static Target) -> Whole<'a> {
        let mut whole = Whole {
            object,
            target,
            code: Vec::new(),
            data: Vec::new(),
            names: HashMap::new(),
            named: HashMap::new(),
            labels: LABELS.to_owned(),
            places: HashMap::new(),
            fields: HashMap::new(),
        };
        let mut taken = HashSet::new();
        for (index, section) in object.sections.iter().enumerate() {
            if !is_program(section) {
                continue;
            }
            if section.is_code() && section.kind != NOBITS {
                whole.code.push(index);
            } else {
                whole.data.push(index);
            }
            let mut name = section.name.clone();
            if !is_name(&name) {
                name = format!(".section.{index}");
            }
            while !taken.insert(name.clone()) {
                name.push_str(&format!(".{index}"));
            }
            whole.names.insert(index, name);
        }
        whole.name_symbols();
        whole.place_symbols();
        whole.say_relocations();
        whole
    }

    /// Finds who has each name: what everybody sees before what only a file sees.
    fn name_symbols(&mut self) {
        let symbols = || self.object.symbols.iter().enumerate();
        let has_name = |symbol: &Symbol| {
            let is_real = !matches!(symbol.kind, SymbolKind::Section | SymbolKind::File);
            is_real && is_name(&symbol.name)
        };
        for is_local in [false, true] {
            for (index, symbol) in symbols() {
                let gone = match symbol.section {
                    SymbolSection::Section(section) => !self.names.contains_key(&section),
                    SymbolSection::Undefined
                    | SymbolSection::Absolute
                    | SymbolSection::Common { .. }
                    | SymbolSection::Other(_) => false,
                };
                if (symbol.binding == Binding::Local) == is_local && has_name(symbol) && !gone {
                    self.named.entry(&symbol.name).or_insert(index);
                }
            }
        }
        while self.named.keys().any(|name| name.starts_with(&self.labels)) {
            self.labels.push('_');
        }
    }

    fn has_name(&self, index: usize) -> bool {
        let symbol = self.object.symbols.get(index);
        symbol.is_some_and(|symbol| self.named.get(symbol.name.as_str()) == Some(&index))
    }

    /// Sorts the symbols into their sections.
    fn place_symbols(&mut self) {
        for (index, symbol) in self.object.symbols.iter().enumerate() {
            if let SymbolSection::Section(section) = symbol.section
                && self.has_name(index)
                && self.is_label(section, symbol)
            {
                self.places.entry(section).or_default().push(index);
            }
        }
        for places in self.places.values_mut() {
            places.sort_by_key(|&index| self.object.symbols.get(index).map(|s| s.value));
        }
    }

    /// Returns whether a label is possible where the symbol is.
    fn is_label(&self, index: usize, symbol: &Symbol) -> bool {
        let Some(section) = self.object.sections.get(index) else {
            return false;
        };
        let offset = symbol.value.checked_sub(section.address);
        let word = if self.code.contains(&index) { 4 } else { 1 };
        offset.is_some_and(|offset| offset <= section.size && offset % word == 0)
    }

    /// An address as a name and what to add; nothing if it is in no section that is listed.
    fn address(&self, address: u64) -> Option<(String, i64)> {
        let sections = || self.code.iter().chain(&self.data);
        let distance = |index: &usize| {
            let section = self.object.sections.get(*index)?;
            let offset = address.checked_sub(section.address)?;
            (offset <= section.size).then_some((offset == section.size, *index, offset))
        };
        // One that begins there rather than one that ends there.
        let (_, index, _) = sections().filter_map(distance).min()?;
        self.address_in(index, address)
    }

    /// The listed section that a symbol is in.
    fn section_of(&self, target: RelocationTarget) -> Option<usize> {
        let RelocationTarget::Symbol(index) = target else {
            return None;
        };
        match self.object.symbols.get(index)?.section {
            SymbolSection::Section(section) => Some(section).filter(|s| self.names.contains_key(s)),
            SymbolSection::Undefined
            | SymbolSection::Absolute
            | SymbolSection::Common { .. }
            | SymbolSection::Other(_) => None,
        }
    }

    /// An address as a name of a section and what to add. It may lie behind the section's end: the addend of a distance
    /// counts from where the field's instruction sequence begins.
    fn address_in(&self, index: usize, address: u64) -> Option<(String, i64)> {
        let begin = self.object.sections.get(index)?.address;
        let places = self.places.get(&index).map_or(&[][..], Vec::as_slice);
        let symbols = places.iter().filter_map(|&i| self.object.symbols.get(i));
        let nearest = symbols.take_while(|symbol| symbol.value <= address).last();
        Some(match nearest {
            Some(symbol) => (
                Name(&symbol.name).to_string(),
                address.wrapping_sub(symbol.value).cast_signed(),
            ),
            None => (
                self.begin_label(index),
                address.wrapping_sub(begin).cast_signed(),
            ),
        })
    }

    /// The label at the begin of a section.
    fn begin_label(&self, section: usize) -> String {
        format!("{}section{section}", self.labels)
    }

    /// The target, and with it what the assembler counts with.
    fn before(&self) -> String {
        let id = target_id(self.object, self.target);
        let version = self.object.version.number();
        format!("\t.amdgcn_target \"{id}\"\n\t.amdhsa_code_object_version {version}\n")
    }

    fn prologue(&self, out: &mut String) {
        out.push_str(&self.before());
    }

    /// The directive that switches to a section, and the label at its beginning.
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
        if section.align > 1 && section.align.is_power_of_two() && section.align <= MAX_ALIGN {
            let _ = writeln!(out, "\t.p2align {}", section.align.trailing_zeros());
        }
        let _ = writeln!(out, "{}:", self.begin_label(index));
        out
    }

    /// The lines before a symbol's label that say what it is.
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

    fn section_fields(&self, section: usize) -> &[FieldText] {
        self.fields.get(&section).map_or(&[], Vec::as_slice)
    }

    /// Returns whether nothing else is named, and no field is, between the begin of a structure and its end.
    fn is_alone(&self, section: usize, address: u64, size: usize, except: Option<u64>) -> bool {
        let end = address.saturating_add(size as u64);
        let places = self.places.get(&section).map_or(&[][..], Vec::as_slice);
        let inside = |&index: &usize| {
            let value = self.object.symbols.get(index).map_or(0, |s| s.value);
            address < value && value < end
        };
        let begin = self.object.sections.get(section).map_or(0, |s| s.address);
        let touches = |field: &FieldText| {
            let at = begin.wrapping_add(field.offset);
            (address..end).contains(&at) && Some(at) != except
        };
        !places.iter().any(inside) && !self.section_fields(section).iter().any(touches)
    }

    /// Lists the code.
    fn code(&self, options: &ListOptions, sink: &mut dyn FnMut(&[u8])) {
        let object = self.object;
        struct Texts {
            index: usize,
            head: String,
            symbols: Vec<(usize, String, Option<String>)>,
        }
        let texts: Vec<Texts> = self
            .code
            .iter()
            .map(|&index| {
                let places = self.places.get(&index).map_or(&[][..], Vec::as_slice);
                let symbols = places
                    .iter()
                    .filter_map(|&place| {
                        let symbol = object.symbols.get(place)?;
                        let header = self.kernel_code(index, symbol);
                        Some((place, self.attributes(symbol), header))
                    })
                    .collect();
                Texts {
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

    /// Lists a section that is no code.
    fn data_section(&self, out: &mut String, index: usize) {
        let Some(section) = self.object.sections.get(index) else {
            return;
        };
        out.push_str(&self.head(index));
        let mut marks: Vec<Mark> = Vec::new();
        let mut covered: Vec<u64> = Vec::new();
        for &place in self.places.get(&index).map_or(&[][..], Vec::as_slice) {
            let Some(symbol) = self.object.symbols.get(place) else {
                continue;
            };
            let offset = symbol.value.wrapping_sub(section.address);
            if let Some(text) = self.descriptor(index, symbol) {
                covered.push(offset + ENTRY_OFFSET_FIELD);
                let size = DESCRIPTOR_SIZE as u64;
                marks.push(Mark::block(offset, size, text));
                continue;
            }
            let mut text = self.attributes(symbol);
            let _ = writeln!(text, "{}:", Name(&symbol.name));
            if self.is_descriptor(symbol) {
                text.push_str("\t// A kernel descriptor that no directive says exactly.\n");
            }
            marks.push(Mark::label(offset, text));
        }
        for field in self.section_fields(index) {
            if covered.contains(&field.offset) {
                continue;
            }
            let fill = Field {
                long: field.long.clone(),
                quad: field.quad.clone(),
                reloc: field.reloc.clone(),
            };
            marks.push(Mark::field(field.offset, fill));
        }
        data::write(out, self.object.section_bytes(section), section.size, marks);
    }

    /// Defines the symbols that are no labels.
    fn symbols_elsewhere(&self, out: &mut String) {
        for (index, symbol) in self.object.symbols.iter().enumerate() {
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

/// A name and a number to add to it.
fn sum(name: &str, addend: i64) -> String {
    match addend {
        0 if !name.is_empty() => name.to_owned(),
        _ if name.is_empty() => addend.to_string(),
        1.. => format!("{name}+{addend}"),
        _ => format!("{name}{addend}"),
    }
}
