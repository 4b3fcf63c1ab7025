//! Fidelity of the instructions that a run executed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use gcn_runtime::{Fidelity, PreparedLaunch};
use serde::Serialize;

/// Names of instructions with the same fidelity.
#[derive(PartialEq, Eq, Debug, Serialize)]
pub struct FidelityGroup {
    /// Fidelity: `exact`, `approximate`, `open` or `hardware fault`.
    fidelity: &'static str,
    /// Errata entry; `None` for exact instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    errata: Option<&'static str>,
    instructions: Vec<&'static str>,
}

/// Lists the instructions that launches executed, grouped by fidelity, exact ones first.
pub fn list<'a>(launches: impl Iterator<Item = &'a PreparedLaunch>) -> Vec<FidelityGroup> {
    let mut groups: BTreeMap<Fidelity, BTreeSet<&'static str>> = BTreeMap::new();
    for (fidelity, names) in launches.flat_map(PreparedLaunch::executed) {
        groups.entry(fidelity).or_default().extend(names);
    }
    groups
        .into_iter()
        .map(|(fidelity, names)| {
            let (fidelity, errata) = fidelity.words();
            FidelityGroup {
                fidelity,
                errata,
                instructions: names.into_iter().collect(),
            }
        })
        .collect()
}

/// Writes a line for each group.
///
/// # Errors
/// Fails if the output cannot be written.
pub fn print(groups: &[FidelityGroup], out: &mut dyn Write) -> io::Result<()> {
    for group in groups {
        writeln!(out, "{}: {}", group.title(), group.instructions.join(", "))?;
    }
    Ok(())
}

/// Lists the instructions that are not exact, in one line; `None` if all are exact.
pub fn line(groups: &[FidelityGroup]) -> Option<String> {
    let parts: Vec<String> = groups
        .iter()
        .filter(|group| group.errata.is_some())
        .map(|group| format!("{} {}", group.instructions.join(", "), group.reason()))
        .collect();
    (!parts.is_empty()).then(|| format!("not exact: {}", parts.join("; ")))
}

impl FidelityGroup {
    fn title(&self) -> String {
        match self.errata {
            Some(entry) => format!("{} ({entry})", self.fidelity),
            None => self.fidelity.to_owned(),
        }
    }

    fn reason(&self) -> String {
        match self.errata {
            Some(entry) => format!("({}, {entry})", self.fidelity),
            None => format!("({})", self.fidelity),
        }
    }
}
