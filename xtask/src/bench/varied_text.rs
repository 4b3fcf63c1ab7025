//! Assembly text that covers every instruction and encoding, with random operands.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use gcn_isa::{Field, Form, Inst, Isa, Kind, Row, Syntax, Target, TextFidelity, rows};

/// Target number of distinct lines; instructions with few possible operands contribute fewer.
const DIFFERENT: usize = 160_000;
/// Number of candidates generated per line, since LLVM rejects some.
const CANDIDATES: usize = 3;
/// Number of random words tried per candidate, since many are not valid instructions.
const TRIES: usize = 64;
/// Modifiers are written with a probability of 1/`WRITTEN`.
const WRITTEN: u64 = 4;
/// Source operands are literals with a probability of 1/`LITERALS`.
const LITERALS: u64 = 16;
/// Source operand encoding for a literal.
const LITERAL: u64 = 255;
/// Initial state of the random number generator.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Generated lines, with statistics.
pub(super) struct VariedText {
    /// Distinct lines in random order.
    pub(super) lines: Vec<String>,
    /// Number of instructions that appear in the lines.
    pub(super) instructions: usize,
    /// Names of instructions without lines, because LLVM rejects all their candidates.
    pub(super) refused: Vec<&'static str>,
}

impl VariedText {
    /// Generates lines for a target: equally many for each instruction, distributed over its encodings.
    ///
    /// # Errors
    /// Fails if LLVM's assembler cannot be run.
    pub(super) fn new(target: &Target, directory: &Path) -> Result<VariedText> {
        let rows: Vec<&Row> = rows()
            .filter(|row| row.opcode_on(target.isa).is_some())
            .collect();
        let share = DIFFERENT / rows.len();
        let mut random = Random(SEED);
        let mut candidates = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let lines = candidates_of(target.isa, row, share * CANDIDATES, &mut random);
            candidates.extend(lines.into_iter().map(|line| (number, line)));
        }
        let refused = refused_by_llvm(target, &candidates, directory)?;
        let mut counts = vec![0; rows.len()];
        let mut lines = Vec::new();
        for (index, (number, line)) in candidates.into_iter().enumerate() {
            if counts[number] < share && !refused.contains(&index) {
                counts[number] += 1;
                lines.push(line);
            }
        }
        random.shuffle(&mut lines);
        let missing = rows.iter().zip(&counts).filter(|(_, count)| **count == 0);
        let refused: Vec<_> = missing.map(|(row, _)| row.name_on(target.isa)).collect();
        Ok(VariedText {
            lines,
            instructions: rows.len() - refused.len(),
            refused,
        })
    }
}

/// Generates at most `count` distinct lines for an instruction, rotating through its encodings.
fn candidates_of(isa: Isa, row: &Row, count: usize, random: &mut Random) -> Vec<String> {
    let mut known = HashSet::new();
    let mut lines = Vec::new();
    let forms = isa.tables().forms(row.op());
    for form in forms.iter().cycle().take(count * forms.len().min(1)) {
        let line = (0..TRIES).find_map(|_| {
            let mut line = String::new();
            let is_exact = random_inst(form, random).print(&mut line, Syntax::Llvm, None)
                == TextFidelity::Exact;
            (is_exact && !known.contains(&line)).then_some(line)
        });
        if let Some(line) = line {
            known.insert(line.clone());
            lines.push(line);
        }
    }
    lines
}

/// Generates an instruction with random operands and some modifiers. Other encoding fields, some of which change the
/// meaning of operands, keep their defaults or are random.
fn random_inst(form: &'static Form, random: &mut Random) -> Inst {
    let mut bits = Inst::with_defaults(form).bits();
    for field in Field::ALL {
        let place = form.layout.bits(field);
        let mut slots = form.operands.iter().map(|operand| operand.slot);
        let slot = slots.find(|slot| slot.field == field);
        if field == Field::Op || slot.is_none() && !random.one_in(WRITTEN) {
            continue;
        }
        let is_source = slot.is_some_and(|slot| matches!(slot.kind, Kind::Src | Kind::Ssrc));
        let value = if is_source && random.one_in(LITERALS) {
            LITERAL
        } else {
            random.next()
        };
        bits = place.put(bits, value);
    }
    // Half of the literals have only 16 bits, which all operands accept.
    let literal = random.next() as u32 >> if random.one_in(2) { u16::BITS } else { 0 };
    let second = match form.layout.dwords {
        1 => literal,
        _ => (bits >> u32::BITS) as u32,
    };
    Inst::with_words(form, [bits as u32, second])
}

/// Returns the indices of lines that LLVM rejects.
fn refused_by_llvm(
    target: &Target,
    lines: &[(usize, String)],
    directory: &Path,
) -> Result<HashSet<usize>> {
    let path = directory.join("candidates.s");
    let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let output = Command::new("llvm-mc-19")
        .args(["-triple=amdgcn-amd-amdhsa", "-filetype=null"])
        .arg(format!("-mcpu={}", target.name))
        .arg(&path)
        .output()
        .context("cannot run llvm-mc-19")?;
    // FILE:LINE:COLUMN: error: …
    let begin = format!("{}:", path.display());
    let errors = String::from_utf8_lossy(&output.stderr);
    let numbers = errors.lines().filter_map(|line| {
        let place = line.strip_prefix(&begin)?;
        let is_error = place.contains(": error:");
        let number: usize = place.split(':').next()?.parse().ok()?;
        is_error.then_some(number - 1)
    });
    let refused: HashSet<usize> = numbers.collect();
    if refused.len() == lines.len() {
        bail!(
            "LLVM assembles nothing: {}",
            errors.lines().next().unwrap_or("")
        );
    }
    Ok(refused)
}

/// Random number generator (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns true with a probability of 1/`n`.
    fn one_in(&mut self, n: u64) -> bool {
        // The high bits are the most random.
        (self.next() >> u32::BITS).is_multiple_of(n)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.next() % (last as u64 + 1);
            items.swap(last, other as usize);
        }
    }
}
