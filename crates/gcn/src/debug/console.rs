//! The console: reads commands while the run is stopped, and carries them out.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_debug::{FrontEnd, Resume, Session, Stop, WaveId};

use super::execute::{Executed, Focus, execute};
use super::lines::{Lines, PROMPT};
use super::show;

/// An error of the output, which ends the session.
pub type OutputError = Arc<Mutex<Option<io::Error>>>;

/// Commands of one stop are read from here, and their output is written there.
pub struct Console {
    /// Sources of lines, the one in use last.
    lines: Vec<Lines>,
    out: Box<dyn Write + Send>,
    error: OutputError,
    /// State of the commands.
    pub(super) focus: Focus,
    last_command: String,
    /// The wave and the symbol that were shown last.
    shown: Option<(WaveId, Option<String>)>,
    has_colours: bool,
}

impl Console {
    /// A console that reads the last source of lines first.
    pub fn new(
        lines: Vec<Lines>,
        out: Box<dyn Write + Send>,
        error: &OutputError,
        has_colours: bool,
    ) -> Console {
        Console {
            lines,
            out,
            error: error.clone(),
            focus: Focus::default(),
            last_command: String::new(),
            shown: None,
            has_colours,
        }
    }

    fn write(&mut self, text: &str) {
        let written = self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush());
        if let Err(error) = written {
            let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error);
        }
    }

    fn has_failed(&self) -> bool {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.is_some()
    }

    /// The next command; `None` at the end of all input.
    fn command(&mut self) -> Option<String> {
        loop {
            let lines = self.lines.last_mut()?;
            let is_terminal = lines.is_terminal();
            match lines.next() {
                Ok(Some(line)) => {
                    let line = line.trim().to_owned();
                    if is_terminal && line.is_empty() {
                        return Some(self.last_command.clone());
                    }
                    if line.is_empty() || line.starts_with('#') {
                        if is_terminal {
                            return Some(String::new());
                        }
                        continue;
                    }
                    if !is_terminal {
                        self.write(&format!("{PROMPT}{}\n", crate::render::printable(&line)));
                    }
                    self.last_command.clone_from(&line);
                    return Some(line);
                }
                Ok(None) => {
                    self.lines.pop();
                }
                Err(error) => {
                    self.write(&format!("error: cannot read commands: {error}\n"));
                    self.lines.pop();
                }
            }
        }
    }

    /// Carries commands out until one resumes the run.
    fn prompt(&mut self, session: &mut Session<'_, '_>) -> Resume {
        loop {
            if self.has_failed() {
                return Resume::Quit;
            }
            let Some(line) = self.command() else {
                return Resume::Quit;
            };
            match execute(&mut self.focus, session, &line) {
                Ok(Executed::Text(text)) => self.write(&text),
                Ok(Executed::Resume(resume)) => return resume,
                Err(message) => self.write(&format!("error: {message}\n")),
            }
        }
    }

    fn heading(&self, text: &str) -> String {
        if self.has_colours {
            format!("\u{1b}[1m{text}\u{1b}[0m\n")
        } else {
            format!("{text}\n")
        }
    }
}

impl FrontEnd for Console {
    fn stopped(&mut self, session: &mut Session<'_, '_>, stop: &Stop) -> Resume {
        let reason = show::reason(session, stop);
        let at = match stop {
            Stop::Fault(fault) => Some(fault.pc),
            _ => None,
        };
        let wave = session.wave().map(|wave| {
            let symbol = session.program().symbol_at(at.unwrap_or(wave.pc));
            (wave.id, symbol.map(|symbol| symbol.name.clone()))
        });
        let header = reason.is_some() || self.shown != wave;
        self.shown = wave;
        self.focus.stopped(session, stop);
        let mut text = reason.map_or_else(String::new, |reason| self.heading(&reason));
        text += &show::position(session, header, at);
        text += &self.focus.displays(session);
        self.write(&text);
        self.prompt(session)
    }

    fn passed(&mut self, session: &Session<'_, '_>, stop: &Stop) {
        if let Some(reason) = show::reason(session, stop) {
            self.write(&format!("{reason}\n"));
        }
    }

    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
        self.shown = None;
        self.prompt(session)
    }
}
