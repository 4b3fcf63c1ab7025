//! Listings of arbitrary words assemble to the same words on every instruction set, in both syntaxes.

use arbtest::arbitrary::{self, Unstructured};
use arbtest::arbtest;
use gcn_asm::list::{ListOptions, ListedCode, list};
use gcn_asm::{Dialect, Options, Severity, Source, assemble};
use gcn_isa::{Field, Inst, Isa, Row, Syntax, TARGETS, Target, TextFidelity, decode, rows};

/// Maximum number of items per run; several, so that branches find targets.
const MAX_ITEMS: usize = 24;

/// Two words: arbitrary, or an instruction of `isa` with arbitrary operands and reserved bits.
fn words(u: &mut Unstructured, isa: Isa, rows: &[&'static Row]) -> arbitrary::Result<[u32; 2]> {
    let any: u64 = u.arbitrary()?;
    let halves = |bits: u64| [bits as u32, (bits >> 32) as u32];
    if u.ratio(1, 4)? {
        return Ok(halves(any));
    }
    let row = u.choose(rows)?;
    let encodings: Vec<_> = row.encodings().collect();
    let Some(inst) = Inst::new(isa, row.op(), *u.choose(&encodings)?) else {
        return Ok(halves(any));
    };
    let layout = inst.layout();
    let fixed = u64::from(layout.constant_mask) | layout.bits(Field::Op).mask();
    // Mostly few bits, so that most instructions have a text.
    let sparse: u64 = if u.ratio(1, 2)? {
        u.arbitrary()?
    } else {
        u64::MAX
    };
    Ok(halves(inst.bits() | any & sparse & !fixed))
}

/// Time budget of the search; a failure prints a seed that reproduces it.
const BUDGET_MS: u64 = 2_000;

fn check(u: &mut Unstructured) -> arbitrary::Result<()> {
    let isa = *u.choose(&Isa::ALL)?;
    let target = target(isa);
    let rows: Vec<&Row> = rows().filter(|row| row.opcode_on(isa).is_some()).collect();
    let mut bytes = Vec::new();
    for _ in 0..u.int_in_range(1..=MAX_ITEMS)? {
        let [first, second] = words(u, isa, &rows)?;
        bytes.extend(first.to_le_bytes());
        if u.ratio(3, 4)? {
            bytes.extend(second.to_le_bytes());
        }
    }
    let tail = u.int_in_range(0..=3)?.min(u.len());
    bytes.extend(u.bytes(tail)?);
    for syntax in [Syntax::Llvm, Syntax::Clrx] {
        let text = list(
            &ListedCode::raw(isa, &bytes),
            &ListOptions {
                syntax,
                hex: u.arbitrary()?,
            },
        );
        let assembly = assemble(
            &Source {
                name: "listing",
                text: &text,
            },
            &options(target, syntax),
        );
        let errors: Vec<String> = assembly
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| format!("{}: {}", &text[diagnostic.span.clone()], diagnostic.message))
            .collect();
        assert!(errors.is_empty(), "{isa}, {syntax:?}: {errors:#?}\n{text}");
        let again = assembly.program.to_raw();
        let difference = again.iter().zip(&bytes).position(|(a, b)| a != b);
        assert!(
            again == bytes,
            "{isa}, {syntax:?}: {} bytes became {}, the first difference is at {difference:?}\n{text}",
            bytes.len(),
            again.len(),
        );
    }
    Ok(())
}

/// Options to assemble a listing in the dialect of its syntax.
fn options(target: &'static Target, syntax: Syntax) -> Options<'static> {
    Options {
        dialect: match syntax {
            Syntax::Llvm => Dialect::Llvm,
            Syntax::Clrx => Dialect::Clrx,
        },
        ..Options::new(target)
    }
}

fn target(isa: Isa) -> &'static Target {
    TARGETS
        .iter()
        .find(|target| target.isa == isa)
        .expect("every instruction set has a target")
}

/// Every row of an instruction set in every encoding, with each bit that does not identify it flipped.
fn flipped(isa: Isa) -> impl Iterator<Item = Inst> {
    let plain = rows()
        .flat_map(|row| row.encodings().map(move |encoding| (row.op(), encoding)))
        .filter_map(move |(op, encoding)| Inst::new(isa, op, encoding));
    plain.flat_map(move |inst| {
        let layout = inst.layout();
        let fixed = u64::from(layout.constant_mask) | layout.bits(Field::Op).mask();
        let flips = (0..u64::BITS).map(|bit| 1 << bit);
        flips
            .filter(move |flip| fixed & flip == 0)
            .filter_map(move |flip| {
                let bits = inst.bits() ^ flip;
                decode(isa, &[bits as u32, (bits >> u32::BITS) as u32]).ok()
            })
    })
}

/// Words that a text assembles to, if it does.
fn assembled(target: &'static Target, syntax: Syntax, text: &str) -> Option<Vec<u8>> {
    let source = Source {
        name: "listing",
        text,
    };
    let assembly = assemble(&source, &options(target, syntax));
    (!assembly.has_errors()).then(|| assembly.program.to_raw())
}

fn bytes(inst: &Inst) -> Vec<u8> {
    let words = inst.words().into_iter().take(inst.dwords());
    words.flat_map(u32::to_le_bytes).collect()
}

/// A text is exact if and only if the assembler reproduces the words. In CLRX's syntax, texts that CLRX refuses are
/// inexact even if our assembler accepts them.
#[test]
fn each_bit_of_each_row_comes_back_if_its_text_is_exact() {
    let mut failures = Vec::new();
    for isa in Isa::ALL {
        let target = target(isa);
        for syntax in [Syntax::Llvm, Syntax::Clrx] {
            // All texts reported as exact form one source; the others are assembled one by one.
            let (mut exact, mut texts) = (Vec::new(), String::new());
            for inst in flipped(isa) {
                let mut text = String::new();
                let fidelity = inst.print(&mut text, syntax, None);
                let is_llvm = syntax == Syntax::Llvm;
                // LLVM's dialect may refuse the same texts as LLVM.
                let is_refused = is_llvm
                    && fidelity == TextFidelity::RefusedByLlvm
                    && assembled(target, syntax, &text).is_none();
                if fidelity != TextFidelity::Lossy && !is_refused {
                    texts.push_str(&text);
                    texts.push('\n');
                    exact.push(inst);
                } else if is_llvm && assembled(target, syntax, &text) == Some(bytes(&inst)) {
                    failures.push(format!("{isa}: {text} is exact"));
                }
            }
            let expected: Vec<u8> = exact.iter().flat_map(bytes).collect();
            if assembled(target, syntax, &texts).as_ref() == Some(&expected) {
                continue;
            }
            for (inst, text) in exact.iter().zip(texts.lines()) {
                if assembled(target, syntax, text) != Some(bytes(inst)) {
                    failures.push(format!("{isa}: {text} is not exact: {:08x?}", inst.words()));
                }
            }
        }
    }
    let shown = failures.iter().take(60).cloned().collect::<Vec<_>>();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        shown.join("\n")
    );
}

/// Valid words that CLRX's assembler refuses (C013), by instruction set.
#[rustfmt::skip]
const REFUSED_BY_CLRX: &[(Isa, &[u32])] = &[
    (Isa::Vi,     &[0xbf81_0001]),              // s_endpgm 0x1
    (Isa::Vi,     &[0x8000_ffff, 0x0001_2345]), // s_add_u32 s0, 0x12345, 0x12345
    (Isa::Vi,     &[0x8032_07fe]),              // s_add_u32 s50, lds, s7
    (Isa::Vi,     &[0xf000_2000, 0x0004_080c]), // image_load … dmask:0
    (Isa::Vi,     &[0xf020_0c00, 0x0000_0804]), // image_store … without unorm
    (Isa::Gfx9,   &[0xf048_8100, 0x0000_3c00]), // image_atomic_add … without unorm
    (Isa::Si,     &[0xf151_1300, 0x0000_000a]), // image_gather4_l_o … tfe
    (Isa::Gfx9,   &[0xf114_0400, 0x8000_0100]), // image_gather4_b … d16
    (Isa::Vi,     &[0xe049_0000, 0x1484_010c]), // buffer_load_ushort … lds tfe
    (Isa::Si,     &[0xe000_9080, 0x0002_4010]), // buffer_load_format_x … offen addr64
    (Isa::Stoney, &[0xe02c_0000, 0x0000_4000]), // buffer_load_format_d16_xyzw of two registers
    (Isa::Gfx9,   &[0xea0c_a010, 0xfe00_8010]), // tbuffer_load_format_d16_xy … lds as offset
    (Isa::Vi,     &[0xd930_5000, 0x0000_0005]), // ds_gws_sema_release_all without gds
    (Isa::Vi,     &[0xd9fa_0200, 0x0000_4080]), // ds_condxchg32_rtn_b128
    (Isa::Vi,     &[0xbf90_0020]),              // s_sendmsg sendmsg(@0, emit, 0)
    (Isa::Gfx9,   &[0xbf90_0102]),              // s_sendmsg sendmsg(gs, nop, 1)
    (Isa::Vi,     &[0xc098_0410, 0x0000_0005]), // s_atc_probe 0x10, s[32:33], s5
    (Isa::Gfx9,   &[0xd276_0000, 0x1440_0300]), // v_interp_p2_legacy_f16 v0, s1, …
    (Isa::Vega12, &[0xd3a0_2004, 0x0240_20f7]), // v_fma_mix_f32
    (Isa::Vega20, &[0xd1d0_239e, 0x3769_fd8a]), // v_min3_f32 … abs(lds)
    (Isa::Vega20, &[0xd1e3_c808, 0x7226_206a]), // v_div_fmas_f64 … vcc
    (Isa::Ci,     &[0xd202_0008, 0x0002_0000]), // v_readlane_b32 s8, s0, v0
];

#[test]
fn what_clrx_refuses_is_data_in_its_syntax() {
    for (isa, words) in REFUSED_BY_CLRX {
        let inst = decode(*isa, words).expect("the words are an instruction");
        let mut text = String::new();
        let fidelity = inst.print(&mut text, Syntax::Clrx, None);
        assert_eq!(fidelity, TextFidelity::Lossy, "{isa}: {text}");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let options = ListOptions {
            syntax: Syntax::Clrx,
            hex: false,
        };
        let listed = list(&ListedCode::raw(*isa, &bytes), &options);
        assert!(listed.starts_with("\t.int"), "{isa}: {listed}");
        assert!(listed.contains(&text), "{isa}: {listed} lacks {text}");
    }
}

/// CLRX cannot parse two format names that it prints.
#[test]
fn formats_without_a_name_are_numbers_in_clrx_syntax() {
    for (words, end) in [
        ([0xe800_4000, 0x1404_200c], "glc format:[@0]"),
        ([0xeb79_a9d0, 0x5d04_e3e7], "addr64 format:[@15,snorm_ogl]"),
    ] {
        let inst = decode(Isa::Si, &words).expect("the words are an instruction");
        let mut text = String::new();
        let fidelity = inst.print(&mut text, Syntax::Clrx, None);
        assert!(text.ends_with(end), "{text}");
        let target = target(Isa::Si);
        let is_taken = end.contains("glc");
        assert_eq!(fidelity == TextFidelity::Exact, is_taken, "{text}");
        assert_eq!(assembled(target, Syntax::Clrx, &text), Some(bytes(&inst)));
    }
}

#[test]
fn any_words_come_back() {
    arbtest(check).budget_ms(BUDGET_MS);
}
