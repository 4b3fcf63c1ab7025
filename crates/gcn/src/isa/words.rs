//! Decoding of words on each instruction set, with field values and descriptions.

use std::io::{self, Write};

use anyhow::{Result, bail};
use gcn_asm::reference::{FieldValue, InstructionReport, encoding_name, field_values, versions};
use gcn_isa::{Inst, Isa, IsaSet, Op, decode};
use serde::Serialize;

use super::answer::{Answer, unknown};

/// Decoded words, with descriptions of the instructions.
#[derive(Serialize)]
pub(super) struct DecodedWords {
    decoded: Vec<WordsText>,
    instructions: Vec<InstructionReport>,
}

/// Decoded text of the words, with the instruction sets on which they decode to it.
#[derive(Serialize)]
struct WordsText {
    encoding: String,
    on: String,
    text: String,
    /// Numbers of words in the instruction and in the query, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    words_of: Option<(usize, usize)>,
    fields: Vec<FieldValue>,
}

/// Decodes the instruction at the start of `words` on each of the instruction sets.
///
/// # Errors
/// Fails if the words do not decode on any of the instruction sets.
pub(super) fn decoded(isas: &[Isa], words: &[u32]) -> Result<DecodedWords> {
    let mut found: Vec<(Inst, IsaSet)> = Vec::new();
    let mut problem = None;
    for &isa in isas {
        match decode(isa, words) {
            Ok(inst) => {
                let is_same = |other: &Inst| {
                    other.op == inst.op
                        && other.encoding == inst.encoding
                        && other.text() == inst.text()
                        && other.form().picture() == inst.form().picture()
                };
                match found.iter_mut().find(|(other, _)| is_same(other)) {
                    Some((_, set)) => *set = set.or(isa.only()),
                    None => found.push((inst, isa.only())),
                }
            }
            Err(error) => problem = Some(error),
        }
    }
    if let (true, Some(error)) = (found.is_empty(), problem) {
        bail!(unknown(error.to_string()));
    }
    let mut ops: Vec<Op> = found.iter().map(|(inst, _)| inst.op).collect();
    let mut seen = Vec::new();
    ops.retain(|op| {
        let is_new = !seen.contains(op);
        seen.push(*op);
        is_new
    });
    Ok(DecodedWords {
        decoded: found
            .iter()
            .map(|(inst, set)| WordsText {
                encoding: encoding_name(inst.encoding),
                on: versions(*set, isas),
                text: inst.text(),
                words_of: (inst.dwords() < words.len()).then_some((inst.dwords(), words.len())),
                fields: field_values(inst),
            })
            .collect(),
        instructions: ops
            .into_iter()
            .map(|op| InstructionReport::of(isas, op.row()))
            .collect(),
    })
}

impl Answer for DecodedWords {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (index, it) in self.decoded.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{} on {}: {}", it.encoding, it.on, it.text)?;
            if let Some((own, given)) = it.words_of {
                writeln!(out, "  the instruction has {own} of the {given} words")?;
            }
            for FieldValue { bits, field, value } in &it.fields {
                let note = match field.as_str() {
                    "reserved" => ", which no text has".to_owned(),
                    _ => format!(" ({value})"),
                };
                writeln!(out, "  {bits:>6}  {field:10} {value:#x}{note}")?;
            }
        }
        writeln!(out)?;
        self.instructions.write(out)
    }
}
