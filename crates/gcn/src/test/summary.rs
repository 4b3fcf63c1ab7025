//! Summary of launch files as text.

use std::io::{self, Write};

use super::row::Row;
use gcn_report::plural;

/// Number of launch files per progress line.
const PROGRESS: usize = 60;
/// Width of a headline in characters.
const WIDTH: usize = 80;

/// Writer of progress and results.
pub struct Summary<'a> {
    out: &'a mut dyn Write,
    total: usize,
    ended: usize,
    verbose: bool,
}

impl<'a> Summary<'a> {
    /// Creates a summary of `total` launch files.
    pub fn new(out: &'a mut dyn Write, total: usize, verbose: bool) -> Summary<'a> {
        Summary {
            out,
            total,
            ended: 0,
            verbose,
        }
    }

    /// Writes the number of launch files and jobs.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn begin(&mut self, jobs: usize) -> io::Result<()> {
        let launches = plural(self.total as u64, "launch file", "s");
        writeln!(self.out, "{launches}, {}", plural(jobs as u64, "job", "s"))?;
        self.out.flush()
    }

    /// Writes the progress of a launch file that has ended.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn ended(&mut self, row: &Row) -> io::Result<()> {
        self.ended += 1;
        let percent = self.ended * 100 / self.total;
        if self.verbose {
            let (name, seconds) = (row.outcome.name(), row.seconds);
            writeln!(
                self.out,
                "[{percent:3}%] {name:11} {}  {seconds:.2} s",
                row.path
            )?;
        } else {
            write!(self.out, "{}", row.outcome.character())?;
            let column = (self.ended - 1) % PROGRESS + 1;
            if column == PROGRESS || self.ended == self.total {
                writeln!(self.out, "{:1$} [{percent:3}%]", "", PROGRESS - column)?;
            }
        }
        self.out.flush()
    }

    /// Writes the reports of launch files that did not pass, then a line for each of these files, then the totals.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn finish(self, rows: &[Row], seconds: f64) -> io::Result<()> {
        let failed = || rows.iter().filter(|row| !row.outcome.passed());
        if failed().next().is_some() {
            writeln!(self.out, "\n{}", headline("failures", '='))?;
        }
        for row in failed() {
            writeln!(self.out, "{}", headline(&row.path, '_'))?;
            writeln!(self.out, "{}\n", row.report.trim_end())?;
        }
        if failed().next().is_some() {
            writeln!(self.out, "{}", headline("summary", '='))?;
        }
        for row in failed() {
            writeln!(self.out, "{}: {}", row.path, row.reason())?;
        }
        writeln!(self.out, "{}", counts(rows, seconds))?;
        self.out.flush()
    }
}

/// Centered title, padded with `line`.
fn headline(title: &str, line: char) -> String {
    let rest = WIDTH.saturating_sub(title.chars().count() + 2);
    let side = |length: usize| line.to_string().repeat(length.max(3));
    format!("{} {title} {}", side(rest / 2), side(rest - rest / 2))
}

/// Totals as `N passed, M failed, K errors in T s`. Zeros are omitted, except for `passed`.
pub fn counts(rows: &[Row], seconds: f64) -> String {
    let count =
        |is_counted: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is_counted(row)).count();
    let passed = count(&|row| row.outcome.passed());
    let errors = count(&|row| row.outcome.is_error());
    let failed = rows.len() - passed - errors;
    let mut text = format!("{passed} passed");
    if failed > 0 {
        text += &format!(", {failed} failed");
    }
    if errors > 0 {
        text += &format!(", {}", plural(errors as u64, "error", "s"));
    }
    format!("{text} in {seconds:.2} s")
}
