//! File of labels and notes that `gcn dis --labels` adds to a listing.
//!
//! Each line has the address of an instruction, as `--hex` shows it, and a label, a quoted note, or both. A `#`
//! outside quotes starts a comment.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use gcn_asm::list::{ListedCode, ListedNote, ListedSymbol};
use gcn_runtime::data::MAX_SETTINGS_BYTES;

use crate::input;
use crate::problem::{INVALID_LABELS, Problem};

/// Size of a word in bytes.
const WORD: u64 = 4;
/// Start of a comment.
const COMMENT: char = '#';
/// Delimiter of a note.
const QUOTE: char = '"';

/// Labels and notes of a file.
pub struct Labels {
    file: String,
    entries: Vec<LabelLine>,
}

/// Parsed line of a label file.
struct LabelLine {
    /// Line number, starting at 1.
    line: usize,
    address: u64,
    label: Option<String>,
    note: Option<String>,
}

fn invalid(file: &str, line: usize, message: &str) -> Problem {
    Problem::new(INVALID_LABELS, format!("{file}:{line}: {message}"))
}

impl Labels {
    /// Reads a file of labels and notes.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or a line is invalid; the error states the file and the line.
    pub fn open(path: &Path) -> Result<Labels> {
        Labels::parse(
            input::name(path),
            &input::read_text(path, MAX_SETTINGS_BYTES)?,
        )
    }

    /// Parses the text of a file. Returns an error if a line is invalid, or a label occurs twice.
    fn parse(file: String, text: &str) -> Result<Labels> {
        let mut entries = Vec::new();
        let mut names = HashSet::new();
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            match LabelLine::parse(line, text) {
                Ok(Some(entry)) => {
                    if let Some(label) = &entry.label {
                        let is_new = names.insert(label.clone());
                        let message = || format!("the label `{label}` is defined twice");
                        ensure!(is_new, invalid(&file, line, &message()));
                    }
                    entries.push(entry);
                }
                Ok(None) => {}
                Err(message) => bail!(invalid(&file, line, &message)),
            }
        }
        entries.sort_by_key(|entry| entry.address);
        Ok(Labels { file, entries })
    }

    /// Adds the labels and notes to code.
    ///
    /// # Errors
    /// Fails if an address is outside the code, belongs to several kernels or is misaligned, or a label has the name of
    /// a symbol of the code.
    pub fn add<'a>(&'a self, code: &mut ListedCode<'a>) -> Result<()> {
        let symbols = code.sections.iter().flat_map(|section| &section.symbols);
        let taken: HashSet<&str> = symbols.map(|symbol| symbol.name).collect();
        for entry in &self.entries {
            let wrong = |message: String| invalid(&self.file, entry.line, &message);
            let address = entry.address;
            let mut places = code.sections.iter_mut().filter_map(|section| {
                let offset = address.checked_sub(section.address)?;
                (offset < section.bytes.len() as u64).then_some((section, offset))
            });
            let Some((section, offset)) = places.next() else {
                bail!(wrong(format!("there is no code at {address:#x}")));
            };
            ensure!(
                places.next().is_none(),
                wrong(format!(
                    "the code of several kernels has the address {address:#x}: choose one with --kernel"
                ))
            );
            ensure!(
                offset % WORD == 0,
                wrong(format!(
                    "no instruction begins at {address:#x}: their addresses are multiples of {WORD}"
                ))
            );
            if let Some(name) = &entry.label {
                let is_taken = taken.contains(name.as_str());
                ensure!(
                    !is_taken,
                    wrong(format!("the code already has a symbol `{name}`"))
                );
                section.symbols.push(ListedSymbol {
                    name,
                    offset,
                    size: 0,
                    data: 0,
                    global: false,
                    function: false,
                    before: "",
                    data_text: None,
                });
            }
            if let Some(note) = &entry.note {
                let text = note.as_str().into();
                section.notes.push(ListedNote { offset, text });
            }
        }
        for section in &mut code.sections {
            section.notes.sort_by_key(|note| note.offset);
        }
        Ok(())
    }
}

impl LabelLine {
    /// Parses a line; `None` if it is empty or a comment.
    ///
    /// # Errors
    /// Returns a message if the line is invalid.
    fn parse(line: usize, text: &str) -> Result<Option<LabelLine>, String> {
        let text = text.trim();
        if text.is_empty() || text.starts_with(COMMENT) {
            return Ok(None);
        }
        let (address, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let address = input::number(address)
            .map_err(|error| format!("`{address}` is not an address: {error}"))?;
        let rest = rest.trim_start();
        let end = rest
            .find(|c: char| c.is_whitespace() || c == COMMENT || c == QUOTE)
            .unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        if !name.is_empty() && !is_label(name) {
            return Err(format!(
                "`{name}` is not a label: a label has letters, digits, `_`, `.` and `$`, and does not begin with a digit"
            ));
        }
        let rest = rest.trim_start();
        let (note, rest) = match rest.strip_prefix(QUOTE) {
            Some(quoted) => match quoted.split_once(QUOTE) {
                Some((note, rest)) => (Some(note.to_owned()), rest.trim_start()),
                None => return Err("the note has no closing quote".to_owned()),
            },
            None => (None, rest),
        };
        if !rest.is_empty() && !rest.starts_with(COMMENT) {
            return Err(format!("unexpected `{rest}`: write a note in quotes"));
        }
        let label = (!name.is_empty()).then(|| name.to_owned());
        if label.is_none() && note.is_none() {
            return Err("a label, or a note in quotes, must follow the address".to_owned());
        }
        Ok(Some(LabelLine {
            line,
            address,
            label,
            note,
        }))
    }
}

/// True if a name needs no quotes as a label.
fn is_label(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '$');
    name != "."
        && name.starts_with(|c| is_letter(c) && c != '$')
        && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}
