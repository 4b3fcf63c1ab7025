//! Round trip of every row on every instruction set: sampled operands are printed, assembled and compared; the same
//! text goes through LLVM's assembler.

mod common;

use common::{CHIPS, Random, inst_words, is_memory, llvm_words, sample, target, words};
use gcn_isa::{Does, Field, Inst, Isa, Presence, Row, Syntax, TARGETS, TextFidelity, rows};

const SAMPLES: u64 = 16;

/// Samples of every row that `isa` has and `wanted` accepts, with their texts.
fn samples(isa: Isa, wanted: fn(&Row) -> bool) -> Vec<(Inst, String)> {
    let mut all = Vec::new();
    for (number, row) in rows().enumerate().filter(|(_, row)| wanted(row)) {
        if row.opcode_on(isa).is_none() {
            continue;
        }
        for encoding in row.encodings() {
            for seed in 0..SAMPLES {
                let mut random = Random::new(seed, number as u64);
                let Some(inst) = sample(isa, row.op(), encoding, &mut random) else {
                    continue;
                };
                let mut text = String::new();
                if inst.print(&mut text, Syntax::Llvm, None) != TextFidelity::Lossy {
                    all.push((inst, text));
                } else {
                    assert!(
                        !is_memory(row),
                        "{text} is not exact on {isa}: {:08x?}",
                        inst.words()
                    );
                }
            }
        }
    }
    all
}

fn assembles_to_the_same(wanted: fn(&Row) -> bool, at_least: usize) {
    let mut failures = Vec::new();
    for isa in Isa::ALL {
        let target = TARGETS.iter().find(|t| t.isa == isa).expect("a target");
        let all = samples(isa, wanted);
        assert!(all.len() >= at_least, "{isa}: only {} samples", all.len());
        for (inst, text) in all {
            let expected = inst_words(&inst);
            match words(target, &text) {
                Ok(found) if found == expected => {}
                Ok(found) => {
                    failures.push(format!("{isa}: {text}: {found:08x?}, not {expected:08x?}"))
                }
                Err(error) => failures.push(format!("{isa}: {text}: {error}")),
            }
        }
    }
    let shown: Vec<_> = failures.iter().take(60).cloned().collect();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        shown.join("\n")
    );
}

#[test]
fn memory_rows_print_and_assemble_to_the_same_words() {
    assembles_to_the_same(is_memory, 131 * 12);
}

#[test]
fn other_rows_print_and_assemble_to_the_same_words() {
    assembles_to_the_same(|row| !is_memory(row), 100);
}

/// Reason why LLVM does not accept a documented form, if it does not.
fn llvm_lacks(inst: &Inst) -> Option<&'static str> {
    let row = inst.row();
    let written = |when| {
        row.slots()
            .any(|slot| slot.when == when && inst.shows(slot))
    };
    if row.name == "ds_condxchg32_rtn_b128" {
        return Some("E002: no assembler confirms this row");
    }
    if inst.flag(Field::Nv) || inst.flag(Field::Tfe) {
        return Some("E015, E028: LLVM has neither `nv` nor `tfe`");
    }
    if inst.flag(Field::Lds) && written(Presence::NotLds) {
        return Some("E015: LLVM has no destination beside `lds`");
    }
    if matches!(row.does, Does::LdsNop | Does::Gws(_)) && written(Presence::Optional) {
        return Some("E018, E019: LLVM has no register here");
    }
    if matches!(row.does, Does::Lanes(_)) && inst.flag(Field::Gds) && !row.name.contains("swizzle")
    {
        return Some("E022: LLVM has no `gds` on the permutes");
    }
    None
}

#[test]
fn llvm_assembles_memory_rows_to_the_same_words() {
    for chip in CHIPS {
        let isa = target(chip).isa;
        let all: Vec<_> = samples(isa, is_memory)
            .into_iter()
            .filter(|(inst, _)| llvm_lacks(inst).is_none())
            .collect();
        let lines: Vec<String> = all.iter().map(|(_, text)| text.clone()).collect();
        for ((inst, text), found) in all.iter().zip(llvm_words(chip, &lines)) {
            assert_eq!(inst_words(inst), found, "{text} on {chip}");
        }
        // Every row but those of E002 reached LLVM.
        let missing: Vec<&str> = rows()
            .filter(|row| is_memory(row) && row.opcode_on(isa).is_some())
            .filter(|row| !all.iter().any(|(inst, _)| inst.op == row.op()))
            .map(|row| row.name)
            .collect();
        let expected: &[&str] = if isa == Isa::Si {
            &[]
        } else {
            &["ds_condxchg32_rtn_b128"]
        };
        assert_eq!(missing, expected, "on {chip}");
    }
}
