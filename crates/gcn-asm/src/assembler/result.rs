//! What an assembler has come to: the program, with its symbols in their places.

use gcn_object::{Binding, SymbolKind};

use super::Assembler;
use crate::SourceFile;
use crate::diagnostic::Diagnostic;
use crate::expr::{Term, Value};
use crate::ids;
use crate::program::{Place, Program, Symbol};
use crate::symbols::{Defined, Entry, SymbolId};

impl Assembler<'_> {
    pub(crate) fn into_program(mut self) -> (Program, Vec<Diagnostic>, Vec<SourceFile>) {
        let mut places = Vec::new();
        for id in self.symbols.ids() {
            let place = self.place_of(id);
            let size = self.size_of(id);
            places.push((place, size));
        }
        let diagnostics = self.diagnostics;
        let files = self.expansion.named_files(&diagnostics);
        let symbols = self
            .symbols
            .into_entries()
            .into_iter()
            .zip(places)
            .map(|(entry, (place, size))| Symbol {
                binding: entry.binding.unwrap_or(match place {
                    Place::Undefined | Place::Common { .. } => Binding::Global,
                    _ => Binding::Local,
                }),
                kind: match place {
                    Place::Common { .. } => SymbolKind::Object,
                    _ => entry.kind,
                },
                visibility: entry.visibility,
                is_builtin: entry.builtin,
                name: entry.name,
                place,
                size,
                span: entry.span,
            })
            .collect();
        let program = Program {
            target: self.target,
            xnack: self.features.xnack,
            sramecc: self.features.sramecc,
            code_object_version: self.code_object_version,
            sections: self.sections,
            symbols,
            kernels: self.finished_kernels,
            metadata: self.metadata,
            identifications: self.identifications,
            marks: self.marks,
        };
        (program, diagnostics, files)
    }

    fn place_of(&mut self, id: SymbolId) -> Place {
        let value = match self.symbols.defined(id) {
            Defined::No => return Place::Undefined,
            Defined::Common { align } => return Place::Common { align },
            Defined::Label { section, offset } => {
                return Place::Section {
                    section: section as usize,
                    offset,
                };
            }
            Defined::Value(value) => Ok(value),
            Defined::Expr(expr) => self.exprs.eval(expr, &self.symbols, true),
        };
        let span = self.symbols.get(id).map_or(0..0, |e| e.span.clone());
        match value {
            Ok(Value {
                plus: None,
                minus: None,
                constant,
                ..
            }) => Place::Absolute(constant),
            Ok(Value {
                plus:
                    Some(Term {
                        place: Some((section, offset)),
                        ..
                    }),
                minus: None,
                constant,
                ..
            }) => Place::Section {
                section: section as usize,
                offset: offset.wrapping_add_signed(constant),
            },
            // Another name for what is defined elsewhere is none that a code object could have. Nobody misses it who
            // is not to see it, and fields that use it name the other symbol.
            Ok(Value { minus: None, .. }) if !self.symbols.get(id).is_some_and(Entry::is_seen) => {
                Place::Undefined
            }
            Ok(_) => {
                let name = self.symbols.name(id).to_owned();
                self.diagnostics.push(Diagnostic::error(&ids::SYMBOL_EXPRESSION,
                    span,
                    format!("symbol `{name}` stands for an expression that has no place in a code object"),
                ));
                Place::Undefined
            }
            Err(error) => {
                let fail = error.diagnose(span, &self.symbols);
                self.diagnostics.push(*fail);
                Place::Undefined
            }
        }
    }

    fn size_of(&mut self, id: SymbolId) -> u64 {
        let (size, span) = match self.symbols.get(id) {
            Some(entry) => (entry.size, entry.span.clone()),
            None => return 0,
        };
        let value = match size {
            Defined::Value(value) => Ok(value),
            Defined::Expr(expr) => self.exprs.eval(expr, &self.symbols, true),
            _ => return 0,
        };
        match value.map(|v| v.as_absolute()) {
            Ok(Some(size)) => size.cast_unsigned(),
            Ok(None) => {
                let name = self.symbols.name(id).to_owned();
                self.diagnostics.push(Diagnostic::error(
                    &ids::ADDRESS_VALUE,
                    span,
                    format!("the size of `{name}` must be a number, but is an address"),
                ));
                0
            }
            Err(error) => {
                let fail = error.diagnose(span, &self.symbols);
                self.diagnostics.push(*fail);
                0
            }
        }
    }
}
