//! Lists ELF notes as directives that reproduce the same bytes, or else as bytes.

use std::fmt::Write;

use gcn_object::note::{self, Note};
use gcn_object::{CodeObject, DocumentValue, Version, metadata_from_yaml};

use super::data;
use crate::assembly::{assemble, named_target};
use crate::directive::hsa::SECTION;
use crate::inputs::options::{Options, Source};

/// ELF section type `SHT_NOTE`.
const NOTE: u32 = 7;

/// Writes the notes in loaded sections. To check the note directives, they are assembled after `target_directives`.
pub(super) fn write(out: &mut String, object: &CodeObject, target_directives: &str) {
    let sections = object
        .sections
        .iter()
        .filter(|section| section.is_loaded() && section.kind == NOTE);
    for (index, section) in sections.enumerate() {
        let bytes = object.section_bytes(section);
        let lines = match object.version {
            Version::V2 => v2_notes(bytes, target_directives),
            _ => metadata(bytes),
        };
        match lines.filter(|_| index == 0) {
            Some(lines) => out.push_str(&lines),
            None => {
                let number = if index == 0 {
                    String::new()
                } else {
                    format!(".{index}")
                };
                let _ = writeln!(
                    out,
                    "\n\t.section {SECTION}{number},\"a\",@note\n\t.p2align 2"
                );
                data::bytes(out, bytes);
            }
        }
    }
}

/// Metadata of version 3 or later, if the assembler reproduces the section from it.
fn metadata(section: &[u8]) -> Option<String> {
    let found = Note::all(section).next()?;
    if (found.owner, found.kind) != (note::AMDGPU, note::METADATA) {
        return None;
    }
    let yaml = DocumentValue::from_msgpack(found.description)
        .ok()?
        .to_yaml()
        .ok()?;
    let packed = metadata_from_yaml(&yaml).ok()?;
    let made = Note {
        description: &packed,
        ..found
    };
    let ends = yaml
        .lines()
        .any(|line| line.trim_start().starts_with(".end_"));
    (made.encode() == section && !ends)
        .then(|| format!("\n\t.amdgpu_metadata\n{yaml}\n\t.end_amdgpu_metadata\n"))
}

/// Directives for version 2 notes, if the assembler reproduces the section from them.
fn v2_notes(section: &[u8], target_directives: &str) -> Option<String> {
    let mut lines = String::from("\n");
    for found in Note::all(section) {
        if found.owner != note::AMD {
            return None;
        }
        let mut numbers = found.description.as_chunks::<4>().0.iter();
        let mut number = || numbers.next().map(|bytes| u32::from_le_bytes(*bytes));
        match found.kind {
            note::CODE_OBJECT_VERSION => {
                let _ = writeln!(
                    lines,
                    "\t.hsa_code_object_version {},{}",
                    number()?,
                    number()?
                );
            }
            note::ISA_VERSION => {
                // The name lengths precede the names; they are recomputed.
                number()?;
                let version = [number()?, number()?, number()?]
                    .map(|n| n.to_string())
                    .join(",");
                let names = found.description.get(16..)?;
                let mut names = names.split(|&byte| byte == 0);
                let [vendor, architecture] = [names.next()?, names.next()?].map(text);
                let (vendor, architecture) = (vendor?, architecture?);
                let _ = writeln!(
                    lines,
                    "\t.hsa_code_object_isa {version},\"{vendor}\",\"{architecture}\""
                );
            }
            note::ISA_NAME => {
                let _ = writeln!(lines, "\t.amd_amdgpu_isa \"{}\"", text(found.description)?);
            }
            note::HSA_METADATA => {
                let yaml = std::str::from_utf8(found.description).ok()?;
                let _ = writeln!(
                    lines,
                    "\t.amd_amdgpu_hsa_metadata\n{yaml}\t.end_amd_amdgpu_hsa_metadata"
                );
            }
            _ => return None,
        }
    }
    let source = format!("{target_directives}{lines}");
    let target = named_target(target_directives)?;
    let source = Source {
        name: "listing",
        text: &source,
    };
    let assembly = assemble(&source, &Options::new(target));
    let made = assembly.program.section(SECTION)?;
    (!assembly.has_errors() && made.bytes == section).then_some(lines)
}

/// Returns `bytes` as text if all are graphic ASCII characters that need no escape in quotes.
fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_printable = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\');
    text.chars().all(is_printable).then_some(text)
}
