//! JSON listing of instructions.

use std::io::Write;

use anyhow::Result;
use gcn_asm::list::{ListedCode, ListedSection};
use gcn_isa::{Isa, Syntax, TextFidelity, decode};
use serde::Serialize;

use crate::render;

/// Size of a word in bytes.
const WORD: usize = 4;

/// JSON report of a code section.
#[derive(Serialize)]
struct SectionReport<'a> {
    name: Option<&'a str>,
    address: u64,
    instructions: Vec<InstructionReport<'a>>,
}

/// JSON report of an instruction, of a word that does not decode, or of the bytes after the last whole word.
#[derive(Serialize)]
struct InstructionReport<'a> {
    address: u64,
    /// Symbols at addresses within the instruction.
    symbols: Vec<&'a str>,
    words: Vec<u32>,
    /// Bytes after the last whole word, in a report without words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bytes: Vec<u8>,
    /// Text of the instruction; a branch shows its distance in dwords. `None` for data that does not decode.
    text: Option<String>,
    /// True if `text` assembles to the same words.
    is_exact: bool,
}

/// Writes the sections, each with its instructions in order of address.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(code: &ListedCode<'_>, syntax: Syntax, out: &mut dyn Write) -> Result<()> {
    let sections = code.sections.iter().map(|section| SectionReport {
        name: section.name,
        address: section.address,
        instructions: instructions(code.isa, section, syntax),
    });
    render::json(&sections.collect::<Vec<_>>(), out)?;
    Ok(())
}

fn instructions<'a>(
    isa: Isa,
    section: &ListedSection<'a>,
    syntax: Syntax,
) -> Vec<InstructionReport<'a>> {
    let word = |bytes: &[u8; WORD]| u32::from_le_bytes(*bytes);
    let (words, tail) = section.bytes.as_chunks();
    let words: Vec<u32> = words.iter().map(word).collect();
    let mut symbols: Vec<(u64, &'a str)> = section
        .symbols
        .iter()
        .map(|symbol| (symbol.offset, symbol.name))
        .collect();
    symbols.sort_unstable();
    let mut symbols = symbols.into_iter().peekable();
    let mut symbols_before = |end: u64| -> Vec<&'a str> {
        std::iter::from_fn(|| symbols.next_if(|(at, _)| *at < end))
            .map(|(_, name)| name)
            .collect()
    };
    let mut found = Vec::new();
    let mut rest = &words[..];
    while !rest.is_empty() {
        let offset = ((words.len() - rest.len()) * WORD) as u64;
        let inst = decode(isa, rest).ok();
        let length = inst.map_or(1, |inst| inst.dwords()).min(rest.len());
        let mut text = String::new();
        let fidelity = inst.map(|inst| inst.print(&mut text, syntax, None));
        let (own, behind) = rest.split_at(length);
        let end = offset + (length * WORD) as u64;
        found.push(InstructionReport {
            address: section.address.wrapping_add(offset),
            symbols: symbols_before(end),
            words: own.to_vec(),
            bytes: Vec::new(),
            text: fidelity.map(|_| text),
            is_exact: fidelity == Some(TextFidelity::Exact),
        });
        rest = behind;
    }
    if !tail.is_empty() {
        let offset = (words.len() * WORD) as u64;
        found.push(InstructionReport {
            address: section.address.wrapping_add(offset),
            symbols: symbols_before(offset + tail.len() as u64),
            words: Vec::new(),
            bytes: tail.to_vec(),
            text: None,
            is_exact: false,
        });
    }
    found
}
