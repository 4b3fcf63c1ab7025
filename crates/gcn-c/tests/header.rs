//! Checks that the header, the version script and the sources declare the same functions, and that every function
//! catches panics.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Expr, Item, ItemFn, Stmt, Visibility};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the sources that define functions and types for C, in header order.
fn sources() -> Vec<PathBuf> {
    let api = read(&root().join("src/api.rs"));
    let modules = api
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let of_api = modules.map(|name| root().join("src/api").join(name).with_extension("rs"));
    let shared = ["src/entry.rs", "src/records.rs"].map(|path| root().join(path));
    let sources: Vec<PathBuf> = shared.into_iter().chain(of_api).collect();
    assert!(sources.len() > 8, "the modules of api.rs are found");
    sources
}

/// Parses the functions exported to C.
fn functions() -> Vec<ItemFn> {
    let mut functions = Vec::new();
    for path in sources() {
        let file = syn::parse_file(&read(&path)).expect("a source");
        functions.extend(file.items.into_iter().filter_map(|item| match item {
            Item::Fn(function) if function.sig.abi.is_some() => Some(function),
            _ => None,
        }));
    }
    functions
}

fn names() -> BTreeSet<String> {
    functions()
        .iter()
        .map(|it| it.sig.ident.to_string())
        .collect()
}

#[test]
fn the_header_is_that_of_the_sources() {
    let mut builder = cbindgen::Builder::new().with_config(
        cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("it is valid"),
    );
    for source in sources() {
        builder = builder.with_src(source);
    }
    let mut made = Vec::new();
    builder
        .generate()
        .expect("the sources are valid")
        .write(&mut made);
    let made = String::from_utf8(made).expect("UTF-8");
    let path = root().join("gcn.h");
    if std::env::var_os("GCN_BLESS").is_some() {
        fs::write(&path, &made).expect("it can be written");
    }
    let header = read(&path);
    let differs = header
        .lines()
        .zip(made.lines())
        .find(|(old, new)| old != new);
    assert!(
        header == made,
        "gcn.h is not that of the sources: GCN_BLESS=1 rewrites it; first difference: {differs:?}"
    );
}

#[test]
fn every_function_is_declared_and_has_a_version() {
    let header = read(&root().join("gcn.h"));
    let script = read(&root().join("exports.map"));
    let exported: BTreeSet<String> = (script.lines())
        .filter_map(|line| Some(line.trim().strip_suffix(';')?.to_owned()))
        .filter(|name| name.starts_with("gcn_"))
        .collect();
    let names = names();
    assert!(names.len() > 50, "there are functions");
    assert_eq!(
        exported, names,
        "exports.map lists each function under its version"
    );
    for name in &names {
        assert!(name.starts_with("gcn_"), "{name} has no prefix");
        assert!(
            header.contains(&format!("{name}(")),
            "{name} is not in gcn.h"
        );
    }
}

/// Returns the name of the function that an expression calls.
fn callee(expr: &Expr) -> Option<String> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    Some(path.path.segments.last()?.ident.to_string())
}

/// True if a statement cannot panic: it declares an item or a closure.
fn declares(statement: &Stmt) -> bool {
    match statement {
        Stmt::Item(_) => true,
        Stmt::Local(local) => {
            let init = local.init.as_ref();
            init.is_some_and(|init| matches!(&*init.expr, Expr::Closure(_)))
        }
        Stmt::Expr(..) | Stmt::Macro(_) => false,
    }
}

#[test]
fn every_function_is_guarded_and_documented() {
    for function in functions() {
        let name = &function.sig.ident;
        assert!(
            matches!(function.vis, Visibility::Public(_)),
            "{name} is not public"
        );
        let is_documented = function.attrs.iter().any(|it| it.path().is_ident("doc"));
        assert!(is_documented, "{name} has no documentation");
        let (last, before) = function.block.stmts.split_last().expect("a body");
        assert!(
            before.iter().all(declares),
            "{name} does something outside of its guard"
        );
        let Stmt::Expr(last, _) = last else {
            panic!("{name} does not end with its guard");
        };
        let guard = match last {
            Expr::Unsafe(block) => match &block.block.stmts[..] {
                [Stmt::Expr(only, _)] => callee(only),
                _ => None,
            },
            other => callee(other),
        };
        let guard = guard.unwrap_or_default();
        assert!(
            guard == "call" || guard == "quiet",
            "{name} is not behind `call` or `quiet`"
        );
        let takes_error = function.sig.inputs.iter().any(|input| match input {
            syn::FnArg::Typed(typed) => {
                matches!(&*typed.pat, syn::Pat::Ident(it) if it.ident == "error")
                    && matches!(&*typed.ty, syn::Type::Ptr(outer) if matches!(&*outer.elem, syn::Type::Ptr(_)))
            }
            syn::FnArg::Receiver(_) => false,
        });
        assert_eq!(
            guard == "call",
            takes_error,
            "{name} reports errors if it can"
        );
    }
}
