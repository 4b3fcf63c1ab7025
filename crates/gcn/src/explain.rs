//! `gcn explain`: expands the stable names of errors and warnings.
//!
//! The assembler's names are in `gcn-asm`, beside its diagnostics; the explanations of findings are in `gcn-observe`, those of a run's faults are here.

use std::io::Write;

use anyhow::{Result, bail};
use gcn_asm::{Explanation, closest, explanations};
use gcn_observe::finding::Kind;
use gcn_runtime::report::names;

use crate::Status;

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn explain                   list all names
  gcn explain offset-range
  gcn explain unmapped-access
  gcn explain missing-wait";

/// The arguments of `gcn explain`.
#[derive(clap::Args)]
pub struct Args {
    /// Name, as in `error[NAME]`; by default, all names are listed.
    name: Option<String>,
}

/// Carries the command out.
///
/// # Errors
/// Nothing has the name, or the result cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let Some(name) = &args.name else {
        writeln!(out, "Errors and warnings of the assembler:")?;
        list(explanations().iter().map(|it| **it), out)?;
        writeln!(out, "\nFaults of `gcn run`:")?;
        list(FAULTS.iter().map(|it| **it), out)?;
        writeln!(out, "\nFindings of `gcn check`:")?;
        list(findings(), out)?;
        return Ok(Status::Success);
    };
    // `error[offset-range]` is as good as `offset-range`.
    let wanted = name.rsplit('[').next().unwrap_or(name);
    let wanted = wanted.trim_end_matches([']', ':']).to_lowercase();
    match all().find(|explanation| explanation.name == wanted) {
        Some(explanation) => write!(out, "{explanation}")?,
        None => match closest(&wanted, all().map(|explanation| explanation.name)) {
            Some(near) => {
                bail!("no error or warning is called `{wanted}`; did you mean `{near}`?")
            }
            None => {
                bail!("no error or warning is called `{wanted}`; `gcn explain` lists all names")
            }
        },
    }
    Ok(Status::Success)
}

/// Explanations of findings.
fn findings() -> impl Iterator<Item = Explanation> + Clone {
    Kind::ALL.iter().map(|kind| {
        let about = kind.about();
        Explanation {
            name: about.name,
            meaning: about.meaning,
            example: about.example,
            remedy: about.remedy,
            source: about.source,
        }
    })
}

/// Every explanation.
fn all() -> impl Iterator<Item = Explanation> {
    let both = explanations().iter().chain(FAULTS);
    both.map(|it| **it).chain(findings())
}

/// Writes a line for each name: the name and the first sentence of its meaning.
fn list(
    explanations: impl Iterator<Item = Explanation> + Clone,
    out: &mut dyn Write,
) -> Result<()> {
    let names = explanations.clone().map(|explanation| explanation.name);
    let width = names.map(str::len).max().unwrap_or(0);
    for Explanation { name, meaning, .. } in explanations {
        let sentence = meaning.split_once(". ").map_or(meaning, |(first, _)| first);
        writeln!(out, "  {name:width$}  {}", sentence.trim_end_matches('.'))?;
    }
    Ok(())
}

/// Defines a static per row, and the list of all of them.
macro_rules! faults {
    ($($id:ident
        meaning $meaning:literal
        remedy $remedy:literal
        $(; source $source:literal)?
    )*) => {
        $(
            static $id: Explanation = Explanation {
                name: names::$id,
                meaning: $meaning,
                example: "",
                remedy: $remedy,
                source: concat!($($source)?),
            };
        )*
        static FAULTS: &[&Explanation] = &[$(&$id),*];
    };
}

faults! {
    UNMAPPED_ACCESS
        meaning "A lane loads, stores or updates memory that belongs to no allocation. The message names the lane, the \
                 address and the nearest allocation."
        remedy "Compare the index with the buffer's size: often the grid is larger than the data and the kernel does \
                not test its global number. An address near 0 is a null pointer. `--trace` shows the registers."
        ; source "errata E105"
    MISALIGNED_ATOMIC
        meaning "An atomic operation has an address that is not a multiple of its size."
        remedy "Align the data to 4 bytes for 32-bit atomics and to 8 bytes for 64-bit ones."
        ; source "errata E104"
    REGISTER_OUT_OF_RANGE
        meaning "An instruction writes a register that the kernel descriptor does not allocate. Hardware cancels the \
                 instruction."
        remedy "Raise `.amdhsa_next_free_vgpr` or `.amdhsa_next_free_sgpr`, or omit them: the assembler then counts the \
                registers of the code."
        ; source "errata E105, E129"
    INVALID_INSTRUCTION
        meaning "The words at the program counter are no instruction of the target."
        remedy "Compare the target with the one that the code was made for (`gcn info`), and look for data in the path \
                of execution (`gcn dis`)."
    UNSUPPORTED_INSTRUCTION
        meaning "The instruction is valid, but the emulator does not execute it: images, exports, interpolation."
        remedy "Compute kernels read buffers instead of images; graphics shaders cannot be run."
    PC_OUTSIDE_CODE
        meaning "The program counter has left the code. The message names the jump, if there was one."
        remedy "End every path with `s_endpgm`. After a jump through registers, check the address in them."
    MISALIGNED_PC
        meaning "The program counter is not a multiple of 4."
        remedy "Check the address that the jump takes from registers."
    CODE_CHANGED
        meaning "At the end of a run, memory differs from code that the run has executed: a store has changed it. The \
                 emulator executes code as it was loaded, with or without S_ICACHE_INV."
        remedy "Look for a store beyond the end of an array. Code that is made at run time must be loaded as a code object."
    OUTSIDE_TRAP_HANDLER
        meaning "The instruction is allowed in a trap handler only, and the emulator runs none."
        remedy "Remove the instruction from the kernel."
    HALTED_WAVE
        meaning "The wave halts itself (S_SETHALT, S_SENDMSGHALT), and only a debugger could continue it."
        remedy "Remove the instruction, or end the wave with `s_endpgm`."
    TRAP
        meaning "The kernel executes S_TRAP. Trap 2 is `abort`, a failed `assert` or `__builtin_trap`."
        remedy "Look at the condition before the trap; `--trace` shows the instructions that lead to it."
        ; source "errata E240"
    DEADLOCK
        meaning "All waves wait, at barriers or at global wave synchronisation, and none can continue."
        remedy "Let every wave of a workgroup reach the same barriers, also those without work, and release what the \
                others wait for."
    INSTRUCTION_LIMIT
        meaning "A wave has executed as many instructions as `--limit` allows."
        remedy "Look for a loop that does not end in the list of waves, or raise `--limit`."
    UNSUPPORTED_HOST_CALL
        meaning "The kernel calls a service of the host that the emulator does not offer."
        remedy "`printf`, `malloc` and `free` work; calls of host functions do not."
    STOPPED_BY_OBSERVER
        meaning "An observer of the run refused an access."
        remedy "The message is the observer's."
    INTERRUPTED
        meaning "A signal or the timeout stopped the run before its end."
        remedy "Raise `--timeout` if the run needs more time; the list of waves shows its position."
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn explained(name: Option<&str>) -> Result<String> {
        let args = Args {
            name: name.map(str::to_owned),
        };
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn each_name_is_there_once_and_is_explained() {
        let mut names = HashSet::new();
        for explanation in all() {
            assert!(names.insert(explanation.name), "{}", explanation.name);
            let text = explained(Some(explanation.name)).expect("a known name");
            assert!(text.contains(explanation.remedy), "{text}");
        }
    }

    #[test]
    fn all_names_are_listed() {
        let list = explained(None).expect("a list");
        for explanation in all() {
            let line = format!("  {} ", explanation.name);
            assert!(
                list.contains(&line),
                "{} is not in {list}",
                explanation.name
            );
        }
    }

    #[test]
    fn names_are_taken_as_messages_have_them() {
        let text = explained(Some("error[unmapped-access]:")).expect("a known name");
        assert!(text.starts_with("unmapped-access: "), "{text}");
    }

    #[test]
    fn unknown_names_get_the_nearest() {
        let error = explained(Some("unmaped-access")).expect_err("no such name");
        assert!(
            error
                .to_string()
                .contains("did you mean `unmapped-access`?")
        );
    }
}
