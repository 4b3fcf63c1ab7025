//! Checks that modules are declared bottom to top, and import only from modules declared above them.

use super::{LIBRARIES, crates, sources};

/// All crates. Each declares its modules in import order, in `lib.rs` or `main.rs`.
fn ordered() -> impl Iterator<Item = &'static str> {
    LIBRARIES.into_iter().chain(["gcn"])
}

/// Crates whose modules import from one another instead of from the crate root, whose exports are for users.
const NAMING_MODULES: [&str; 3] = ["gcn-runtime", "gcn-args", "gcn-report"];

/// Files that declare a crate's modules.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// Module of a crate: its file, path from the crate root, code, and child modules in order of declaration.
struct Module {
    file: String,
    path: Vec<String>,
    code: String,
    children: Vec<String>,
}

/// Modules of a crate that have files.
fn crate_modules(name: &str) -> Vec<Module> {
    let of_source = |(file, code): (String, String)| {
        let (_, inside) = file.split_once("/src/").expect("a source is in src");
        let inside = inside.trim_end_matches(".rs").trim_end_matches("/mod");
        let is_root = ROOTS.contains(&format!("{inside}.rs").as_str());
        let path = inside.split('/').filter(|_| !is_root).map(str::to_owned);
        Module {
            path: path.collect(),
            children: declared(&code),
            file,
            code,
        }
    };
    let sources = sources(&crates().join(name).join("src"));
    sources.into_iter().map(of_source).collect()
}

/// Modules declared in a module's code, in order.
fn declared(code: &str) -> Vec<String> {
    let module = |line: &str| {
        let name = without_visibility(line).strip_prefix("mod ")?;
        Some(name.strip_suffix(';')?.to_owned())
    };
    code.lines().filter_map(module).collect()
}

/// Removes the visibility from an item's text.
fn without_visibility(item: &str) -> &str {
    let visible = ["pub(crate) ", "pub(super) ", "pub "];
    let rest = visible.iter().find_map(|word| item.strip_prefix(word));
    rest.unwrap_or(item)
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Parses the paths at the start of a text, such as `a::b` or `a::{b, c::d}`, and adds them to `found` with a prefix.
/// Returns the rest of the text.
fn read_paths<'a>(text: &'a str, prefix: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if let Some(behind) = rest.strip_prefix('}') {
                return behind;
            }
            let behind = read_paths(rest, prefix, found);
            if behind.len() == rest.len() {
                return behind;
            }
            rest = behind;
        }
    }
    let (name, rest) = text.split_at(text.find(|c| !is_in_name(c)).unwrap_or(text.len()));
    let mut path = prefix.to_vec();
    match name {
        // The names that a glob imports are unknown.
        "" | "self" => {}
        "super" => drop(path.pop()),
        _ => path.push(name.to_owned()),
    }
    match rest.strip_prefix("::") {
        Some(next) if next.starts_with(|c| is_in_name(c) || c == '{') => {
            read_paths(next, &path, found)
        }
        _ => {
            found.push(path);
            let renamed = rest.strip_prefix(" as ").unwrap_or(rest);
            renamed.trim_start_matches(|c| is_in_name(c) || c == '*' || c == ':')
        }
    }
}

/// Paths that a module imports, relative to the crate root: those that start with `crate` or `super`, and items named
/// through a module imported that way.
fn imports(module: &Module) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut path = module.path.clone();
    for line_group in module.code.split_inclusive("\n}\n") {
        // An inline module, which may be part of a macro, ends at the next line that is only an unindented brace.
        let inline = line_group.lines().find_map(|line| {
            let name = without_visibility(line.trim_start()).strip_prefix("mod ")?;
            name.strip_suffix(" {")
        });
        path.extend(inline.map(str::to_owned));
        let mut rest = line_group;
        while let Some(at) = rest
            .find("crate::")
            .into_iter()
            .chain(rest.find("super::"))
            .min()
        {
            let is_part = rest[..at].ends_with(|c| is_in_name(c) || c == ':');
            let from = if rest[at..].starts_with("crate") {
                &[]
            } else {
                path.as_slice()
            };
            let path = rest[at..].trim_start_matches("crate::");
            rest = match is_part {
                true => &rest[at + "crate::".len()..],
                false => read_paths(path, from, &mut found),
            };
        }
        path.truncate(module.path.len());
    }
    // Add items named through an imported module.
    for path in found.clone() {
        let Some(name) = path.last().filter(|_| path != module.path) else {
            continue;
        };
        let by_name = format!("{name}::");
        for (at, _) in module.code.match_indices(&by_name) {
            if !module.code[..at].ends_with(|c| is_in_name(c) || c == ':') {
                read_paths(&module.code[at + by_name.len()..], &path, &mut found);
            }
        }
    }
    found
}

/// Names that a module re-exports from its children, each with the child.
fn exports(module: &Module) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in uses(&module.code).filter(|line| line.starts_with("pub")) {
        let path = without_visibility(line).trim_start_matches("use ");
        read_paths(path, &[], &mut found);
    }
    let of_child = found.into_iter().filter_map(|path| {
        let child = path
            .first()
            .filter(|child| module.children.contains(child))?;
        Some((path.last()?.clone(), child.clone()))
    });
    of_child.collect()
}

/// `use` statements in code, with or without visibility.
fn uses(code: &str) -> impl Iterator<Item = &str> {
    let statements = code.split_inclusive(';').map(str::trim_start);
    statements.filter(|it| without_visibility(it).starts_with("use "))
}

/// Children that a module's own code needs: those that it imports from, or whose exports it uses.
fn needed_children(module: &Module) -> Vec<String> {
    let mut code = module.code.clone();
    for exported in uses(&module.code).filter(|line| line.starts_with("pub")) {
        code = code.replace(exported, "");
    }
    let names = exports(module);
    let needs = |child: &&String| {
        let is_path = code.match_indices(&format!("{child}::")).any(|(at, _)| {
            let before = &code[..at];
            before.ends_with("self::") || !before.ends_with(|c| is_in_name(c) || c == ':')
        });
        let mut exported = names.iter().filter(|(_, from)| from == *child);
        is_path || exported.any(|(name, _)| is_item_of(name, &code))
    };
    module.children.iter().filter(needs).cloned().collect()
}

/// True if `code` contains `name` other than as a field or method.
fn is_item_of(name: &str, code: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&code[..at], &code[at + name.len()..]);
        let is_whole =
            !before.ends_with(|c| is_in_name(c) || c == '.') && !behind.starts_with(is_in_name);
        let is_field = behind.starts_with(": ");
        is_whole && !is_field
    })
}

#[test]
fn modules_import_only_what_is_declared_above_them() {
    for name in ordered() {
        let modules = crate_modules(name);
        let root = modules.iter().find(|module| module.path.is_empty());
        let root = root.expect("a crate has a root");
        let mut checked = 0;
        for module in modules.iter().filter(|module| !module.path.is_empty()) {
            let own = place_among(root, &module.path[0]);
            let own = own.unwrap_or_else(|| panic!("the root of {name} declares {}", module.file));
            for import in imports(module).iter().filter_map(|path| path.first()) {
                let place = match NAMING_MODULES.contains(&name) {
                    true => root.children.iter().position(|child| child == import),
                    false => place_among(root, import),
                };
                assert!(
                    place.is_some_and(|place| place <= own),
                    "{} imports `{import}`, which is no module declared above its own",
                    module.file
                );
                checked += 1;
            }
        }
        assert!(
            checked > root.children.len() || root.children.is_empty(),
            "{name} has few imports: {checked}"
        );
    }
}

/// Position, in order of declaration, of the child called `name` or of the child that exports `name`.
fn place_among(module: &Module, name: &str) -> Option<usize> {
    let place = |child: &str| module.children.iter().position(|it| it == child);
    place(name).or_else(|| {
        let exports = exports(module);
        let (_, child) = exports.iter().find(|(exported, _)| exported == name)?;
        place(child)
    })
}

#[test]
fn children_import_only_what_is_declared_above_them() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for modules in ordered().map(crate_modules) {
        let imports: Vec<_> = modules.iter().map(|it| (it, imports(it))).collect();
        for parent in modules.iter().filter(|it| !it.path.is_empty()) {
            checked += check_children(parent, &imports, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 1000, "children have few imports: {checked}");
}

/// Checks that a module's children import only from children declared above them, and that children that import from
/// the module itself are declared below everything that it needs. Returns the number of imports checked.
fn check_children(
    parent: &Module,
    imports: &[(&Module, Vec<Vec<String>>)],
    wrong: &mut Vec<String>,
) -> usize {
    let depth = parent.path.len();
    let needed = needed_children(parent);
    let last_needed = needed
        .iter()
        .filter_map(|child| place_among(parent, child))
        .max();
    let mut checked = 0;
    for (module, paths) in imports {
        let Some(own) = module
            .path
            .strip_prefix(parent.path.as_slice())
            .and_then(<[_]>::first)
        else {
            continue;
        };
        let Some(own) = place_among(parent, own) else {
            wrong.push(format!("{} does not declare {}", parent.file, module.file));
            continue;
        };
        for path in paths.iter().filter(|path| path.starts_with(&parent.path)) {
            checked += 1;
            let import = path.get(depth).map_or("*", String::as_str);
            let problem = match place_among(parent, import) {
                Some(place) if place <= own => continue,
                None if import == "*" => continue,
                Some(_) => "does not declare above it",
                None if last_needed.is_none_or(|last| last < own) => continue,
                None => "has itself, beside imports from children as far down",
            };
            wrong.push(format!(
                "{} imports `{import}`, which {} {problem}",
                module.file, parent.file
            ));
        }
    }
    checked
}
