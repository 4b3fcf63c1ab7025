//! Checks the rows of `docs/dialects.md`: each is assembled in both dialects. A row is identified by its text, an
//! entry of the last section by its number.

use gcn_asm::{Dialect, Options, Source, assemble};
use gcn_isa::Target;

const DOCUMENT: &str = include_str!("../../../docs/dialects.md");

/// The document's word for a text that does not assemble.
const REFUSED: &str = "refused";

/// Words that a text assembles to, or that it is refused.
fn words(target: &str, text: &str, dialect: Dialect) -> String {
    let target = Target::named(target).expect("the document names targets");
    let source = Source {
        name: "dialects",
        text,
    };
    let options = Options {
        dialect,
        ..Options::new(target)
    };
    let assembly = assemble(&source, &options);
    if assembly.has_errors() {
        return REFUSED.to_owned();
    }
    let words: Vec<String> = assembly
        .program
        .to_raw()
        .chunks(4)
        .map(|word| {
            word.iter()
                .rev()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        })
        .collect();
    words.join(" ")
}

/// The lines of a section.
fn section(title: &str) -> impl Iterator<Item = &'static str> {
    let begin = format!("## {title}");
    let lines = DOCUMENT.lines().skip_while(move |line| *line != begin);
    lines.skip(1).take_while(|line| !line.starts_with("## "))
}

/// Rows of the table in a section, without its header: cells, without backticks.
fn table(title: &str) -> Vec<Vec<String>> {
    const BAR: &str = "\u{0}";
    let rows = section(title).filter(|line| line.starts_with("| gfx"));
    rows.map(|line| {
        let line = line.replace("\\|", BAR);
        let cells = line.trim_matches('|').split(" | ");
        cells
            .map(|cell| {
                cell.trim()
                    .trim_matches('`')
                    .replace(BAR, "|")
                    .replace("\\n", "\n")
            })
            .collect()
    })
    .collect()
}

#[test]
fn the_same_text_gives_the_words_of_its_dialect() {
    let rows = table("The same text, other words");
    assert!(rows.len() > 20, "the table is there");
    let mut failures = Vec::new();
    for row in rows {
        let [target, text, llvm, clrx, _why] = row.as_slice() else {
            panic!("a row has five cells: {row:?}");
        };
        assert_ne!(llvm, clrx, "{text}: the dialects do not differ");
        for (dialect, expected) in [(Dialect::Llvm, llvm), (Dialect::Clrx, clrx)] {
            let found = words(target, text, dialect);
            if found != *expected {
                failures.push(format!(
                    "{target}, {dialect:?}: {text}: {found}, not {expected}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn both_spellings_are_read_in_both_dialects() {
    let rows = table("Spellings accepted from both");
    assert!(rows.len() > 20, "the table is there");
    let mut failures = Vec::new();
    for row in rows {
        let [target, clrx, llvm] = row.as_slice() else {
            panic!("a row has three cells: {row:?}");
        };
        let expected = words(target, llvm, Dialect::Llvm);
        assert_ne!(expected, REFUSED, "{llvm}");
        for (text, dialect) in [
            (llvm, Dialect::Clrx),
            (clrx, Dialect::Llvm),
            (clrx, Dialect::Clrx),
        ] {
            let found = words(target, text, dialect);
            if found != expected {
                failures.push(format!(
                    "{target}, {dialect:?}: {text}: {found}, not {expected}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_clrx_does_and_we_do_not_is_as_the_entries_say() {
    let entries = section("What CLRX does that we do not").filter(|line| line.starts_with("**C"));
    let rows: Vec<Vec<&str>> = section("What CLRX does that we do not")
        .filter(|line| line.starts_with('C') && line.contains(" | "))
        .map(|line| line.split(" | ").collect())
        .collect();
    let mut failures = Vec::new();
    for entry in entries {
        let number = entry.trim_start_matches("**").get(..4).unwrap_or(entry);
        assert!(
            rows.iter().any(|row| row.first() == Some(&number)),
            "{number} has no text"
        );
    }
    for row in rows {
        let [number, target, text, expected] = row.as_slice() else {
            panic!("a row has four cells: {row:?}");
        };
        let found = words(target, text, Dialect::Clrx);
        if found != *expected {
            failures.push(format!(
                "{number}, {target}: {text}: {found}, not {expected}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
