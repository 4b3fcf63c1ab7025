//! Console commands: names, abbreviations and help.

/// Console command. [`COMMANDS`] describes each one.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    Advance,
    Backtrace,
    Break,
    Catch,
    Condition,
    Continue,
    Delete,
    Disable,
    Disassemble,
    Display,
    Echo,
    Enable,
    Examine,
    Finish,
    Help,
    Ignore,
    Info,
    Lane,
    List,
    Next,
    NextInstruction,
    Print,
    Quit,
    ReverseContinue,
    ReverseFinish,
    ReverseStep,
    ReverseStepInstruction,
    Run,
    Scheduler,
    Set,
    Start,
    Step,
    StepInstruction,
    Temporary,
    Undisplay,
    Watch,
    Wave,
    Why,
    Workgroup,
}

/// Entry of the command table.
pub struct CommandRow {
    /// Command that the entry describes.
    pub command: Command,
    /// Full name.
    pub name: &'static str,
    /// Abbreviations and aliases.
    pub others: &'static [&'static str],
    /// Arguments and purpose, for `help`.
    pub help: &'static str,
}

use Command as C;

const fn row(
    command: Command,
    name: &'static str,
    others: &'static [&'static str],
    help: &'static str,
) -> CommandRow {
    CommandRow {
        command,
        name,
        others,
        help,
    }
}

/// All commands. An ambiguous prefix selects the first match.
#[rustfmt::skip]
pub const COMMANDS: &[CommandRow] = &[
    row(C::Advance,                "advance",             &["until", "u"],       "PLACE: run the wave in focus until it \
        reaches a place"),
    row(C::Backtrace,              "backtrace",           &["bt", "where"],      "show the function of the wave in focus, and \
        the inlined calls"),
    row(C::Break,                  "break",               &["b"],                "[PLACE] [if EXPR]: stop at a symbol, FILE:LINE, a line, *ADDRESS, or an instruction such as s_barrier or ds_*"),
    row(C::Catch,                  "catch",               &[],                   "[NAME...]: stop only at these: `fault`, \
        checkers of --check, `launch` (start of a launch), `end` (its end); `all` faults and findings; `none`; without names, \
        list them"),
    row(C::Condition,              "condition",           &["cond"],             "N [EXPR]: set the condition of a breakpoint, or remove it"),
    row(C::Continue,               "continue",            &["c", "fg"],          "[N]: run to the next stop; with N, ignore the breakpoint N - 1 times"),
    row(C::Delete,                 "delete",              &["d"],                "[N|N-M...]: delete breakpoints and watchpoints, all without numbers"),
    row(C::Disable,                "disable",             &[],                   "[N|N-M...]: keep breakpoints from stopping"),
    row(C::Disassemble,            "disassemble",         &["disas"],            "[PLACE]: list the instructions of the function, or around a place"),
    row(C::Display,                "display",             &[],                   "EXPR: print an expression at each stop"),
    row(C::Echo,                   "echo",                &[],                   "TEXT: print TEXT"),
    row(C::Enable,                 "enable",              &[],                   "[N|N-M...]: let breakpoints stop again"),
    row(C::Examine,                "x",                   &[],                   "[/COUNT FORMAT SIZE] ADDRESS: show memory; formats d u x t f i, sizes b h w g; lds[0x10] is LDS"),
    row(C::Finish,                 "finish",              &["fin"],              "run until the function of the wave in focus returns, or the wave ends"),
    row(C::Help,                   "help",                &["h"],                "[COMMAND]: show this list, or one line of it"),
    row(C::Ignore,                 "ignore",              &[],                   "N COUNT: let a breakpoint pass COUNT times"),
    row(C::Info,                   "info",                &["i"],                "locals, args, registers [NAME...], buffers, breakpoints, waves, lanes, dispatch, line, symbols, files, record"),
    row(C::Lane,                   "lane",                &[],                   "[N]: show or choose the lane in focus"),
    row(C::List,                   "list",                &["l"],                "[LINE | FILE:LINE | SYMBOL]: show source lines"),
    row(C::Next,                   "next",                &["n"],                "[N]: execute source lines, stepping over \
        calls"),
    row(C::NextInstruction,        "nexti",               &["ni"],               "[N]: execute instructions, stepping over \
        calls"),
    row(C::Print,                  "print",               &["p", "inspect"],     "[/FORMAT] EXPR: print variables, registers, buffers, memory: p->x, v3[5], s[4:5], ys[3], *(f32*)ADDRESS, any(v3 > 7)"),
    row(C::Quit,                   "quit",                &["q", "exit"],        "end the session"),
    row(C::ReverseContinue,        "reverse-continue",    &["rc"],               "go back to the previous stop, even after the \
        launches have ended"),
    row(C::ReverseFinish,          "reverse-finish",      &["rfin"],             "go back to the call of the current function, \
        or to the start of the wave in focus"),
    row(C::ReverseStep,            "reverse-step",        &["rs"],               "[N]: go back by source lines"),
    row(C::ReverseStepInstruction, "reverse-stepi",       &["rsi"],              "[N]: go back by instructions"),
    row(C::Run,                    "run",                 &["r"],                "start the launches, or restart them"),
    row(C::Scheduler,              "scheduler",           &[],                   "[all | one]: let all waves run, or only the one in focus"),
    row(C::Set,                    "set",                 &[],                   "[var] PLACE = EXPR: change a register, EXEC, the program counter or memory"),
    row(C::Start,                  "start",               &["starti"],           "start the launches and stop before the first \
        instruction"),
    row(C::Step,                   "step",                &["s"],                "[N]: execute source lines, stepping into \
        called functions"),
    row(C::StepInstruction,        "stepi",               &["si"],               "[N]: execute instructions"),
    row(C::Temporary,              "tbreak",              &["tb"],               "[PLACE] [if EXPR]: stop once"),
    row(C::Undisplay,              "undisplay",           &[],                   "[N...]: stop printing expressions at each stop"),
    row(C::Watch,                  "watch",               &["wa"],               "EXPR [if EXPR]: stop when a register, a buffer, elements ys[2..5] or memory changes"),
    row(C::Wave,                   "wave",                &["thread", "t"],      "[N]: show or choose the wave in focus, in its workgroup"),
    row(C::Why,                    "why",                 &[],                   "[/DEPTH] PLACE: explain the value of a register, scc, an element or LDS: why v3, why s[4:5], why ys[3]"),
    row(C::Workgroup,              "workgroup",           &["group"],            "[X[,Y[,Z]]]: show or choose the workgroup in focus"),
];

/// Finds a command by name, alias or name prefix.
pub fn command(word: &str) -> Option<&'static CommandRow> {
    let is_exact = |row: &&CommandRow| row.name == word || row.others.contains(&word);
    let begins = |row: &&CommandRow| !word.is_empty() && row.name.starts_with(word);
    let exact = COMMANDS.iter().find(is_exact);
    exact.or_else(|| COMMANDS.iter().find(begins))
}

/// True if the first word of a line is a command name, an alias or a prefix of a name.
pub fn is_command(line: &str) -> bool {
    command(word(line)).is_some()
}

/// Returns the first word of a line.
pub fn word(line: &str) -> &str {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let end = line.find(|c| !is_name(c)).unwrap_or(line.len());
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_those_of_gdb() {
        for (word, expected) in [
            ("b", C::Break),
            ("s", C::Step),
            ("si", C::StepInstruction),
            ("n", C::Next),
            ("ni", C::NextInstruction),
            ("c", C::Continue),
            ("p", C::Print),
            ("x", C::Examine),
            ("i", C::Info),
            ("inf", C::Info),
            ("l", C::List),
            ("d", C::Delete),
            ("dis", C::Disable),
            ("disas", C::Disassemble),
            ("r", C::Run),
            ("rsi", C::ReverseStepInstruction),
            ("q", C::Quit),
            ("fin", C::Finish),
            ("tb", C::Temporary),
        ] {
            assert_eq!(
                command(word).map(|row| row.command),
                Some(expected),
                "{word}"
            );
        }
        assert!(command("frobnicate").is_none() && command("").is_none());
    }

    #[test]
    fn every_name_is_of_one_command() {
        for row in COMMANDS {
            for name in row.others.iter().chain([&row.name]) {
                let found = command(name).map(|row| row.command);
                assert_eq!(found, Some(row.command), "{name}");
            }
        }
    }
}
