//! Breakpoints by name in a program that loads code while it runs: the code of each launch is searched for them.

use gcn_debug::{Line, Session, StopKind};
use gcn_report::printable;

use crate::places::{Message, source_line, stops_at};

/// A symbol or a source line that breakpoints name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceName(String);

impl PlaceName {
    /// Name that a place is written by; `None` for an address and for the place of the wave in focus. A line without a file is of that of
    /// `current`.
    ///
    /// # Errors
    /// A line without a file, where no file is known.
    pub fn new(
        session: &Session<'_, '_>,
        text: &str,
        current: Option<&Line>,
    ) -> Result<Option<PlaceName>, Message> {
        if text.is_empty() || text.starts_with('*') {
            return Ok(None);
        }
        if text.parse::<u32>().is_err() {
            return Ok(Some(PlaceName(text.to_owned())));
        }
        let line = source_line(session, text, current)?;
        Ok(line.map(|it| PlaceName(format!("{}:{}", it.file, it.line))))
    }

    /// Description where no code has the place.
    pub fn description(&self) -> String {
        format!("{}, which no code has yet", printable(&self.0))
    }

    /// Stop that no instruction has.
    pub fn nowhere(&self) -> StopKind {
        StopKind::Addresses(Vec::new())
    }
}

/// Breakpoints by name: their numbers and names.
#[derive(Clone, Default, Debug)]
pub struct NamedPlaces(Vec<(u32, PlaceName)>);

impl NamedPlaces {
    /// Adds a breakpoint.
    pub fn add(&mut self, number: u32, name: PlaceName) {
        self.0.push((number, name));
    }

    /// Moves the breakpoints to the places that the code of a launch has. One that the code does not have stops nothing in this launch.
    pub fn resolve(&self, session: &mut Session<'_, '_>) {
        for (number, name) in &self.0 {
            let found = match stops_at(session, &name.0, None) {
                Ok((StopKind::Addresses(addresses), text)) => Some((addresses, text)),
                _ => None,
            };
            let Some(stop) = session.stop_point_mut(*number) else {
                continue;
            };
            match found {
                Some((addresses, text)) => {
                    stop.kind = StopKind::Addresses(addresses);
                    stop.text = text;
                }
                None => stop.kind = name.nowhere(),
            }
        }
    }
}
