//! Hostile input: nothing panics or takes long.

use std::time::Duration;

use gcn_asm::{Options, Severity, Source, assemble};
use gcn_isa::{TARGETS, Target};
use rustix::time::{ClockId, clock_gettime};

const VALID: &str = include_str!("hostile/valid.s");

/// CPU time of this thread, independent of other load on the machine.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("it is not negative")
}

fn try_everything(text: &str, target: &'static Target) {
    let source = Source {
        name: "hostile.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(target));
    for diagnostic in &assembly.diagnostics {
        // Spans are on character boundaries, or this panics.
        let _ = &text[diagnostic.span.clone()];
        assert!(!diagnostic.message.is_empty());
    }
    if !assembly.has_errors() {
        // May fail, for example for symbols that are not defined; must not panic.
        let _ = assembly.program.to_object(None);
    }
}

fn any_target(u: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<&'static Target> {
    u.choose_iter(TARGETS.iter())
}

#[test]
fn the_seed_is_valid() {
    let source = Source {
        name: "valid.s",
        text: VALID,
    };
    let target = Target::named("gfx900").expect("a target");
    let assembly = assemble(&source, &Options::new(target));
    assert_eq!(assembly.diagnostics, []);
    assembly.program.to_object(None).expect("a code object");
}

#[test]
fn random_bytes() {
    arbtest::arbtest(|u| {
        let target = any_target(u)?;
        let bytes: Vec<u8> = u.arbitrary()?;
        try_everything(&String::from_utf8_lossy(&bytes), target);
        Ok(())
    })
    .budget_ms(3_000);
}

/// Meaningful fragments, to be combined in any order.
const PIECES: &[&str] = &[
    "v",
    "s",
    "[",
    "]",
    ":",
    ",",
    " ",
    "\n",
    "\t",
    "(",
    ")",
    "-",
    "+",
    "|",
    "~",
    "!",
    "<<",
    "%",
    "/",
    "*",
    "//",
    "/*",
    "*/",
    "\"",
    "\\",
    "'",
    "#",
    ";",
    "@",
    "=",
    ".",
    "0x",
    "0b",
    "1",
    "255",
    "256",
    "4294967296",
    "9223372036854775807",
    "1.5",
    "1e999",
    "v1",
    "v[1:2]",
    "v[255:256]",
    "s4",
    "s[4:5]",
    "vcc",
    "exec",
    "m0",
    "off",
    "lit(",
    "abs(",
    "neg(",
    "sext(",
    "hwreg(",
    "sendmsg(",
    "vmcnt(",
    "lgkmcnt",
    "swizzle(",
    "QUAD_PERM",
    "offset:",
    "glc",
    "gds",
    "op_sel:[",
    "quad_perm:[",
    "dst_sel:",
    "s_branch ",
    "s_mov_b32 ",
    "s_mov_b64 ",
    "v_add_f32 ",
    "v_add_f32_e64 ",
    "v_mov_b32_dpp ",
    "v_mov_b32_sdwa ",
    "ds_read_b32 ",
    "ds_swizzle_b32 ",
    "global_load_dword ",
    "s_load_dword ",
    "buffer_load_dword ",
    "s_waitcnt ",
    "s_setreg_b32 ",
    ".long ",
    ".quad ",
    ".set ",
    ".space ",
    ".fill ",
    ".p2align ",
    ".section ",
    ".ascii ",
    ".size ",
    ".comm ",
    ".type ",
    ".amdhsa_kernel ",
    ".amdhsa_next_free_vgpr ",
    ".end_amdhsa_kernel",
    ".amdgpu_metadata",
    ".end_amdgpu_metadata",
    "a",
    "b",
    "a:",
    "1:",
    "1b",
    "1f",
    "@rel32@lo",
    "ä",
    "\0",
    "\r",
];

#[test]
fn random_pieces() {
    arbtest::arbtest(|u| {
        let target = any_target(u)?;
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=60)? {
            text.push_str(u.choose(PIECES)?);
        }
        try_everything(&text, target);
        Ok(())
    })
    .budget_ms(5_000);
}

#[test]
fn mutated_source() {
    arbtest::arbtest(|u| {
        let target = any_target(u)?;
        let mut bytes = VALID.as_bytes().to_vec();
        for _ in 0..u.int_in_range(1..=8)? {
            let at = u.choose_index(bytes.len())?;
            match u.int_in_range(0..=3)? {
                0 => bytes[at] = u.arbitrary()?,
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, *u.choose(b"[]():,-|\"\n0v@.")?),
                _ => {
                    let piece = u.choose(PIECES)?.bytes();
                    bytes.splice(at..at, piece);
                }
            }
        }
        try_everything(&String::from_utf8_lossy(&bytes), target);
        Ok(())
    })
    .budget_ms(8_000);
}

#[test]
fn what_grows_without_bound_is_refused() {
    let deep = "(".repeat(100_000);
    let long = format!(".long 0{}", "+1".repeat(200_000));
    let minus = format!(".long {}1", "-".repeat(100_000));
    let chain: String = (0..2_000)
        .map(|i| format!(".set a{}, a{i}+a{i}\n", i + 1))
        .collect();
    let unknown = "nosuchthing v1, v2\n".repeat(20_000);
    for text in [
        format!(".long {deep}"),
        format!("s_mov_b32 s0, {deep}"),
        format!("v_add_f32 v0, {}v1, v2", "-".repeat(100_000)),
        format!("v_add_f32 v0, {}v1, v2", "|".repeat(100_000)),
        format!("v_add_f32 v0, {}v1, v2", "abs(".repeat(100_000)),
        minus,
        format!("{chain}.long a2000"),
        ".set a, b\n.set b, a\n.long a".to_owned(),
        ".space 0x7fffffffffffffff".to_owned(),
        ".fill 0x7fffffffffffffff, 8, 1".to_owned(),
        ".section a\n.zero 1 << 27\n.section b\n.zero 1 << 27\n.text\n.long 1".to_owned(),
        ".bss\n.fill 4, 8, 1".to_owned(),
        ".p2align 63".to_owned(),
        ".pushsection .a\n".repeat(100_000),
        "/* never ends".to_owned(),
        "\"never ends".to_owned(),
        unknown,
    ] {
        let target = Target::named("gfx906").expect("a target");
        let start = thread_time();
        let source = Source {
            name: "grows.s",
            text: &text,
        };
        let assembly = assemble(&source, &Options::new(target));
        let shown: String = text.chars().take(40).collect();
        let is_comment = text.starts_with("/*");
        assert!(is_comment || assembly.has_errors(), "{shown}");
        let taken = thread_time() - start;
        assert!(taken.as_secs() < 5, "{shown}: {taken:?}");
    }
    // After too many sections, other directives still add theirs.
    let sections: String = (1..4096).map(|i| format!(".section s{i}\n")).collect();
    let text = format!("{sections}.section more\n.text\n.lcomm a, 4\n.data\n.long 1\n");
    let source = Source {
        name: "sections.s",
        text: &text,
    };
    let target = Target::named("gfx906").expect("a target");
    let assembly = assemble(&source, &Options::new(target));
    let [error] = &assembly.diagnostics[..] else {
        panic!("{:?}", assembly.diagnostics)
    };
    assert_eq!(&text[error.span.clone()], "more");
    let size = |name: &str| assembly.program.section(name).map(|section| section.size);
    let sizes = [".text", ".bss", ".data", "more"].map(size);
    assert_eq!(sizes, [Some(0), Some(4), Some(4), None]);
    // A long sum is evaluated immediately.
    let target = Target::named("gfx906").expect("a target");
    let source = Source {
        name: "sum.s",
        text: &long,
    };
    let assembly = assemble(&source, &Options::new(target));
    assert_eq!(assembly.program.to_raw(), 200_000u32.to_le_bytes());
    // So is a long chain of symbols, whose first one is defined last.
    let chain: String = (0..1_000)
        .map(|i| format!(".set b{}, b{i}+1\n", i + 1))
        .collect();
    let text = format!("{chain}.long b1000\nb0 = 7\n");
    let source = Source {
        name: "chain.s",
        text: &text,
    };
    let assembly = assemble(&source, &Options::new(target));
    assert_eq!(assembly.diagnostics, []);
    assert_eq!(assembly.program.to_raw(), 1_007u32.to_le_bytes());
}

/// Fragments of macros, loops and conditionals.
const MACRO_PIECES: &[&str] = &[
    ".macro m",
    ".macro m a, b=1, c:vararg",
    ".macro n a:req",
    ".endm",
    ".exitm",
    ".purgem m",
    ".altmacro",
    ".noaltmacro",
    "m %(i + 1), <a, !> b>",
    "m <x",
    "LOCAL here, i",
    "here&a: .ascii \"&a&\"",
    ".byte \\+",
    ". = . + i",
    "once == 1",
    ".float 0x1p\\a, -0x.8p-9999999999, 1e400, nan",
    ".octa -0x10",
    ".rept 3",
    ".rept 100000",
    ".rept i",
    ".irp x, 1, (2 + 3), \"four\"",
    ".irpc x, abcä",
    ".endr",
    ".if i",
    ".if 1",
    ".if 0",
    ".ifdef i",
    ".ifc \\a, \\b",
    ".ifb \\a",
    ".ifeqs \"a\", \"b\"",
    ".elseif i < 3",
    ".else",
    ".endif",
    ".set i, i + 1",
    ".set i, 0",
    ".set i, \\a - 1",
    "m",
    "m 1, 2, 3",
    "m a=\\b, b=\\a\\a",
    "m \\a\\a, \\a\\a",
    "m \"\\a",
    "n \\c",
    "n (i - 1",
    "l\\@: .long l\\@",
    "1: s_branch 1f",
    ".byte \\a, \\x, \\()",
    ".long later",
    ".org 64",
    ".org . - 1",
    ".error \"\\a\"",
    ".warning",
    ".print \"ä\"",
    ".end",
    ".include \"a\"",
    "s_nop \\x",
    "/*",
    "*/",
    "\\",
    "ä\\ä",
];

#[test]
fn random_macros() {
    arbtest::arbtest(|u| {
        let target = any_target(u)?;
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=40)? {
            text.push_str(u.choose(MACRO_PIECES)?);
            text.push_str(if u.ratio(1, 20)? { " " } else { "\n" });
        }
        let start = thread_time();
        try_everything(&text, target);
        assert!((thread_time() - start).as_secs() < 60, "{text}");
        Ok(())
    })
    .budget_ms(8_000);
}

#[test]
fn a_quote_without_its_end_stays_on_its_line() {
    let target = Target::named("gfx900").expect("a target");
    for text in [
        ".ifc a, b .error \"\\a\" ",
        ".ifc \"",
        ".ifb \"\\a\"",
        ".macro m x\n.endm\nm \"\\a\" ",
    ] {
        try_everything(text, target);
    }
    // The diagnostic is on the first line, and the second line is still assembled.
    let text = ".ifnb \"\ns_nop 3\n.endif\ns_nop 70000\n";
    let source = Source {
        name: "quote.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(target));
    let starts: Vec<usize> = (assembly.diagnostics.iter())
        .map(|diagnostic| diagnostic.span.start)
        .collect();
    assert_eq!(starts, [text.len() - 6], "{:?}", assembly.diagnostics);
}

#[test]
fn warnings_beyond_the_limit_are_not_located() {
    let target = Target::named("gfx906").expect("a target");
    let source = Source {
        name: "warnings.s",
        text: ".rept 200000\n.warning \"\\+\"\n.endr\nnosuchthing",
    };
    let start = thread_time();
    let assembly = assemble(&source, &Options::new(target));
    assert!((thread_time() - start).as_secs() < 10);
    let (errors, warnings): (Vec<_>, Vec<_>) =
        (assembly.diagnostics.iter()).partition(|it| it.severity == Severity::Error);
    assert_eq!((errors.len(), warnings.len()), (1, 1000));
}

#[test]
fn expansions_are_bounded() {
    let deep = "a\n.macro a\na\na\n.endm\n.macro b\nb\n.endm\nb\nb\n";
    let call = ".macro a x\n.ifnb \\x\na \\x\\x\n.endif\n.endm\na 1\n";
    let wide = ".macro a x\n.ifnb \\x\na \\x\n.endif\na \\x\\x\\x\n.endm\na 1\n";
    let empty = ".macro a\n.endm\n.rept 1000000000\na\n.endr\n";
    let doubled = ".macro a n\n.if \\n\na \\n-1\na \\n-1\n.endif\n.endm\na 40\n";
    let many =
        ".rept 1000000\nnosuchthing\n.endr\n.rept 100\n.rept 3000000\n.exitm\n.endr\n.endr\n";
    let both = ".macro a\na\na\nnosuchthing\n.endm\na\na";
    for (text, message) in [
        (deep.to_owned(), "nested too deep"),
        (call.to_owned(), "too much text"),
        (wide.to_owned(), "nested too deep"),
        (empty.to_owned(), "too much text"),
        (many.to_owned(), "too much text"),
        (both.to_owned(), "nested too deep"),
        (
            ".rept 1000000000\ns_nop 0\n.endr".to_owned(),
            "too much text",
        ),
        (
            ".rept 0x7fffffffffffffff\n\n.endr".to_owned(),
            "too much text",
        ),
        (
            ".for i = 0, i < 1000000000, i + 1\n.endr".to_owned(),
            "too much text",
        ),
        (doubled.to_owned(), "too much text"),
        (".rept 2\n".repeat(100_000), "`.rept` is not closed"),
        (
            format!("{}{}", ".rept 1\n".repeat(3_000), ".endr\n".repeat(3_000)),
            "nested too deep",
        ),
        (".macro a\n".repeat(100_000), "`.macro` is not closed"),
        (".if 1\n".repeat(100_000), "this condition is not closed"),
        (".if 0\n".repeat(100_000), "this condition is not closed"),
        (format!(".irp x{}\n\\x\n.endr", ", y".repeat(100_000)), "y"),
    ] {
        let target = Target::named("gfx906").expect("a target");
        let shown: String = text.chars().take(40).collect();
        let source = Source {
            name: "bounded.s",
            text: &text,
        };
        let start = thread_time();
        let assembly = assemble(&source, &Options::new(target));
        let taken = thread_time() - start;
        // Well under a second in an optimized build.
        assert!(taken.as_secs() < 10, "{shown}: {taken:?}");
        let errors: Vec<&str> = assembly.diagnostics.iter().map(|d| &*d.message).collect();
        assert!(
            errors.iter().any(|error| error.contains(message)),
            "{shown}: {errors:?}"
        );
        assert!(errors.len() < 1000, "{shown}: {} errors", errors.len());
    }
}

#[test]
fn a_chain_names_macros_and_lines() {
    let text = ".macro inner\nnosuchthing\n.endm\n.macro outer\n\ninner\n.endm\ns_nop 0\n  outer // here\n";
    let target = Target::named("gfx906").expect("a target");
    let source = Source {
        name: "chain.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(target));
    let [error] = &assembly.diagnostics[..] else {
        panic!("{:?}", assembly.diagnostics)
    };
    let quoted: Vec<(&str, &str)> = error
        .notes
        .iter()
        .map(|note| (&*note.message, &text[note.span.clone()]))
        .collect();
    assert_eq!(
        quoted,
        [
            ("in macro `inner`, called here", "inner"),
            ("in macro `outer`, called here", "outer"),
        ]
    );
    assert_eq!(error.span, 13..24);
    assert_eq!(&text[error.span.clone()], "nosuchthing");
}

/// Files by name, in a directory `d`.
struct Fixed;

impl gcn_asm::Files for Fixed {
    fn read(&self, name: &str, from: &str) -> Result<gcn_asm::File, String> {
        let bytes: &[u8] = match (name, from) {
            ("a.inc", "main.s") => b".include \"b.inc\"\n.long 2\n",
            ("b.inc", "d/a.inc") => b".long 1\nnosuchthing\nfar = elsewhere\n.globl far\n",
            ("self.inc", _) => b".include \"self.inc\"\n",
            ("data.bin", _) => b"0123456789",
            _ => return Err("no such file".to_owned()),
        };
        Ok(gcn_asm::File {
            name: format!("d/{name}"),
            bytes: bytes.to_vec(),
        })
    }
}

#[test]
fn files_are_read_by_the_caller() {
    let text = ".include \"a.inc\"\n.incbin \"data.bin\"\n.incbin \"data.bin\", 8\n.incbin \"data.bin\", 2, 3\n\
                .incbin \"data.bin\", 20\n.include \"self.inc\"\n.print \"done\"\n";
    let target = Target::named("gfx906").expect("a target");
    let source = Source {
        name: "main.s",
        text,
    };
    let assembly = gcn_asm::assemble_with(&source, &Options::new(target), &Fixed);
    assert_eq!(
        assembly.program.to_raw(),
        b"\x01\0\0\0\x02\0\0\x00012345678989234"
    );
    let place = |span: &std::ops::Range<usize>| {
        let file = assembly
            .files
            .iter()
            .rev()
            .find(|file| file.start <= span.start);
        let (name, text, start) = file.map_or(("main.s", text, 0), |file| {
            (&*file.name, &*file.text, file.start)
        });
        (
            name.to_owned(),
            text[span.start - start..span.end - start].to_owned(),
        )
    };
    let found: Vec<(&str, _, Vec<_>)> = assembly
        .diagnostics
        .iter()
        .map(|d| {
            let notes = d
                .notes
                .iter()
                .map(|note| (&*note.message, place(&note.span)));
            (&*d.message, place(&d.span), notes.collect())
        })
        .collect();
    let at = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let [done, unknown, value, deep] = &found[..] else {
        panic!("{found:?}")
    };
    let inclusions = [
        (
            "in `d/b.inc`, included here",
            at("d/a.inc", ".include \"b.inc\""),
        ),
        (
            "in `d/a.inc`, included here",
            at("main.s", ".include \"a.inc\""),
        ),
    ];
    assert_eq!(unknown.0, "unknown instruction `nosuchthing`");
    assert_eq!(unknown.1, at("d/b.inc", "nosuchthing"));
    assert_eq!(unknown.2, inclusions);
    // The value of a symbol is known only at the end of the source.
    assert_eq!(
        value.0,
        "the value of symbol `far` cannot be expressed in a code object"
    );
    assert_eq!(value.1, at("d/b.inc", "far"));
    assert_eq!(value.2, inclusions);
    assert_eq!(deep.0, "`d/self.inc` is nested too deep");
    assert_eq!(deep.1, at("d/self.inc", ".include \"self.inc\""));
    assert_eq!(*done, ("done", at("main.s", ".print \"done\""), vec![]));
}

/// Records how far the source was read.
#[derive(Default)]
struct Listener(std::cell::RefCell<Vec<usize>>);

impl gcn_asm::Files for Listener {
    fn read(&self, _: &str, _: &str) -> Result<gcn_asm::File, String> {
        Err("there is none".to_owned())
    }

    fn passed(&self, position: usize) {
        self.0.borrow_mut().push(position);
    }
}

#[test]
fn the_caller_hears_how_far_the_source_was_read() {
    // Loops and macros do not count as progress in the source.
    let text = ".macro twice\ns_nop 0\ns_nop 0\n.endm\n.rept 100000\ntwice\n.endr\n".to_owned()
        + &"s_nop 0\n".repeat(100_000);
    let listener = Listener::default();
    let source = Source {
        name: "long.s",
        text: &text,
    };
    let target = Target::named("gfx906").expect("a target");
    let assembly = gcn_asm::assemble_with(&source, &Options::new(target), &listener);
    assert_eq!(assembly.diagnostics, []);
    let positions = listener.0.take();
    assert!(positions.is_sorted(), "{positions:?}");
    assert!((3..100).contains(&positions.len()), "{positions:?}");
    let last = positions.last().copied().unwrap_or(0);
    assert!(
        (text.len() / 2..=text.len()).contains(&last),
        "{positions:?}"
    );
}
