//! Tests of the book: its links resolve, and its reference lists every instruction. If mdBook is installed (`cargo
//! xtask tools`), a test builds the book.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

#[path = "../../../xtask/src/book.rs"]
#[expect(
    dead_code,
    reason = "the test neither installs mdBook nor makes a whole book"
)]
mod book;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gcn_isa::Isa;

/// Sources of the book, generated once for all tests.
fn sources() -> &'static Path {
    static SOURCES: OnceLock<PathBuf> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
        let _ = fs::remove_dir_all(&directory); // May not exist.
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let gcn = Path::new(env!("CARGO_BIN_EXE_gcn"));
        // Placeholder for the playground, whose build needs npm.
        let playground = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book-playground");
        fs::create_dir_all(&playground).expect("a directory");
        fs::write(playground.join("index.html"), "<!doctype html>").expect("a page");
        book::stage(&repository, gcn, Some(&playground), &directory).expect("the sources");
        directory
    })
}

/// Markdown pages by path.
fn pages() -> HashMap<PathBuf, String> {
    let documents = sources().join("docs").canonicalize().expect("documents");
    let files = book::files(&documents).expect("files");
    let pages = files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|it| it == "md"));
    pages
        .map(|file| (file.clone(), fs::read_to_string(file).expect("a page")))
        .collect()
}

/// Lines of a page outside of code blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Targets of a page's links within the book.
fn links(page: &str) -> Vec<&str> {
    let is_target = |c: char| c.is_alphanumeric() || "._-/#".contains(c);
    prose(page)
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| Some(rest.split_once(')')?.0))
        .filter(|target| target.chars().all(is_target))
        .collect()
}

/// Anchors of a page's headings, as mdBook makes them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).filter_map(|line| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.strip_prefix(' '))?
    });
    let anchor = |title: &str| -> String {
        let kept = |c: &char| c.is_alphanumeric() || "_- ".contains(*c);
        let letters = title.trim().chars().filter(kept);
        let letters = letters.map(|c| {
            if c == ' ' {
                '-'
            } else {
                c.to_ascii_lowercase()
            }
        });
        letters.collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_resolve() {
    let pages = pages();
    let mut broken = Vec::new();
    let mut count = 0;
    for (file, page) in &pages {
        for target in links(page) {
            count += 1;
            let (name, anchor) = target.split_once('#').unwrap_or((target, ""));
            let directory = file.parent().expect("a directory");
            let linked = match name {
                "" => Ok(file.clone()),
                name => directory.join(name).canonicalize(),
            };
            let resolves = linked.is_ok_and(|linked| match pages.get(&linked) {
                Some(page) => anchor.is_empty() || anchors(page).contains(anchor),
                // Another file, such as the playground's.
                None => anchor.is_empty(),
            });
            if !resolves {
                broken.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(count > 3000, "{count} links");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn contents_name_every_page_once() {
    let pages = pages();
    let contents = sources().join("docs/SUMMARY.md").canonicalize();
    let contents = contents.expect("the table of contents");
    let mut named: Vec<PathBuf> = links(&pages[&contents])
        .into_iter()
        .map(|target| contents.with_file_name(target))
        .collect();
    named.sort();
    let mut all: Vec<PathBuf> = pages
        .keys()
        .filter(|it| **it != contents)
        .cloned()
        .collect();
    all.sort();
    assert_eq!(named, all);
}

#[test]
fn the_reference_has_every_mnemonic() {
    let pages = pages();
    let reference = sources().join("docs/reference").canonicalize();
    let reference = reference.expect("the reference");
    let is_reference = |file: &Path| file.starts_with(&reference);
    // Names that differ between generations are on the page of the newest one.
    let text: String = pages
        .iter()
        .filter(|(file, _)| is_reference(file))
        .map(|(_, page)| page.as_str())
        .collect();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: BTreeSet<&str> = text.split(|c| !is_letter(c)).collect();
    let names: BTreeSet<&str> = Isa::ALL
        .into_iter()
        .flat_map(|isa| isa.tables().names())
        .collect();
    let missing: Vec<&&str> = names.difference(&words).collect();
    assert!(names.len() > 1000, "{} names", names.len());
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn pages_have_encodings_registers_counters_hazards_and_errata() {
    let pages = pages();
    let page = |name: &str| {
        let path = sources().join("docs/reference").join(name).canonicalize();
        &pages[&path.expect(name)]
    };
    let section = |name: &str, instruction: &str| {
        let (_, rest) = page(name)
            .split_once(&format!("\n## {instruction}\n"))
            .expect(instruction);
        rest.split("\n## ").next().expect("a section").to_owned()
    };
    let add = section("ds-ds_add.md", "ds_add_u32");
    for part in [
        "GCN 1.0, 1.1, 1.2, 1.4, 1.4.1",
        "`old = u32[address]; u32[address] = old + data`",
        "**Counters**\n\n- lgkmcnt, expcnt with gds\n",
        "1 wait state after the scalar ALU writes M0, if it reads M0 (GCN 1.2, 1.4, 1.4.1)",
        "<td colspan=\"16\">OFFSET</td>",
        "](../errata.md#e",
    ] {
        assert!(add.contains(part), "{part}:\n{add}");
    }
    let lane = section("vop3-v_readlane.md", "v_readlane_b32");
    for part in [
        "4 wait states after the vector ALU writes the SGPR that selects the lane",
        "**Operands**",
    ] {
        assert!(lane.contains(part), "{part}:\n{lane}");
    }
}

#[test]
fn mdbook_builds_it() {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../book-tools");
    let mdbook = tools.join("bin/mdbook");
    if !mdbook.exists() {
        eprintln!(
            "skipped: `cargo xtask tools` could not install mdBook in {}",
            tools.display()
        );
        return;
    }
    let html = sources().join("html");
    book::render(&mdbook, sources(), &html).expect("a book");
    let page = fs::read_to_string(html.join("reference/ds-ds_add.html")).expect("a page");
    assert!(page.contains("class=\"bits\""), "{page}");
    let page = fs::read_to_string(html.join("playground.html")).expect("a page");
    assert!(page.contains("href=\"playground/index.html\""), "{page}");
    assert!(html.join("playground/index.html").exists());
}
