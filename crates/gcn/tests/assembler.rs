//! Tests of `gcn asm` with included files, options, and inputs that crash other assemblers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Time limit, far more than any source needs even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const BAD_INPUT: i32 = 1;

/// Creates an empty directory for a test.
fn scratch(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("assembler")
        .join(test);
    let _ = fs::remove_dir_all(&path); // May not exist.
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

fn gcn(directory: &Path, arguments: &[&str]) -> Output {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .current_dir(directory)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("gcn starts");
    assert!(
        start.elapsed() < PATIENCE,
        "{arguments:?}: {:?}",
        start.elapsed()
    );
    output
}

fn asm(directory: &Path, file: &str, more: &[&str]) -> Output {
    let base = [
        "asm", file, "--target", "gfx900", "--format", "raw", "-o", "out.bin",
    ];
    gcn(directory, &[&base[..], more].concat())
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

/// Assembles a source, and returns the messages and the exit status.
fn said(test: &str, source: &[u8], more: &[&str]) -> (String, Option<i32>) {
    let directory = scratch(test);
    fs::write(directory.join("in.s"), source).expect("written");
    let output = asm(&directory, "in.s", more);
    (stderr(&output), output.status.code())
}

#[track_caller]
fn is_refused(test: &str, source: &[u8], message: &str) {
    let (said, status) = said(test, source, &[]);
    assert_eq!(status, Some(BAD_INPUT), "{test}: {said}");
    assert!(said.contains(message), "{test}: {said}");
    assert!(said.len() < 200_000, "{test}: {} bytes", said.len());
}

#[track_caller]
fn is_accepted(test: &str, source: &[u8], bytes: &[u8]) {
    let (said, status) = said(test, source, &[]);
    assert_eq!((&*said, status), ("", Some(0)), "{test}");
    let made = fs::read(scratch_of(test).join("out.bin")).expect("written");
    assert!(made == bytes, "{test}: {} bytes", made.len());
}

fn scratch_of(test: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("assembler")
        .join(test)
}

const NOP: [u8; 4] = [0x00, 0x00, 0x80, 0xbf];

#[test]
fn errors_in_included_files_are_shown_there_with_the_way_to_them() {
    let directory = scratch("included");
    fs::create_dir(directory.join("inc")).expect("made");
    fs::write(directory.join("inc/inner.inc"), "s_nop 0\n  s_nopp 1\n").expect("written");
    fs::write(
        directory.join("inc/outer.inc"),
        ".macro wrap value\n  s_nop \\value\n.endm\n.include \"inner.inc\"\nwrap 0x10000\n",
    )
    .expect("written");
    fs::write(
        directory.join("main.s"),
        "s_nop 0\n.include \"outer.inc\"\nwrap 0x20000\n",
    )
    .expect("written");
    let output = asm(&directory, "main.s", &["-I", "inc"]);
    assert_eq!(
        stderr(&output),
        "\
inc/outer.inc:2:3: error[operand-range]: 65536 is out of range 0 to 65535
  |
2 |   s_nop \\value
  |   ^^^^^^^^^^^^ here `s_nop 0x10000`
  |
note: in macro `wrap`, called here
  |
5 | wrap 0x10000
  | ------------
note: in `inc/outer.inc`, included here
 --> main.s:2:1
  |
2 | .include \"outer.inc\"
  | --------------------
inc/outer.inc:2:3: error[operand-range]: 131072 is out of range 0 to 65535
  |
2 |   s_nop \\value
  |   ^^^^^^^^^^^^ here `s_nop 0x20000`
  |
note: in macro `wrap`, called here
 --> main.s:3:1
  |
3 | wrap 0x20000
  | ------------
inc/inner.inc:2:3: error[unknown-opcode]: unknown instruction `s_nopp`
  |
2 |   s_nopp 1
  |   ^^^^^^
  |
  = help: did you mean `s_nop`?
note: in `inc/inner.inc`, included here
 --> inc/outer.inc:4:1
  |
4 | .include \"inner.inc\"
  | --------------------
note: in `inc/outer.inc`, included here
 --> main.s:2:1
  |
2 | .include \"outer.inc\"
  | --------------------
main.s: 3 errors
"
    );
}

#[test]
fn symbols_are_defined_by_options() {
    let source = b".ifdef FAST\n.long FAST, SLOW\n.endif\n.set FAST, 9\n.long FAST\n";
    let options = ["-DFAST", "--defsym", "SLOW=-0x10"];
    let (said, status) = said("defines", source, &options);
    assert_eq!((&*said, status), ("", Some(0)));
    let made = fs::read(scratch_of("defines").join("out.bin")).expect("written");
    assert_eq!(made, [1, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff, 9, 0, 0, 0]);
    for wrong in ["=1", "1a=1", "a=b", "a=0x10000000000000000"] {
        let output = asm(&scratch("wrong-define"), "in.s", &["-D", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

/// Features in `--target`, as in Clang's `-mcpu=gfx900:xnack-`, which MIOpen uses to assemble its kernels.
#[test]
fn the_target_option_sets_features() {
    const KERNEL: &[u8] =
        b"k: s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n\
        .amdhsa_next_free_sgpr 8\n.amdhsa_reserve_xnack_mask 0\n.end_amdhsa_kernel\n";
    const WITH_TARGET: &[u8] = b".amdgcn_target \"amdgcn-amd-amdhsa--gfx900:xnack-\"\ns_endpgm\n";
    let directory = scratch("features");
    fs::write(directory.join("kernel.s"), KERNEL).expect("written");
    fs::write(directory.join("target.s"), WITH_TARGET).expect("written");
    let made = |file: &str, target: &str| {
        let output = gcn(
            &directory,
            &["asm", file, "--target", target, "-o", "out.co"],
        );
        (stderr(&output), output.status.code())
    };
    let good = (String::new(), Some(0));
    assert_eq!(made("kernel.s", "gfx900:xnack-"), good);
    let info = gcn(&directory, &["info", "--json", "out.co"]);
    let info = String::from_utf8(info.stdout).expect("text");
    assert!(
        info.replace(' ', "").contains("\"xnack\":\"off\""),
        "{info}"
    );
    let contradicts = "this contradicts the target";
    assert!(made("kernel.s", "gfx900").0.contains(contradicts));
    assert!(made("kernel.s", "gfx900:xnack+").0.contains(contradicts));
    // The source may repeat or add to the option's features, but not contradict them.
    assert_eq!(made("target.s", "gfx900:xnack-"), good);
    assert_eq!(made("target.s", "gfx900"), good);
    let (said, status) = made("target.s", "gfx900:xnack+");
    assert_eq!(status, Some(BAD_INPUT), "{said}");
    assert!(said.contains("assembled for other features"), "{said}");
    for (target, message) in [
        ("gfx900:fast+", "unknown target feature `fast+`"),
        ("gfx900:xnack", "unknown target feature `xnack`"),
        ("gfx803:sramecc+", "gfx803 has no feature `sramecc+`"),
    ] {
        let said = made("kernel.s", target).0;
        assert!(said.contains(message), "{target}: {said}");
    }
}

#[test]
fn warnings_can_be_fatal_and_errors_can_be_many() {
    let warning = b".warning \"take care\"\n";
    assert_eq!(said("warning", warning, &[]).1, Some(0));
    let (text, status) = said("fatal-warning", warning, &["--fatal-warnings"]);
    assert_eq!(status, Some(BAD_INPUT), "{text}");
    assert!(text.contains("warning[user-warning]: take care"), "{text}");
    assert!(!scratch_of("fatal-warning").join("out.bin").exists());

    let many = "nothing\n".repeat(300);
    let count = |text: &str| {
        text.matches("error[unknown-opcode]: unknown instruction")
            .count()
    };
    let (text, _) = said("many-errors", many.as_bytes(), &[]);
    assert_eq!(count(&text), 100);
    let end = "in.s: too many errors: 200 more are not shown\nin.s: 300 errors\n";
    assert!(text.ends_with(end), "{text}");
    let (text, _) = said("all-errors", many.as_bytes(), &["--error-limit", "0"]);
    assert_eq!(count(&text), 300);
}

#[test]
fn results_go_to_standard_output_on_request() {
    let directory = scratch("stdout");
    fs::write(directory.join("in.s"), "s_nop 0\n").expect("written");
    let output = gcn(
        &directory,
        &[
            "asm", "in.s", "--target", "gfx900", "--format", "raw", "-o", "-",
        ],
    );
    assert_eq!(
        (output.stdout, output.status.code()),
        (NOP.to_vec(), Some(0))
    );
}

#[test]
fn metadata_is_wrong_at_a_line() {
    let source = "s_endpgm\n.amdgpu_metadata\na: 1\nb: [1, 2\nc: 3\n.end_amdgpu_metadata\n";
    let directory = scratch("metadata");
    fs::write(directory.join("in.s"), source).expect("written");
    let output = gcn(
        &directory,
        &["asm", "in.s", "--target", "gfx900", "-o", "-"],
    );
    let said = stderr(&output);
    assert!(
        said.starts_with("in.s:5:")
            && said.contains("error[invalid-metadata]: the metadata is not valid YAML"),
        "{said}"
    );
    assert!(!said.contains("at line"), "{said}");
}

#[test]
fn what_does_not_end() {
    is_refused("assignment-of-nothing", b" =x\n", "expected an instruction");
    is_refused("quote", b".ascii \"abc\ns_nop 0\n", "unterminated string");
    is_refused("quote-at-end", b".ascii \"abc", "unterminated string");
    is_refused("backslash-at-end", b".ascii \"abc\\", "escape");
    is_refused(
        "comment",
        b"s_nop 0\n/* abc\ns_nop 0\n",
        "unterminated comment",
    );
    is_refused("macro", b".macro m\ns_nop 0\n", "`.macro` is not closed");
    is_refused("rept", b".rept 3\ns_nop 0\n", "`.rept` is not closed");
    is_refused("if", b".if 1\ns_nop 0\n", "this condition is not closed");
    is_refused(
        "if-not",
        b".if 0\ns_nop 0\n",
        "this condition is not closed",
    );
    is_refused(
        "angle",
        b".altmacro\n.macro m a\n.endm\nm <a\n",
        "unterminated argument",
    );
    is_refused("character", b".byte '", "a character is missing");
}

#[test]
fn recursion_and_expansion_are_bounded() {
    let called = "called here";
    is_refused("recursion", b".macro m\nm\n.endm\nm\n", called);
    is_refused(
        "mutual",
        b".macro m\nn\n.endm\n.macro n\nm\n.endm\nm\n",
        called,
    );
    is_refused("doubling", b".macro m\nm\nm\n.endm\nm\n", "nested too deep");
    is_refused(
        "growing",
        b".macro m a\nm \\a\\a\n.endm\nm abc\n",
        "too much text",
    );
    let bomb = format!(
        "{}.byte 1\n{}",
        ".rept 1000\n".repeat(9),
        ".endr\n".repeat(9)
    );
    is_refused("rept-bomb", bomb.as_bytes(), "too much text");
    is_refused(
        "rept-of-rounds",
        b".rept 1000000000000\n.byte \\+\n.endr\n",
        "too much text",
    );
    is_refused(
        "empty-rounds",
        b".rept 0x7fffffffffffffff\n\n.endr\n",
        "too much text",
    );
    is_refused(
        "fill",
        b".fill 1<<40\n",
        "the program would become too large",
    );
    is_refused(
        "fill-wide",
        b".fill 0x7fffffffffffffff, 8, 1\n",
        "too large",
    );
    is_refused("org", b".org 1<<60\n", "the program would become too large");
    is_refused(
        "skip",
        b".skip 1<<40\n",
        "the program would become too large",
    );
    is_refused("octets", b".dcb.l 1<<62, 1\n", "too large");
    let parentheses = "(".repeat(1_000_000);
    is_refused(
        "parentheses",
        format!(".long {parentheses}1\n").as_bytes(),
        "levels deep",
    );
    let signs = "-".repeat(1_000_000);
    is_refused(
        "signs",
        format!(".long {signs}1\n").as_bytes(),
        "levels deep",
    );
}

#[test]
fn files_are_bounded() {
    is_refused("self-include", b".include \"in.s\"\n", "included here");
    is_refused(
        "include-directory",
        b".include \"..\"\n",
        "cannot read `..`",
    );
    is_refused("incbin-directory", b".incbin \".\"\n", "cannot read `.`");
    is_refused(
        "include-nothing",
        b".include \"none\"\n",
        "there is no such file",
    );
    is_refused(
        "incbin-zeros",
        b".incbin \"/dev/zero\"\n",
        "cannot read `/dev/zero`",
    );
    let this = b".incbin \"in.s\"\n";
    is_accepted("self-incbin", this, this);
    is_refused(
        "not-text",
        b"s_nop 0\n\xff\n",
        "in.s:2: the file is not text",
    );
    let directory = scratch("odd-files");
    fs::write(directory.join("in.s"), ".include \"binary\"\n").expect("written");
    fs::write(directory.join("binary"), b"\xff\xfe").expect("written");
    let output = asm(&directory, "in.s", &[]);
    assert!(
        stderr(&output).contains("`binary` is not text"),
        "{}",
        stderr(&output)
    );
    for (file, message) in [("none.s", "cannot read none.s"), (".", "cannot read .")] {
        let output = asm(&directory, file, &[]);
        assert_eq!(output.status.code(), Some(BAD_INPUT));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    fs::write(directory.join("good.s"), "s_nop 0\n").expect("written");
    for place in ["none/out.bin", "."] {
        let output = asm(&directory, "good.s", &["-o", place]);
        // clap accepts only one `-o`.
        assert_eq!(output.status.code(), Some(2));
        let arguments = ["asm", "good.s", "--target", "gfx900", "-o", place];
        let output = gcn(&directory, &arguments);
        assert_eq!(output.status.code(), Some(BAD_INPUT));
        let message = format!("error[unwritable-output]: cannot write {place}");
        assert!(stderr(&output).starts_with(&message), "{}", stderr(&output));
    }
    if Path::new("/dev/full").exists() {
        let arguments = ["asm", "good.s", "--target", "gfx900", "-o", "/dev/full"];
        let output = gcn(&directory, &arguments);
        assert_eq!(output.status.code(), Some(BAD_INPUT));
        assert!(stderr(&output).contains("cannot write /dev/full"));
    }
}

#[test]
fn large_sources_are_read() {
    const LONG: usize = 10 << 20;
    let bytes = ".byte 1".to_owned() + &",1".repeat(LONG / 2);
    is_accepted("long-line", bytes.as_bytes(), &vec![1; LONG / 2 + 1]);
    let name = "a".repeat(LONG);
    is_refused(
        "long-identifier",
        format!("{name} v0\n").as_bytes(),
        "unknown instruction",
    );
    is_accepted(
        "long-symbol",
        format!("{name} = 7\n.long {name}\n").as_bytes(),
        &[7, 0, 0, 0],
    );
    let wrong = format!("s_nop 0{}, 1\n", " ".repeat(LONG));
    is_refused("long-wrong-line", wrong.as_bytes(), "in.s:1:");
    let labels: String = (0..1_000_000).map(|i| format!("l{i}: ")).collect();
    is_accepted(
        "labels",
        format!("{labels}\ns_nop l999999-l0\n").as_bytes(),
        &NOP,
    );
    let numbered = "1: s_branch 1b\n".repeat(100_000);
    is_accepted(
        "numbered",
        numbered.as_bytes(),
        &[0xff, 0xff, 0x82, 0xbf].repeat(100_000),
    );
}

#[test]
fn odd_characters() {
    is_refused("nul", b"s_nop 0\n\0\n", "in.s:2:1: error");
    is_refused("nul-in-line", b"s_nop \0\n", "error");
    is_accepted("nul-in-comment", b"s_nop 0 // \0\n", &NOP);
    is_accepted(
        "crlf",
        b"/* a\r\n */ s_nop 0 // b\r\n.if 1\r\ns_nop 0\r\n.endif\r\n",
        &NOP.repeat(2),
    );
    is_accepted(
        "crlf-macro",
        b".macro m a\r\n  s_nop \\a\r\n.endm\r\nm 0\r\n",
        &NOP,
    );
    is_accepted("byte-order-mark", b"\xef\xbb\xbfs_nop 0\n", &NOP);
    is_accepted("empty", b"", b"");
    is_accepted("no-newline", b"s_nop 0", &NOP);
    is_accepted("only-a-comment", b"// nothing", b"");
}

#[test]
fn shells_and_readers_are_helped() {
    let directory = scratch("help");
    for (shell, completes_values) in [
        ("bash", true),
        ("zsh", true),
        ("fish", true),
        ("elvish", false),
        ("powershell", false),
    ] {
        let output = gcn(&directory, &["completions", shell]);
        let script = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(0));
        for word in ["dis", "show-encoding"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
        for word in ["gfx803", "hawaii"] {
            assert_eq!(script.contains(word), completes_values, "{shell}: {word}");
        }
    }
    let commands = [
        "asm",
        "dis",
        "info",
        "extract",
        "isa",
        "run",
        "completions",
        "man",
    ];
    for command in commands {
        let output = gcn(&directory, &[command, "--help"]);
        let help = String::from_utf8(output.stdout).expect("text");
        assert!(help.contains("Examples:\n  gcn "), "{help}");
        let page = gcn(&directory, &["man", command]);
        let page = String::from_utf8(page.stdout).expect("text");
        assert!(
            page.contains(".SH OPTIONS") && page.contains("Examples:"),
            "{page}"
        );
    }
    let output = gcn(&directory, &["man", "--output", "pages"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for page in ["gcn.1".to_owned()]
        .into_iter()
        .chain(commands.map(|command| format!("gcn-{command}.1")))
    {
        assert!(directory.join("pages").join(&page).exists(), "{page}");
    }
    assert_eq!(gcn(&directory, &["man", "none"]).status.code(), Some(2));
}
