//! The listing of any words assembles to the same words again: on every instruction set, in either syntax.

use arbtest::arbitrary::{self, Unstructured};
use arbtest::arbtest;
use gcn_asm::list::{Code, ListOptions, list};
use gcn_asm::{Options, Severity, Source, assemble};
use gcn_isa::{Field, Inst, Isa, Row, Syntax, TARGETS, rows};

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
    let Some(inst) = Inst::new(isa, row.op, *u.choose(&encodings)?) else {
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
    let target = TARGETS
        .iter()
        .find(|target| target.isa == isa)
        .expect("every instruction set has a target");
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
            &Options::new(target),
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

#[test]
fn any_words_come_back() {
    arbtest(check).budget_ms(BUDGET_MS);
}
