//! CLRX's language beyond instructions: scopes, conditional loops, enumerations, structures, queries about the GPU.
//! Each source is assembled in CLRX's dialect and must give the bytes listed with it.

use gcn_asm::{Assembly, Dialect, Options, Severity, Source, assemble, named_target};
use gcn_isa::Target;

fn assembled(target: &str, text: &str) -> Assembly {
    let target = Target::named(target).expect("the tests name targets");
    let source = Source {
        name: "clrx.s",
        text,
    };
    let options = Options {
        dialect: Dialect::Clrx,
        ..Options::new(target)
    };
    assemble(&source, &options)
}

fn messages(assembly: &Assembly, severity: Severity) -> Vec<&str> {
    let of_severity = assembly
        .diagnostics
        .iter()
        .filter(|d| d.severity == severity);
    of_severity.map(|d| d.message.as_str()).collect()
}

#[track_caller]
fn gives_on(target: &str, text: &str, bytes: &[u8]) {
    let assembly = assembled(target, text);
    let errors = messages(&assembly, Severity::Error);
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    assert_eq!(assembly.program.to_raw(), bytes, "{text}");
}

#[track_caller]
fn gives(text: &str, bytes: &[u8]) {
    gives_on("gfx803", text, bytes);
}

#[track_caller]
fn refuses(text: &str, part: &str) {
    let assembly = assembled("gfx803", text);
    let errors = messages(&assembly, Severity::Error);
    assert!(
        errors.iter().any(|error| error.contains(part)),
        "{text}\n{errors:?} lack {part}"
    );
}

#[test]
fn names_are_defined_in_the_current_scope_and_looked_for_outwards() {
    let nested = "
        a = 1; b = 2
        .scope outer
            a = 3
            .scope inner
                a = 4
                .byte a, b
            .ends
            .byte a
        .endscope
        .byte a, outer::a, outer::inner::a, ::a
        .scope outer
            .byte inner::a, ::outer::a, ::b
        .ends";
    gives(nested, &[4, 2, 3, 1, 3, 4, 1, 4, 3, 2]);
    gives(
        ".scope\nx = 1\n.byte x\n.ends\n.scope\nx = 2\n.byte x\n.ends",
        &[1, 2],
    );
    gives("::deep::er::x = 7\n.byte deep::er::x", &[7]);
    gives(
        ".scope a\nfirst: .byte 1\n.ends\n.byte 2\nfirst: .byte first - a::first",
        &[1, 2, 2],
    );
    gives(
        ".scope a\nx == 5\n.ends\n.scope b\nx == 6\n.ends\n.byte a::x, b::x",
        &[5, 6],
    );
    refuses(".ends", "no `.scope` is open here");
    refuses(".scope a\nx == 5\nx == 6\n.ends", "already defined");
    refuses(&".scope\n".repeat(65), "too deep");
}

#[test]
fn a_scope_sees_what_the_scopes_have_that_it_uses() {
    let scopes = ".scope one\nx = 1; y = 2\n.ends\n.scope two\nx = 3; z = 4\n.ends\n";
    let with = |text: &str| format!("{scopes}{text}");
    gives(&with(".using one\n.byte x, y"), &[1, 2]);
    gives(&with(".using one\n.using two\n.byte x, y, z"), &[3, 2, 4]);
    gives(&with(".using two\n.using one\n.byte x"), &[1]);
    gives(&with(".using one\n.using two\n.unusing two\n.byte x"), &[1]);
    gives(
        &with("x = 9\n.using one\n.byte x\n.unusing\n.byte x"),
        &[9, 9],
    );
    // Transitive use; cyclic uses terminate.
    gives(
        &with(".scope all\n.using one\n.using two\n.ends\n.using all\n.byte y, z"),
        &[2, 4],
    );
    gives(
        &with(".scope all\n.using ::all\n.using one\n.byte y\n.ends\n.byte all::y"),
        &[2, 2],
    );
}

#[test]
fn loops_go_on_while_their_condition_holds() {
    gives(
        "x = 1\n.while x < 16\n.byte x\nx = x + x\n.endr",
        &[1, 2, 4, 8],
    );
    gives(
        ".for x = 1, x < 16, x + x\n.byte x\n.endr\n.byte x",
        &[1, 2, 4, 8, 16],
    );
    gives(".for x=5,x<5,x+1\n.byte x\n.endr\n.byte 7", &[7]);
    let nested = "
        .for i = 0, i < 3, i + 1
            j = 0
            .while j < i
                .byte i * 16 + j
                j = j + 1
            .endr
        .endr";
    gives(nested, &[0x10, 0x20, 0x21]);
    // Inside a macro, and exited in the middle.
    let left = "
        .macro count to
            .for k = 0, k < 100, k + 1
                .if k == \\to
                    .exitm
                .endif
                .byte k
            .endrept
            .byte 0xff
        .endm
        count 2
        again: count 1";
    gives(left, &[0, 1, 0xff, 0, 0xff]);
    refuses(".while 1\n.byte 1\n.endr", "expand to too much text");
    refuses(".while later\n.endr", "later");
    refuses(".while 1", "`.while` is not closed");
    refuses(".for x, 1, 2\n.endr", "`=` and the first value");
    // An error in a loop is reported once.
    let errors = assembled("gfx803", "x = 0\n.while x < 9\nx = x + 1\nbogus\n.endr");
    assert_eq!(messages(&errors, Severity::Error).len(), 1);
}

#[test]
fn enumerations_count_in_each_scope() {
    gives(".enum a, b, c\n.enum d\n.byte a, b, c, d", &[0, 1, 2, 3]);
    gives(".enum >8, a, b\n.enum >, c\n.byte a, b, c", &[8, 9, 0]);
    gives(
        ".enum a\n.scope s\n.enum b, c\n.byte b, c\n.ends\n.enum d\n.byte d",
        &[0, 1, 1],
    );
    refuses(".enum a, a", "already defined");
}

#[test]
fn structures_have_numbers_as_places() {
    gives(
        ".struct 4\nx: .skip 8\ny: .skip 2\nsize:\n.text\n.byte x, y, size, 1",
        &[4, 12, 14, 1],
    );
    gives(
        ".offset 3\na: .struct .+20\nb:\n.text\n.byte a, b",
        &[3, 23],
    );
    refuses(".struct -1", "out of range");
    refuses(".struct 0\n.int 5", "holds no bytes");
}

#[test]
fn values_are_those_of_the_place_where_they_are_used() {
    // Delayed expressions use the symbol values at their position.
    gives(
        ".byte a + late\na = 1\n.byte a + late\na = 2\nlate = 16",
        &[0x12, 0x11],
    );
    gives("a = b; c = a; a = 5; b = 3\n.byte c, a", &[3, 5]);
    gives(
        "a = 3; b = 5\n.eqv sum, a + b\n.byte sum\nb = 7\n.byte sum",
        &[8, 10],
    );
    gives("a = 1\n.byte a\n.undef a\na = 2\n.byte a", &[1, 2]);
    let assembly = assembled("gfx803", ".undef nothing");
    assert_eq!(messages(&assembly, Severity::Warning).len(), 1);
}

#[test]
fn data_has_widths_and_may_be_left_out() {
    gives(".half 1, -0.5, 1e9", &[0, 0x3c, 0, 0xb8, 0, 0x7c]);
    // Above the middle between two halves by less than `f64` has; in the middle; below it.
    gives(
        ".half 1.00048828125000000001, 1.00048828125, 65519.9999999999999999",
        &[1, 0x3c, 0, 0x3c, 0xff, 0x7b],
    );
    gives(".word 1", &[1, 0, 0, 0]);
    gives(
        ".fillq 1, 8, 0x123456789a",
        &[0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 0],
    );
    gives(".string16 \"ab\"", &[b'a', 0, b'b', 0, 0, 0]);
    gives(".string32 \"a\"", &[b'a', 0, 0, 0, 0, 0, 0, 0]);
    gives(".byte 1,,2,", &[1, 0, 2, 0]);
    let assembly = assembled("gfx803", ".byte 1,,2,");
    assert_eq!(messages(&assembly, Severity::Warning).len(), 2);
}

#[test]
fn data_that_do_not_fit_are_cut_and_room_of_negative_size_is_none() {
    for (text, bytes, warnings) in [
        (".byte 0x1ff, -129", &[0xffu8, 0x7f] as &[u8], 2),
        (".byte late\nlate = 256", &[0], 1),
        (".short 0x12345", &[0x45, 0x23], 1),
        (".skip -3\n.space -1, 7\n.byte 1", &[1], 2),
        (".fill 2, -1, 5\n.fill -2, 1, 5\n.byte 1", &[1], 2),
        (".ascii \"a\",,\"b\"", b"ab", 0),
    ] {
        gives(text, bytes);
        let assembly = assembled("gfx803", text);
        let found = messages(&assembly, Severity::Warning).len();
        assert_eq!(found, warnings, "{text}");
    }
    gives(".octa ,1", &{
        let mut bytes = [0; 32];
        bytes[16] = 1;
        bytes
    });
}

#[test]
fn a_comment_without_its_end_is_found_behind_a_division() {
    gives("s_nop 8//2 /* no\nend */", &[4, 0, 0x80, 0xbf]);
    refuses("s_nop 8//2 /* no\nend", "unterminated comment");
    refuses("s_nop 0; s_nop 1 /* no end", "unterminated comment");
}

#[test]
fn a_backslash_at_its_end_continues_a_line() {
    gives(".byte 1, \\\n 2, \\\r\n3\n.byte 4", &[1, 2, 3, 4]);
    gives(".byte 1 # comment \\\n 2\n.byte 3", &[1, 3]);
    // In macro arguments and bodies, and in skipped statements.
    gives(
        ".macro two a, \\\n b\n.byte \\a, \\\n \\b\n.endm\ntwo 1, \\\n 2",
        &[1, 2],
    );
    gives(".if 0\n.byte \\\n .endif\n.endif\n.byte 1", &[1]);
    refuses(".byte 1 \\ 2", "expected");
}

#[test]
fn blanks_part_arguments_except_beside_operators() {
    let passed = |arguments: &str, values: &[u8]| {
        let text = ".macro show a, b, c\n.ascii \"\\a:\\b:\\c\"\n.endm\nshow ";
        gives(&format!("{text}{arguments}"), values);
    };
    passed("x y z", b"x:y:z");
    passed("a ! A b", b"a!A:b:");
    passed("1 +*+ 8 2", b"1+*+8:2:");
    passed("4 -5 6", b"4:-5:6");
    passed("a * b", b"a:*:b");
    passed("- - +", b"-:-+:");
    passed("+ + 1", b"++1::");
    passed("x\"y z\"w", b"x:y z:w");
    passed("\\%2*3, 1", b"6:1:");
    gives(".irpc c, 1 2\n.byte \\c\n.endr", &[1, 2]);
    for (texts, is_same) in [
        ("a ++ b, a + + b", true),
        ("a -- b, a - - b", false),
        ("a  b, a b", true),
        ("ab, a b", false),
        ("a \": :\", a \"::\"", false),
    ] {
        gives(
            &format!(".ifc {texts}\n.byte 1\n.endif\n.byte 2"),
            if is_same { &[1, 2] } else { &[2] },
        );
    }
}

#[test]
fn altmacro_has_locals_anywhere_and_parameters_in_strings() {
    gives(
        ".altmacro\n.macro m v\n.byte 1\nx: local l, k\n.ascii \"v l k\"\n.endm\nm 'a!'b'",
        b"\x01a'b .LL0 .LL1",
    );
    refuses(
        ".altmacro\n.macro m v\n.endm\nm 'a",
        "unterminated argument",
    );
}

#[test]
fn symbols_of_registers_are_in_scopes_as_others_are() {
    let words = |text: &str, expected: u32| gives(text, &expected.to_le_bytes());
    words(".scope a\nx = %v1\n.ends\nv_mov_b32 v0, a::x", 0x7e00_0301);
    words(
        "x = %v1\n.scope a\nx = %v2\n.ends\nv_mov_b32 v0, x",
        0x7e00_0301,
    );
    words("_x = %s[4:5]\ns_mov_b32 s0, _x[1]", 0xbe80_0005);
    words(
        ".scope a\nx = %s[4:5]\n.ends\ny = %::a::x[1]\ns_mov_b32 s0, y",
        0xbe80_0005,
    );
    // Accepted by clrxasm 0.1.9: inline constants, but no literals and no signs.
    words("x = %execz\nv_mov_b32 v0, x", 0x7e00_02fc);
    words("x = %-12\ns_mov_b32 s0, x", 0xbe80_00cc);
    words("x = %-4.0\nv_mov_b32 v0, x", 0x7e00_02f7);
    for value in [
        "65", "1.7", "-v1", "abs(v1)", "|v1|", "sext(v1)", "lit(5)", "off", "nowhere", "vmcnt(0)",
    ] {
        refuses(
            &format!("x = %{value}"),
            "the value of a register symbol is",
        );
    }
    // After `.undef`, the name is a plain symbol, without a warning.
    let assembly = assembled("gfx803", "x = %v1\n.undef x\nx = 3\n.byte x");
    assert!(
        assembly.diagnostics.is_empty(),
        "{:?}",
        assembly.diagnostics
    );
}

#[test]
fn macros_are_called_in_any_case_unless_it_counts() {
    gives(".macro Two\n.byte 2\n.endm\ntwo; TWO", &[2, 2]);
    gives(
        ".nomacrocase\n.macro x\n.byte 1\n.endm\n.macro X\n.byte 2\n.endm\nx; X",
        &[1, 2],
    );
    gives(
        ".macro a\n.byte 1\n.endm\n.purgem A\n.macro a\n.byte 2\n.endm\na",
        &[2],
    );
    let assembly = assembled("gfx803", ".purgem nothing");
    let warnings = messages(&assembly, Severity::Warning);
    assert_eq!(warnings, ["unknown macro `nothing`"]);
    // A label may precede a loop and its end, and statements share a line.
    gives("here: .rept 2; .byte 1; .endr; .byte . - here", &[1, 1, 2]);
    gives(".macro m; .byte 1; .byte 2; .endm; m", &[1, 2]);
}

#[test]
fn conditions_ask_about_the_gpu() {
    let of_arch = ".ifarch gcn1.2\n.byte 1\n.elseifarch GFX9\n.byte 2\n.else\n.byte 3\n.endif";
    gives_on("gfx803", of_arch, &[1]);
    gives_on("gfx906", of_arch, &[2]);
    gives_on("gfx700", of_arch, &[3]);
    let of_gpu = ".ifgpu tonga\n.byte 1\n.elseifngpu Fiji\n.byte 2\n.elseif 1\n.byte 3\n.endif";
    gives_on("gfx802", of_gpu, &[1]);
    gives_on("gfx900", of_gpu, &[2]);
    gives_on("gfx803", of_gpu, &[3]);
    gives(
        ".if64\n.iffmt raw\n.byte 1\n.endif\n.endif\n.if32\n.byte 2\n.endif",
        &[1],
    );
    gives(
        "a = 1\n.ifndef a\n.byte 1\n.elseifdef a\n.byte 2\n.endif",
        &[2],
    );
    gives_on(
        "gfx906",
        ".get_arch a\n.get_gpu g\n.get_64bit b\n.byte a, g, b",
        &[4, 28, 1],
    );
}

#[test]
fn a_source_says_which_gpu_it_is_for() {
    for (text, target) in [
        (".gpu Pitcairn\ns_endpgm", "gfx601"),
        ("\t.gpu\tEllesmere\n", "gfx803"),
        (".arch GCN1.4.1\n", "gfx906"),
        (".arch VI", "gfx803"),
    ] {
        assert_eq!(named_target(text).map(|t| t.name), Some(target), "{text}");
        gives_on(target, text.split('\n').next().unwrap_or(""), &[]);
    }
    assert_eq!(named_target(".gpu navi10"), None);
    refuses(".gpu Tahiti", "is assembled for gfx803");
    refuses(
        ".config\n.dims xy",
        "`.config` belongs to a binary format of CLRX",
    );
    refuses(".dims xy", "`.dims` belongs to a binary format of CLRX");
    refuses(".arch none", "unknown GPU `none`");
}

#[test]
fn what_belongs_to_formats_that_are_not_written_is_said() {
    gives(".rawcode\n.64bit\n.format raw\n.text\n.main\n.byte 1", &[1]);
    refuses(".kernel k", "binary format of CLRX");
    refuses(".format none", "unknown format `none`");
    // The code does not depend on the format; conditionals may test it.
    for (name, number) in [("amd", 0), ("gallium", 1), ("amdcl2", 3)] {
        let text = format!(
            ".{name}\n.get_format f\n.iffmt {name}\n.byte f\n.endif\n.ifnfmt {name}\n.byte 9\n.endif"
        );
        gives(&text, &[number]);
        let assembly = assembled("gfx803", &text);
        let warnings = messages(&assembly, Severity::Warning);
        assert_eq!(
            warnings,
            [format!("binaries of the format `{name}` are not supported")]
        );
    }
    gives(".rocm\n.iffmt rocm\n.byte 1\n.endif", &[1]);
    refuses(".regvar a:v:4", "registers are not allocated");
    refuses(".fail 3", "`.fail 3`");
    let assembly = assembled("gfx803", ".fail 500");
    assert_eq!(messages(&assembly, Severity::Warning), ["`.fail 500`"]);
}

#[test]
fn a_statement_behind_an_ignored_one_is_read() {
    let ignored = [
        ".oldmodparam",
        ".64bit",
        ".main",
        ".policy 109",
        ".nowave32",
        ".nobuggyfplit",
        ".lflags a b",
        ".ln 5",
        ".line 5",
        ".file \"a;b.c\"",
        ".extern a, b",
        ".cf_start",
        ".cf_jump a, b",
    ];
    for statement in ignored {
        gives(&format!("{statement}; .byte 1 # rest\n.byte 2"), &[1, 2]);
    }
    gives(
        ".if 1; .byte 1; .else text; .byte 2; .endif; .byte 3",
        &[1, 3],
    );
    // Both errors are reported.
    refuses(".kernel k; v_none", "`v_none`");
    refuses(".amdhsa_none 1; v_none", "`v_none`");
}

#[test]
fn old_modifiers_take_bits_only() {
    let clamped = |value: &str| format!("v_add_f32 v0, v1, v2 clamp:{value}");
    let words = |text: &str| {
        let assembly = assembled("gfx803", text);
        assert!(!assembly.has_errors(), "{text}");
        assembly.program.to_raw()
    };
    let two = words(&clamped("2"));
    assert_eq!(two, words(&clamped("1")));
    assert_eq!(two, words(&format!(".oldmodparam; {}", clamped("1"))));
    refuses(
        &format!(".oldmodparam; {}", clamped("2")),
        "out of range 0 to 1",
    );
    assert_eq!(
        two,
        words(&format!(".oldmodparam; .nooldmodparam; {}", clamped("2")))
    );
}

#[test]
fn resources_begin_at_multiples_of_four() {
    for text in [
        "s_buffer_load_dword s0, s[2:5], 4",
        "buffer_load_dword v0, v1, s[2:5], s8 offen",
        "s_load_dword s0, s[3:4], 4",
    ] {
        refuses(text, "must be a multiple of");
    }
    gives(
        "s_buffer_load_dword s0, s[4:7], 4",
        &[2, 0, 0x22, 0xc0, 4, 0, 0, 0],
    );
}

#[test]
fn numbers_with_a_suffix_are_rounded_once() {
    let half = "v_add_f16 v0, 1.00048828125000000000000001h, v1";
    gives(half, &[0xff, 0x02, 0x00, 0x3e, 0x01, 0x3c, 0x00, 0x00]);
    let single = "v_add_f32 v0, 1.00000017881393432617187499s, v1";
    gives(single, &[0xff, 0x02, 0x00, 0x02, 0x01, 0x00, 0x80, 0x3f]);
}
