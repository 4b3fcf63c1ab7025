//! The listing of any words assembles to the same words again: on every instruction set, in either syntax.

use arbtest::arbitrary::{self, Unstructured};
use arbtest::arbtest;
use gcn_asm::list::{Code, ListOptions, list};
use gcn_asm::{Dialect, Options, Severity, Source, assemble};
use gcn_isa::{Fidelity, Field, Inst, Isa, Row, Syntax, TARGETS, Target, decode, rows};

/// Words of one run; several, so that branches find targets.
const MAX_ITEMS: usize = 24;

/// Two words: anything, or an instruction of `isa` whose operands and reserved bits are anything.
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

/// Time for the search; a failure prints the seed that finds it again.
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
            &Code::raw(isa, &bytes),
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

/// A text of a syntax is read in the dialect of that syntax.
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

/// Every row of an instruction set in every encoding, with each bit flipped that does not say what it is.
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

/// The words that a text gives, if it assembles.
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

/// A text is exact if and only if the assembler gives the same words back. In CLRX's syntax it is not where CLRX
/// refuses it, though our assembler may take it.
#[test]
fn each_bit_of_each_row_comes_back_if_its_text_is_exact() {
    let mut failures = Vec::new();
    for isa in Isa::ALL {
        let target = target(isa);
        for syntax in [Syntax::Llvm, Syntax::Clrx] {
            // One source for all that is said to be exact; what is said not to be is assembled one by one.
            let (mut exact, mut texts) = (Vec::new(), String::new());
            for inst in flipped(isa) {
                let mut text = String::new();
                if inst.print(&mut text, syntax, None) != Fidelity::Lossy {
                    texts.push_str(&text);
                    texts.push('\n');
                    exact.push(inst);
                } else if syntax == Syntax::Llvm
                    && assembled(target, syntax, &text) == Some(bytes(&inst))
                {
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

#[test]
fn any_words_come_back() {
    arbtest(check).budget_ms(BUDGET_MS);
}
