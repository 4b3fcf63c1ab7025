//! Checks invariants of ARCHITECTURE.md by reading the sources.

#[path = "invariants/modules.rs"]
mod modules;

use std::fs;
use std::path::{Path, PathBuf};

/// Files that may use `unsafe`. Each block needs a reason.
const UNSAFE: &[&str] = &[
    "gcn-c/src/api/assemblies.rs",
    "gcn-c/src/api/checkers.rs",
    "gcn-c/src/api/devices.rs",
    "gcn-c/src/api/errors.rs",
    "gcn-c/src/api/instructions.rs",
    "gcn-c/src/api/launches.rs",
    "gcn-c/src/api/modules.rs",
    "gcn-c/src/api/objects.rs",
    "gcn-c/src/api/targets.rs",
    "gcn-c/src/entry.rs",
    "gcn-c/src/pointers.rs",
    "gcn-emu/src/memory.rs",
    "gcn-emu/src/memory/lanewise.rs",
    "gcn-emu/src/memory/region.rs",
    "gcn-emu/src/memory/reserved.rs",
    "gcn-emu/src/memory/space.rs",
    "gcn-emu/src/memory/vectors.rs",
    "gcn-emu/src/lanes/addresses.rs",
    "gcn-emu/src/lanes/elements.rs",
    "gcn-emu/src/lanes/elements/wide.rs",
    "gcn-emu/src/lanes/environment.rs",
    "gcn-emu/src/lanes/halves.rs",
    "gcn-emu/src/lanes/level.rs",
    "gcn-emu/src/lanes/masks.rs",
    "gcn-emu/src/lanes/rows.rs",
    "gcn-emu/src/lanes/vectors.rs",
    "gcn-emu/src/lanes/vectors/avx2.rs",
    "gcn-emu/src/lanes/vectors/avx512.rs",
    "gcn-emu/src/native/frame.rs",
    "gcn-emu/src/native/pages.rs",
    "gcn-emu/src/native/region.rs",
    "gcn-hsa/src/api.rs",
    "gcn-hsa/src/api/agents.rs",
    "gcn-hsa/src/api/executables.rs",
    "gcn-hsa/src/api/extensions.rs",
    "gcn-hsa/src/api/images.rs",
    "gcn-hsa/src/api/memory.rs",
    "gcn-hsa/src/api/processes.rs",
    "gcn-hsa/src/api/queues.rs",
    "gcn-hsa/src/api/virtual_memory.rs",
    "gcn-hsa/src/api/unsupported.rs",
    "gcn-hsa/src/api/signals.rs",
    "gcn-hsa/src/api/system.rs",
    "gcn-hsa/src/abi.rs",
    "gcn-hsa/src/copies.rs",
    "gcn-hsa/src/failure.rs",
    "gcn-hsa/src/handlers.rs",
    "gcn-hsa/src/info.rs",
    "gcn-hsa/src/pools.rs",
    "gcn-hsa/src/queues.rs",
    "gcn-hsa/src/runtime.rs",
    "gcn-hsa/src/signals.rs",
    "gcn-hsa/src/transfers.rs",
    "gcn-opencl/src/api.rs",
    "gcn-opencl/src/api/buffers.rs",
    "gcn-opencl/src/api/commands.rs",
    "gcn-opencl/src/api/contexts.rs",
    "gcn-opencl/src/api/entry.rs",
    "gcn-opencl/src/api/events.rs",
    "gcn-opencl/src/api/extensions.rs",
    "gcn-opencl/src/api/image_transfers.rs",
    "gcn-opencl/src/api/images.rs",
    "gcn-opencl/src/api/kernels.rs",
    "gcn-opencl/src/api/loader.rs",
    "gcn-opencl/src/api/platform.rs",
    "gcn-opencl/src/api/programs.rs",
    "gcn-opencl/src/api/queues.rs",
    "gcn-opencl/src/api/unsupported.rs",
    "gcn-opencl/src/api/samplers.rs",
    "gcn-opencl/src/api/svm.rs",
    "gcn-opencl/src/api/table.rs",
    "gcn-opencl/src/api/transfers.rs",
    "gcn-opencl/src/printf_output.rs",
    "gcn-opencl/src/transfer.rs",
    "gcn-python/src/array.rs",
    "gcn-report/src/program/exit.rs",
    "gcn-report/src/program/forks.rs",
    "gcn-runtime/src/host_memory.rs",
    "gcn-web/src/entry.rs",
    "gcn/src/exec/debuggee.rs",
    "gcn/src/file.rs",
    "gcn/src/file/guard.rs",
    "gcn/src/stdout.rs",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate is in crates/")
        .to_owned()
}

/// Rust sources below `dir`, each with its path relative to `crates/` and its code without comments and tests.
fn sources(dir: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect_sources(dir, &mut found);
    assert!(!found.is_empty(), "no source below {}", dir.display());
    found
}

fn collect_sources(dir: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            collect_sources(&path, found);
        } else if path.ends_with("tests.rs") {
            // Test module, skipped like those inside other files.
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source is text");
            let text = text.replace("#[cfg(test)]\nmod tests;\n", "");
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            let code: Vec<&str> = code
                .lines()
                .map(|l| l.split("//").next().unwrap_or_default())
                .collect();
            let name = path
                .strip_prefix(crates())
                .expect("below crates/")
                .display()
                .to_string();
            found.push((name, code.join("\n")));
        }
    }
}

/// Library crates: all except the command line.
const LIBRARIES: [&str; 17] = [
    "gcn-isa",
    "gcn-asm",
    "gcn-object",
    "gcn-emu",
    "gcn-observe",
    "gcn-console",
    "gcn-debug",
    "gcn-runtime",
    "gcn-args",
    "gcn-report",
    "gcn-hsa",
    "gcn-opencl",
    "gcn-framing",
    "gcn-lsp",
    "gcn-c",
    "gcn-python",
    "gcn-web",
];

fn library_sources() -> Vec<(String, String)> {
    LIBRARIES
        .iter()
        .flat_map(|name| sources(&crates().join(name).join("src")))
        .collect()
}

#[track_caller]
fn assert_absent(sources: &[(String, String)], words: &[&str], why: &str) {
    for (name, code) in sources {
        for word in words {
            assert!(!code.contains(word), "{name} contains `{word}`: {why}");
        }
    }
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let words = [
        "println!",
        "eprintln!",
        "print!(",
        "eprint!(",
        "process::exit",
        "stdout()",
        "stderr()",
    ];
    // A library inside a program has no other way to report a fault to the user.
    let elsewhere: Vec<_> = library_sources()
        .into_iter()
        .filter(|(name, _)| name != "gcn-report/src/program/say.rs")
        .collect();
    assert_absent(&elsewhere, &words, "nothing but `gcn` prints or exits");
}

#[test]
fn errors_of_the_command_line_have_names() {
    let joined = |(name, code): (String, String)| (name, code.split_whitespace().collect());
    let sources: Vec<_> = sources(&crates().join("gcn/src"))
        .into_iter()
        .map(joined)
        .collect();
    let words = ["bail!(\"", "bail!(format!", "anyhow!("];
    assert_absent(&sources, &words, "a `Problem` has a name to explain");
}

#[test]
fn unsafe_lives_in_named_modules() {
    let elsewhere: Vec<_> = library_sources()
        .into_iter()
        .chain(sources(&crates().join("gcn/src")))
        .filter(|(name, _)| !UNSAFE.contains(&name.as_str()))
        .collect();
    for (name, code) in elsewhere {
        assert!(
            !is_word_of("unsafe", &code),
            "{name} contains `unsafe`, which lives in named modules"
        );
    }
}

/// True if `code` contains `word` as a whole word, not as part of an identifier or option such as `unsafe_code` or
/// `-cl-unsafe-math`.
fn is_word_of(word: &str, code: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    code.match_indices(word).any(|(at, _)| {
        !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part)
    })
}

/// Lines of a crate's manifest that declare dependencies of its code.
fn dependencies(name: &str) -> String {
    let path = crates().join(name).join("Cargo.toml");
    let manifest = fs::read_to_string(&path).expect("a manifest");
    let after = manifest
        .split("[dependencies]")
        .nth(1)
        .expect("a section of dependencies");
    after.split("\n[").next().unwrap_or_default().to_owned()
}

#[test]
fn the_isa_and_the_object_crate_see_no_other() {
    for name in ["gcn-isa", "gcn-object"] {
        assert!(
            !dependencies(name).contains("gcn-"),
            "{name} sees no other crate of the workspace"
        );
    }
}

#[test]
fn execution_never_sees_an_opcode_number() {
    let exec = sources(&crates().join("gcn-emu/src/exec"));
    assert_absent(
        &exec,
        &["opcode", "Field::Op)", ".words()"],
        "execution goes by identity and effect",
    );
}

#[test]
fn facts_of_checkers_go_by_operation() {
    let facts: Vec<_> = library_sources()
        .into_iter()
        .filter(|(name, _)| name.starts_with("gcn-observe/src/") && name.ends_with("facts.rs"))
        .collect();
    assert!(facts.len() > 3, "checkers have facts of instructions");
    let why = "an instruction has other names on other generations";
    assert_absent(&facts, &[".name()", ".name_on("], why);
}

#[test]
fn no_instruction_is_named_where_rows_are_walked() {
    let files = [
        "gcn-isa/src/decode.rs",
        "gcn-isa/src/print.rs",
        "gcn-isa/src/print/compile.rs",
        "gcn-isa/src/print/full.rs",
        "gcn-isa/src/print/modifiers.rs",
        "gcn-isa/src/print/clrx.rs",
        "gcn-isa/src/print/clrx/modifiers.rs",
        "gcn-isa/src/inst.rs",
        "gcn-isa/src/inst/operands.rs",
    ];
    // This file lists instructions by name, as its source documents do.
    let named_apart = ["gcn-emu/src/fidelity.rs"];
    let users = [
        "gcn-asm/src",
        "gcn-emu/src",
        "gcn-observe/src",
        "gcn-runtime/src",
        "gcn-args/src",
        "gcn-report/src",
    ];
    let walks = |name: &str| {
        files.contains(&name)
            || users.iter().any(|dir| name.starts_with(dir)) && !named_apart.contains(&name)
    };
    let walkers: Vec<_> = library_sources()
        .into_iter()
        .filter(|(name, _)| walks(name))
        .collect();
    assert!(
        walkers.len() > files.len(),
        "the files that walk the rows are there"
    );
    for row in gcn_isa::rows() {
        let quoted = format!("\"{}", row.name);
        let variant = format!("::{}", row.name.to_uppercase());
        assert_absent(
            &walkers,
            &[
                &format!("{quoted}\""),
                &format!("{variant} "),
                &format!("{variant})"),
            ],
            "instructions go by their effect, not by name",
        );
    }
}

#[test]
fn both_tables_of_processors_agree() {
    for target in gcn_isa::TARGETS {
        assert_eq!(
            gcn_object::processor_name(target.elf_mach),
            Some(target.name),
            "EF_AMDGPU_MACH {:#x}",
            target.elf_mach
        );
    }
}

/// Files of the repository with one of the `extensions`, each with its path relative to the root and its contents.
fn texts(extensions: &[&str]) -> Vec<(String, String)> {
    fn collect(dir: &Path, root: &Path, extensions: &[&str], found: &mut Vec<(String, String)>) {
        /// Directories that are not searched.
        const SKIPPED: [&str; 5] = ["target", "corpus", "artifacts", "node_modules", ".git"];
        for entry in fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
            let path = entry.expect("a directory entry").path();
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() {
                if !SKIPPED.iter().any(|skipped| name == *skipped) {
                    collect(&path, root, extensions, found);
                }
            } else if path
                .extension()
                .is_some_and(|e| extensions.iter().any(|extension| e == *extension))
            {
                let below = path.strip_prefix(root).expect("below the root");
                let text = fs::read_to_string(&path).expect("the file is text");
                found.push((below.display().to_string(), text));
            }
        }
    }
    let root = crates().parent().expect("crates/ has a parent").to_owned();
    let mut found = Vec::new();
    for top in [
        "crates", "xtask", "fuzz", "docs", "tests", "examples", ".ci", ".cargo",
    ] {
        let dir = root.join(top);
        if dir.exists() {
            collect(&dir, &root, extensions, &mut found);
        }
    }
    for entry in fs::read_dir(&root).expect("the root") {
        let path = entry.expect("a directory entry").path();
        if path
            .extension()
            .is_some_and(|e| extensions.iter().any(|x| e == *x))
        {
            let name = path.file_name().unwrap_or_default();
            let text = fs::read_to_string(&path).expect("the file is text");
            found.push((name.to_string_lossy().into_owned(), text));
        }
    }
    assert!(found.len() > 1, "no file ends with {extensions:?}");
    found
}

#[test]
fn doc_comments_open_with_a_noun_or_a_verb() {
    const OPENINGS: [&str; 10] = [
        "What", "Whether", "How", "Where", "It", "They", "Those", "That", "There", "Nothing",
    ];
    let mut wrong = Vec::new();
    for (name, text) in texts(&["rs"]) {
        let mut is_inside = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            let first = comment.and_then(|comment| {
                comment
                    .trim_start()
                    .split(|c: char| !c.is_alphabetic())
                    .next()
            });
            let opens = first.is_some_and(|word| OPENINGS.contains(&word));
            if opens && !is_inside {
                wrong.push(format!("{name}:{}: {line}", number + 1));
            }
            is_inside = comment.is_some();
        }
    }
    assert!(
        wrong.is_empty(),
        "these open with none of them:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn quantities_have_names() {
    // Joined at run time, so that this file does not contain the phrase.
    let phrase = ["so", "many"].join(" ");
    for (name, text) in texts(&["rs", "md", "s", "toml", "stderr", "isa", "c"]) {
        let has_phrase = text
            .lines()
            .any(|line| line.to_lowercase().contains(&phrase));
        assert!(
            !has_phrase,
            "{name} says `{phrase}`: name the quantity, as in \"`n` bytes\""
        );
    }
}

/// Maximum number of lines in a source.
const MOST_LINES: usize = 650;

#[test]
fn sources_are_short() {
    let mut wrong = Vec::new();
    for (name, text) in texts(&["rs"]) {
        let lines = text.lines().count();
        if lines > MOST_LINES {
            wrong.push(format!(
                "{name} has {lines} lines, more than {MOST_LINES}: split it by what its parts do"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Maximum number of characters in a changelog entry.
const LONGEST_ENTRY: usize = 118;

#[test]
fn entries_of_the_changelog_are_short() {
    let all = texts(&["md"]);
    let mut named = all.iter().filter(|(name, _)| name == "CHANGELOG.md");
    let (_, text) = named.next().expect("there is a changelog");
    let long = |line: &&str| line.chars().count() > LONGEST_ENTRY;
    let long: Vec<&str> = text.lines().filter(long).collect();
    assert!(
        long.is_empty(),
        "more than {LONGEST_ENTRY} characters: say less\n{}",
        long.join("\n")
    );
}

#[test]
fn nothing_names_the_machine_that_it_was_written_on() {
    let paths = ["work", "root", "home"].map(|directory| format!("/{directory}/"));
    for (name, text) in texts(&["rs", "md", "s", "toml", "sh", "c", "cl", "hip", "txt"]) {
        for path in &paths {
            assert!(!text.contains(path), "{name} contains {path}");
        }
    }
}

/// Documents in which the names of files are checked.
const GUIDES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Text in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// True for the path of a source, a document or a directory.
fn is_path(quoted: &str) -> bool {
    let ends = [".rs", ".md", ".c", ".h", ".map", "/"];
    let is_in_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    ends.iter().any(|end| quoted.ends_with(end)) && quoted.chars().all(is_in_path)
}

/// Collects the paths of files and directories below `dir`. Paths of directories end with a slash.
fn paths_below(dir: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
        let path = entry.expect("a directory entry").path();
        let is_dir = path.is_dir();
        found.push(format!(
            "/{}{}",
            path.display(),
            if is_dir { "/" } else { "" }
        ));
        if is_dir && path.file_name().is_some_and(|name| name != "target") {
            paths_below(&path, found);
        }
    }
}

#[test]
fn files_that_the_guides_name_exist() {
    let root = crates().parent().expect("crates/ has a parent").to_owned();
    let mut found = Vec::new();
    for top in ["crates", "xtask", "docs", "tests", "fuzz"] {
        found.push(format!("/{top}/"));
        paths_below(&root.join(top), &mut found);
    }
    found.push("/book.toml".to_owned());
    found.extend(GUIDES.map(|guide| format!("/{guide}")));
    for guide in GUIDES {
        let text = fs::read_to_string(root.join(guide)).expect("the guide is text");
        let named: Vec<&str> = quoted(&text).filter(|name| is_path(name)).collect();
        assert!(named.len() > 20, "{guide} names files");
        for name in named {
            let end = format!("/{name}");
            assert!(
                found.iter().any(|path| path.ends_with(&end)),
                "{guide} names {name}, which does not exist"
            );
        }
    }
}

/// Phrases that are not plain English, and their replacements.
const ODD_PHRASES: [(&str, &str); 7] = [
    ("The same of", "repeat the noun"),
    ("means that of", "repeat the noun"),
    (
        "to be allocated once",
        "scratch buffer, reused to avoid allocation",
    ),
    ("are kept at most", "maximum number of … kept"),
    ("in the making", "under construction"),
    ("that are being put together", "builder for …"),
    ("The variable that has the", "environment variable for …"),
];

#[test]
fn comments_are_free_of_odd_phrases() {
    let mut wrong = Vec::new();
    for (name, text) in texts(&["rs"]) {
        let comments = text.lines().enumerate().filter(|(_, line)| {
            let line = line.trim_start();
            line.starts_with("///") || line.starts_with("//!")
        });
        for (number, line) in comments {
            for (phrase, instead) in ODD_PHRASES {
                if line.contains(phrase) {
                    wrong.push(format!("{name}:{}: `{phrase}`: {instead}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
