//! Lines of commands: from a terminal, a pipe or a file.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

use anyhow::Result;
use gcn_runtime::data::MAX_SETTINGS_BYTES;
use reedline::{
    ColumnarMenu, DefaultCompleter, DefaultHinter, DefaultPrompt, DefaultPromptSegment, Emacs,
    KeyCode, KeyModifiers, MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    default_emacs_keybindings,
};

use super::commands::COMMANDS;
use crate::input;

/// Longest line of commands, in bytes.
const MAX_LINE: u64 = 1 << 16;

/// Prompt, as it is shown ahead of commands that are not typed.
pub const PROMPT: &str = "(gcn) ";

/// A source of lines.
pub enum Lines {
    /// A terminal, with history and completion.
    Terminal(Box<Reedline>),
    /// Lines that are given: options and files. At their end the session ends.
    Given(std::vec::IntoIter<String>),
    /// Standard input that is no terminal.
    Pipe,
}

impl Lines {
    /// Standard input: with a line editor if it is a terminal, which completes the names.
    pub fn standard(names: Vec<String>) -> Lines {
        if !io::stdin().is_terminal() {
            return Lines::Pipe;
        }
        let commands = COMMANDS.iter().map(|row| row.name.to_owned());
        let words: Vec<String> = commands.chain(names).collect();
        let mut completer = DefaultCompleter::with_inclusions(&['-', '_', '.', ':', '$']);
        completer.insert(words);
        let mut keys = default_emacs_keybindings();
        let complete = ReedlineEvent::UntilFound(vec![
            ReedlineEvent::Menu(MENU.to_owned()),
            ReedlineEvent::MenuNext,
        ]);
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
        let menu = ReedlineMenu::EngineCompleter(Box::new(ColumnarMenu::default().with_name(MENU)));
        let editor = Reedline::create()
            .with_completer(Box::new(completer))
            .with_hinter(Box::new(DefaultHinter::default()))
            .with_menu(menu)
            .with_quick_completions(true)
            .with_edit_mode(Box::new(Emacs::new(keys)));
        Lines::Terminal(Box::new(editor))
    }

    /// Lines of a file; `-` is standard input.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of_file(path: &Path) -> Result<Vec<String>> {
        let text = input::read_text(path, MAX_SETTINGS_BYTES)?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// True for a terminal.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Lines::Terminal(_))
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// Standard input cannot be read.
    pub fn next(&mut self) -> io::Result<Option<String>> {
        match self {
            Lines::Given(lines) => Ok(lines.next()),
            Lines::Pipe => {
                let mut line = Vec::new();
                let mut input = io::stdin().lock();
                let read = io::Read::take(&mut input, MAX_LINE).read_until(b'\n', &mut line)?;
                let text = String::from_utf8_lossy(&line);
                Ok((read > 0).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
            }
            Lines::Terminal(editor) => {
                let left = DefaultPromptSegment::Basic("(gcn".to_owned());
                let prompt = DefaultPrompt::new(left, DefaultPromptSegment::Empty);
                match editor.read_line(&ClosedPrompt(prompt))? {
                    Signal::Success(line) => Ok(Some(line)),
                    Signal::CtrlC => Ok(Some(String::new())),
                    _ => Ok(None),
                }
            }
        }
    }
}

/// Name of the menu of completions.
const MENU: &str = "completions";

/// Prompt that ends in a parenthesis.
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
