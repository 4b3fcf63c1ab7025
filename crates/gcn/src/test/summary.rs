//! The summary of launch files, for people.

use std::io::{self, Write};

use super::row::Row;

/// Characters of a line of progress.
const PROGRESS: usize = 60;
/// Width of a headline.
const WIDTH: usize = 80;

/// Progress and results of launch files.
pub struct Summary<'a> {
    out: &'a mut dyn Write,
    total: usize,
    ended: usize,
    verbose: bool,
}

impl<'a> Summary<'a> {
    /// A summary of a number of launch files.
    pub fn new(out: &'a mut dyn Write, total: usize, verbose: bool) -> Summary<'a> {
        Summary {
            out,
            total,
            ended: 0,
            verbose,
        }
    }

    /// Writes the first line.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn begin(&mut self, jobs: usize) -> io::Result<()> {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        writeln!(
            self.out,
            "{} launch file{}, {jobs} job{}",
            self.total,
            plural(self.total),
            plural(jobs),
        )?;
        self.out.flush()
    }

    /// Writes the end of a launch file.
    ///
    /// # Errors
    /// The output cannot be written.
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

    /// Writes reports of the launch files that did not pass, a line for each, and the numbers.
    ///
    /// # Errors
    /// The output cannot be written.
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

/// A title in the middle of a line.
fn headline(title: &str, line: char) -> String {
    let rest = WIDTH.saturating_sub(title.chars().count() + 2);
    let side = |length: usize| line.to_string().repeat(length.max(3));
    format!("{} {title} {}", side(rest / 2), side(rest - rest / 2))
}

/// `N passed, M failed in T s`; numbers that are zero are left out, but for that of those that passed.
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
        text += &format!(", {errors} error{}", if errors == 1 { "" } else { "s" });
    }
    format!("{text} in {seconds:.2} s")
}
