//! The table of diagnostics: names are stable and unique, and every example has its diagnostic.

use std::collections::BTreeSet;

use gcn_asm::{
    Diagnostic, Dialect, ObjectError, Options, Source, assemble, explain, explanations,
    named_target,
};
use gcn_isa::Target;

/// Diagnostics of a source, of its code object, and of its raw code.
fn found(text: &str, dialect: Dialect) -> Vec<Diagnostic> {
    let target = named_target(text)
        .or_else(|| Target::named("gfx900"))
        .expect("a target");
    let options = Options {
        dialect,
        ..Options::new(target)
    };
    let assembly = assemble(
        &Source {
            name: "example",
            text,
        },
        &options,
    );
    let mut found = assembly.diagnostics;
    if let Err(ObjectError::Link(errors)) = assembly.program.to_object(None) {
        found.extend(errors);
    }
    found.extend(assembly.program.to_linked_raw().err().into_iter().flatten());
    found
}

#[test]
fn names_are_unique_words_with_dashes() {
    let names: BTreeSet<&str> = explanations().iter().map(|row| row.name).collect();
    assert_eq!(names.len(), explanations().len(), "a name is used twice");
    for row in explanations() {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        assert!(row.name.split('-').all(is_word), "{}", row.name);
        assert_eq!(explain(row.name), Some(*row));
        for sentence in [row.meaning, row.remedy] {
            assert!(sentence.ends_with('.'), "{}: {sentence}", row.name);
        }
    }
    assert_eq!(explain("no-such-name"), None);
}

#[test]
fn every_example_has_its_diagnostic() {
    let mut missing = Vec::new();
    for row in explanations().iter().filter(|row| !row.example.is_empty()) {
        let all = [Dialect::Llvm, Dialect::Clrx].map(|dialect| found(row.example, dialect));
        if !all.iter().flatten().any(|found| found.id == *row) {
            let names = all.map(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>());
            missing.push(format!("{}: {names:#?}", row.name));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn few_diagnostics_have_no_example() {
    // They need gigabytes of source, or minutes.
    let without = explanations().iter().filter(|row| row.example.is_empty());
    let names: Vec<&str> = without.map(|row| row.name).collect();
    assert_eq!(names, ["expression-limit", "note-size", "source-limit"]);
}
