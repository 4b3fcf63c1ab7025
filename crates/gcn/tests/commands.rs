//! Runs the code blocks of documents: all pages of the book, and `README.md`. Also checks that paths named in documents
//! exist.
//!
//! A block is one of these:
//! - File contents, if the line before the block ends with the file's name: `` `saxpy.cl`: ``. The document's commands
//!   use the file.
//! - Commands: lines `$ COMMAND`, which a shell runs. The lines up to the next command are its standard output followed
//!   by its standard error. A `…` matches any text in a line; on a line of its own it matches any number of lines. A
//!   command must fail if and only if it prints an error. Output lines that begin with `(gcn) ` are also its standard
//!   input. Cargo commands are not run.
//! - A shell script (language `sh`), which must succeed.
//! - A block that cannot run, which `documents.rs` lists with the reason.

#[path = "commands/documents.rs"]
mod documents;
#[path = "exec_debug/libraries.rs"]
mod libraries;
#[path = "../../gcn-hsa/link.rs"]
mod link;

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use documents::{Document, document};
use libraries::libraries;

/// Document with the book's table of contents.
const CONTENTS: &str = "docs/SUMMARY.md";
/// Documents whose paths are checked. The test `book` checks links to generated pages.
const NAMING: [&str; 13] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/amd-xml.md",
    "docs/dialects.md",
    "docs/from-clrx.md",
    "docs/hip.md",
    "docs/launch.md",
    "docs/semantics.md",
    "docs/tutorial/registers.md",
    "docs/tutorial/first-bug.md",
    "examples/README.md",
    "tests/README.md",
];
/// Placeholder for omitted text.
const ANY: char = '…';
/// Delimiter of a code block.
const FENCE: &str = "```";
/// Opening fence of a script.
const SCRIPT: &str = "```sh";

/// Root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository exists")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Code block of a document.
#[derive(Debug)]
struct Block<'t> {
    /// Line number of the opening fence, starting at 1.
    line: usize,
    /// Opening fence, with the language.
    fence: &'t str,
    /// File name at the end of the line before the block.
    name: Option<&'t str>,
    /// Lines without the indentation of the fence.
    lines: Vec<&'t str>,
}

/// Command shown in a document.
#[derive(Debug, PartialEq)]
struct ShownCommand {
    /// Line number, starting at 1.
    line: usize,
    command: String,
    output: String,
}

/// File name at the end of a line: `` `saxpy.cl`: ``.
fn named_file(line: &str) -> Option<&str> {
    let (_, name) = line.strip_suffix("`:")?.rsplit_once('`')?;
    name.contains('.').then_some(name)
}

/// Code blocks of a document.
fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, Block<'_>)> = None; // with its indentation
    let mut before = ""; // the last line of text
    for (index, line) in document.lines().enumerate() {
        let bare = line.trim_start_matches(' ');
        let indentation = line.len() - bare.len();
        if let Some((outer, mut block)) = open.take() {
            if bare.starts_with(FENCE) {
                found.push(block);
                before = "";
            } else {
                block.lines.push(&line[indentation.min(outer)..]);
                open = Some((outer, block));
            }
        } else if bare.starts_with(FENCE) {
            let block = Block {
                line: index + 1,
                fence: bare,
                name: named_file(before),
                lines: Vec::new(),
            };
            open = Some((indentation, block));
        } else if !bare.is_empty() {
            before = bare;
        }
    }
    found
}

impl Block<'_> {
    /// First line, without its indentation.
    fn first(&self) -> &str {
        self.lines.first().map_or("", |line| line.trim_start())
    }

    /// Contents of the file that the block shows, or the script.
    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Commands of the block, in order.
    fn commands(&self) -> Vec<ShownCommand> {
        let mut found: Vec<ShownCommand> = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            if let Some(command) = line.strip_prefix("$ ") {
                found.push(ShownCommand {
                    line: self.line + 1 + index,
                    command: command.to_owned(),
                    output: String::new(),
                });
            } else if let Some(shown) = found.last_mut() {
                shown.output.push_str(line);
                shown.output.push('\n');
            }
        }
        for shown in &mut found {
            let length = shown.output.trim_end().len();
            shown.output.truncate(length);
        }
        found
    }

    /// Name of the file that the block shows.
    fn file(&self) -> Option<&str> {
        self.name.filter(|_| self.commands().is_empty())
    }

    /// True if an entry of [`Document::unrun`] names the block.
    fn is_listed_as(&self, entry: &str) -> bool {
        if entry.starts_with(FENCE) {
            self.fence == entry
        } else {
            self.first().starts_with(entry)
        }
    }

    /// True if the document lists the block as one that is not run.
    fn is_listed(&self, document: &Document) -> bool {
        let mut entries = document.unrun.iter();
        entries.any(|(entry, _)| self.is_listed_as(entry))
    }
}

/// True if a line of output matches the line `wanted`, in which each [`ANY`] matches any text.
fn line_matches(line: &str, wanted: &str) -> bool {
    let mut pieces = wanted.split(ANY);
    let Some(mut rest) = line.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = pieces.next_back() else {
        return rest.is_empty();
    };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// True if the lines of an output match those shown. A line that is [`ANY`] matches any number of lines.
fn matches(found: &[&str], wanted: &[&str]) -> bool {
    let Some((line, others)) = wanted.split_first() else {
        return found.is_empty();
    };
    if line.trim() == ANY.to_string() {
        return (0..=found.len()).any(|left_out| matches(&found[left_out..], others));
    }
    found
        .split_first()
        .is_some_and(|(first, rest)| line_matches(first, line) && matches(rest, others))
}

/// Lines of a text without trailing blank ones.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().collect()
}

#[test]
fn any_text_stands_for_the_mark() {
    let matches = |found, wanted| matches(&lines(found), &lines(wanted));
    assert!(matches("a\nb\nc\n", "a\n\t…\nc"));
    assert!(matches("a\nc\n", "a\n…\nc"));
    assert!(matches("a\n", "a\n…"));
    assert!(matches("a\n", "…\na"));
    assert!(matches("took 3 s\nand 4\n", "took … s\nand 4"));
    assert!(matches("abab", "…ab"));
    assert!(matches("", ""));
    assert!(!matches("a\nc\n", "a"));
    assert!(!matches("ab\n", "a\n…"));
    assert!(!matches("b\na\n", "a\n…"));
    assert!(!matches("a\nb\n", "a\n…\nc"));
    assert!(!matches("ab", "ab…b"));
}

#[test]
fn commands_stand_in_code_blocks() {
    let document = "$ none\n```\nleft out\n$ one\n  1\n```\n  ```\n  $ two\n  2\n\t2\n  ```\n";
    let shown: Vec<_> = blocks(document)
        .iter()
        .flat_map(Block::commands)
        .map(|shown| (shown.line, shown.command, shown.output))
        .collect();
    let expected = [(4, "one", "  1"), (8, "two", "2\n\t2")];
    assert_eq!(
        shown,
        expected.map(|(line, command, output)| (line, command.to_owned(), output.to_owned()))
    );
}

#[test]
fn files_are_named_before_their_blocks() {
    let document = "A kernel, `a.s`:\n\n```asm\n  s_nop 0\n```\n```\n$ one\n```\nThen `b.s`:\n```\n$ two\n```\n\
        In `tests/asm`:\n```sh\ntrue\n```\n";
    let blocks = blocks(document);
    let files: Vec<_> = blocks.iter().map(Block::file).collect();
    assert_eq!(files, [Some("a.s"), None, None, None]);
    assert_eq!(blocks[0].text(), "  s_nop 0\n");
}

/// Creates an empty directory for a document's commands.
fn directory(document: &str) -> PathBuf {
    let name = format!("commands-{}", document.replace('/', "-"));
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&place); // May not exist.
    fs::create_dir_all(&place).expect("a directory for the test");
    place
}

/// Writes the files that a document shows.
fn write_files(document: &Document, blocks: &[Block<'_>], place: &Path) {
    for block in blocks.iter().filter(|it| !it.is_listed(document)) {
        if let Some(file) = block.file() {
            fs::write(place.join(file), block.text()).expect("a file of a document");
        }
    }
}

/// Copies the files of a directory, or writes those that a document shows, for commands that write next to them.
fn copy(source: &str, place: &Path) {
    let path = root().join(source);
    if path.is_file() {
        write_files(&document(source), &blocks(&text(&path)), place);
        return;
    }
    for entry in fs::read_dir(path).expect("a directory to read") {
        let path = entry.expect("an entry of the directory").path();
        if path.is_file() {
            fs::copy(&path, place.join(path.file_name().unwrap_or_default()))
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

/// `PATH` starting with the directory of `gcn`.
fn path_with_gcn() -> OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_gcn")).parent();
    let path = env::var_os("PATH").unwrap_or_default();
    let all = own
        .map(Path::to_owned)
        .into_iter()
        .chain(env::split_paths(&path));
    env::join_paths(all).expect("directories of a PATH")
}

/// Runs a shell command in a directory, with a text as its standard input.
fn run(command: &str, input: &str, place: &Path) -> Output {
    let file = place.join("standard-input");
    fs::write(&file, input).expect("a file for the input");
    Command::new("sh")
        .args(["-e", "-c", command])
        .current_dir(place)
        .env("PATH", path_with_gcn())
        .env("GCN_LIB_DIR", libraries())
        .stdin(File::open(&file).expect("the input"))
        .output()
        .expect("sh starts")
}

/// Standard output of a process, followed by its standard error.
fn printed(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

impl ShownCommand {
    /// Runs the command, and describes how its output differs from the shown one.
    fn difference(&self, place: &Path) -> Option<String> {
        let wanted = &self.output;
        let typed = wanted
            .lines()
            .filter_map(|line| line.strip_prefix("(gcn) "));
        let input: String = typed.map(|line| format!("{line}\n")).collect();
        let output = run(&self.command, &input, place);
        let found = printed(&output);
        let should_fail = wanted.contains("error");
        let is_as_shown =
            matches(&lines(&found), &lines(wanted)) && output.status.success() != should_fail;
        (!is_as_shown).then(|| {
            format!(
                "{}: $ {}\n--- shown\n{wanted}\n--- found, {}\n{found}",
                self.line, self.command, output.status
            )
        })
    }
}

/// Runs the blocks of a document, and describes each failure with its line number.
fn problems(document: &Document, text: &str) -> Vec<String> {
    let blocks = blocks(text);
    let mut problems = Vec::new();
    for (entry, _) in document.unrun {
        if !blocks.iter().any(|block| block.is_listed_as(entry)) {
            problems.push(format!("no block begins with the listed `{entry}`"));
        }
    }
    let used: Vec<&Block<'_>> = blocks.iter().filter(|it| !it.is_listed(document)).collect();
    if used.is_empty() {
        return problems;
    }
    let place = directory(document.name);
    for source in document.sources {
        copy(source, &place);
    }
    write_files(document, &blocks, &place);
    let prepared = run(document.prepare, "", &place);
    assert!(prepared.status.success(), "{}: {prepared:?}", document.name);
    for block in &used {
        let commands = block.commands();
        if let Some(file) = block.file() {
            let is_used =
                |other: &&Block<'_>| other.line != block.line && other.text().contains(file);
            if !used.iter().any(is_used) {
                problems.push(format!("{}: no command uses `{file}`", block.line));
            }
        } else if !commands.is_empty() {
            let of_gcn = commands
                .iter()
                .filter(|it| !it.command.starts_with("cargo "));
            problems.extend(of_gcn.filter_map(|it| it.difference(&place)));
        } else if block.fence == SCRIPT {
            let output = run(&block.text(), "", &place);
            if !output.status.success() {
                let printed = printed(&output);
                problems.push(format!("{}: {}\n{printed}", block.line, output.status));
            }
        } else {
            problems.push(format!(
                "{}: this block is neither run nor listed in commands/documents.rs: {}",
                block.line,
                block.first()
            ));
        }
    }
    problems
}

#[test]
fn commands_print_what_documents_show() {
    let contents = text(&root().join(CONTENTS));
    let pages = links(&contents)
        .into_iter()
        .map(|page| format!("docs/{page}"));
    let mut failures = Vec::new();
    let mut count = 0;
    for name in pages.chain(["README.md".to_owned()]) {
        let path = root().join(&name);
        // The reference is generated.
        if !path.exists() {
            continue;
        }
        count += 1;
        let found = problems(&document(&name), &text(&path));
        failures.extend(found.into_iter().map(|it| format!("{name}:{it}")));
    }
    assert!(count > 20, "{count} documents");
    assert!(
        failures.is_empty(),
        "{} blocks:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

/// Texts between `open` and `close` within lines.
fn between<'t>(document: &'t str, open: &str, close: char) -> Vec<&'t str> {
    document
        .lines()
        .flat_map(|line| line.split(open).skip(1))
        .filter_map(|rest| Some(rest.split_once(close)?.0))
        .collect()
}

/// Files that a document links to.
fn links(document: &str) -> Vec<&str> {
    between(document, "](", ')')
        .into_iter()
        .filter(|target| !target.contains("://"))
        .filter_map(|target| target.split('#').next())
        .filter(|target| !target.is_empty())
        .collect()
}

/// Paths that a document names in code: those that start with a directory of the repository, a crate, or a directory
/// next to the document. Patterns are excluded.
fn paths(document: &str, root: &Path, beside: &Path) -> Vec<PathBuf> {
    let is_path = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    let code = document
        .lines()
        .filter(|line| !line.starts_with(FENCE))
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    code.flat_map(|code| code.split(' '))
        .filter(|word| word.contains('/') && word.chars().all(is_path))
        .filter_map(|word| {
            let top = word.split('/').next()?;
            let below = [root.to_owned(), root.join("crates"), beside.to_owned()];
            let home = below
                .into_iter()
                .find(|home| !top.is_empty() && home.join(top).is_dir())?;
            Some(home.join(word))
        })
        .collect()
}

#[test]
fn paths_that_documents_name_exist() {
    let root = root();
    let mut missing = Vec::new();
    let mut count = 0;
    for name in NAMING {
        let file = root.join(name);
        let document = text(&file);
        let beside = file.parent().expect("a document is in a directory");
        let linked = links(&document)
            .into_iter()
            .map(|target| beside.join(target));
        for path in linked.chain(paths(&document, &root, beside)) {
            count += 1;
            if !path.exists() {
                missing.push(format!("{name}: {}", path.display()));
            }
        }
    }
    assert!(count > 0, "no document names a path");
    assert!(
        missing.is_empty(),
        "these do not exist:\n{}",
        missing.join("\n")
    );
}
