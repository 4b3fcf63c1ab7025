//! Links an assembled program into a code object.

use std::borrow::Cow;
use std::collections::HashSet;

use gcn_object::write::{self, Builder, Definition, InputSymbolId, SectionContents, SectionId};
use gcn_object::{
    Binding, Flags, MetadataError, RelocationKind, SymbolKind, Version, metadata_from_yaml,
};

use crate::assembly::Assembly;
use crate::diagnostic::Diagnostic;
use crate::ids;
use crate::program::{LinePlace, Program, ProgramLines, SectionKind, SymbolPlace, TEXT};

/// Code object version to write if none is requested.
const DEFAULT_VERSION: Version = Version::V5;

/// Error that prevents a program from becoming a code object.
///
/// # Examples
/// ```
/// use gcn_asm::{ObjectError, Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: ".quad no_such_symbol" };
/// let program = assemble(&source, &Options::new(target)).program;
/// let Err(ObjectError::Link(errors)) = program.to_object(None) else { panic!("the symbol is not defined") };
/// assert_eq!(&source.text[errors[0].span.clone()], "no_such_symbol");
/// assert!(matches!(program.to_object(Some(7)), Err(ObjectError::Version(7))));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The code object version is not supported.
    #[error("unsupported code object version {0}: 2 to 6 can be written")]
    Version(u8),
    /// The metadata is invalid.
    #[error("invalid metadata: {0}")]
    Metadata(#[from] MetadataError),
    /// Link errors, with their locations in the source if known.
    #[error("{} errors while linking", .0.len())]
    Link(Vec<Diagnostic>),
}

impl Assembly {
    /// Links the program into a code object and returns all diagnostics in source order. The object is `None` if there
    /// are errors; an assembly with errors is still linked, to report link errors. `version` overrides
    /// `.amdhsa_code_object_version`.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Options, Source, assemble};
    /// let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let source = Source { name: "a.s", text: "s_noop 0\n.quad missing\n" };
    /// let (object, diagnostics) = assemble(&source, &Options::new(target)).to_object(None);
    /// let names: Vec<_> = diagnostics.iter().map(|found| found.name()).collect();
    /// assert_eq!((object, names[0], names.len()), (None, "unknown-opcode", 2));
    /// ```
    pub fn to_object(&self, version: Option<u8>) -> (Option<Vec<u8>>, Vec<Diagnostic>) {
        let program = &self.program;
        self.linked(program.to_object(version).map_err(|error| match error {
            ObjectError::Link(errors) => errors,
            ObjectError::Metadata(error) => vec![metadata_error(program, &error)],
            ObjectError::Version(_) => vec![Diagnostic::error(
                &ids::CODE_OBJECT_VERSION,
                0..0,
                error.to_string(),
            )],
        }))
    }

    /// Bytes of `.text` with all fixups applied, and all diagnostics, as for [`Assembly::to_object`].
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Options, Source, assemble};
    /// let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let assembly = assemble(&Source { name: "a.s", text: "s_endpgm\n" }, &Options::new(target));
    /// assert_eq!(assembly.to_linked_raw(), (Some(0xbf81_0000_u32.to_le_bytes().to_vec()), Vec::new()));
    /// ```
    pub fn to_linked_raw(&self) -> (Option<Vec<u8>>, Vec<Diagnostic>) {
        self.linked(self.program.to_linked_raw())
    }

    /// Combines link results with the assembler's diagnostics.
    fn linked(&self, made: Result<Vec<u8>, Vec<Diagnostic>>) -> (Option<Vec<u8>>, Vec<Diagnostic>) {
        let mut diagnostics = self.diagnostics.clone();
        let is_whole = !self.has_errors();
        match made {
            Ok(bytes) => (is_whole.then_some(bytes), diagnostics),
            Err(mut errors) => {
                // A link error without a location, or where a diagnostic already begins, may be a consequence of an earlier
                // error.
                let known: HashSet<_> = diagnostics.iter().map(|known| known.span.start).collect();
                errors.retain(|error| {
                    is_whole || !error.span.is_empty() && !known.contains(&error.span.start)
                });
                diagnostics.extend(errors);
                diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
                (None, diagnostics)
            }
        }
    }
}

/// Converts a metadata error into a diagnostic at its location in the source.
fn metadata_error(program: &Program, error: &MetadataError) -> Diagnostic {
    let Some(metadata) = &program.metadata else {
        return Diagnostic::error(&ids::INVALID_METADATA, 0..0, error.to_string());
    };
    let MetadataError::Yaml {
        line,
        column,
        message,
    } = error
    else {
        return Diagnostic::error(
            &ids::INVALID_METADATA,
            metadata.span.clone(),
            error.to_string(),
        );
    };
    let begin: usize = metadata
        .yaml
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let at = metadata.span.start + (begin + column.saturating_sub(1)).min(metadata.yaml.len());
    // Text generated by a macro has no source location.
    let span = if metadata.span.len() == metadata.yaml.len() {
        at..at
    } else {
        metadata.span.clone()
    };
    // The reported line number counts from the start of the metadata, so it is removed.
    let message = message.split(" at line ").next().unwrap_or(message);
    Diagnostic::error(
        &ids::INVALID_METADATA,
        span,
        format!("the metadata is not valid YAML: {message}"),
    )
}

impl Program {
    /// Links the program into a loadable code object. `version` overrides `.amdhsa_code_object_version`.
    ///
    /// # Errors
    /// [`ObjectError`] for an unsupported version, invalid metadata, or link errors such as undefined symbols.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Options, Source, assemble};
    /// let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let source = Source { name: "a.s", text: ".globl answer\nanswer = 42\ns_endpgm\n" };
    /// let file = assemble(&source, &Options::new(target)).program.to_object(Some(4))?;
    /// let object = gcn_object::read(&file)?;
    /// assert_eq!((object.version.number(), object.processor()), (4, Some("gfx900")));
    /// assert_eq!(object.symbol("answer").map(|symbol| symbol.value), Some(42));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_object(&self, version: Option<u8>) -> Result<Vec<u8>, ObjectError> {
        let version = match version.or(self.code_object_version) {
            None => DEFAULT_VERSION,
            Some(number) => Version::ALL
                .into_iter()
                .find(|version| version.number() == number)
                .ok_or(ObjectError::Version(number))?,
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
                // Linked objects omit empty sections, and sections for linkers and debuggers.
                let kept = section.flags.alloc && (section.size > 0 || section.name == TEXT);
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
                builder.relocation(write::InputRelocation {
                    section: id,
                    offset: relocation.offset,
                    kind: relocation.kind,
                    target,
                    addend: relocation.addend.wrapping_add(base),
                });
                spans.push(relocation.span.clone());
            }
        }
        if let Some(lines) = &self.lines {
            let lines = self.debug_lines(lines, &sections);
            builder.debug_lines(&lines).map_err(|error| {
                let error = Diagnostic::error(&ids::LINK, 0..0, error.to_string());
                ObjectError::Link(vec![error])
            })?;
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
                    Diagnostic::error(&ids::LINK, span, error.to_string())
                })
                .collect();
            ObjectError::Link(diagnostics)
        })
    }

    /// Line information for the sections in the output.
    fn debug_lines(
        &self,
        lines: &ProgramLines,
        sections: &[Option<SectionId>],
    ) -> write::DebugLines {
        let written = |row: &LinePlace| {
            Some(write::DebugRow {
                section: sections.get(row.section).copied().flatten()?,
                offset: row.offset,
                size: row.size,
                file: row.file,
                line: row.line,
            })
        };
        let labels = lines.labels.iter().filter_map(|(symbol, row)| {
            let symbol = self.symbols.get(*symbol)?;
            Some((symbol.name.clone(), written(row)?))
        });
        write::DebugLines {
            producer: concat!("gcn ", env!("CARGO_PKG_VERSION")).to_owned(),
            directory: lines.directory.clone(),
            files: lines.files.clone(),
            texts: lines.texts.clone(),
            rows: lines.rows.iter().filter_map(written).collect(),
            labels: labels.collect(),
        }
    }

    /// Position-independent bytes of `.text`, with all fields filled in.
    ///
    /// # Errors
    /// One diagnostic for each field that depends on another section, an undefined symbol or the load address.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Options, Source, assemble};
    /// let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let source = Source { name: "a.s", text: "s_endpgm\ntable:\n.long table - ., 7\n" };
    /// let bytes = assemble(&source, &Options::new(target)).program.to_linked_raw().expect("one section");
    /// assert_eq!(bytes[4..], [0, 0, 0, 0, 7, 0, 0, 0]);
    /// ```
    pub fn to_linked_raw(&self) -> Result<Vec<u8>, Vec<Diagnostic>> {
        let mut bytes = self.to_raw();
        let Some(index) = self.sections.iter().position(|s| s.name == TEXT) else {
            return Ok(bytes);
        };
        let mut errors = Vec::new();
        let relocations = self.sections.get(index).map(|s| &s.relocations);
        for relocation in relocations.into_iter().flatten() {
            let target = match self.symbols.get(relocation.symbol).map(|s| s.place) {
                Some(SymbolPlace::Section { section, offset }) if section == index => Some(offset),
                _ => None,
            };
            let filled = target.and_then(|target| {
                let distance = target
                    .wrapping_add_signed(relocation.addend)
                    .wrapping_sub(relocation.offset);
                let (low, high) = (distance as u32, (distance >> 32) as u32);
                let (value, width) = match relocation.kind {
                    RelocationKind::Rel32 | RelocationKind::Rel32Lo => (u64::from(low), 4),
                    RelocationKind::Rel32Hi => (u64::from(high), 4),
                    RelocationKind::Rel64 => (distance, 8),
                    _ => return None,
                };
                let start = usize::try_from(relocation.offset).ok()?;
                let place = bytes.get_mut(start..)?.get_mut(..width)?;
                place.copy_from_slice(value.to_le_bytes().get(..width)?);
                Some(())
            });
            if filled.is_none() {
                errors.push(
                    Diagnostic::error(&ids::RAW_RELOCATION,
                        relocation.span.clone(),
                        "raw words cannot contain relocations",
                    )
                    .help("make a code object, or refer only to `.text`, relative to the program counter"),
                );
            }
        }
        if errors.is_empty() {
            Ok(bytes)
        } else {
            Err(errors)
        }
    }

    /// Adds the symbols to the object. Returns the target and addend for relocations against each; `None` if omitted.
    fn write_symbols(
        &self,
        builder: &mut Builder<'_>,
        sections: &[Option<SectionId>],
    ) -> Vec<Option<(write::RelocationBase, i64)>> {
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
                if symbol.is_builtin && !is_used {
                    return None;
                }
                if symbol.is_temporary()
                    && let SymbolPlace::Section { section, offset } = symbol.place
                {
                    let id = section_of(section)?;
                    return Some((write::RelocationBase::Section(id), offset.cast_signed()));
                }
                let definition = match symbol.place {
                    SymbolPlace::Section { section, offset } => {
                        Definition::At(section_of(section)?, offset)
                    }
                    SymbolPlace::Absolute(value) => Definition::Absolute(value.cast_unsigned()),
                    SymbolPlace::Common { align } => Definition::At(
                        builder.section(write::InputSection {
                            name: format!(".bss.{}", symbol.name),
                            contents: SectionContents::Zeros(symbol.size),
                            kind: write::InputSectionKind::Program,
                            align,
                            address: None,
                            loaded: true,
                            write: true,
                            execute: false,
                        }),
                        0,
                    ),
                    SymbolPlace::Undefined => Definition::Undefined,
                };
                let seen = symbol.binding != Binding::Local
                    || matches!(symbol.kind, SymbolKind::Function | SymbolKind::Object);
                let is_undefined = symbol.place == SymbolPlace::Undefined;
                if !is_used
                    && (is_undefined || matches!(symbol.place, SymbolPlace::Absolute(_)) && !seen)
                {
                    return None;
                }
                let id: InputSymbolId = builder.symbol(write::InputSymbol {
                    name: symbol.name.clone(),
                    definition,
                    size: symbol.size,
                    kind: symbol.kind,
                    binding: symbol.binding,
                    visibility: symbol.visibility,
                });
                Some((write::RelocationBase::Symbol(id), 0))
            })
            .collect()
    }
}

fn written(section: &crate::program::ProgramSection) -> write::InputSection<'_> {
    write::InputSection {
        name: section.name.clone(),
        contents: match section.kind {
            SectionKind::NoBits => SectionContents::Zeros(section.size),
            _ => SectionContents::Bytes(Cow::Borrowed(&section.bytes)),
        },
        kind: match section.kind {
            SectionKind::Note => write::InputSectionKind::Note,
            SectionKind::Other(number) => write::InputSectionKind::Other(number),
            _ => write::InputSectionKind::Program,
        },
        align: section.align,
        address: section.address,
        loaded: section.flags.alloc,
        write: section.flags.write,
        execute: section.flags.exec,
    }
}
