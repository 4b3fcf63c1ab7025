//! From a program to a linked code object.

use gcn_object::write::{self, Builder, Contents, Definition, SectionId, SymbolId};
use gcn_object::{Binding, Flags, MetadataError, SymbolKind, Version, metadata_from_yaml};

use crate::diagnostic::Diagnostic;
use crate::program::{Place, Program, SectionKind};

/// The version of code objects that do not ask for one.
const DEFAULT_VERSION: Version = Version::V5;

/// Why a program cannot become a code object.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ObjectError {
    /// The version is none that can be written.
    #[error("there is no code object version {0} to write; there are 4, 5 and 6")]
    Version(u8),
    /// The metadata is wrong.
    #[error("the metadata is wrong: {0}")]
    Metadata(#[from] MetadataError),
    /// What the writer says, as far as it concerns places in the source.
    #[error("{} errors while linking", .0.len())]
    Link(Vec<Diagnostic>),
}

impl Program {
    /// A linked, loadable code object. `version` overrides `.amdhsa_code_object_version`.
    ///
    /// # Errors
    /// [`ObjectError`]: metadata that is no metadata, symbols that are not defined, fields that do not hold
    /// their addresses.
    pub fn to_object(&self, version: Option<u8>) -> Result<Vec<u8>, ObjectError> {
        let version = match version.or(self.code_object_version) {
            None => DEFAULT_VERSION,
            Some(4) => Version::V4,
            Some(5) => Version::V5,
            Some(6) => Version::V6,
            Some(other) => return Err(ObjectError::Version(other)),
        };
        let flags = Flags {
            mach: self.target.elf_mach,
            xnack: self.xnack,
            sramecc: self.sramecc,
            generic_version: 0,
        };
        let mut builder = Builder::new(version, flags);
        if let Some(metadata) = &self.metadata {
            builder.metadata = Some(metadata_from_yaml(&metadata.yaml)?);
        }
        let sections: Vec<Option<SectionId>> = self
            .sections
            .iter()
            .map(|section| {
                // Sections for the linker and for people have no place in a linked program.
                let kept = section.flags.alloc && (section.size > 0 || section.name == ".text");
                kept.then(|| builder.section(written(section)))
            })
            .collect();
        let symbols = self.write_symbols(&mut builder, &sections);
        let mut spans = Vec::new();
        for (section, id) in self.sections.iter().zip(&sections) {
            let Some(id) = *id else { continue };
            for relocation in &section.relocations {
                let Some((target, base)) = symbols.get(relocation.symbol).copied().flatten() else {
                    continue;
                };
                builder.relocation(write::Relocation {
                    section: id,
                    offset: relocation.offset,
                    kind: relocation.kind,
                    target,
                    addend: relocation.addend.wrapping_add(base),
                });
                spans.push(relocation.span.clone());
            }
        }
        builder.build().map_err(|errors| {
            let diagnostics = errors
                .into_iter()
                .map(|error| {
                    let span = match &error {
                        write::WriteError::Relocation { index, .. } => {
                            spans.get(*index).cloned().unwrap_or(0..0)
                        }
                        _ => 0..0,
                    };
                    Diagnostic::error(span, error.to_string())
                })
                .collect();
            ObjectError::Link(diagnostics)
        })
    }

    /// Adds the symbols. Yields for each what a relocation against it refers to, and what to add.
    fn write_symbols(
        &self,
        builder: &mut Builder,
        sections: &[Option<SectionId>],
    ) -> Vec<Option<(write::Target, i64)>> {
        let mut used = vec![false; self.symbols.len()];
        for relocation in self.sections.iter().flat_map(|s| &s.relocations) {
            if let Some(used) = used.get_mut(relocation.symbol) {
                *used = true;
            }
        }
        let section_of = |index: usize| sections.get(index).copied().flatten();
        self.symbols
            .iter()
            .zip(used)
            .map(|(symbol, is_used)| {
                if symbol.is_builtin {
                    return None;
                }
                if symbol.is_temporary()
                    && let Place::Section { section, offset } = symbol.place
                {
                    let id = section_of(section)?;
                    return Some((write::Target::Section(id), offset.cast_signed()));
                }
                let definition = match symbol.place {
                    Place::Section { section, offset } => Definition::At(section_of(section)?, offset),
                    Place::Absolute(value) => Definition::Absolute(value.cast_unsigned()),
                    Place::Common { align } => Definition::At(
                        builder.section(write::Section {
                            name: format!(".bss.{}", symbol.name),
                            contents: Contents::Zeros(symbol.size),
                            kind: write::SectionKind::Program,
                            align,
                            loaded: true,
                            write: true,
                            execute: false,
                        }),
                        0,
                    ),
                    Place::Undefined => Definition::Undefined,
                };
                let seen = symbol.binding != Binding::Local
                    || matches!(symbol.kind, SymbolKind::Function | SymbolKind::Object);
                let is_undefined = symbol.place == Place::Undefined;
                if !is_used && (is_undefined || matches!(symbol.place, Place::Absolute(_)) && !seen) {
                    return None;
                }
                let id: SymbolId = builder.symbol(write::Symbol {
                    name: symbol.name.clone(),
                    definition,
                    size: symbol.size,
                    kind: symbol.kind,
                    binding: symbol.binding,
                    visibility: symbol.visibility,
                });
                Some((write::Target::Symbol(id), 0))
            })
            .collect()
    }
}

fn written(section: &crate::program::Section) -> write::Section {
    write::Section {
        name: section.name.clone(),
        contents: match section.kind {
            SectionKind::NoBits => Contents::Zeros(section.size),
            _ => Contents::Bytes(section.bytes.clone()),
        },
        kind: match section.kind {
            SectionKind::Note => write::SectionKind::Note,
            _ => write::SectionKind::Program,
        },
        align: section.align,
        loaded: section.flags.alloc,
        write: section.flags.write,
        execute: section.flags.exec,
    }
}
