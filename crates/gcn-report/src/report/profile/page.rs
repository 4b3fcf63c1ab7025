//! HTML output of profiles: annotated listings and source lines of each kernel, in a self-contained page.

use std::fmt;

use super::super::text::printable;
use super::table::percentage;
use super::{CountsReport, InstructionProfile, KernelProfile, LineProfile, ProfileReport};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Hues in degrees, assigned in order to the classes that occur in a kernel.
const HUES: [u32; 13] = [212, 28, 145, 340, 265, 55, 185, 5, 300, 90, 235, 165, 120];

/// HTML page for a profile. [`fmt::Display`] writes a single file without external scripts, styles or images.
///
/// # Examples
/// ```
/// use gcn_report::Profiling;
/// use gcn_report::ProfilePage;
/// let report = Profiling::default().report();
/// let page = ProfilePage(&report).to_string();
/// assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("https://"));
/// ```
pub struct ProfilePage<'a>(pub &'a ProfileReport);

/// Text whose [`fmt::Display`] output is escaped for HTML.
struct HtmlText<'a>(&'a str);

impl fmt::Display for HtmlText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' => f.write_str("\t")?,
                c if c.is_control() => write!(f, "{}", c.escape_default())?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}

/// Writes a table header with sortable columns. Numeric columns are right-aligned.
fn head(f: &mut fmt::Formatter<'_>, columns: &[(&str, bool)]) -> fmt::Result {
    f.write_str("<div class=wide><table><thead><tr>")?;
    for (name, is_number) in columns {
        let class = if *is_number { " class=n" } else { "" };
        write!(
            f,
            "<th scope=col{class}><button type=button>{}</button></th>",
            HtmlText(name)
        )?;
    }
    f.write_str("</tr></thead><tbody>\n")
}

/// Columns for counts: title, and a flag that is true if the column is numeric.
const COUNTS: [(&str, bool); 6] = [
    ("executions", true),
    ("share", true),
    ("lanes", true),
    ("bytes", true),
    ("lines/access", true),
    ("conflicts", true),
];

/// Writes the cells for [`COUNTS`]. The bar in the executions cell is scaled to the maximum in the table.
fn counts(f: &mut fmt::Formatter<'_>, it: &CountsReport, whole: u64, most: u64) -> fmt::Result {
    let part = percentage(it.executions, most);
    write!(
        f,
        "<td class=\"n heat\" style=\"--part:{part:.1}%\" data-v={0}>{0}</td>",
        it.executions
    )?;
    let share = percentage(it.executions, whole);
    write!(f, "<td class=n data-v={share}>{share:.1} %</td>")?;
    optional(f, it.lanes())?;
    whole_number(f, it.bytes)?;
    optional(f, it.lines_per_access())?;
    whole_number(f, it.bank_conflicts)
}

fn optional(f: &mut fmt::Formatter<'_>, number: Option<f64>) -> fmt::Result {
    match number {
        Some(number) => write!(f, "<td class=n data-v={number}>{number:.1}</td>"),
        None => f.write_str("<td class=n data-v=-1></td>"),
    }
}

/// Writes a cell for a number, with no text for 0.
fn whole_number(f: &mut fmt::Formatter<'_>, number: u64) -> fmt::Result {
    match number {
        0 => f.write_str("<td class=n data-v=0></td>"),
        _ => write!(f, "<td class=n data-v={number}>{number}</td>"),
    }
}

/// Returns a file name without directories.
fn base(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

impl InstructionProfile {
    fn row(&self, f: &mut fmt::Formatter<'_>, whole: u64, most: u64) -> fmt::Result {
        if self.skipped_bytes != 0 {
            writeln!(
                f,
                "<tr class=gap><td colspan={}>{} bytes that no wave has executed</td></tr>",
                COUNTS.len() + 4,
                self.skipped_bytes
            )?;
        }
        let place = self.place.as_deref().map(printable);
        let place = place.unwrap_or_else(|| format!("{:#x}", self.pc));
        write!(
            f,
            "<tr><td class=text data-v={} title=\"{:#x}\">{}</td><td class=text>{}</td><td>{}</td>",
            self.pc,
            self.pc,
            HtmlText(&place),
            HtmlText(&self.instruction),
            self.class
        )?;
        counts(f, &self.counts, whole, most)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => {
                let title = format!("{file}:{line} {}", self.inlined);
                let text = self.text.as_deref().unwrap_or_default().trim();
                write!(
                    f,
                    "<td class=text title=\"{}\"><span class=soft>{}:{line}</span> {}</td>",
                    HtmlText(title.trim()),
                    HtmlText(base(file)),
                    HtmlText(text)
                )?;
            }
            _ => f.write_str("<td class=text></td>")?,
        }
        f.write_str("</tr>\n")
    }
}

impl LineProfile {
    fn row(&self, f: &mut fmt::Formatter<'_>, number: usize, whole: u64, most: u64) -> fmt::Result {
        write!(
            f,
            "<tr><td class=text data-v={number} title=\"{}\">{}:{}</td><td class=text>{}</td>",
            HtmlText(&self.file),
            HtmlText(base(&self.file)),
            self.line,
            HtmlText(self.text.as_deref().unwrap_or_default().trim_end())
        )?;
        counts(f, &self.counts, whole, most)?;
        f.write_str("</tr>\n")
    }
}

/// Returns the maximum number of executions in any row.
fn most<'c>(counts: impl Iterator<Item = &'c CountsReport>) -> u64 {
    counts.map(|it| it.executions).max().unwrap_or(0)
}

impl KernelProfile {
    /// Writes a row of the kernel table.
    fn row(&self, f: &mut fmt::Formatter<'_>, number: usize, whole: u64, most: u64) -> fmt::Result {
        write!(
            f,
            "<tr><td class=text data-v={number}><a href=\"#kernel-{number}\">{}</a></td><td>{}</td>",
            HtmlText(&self.title()),
            self.target,
        )?;
        whole_number(f, self.dispatches)?;
        counts(f, &self.total, whole, most)?;
        f.write_str("</tr>\n")
    }

    fn section(&self, f: &mut fmt::Formatter<'_>, number: usize) -> fmt::Result {
        let total = &self.total;
        let whole = total.executions;
        write!(
            f,
            "<section id=kernel-{number}><h2>Kernel <code>{}</code></h2>\n<p>",
            HtmlText(&self.title())
        )?;
        write!(
            f,
            "{} · dispatches {} · workgroups {} · waves {} · instructions executed {whole}",
            self.target, self.dispatches, self.workgroups, self.waves
        )?;
        if let Some(lanes) = total.lanes() {
            write!(f, " · active lanes {lanes:.1} of 64")?;
        }
        if let Some(lines) = total.lines_per_access() {
            let accesses = total.memory_accesses;
            write!(f, " · memory accesses {accesses}, of {lines:.1} lines each")?;
        }
        if total.bank_conflicts != 0 {
            write!(f, " · cycles of bank conflicts {}", total.bank_conflicts)?;
        }
        f.write_str("</p>\n")?;
        self.bar(f)?;
        f.write_str("<h3>Instructions</h3>\n")?;
        let mut columns = vec![("address", false), ("instruction", false), ("class", false)];
        columns.extend(COUNTS);
        columns.push(("source", false));
        head(f, &columns)?;
        let top = most(self.instructions.iter().map(|it| &it.counts));
        for instruction in &self.instructions {
            instruction.row(f, whole, top)?;
        }
        f.write_str("</tbody></table></div>\n")?;
        if !self.lines.is_empty() {
            f.write_str("<h3>Lines of source</h3>\n")?;
            let mut columns = vec![("line", false), ("source", false)];
            columns.extend(COUNTS);
            head(f, &columns)?;
            let top = most(self.lines.iter().map(|it| &it.counts));
            for (number, line) in self.lines.iter().enumerate() {
                line.row(f, number, whole, top)?;
            }
            f.write_str("</tbody></table></div>\n")?;
        }
        f.write_str("</section>\n")
    }

    /// Writes the instruction mix by class as a bar with a legend.
    fn bar(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.total.executions;
        let colours = || HUES.iter().cycle();
        f.write_str("<div class=mix>")?;
        for ((class, executions), hue) in self.mix().zip(colours()) {
            let share = percentage(executions, whole);
            write!(
                f,
                "<span style=\"width:{share:.2}%;background:hsl({hue} 60% 55%)\" title=\"{class} {share:.1} %\"></span>"
            )?;
        }
        f.write_str("</div>\n<div class=key>")?;
        for ((class, executions), hue) in self.mix().zip(colours()) {
            let share = percentage(executions, whole);
            write!(
                f,
                "<span><i style=\"background:hsl({hue} 60% 55%)\"></i>{class} {executions} <span class=soft>{share:.1} %</span></span>"
            )?;
        }
        f.write_str("</div>\n")
    }
}

impl ProfileReport {
    /// Writes the kernel table.
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<section><h2>Kernels</h2>\n")?;
        let mut columns = vec![("kernel", false), ("target", false), ("dispatches", true)];
        columns.extend(COUNTS);
        head(f, &columns)?;
        let top = most(self.kernels.iter().map(|it| &it.total));
        for (number, kernel) in self.kernels.iter().enumerate() {
            kernel.row(f, number, self.executions(), top)?;
        }
        f.write_str("</tbody></table></div>\n</section>\n")
    }
}

impl fmt::Display for ProfilePage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n")?;
        f.write_str("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n")?;
        f.write_str("<meta name=viewport content=\"width=device-width\"><title>Profile</title>\n")?;
        write!(
            f,
            "<style>\n{STYLE}</style></head>\n<body><h1>Profile</h1>\n"
        )?;
        let report = self.0;
        if report.kernels.is_empty() {
            f.write_str("<p>No kernel was executed.</p>\n")?;
        } else {
            let targets = report.targets().join(", ");
            writeln!(
                f,
                "<p class=soft>Exact counts on emulated {targets}. A click on a column's head sorts by it.</p>"
            )?;
        }
        if report.kernels.len() > 1 {
            report.table(f)?;
        }
        for (number, kernel) in report.kernels.iter().enumerate() {
            kernel.section(f, number)?;
        }
        write!(f, "<script>\n{SCRIPT}</script></body></html>\n")
    }
}
