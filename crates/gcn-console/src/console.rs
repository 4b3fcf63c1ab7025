//! Debugger console that reads and executes commands while the run is stopped.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_debug::{FrontEnd, Resume, Session, Stop, WaveId};
use gcn_report::printable;

use crate::execute::{Executed, Focus, execute};
use crate::show;

/// Prompt, printed before the echo of a command that was not typed at a terminal.
pub const PROMPT: &str = "(gcn) ";

/// First output error, which ends the session.
pub type OutputError = Arc<Mutex<Option<io::Error>>>;

/// Line from a command source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    /// Text without the line terminator.
    pub text: String,
    /// True if the line was typed at a terminal, which has already echoed it.
    pub is_typed: bool,
}

/// Source of commands: a terminal, a pipe, a file or a connection.
pub trait CommandSource: Send {
    /// Returns the next line, or `None` at the end.
    ///
    /// # Errors
    /// Fails if the source cannot be read.
    fn next(&mut self) -> io::Result<Option<CommandLine>>;
}

/// Front end that reads commands from command sources and writes text.
pub struct Console {
    /// Stack of command sources; the last one is in use.
    sources: Vec<Box<dyn CommandSource>>,
    out: Box<dyn Write + Send>,
    error: OutputError,
    focus: Focus,
    last_command: String,
    /// Wave and symbol shown most recently.
    shown: Option<(WaveId, Option<String>)>,
    has_colours: bool,
}

impl Console {
    /// Creates a console that reads its sources from last to first. For a program that launches kernels itself, pass
    /// [`Focus::in_program`] as `focus`.
    pub fn new(
        sources: Vec<Box<dyn CommandSource>>,
        focus: Focus,
        out: Box<dyn Write + Send>,
        error: &OutputError,
        has_colours: bool,
    ) -> Console {
        Console {
            sources,
            out,
            error: error.clone(),
            focus,
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

    /// Returns the next command, or `None` when all sources are exhausted.
    fn command(&mut self) -> Option<String> {
        loop {
            let source = self.sources.last_mut()?;
            match source.next() {
                Ok(Some(CommandLine { text, is_typed })) => {
                    let line = text.trim().to_owned();
                    if is_typed && line.is_empty() {
                        return Some(self.last_command.clone());
                    }
                    if line.is_empty() || line.starts_with('#') {
                        if is_typed {
                            return Some(String::new());
                        }
                        continue;
                    }
                    if !is_typed {
                        self.write(&format!("{PROMPT}{}\n", printable(&line)));
                    }
                    self.last_command.clone_from(&line);
                    return Some(line);
                }
                Ok(None) => {
                    self.sources.pop();
                }
                Err(error) => {
                    self.write(&format!("error: cannot read commands: {error}\n"));
                    self.sources.pop();
                }
            }
        }
    }

    /// Executes commands until one resumes the run.
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

    fn begins(&mut self, session: &mut Session<'_, '_>) {
        self.focus.begins(session);
    }

    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
        self.shown = None;
        self.prompt(session)
    }
}
