//! Text output of profiles as tables.

use std::cmp::Reverse;
use std::fmt::{self, Write};

use super::super::text::printable;
use super::{CountsReport, KernelProfile, ProfileReport};

/// Maximum number of rows in a table.
const MOST_ROWS: usize = 20;
/// Titles of the count columns.
const COLUMNS: &str = "  executions   share   lanes  lines/access    conflicts";
/// Number of lanes in a wave.
const LANES: f64 = 64.0;

/// Formats a count with its unit, `one` in the singular and `several` in the plural.
fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Returns `part` as a percentage of `whole`, or 0 if `whole` is 0.
pub(super) fn percentage(part: u64, whole: u64) -> f64 {
    super::ratio(part, whole).map_or(0.0, |it| 100.0 * it)
}

/// Formats a number with one decimal place, or `None` as `-`.
fn number(it: Option<f64>) -> String {
    it.map_or("-".to_owned(), |it| format!("{it:.1}"))
}

/// Formats the cells of a row for [`COLUMNS`].
fn columns(counts: &CountsReport, whole: u64) -> String {
    let conflicts = if counts.bank_conflicts == 0 {
        "-".to_owned()
    } else {
        counts.bank_conflicts.to_string()
    };
    format!(
        "{:>12} {:>6.1}% {:>7} {:>13} {conflicts:>12}",
        counts.executions,
        percentage(counts.executions, whole),
        number(counts.lanes()),
        number(counts.lines_per_access()),
    )
}

/// Writes the hottest rows, and a summary of the other rows.
fn hottest<T>(
    f: &mut fmt::Formatter<'_>,
    rows: &[T],
    (name, several): (&str, &str),
    whole: u64,
    counts: impl Fn(&T) -> &CountsReport,
    text: impl Fn(&T) -> String,
) -> fmt::Result {
    let mut sorted: Vec<&T> = rows.iter().collect();
    // The sort is stable: equally hot rows keep their order.
    sorted.sort_by_key(|row| Reverse(counts(row).executions));
    writeln!(f, "{COLUMNS}  {name}")?;
    for row in sorted.iter().take(MOST_ROWS) {
        writeln!(f, "{}  {}", columns(counts(row), whole), text(row))?;
    }
    if let Some(rest) = sorted.get(MOST_ROWS..).filter(|rest| !rest.is_empty()) {
        let executions: u64 = rest.iter().map(|row| counts(row).executions).sum();
        writeln!(
            f,
            "{executions:>12} {:>6.1}%  in {}",
            percentage(executions, whole),
            count(
                rest.len() as u64,
                &format!("more {name}"),
                &format!("more {several}")
            )
        )?;
    }
    Ok(())
}

/// Writes the text that follows the kernel's name.
impl fmt::Display for KernelProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = &self.total;
        writeln!(
            f,
            ": {}, {}, {}, {}",
            count(self.dispatches, "dispatch", "dispatches"),
            count(self.workgroups, "workgroup", "workgroups"),
            count(self.waves, "wave", "waves"),
            count(
                total.executions,
                "instruction executed",
                "instructions executed"
            ),
        )?;
        let mut mix = String::new();
        for (class, executions) in self.mix() {
            let share = percentage(executions, total.executions);
            write!(mix, ", {class} {executions} ({share:.1}%)")?;
        }
        writeln!(f, "  by class: {}", mix.trim_start_matches(", "))?;
        if let Some(lanes) = total.lanes() {
            writeln!(
                f,
                "  active lanes: {lanes:.1} of {LANES} in a vector instruction"
            )?;
        }
        if let Some(lines) = total.lines_per_access() {
            writeln!(
                f,
                "  memory: {}, {lines:.1} lines of 64 bytes each",
                count(total.memory_accesses, "access", "accesses")
            )?;
        }
        if total.bank_conflicts != 0 {
            writeln!(
                f,
                "  LDS: {} of bank conflicts",
                count(total.bank_conflicts, "cycle", "cycles")
            )?;
        }
        writeln!(f)?;
        hottest(
            f,
            &self.instructions,
            ("instruction", "instructions"),
            total.executions,
            |it| &it.counts,
            |it| {
                let place = it.place.as_deref().map(printable);
                let place = place.unwrap_or_else(|| format!("{:#x}", it.pc));
                format!("{place}: {}", it.instruction)
            },
        )?;
        if !self.lines.is_empty() {
            writeln!(f)?;
            hottest(
                f,
                &self.lines,
                ("source line", "source lines"),
                total.executions,
                |it| &it.counts,
                |it| {
                    let text = it
                        .text
                        .as_deref()
                        .map(|text| format!(": {}", printable(text.trim())));
                    let file = printable(&it.file);
                    format!("{file}:{}{}", it.line, text.unwrap_or_default())
                },
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for ProfileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several_targets = self.targets().len() > 1;
        let title = |kernel: &KernelProfile| {
            let on = match several_targets {
                true => format!(" on {}", kernel.target),
                false => String::new(),
            };
            format!("{}{on}", kernel.title())
        };
        if self.kernels.len() > 1 {
            hottest(
                f,
                &self.kernels,
                ("kernel", "kernels"),
                self.executions(),
                |it| &it.total,
                |it| {
                    let dispatches = count(it.dispatches, "dispatch", "dispatches");
                    format!("{}: {dispatches}", title(it))
                },
            )?;
            writeln!(f)?;
        }
        for (index, kernel) in self.kernels.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "kernel {}{kernel}", title(kernel))?;
        }
        Ok(())
    }
}
