//! CLRX's scopes: a tree of symbol namespaces with a current scope. `a::b` is `b` in scope `a`; `::b` is `b` in the
//! outermost scope.
//!
//! A name without a path is defined in the current scope. It is looked up in the current scope, then in the scopes
//! imported there, then likewise in the enclosing scopes. Source: CLRX's "Assembler Syntax", chapter "Scopes".

use std::collections::HashMap;

use crate::cursor::SEPARATOR;
use crate::value::SymbolId;

/// Maximum nesting depth of scopes.
const MAX_DEPTH: usize = 64;
/// Maximum number of scopes visited per lookup.
const MAX_VISITS: usize = 256;

/// Index of a scope; 0 is the outermost one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ScopeId(u32);

impl ScopeId {
    pub(crate) const OUTERMOST: ScopeId = ScopeId(0);
}

#[derive(Default, Debug)]
struct Scope {
    parent: Option<ScopeId>,
    depth: usize,
    children: HashMap<String, ScopeId>,
    symbols: HashMap<String, SymbolId>,
    /// Scopes imported by `.using`; the last one is searched first.
    used: Vec<ScopeId>,
    /// Value for the next `.enum` symbol.
    enumerated: i64,
}

/// Tree of all scopes, and the current one.
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
    /// Returns true if the outermost scope is the only one.
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

    /// Opens a scope within the current one, creating it if needed; without a name, opens a new anonymous scope.
    /// Returns false if scopes are nested too deep.
    pub(crate) fn open(&mut self, name: Option<&str>) -> bool {
        let known = name.and_then(|name| self.get(self.current)?.children.get(name).copied());
        let opened = known.or_else(|| self.add(self.current, name));
        self.current = opened.unwrap_or(self.current);
        opened.is_some()
    }

    /// Closes the current scope. Returns false if it is the outermost one.
    pub(crate) fn close(&mut self) -> bool {
        let parent = self.get(self.current).and_then(|scope| scope.parent);
        self.current = parent.unwrap_or(self.current);
        parent.is_some()
    }

    /// Resolves a scope path, creating missing scopes; returns `None` if scopes are nested too deep.
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

    /// Finds a scope by name within another scope or the scopes it imports.
    fn child(&self, id: ScopeId, name: &str) -> Option<ScopeId> {
        let mut scopes = Vec::new();
        self.visit(id, &mut scopes);
        scopes
            .into_iter()
            .find_map(|id| self.get(id)?.children.get(name).copied())
    }

    /// Current scope and its ancestors, innermost first.
    fn ancestors(&self) -> impl Iterator<Item = ScopeId> {
        let parent = |&id: &ScopeId| self.get(id).and_then(|scope| scope.parent);
        std::iter::successors(Some(self.current), parent)
    }

    /// Splits a symbol name into scope path and simple name; an empty path stands for the outermost scope.
    fn split(name: &str) -> (Option<&str>, &str) {
        match name.rsplit_once(SEPARATOR) {
            Some((path, name)) => (Some(path), name),
            None => (None, name),
        }
    }

    /// Scope that a definition of `name` belongs to, and the symbol's name there.
    pub(crate) fn definition_scope<'n>(&mut self, name: &'n str) -> Option<(ScopeId, &'n str)> {
        let (path, name) = Scopes::split(name);
        let id = match path {
            None => self.current,
            Some("") => ScopeId::OUTERMOST,
            Some(path) => self.at(path)?,
        };
        Some((id, name))
    }

    /// Scopes in which to look up a symbol, in order, and the symbol's name there.
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

    /// Appends a scope to `found` and, recursively, the scopes it imports, most recent first.
    fn visit(&self, id: ScopeId, found: &mut Vec<ScopeId>) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if found.len() < MAX_VISITS && !found.contains(&id) {
                found.push(id);
                waiting.extend(self.get(id).into_iter().flat_map(|scope| &scope.used));
            }
        }
    }

    /// Symbol called `name` in a scope.
    pub(crate) fn symbol(&self, id: ScopeId, name: &str) -> Option<SymbolId> {
        self.get(id)?.symbols.get(name).copied()
    }

    pub(crate) fn insert(&mut self, id: ScopeId, name: &str, symbol: SymbolId) {
        if let Some(scope) = self.get_mut(id) {
            scope.symbols.insert(name.to_owned(), symbol);
        }
    }

    pub(crate) fn remove(&mut self, id: ScopeId, name: &str) {
        if let Some(scope) = self.get_mut(id) {
            scope.symbols.remove(name);
        }
    }

    /// Imports `other` into the current scope (`.using`).
    pub(crate) fn using(&mut self, other: ScopeId) {
        if let Some(scope) = self.get_mut(self.current) {
            scope.used.retain(|&used| used != other);
            scope.used.push(other);
        }
    }

    /// Removes the import of `other` from the current scope, or all imports if `None` (`.unusing`).
    pub(crate) fn stop_using(&mut self, other: Option<ScopeId>) {
        if let Some(scope) = self.get_mut(self.current) {
            scope
                .used
                .retain(|&used| other.is_some_and(|other| used != other));
        }
    }

    /// Value for the next `.enum` symbol in the current scope, for updating.
    pub(crate) fn enumerated(&mut self) -> Option<&mut i64> {
        self.get_mut(self.current)
            .map(|scope| &mut scope.enumerated)
    }
}
