//! `gcn isa --format markdown`: the reference as Markdown pages, one for each group of related instructions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use gcn_asm::reference::{EncodingReport, InstructionReport, IsaText, exists, family, hazards};
use gcn_isa::{Isa, Row, rows};

use crate::outputs;

/// Maximum number of instructions in a group; larger groups are split by the last word of the instruction names.
const MOST: usize = 40;
/// Page that lists the other pages.
const INDEX: &str = "index.md";
/// Table of contents for a book that includes the pages.
const CONTENTS: &str = "SUMMARY.md";

/// Creates a directory, and writes the pages of all instructions of `isas` to it.
///
/// # Errors
/// Fails if a file cannot be written.
pub(super) fn write(isas: &[Isa], directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| outputs::unwritable(directory))?;
    let file = |name: &str, text: &str| {
        outputs::write(&directory.join(name), |out| out.write_all(text.as_bytes()))
    };
    let mut index = String::from(
        "# Instructions\n\nA page for each group of instructions, from the tables of `gcn`; `gcn isa NAME` prints the same. \
         Bit diagrams begin with the highest bit of each dword.\n",
    );
    let mut contents = String::new();
    for (family, pages) in families(isas) {
        let title = family.to_uppercase();
        let _ = writeln!(index, "\n## {title}\n"); // Writing to a String cannot fail, here and below.
        let _ = writeln!(contents, "- [{title}](reference/{family}.md)");
        let mut overview = format!("# {title}\n");
        for (name, rows) in &pages {
            let page = format!("{family}-{name}.md");
            let instructions: Vec<InstructionReport> = rows
                .iter()
                .map(|row| InstructionReport::of(isas, row))
                .collect();
            let names: Vec<String> = instructions
                .iter()
                .map(|it| format!("[`{}`]({page}#{})", it.name, it.name))
                .collect();
            let line = format!("- {}\n", names.join(", "));
            index.push_str(&line);
            let _ = write!(overview, "\n{line}");
            let _ = writeln!(contents, "  - [{name}](reference/{page})");
            let mut text = format!("# {name} ({title})\n");
            for (instruction, row) in instructions.iter().zip(rows) {
                section(&mut text, instruction, &hazards(isas, row));
            }
            file(&page, &text)?;
        }
        file(&format!("{family}.md"), &overview)?;
    }
    file(INDEX, &index)?;
    file(CONTENTS, &contents)
}

/// Rows of each page of a family, by page name.
type Pages = BTreeMap<String, Vec<&'static Row>>;

/// Families in the order of the tables, each with its pages.
fn families(isas: &[Isa]) -> Vec<(String, Pages)> {
    let mut families: Vec<(String, Vec<&'static Row>)> = Vec::new();
    for row in rows().filter(|row| isas.iter().any(|&isa| exists(row, isa))) {
        let family = family(row.op());
        match families.last_mut() {
            Some((last, rows)) if *last == family => rows.push(row),
            _ => families.push((family, vec![row])),
        }
    }
    families
        .into_iter()
        .map(|(family, rows)| (family, pages(isas, rows)))
        .collect()
}

/// Groups rows by the first two words of their names, and splits large groups by the last word, which is the type.
fn pages(isas: &[Isa], rows: Vec<&'static Row>) -> Pages {
    let mut coarse = Pages::new();
    for row in rows {
        let words: Vec<&str> = newest_name(isas, row).splitn(3, '_').take(2).collect();
        coarse.entry(words.join("_")).or_default().push(row);
    }
    let mut pages = Pages::new();
    for (name, rows) in coarse {
        if rows.len() <= MOST {
            pages.insert(name, rows);
            continue;
        }
        for row in rows {
            let last = newest_name(isas, row).rsplit('_').next();
            let page = format!("{name}-{}", last.unwrap_or_default());
            pages.entry(page).or_default().push(row);
        }
    }
    pages
}

/// Name of a row on the newest instruction set that has it.
fn newest_name(isas: &[Isa], row: &'static Row) -> &'static str {
    let newest = isas.iter().rev().find(|&&isa| exists(row, isa));
    newest.map_or(row.name, |&isa| row.name_on(isa))
}

/// Writes the section of an instruction.
fn section(out: &mut String, it: &InstructionReport, hazards: &[IsaText]) {
    let code = |text: &str| format!("`{text}`");
    let plain = str::to_owned;
    let _ = writeln!(out, "\n## {}\n\n{}\n", it.name, it.exists_on);
    let _ = writeln!(out, "```text\n{}\n```\n", it.written);
    for text in &it.does {
        let _ = writeln!(out, "{}\n", with_versions(text, code));
    }
    for text in &it.corners {
        let _ = writeln!(out, "{}\n", with_versions(text, plain));
    }
    let called = match it.called.len() {
        0 | 1 => Vec::new(),
        _ => {
            let each = it.called.iter();
            each.map(|(name, on)| format!("`{name}` on {on}")).collect()
        }
    };
    let list = |texts: &[IsaText]| -> Vec<String> {
        texts.iter().map(|it| with_versions(it, plain)).collect()
    };
    let errata = it.errata.iter().map(|title| errata_link(title)).collect();
    let facts: [(&str, Vec<String>); 7] = [
        ("Name", called),
        ("Counters", list(&it.counters)),
        ("Memory", list(&it.memory)),
        ("Operands", list(&it.operands)),
        ("Implicit", list(&it.implicit)),
        ("Hazards", list(hazards)),
        ("Errata", errata),
    ];
    for (name, texts) in facts.iter().filter(|(_, texts)| !texts.is_empty()) {
        let _ = writeln!(out, "**{name}**\n");
        for text in texts {
            let _ = writeln!(out, "- {text}");
        }
        out.push('\n');
    }
    for encoding in &it.encodings {
        diagram(out, encoding);
    }
}

/// Formats a text, and appends its instruction sets if it does not apply to all.
fn with_versions(text: &IsaText, format: impl Fn(&str) -> String) -> String {
    let formatted = format(&text.text);
    match &text.on {
        Some(on) => format!("{formatted} ({on})"),
        None => formatted,
    }
}

/// Link to an entry of the errata.
fn errata_link(title: &str) -> String {
    format!("[{title}](../errata.md#{})", anchor(title))
}

/// Anchor that mdBook generates for a heading: lower case, hyphens for spaces, and no punctuation except `_` and `-`.
fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || matches!(c, '_' | '-') => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    letters.collect()
}

/// Writes the bit diagram of an encoding as an HTML table for each dword, with a column for each bit.
fn diagram(out: &mut String, encoding: &EncodingReport) {
    let EncodingReport {
        encoding: name,
        on,
        opcode,
        dwords,
    } = encoding;
    let _ = writeln!(out, "{name} on {on}: opcode {opcode:#x}\n");
    for cells in dwords {
        out.push_str("<table class=\"bits\">");
        for text in [
            |cell: &gcn_asm::reference::LayoutCell| cell.bits.clone(),
            |cell: &gcn_asm::reference::LayoutCell| cell.holds.clone(),
        ] {
            out.push_str("<tr>");
            for cell in cells {
                let width = width(&cell.bits);
                let _ = write!(out, "<td colspan=\"{width}\">{}</td>", text(cell));
            }
            out.push_str("</tr>");
        }
        out.push_str("</table>\n\n");
    }
}

/// Number of bits in a range such as `31:26`, or 1 for a single bit.
fn width(bits: &str) -> u32 {
    let number = |text: &str| text.parse::<u32>().unwrap_or_default();
    match bits.split_once(':') {
        Some((high, low)) => number(high) - number(low) + 1,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_mdbook() {
        assert_eq!(
            anchor("E043 — \"Return data in order\" (SEM, documented)"),
            "e043--return-data-in-order-sem-documented"
        );
    }

    #[test]
    fn ranges_have_widths() {
        assert_eq!([width("31:26"), width("7")], [6, 1]);
    }

    #[test]
    fn every_instruction_is_on_one_page() {
        let all: Vec<_> = families(&Isa::ALL);
        let on_pages: usize = all
            .iter()
            .flat_map(|(_, pages)| pages.values().map(Vec::len))
            .sum();
        let is_anywhere = |row: &&Row| Isa::ALL.iter().any(|isa| exists(row, *isa));
        assert_eq!(on_pages, rows().filter(is_anywhere).count());
        let mut names: Vec<&String> = all.iter().map(|(family, _)| family).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len(), "a family has one group of pages");
    }
}
