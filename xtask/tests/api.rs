//! Compares the public API of each library crate with the list in `tests/api`, so that an API change shows as a
//! change of that file. `GCN_BLESS=1` writes the lists.
//!
//! The sources are parsed, not compiled, so any compiler version works. Macro calls are not expanded; the list has
//! the first name in each row of a call.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use syn::{Attribute, Fields, ImplItem, Item, TraitItem, UseTree, Visibility, parse_quote};

/// Environment variable that makes the test write its expectations.
const BLESS: &str = "GCN_BLESS";

/// Attributes that are part of the API.
const ATTRIBUTES: [&str; 4] = ["derive", "non_exhaustive", "must_use", "deprecated"];

/// Library crates with external users.
const CRATES: [&str; 9] = [
    "gcn-isa",
    "gcn-asm",
    "gcn-object",
    "gcn-emu",
    "gcn-observe",
    "gcn-debug",
    "gcn-runtime",
    "gcn-args",
    "gcn-report",
];

#[test]
fn public_interfaces_are_as_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is in the workspace");
    let mut differing = Vec::new();
    for name in CRATES {
        let found = Sources::read(&root.join("crates").join(name).join("src/lib.rs")).api(name);
        assert!(found.lines().count() > 20, "{name} has an API");
        let path = root.join("tests/api").join(name).with_extension("txt");
        if env::var_os(BLESS).is_some() {
            fs::write(&path, &found).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            differing.push(format!(
                "{}:\n{}",
                path.display(),
                difference(&expected, &found)
            ));
        }
    }
    assert!(
        differing.is_empty(),
        "the API has changed; `{BLESS}=1 cargo test -p xtask` writes it\n{}",
        differing.join("\n")
    );
}

/// Lines that only one of two texts has, marked `-` and `+`.
fn difference(expected: &str, found: &str) -> String {
    let only = |these: &str, those: &str, mark: &str| {
        let those: Vec<&str> = those.lines().collect();
        let lines = these.lines().filter(|line| !those.contains(line));
        lines
            .map(|line| format!("{mark} {line}\n"))
            .collect::<String>()
    };
    only(expected, found, "-") + &only(found, expected, "+")
}

/// Path of a module in its crate.
type ModulePath = Vec<String>;

/// Items of a crate's modules.
struct Sources {
    modules: BTreeMap<ModulePath, Vec<Item>>,
}

/// Item of a `use` declaration: its path and its new name.
struct Import {
    path: Vec<String>,
    name: String,
}

/// Target of a path.
enum Target {
    Module(ModulePath),
    Item(ModulePath, String),
    /// Item of another crate, or one that a macro declares.
    Foreign,
}

impl Sources {
    fn read(lib: &Path) -> Sources {
        let mut sources = Sources {
            modules: BTreeMap::new(),
        };
        let below = lib.parent().expect("a file is in a directory").to_owned();
        sources.add_file(lib, below, Vec::new());
        sources
    }

    /// Parses a module's file. `below` is the directory of its submodules.
    fn add_file(&mut self, path: &Path, below: PathBuf, module: ModulePath) {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self.add_items(file.items, below, module);
    }

    fn add_items(&mut self, items: Vec<Item>, below: PathBuf, module: ModulePath) {
        let items: Vec<Item> = items.into_iter().filter(|item| !is_hidden(item)).collect();
        for item in &items {
            let Item::Mod(inner) = item else { continue };
            let name = inner.ident.to_string();
            let directory = below.join(&name);
            let mut path = module.clone();
            path.push(name.clone());
            if let Some((_, items)) = &inner.content {
                self.add_items(items.clone(), directory, path);
            } else {
                let beside = below.join(format!("{name}.rs"));
                let file = if beside.exists() {
                    beside
                } else {
                    directory.join("mod.rs")
                };
                self.add_file(&file, directory, path);
            }
        }
        self.modules.insert(module, items);
    }

    /// Lists a crate's public items.
    fn api(&self, name: &str) -> String {
        let mut out = Vec::new();
        self.list(&Vec::new(), &name.replace('-', "_"), &mut out);
        out.sort_by(|a, b| a.0.cmp(&b.0));
        out.dedup();
        let blocks = out
            .into_iter()
            .map(|(path, text)| format!("{path}\n{text}"));
        blocks.collect::<Vec<_>>().join("\n")
    }

    /// Lists the public items of a module under the path that users write.
    fn list(&self, module: &ModulePath, shown: &str, out: &mut Vec<(String, String)>) {
        for item in self.modules.get(module).into_iter().flatten() {
            match item {
                Item::Mod(inner) if is_public(&inner.vis) => {
                    let mut path = module.clone();
                    path.push(inner.ident.to_string());
                    self.list(&path, &format!("{shown}::{}", inner.ident), out);
                }
                Item::Use(import) if is_public(&import.vis) => {
                    for import in imports(&import.tree, &[]) {
                        self.list_import(module, shown, &import, out);
                    }
                }
                Item::Macro(call) if call.ident.is_none() => {
                    let macro_name = call.mac.path.segments.last().map(|s| s.ident.to_string());
                    let head = declared_names(&call.mac.tokens.to_string());
                    let text = format!("    {}! {{ {head} }}\n", macro_name.unwrap_or_default());
                    out.push((shown.to_owned(), text));
                }
                item => self.list_item(module, item, shown, out),
            }
        }
    }

    fn list_import(
        &self,
        module: &ModulePath,
        shown: &str,
        import: &Import,
        out: &mut Vec<(String, String)>,
    ) {
        match self.resolve(module, &import.path) {
            Target::Module(target) if import.name == "*" => self.list(&target, shown, out),
            Target::Module(target) => {
                self.list(&target, &format!("{shown}::{}", import.name), out);
            }
            Target::Item(target, name) => {
                for item in self.modules.get(&target).into_iter().flatten() {
                    if item_name(item).is_some_and(|(other, _)| other == name) {
                        self.list_item(&target, item, shown, out);
                    }
                }
            }
            Target::Foreign => {
                let text = format!(
                    "    pub use {} as {};\n",
                    import.path.join("::"),
                    import.name
                );
                out.push((shown.to_owned(), text));
            }
        }
    }

    /// Lists an item and its implementations, if it is public.
    fn list_item(
        &self,
        module: &ModulePath,
        item: &Item,
        shown: &str,
        out: &mut Vec<(String, String)>,
    ) {
        let Some((name, visibility)) = item_name(item) else {
            return;
        };
        if !is_public(visibility) {
            return;
        }
        let path = format!("{shown}::{name}");
        out.push((path.clone(), rendered(stripped(item.clone()))));
        for (from, items) in &self.modules {
            for item in items {
                let Item::Impl(block) = item else { continue };
                let syn::Type::Path(ty) = &*block.self_ty else {
                    continue;
                };
                let segments: Vec<String> = ty
                    .path
                    .segments
                    .iter()
                    .map(|s| s.ident.to_string())
                    .collect();
                if segments.last() != Some(&name) {
                    continue;
                }
                let is_own = matches!(self.resolve(from, &segments),
                    Target::Item(target, found) if target == *module && found == name);
                if is_own && let Some(text) = implementation(block) {
                    out.push((path.clone(), text));
                }
            }
        }
    }

    /// Finds the target of a path in a module.
    fn resolve(&self, module: &ModulePath, path: &[String]) -> Target {
        let mut at = module.clone();
        let mut path = path;
        while let Some((first, rest)) = path.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => {
                    at.pop();
                }
                _ => break,
            }
            path = rest;
        }
        let Some((first, rest)) = path.split_first() else {
            return Target::Module(at);
        };
        let mut child = at.clone();
        child.push(first.clone());
        if self.modules.contains_key(&child) {
            return self.resolve(&child, rest);
        }
        let items = self.modules.get(&at).into_iter().flatten();
        for item in items.clone() {
            if item_name(item).is_some_and(|(name, _)| name == *first) {
                return Target::Item(at, first.clone());
            }
        }
        for item in items {
            let Item::Use(declaration) = item else {
                continue;
            };
            for import in imports(&declaration.tree, &[]) {
                let mut target = import.path.clone();
                if import.name == "*" {
                    if let Target::Module(target) = self.resolve_elsewhere(&at, &target, first) {
                        let found = self.resolve(&target, path);
                        if !matches!(found, Target::Foreign) {
                            return found;
                        }
                    }
                } else if import.name == *first {
                    target.extend_from_slice(rest);
                    return self.resolve_elsewhere(&at, &target, first);
                }
            }
        }
        Target::Foreign
    }

    /// Finds the target of a `use` path. A path that starts with the name that it declares refers to another crate.
    fn resolve_elsewhere(&self, module: &ModulePath, path: &[String], name: &str) -> Target {
        if path.first().is_some_and(|first| first == name) {
            return Target::Foreign;
        }
        self.resolve(module, path)
    }
}

/// Imports of a `use` declaration.
fn imports(tree: &UseTree, before: &[String]) -> Vec<Import> {
    let joined = |name: String| [before, &[name]].concat();
    match tree {
        UseTree::Path(path) => imports(&path.tree, &joined(path.ident.to_string())),
        UseTree::Group(group) => {
            let items = group.items.iter();
            items.flat_map(|tree| imports(tree, before)).collect()
        }
        UseTree::Name(name) if name.ident == "self" => vec![Import {
            path: before.to_owned(),
            name: before.last().cloned().unwrap_or_default(),
        }],
        UseTree::Name(name) => vec![Import {
            path: joined(name.ident.to_string()),
            name: name.ident.to_string(),
        }],
        UseTree::Rename(rename) => vec![Import {
            path: joined(rename.ident.to_string()),
            name: rename.rename.to_string(),
        }],
        UseTree::Glob(_) => vec![Import {
            path: before.to_owned(),
            name: "*".to_owned(),
        }],
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// True for tests and items hidden from documentation.
fn is_hidden(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        let arguments = list.map_or(String::new(), |list| list.tokens.to_string());
        attribute.path().is_ident("cfg") && arguments == "test"
            || attribute.path().is_ident("doc") && arguments == "hidden"
    })
}

fn item_name(item: &Item) -> Option<(String, &Visibility)> {
    let (name, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        Item::Union(item) => (&item.ident, &item.vis),
        _ => return None,
    };
    Some((name.to_string(), visibility))
}

/// Removes attributes that are not part of the API.
fn strip_attributes(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| {
        ATTRIBUTES
            .iter()
            .any(|name| attribute.path().is_ident(name))
    });
}

/// Removes documentation, private fields, values and bodies.
fn stripped(mut item: Item) -> Item {
    match &mut item {
        Item::Const(item) => {
            strip_attributes(&mut item.attrs);
            *item.expr = parse_quote!(_);
        }
        Item::Static(item) => {
            strip_attributes(&mut item.attrs);
            *item.expr = parse_quote!(_);
        }
        Item::Fn(item) => {
            strip_attributes(&mut item.attrs);
            *item.block = parse_quote!({});
        }
        Item::Type(item) => strip_attributes(&mut item.attrs),
        Item::Struct(item) => {
            strip_attributes(&mut item.attrs);
            strip_fields(&mut item.fields);
        }
        Item::Enum(item) => {
            strip_attributes(&mut item.attrs);
            for variant in &mut item.variants {
                strip_attributes(&mut variant.attrs);
                variant.discriminant = None;
                for field in &mut variant.fields {
                    strip_attributes(&mut field.attrs);
                }
            }
        }
        Item::Trait(item) => {
            strip_attributes(&mut item.attrs);
            for item in &mut item.items {
                match item {
                    TraitItem::Fn(item) => {
                        strip_attributes(&mut item.attrs);
                        if let Some(block) = &mut item.default {
                            *block = parse_quote!({});
                        }
                    }
                    TraitItem::Const(item) => {
                        strip_attributes(&mut item.attrs);
                        item.default = None;
                    }
                    TraitItem::Type(item) => strip_attributes(&mut item.attrs),
                    _ => {}
                }
            }
        }
        _ => {}
    }
    item
}

/// Removes documentation, and replaces private fields by a placeholder.
fn strip_fields(fields: &mut Fields) {
    for field in fields.iter_mut() {
        strip_attributes(&mut field.attrs);
    }
    match fields {
        Fields::Named(named) => {
            let all = named.named.len();
            let public = named.named.iter().filter(|field| is_public(&field.vis));
            named.named = public.cloned().collect();
            if named.named.len() < all {
                named.named.push(parse_quote!(private: _));
            }
        }
        Fields::Unnamed(unnamed) => {
            for field in &mut unnamed.unnamed {
                if !is_public(&field.vis) {
                    field.ty = parse_quote!(_);
                }
            }
        }
        Fields::Unit => {}
    }
}

/// Public items of an implementation; only the header if it implements a trait.
fn implementation(block: &syn::ItemImpl) -> Option<String> {
    let mut block = block.clone();
    strip_attributes(&mut block.attrs);
    if block.trait_.is_some() {
        block.items.clear();
        return Some(rendered(Item::Impl(block)));
    }
    block.items.retain_mut(|item| match item {
        ImplItem::Fn(item) => {
            strip_attributes(&mut item.attrs);
            item.block = parse_quote!({});
            is_public(&item.vis)
        }
        ImplItem::Const(item) => {
            strip_attributes(&mut item.attrs);
            item.expr = parse_quote!(_);
            is_public(&item.vis)
        }
        _ => false,
    });
    (!block.items.is_empty()).then(|| rendered(Item::Impl(block)))
}

/// Formats an item, indented.
fn rendered(item: Item) -> String {
    let file = syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![item],
    };
    let text = prettyplease::unparse(&file);
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// Names of the rows in a macro call, which semicolons separate: the first name in each row.
fn declared_names(tokens: &str) -> String {
    let code = tokens.lines().collect::<String>();
    let rows = code.split(';').map(str::trim).filter(|row| !row.is_empty());
    let is_name = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let names = rows.filter_map(|row| row.split_whitespace().find(is_name));
    names.collect::<Vec<_>>().join(" ")
}
