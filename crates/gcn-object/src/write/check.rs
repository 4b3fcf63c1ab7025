//! Validates the builder's input.

use hashbrown::HashSet;

use super::encode::{MAX_SECTIONS, RESERVED_NAMES};
use super::error::{RelocationProblem, WriteError};
use super::input::{
    Builder, Definition, InputRelocation, InputSymbol, InputSymbolId, RelocationBase,
    SectionContents, SectionId,
};
use crate::elf::{Binding, MAX_ALIGN, RelocationKind};
use crate::image::MAX_IMAGE_BYTES;
use crate::target::Version;

impl Builder<'_> {
    pub(super) fn input_errors(&self) -> Vec<WriteError> {
        let mut errors = Vec::new();
        if self.version == Version::V2 && self.metadata.is_some() {
            errors.push(WriteError::Version);
        }
        let mut bytes = 0u64;
        for section in &self.sections {
            let align = section.align.max(1);
            if !align.is_power_of_two() || align > MAX_ALIGN {
                errors.push(WriteError::Align {
                    name: section.name.clone(),
                    align,
                });
            }
            if RESERVED_NAMES.contains(&section.name.as_str()) || section.name.contains('\0') {
                errors.push(WriteError::SectionName {
                    name: section.name.clone(),
                });
            }
            bytes = bytes.saturating_add(section.size()).saturating_add(align);
        }
        if bytes > MAX_IMAGE_BYTES {
            errors.push(WriteError::TooLarge);
        }
        // The generated tables need section indices too.
        if self.sections.len() + RESERVED_NAMES.len() + 2 >= MAX_SECTIONS {
            errors.push(WriteError::TooManySections {
                count: self.sections.len(),
            });
        }
        let mut names = HashSet::new();
        for symbol in &self.symbols {
            if symbol.name.contains('\0') {
                errors.push(WriteError::SymbolName {
                    name: symbol.name.clone(),
                });
            }
            let seen_by_all =
                symbol.binding != Binding::Local && symbol.definition != Definition::Undefined;
            if seen_by_all && !names.insert(symbol.name.as_str()) {
                errors.push(WriteError::Duplicate {
                    name: symbol.name.clone(),
                });
            }
            if let Definition::At(SectionId(section), _) = symbol.definition
                && section >= self.sections.len()
            {
                errors.push(WriteError::NoSuchId);
            }
        }
        for (index, relocation) in self.relocations.iter().enumerate() {
            if let Err(problem) = self.check(relocation) {
                errors.push(problem.map_or(WriteError::NoSuchId, |problem| {
                    WriteError::Relocation { index, problem }
                }));
            }
        }
        errors
    }

    /// Checks a relocation. The error is `None` if an ID belongs to another builder.
    fn check(&self, relocation: &InputRelocation) -> Result<(), Option<RelocationProblem>> {
        let InputRelocation {
            section: SectionId(section),
            offset,
            kind,
            target,
            ..
        } = *relocation;
        let section = self.sections.get(section).ok_or(None)?;
        match target {
            RelocationBase::Section(SectionId(target)) => self.sections.get(target).map(|_| ()),
            RelocationBase::Symbol(InputSymbolId(target)) => self.symbols.get(target).map(|_| ()),
        }
        .ok_or(None)?;
        let number = kind.number();
        let width = match kind {
            RelocationKind::None => 0,
            RelocationKind::Relative64 if matches!(self.value(target), Some((Some(_), _))) => {
                return Err(Some(RelocationProblem::Kind { number }));
            }
            _ => kind
                .width()
                .ok_or(Some(RelocationProblem::Kind { number }))?,
        };
        let end = offset.checked_add(width);
        let inside = match &section.contents {
            SectionContents::Bytes(bytes) => end.is_some_and(|end| end <= bytes.len() as u64),
            SectionContents::Zeros(_) => false,
        };
        if !inside {
            return Err(Some(RelocationProblem::Outside {
                section: section.name.clone(),
                offset,
            }));
        }
        let undefined = |symbol: &InputSymbol| {
            Err(Some(RelocationProblem::Undefined {
                symbol: symbol.name.clone(),
            }))
        };
        match (self.value(target), target) {
            (None, RelocationBase::Symbol(InputSymbolId(symbol))) => {
                self.symbols.get(symbol).map_or(Err(None), undefined)
            }
            _ => Ok(()),
        }
    }
}
