//! Consistency of the tables: no two rows share an encoding or a name, every row survives encoding and decoding, and
//! the number of rows matches the documents.

mod common;

use std::collections::HashMap;

use common::{Random, describe, fill, instructions, words};
use gcn_isa::{Field, Inst, Isa, Op, Row, Syntax, TextFidelity, decode, rows};

#[test]
fn no_two_rows_share_an_opcode() {
    for isa in Isa::ALL {
        let mut seen: HashMap<(u32, u32, u64), &Row> = HashMap::new();
        for (row, encoding, inst) in instructions(isa) {
            let layout = inst.layout();
            // Encodings with the same constant bits share one opcode space.
            let key = (layout.constant_mask, layout.constant, inst.get(Field::Op));
            if let Some(other) = seen.insert(key, row) {
                panic!(
                    "{isa}: {} and {} have the same words in {encoding:?}",
                    other.name, row.name
                );
            }
        }
    }
}

#[test]
fn no_name_means_two_rows() {
    for isa in Isa::ALL {
        let mut seen: HashMap<&str, &Row> = HashMap::new();
        for row in rows().filter(|row| row.opcode_on(isa).is_some()) {
            let name = row.name_on(isa);
            if let Some(other) = seen.insert(name, row) {
                panic!("{isa}: {name} means {:?} and {:?}", other.op(), row.op());
            }
            assert_eq!(isa.tables().named(name), Some(row.op()));
        }
    }
}

#[test]
fn every_row_survives_encoding_and_decoding() {
    let mut random = Random::new(1);
    for isa in Isa::ALL {
        for (row, encoding, inst) in instructions(isa) {
            for sample in 0..12 {
                let mut inst = inst;
                if sample > 0 {
                    fill(&mut inst, &mut random);
                }
                let words = words(&inst);
                let decoded = decode(isa, &words)
                    .unwrap_or_else(|e| panic!("{isa}: {}: {e}", describe(row.op(), &words)));
                assert_eq!(
                    (decoded.op, decoded.encoding),
                    (row.op(), encoding),
                    "{isa}: {}",
                    describe(row.op(), &words)
                );
                assert_eq!(decoded, inst, "{isa}: {}", describe(row.op(), &words));
                let mut text = String::new();
                let fidelity = decoded.print(&mut text, Syntax::Llvm, None);
                // All zeros is not always an instruction, because a modifier may be mandatory. Random operands
                // violate rules.
                assert!(
                    sample == 0
                        || fidelity != TextFidelity::Lossy
                        || decoded.broken_rule().is_some(),
                    "{isa}: {text}: {}",
                    describe(row.op(), &words)
                );
            }
        }
    }
}

#[test]
fn operands_written_back_give_the_same_words() {
    let mut random = Random::new(2);
    for isa in Isa::ALL {
        for (row, encoding, inst) in instructions(isa) {
            let mut from = inst;
            fill(&mut from, &mut random);
            let mut to = Inst::new(isa, row.op(), encoding).unwrap();
            for modifier in from.modifiers() {
                if modifier.value == gcn_isa::ModifierValue::BitList {
                    continue;
                }
                to.set(modifier.field, from.get(modifier.field) as i64)
                    .unwrap();
            }
            let has_lists = from
                .modifiers()
                .any(|m| m.value == gcn_isa::ModifierValue::BitList);
            for slot in row.slots() {
                let operand = from.operand(slot);
                to.set_operand(slot, operand)
                    .unwrap_or_else(|e| panic!("{isa}: {}: {operand:?}: {e}", from.text()));
            }
            // Negation and absolute values are not part of operands.
            let has_input_modifiers = row.slots().any(|slot| slot.kind == gcn_isa::Kind::Src)
                || from.layout().has(Field::Abs);
            if !has_lists && !has_input_modifiers {
                assert_eq!(to, from, "{isa}: {} became {}", from.text(), to.text());
            } else {
                for slot in row.slots() {
                    assert_eq!(
                        to.operand(slot),
                        from.operand(slot),
                        "{isa}: {}",
                        from.text()
                    );
                }
            }
        }
    }
}

#[test]
fn any_words_decode_to_themselves() {
    let mut random = Random::new(3);
    let mut text = String::new();
    for isa in Isa::ALL {
        for _ in 0..400_000 {
            let bits = random.bits();
            // Half of them with the top bits of an encoding, so that all encodings occur.
            let top = random.below(512) as u32;
            let first = bits as u32 & 0x007f_ffff | top << 23;
            let given = [first, (bits >> 32) as u32];
            let Ok(inst) = decode(isa, &given) else {
                continue;
            };
            assert_eq!(words(&inst), given[..inst.dwords()]);
            for syntax in [Syntax::Llvm, Syntax::Clrx] {
                text.clear();
                let _ = inst.print(&mut text, syntax, None);
                assert!(!text.is_empty());
            }
            if let Err(error) = decode(isa, &given[..1]) {
                assert!(inst.dwords() == 2, "{error} for {text}");
            }
        }
        assert!(decode(isa, &[]).is_err());
    }
}

/// Number of rows of a family on SI, CI, VI, gfx900, gfx904 and gfx906; gfx810 has as many as VI.
fn count(of: impl Fn(Op) -> bool) -> [usize; 6] {
    let on = |isa| {
        rows()
            .filter(|row| of(row.op()) && row.opcode_on(isa).is_some())
            .count()
    };
    assert_eq!(on(Isa::Stoney), on(Isa::Vi));
    [
        Isa::Si,
        Isa::Ci,
        Isa::Vi,
        Isa::Gfx9,
        Isa::Vega12,
        Isa::Vega20,
    ]
    .map(on)
}

#[test]
fn families_have_as_many_rows_as_the_documents() {
    let ds = count(|op| matches!(op, Op::Ds(_)));
    let flat = count(|op| matches!(op, Op::Flat(_)));
    let global = count(|op| matches!(op, Op::Global(_)));
    let scratch = count(|op| matches!(op, Op::Scratch(_)));
    let smem = count(|op| matches!(op, Op::Smem(_)));
    assert_eq!(ds, [131, 140, 145, 155, 155, 155]);
    assert_eq!(flat, [0, 46, 40, 48, 48, 48]);
    assert_eq!(global, [0, 0, 0, 48, 48, 48]);
    assert_eq!(scratch, [0, 0, 0, 22, 22, 22]);
    assert_eq!(smem, [0, 0, 24, 84, 84, 84]);
    // The documents count GCN 1.4 once.
    let documents: usize = [ds, flat, global, scratch, smem]
        .iter()
        .flat_map(|family| &family[..4])
        .sum();
    assert_eq!(documents, 883);
    assert_eq!(count(|op| matches!(op, Op::Smrd(_))), [12, 13, 0, 0, 0, 0]);
}

/// Instructions missing from the documents, but present in AMD's manuals and LLVM.
#[test]
fn the_other_families_are_whole() {
    assert_eq!(
        count(|op| matches!(op, Op::Sop2(_))),
        [43, 43, 44, 53, 53, 53]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Sopk(_))),
        [21, 21, 21, 22, 22, 22]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Sop1(_))),
        [50, 50, 51, 56, 56, 56]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Sopc(_))),
        [17, 17, 20, 20, 20, 20]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Sopp(_))),
        [21, 26, 30, 31, 31, 31]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Vop1(_))),
        [60, 66, 77, 79, 79, 79]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Vop2(_))),
        [50, 50, 52, 55, 55, 57]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Vopc(_))),
        [196, 196, 198, 198, 198, 198]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Vop3(_) | Op::Vop3b(_))),
        [53, 56, 73, 103, 103, 103]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Vop3p(_))),
        [0, 0, 0, 22, 22, 29]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Mubuf(_))),
        [56, 56, 59, 69, 69, 69]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Mtbuf(_))),
        [8, 8, 16, 16, 16, 16]
    );
    assert_eq!(
        count(|op| matches!(op, Op::Mimg(_))),
        [93, 92, 89, 92, 92, 92]
    );
    assert_eq!(count(|op| matches!(op, Op::Exp(_))), [1; 6]);
    assert_eq!(count(|op| matches!(op, Op::Vintrp(_))), [3; 6]);
    assert_eq!(
        count(|op| matches!(op, Op::Vop3Interp(_))),
        [0, 0, 3, 4, 4, 4]
    );
}
