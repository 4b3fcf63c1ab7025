//! The symbol table.

use std::hash::BuildHasher;
use std::ops::Range;

use gcn_object::{Binding, SymbolKind, Visibility};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::expr::{ExprId, Value};

/// A symbol by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SymbolId(pub u32);

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Defined {
    No,
    Label { section: u32, offset: u64 },
    Value(Value),
    Expr(ExprId),
    Common { align: u64 },
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub name: String,
    pub defined: Defined,
    /// The size in bytes, or what will give it.
    pub size: Defined,
    pub binding: Option<Binding>,
    pub visibility: Visibility,
    pub kind: SymbolKind,
    pub span: Range<usize>,
    /// Whether it is given, not the source's: may not be a symbol of the object.
    pub builtin: bool,
}

/// Every symbol that the source names.
#[derive(Default, Debug)]
pub(crate) struct Symbols {
    entries: Vec<Entry>,
    /// Those that have names, by these.
    by_name: HashTable<SymbolId>,
    hasher: DefaultHashBuilder,
    /// For each numeric label its last definition and the one that comes next, if it was named.
    local: HashMap<u32, (Option<SymbolId>, Option<SymbolId>)>,
}

impl Symbols {
    fn add(&mut self, name: String, span: Range<usize>) -> SymbolId {
        let id = SymbolId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry {
            name,
            defined: Defined::No,
            size: Defined::No,
            binding: None,
            visibility: Visibility::Default,
            kind: SymbolKind::NoType,
            span,
            builtin: false,
        });
        id
    }

    /// A new symbol without name.
    pub(crate) fn anonymous(&mut self, span: Range<usize>) -> SymbolId {
        self.add(String::new(), span)
    }

    /// The symbol of this name; a new one if it is the first time.
    pub(crate) fn used(&mut self, name: &str, span: Range<usize>) -> SymbolId {
        let hash = self.hasher.hash_one(name);
        if let Some(id) = self.find(hash, name) {
            return id;
        }
        let id = self.add(name.to_owned(), span);
        let Symbols {
            entries, hasher, ..
        } = self;
        self.by_name.insert_unique(hash, id, |id| {
            let entry = entries.get(id.0 as usize);
            hasher.hash_one(entry.map_or("", |entry| &entry.name))
        });
        id
    }

    /// The symbol of this name, if there is one.
    pub(crate) fn lookup(&self, name: &str) -> Option<SymbolId> {
        self.find(self.hasher.hash_one(name), name)
    }

    /// The symbol of a name with this hash.
    #[inline]
    fn find(&self, hash: u64, name: &str) -> Option<SymbolId> {
        let is_it = |id: &SymbolId| self.name(*id) == name;
        self.by_name.find(hash, is_it).copied()
    }

    /// A numeric label as `1f` (the next one) or `1b` (the last one) names it.
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
            let id = self.add(String::new(), span);
            self.local.insert(number, (last, Some(id)));
            id
        }))
    }

    /// The symbol of a numeric label that is defined here.
    pub(crate) fn define_local_label(&mut self, number: u32, span: Range<usize>) -> SymbolId {
        let (_, next) = self.local.get(&number).copied().unwrap_or_default();
        let id = next.unwrap_or_else(|| self.add(String::new(), span));
        self.local.insert(number, (Some(id), None));
        id
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// Places the symbols that were made since there were `from`.
    pub(crate) fn place_from(&mut self, from: u32, place: impl Fn(Range<usize>) -> Range<usize>) {
        for entry in self.entries.iter_mut().skip(from as usize) {
            entry.span = place(entry.span.clone());
        }
    }

    pub(crate) fn name(&self, id: SymbolId) -> &str {
        self.get(id).map_or("", |entry| &entry.name)
    }

    pub(crate) fn defined(&self, id: SymbolId) -> Defined {
        self.get(id).map_or(Defined::No, |entry| entry.defined)
    }

    pub(crate) fn get(&self, id: SymbolId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    pub(crate) fn get_mut(&mut self, id: SymbolId) -> Option<&mut Entry> {
        self.entries.get_mut(id.0 as usize)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..u32::try_from(self.entries.len()).unwrap_or(u32::MAX)).map(SymbolId)
    }

    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}
