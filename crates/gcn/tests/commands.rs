//! Runs the commands that documents show, and compares their output with the text below them. Also checks that paths
//! named in documents exist.
//!
//! A command is a line `$ COMMAND` in a code block, which a shell runs. The lines up to the next command are its
//! standard output followed by its standard error. A `…` matches any text in a line; on a line of its own it matches
//! any number of lines. A command must fail exactly if it prints an error. Commands of cargo are not run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Document whose commands are run.
struct Document {
    name: &'static str,
    /// Directories with files that the commands use.
    directories: &'static [&'static str],
    /// Command that creates additional files.
    prepare: &'static str,
}

const SHOWING: [Document; 5] = [
    Document {
        name: "README.md",
        directories: &["examples/saxpy", "examples/opencl"],
        prepare: "gcn asm saxpy.s -o saxpy.co
            echo 'ds_add_u32 v1, v2, v3' >wrong.s
            echo 'ds_read_addtid_b32 v1' >>wrong.s
            echo 's_load_dwordx2 s[3:4], s[0:1], 0x10' >>wrong.s",
    },
    Document {
        name: "docs/from-clrx.md",
        directories: &["examples/from-clrx"],
        prepare: "",
    },
    Document {
        name: "docs/tutorial/registers.md",
        directories: TUTORIAL,
        prepare: "",
    },
    Document {
        name: "docs/tutorial/first-kernel.md",
        directories: TUTORIAL,
        prepare: "",
    },
    Document {
        name: "docs/tutorial/first-bug.md",
        directories: TUTORIAL,
        prepare: "",
    },
];
/// Kernels of the tutorial.
const TUTORIAL: &[&str] = &["examples/tutorial"];
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

/// Root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository exists")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Command shown in a document.
#[derive(Debug, PartialEq)]
struct ShownCommand {
    /// Line number, starting at 1.
    line: usize,
    command: String,
    output: String,
}

/// Commands in a document's code blocks, in order.
fn shown(document: &str) -> Vec<ShownCommand> {
    let mut found: Vec<ShownCommand> = Vec::new();
    let mut block = None; // the indentation of the block, and whether it has had a command
    for (number, line) in document.lines().enumerate() {
        let bare = line.trim_start_matches(' ');
        let indentation = line.len() - bare.len();
        match &mut block {
            None if bare.starts_with(FENCE) => block = Some((indentation, false)),
            None => {}
            Some(_) if bare.starts_with(FENCE) => block = None,
            Some((outer, has_command)) => {
                let line = &line[indentation.min(*outer)..];
                if let Some(command) = line.strip_prefix("$ ") {
                    *has_command = true;
                    found.push(ShownCommand {
                        line: number + 1,
                        command: command.to_owned(),
                        output: String::new(),
                    });
                } else if let (true, Some(shown)) = (*has_command, found.last_mut()) {
                    shown.output.push_str(line);
                    shown.output.push('\n');
                }
            }
        }
    }
    for shown in &mut found {
        let length = shown.output.trim_end().len();
        shown.output.truncate(length);
    }
    found
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
    let shown: Vec<_> = shown(document)
        .into_iter()
        .map(|shown| (shown.line, shown.command, shown.output))
        .collect();
    let expected = [(4, "one", "  1"), (8, "two", "2\n\t2")];
    assert_eq!(
        shown,
        expected.map(|(line, command, output)| (line, command.to_owned(), output.to_owned()))
    );
}

/// Copies the files of directories, for commands that write beside them.
fn copy(directories: &[&str], name: &str) -> PathBuf {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&place); // It need not exist.
    fs::create_dir_all(&place).expect("a directory for the test");
    for directory in directories {
        for entry in fs::read_dir(root().join(directory)).expect("a directory to read") {
            let path = entry.expect("an entry of the directory").path();
            if path.is_file() {
                fs::copy(&path, place.join(path.file_name().unwrap_or_default()))
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            }
        }
    }
    place
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

/// Runs a shell command in a directory.
fn run(command: &str, place: &Path) -> Output {
    Command::new("sh")
        .args(["-c", command])
        .current_dir(place)
        .env("PATH", path_with_gcn())
        .output()
        .expect("sh starts")
}

#[test]
fn commands_print_what_documents_show() {
    let mut failures = Vec::new();
    for document in SHOWING {
        let name = document.name;
        let place = copy(
            document.directories,
            &format!("commands-{}", name.replace('/', "-")),
        );
        let prepared = run(document.prepare, &place);
        assert!(prepared.status.success(), "{name}: {prepared:?}");
        let shown = shown(&text(&root().join(name)));
        assert!(!shown.is_empty(), "{name} shows no command");
        for ShownCommand {
            line,
            command,
            output: wanted,
        } in shown
        {
            if command.starts_with("cargo ") {
                continue;
            }
            let output = run(&command, &place);
            let found = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            let should_fail = wanted.contains("error");
            if !matches(&lines(&found), &lines(&wanted)) || output.status.success() == should_fail {
                failures.push(format!(
                    "{name}:{line}: $ {command}\n--- shown\n{wanted}\n--- found, {}\n{found}",
                    output.status
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} commands:\n\n{}",
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

/// Targets of a document's links that are files.
fn links(document: &str) -> Vec<&str> {
    between(document, "](", ')')
        .into_iter()
        .filter(|target| !target.contains("://"))
        .filter_map(|target| target.split('#').next())
        .filter(|target| !target.is_empty())
        .collect()
}

/// Paths that a document names in code: those that start with a directory of the repository, a crate, or a directory
/// beside the document. Patterns are excluded.
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
