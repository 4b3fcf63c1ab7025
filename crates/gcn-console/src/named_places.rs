//! Breakpoints by name, for programs that load code at run time. Each launch resolves the names in its own code.

use std::path::PathBuf;

use gcn_debug::{Line, Session, StopKind};
use gcn_report::printable;

use crate::places::{Message, describe, source_line, stops_at};

/// Symbol or source line that a breakpoint refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceName {
    /// Location in console syntax.
    Text(String),
    /// Line of the source file at a path.
    SourceLine(PathBuf, u32),
}

impl PlaceName {
    /// Creates a name from a location as the user wrote it. Returns `None` for an address, and for the empty location, which
    /// is the current instruction. A line number without a file refers to the file of `current`, or else to the first file.
    ///
    /// # Errors
    /// Fails for a line number if the program has no debug information.
    pub fn new(
        session: &Session<'_, '_>,
        text: &str,
        current: Option<&Line>,
    ) -> Result<Option<PlaceName>, Message> {
        if text.is_empty() || text.starts_with('*') {
            return Ok(None);
        }
        if text.parse::<u32>().is_err() {
            return Ok(Some(PlaceName::Text(text.to_owned())));
        }
        let line = source_line(session, text, current)?;
        Ok(line.map(|it| PlaceName::Text(format!("{}:{}", it.file, it.line))))
    }

    /// Describes a name that was not found in any loaded code.
    pub fn description(&self) -> String {
        let name = match self {
            PlaceName::Text(text) => printable(text),
            PlaceName::SourceLine(path, line) => printable(&format!("{}:{line}", path.display())),
        };
        format!("{name}, not in any loaded code")
    }

    /// Finds the name in the loaded code. Returns its addresses and description.
    fn find(&self, session: &Session<'_, '_>) -> Option<(Vec<u64>, String)> {
        match self {
            PlaceName::Text(text) => match stops_at(session, text, None) {
                Ok((StopKind::Addresses(addresses), text)) => Some((addresses, text)),
                _ => None,
            },
            PlaceName::SourceLine(path, line) => {
                let program = session.program();
                let (_, addresses) = program.addresses(&program.file_at(path)?, *line)?;
                let text = describe(session, addresses.first().copied()?);
                Some((addresses, text))
            }
        }
    }

    /// Returns the kind for a breakpoint without addresses, which is never hit.
    pub fn nowhere() -> StopKind {
        StopKind::Addresses(Vec::new())
    }
}

/// Breakpoints by name, with their numbers.
#[derive(Clone, Default, Debug)]
pub struct NamedPlaces(Vec<(u32, PlaceName)>);

impl NamedPlaces {
    /// Adds a breakpoint.
    pub fn add(&mut self, number: u32, name: PlaceName) {
        self.0.push((number, name));
    }

    /// Removes a breakpoint.
    pub fn remove(&mut self, number: u32) {
        self.0.retain(|(it, _)| *it != number);
    }

    /// Resolves the breakpoints in the code of a launch. A breakpoint whose name is not found is not hit in that launch.
    pub fn resolve(&self, session: &mut Session<'_, '_>) {
        for (number, name) in &self.0 {
            if !session.stop_points().iter().any(|it| it.number == *number) {
                continue; // The breakpoint has been deleted.
            }
            let found = name.find(session);
            let Some(stop) = session.stop_point_mut(*number) else {
                continue;
            };
            match found {
                Some((addresses, text)) => {
                    stop.kind = StopKind::Addresses(addresses);
                    stop.text = text;
                }
                None => stop.kind = PlaceName::nowhere(),
            }
        }
    }
}
