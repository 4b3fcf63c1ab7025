//! Compares every row on every generation with LLVM, with systematically sampled operands and modifiers: both
//! assemblers produce the same words or refuse, both disassemblers (GCN 1.2 and 1.4) produce the same text, and both
//! assemblers read it back as the same words. `docs/dialects.md` explains every difference.

mod explained;
mod oracle;
mod samples;

use std::collections::HashMap;

use explained::{Difference, Explained};
use gcn_asm::{Options, Severity, Source};
use gcn_isa::{Inst, Isa, Syntax, Target, TextFidelity};
use oracle::Answer;

/// Targets to compare, and whether LLVM disassembles them.
const CHIPS: [(&str, bool); 5] = [
    ("tahiti", false),
    ("bonaire", false),
    ("fiji", true),
    ("gfx900", true),
    ("gfx906", true),
];
/// Minimum number of cases.
const LEAST: usize = 300_000;
/// Maximum number of differences of each kind that a failure shows.
const SHOWN: usize = 500;

/// Our words for each of `lines`, or the error.
fn assemble(target: &'static Target, lines: &[String]) -> Vec<Answer> {
    let text = lines.join("\n");
    let source = Source {
        name: "samples.s",
        text: &text,
    };
    let assembly = gcn_asm::assemble(&source, &Options::new(target));
    let mut begins = vec![0];
    begins.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let line_of = |at: usize| begins.partition_point(|&begin| begin <= at) - 1;
    let mut answers: Vec<Answer> = vec![Err("nothing was said".to_owned()); lines.len()];
    for listing in assembly.program.listing() {
        answers[line_of(listing.span.start)] = Ok(words(&listing.inst));
    }
    for diagnostic in &assembly.diagnostics {
        if diagnostic.severity == Severity::Error {
            answers[line_of(diagnostic.span.start)] = Err(diagnostic.message.clone());
        }
    }
    answers
}

fn words(inst: &Inst) -> Vec<u32> {
    inst.words()[..inst.dwords()].to_vec()
}

/// Number of comparisons, and unexplained differences.
#[derive(Default)]
struct Report {
    cases: usize,
    unexplained: Vec<String>,
}

impl Report {
    fn differs(
        &mut self,
        explained: &Explained,
        kind: Difference,
        chip: &str,
        text: &str,
        how: String,
    ) {
        if !explained.explains(kind, chip, text, &how) {
            self.unexplained
                .push(format!("{kind:?} | {chip} | {text}\n    {how}"));
        }
    }
}

/// Compares both assemblers on the same texts.
fn compare_assemblers(chip: &str, lines: &[String], explained: &Explained, report: &mut Report) {
    let target = Target::named(chip).expect("the chip exists");
    let theirs = oracle::assemble(chip, lines);
    let ours = assemble(target, lines);
    for ((line, ours), theirs) in lines.iter().zip(ours).zip(theirs) {
        report.cases += 1;
        let kind = match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) if ours == theirs => continue,
            (Err(_), Err(_)) => continue,
            (Ok(_), Ok(_)) => Difference::Words,
            (Ok(_), Err(_)) => Difference::LlvmRefuses,
            (Err(_), Ok(_)) => Difference::GcnRefuses,
        };
        report.differs(
            explained,
            kind,
            chip,
            line,
            format!("ours {ours:x?}, LLVM {theirs:x?}"),
        );
    }
}

/// Our disassembly of words, if it represents all of them.
fn text_of(isa: Isa, words: &[u32]) -> Option<String> {
    let inst = gcn_isa::decode(isa, words).ok()?;
    let mut text = String::new();
    (inst.print(&mut text, Syntax::Llvm, None) == TextFidelity::Exact).then_some(text)
}

/// Compares our disassembly with LLVM's.
fn compare_disassemblers(
    chip: &str,
    code: &[Vec<u32>],
    explained: &Explained,
    report: &mut Report,
) {
    let isa = Target::named(chip).expect("the chip exists").isa;
    // Words that our text does not represent are listed as numbers; LLVM crashes on some of these.
    let told = code
        .iter()
        .filter_map(|words| Some((words.clone(), text_of(isa, words)?)));
    let (code, texts): (Vec<Vec<u32>>, Vec<String>) = told.unzip();
    for ((words, ours), theirs) in code.iter().zip(texts).zip(oracle::disassemble(chip, &code)) {
        report.cases += 1;
        let ours = oracle::normal(&ours);
        match theirs {
            Some(theirs) if theirs == ours => {}
            Some(theirs) => {
                let how = format!("{words:x?} LLVM {theirs}");
                report.differs(explained, Difference::Text, chip, &ours, how);
            }
            None => {
                let how = format!("{words:x?}");
                report.differs(explained, Difference::Unknown, chip, &ours, how);
            }
        }
    }
}

/// Checks that both assemblers turn our disassembly back into the same words.
fn compare_round_trip(chip: &str, code: &[Vec<u32>], report: &mut Report) {
    let target = Target::named(chip).expect("the chip exists");
    let mut expected: HashMap<String, &[u32]> = HashMap::new();
    let mut lines = Vec::new();
    for words in code {
        if let Some(text) = text_of(target.isa, words)
            && expected.insert(text.clone(), words).is_none()
        {
            lines.push(text);
        }
    }
    let theirs = oracle::assemble(chip, &lines);
    let ours = assemble(target, &lines);
    for ((line, ours), theirs) in lines.iter().zip(ours).zip(theirs) {
        report.cases += 1;
        let expected = expected[line];
        if ours.as_deref() != Ok(expected) {
            report.unexplained.push(format!(
                "{chip} | {line}\n    {expected:x?} became {ours:x?}"
            ));
        }
        // No differences are expected: words that LLVM would encode differently are listed as data.
        if theirs.as_deref() != Ok(expected) {
            report.unexplained.push(format!(
                "{chip} | {line}\n    {expected:x?} became LLVM's {theirs:x?}"
            ));
        }
    }
}

/// Compares everything for one target.
fn compare(chip: &str, is_disassembled: bool, explained: &Explained) -> Report {
    let isa = Target::named(chip).expect("the chip exists").isa;
    let mut report = Report::default();
    compare_assemblers(chip, &samples::texts(isa), explained, &mut report);
    let code = samples::words(isa);
    compare_round_trip(chip, &code, &mut report);
    if is_disassembled {
        compare_disassemblers(chip, &code, explained, &mut report);
    }
    report
}

#[test]
fn every_difference_from_llvm_is_explained() {
    let explained = Explained::read();
    let reports: Vec<Report> = std::thread::scope(|scope| {
        let compare = |&(chip, is_disassembled): &(&'static str, bool)| {
            let explained = &explained;
            scope.spawn(move || compare(chip, is_disassembled, explained))
        };
        let running: Vec<_> = CHIPS.iter().map(compare).collect();
        let ended = running.into_iter().map(|thread| thread.join());
        ended
            .map(|report| report.expect("a comparison ends"))
            .collect()
    });
    let cases: usize = reports.iter().map(|report| report.cases).sum();
    let unexplained: Vec<&str> = reports
        .iter()
        .flat_map(|report| &report.unexplained)
        .map(String::as_str)
        .collect();
    assert!(
        unexplained.is_empty(),
        "{} of {cases} cases are not explained:\n{}",
        unexplained.len(),
        unexplained[..unexplained.len().min(SHOWN)].join("\n")
    );
    assert!(cases >= LEAST, "{cases} cases");
    assert_eq!(
        explained.unused(),
        Vec::<&str>::new(),
        "these lines explain nothing"
    );
}
