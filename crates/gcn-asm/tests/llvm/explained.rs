//! Explained differences from LLVM, from the tables of `docs/dialects.md`.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Kind of a difference from LLVM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// LLVM's assembler refuses the text.
    LlvmRefuses,
    /// Our assembler refuses it.
    GcnRefuses,
    /// Both accept it, but encode different words.
    Words,
    /// Both disassemble the words, but to different texts.
    Text,
    /// LLVM's disassembler does not know the words.
    Unknown,
}

const KINDS: [(&str, Difference); 5] = [
    ("llvm-refuses", Difference::LlvmRefuses),
    ("gcn-refuses", Difference::GcnRefuses),
    ("words", Difference::Words),
    ("text", Difference::Text),
    ("unknown", Difference::Unknown),
];

/// A line of a table: `D001 | kind | targets | pattern | message`; the last is part of the message of the assembler
/// that refuses the text.
struct Entry {
    line: &'static str,
    kind: Difference,
    targets: Vec<&'static str>,
    pattern: &'static str,
    message: &'static str,
    used: AtomicUsize,
}

/// All of them.
pub struct Explained(Vec<Entry>);

const DOCUMENT: &str = include_str!("../../../../docs/dialects.md");
/// The tables are code blocks of this language.
const FENCE: &str = "```differences";

impl Explained {
    /// Reads the document.
    pub fn read() -> Explained {
        let tables = DOCUMENT.split(FENCE).skip(1);
        let lines = tables.flat_map(|rest| {
            let table = rest.split("```").next().expect("a split has a first part");
            table.lines().map(str::trim).filter(|line| !line.is_empty())
        });
        Explained(
            lines
                .map(|line| {
                    // A bar within a pattern has no blanks around it; the last cell may be empty.
                    let cells = line.strip_suffix('|').unwrap_or(line).split(" | ");
                    let mut cells: Vec<&str> = cells.map(str::trim).collect();
                    if line.ends_with('|') {
                        cells.push("");
                    }
                    let [number, kind, targets, pattern, message] = cells[..] else {
                        panic!("docs/dialects.md: `{line}` has other cells");
                    };
                    let is_described = DOCUMENT.contains(&format!("**{number}**"));
                    assert!(is_described, "docs/dialects.md does not explain {number}");
                    let kind = KINDS.iter().find(|(name, _)| *name == kind);
                    Entry {
                        line,
                        kind: kind.unwrap_or_else(|| panic!("`{line}`: no such kind")).1,
                        targets: targets.split_whitespace().collect(),
                        pattern,
                        message,
                        used: AtomicUsize::new(0),
                    }
                })
                .collect(),
        )
    }

    /// True if an entry explains a difference of `text`; `message` is that of the assembler that refuses it.
    pub fn explains(&self, kind: Difference, target: &str, text: &str, message: &str) -> bool {
        let entry = self.0.iter().find(|entry| {
            entry.kind == kind
                && entry.targets.iter().any(|&t| t == target || t == "all")
                && message.contains(entry.message)
                && matches(entry.pattern.as_bytes(), text.as_bytes())
        });
        if let Some(entry) = entry {
            entry.used.fetch_add(1, Ordering::Relaxed);
        }
        entry.is_some()
    }

    /// Lines that did not explain any difference.
    pub fn unused(&self) -> Vec<&'static str> {
        let unused = self
            .0
            .iter()
            .filter(|entry| entry.used.load(Ordering::Relaxed) == 0);
        unused.map(|entry| entry.line).collect()
    }
}

/// True if a pattern matches a whole text; `*` matches any string, `?` any character.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|i| matches(rest, &text[i..])),
        Some((byte, rest)) => {
            let first = text.split_first();
            first.is_some_and(|(b, text)| (byte == b || *byte == b'?') && matches(rest, text))
        }
    }
}
