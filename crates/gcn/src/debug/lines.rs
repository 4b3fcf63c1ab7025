//! Command lines from a terminal, a pipe or a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use gcn_runtime::data::MAX_SETTINGS_BYTES;
use reedline::{
    ColumnarMenu, Completer, DefaultCompleter, DefaultHinter, DefaultPrompt, DefaultPromptSegment,
    Emacs, KeyCode, KeyModifiers, MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    Suggestion, default_emacs_keybindings,
};

use gcn_console::commands::COMMANDS;
use gcn_console::console::{CommandLine, CommandSource, PROMPT};

use crate::input;
use crate::render::tell;

/// Maximum length in bytes of a line that is read without a line editor, excluding the newline.
const MAX_LINE: u64 = 1 << 16;

pub enum Lines {
    /// Terminal with history and completion.
    Terminal(Box<Reedline>),
    /// Terminal without a line editor. Prompts go to standard error.
    Plain(BufReader<File>),
    /// Lines from options and files.
    Given(std::vec::IntoIter<String>),
    /// Standard input that is not a terminal.
    Pipe,
}

impl Lines {
    /// Reads standard input. At a terminal, a line editor completes `names`.
    pub fn standard(names: Vec<String>) -> Lines {
        if io::stdin().is_terminal() && Lines::can_edit() {
            Lines::terminal(&Names::new(names), None)
        } else {
            Lines::Pipe
        }
    }

    /// True if a line editor can be used: it queries the terminal through standard output.
    pub fn can_edit() -> bool {
        io::stdout().is_terminal()
    }

    /// Opens a line editor that completes `names`. Setting `ends` ends the input.
    pub fn terminal(names: &Names, ends: Option<Arc<AtomicBool>>) -> Lines {
        let mut keys = default_emacs_keybindings();
        let complete = ReedlineEvent::UntilFound(vec![
            ReedlineEvent::Menu(MENU.to_owned()),
            ReedlineEvent::MenuNext,
        ]);
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
        let menu = ReedlineMenu::EngineCompleter(Box::new(ColumnarMenu::default().with_name(MENU)));
        let editor = Reedline::create()
            .with_completer(Box::new(names.clone()))
            .with_hinter(Box::new(DefaultHinter::default()))
            .with_menu(menu)
            .with_quick_completions(true)
            .with_edit_mode(Box::new(Emacs::new(keys)));
        Lines::Terminal(Box::new(match ends {
            Some(flag) => editor.with_break_signal(flag),
            None => editor,
        }))
    }

    /// Reads the lines of a file; `-` is standard input.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn of_file(path: &Path) -> Result<Vec<String>> {
        let text = input::read_text(path, MAX_SETTINGS_BYTES)?;
        Ok(text.lines().map(str::to_owned).collect())
    }
}

impl CommandSource for Lines {
    fn next(&mut self) -> io::Result<Option<CommandLine>> {
        let is_typed = matches!(self, Lines::Terminal(_) | Lines::Plain(_));
        Ok(self.text()?.map(|text| CommandLine { text, is_typed }))
    }
}

impl Lines {
    /// Returns the next line; `None` at the end.
    fn text(&mut self) -> io::Result<Option<String>> {
        match self {
            Lines::Given(lines) => Ok(lines.next()),
            Lines::Pipe => piped_line(&mut io::stdin().lock()),
            Lines::Plain(terminal) => {
                tell(format_args!("{PROMPT}"));
                piped_line(terminal)
            }
            Lines::Terminal(editor) => {
                let left = DefaultPromptSegment::Basic("(gcn".to_owned());
                let prompt = DefaultPrompt::new(left, DefaultPromptSegment::Empty);
                let prompt = ClosedPrompt(prompt);
                loop {
                    match editor.read_line(&prompt)? {
                        Signal::Success(line) => return Ok(Some(line)),
                        // The line is discarded.
                        Signal::CtrlC => {}
                        _ => return Ok(None),
                    }
                }
            }
        }
    }
}

/// Reads a line; `None` at the end.
///
/// # Errors
/// Fails if the input cannot be read, or the line is longer than [`MAX_LINE`].
fn piped_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = io::Read::take(input, MAX_LINE + 1).read_until(b'\n', &mut line)?;
    if read as u64 > MAX_LINE && !line.ends_with(b"\n") {
        let message = format!("a line is longer than {} KiB", MAX_LINE >> 10);
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let text = String::from_utf8_lossy(&line);
    Ok((read > 0).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// Completions at a terminal: commands, and a replaceable list of names.
#[derive(Clone)]
pub struct Names(Arc<Mutex<DefaultCompleter>>);

impl Names {
    /// Creates completions for commands and `names`.
    pub fn new(names: Vec<String>) -> Names {
        Names(Arc::new(Mutex::new(completer(names))))
    }

    /// Replaces the names.
    pub fn replace(&self, names: Vec<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = completer(names);
    }
}

fn completer(names: Vec<String>) -> DefaultCompleter {
    let commands = COMMANDS.iter().map(|row| row.name.to_owned());
    let mut completer = DefaultCompleter::with_inclusions(&['-', '_', '.', ':', '$']);
    completer.insert(commands.chain(names).collect());
    completer
}

impl Completer for Names {
    fn complete(&mut self, line: &str, position: usize) -> Vec<Suggestion> {
        let mut completer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        completer.complete(line, position)
    }
}

/// Reedline's name for the completion menu.
const MENU: &str = "completions";

/// Prompt that ends with a parenthesis.
struct ClosedPrompt(DefaultPrompt);

impl reedline::Prompt for ClosedPrompt {
    fn render_prompt_left(&self) -> std::borrow::Cow<'_, str> {
        self.0.render_prompt_left()
    }

    fn render_prompt_right(&self) -> std::borrow::Cow<'_, str> {
        self.0.render_prompt_right()
    }

    fn render_prompt_indicator(
        &self,
        _mode: reedline::PromptEditMode,
    ) -> std::borrow::Cow<'_, str> {
        ") ".into()
    }

    fn render_prompt_multiline_indicator(&self) -> std::borrow::Cow<'_, str> {
        "> ".into()
    }

    fn render_prompt_history_search_indicator(
        &self,
        search: reedline::PromptHistorySearch,
    ) -> std::borrow::Cow<'_, str> {
        self.0.render_prompt_history_search_indicator(search)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_refused_whole() {
        let longest = "x".repeat(MAX_LINE as usize);
        let text = format!("run\r\n\n{longest}\n{longest}");
        let mut input = text.as_bytes();
        let mut next = || piped_line(&mut input).expect("a line");
        assert_eq!(next().as_deref(), Some("run"));
        assert_eq!(next().as_deref(), Some(""));
        assert!(next().is_some_and(|line| line == longest));
        assert!(next().is_some_and(|line| line == longest));
        assert_eq!(next(), None);
        let longer = format!("{longest}run\n");
        let error = piped_line(&mut longer.as_bytes()).expect_err("it is too long");
        assert_eq!(error.to_string(), "a line is longer than 64 KiB");
    }
}
