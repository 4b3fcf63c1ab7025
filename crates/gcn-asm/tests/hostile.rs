//! Input that is not meant well: nothing panics, nothing takes long.

use gcn_asm::{Options, Source, assemble};
use gcn_isa::{TARGETS, Target};

const VALID: &str = include_str!("hostile/valid.s");

fn try_everything(text: &str, target: &'static Target) {
    let source = Source {
        name: "hostile.s",
        text,
    };
    let assembly = assemble(&source, &Options { target });
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
    let assembly = assemble(&source, &Options { target });
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

/// Pieces that mean something, in any order.
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
        ".bss\n.fill 4, 8, 1".to_owned(),
        ".p2align 63".to_owned(),
        ".pushsection .a\n".repeat(100_000),
        "/* never ends".to_owned(),
        "\"never ends".to_owned(),
        unknown,
    ] {
        let target = Target::named("gfx906").expect("a target");
        let start = std::time::Instant::now();
        let source = Source {
            name: "grows.s",
            text: &text,
        };
        let assembly = assemble(&source, &Options { target });
        let shown: String = text.chars().take(40).collect();
        let is_comment = text.starts_with("/*");
        assert!(is_comment || assembly.has_errors(), "{shown}");
        assert!(
            start.elapsed().as_secs() < 5,
            "{shown}: {:?}",
            start.elapsed()
        );
    }
    // A long sum is a number.
    let target = Target::named("gfx906").expect("a target");
    let source = Source {
        name: "sum.s",
        text: &long,
    };
    let assembly = assemble(&source, &Options { target });
    assert_eq!(assembly.program.to_raw(), 200_000u32.to_le_bytes());
}
