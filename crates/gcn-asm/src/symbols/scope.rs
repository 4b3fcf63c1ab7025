//! CLRX's scopes: a tree of symbol namespaces, one of which is current. `a::b` is `b` in scope `a`, `::b` is `b` in
//! the outermost scope.
//!
//! A name without a path is looked up in the current scope, in the scopes it uses, and then in the enclosing scopes;
//! it is defined in the current one. Source: CLRX's "Assembler Syntax", chapter "Scopes".

use std::collections::HashMap;

use crate::cursor::SEPARATOR;
use crate::value::SymbolId;

/// Maximum nesting depth of scopes.
const MAX_DEPTH: usize = 64;
/// Maximum number of scopes that a lookup visits.
const MAX_VISITS: usize = 256;

/// Index of a scope; 0 is the outermost one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ScopeId(u32);

impl ScopeId {
    /// The root scope.
    pub(crate) const OUTERMOST: ScopeId = ScopeId(0);
}

#[derive(Default, Debug)]
struct Scope {
    parent: Option<ScopeId>,
    depth: usize,
    children: HashMap<String, ScopeId>,
    symbols: HashMap<String, SymbolId>,
    /// Scopes imported by `.using`, in reverse order of lookup.
    used: Vec<ScopeId>,
    /// Value of the next `.enum` symbol.
    enumerated: i64,
}

/// All scopes of a source.
#[derive(Debug)]
pub(crate) struct Scopes {
    all: Vec<Scope>,
    current: ScopeId,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes {
            all: vec![Scope::default()],
            current: ScopeId::OUTERMOST,
        }
    }
}

impl Scopes {
    /// Returns true if only the outermost scope exists.
    pub(crate) fn is_trivial(&self) -> bool {
        self.all.len() == 1
    }

    fn get(&self, id: ScopeId) -> Option<&Scope> {
        self.all.get(id.0 as usize)
    }

    fn get_mut(&mut self, id: ScopeId) -> Option<&mut Scope> {
        self.all.get_mut(id.0 as usize)
    }

    fn add(&mut self, parent: ScopeId, name: Option<&str>) -> Option<ScopeId> {
        let depth = self.get(parent)?.depth + 1;
        if depth > MAX_DEPTH {
            return None;
        }
        let id = ScopeId(u32::try_from(self.all.len()).ok()?);
        self.all.push(Scope {
            parent: Some(parent),
            depth,
            ..Scope::default()
        });
        if let Some(name) = name {
            self.get_mut(parent)?.children.insert(name.to_owned(), id);
        }
        Some(id)
    }

    /// Opens a scope within the current one and creates it if needed; without a name, an anonymous one. Returns false
    /// if the nesting is too deep.
    pub(crate) fn open(&mut self, name: Option<&str>) -> bool {
        let known = name.and_then(|name| self.get(self.current)?.children.get(name).copied());
        let opened = known.or_else(|| self.add(self.current, name));
        self.current = opened.unwrap_or(self.current);
        opened.is_some()
    }

    /// Closes the current scope; returns false if it is the outermost one.
    pub(crate) fn close(&mut self) -> bool {
        let parent = self.get(self.current).and_then(|scope| scope.parent);
        self.current = parent.unwrap_or(self.current);
        parent.is_some()
    }

    /// Resolves a scope path and creates missing scopes; `None` if the nesting is too deep.
    pub(crate) fn at(&mut self, path: &str) -> Option<ScopeId> {
        let mut parts = path.split(SEPARATOR).peekable();
        let mut id = if parts.next_if_eq(&"").is_some() {
            ScopeId::OUTERMOST
        } else {
            let first = *parts.peek()?;
            let knows = |&scope: &ScopeId| self.child(scope, first).is_some();
            self.ancestors().find(knows).unwrap_or(self.current)
        };
        for part in parts {
            id = match self.child(id, part) {
                Some(known) => known,
                None => self.add(id, Some(part))?,
            };
        }
        Some(id)
    }

    /// Finds a named scope within another, or within the scopes it uses.
    fn child(&self, id: ScopeId, name: &str) -> Option<ScopeId> {
        let mut scopes = Vec::new();
        self.visit(id, &mut scopes);
        scopes
            .into_iter()
            .find_map(|id| self.get(id)?.children.get(name).copied())
    }

    /// The current scope and its ancestors.
    fn ancestors(&self) -> impl Iterator<Item = ScopeId> {
        let parent = |&id: &ScopeId| self.get(id).and_then(|scope| scope.parent);
        std::iter::successors(Some(self.current), parent)
    }

    /// Splits a symbol name into path and name; an empty path means the outermost scope.
    fn split(name: &str) -> (Option<&str>, &str) {
        match name.rsplit_once(SEPARATOR) {
            Some((path, name)) => (Some(path), name),
            None => (None, name),
        }
    }

    /// The scope in which a definition of a symbol goes, and its name there.
    pub(crate) fn definition_scope<'n>(&mut self, name: &'n str) -> Option<(ScopeId, &'n str)> {
        let (path, name) = Scopes::split(name);
        let id = match path {
            None => self.current,
            Some("") => ScopeId::OUTERMOST,
            Some(path) => self.at(path)?,
        };
        Some((id, name))
    }

    /// The scopes in which a symbol is looked up, in order, and its name there.
    pub(crate) fn search<'n>(&mut self, name: &'n str) -> Option<(Vec<ScopeId>, &'n str)> {
        let has_path = Scopes::split(name).0.is_some();
        let (home, name) = self.definition_scope(name)?;
        let mut found = Vec::new();
        if has_path {
            self.visit(home, &mut found);
        } else {
            let ancestors: Vec<ScopeId> = self.ancestors().collect();
            for id in ancestors {
                self.visit(id, &mut found);
            }
        }
        Some((found, name))
    }

    /// Visits a scope, then the scopes it uses, most recent first, recursively.
    fn visit(&self, id: ScopeId, found: &mut Vec<ScopeId>) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if found.len() < MAX_VISITS && !found.contains(&id) {
                found.push(id);
                waiting.extend(self.get(id).into_iter().flat_map(|scope| &scope.used));
            }
        }
    }

    /// The symbol with this name in a scope.
    pub(crate) fn symbol(&self, id: ScopeId, name: &str) -> Option<SymbolId> {
        self.get(id)?.symbols.get(name).copied()
    }

    /// Adds a symbol to a scope.
    pub(crate) fn insert(&mut self, id: ScopeId, name: &str, symbol: SymbolId) {
        if let Some(scope) = self.get_mut(id) {
            scope.symbols.insert(name.to_owned(), symbol);
        }
    }

    /// Removes a symbol from a scope.
    pub(crate) fn remove(&mut self, id: ScopeId, name: &str) {
        if let Some(scope) = self.get_mut(id) {
            scope.symbols.remove(name);
        }
    }

    /// Makes the current scope use another one.
    pub(crate) fn using(&mut self, other: ScopeId) {
        if let Some(scope) = self.get_mut(self.current) {
            scope.used.retain(|&used| used != other);
            scope.used.push(other);
        }
    }

    /// Stops using a scope; if `None`, stops using all.
    pub(crate) fn stop_using(&mut self, other: Option<ScopeId>) {
        if let Some(scope) = self.get_mut(self.current) {
            scope
                .used
                .retain(|&used| other.is_some_and(|other| used != other));
        }
    }

    /// Value of the next `.enum` symbol in the current scope.
    pub(crate) fn enumerated(&mut self) -> Option<&mut i64> {
        self.get_mut(self.current)
            .map(|scope| &mut scope.enumerated)
    }
}
