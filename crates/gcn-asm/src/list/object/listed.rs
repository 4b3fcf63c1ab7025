//! Names used in a code object's listing: for sections, symbols and fields.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use gcn_isa::Target;
use gcn_object::{
    Binding, CodeObject, Feature, ObjectKernel, RelocationKind, RelocationTarget, Section, Symbol,
    SymbolKind, SymbolSection,
};

use crate::assembler::layout::{OTHER_SECTION_TYPES, STANDARD, section_default};
use crate::inputs::features::Features;
use crate::list::{Name, is_name};
use crate::program::SectionKind;

/// ELF types of sections that contain program data (`SHT_PROGBITS`) or zeros (`SHT_NOBITS`).
const PROGBITS: u32 = 1;
pub(super) const NOBITS: u32 = 8;
/// ELF section flags `SHF_WRITE` and `SHF_EXECINSTR`.
pub(super) const WRITE: u64 = 1;
pub(super) const EXECUTE: u64 = 4;
/// Section that linkers add for page protection.
const RELRO_PADDING: &str = ".relro_padding";
/// Names of the tables that a linker generates, which no other section can have.
const TABLES: [&str; 8] = [
    ".dynsym",
    ".hash",
    ".dynstr",
    ".rela.dyn",
    ".dynamic",
    ".symtab",
    ".strtab",
    ".shstrtab",
];
/// Prefix of labels that are not symbols in the object.
pub(super) const LABELS: &str = ".L";

/// Target ID for `.amdgcn_target`, with the object's feature settings.
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

/// A code object and the names for its listing.
pub(super) struct ListedObject<'a> {
    pub(super) object: &'a CodeObject<'a>,
    pub(super) target: &'static Target,
    /// Indices of code and data sections.
    pub(super) code: Vec<usize>,
    pub(super) data: Vec<usize>,
    /// Unique name of each section, by section index.
    pub(super) names: HashMap<usize, String>,
    /// Indices of sections of a linked object that overlap a section at the same or a lower address.
    pub(super) overlapping: HashSet<usize>,
    /// Index of the symbol that owns each name.
    pub(super) named: HashMap<&'a str, usize>,
    /// Prefix of labels that are not symbols.
    pub(super) labels: String,
    /// Symbols listed as labels, by section and in ascending order of offset.
    pub(super) places: HashMap<usize, Vec<usize>>,
    /// Fields filled in by a linker or loader, by section and in ascending order of offset.
    pub(super) fields: HashMap<usize, Vec<FieldText>>,
    /// Kernels by descriptor address.
    pub(super) kernels: HashMap<u64, Vec<&'a ObjectKernel>>,
}

/// Textual forms of a field filled in by a linker or loader.
pub(super) struct FieldText {
    /// Byte offset in the section.
    pub(super) offset: u64,
    pub(super) kind: RelocationKind,
    /// Value as an instruction operand, and as operands of `.long` and `.quad`.
    pub(super) operand: Option<String>,
    pub(super) long: Option<String>,
    pub(super) quad: Option<String>,
    /// Relocation kind and expression for `.reloc`.
    pub(super) reloc: String,
    /// Target symbol, if any, and the addend.
    pub(super) target: Option<usize>,
    pub(super) addend: i64,
}

fn is_program(section: &Section) -> bool {
    let other = OTHER_SECTION_TYPES
        .iter()
        .any(|&(_, number)| number == section.kind);
    let kept = matches!(section.kind, PROGBITS | NOBITS) || other;
    section.is_loaded() && kept && section.name != RELRO_PADDING
}

/// Returns true if a section directive can give a section called `name` these attributes.
fn takes_attributes(name: &str, section: &Section) -> bool {
    let (kind, defaults) = section_default(name);
    let (write, execute) = (section.flags & WRITE != 0, section.flags & EXECUTE != 0);
    if STANDARD.contains(&name) {
        let number = match kind {
            SectionKind::NoBits => NOBITS,
            _ => PROGBITS,
        };
        return (section.kind, write, execute) == (number, defaults.write, defaults.exec);
    }
    (write || !defaults.write) && (execute || !defaults.exec)
}

impl<'a> ListedObject<'a> {
    pub(super) fn new(object: &'a CodeObject<'a>, target: &'static Target) -> ListedObject<'a> {
        let mut whole = ListedObject {
            object,
            target,
            code: Vec::new(),
            data: Vec::new(),
            names: HashMap::new(),
            overlapping: HashSet::new(),
            named: HashMap::new(),
            labels: LABELS.to_owned(),
            places: HashMap::new(),
            fields: HashMap::new(),
            kernels: HashMap::new(),
        };
        for kernel in &object.kernels {
            let at = whole.kernels.entry(kernel.descriptor_address);
            at.or_default().push(kernel);
        }
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
            let is_possible = is_name(&name) && !TABLES.contains(&name.as_str());
            if !is_possible || !takes_attributes(&name, section) {
                name = format!(".section.{index}");
            }
            while !taken.insert(name.clone()) {
                name.push_str(&format!(".{index}"));
            }
            whole.names.insert(index, name);
        }
        whole.find_overlaps();
        whole.name_symbols();
        whole.place_symbols();
        whole
    }

    fn find_overlaps(&mut self) {
        let sections = self.object.sections.iter().enumerate();
        let listed = sections.filter(|(index, section)| {
            self.object.linked && self.names.contains_key(index) && section.size > 0
        });
        let mut ranges: Vec<_> = listed
            .map(|(index, section)| (section.address, section.size, index))
            .collect();
        ranges.sort_unstable();
        let mut end = 0;
        for (address, size, index) in ranges {
            if address < end {
                self.overlapping.insert(index);
            }
            end = end.max(address.saturating_add(size));
        }
    }

    /// Returns true if the listing can define a symbol of this kind, name and section.
    fn is_listed(&self, symbol: &Symbol) -> bool {
        let is_gone = match symbol.section {
            SymbolSection::Section(section) => !self.names.contains_key(&section),
            SymbolSection::Undefined
            | SymbolSection::Absolute
            | SymbolSection::Common { .. }
            | SymbolSection::Other(_) => false,
        };
        let is_real = !matches!(symbol.kind, SymbolKind::Section | SymbolKind::File);
        is_real && is_name(&symbol.name) && !is_gone
    }

    /// Returns true for a symbol in a listed section that is left out, because one elsewhere has its name.
    pub(super) fn is_shadowed(&self, symbol: &Symbol) -> bool {
        let named = self.named.get(symbol.name.as_str());
        let other = named.and_then(|&index| self.object.symbols.get(index));
        let is_placed = matches!(symbol.section, SymbolSection::Section(_));
        let place = |symbol: &Symbol| (symbol.section, symbol.value);
        is_placed && self.is_listed(symbol) && other.is_some_and(|it| place(it) != place(symbol))
    }

    /// Assigns each name to one symbol, preferably one that is not local.
    fn name_symbols(&mut self) {
        for is_local in [false, true] {
            for (index, symbol) in self.object.symbols.iter().enumerate() {
                if (symbol.binding == Binding::Local) == is_local && self.is_listed(symbol) {
                    self.named.entry(&symbol.name).or_insert(index);
                }
            }
        }
        while self.named.keys().any(|name| name.starts_with(&self.labels)) {
            self.labels.push('_');
        }
    }

    pub(super) fn has_name(&self, index: usize) -> bool {
        let symbol = self.object.symbols.get(index);
        symbol.is_some_and(|symbol| self.named.get(symbol.name.as_str()) == Some(&index))
    }

    /// Groups symbols that can be labels by section.
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

    /// Returns true if a symbol in the section `index` can be written as a label.
    pub(super) fn is_label(&self, index: usize, symbol: &Symbol) -> bool {
        let Some(section) = self.object.sections.get(index) else {
            return false;
        };
        let offset = symbol.value.checked_sub(section.address);
        let word = if self.code.contains(&index) { 4 } else { 1 };
        offset.is_some_and(|offset| offset <= section.size && offset % word == 0)
    }

    /// Expresses an address as a name plus an addend; `None` if no listed section contains the address.
    pub(super) fn address(&self, address: u64) -> Option<(String, i64)> {
        let sections = || self.code.iter().chain(&self.data);
        let distance = |index: &usize| {
            let section = self.object.sections.get(*index)?;
            let offset = address.checked_sub(section.address)?;
            (offset <= section.size).then_some((offset == section.size, *index, offset))
        };
        // A section that begins at the address is better than one that ends there.
        let (_, index, _) = sections().filter_map(distance).min()?;
        self.address_in(index, address)
    }

    /// Listed section that contains a relocation's target symbol.
    pub(super) fn section_of(&self, target: RelocationTarget) -> Option<usize> {
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

    /// Expresses an address as the nearest symbol before it, or else the section's label, plus an addend. The address may be
    /// past the section's end, because the addend of a PC-relative value includes the field's distance from the PC.
    pub(super) fn address_in(&self, index: usize, address: u64) -> Option<(String, i64)> {
        let begin = self.object.sections.get(index)?.address;
        let places = self.places.get(&index).map_or(&[][..], Vec::as_slice);
        let following = places.partition_point(|&index| self.value(index) <= address);
        let nearest = places.get(..following)?.last();
        Some(
            match nearest.and_then(|&index| self.object.symbols.get(index)) {
                Some(symbol) => (
                    Name(&symbol.name).to_string(),
                    address.wrapping_sub(symbol.value).cast_signed(),
                ),
                None => (
                    self.begin_label(index),
                    address.wrapping_sub(begin).cast_signed(),
                ),
            },
        )
    }

    /// Name of the label at the beginning of a section.
    pub(super) fn begin_label(&self, section: usize) -> String {
        format!("{}section{section}", self.labels)
    }

    /// Directives for the target and the code object version, which come first in the listing.
    pub(super) fn target_directives(&self) -> String {
        let id = target_id(self.object, self.target);
        let version = self.object.version.number();
        format!("\t.amdgcn_target \"{id}\"\n\t.amdhsa_code_object_version {version}\n")
    }

    pub(super) fn section_fields(&self, section: usize) -> &[FieldText] {
        self.fields.get(&section).map_or(&[], Vec::as_slice)
    }

    /// Fields in a section whose offsets are in a range.
    pub(super) fn fields_in(&self, section: usize, offsets: Range<u64>) -> &[FieldText] {
        let fields = self.section_fields(section);
        let first = fields.partition_point(|field| field.offset < offsets.start);
        let end = fields.partition_point(|field| field.offset < offsets.end);
        fields.get(first..end).unwrap_or_default()
    }

    fn value(&self, symbol: usize) -> u64 {
        self.object.symbols.get(symbol).map_or(0, |it| it.value)
    }

    /// Returns true if a structure contains no symbol after its start, and no field except one at the address `except`.
    pub(super) fn is_alone(
        &self,
        section: usize,
        address: u64,
        size: usize,
        except: Option<u64>,
    ) -> bool {
        let end = address.saturating_add(size as u64);
        let places = self.places.get(&section).map_or(&[][..], Vec::as_slice);
        let next = places.partition_point(|&index| self.value(index) <= address);
        let has_symbol = places
            .get(next)
            .is_some_and(|&index| self.value(index) < end);
        let begin = self.object.sections.get(section).map_or(0, |s| s.address);
        let offsets = address.saturating_sub(begin)..end.saturating_sub(begin);
        let mut fields = self.fields_in(section, offsets).iter();
        let is_other = |field: &FieldText| Some(begin.wrapping_add(field.offset)) != except;
        !has_symbol && !fields.any(is_other)
    }
}

/// Formats a name plus an addend.
pub(super) fn sum(name: &str, addend: i64) -> String {
    match addend {
        0 if !name.is_empty() => name.to_owned(),
        _ if name.is_empty() => addend.to_string(),
        1.. => format!("{name}+{addend}"),
        _ => format!("{name}{addend}"),
    }
}
