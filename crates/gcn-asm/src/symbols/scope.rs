//! CLRX's scopes: a tree of places for symbols, of which one is current. `a::b` is `b` of the scope `a`, `::b` that of
//! the outermost one.
//!
//! A name without a path is looked for in the current scope, in the scopes that it uses, and so on outwards; it is
//! defined in the current one. Source: CLRX's "Assembler Syntax", chapter "Scopes".

use std::collections::HashMap;

use crate::cursor::SEPARATOR;
use crate::value::SymbolId;

/// Scopes may nest this deep.
const MAX_DEPTH: usize = 64;
/// Scopes that one search may visit.
const MAX_VISITS: usize = 256;

/// A scope by its number; 0 is the outermost one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ScopeId(u32);

impl ScopeId {
    /// The one that everything is in.
    pub(crate) const OUTERMOST: ScopeId = ScopeId(0);
}

#[derive(Default, Debug)]
struct Scope {
    parent: Option<ScopeId>,
    depth: usize,
    children: HashMap<String, ScopeId>,
    symbols: HashMap<String, SymbolId>,
    /// Scopes whose symbols are seen in this one, the last first.
    used: Vec<ScopeId>,
    /// The value of the next symbol of `.enum`.
    enumerated: i64,
}

/// The scopes of a source.
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
    /// Returns whether there is only the outermost scope.
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

    /// Opens a scope within the current one, which is made if it is new; without a name for once. False if it would be
    /// nested too deep.
    pub(crate) fn open(&mut self, name: Option<&str>) -> bool {
        let known = name.and_then(|name| self.get(self.current)?.children.get(name).copied());
        let opened = known.or_else(|| self.add(self.current, name));
        self.current = opened.unwrap_or(self.current);
        opened.is_some()
    }

    /// Closes the current scope; false if that is the outermost one.
    pub(crate) fn close(&mut self) -> bool {
        let parent = self.get(self.current).and_then(|scope| scope.parent);
        self.current = parent.unwrap_or(self.current);
        parent.is_some()
    }

    /// The scope of a path, which is made as far as it is missing; nothing if it would be nested too deep.
    pub(crate) fn at(&mut self, path: &str) -> Option<ScopeId> {
        let mut parts = path.split(SEPARATOR).peekable();
        let mut id = if parts.next_if_eq(&"").is_some() {
            ScopeId::OUTERMOST
        } else {
            let first = *parts.peek()?;
            let knows = |&scope: &ScopeId| self.child(scope, first).is_some();
            self.outwards().find(knows).unwrap_or(self.current)
        };
        for part in parts {
            id = match self.child(id, part) {
                Some(known) => known,
                None => self.add(id, Some(part))?,
            };
        }
        Some(id)
    }

    /// The scope of this name within another, or within those that it uses.
    fn child(&self, id: ScopeId, name: &str) -> Option<ScopeId> {
        let mut scopes = Vec::new();
        self.visit(id, &mut scopes);
        scopes
            .into_iter()
            .find_map(|id| self.get(id)?.children.get(name).copied())
    }

    /// The current scope and those around it.
    fn outwards(&self) -> impl Iterator<Item = ScopeId> {
        let parent = |&id: &ScopeId| self.get(id).and_then(|scope| scope.parent);
        std::iter::successors(Some(self.current), parent)
    }

    /// Path and name of a symbol; a path that is empty means the outermost scope.
    fn split(name: &str) -> (Option<&str>, &str) {
        match name.rsplit_once(SEPARATOR) {
            Some((path, name)) => (Some(path), name),
            None => (None, name),
        }
    }

    /// The scope that defines the symbol of a name, and its name in that scope.
    pub(crate) fn home<'n>(&mut self, name: &'n str) -> Option<(ScopeId, &'n str)> {
        let (path, name) = Scopes::split(name);
        let id = match path {
            None => self.current,
            Some("") => ScopeId::OUTERMOST,
            Some(path) => self.at(path)?,
        };
        Some((id, name))
    }

    /// The scopes in which a symbol of this name is looked for, in order, and its name there.
    pub(crate) fn search<'n>(&mut self, name: &'n str) -> Option<(Vec<ScopeId>, &'n str)> {
        let has_path = Scopes::split(name).0.is_some();
        let (home, name) = self.home(name)?;
        let mut found = Vec::new();
        if has_path {
            self.visit(home, &mut found);
        } else {
            let outwards: Vec<ScopeId> = self.outwards().collect();
            for id in outwards {
                self.visit(id, &mut found);
            }
        }
        Some((found, name))
    }

    /// A scope, then those that it uses, the last one first, with those that they use.
    fn visit(&self, id: ScopeId, found: &mut Vec<ScopeId>) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if found.len() < MAX_VISITS && !found.contains(&id) {
                found.push(id);
                waiting.extend(self.get(id).into_iter().flat_map(|scope| &scope.used));
            }
        }
    }

    /// The symbol that a scope has under a name.
    pub(crate) fn symbol(&self, id: ScopeId, name: &str) -> Option<SymbolId> {
        self.get(id)?.symbols.get(name).copied()
    }

    /// Puts a symbol into a scope.
    pub(crate) fn insert(&mut self, id: ScopeId, name: &str, symbol: SymbolId) {
        if let Some(scope) = self.get_mut(id) {
            scope.symbols.insert(name.to_owned(), symbol);
        }
    }

    /// Takes a symbol out of a scope.
    pub(crate) fn remove(&mut self, id: ScopeId, name: &str) {
        if let Some(scope) = self.get_mut(id) {
            scope.symbols.remove(name);
        }
    }

    /// Uses another scope in the current one.
    pub(crate) fn using(&mut self, other: ScopeId) {
        if let Some(scope) = self.get_mut(self.current) {
            scope.used.retain(|&used| used != other);
            scope.used.push(other);
        }
    }

    /// Uses it no longer; without one, uses none.
    pub(crate) fn unusing(&mut self, other: Option<ScopeId>) {
        if let Some(scope) = self.get_mut(self.current) {
            scope
                .used
                .retain(|&used| other.is_some_and(|other| used != other));
        }
    }

    /// The value of the next symbol of `.enum` in the current scope.
    pub(crate) fn enumerated(&mut self) -> Option<&mut i64> {
        self.get_mut(self.current)
            .map(|scope| &mut scope.enumerated)
    }
}
