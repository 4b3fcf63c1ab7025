//! Separates relocations that the builder resolves in the file from dynamic ones, which the loader applies.

use hashbrown::{HashMap, HashSet};

use super::error::{RelocationProblem, WriteError};
use super::input::{
    Builder, InputRelocation, InputSection, InputSectionKind, InputSymbol, InputSymbolId,
    RelocationBase, SectionContents, SectionId,
};
use crate::elf::{GOT_SLOT, RelocationKind};

impl Builder<'_> {
    /// Assigns slots in the global offset table to symbols accessed through it.
    pub(super) fn make_got(&mut self) {
        let got = SectionId(self.sections.len());
        let mut slots: HashMap<RelocationBase, u64> = HashMap::new();
        let mut filled = Vec::new();
        for relocation in &mut self.relocations {
            let Some(kind) = relocation.kind.without_got() else {
                continue;
            };
            let next = slots.len() as u64 * GOT_SLOT;
            let slot = *slots.entry(relocation.target).or_insert_with(|| {
                let (kind, target) = (RelocationKind::Abs64, relocation.target);
                filled.push(InputRelocation {
                    section: got,
                    offset: next,
                    kind,
                    target,
                    addend: 0,
                });
                next
            });
            relocation.kind = kind;
            relocation.target = RelocationBase::Section(got);
            relocation.addend = relocation.addend.wrapping_add_unsigned(slot);
        }
        if filled.is_empty() {
            return;
        }
        self.sections.push(InputSection {
            name: ".got".to_owned(),
            contents: SectionContents::Bytes(vec![0; filled.len() * GOT_SLOT as usize].into()),
            kind: InputSectionKind::Program,
            align: GOT_SLOT,
            address: None,
            loaded: true,
            write: true,
            execute: false,
        });
        self.relocations.append(&mut filled);
    }

    /// Returns the indices of the relocations that the loader must apply.
    pub(super) fn dynamic_relocations(&self, errors: &mut Vec<WriteError>) -> HashSet<usize> {
        let mut dynamic = HashSet::new();
        for (index, relocation) in self.relocations.iter().enumerate() {
            let loaded = self
                .sections
                .get(relocation.section.0)
                .is_some_and(|section| section.loaded);
            let moves = matches!(self.value(relocation.target), Some((Some(_), _)));
            if !loaded || relocation.kind == RelocationKind::None {
                continue;
            }
            if relocation.kind == RelocationKind::Relative64 {
                dynamic.insert(index);
                continue;
            }
            let mut fail = |problem| errors.push(WriteError::Relocation { index, problem });
            match (relocation.kind.is_pc_relative(), moves) {
                (true, true) | (false, false) => {}
                (true, false) => {
                    fail(RelocationProblem::DistanceToNumber {
                        symbol: self.target_name(relocation.target).to_owned(),
                    });
                }
                (false, true) if relocation.kind == RelocationKind::Abs32 => {
                    fail(RelocationProblem::Narrow {
                        symbol: self.target_name(relocation.target).to_owned(),
                    });
                }
                (false, true) => {
                    dynamic.insert(index);
                }
            }
        }
        dynamic
    }
}

/// Returns the symbols in `.dynsym`: local symbols to which dynamic relocations refer, then exported symbols. Also
/// returns the number of local symbols.
pub(super) fn dynamic_symbols(
    builder: &Builder<'_>,
    dynamic: &HashSet<usize>,
) -> (Vec<RelocationBase>, usize) {
    let exported = |target: &RelocationBase| match target {
        RelocationBase::Symbol(InputSymbolId(symbol)) => builder
            .symbols
            .get(*symbol)
            .is_some_and(InputSymbol::is_exported),
        RelocationBase::Section(_) => false,
    };
    let mut known = HashSet::new();
    let mut list: Vec<RelocationBase> = builder
        .relocations
        .iter()
        .enumerate()
        .filter(|(index, relocation)| {
            let is_named = !matches!(
                relocation.kind,
                RelocationKind::Abs64 | RelocationKind::Relative64
            );
            dynamic.contains(index) && is_named
        })
        .map(|(_, relocation)| relocation.target)
        .filter(|target| !exported(target) && known.insert(*target))
        .collect();
    let locals = list.len();
    list.extend(
        (0..builder.symbols.len())
            .map(|index| RelocationBase::Symbol(InputSymbolId(index)))
            .filter(exported),
    );
    (list, locals)
}

/// Returns the name of a target in `.dynsym`; empty for sections.
pub(super) fn dynamic_name<'a>(builder: &'a Builder<'_>, target: RelocationBase) -> &'a str {
    match target {
        RelocationBase::Symbol(_) => builder.target_name(target),
        RelocationBase::Section(_) => "",
    }
}
