//! Descriptions printed by `gcn isa`: every row has a meaning, and phrases about registers agree with `uses`.

use std::collections::HashMap;

use gcn_isa::effect::{AluOp, Shift};
use gcn_isa::meaning::meaning;
use gcn_isa::{Does, Isa, Op, Row, rows};

/// Rows of an instruction set.
fn rows_on(isa: Isa) -> impl Iterator<Item = &'static Row> {
    rows().filter(move |row| row.opcode_on(isa).is_some())
}

#[test]
fn every_row_has_a_meaning() {
    for isa in Isa::ALL {
        for row in rows_on(isa) {
            let has_meaning = match row.op() {
                Op::Sopc(_) | Op::Sopk(_) => matches!(row.does, Does::Alu(_) | Does::Compare(..)),
                _ => matches!(row.does, Does::Alu(_)),
            };
            assert_eq!(meaning(row.op()).is_some(), has_meaning, "{}", row.name);
            for form in isa.tables().forms(row.op()) {
                let code = form.pseudo_code();
                assert!(!code.is_empty(), "{} has no meaning", row.name);
                let name = row.name_on(isa);
                assert!(
                    !code.contains(name),
                    "{name} is explained by itself: {code}"
                );
            }
        }
    }
}

#[test]
fn operands_of_a_meaning_are_those_of_the_row() {
    const FIELDS: [&str; 11] = [
        "sdst", "ssrc0", "ssrc1", "vdst", "src0", "src1", "src2", "simm16", "literal", "vaddr",
        "vdata",
    ];
    for row in rows() {
        let Some(meaning) = meaning(row.op()) else {
            continue;
        };
        let has = |name: &str| {
            row.slots()
                .any(|slot| format!("{:?}", slot.field).eq_ignore_ascii_case(name))
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for word in meaning.code.split(|c| !is_part(c)) {
            let is_field = FIELDS.contains(&word);
            assert!(!is_field || has(word), "{}: {}", row.name, meaning.code);
        }
    }
}

#[test]
fn phrases_name_what_is_used() {
    let of = |name: &str, isa: Isa| {
        let tables = isa.tables();
        let op = tables.named(name).expect("an instruction");
        let inst = tables.forms(op)[0].example();
        let uses = inst.uses();
        let operands: Vec<String> = (0..inst.row().slots().count())
            .map(|place| uses.operand_phrases(place).join(", "))
            .collect();
        (operands, uses.implicit_phrases())
    };
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    let (operands, implicit) = of("v_div_fmas_f64", Isa::Vi);
    let pair = "reads 2 dwords";
    assert_eq!(operands, texts(&["writes 2 dwords", pair, pair, pair]));
    assert_eq!(implicit, texts(&["reads exec as lanes, vcc, mode"]));
    let (operands, implicit) = of("s_and_saveexec_b64", Isa::Si);
    assert_eq!(operands, texts(&["writes 2 dwords", pair]));
    assert_eq!(implicit, texts(&["reads exec", "writes scc, exec"]));
    let (operands, _) = of("ds_read_u8_d16_hi", Isa::Gfx9);
    assert_eq!(
        operands,
        texts(&["writes bits 31:16 of 1 dword", "reads 1 dword"])
    );
    let (_, implicit) = of("ds_read_b32", Isa::Ci);
    assert_eq!(implicit[0], "reads exec as lanes, m0");
}

/// The operation without what its text does not show: the bits shifted in by a right shift, which follow from the
/// type.
fn without_fill(op: AluOp) -> AluOp {
    match op {
        AluOp::Shift(Shift::Arithmetic) => AluOp::Shift(Shift::Right),
        AluOp::Reversed(AluOp::Shift(Shift::Arithmetic)) => {
            AluOp::Reversed(&AluOp::Shift(Shift::Right))
        }
        op => op,
    }
}

/// Text of an instruction's result, normalized for scalar and vector instructions.
fn result(code: &str) -> String {
    let end = ["; scc = ", "; sdst[lane] = "].map(|it| code.find(it).unwrap_or(code.len()));
    let result = &code[..end[0].min(end[1])];
    result.replace("ssrc", "src").replace("sdst", "vdst")
}

#[test]
fn instructions_of_one_meaning_have_one_operation() {
    let mut first_of: HashMap<String, (&str, AluOp)> = HashMap::new();
    let mut compared = 0;
    for row in rows() {
        let (Some(meaning), Does::Alu(op)) = (meaning(row.op()), row.does) else {
            continue;
        };
        if !meaning.is_exact {
            continue;
        }
        let op = without_fill(op);
        let entry = first_of.entry(result(&meaning.code));
        let (name, first) = *entry.or_insert((row.name, op));
        assert_eq!(first, op, "{name} and {}: {}", row.name, meaning.code);
        compared += 1;
    }
    assert!(compared > 180, "{compared} instructions");
}
