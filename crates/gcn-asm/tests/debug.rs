//! Compares debug information with that of `llvm-mc -g`: the line of each instruction, and labels.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use gcn_asm::{File, Files, Options, Source, assemble_with};
use gcn_object::SourceLines;

/// Sequence of a line table: offsets from its first address, and lines.
type Sequence = Vec<(u64, u64)>;

/// Line table and lines of labels.
#[derive(Debug, PartialEq, Eq)]
struct Information {
    sequences: Vec<Sequence>,
    labels: Vec<(String, u64)>,
}

fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).expect("a number"),
        None => text.parse().expect("a number"),
    }
}

/// Information that LLVM reads from an object.
fn dumped(object: &Path) -> Information {
    let path = object.to_str().expect("a path in UTF-8");
    let dump = |arguments: &[&str]| {
        let arguments: Vec<&str> = arguments.iter().copied().chain([path]).collect();
        common::tool("llvm-dwarfdump-19", "llvm-19", &arguments, "")
    };
    let (out, _) = dump(&["--verify"]);
    assert!(out.contains("No errors"), "{out}");
    let (out, err) = dump(&["--debug-line", "--debug-info"]);
    assert!(err.is_empty(), "{err}");
    let (mut sequences, mut labels) = (Vec::new(), Vec::new());
    let (mut rows, mut name) = (Vec::new(), None);
    for line in out.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [address, line, _, "1", _, _, _, "is_stmt", ref rest @ ..]
                if address.starts_with("0x") =>
            {
                rows.push((number(address), number(line)));
                if rest == ["end_sequence"] {
                    let first = rows[0].0;
                    let moved = rows.iter().map(|(at, line)| (at - first, *line));
                    sequences.push(moved.collect());
                    rows.clear();
                }
            }
            ["DW_AT_name", text] => name = Some(text.to_owned()),
            ["DW_AT_decl_line", text] => {
                let line = number(text.trim_matches(['(', ')']));
                labels.push((name.take().expect("a label has a name"), line));
            }
            _ => {}
        }
    }
    labels.sort();
    Information { sequences, labels }
}

fn directory() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debug");
    fs::create_dir_all(&place).expect("a directory for the test");
    place
}

/// Information that LLVM's assembler writes.
fn theirs(name: &str, target: &str, text: &str) -> Information {
    let place = directory();
    let [source, object, linked] =
        ["s", "o", "so"].map(|ending| place.join(format!("{name}.{target}.{ending}")));
    let path = |path: &PathBuf| path.to_str().expect("a path in UTF-8").to_owned();
    fs::write(&source, text).expect("it can be written");
    let cpu = format!("-mcpu={target}");
    let (source, object) = (path(&source), path(&object));
    let arguments = [
        "-triple=amdgcn-amd-amdhsa",
        &cpu,
        "-filetype=obj",
        "-g",
        &source,
        "-o",
        &object,
    ];
    let (_, err) = common::tool("llvm-mc-19", "llvm-19", &arguments, "");
    assert!(err.is_empty(), "{name}: {err}");
    let arguments = ["-shared", &object, "-o", &path(&linked)];
    common::tool("ld.lld-19", "lld-19", &arguments, "");
    dumped(&linked)
}

/// Code object assembled from a source.
fn object(name: &str, target: &str, text: &str, files: &dyn Files) -> Vec<u8> {
    let options = Options {
        debug: Some(""),
        ..Options::new(common::target(target))
    };
    let assembly = assemble_with(&Source { name, text }, &options, files);
    assert!(!assembly.has_errors(), "{name}: {:?}", assembly.diagnostics);
    assembly.program.to_object(None).expect("an object")
}

/// Information in our object, without rows for data, which LLVM attributes to the line of the previous instruction.
fn ours(name: &str, target: &str, text: &str) -> Information {
    let path = directory().join(format!("{name}.{target}.co"));
    let bytes = object(name, target, text, &gcn_asm::NoFiles);
    fs::write(&path, bytes).expect("it can be written");
    let mut information = dumped(&path);
    for rows in &mut information.sequences {
        let last = rows.pop();
        rows.retain(|(_, line)| *line != 0);
        // If data end a section, LLVM's last row has the line before them.
        let line = rows.last().map_or(0, |(_, line)| *line);
        rows.extend(last.map(|(at, _)| (at, line)));
    }
    information
}

#[test]
fn sources_are_embedded_on_request() {
    struct Included;
    impl Files for Included {
        fn read(&self, _: &str, _: &str) -> Result<File, String> {
            Ok(File {
                name: "rest.s".to_owned(),
                bytes: b"s_endpgm ; the end\n".to_vec(),
            })
        }
    }
    let text = "s_nop 0 // first\n.include \"rest.s\"\n";
    for directory in ["", "/somewhere"] {
        let options = Options {
            debug: Some(directory),
            embed_sources: true,
            ..Options::new(common::target("gfx900"))
        };
        let source = Source {
            name: "<source>",
            text,
        };
        let program = assemble_with(&source, &options, &Included).program;
        let file = program.to_object(None).expect("an object");
        let object = gcn_object::read(&file).expect("a code object");
        let lines = object.source_lines().expect("DWARF").expect("lines");
        let code = object.sections.iter().find(|it| it.is_code());
        let start = code.expect("it has code").address;
        for (offset, line, expected) in [(0, 1, text), (4, 1, "s_endpgm ; the end\n")] {
            let frames = lines.frames(start + offset).expect("DWARF");
            let place = frames.first().and_then(|frame| frame.place.clone());
            let place = place.expect("a place");
            assert_eq!(place.line, line);
            let embedded = lines.embedded_source(&place.file);
            assert_eq!(embedded.as_deref(), Some(expected), "{}", place.file);
        }
    }
}

#[test]
fn data_between_instructions_have_no_line() {
    let text = "s_nop 0\n.long 1\ns_nop 1\n.long 2\n";
    let file = object("data.s", "gfx900", text, &gcn_asm::NoFiles);
    let object = gcn_object::read(&file).expect("a code object");
    let lines = object
        .source_lines()
        .expect("DWARF")
        .expect("there is some");
    let code = object.sections.iter().find(|it| it.is_code());
    let start = code.expect("it has code").address;
    let found = [0, 4, 8, 12].map(|offset| {
        let frames = lines.frames(start + offset).expect("DWARF");
        let place = frames.first().and_then(|frame| frame.place.clone());
        place.map_or(0, |place| place.line)
    });
    assert_eq!(found, [1, 0, 3, 0]);
}

/// Macros, data and blank lines between instructions, several sections, labels of all kinds.
const SOURCE: &str = "\
.text
.globl first
.p2align 8
.type first,@function
.macro clear register, count
  .if \\count > 1
    clear \\register, \\count-1
  .endif
  v_mov_b32 v\\register, \\count
.endm
.macro both
  s_nop 0
  s_nop 1
.endm

first:
  s_load_dwordx2 s[4:5], s[0:1], 0x0

  both
  clear 3, 2
  s_waitcnt lgkmcnt(0)
.Linner:
  v_mov_b32 v2, 0x12345
  .long 0xbf800000
1:
  s_cbranch_scc0 1b
  s_endpgm
second:
  s_setpc_b64 s[30:31]
.section .other,\"ax\",@progbits
third:
  s_nop 1
  both
.text
  s_nop 3
.data
number: .long 1
";

#[test]
fn lines_and_labels_are_those_of_llvm() {
    for target in ["gfx600", "gfx803", "gfx906"] {
        let ours = ours("source", target, SOURCE);
        let theirs = theirs("source", target, SOURCE);
        assert_eq!(ours, theirs, "{target}");
        assert_eq!(ours.sequences.len(), 2);
        assert_eq!(ours.labels.len(), 3);
    }
}

#[test]
fn lines_of_the_examples_are_those_of_llvm() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut rows = 0;
    for (path, target) in [
        ("histogram/histogram.s", "gfx900"),
        ("saxpy/saxpy.s", "gfx900"),
        ("transpose/transpose-gcn1.2.s", "gfx803"),
    ] {
        let text = fs::read_to_string(examples.join(path)).expect("an example");
        let name = path.replace('/', "-");
        let (ours, theirs) = (ours(&name, target, &text), theirs(&name, target, &text));
        assert_eq!(ours, theirs, "{path}");
        rows += ours.sequences.iter().map(Vec::len).sum::<usize>();
    }
    assert!(rows > 50, "{rows} rows");
}

/// A file that a source includes.
struct Included;

impl Files for Included {
    fn read(&self, name: &str, _: &str) -> Result<File, String> {
        Ok(File {
            name: name.to_owned(),
            bytes: "s_nop 4\n\ns_nop 5\n".into(),
        })
    }
}

fn places(lines: &SourceLines, code: std::ops::Range<u64>) -> Vec<String> {
    let ranges = lines.ranges(code).expect("DWARF");
    ranges.iter().map(|it| it.place.to_string()).collect()
}

/// LLVM attributes included text to the main source, and repeated text to the line of `.rept`.
#[test]
fn included_files_and_loops_have_lines_of_their_own() {
    let text = "s_nop 0\n.include \"inner.s\"\n.rept 2\n  s_nop 1\n  s_nop 2\n.endr\n";
    let file = object("outer.s", "gfx900", text, &Included);
    let object = gcn_object::read(&file).expect("a code object");
    let lines = object
        .source_lines()
        .expect("DWARF")
        .expect("there is some");
    let code = object.sections.iter().find(|it| it.is_code());
    let start = code.expect("it has code").address;
    let expected = [
        "outer.s:1",
        "inner.s:1",
        "inner.s:3",
        "outer.s:4",
        "outer.s:5",
        "outer.s:4",
        "outer.s:5",
    ];
    assert_eq!(places(&lines, start..start + 28), expected);
}
