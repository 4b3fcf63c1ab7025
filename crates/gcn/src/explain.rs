//! `gcn explain`: explains the stable names of errors, warnings, faults and findings.
//!
//! `gcn-asm` contains the explanations of the assembler's diagnostics, `gcn-observe` those of findings, and this module
//! those of faults and input errors.

mod faults;
mod inputs;

use std::io::Write;

use anyhow::{Result, bail};
use gcn_asm::{Explanation, closest, explanations};
use gcn_observe::finding::Kind;
use serde::Serialize;

use crate::problem::{Problem, UNKNOWN_ENTRY};
use crate::{Status, render};
use faults::FAULTS;
use inputs::INPUTS;
pub use inputs::{INVALID_LAUNCH_FILE, INVALID_SUPPRESSIONS};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn explain                   list all names
  gcn explain offset-range
  gcn explain unknown-kernel
  gcn explain unmapped-access
  gcn explain missing-wait";

/// The arguments of `gcn explain`.
#[derive(clap::Args)]
pub struct Args {
    /// Name, as in `error[NAME]`; by default, all names are listed.
    name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// JSON form of an explanation.
#[derive(Serialize)]
struct ExplanationReport {
    name: &'static str,
    /// `assembler`, `input`, `fault` or `finding`.
    kind: &'static str,
    text: String,
}

/// Runs the command.
///
/// # Errors
/// Fails if the name is unknown, or the output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let report = |(kind, explanation): (&'static str, Explanation)| ExplanationReport {
        name: explanation.name,
        kind,
        text: explanation.to_string(),
    };
    let Some(name) = &args.name else {
        if args.json {
            render::json(&all().map(report).collect::<Vec<_>>(), out)?;
            return Ok(Status::Success);
        }
        writeln!(out, "Errors and warnings of the assembler:")?;
        list(explanations().iter().map(|it| **it), out)?;
        writeln!(out, "\nErrors of code objects, arguments and launches:")?;
        list(INPUTS.iter().copied(), out)?;
        writeln!(out, "\nFaults of `gcn run`:")?;
        list(FAULTS.iter().copied(), out)?;
        writeln!(out, "\nFindings of `gcn check`:")?;
        list(findings(), out)?;
        return Ok(Status::Success);
    };
    // Accepts `error[offset-range]` as well as `offset-range`.
    let wanted = name.rsplit('[').next().unwrap_or(name);
    let wanted = wanted.trim_end_matches([']', ':']).to_lowercase();
    match all().find(|(_, explanation)| explanation.name == wanted) {
        Some(found) if args.json => render::json(&report(found), out)?,
        Some((_, explanation)) => write!(out, "{explanation}")?,
        None => {
            let hint = match closest(&wanted, all().map(|(_, explanation)| explanation.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`gcn explain` lists all names".to_owned(),
            };
            let message =
                format!("no error, warning, fault or finding is called `{wanted}`; {hint}");
            bail!(Problem::new(UNKNOWN_ENTRY, message));
        }
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

/// All explanations, with the kind of each.
fn all() -> impl Iterator<Item = (&'static str, Explanation)> {
    let assembler = explanations().iter().map(|it| ("assembler", **it));
    let inputs = INPUTS.iter().map(|it| ("input", *it));
    let faults = FAULTS.iter().map(|it| ("fault", *it));
    let findings = findings().map(|it| ("finding", it));
    assembler.chain(inputs).chain(faults).chain(findings)
}

/// Writes a line for each name, with the first sentence of its meaning.
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn explained(name: Option<&str>) -> Result<String> {
        let args = Args {
            json: false,
            name: name.map(str::to_owned),
        };
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn each_name_is_there_once_and_is_explained() {
        let mut names = HashSet::new();
        for (_, explanation) in all() {
            assert!(names.insert(explanation.name), "{}", explanation.name);
            let text = explained(Some(explanation.name)).expect("a known name");
            assert!(text.contains(explanation.remedy), "{text}");
        }
    }

    #[test]
    fn errors_of_inputs_are_explained() {
        let names = [
            gcn_object::error_names::ALL,
            gcn_runtime::error_names::ALL,
            gcn_args::error_names::ALL,
            gcn_c::error_names::ALL,
            crate::problem::NAMES,
        ];
        for name in names.concat() {
            let is_explained = INPUTS.iter().any(|explanation| explanation.name == name);
            assert!(is_explained, "{name}");
        }
    }

    #[test]
    fn all_names_are_listed() {
        let list = explained(None).expect("a list");
        for (_, explanation) in all() {
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
