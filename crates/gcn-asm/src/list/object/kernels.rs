//! Lists a code object's kernel headers and descriptors as directives.

use std::fmt::Write;

use gcn_object::{
    Binding, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, Feature, KERNEL_CODE_SIZE, ObjectKernel,
    RelocationKind, Symbol, SymbolKind, SymbolSection, Version,
};

use super::listed::ListedObject;
use crate::assembly::assemble;
use crate::header;
use crate::inputs::options::{Options, Source};
use crate::list::{ListedCode, ListedKernel, Name, descriptor};

impl<'a> ListedObject<'a> {
    /// Directives for a version 2 kernel header, if they represent it completely.
    pub(super) fn kernel_code(&self, section: usize, symbol: &Symbol) -> Option<String> {
        let size = KERNEL_CODE_SIZE;
        if symbol.kind != SymbolKind::HsaKernel || !self.is_alone(section, symbol.value, size, None)
        {
            return None;
        }
        let header = self.bytes_at(section, symbol.value)?.first_chunk()?;
        let mut text = format!("\t{}\n", header::BEGIN);
        let is_all = header::write(&mut text, header);
        let _ = writeln!(text, "\t{}", header::END);
        is_all.then_some(text)
    }

    pub(super) fn bytes_at(&self, section: usize, address: u64) -> Option<&'a [u8]> {
        let section = self.object.sections.get(section)?;
        let offset = usize::try_from(address.checked_sub(section.address)?).ok()?;
        self.object.section_bytes(section).get(offset..)
    }

    /// Directives for a kernel descriptor, if they reproduce it exactly.
    pub(super) fn descriptor(&self, section: usize, symbol: &Symbol) -> Option<String> {
        if self.object.version == Version::V2 {
            return None;
        }
        let mut kernels = self.kernels.get(&symbol.value)?.iter();
        let kernel = kernels.find(|it| symbol.name.strip_suffix(".kd") == Some(&it.name))?;
        let begin = self.object.sections.get(section)?.address;
        let entry = symbol.value.checked_add(ENTRY_OFFSET_FIELD)?;
        let is_multiple = |address: u64| address.is_multiple_of(DESCRIPTOR_SIZE as u64);
        let is_aligned = is_multiple(symbol.value.checked_sub(begin)?)
            && (!self.object.linked || is_multiple(begin));
        let is_alone = self.is_alone(section, symbol.value, DESCRIPTOR_SIZE, Some(entry));
        let is_descriptor =
            symbol.kind == SymbolKind::Object && symbol.size == DESCRIPTOR_SIZE as u64;
        if !is_aligned || !is_alone || !is_descriptor {
            return None;
        }
        // The directive gives the descriptor the code symbol's attributes.
        let code_index = *self.named.get(kernel.name.as_str())?;
        let code = self.object.symbols.get(code_index)?;
        let seen = (code.binding, code.visibility) == (symbol.binding, symbol.visibility);
        if !seen || code.binding == Binding::Local && self.object.linked {
            return None;
        }
        let offset = entry.wrapping_sub(begin);
        let fields = self.fields_in(section, offset..offset.saturating_add(1));
        let leads_to_code = match fields.first() {
            Some(field) => {
                field.kind == RelocationKind::Rel64
                    && field.target == Some(code_index)
                    && field.addend == ENTRY_OFFSET_FIELD.cast_signed()
            }
            None => kernel.entry_address == code.value,
        };
        let is_label = match code.section {
            SymbolSection::Section(section) => self.is_label(section, code),
            _ => false,
        };
        if !leads_to_code || !is_label {
            return None;
        }
        self.descriptor_text(kernel, self.bytes_at(section, symbol.value)?)
    }

    pub(super) fn descriptor_text(&self, kernel: &ObjectKernel, bytes: &[u8]) -> Option<String> {
        let bytes: &[u8; DESCRIPTOR_SIZE] = bytes.first_chunk()?;
        let mut text = String::new();
        let code = ListedCode {
            reserves_xnack: self.target.xnack && self.object.flags.xnack != Feature::Off,
            ..ListedCode::raw(self.target.isa, &[])
        };
        let name = Name(&kernel.name).to_string();
        let listed = ListedKernel {
            name: &name,
            descriptor: &kernel.descriptor,
        };
        descriptor(&mut text, &code, &listed);
        let source = format!("{}\t.text\n{name}:\n{text}", self.target_directives());
        let source = Source {
            name: "listing",
            text: &source,
        };
        let assembly = assemble(&source, &Options::new(self.target));
        let [made] = assembly.program.kernels.as_slice() else {
            return None;
        };
        let mut made = made.descriptor.clone();
        made.kernel_code_entry_byte_offset = 0;
        let mut wanted = *bytes;
        let entry = ENTRY_OFFSET_FIELD as usize;
        wanted.get_mut(entry..entry + 8)?.fill(0);
        (!assembly.has_errors() && made.encode() == wanted).then_some(text)
    }

    pub(super) fn is_descriptor(&self, symbol: &Symbol) -> bool {
        let is_at_kernel = self.kernels.contains_key(&symbol.value);
        self.object.version > Version::V2 && symbol.name.ends_with(".kd") && is_at_kernel
    }
}
