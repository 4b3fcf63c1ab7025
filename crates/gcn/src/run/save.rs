//! Saving buffers to files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use gcn_args::bind::BufferView;
use gcn_runtime::hsa::Loaded;
use gcn_runtime::memory::Memory;

use super::option_values::NamedText;
use super::output::{ElementSelector, MemoryView};
use crate::outputs::FileIdentity;
use crate::problem::{OUTPUT_CONFLICT, Problem};
use crate::{input, outputs};

/// Buffer to save.
pub struct Save {
    /// Selector as written.
    name: String,
    view: MemoryView,
    path: PathBuf,
}

impl Save {
    /// Resolves the buffer, and checks that the file can be created.
    ///
    /// # Errors
    /// Fails as [`ElementSelector::unprinted`] and [`ElementSelector::find`] do, or if the path is a directory or its
    /// directory does not exist.
    pub fn new(given: &NamedText, buffers: &[BufferView], loaded: &Loaded) -> Result<Save> {
        let view = ElementSelector::unprinted(&given.name)?.find(buffers, loaded)?;
        let path = match &*given.value {
            input::STDIN => PathBuf::from(input::STDIN),
            path => given.path(path.as_ref()),
        };
        outputs::check_place(&path)?;
        Ok(Save {
            name: given.name.clone(),
            view,
            path,
        })
    }

    /// Selector of the buffer, as written.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Elements to save.
    pub fn view(&self) -> &MemoryView {
        &self.view
    }

    /// True if the buffer is written to standard output.
    pub fn is_for_stdout(&self) -> bool {
        self.path == Path::new(input::STDIN)
    }

    /// Writes the file. `out` is standard output.
    ///
    /// # Errors
    /// Fails if the file or standard output cannot be written.
    pub fn write(&self, memory: &Memory, out: &mut dyn Write) -> Result<()> {
        if self.is_for_stdout() {
            return Ok(self.write_to(out, memory)?);
        }
        outputs::write(&self.path, |file| self.write_to(file, memory))
    }

    fn write_to(&self, file: &mut dyn Write, memory: &Memory) -> io::Result<()> {
        let mut pieces = self.view.pieces(memory);
        pieces.try_for_each(|piece| file.write_all(&piece))
    }
}

/// Problems for outputs that share a file with another output or input. `others` are the outputs that are not buffers.
pub fn conflicts(
    saves: &[Save],
    others: &[(&'static str, Option<&Path>)],
    inputs: &[PathBuf],
) -> Vec<Problem> {
    let inputs: Vec<(&PathBuf, FileIdentity)> = inputs
        .iter()
        .filter_map(|path| Some((path, FileIdentity::of(path)?)))
        .collect();
    let mut seen: Vec<(String, FileIdentity)> = Vec::new();
    let mut messages = Vec::new();
    let saved = saves.iter().map(|save| {
        let name = save.name.clone();
        (format!("save {name}"), name, &*save.path)
    });
    let others = others.iter().filter_map(|(name, path)| {
        let path = (*path)?;
        Some(((*name).to_owned(), format!("the {name}"), path))
    });
    for (output, name, path) in saved.chain(others) {
        let Some(identity) = FileIdentity::of(path) else {
            continue;
        };
        let message = |rest: String| {
            let message = format!("{output}: {} {rest}", input::name(path));
            Problem::new(OUTPUT_CONFLICT, message)
        };
        if let Some((input, _)) = inputs.iter().find(|(_, input)| *input == identity) {
            messages.push(message(format!("is the input {}", input::name(input))));
        }
        if let Some((other, _)) = seen.iter().find(|(_, other)| *other == identity) {
            messages.push(message(format!("is already the output of {other}")));
        }
        seen.push((name, identity));
    }
    messages
}
