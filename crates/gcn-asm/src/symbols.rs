//! Symbol table.

use std::hash::BuildHasher;
use std::ops::Range;

use gcn_object::{Binding, SymbolKind, Visibility};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

pub(crate) mod scope;

use crate::cursor::SEPARATOR;
use crate::value::{ExprId, ExprValue, SymbolId};
use scope::{ScopeId, Scopes};

/// State of a symbol's definition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum SymbolDefinition {
    No,
    Label { section: u32, offset: u64 },
    Value(ExprValue),
    Expr(ExprId),
    Common { align: u64 },
}

#[derive(Debug)]
pub(crate) struct SymbolEntry {
    pub name: String,
    pub defined: SymbolDefinition,
    /// Size in bytes; may be a pending expression.
    pub size: SymbolDefinition,
    pub binding: Option<Binding>,
    pub visibility: Visibility,
    pub kind: SymbolKind,
    pub span: Range<usize>,
    /// True if `span` is a position in the source; otherwise it is one in the current text.
    is_located: bool,
    /// True if the assembler defines the symbol, which therefore cannot be exported.
    pub builtin: bool,
}

impl SymbolEntry {
    /// Returns true if other objects can see the symbol.
    pub(crate) fn is_exported(&self) -> bool {
        self.binding
            .is_some_and(|binding| binding != Binding::Local)
    }

    /// Sets the symbol's span, in source positions.
    pub(crate) fn locate(&mut self, place: Range<usize>) {
        self.span = place;
        self.is_located = true;
    }
}

/// Table of all symbols that the source mentions.
#[derive(Default, Debug)]
pub(crate) struct Symbols {
    entries: Vec<SymbolEntry>,
    /// Named symbols in the outermost scope.
    by_name: HashTable<SymbolId>,
    hasher: DefaultHashBuilder,
    /// CLRX's inner scopes, with their named symbols.
    pub scopes: Scopes,
    /// True if names may include scope paths.
    has_paths: bool,
    /// Latest definition of each numeric label, and the next one if already referenced.
    local: HashMap<u32, (Option<SymbolId>, Option<SymbolId>)>,
}

impl Symbols {
    /// Creates an empty table. `has_paths` allows scope paths in names.
    pub(crate) fn new(has_paths: bool) -> Symbols {
        Symbols {
            has_paths,
            ..Symbols::default()
        }
    }

    fn add(&mut self, name: String, span: Range<usize>) -> SymbolId {
        let id = SymbolId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(SymbolEntry {
            name,
            defined: SymbolDefinition::No,
            size: SymbolDefinition::No,
            binding: None,
            visibility: Visibility::Default,
            kind: SymbolKind::NoType,
            span,
            is_located: false,
            builtin: false,
        });
        id
    }

    pub(crate) fn anonymous(&mut self, span: Range<usize>) -> SymbolId {
        self.add(String::new(), span)
    }

    /// Finds or creates the symbol that a use of `name` refers to.
    pub(crate) fn reference(&mut self, name: &str, span: Range<usize>) -> SymbolId {
        match self.lookup(name) {
            Some(id) => id,
            None => self.declare(name, span),
        }
    }

    /// Finds or creates the symbol that a definition of `name` would define.
    pub(crate) fn declare(&mut self, name: &str, span: Range<usize>) -> SymbolId {
        let (scope, simple) = match self.has_scopes(name) {
            true => self.scopes.definition_scope(name),
            false => None,
        }
        .unwrap_or((ScopeId::OUTERMOST, name));
        if let Some(id) = self.within(scope, simple) {
            return id;
        }
        let id = self.add(simple.to_owned(), span);
        if scope == ScopeId::OUTERMOST {
            self.insert(simple, id);
        } else {
            self.scopes.insert(scope, simple, id);
        }
        id
    }

    /// Adds a name for a symbol to the outermost scope.
    fn insert(&mut self, name: &str, id: SymbolId) {
        let hash = self.hasher.hash_one(name);
        let Symbols {
            entries, hasher, ..
        } = self;
        self.by_name.insert_unique(hash, id, |id| {
            let entry = entries.get(id.0 as usize);
            hasher.hash_one(entry.map_or("", |entry| &entry.name))
        });
    }

    /// Finds a symbol in the outermost scope by name.
    #[inline]
    fn find(&self, name: &str) -> Option<SymbolId> {
        let is_it = |id: &SymbolId| self.name(*id) == name;
        self.by_name
            .find(self.hasher.hash_one(name), is_it)
            .copied()
    }

    /// Finds the symbol that a use of `name` refers to.
    pub(crate) fn lookup(&mut self, name: &str) -> Option<SymbolId> {
        if !self.has_scopes(name) {
            return self.find(name);
        }
        let (scopes, simple) = self.scopes.search(name)?;
        scopes
            .into_iter()
            .find_map(|scope| self.within(scope, simple))
    }

    /// Finds the symbol that a definition of `name` would define.
    pub(crate) fn lookup_definition(&mut self, name: &str) -> Option<SymbolId> {
        if !self.has_scopes(name) {
            return self.find(name);
        }
        let (scope, simple) = self.scopes.definition_scope(name)?;
        self.within(scope, simple)
    }

    /// Rebinds a name to a new, undefined symbol with the same attributes; earlier uses keep the old symbol.
    pub(crate) fn rebind(&mut self, name: &str) {
        let Some(old) = self.lookup_definition(name) else {
            return;
        };
        let span = self.get(old).map_or(0..0, |entry| entry.span.clone());
        self.unbind(name);
        let new = self.declare(name, span);
        let Some((binding, visibility, kind)) = self
            .get(old)
            .map(|old| (old.binding, old.visibility, old.kind))
        else {
            return;
        };
        // Only the new symbol is written to the object.
        if let Some(old) = self.get_mut(old) {
            old.name.clear();
            old.binding = None;
        }
        if let Some(entry) = self.get_mut(new) {
            entry.binding = binding;
            entry.visibility = visibility;
            entry.kind = kind;
        }
    }

    /// Unbinds a name: later uses refer to a new symbol, earlier uses keep the old one.
    pub(crate) fn unbind(&mut self, name: &str) {
        let (scopes, simple) = match self.has_scopes(name) {
            true => self.scopes.search(name),
            false => None,
        }
        .unwrap_or((vec![ScopeId::OUTERMOST], name));
        let has = |scope: &ScopeId| self.within(*scope, simple).is_some();
        match scopes.into_iter().find(has) {
            Some(ScopeId::OUTERMOST) => {
                let hash = self.hasher.hash_one(simple);
                let entries = &self.entries;
                let is_it = |id: &SymbolId| {
                    entries
                        .get(id.0 as usize)
                        .is_some_and(|entry| entry.name == simple)
                };
                if let Ok(entry) = self.by_name.find_entry(hash, is_it) {
                    entry.remove();
                }
            }
            Some(scope) => self.scopes.remove(scope, simple),
            None => {}
        }
    }

    /// Returns true if looking up `name` must consider scopes.
    fn has_scopes(&self, name: &str) -> bool {
        self.has_paths && (!self.scopes.is_trivial() || name.contains(SEPARATOR))
    }

    fn within(&self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        if scope == ScopeId::OUTERMOST {
            self.find(name)
        } else {
            self.scopes.symbol(scope, name)
        }
    }

    /// Resolves a numeric label reference: `1f` (next definition) or `1b` (latest definition).
    pub(crate) fn local_label(
        &mut self,
        number: u32,
        forward: bool,
        span: Range<usize>,
    ) -> Option<SymbolId> {
        let (last, next) = self.local.get(&number).copied().unwrap_or_default();
        if !forward {
            return last;
        }
        Some(next.unwrap_or_else(|| {
            // Messages about a missing label need a name.
            let id = self.add(format!("{number}f"), span);
            self.local.insert(number, (last, Some(id)));
            id
        }))
    }

    /// Defines a numeric label, which may have earlier definitions, and returns the new symbol.
    pub(crate) fn define_local_label(&mut self, number: u32, span: Range<usize>) -> SymbolId {
        let (_, next) = self.local.get(&number).copied().unwrap_or_default();
        let id = next.unwrap_or_else(|| self.add(String::new(), span));
        if let Some(entry) = self.get_mut(id) {
            entry.name.clear();
        }
        self.local.insert(number, (Some(id), None));
        id
    }

    /// Numeric labels with a forward reference but no later definition, each with its first such reference, in source order.
    pub(crate) fn missing_labels(&self) -> Vec<(u32, Range<usize>)> {
        let missing = self.local.iter().filter_map(|(&number, &(_, next))| {
            let entry = self.get(next?)?;
            Some((number, entry.span.clone()))
        });
        let mut missing: Vec<_> = missing.collect();
        missing.sort_unstable_by_key(|(number, span)| (span.start, *number));
        missing
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// Maps spans to source positions for the symbols with index `from` or higher that are not mapped yet.
    pub(crate) fn place_from(&mut self, from: u32, place: impl Fn(Range<usize>) -> Range<usize>) {
        let new = self.entries.iter_mut().skip(from as usize);
        for entry in new.filter(|entry| !entry.is_located) {
            entry.locate(place(entry.span.clone()));
        }
    }

    pub(crate) fn name(&self, id: SymbolId) -> &str {
        self.get(id).map_or("", |entry| &entry.name)
    }

    pub(crate) fn defined(&self, id: SymbolId) -> SymbolDefinition {
        self.get(id)
            .map_or(SymbolDefinition::No, |entry| entry.defined)
    }

    pub(crate) fn get(&self, id: SymbolId) -> Option<&SymbolEntry> {
        self.entries.get(id.0 as usize)
    }

    pub(crate) fn get_mut(&mut self, id: SymbolId) -> Option<&mut SymbolEntry> {
        self.entries.get_mut(id.0 as usize)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..u32::try_from(self.entries.len()).unwrap_or(u32::MAX)).map(SymbolId)
    }

    pub(crate) fn into_entries(self) -> Vec<SymbolEntry> {
        self.entries
    }
}
