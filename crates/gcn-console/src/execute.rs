//! Command execution: parses arguments and applies commands to the session.

use gcn_debug::{
    Evaluated, Expr, Format, Line, Place, Resume, Scalar, Session, Space, Stop, StopKind,
};

use crate::commands::{COMMANDS, Command, CommandRow, command, word};
use crate::focus_commands::{lane, scheduler, wave, workgroup};
use crate::named_places::NamedPlaces;
use crate::places::{self, Message, address, count, describe, parsed, stops_at};
use crate::show;
use crate::stop_commands::{
    add_breakpoint, add_watchpoint, catch, condition, delete, enable, ignore,
};
use gcn_report::printable;

/// Result of a command.
pub enum Executed {
    /// Text to print.
    Text(String),
    /// Decision to resume the run.
    Resume(Resume),
}

/// Console state that persists between stops.
#[derive(Default)]
pub struct Focus {
    /// Expressions printed at each stop, with their numbers and formats.
    displays: Vec<(u32, String, Format)>,
    displayed: u32,
    /// First line of the next listing.
    next_line: Option<Line>,
    /// Numbers of the breakpoints and watchpoints hit at the last stop.
    hits: Vec<u32>,
    /// Format and unit size of the last `x`.
    examined: Option<(Format, u64)>,
    /// Breakpoints by name; `None` if all launches run the same code.
    names: Option<NamedPlaces>,
}

/// Error for `run` while the program is already running.
const RUNS_ALREADY: &str = "the program is already running: continue resumes it, start stops at the next launch, quit ends the \
    program";
/// Number of source lines in a listing.
const LISTED: u32 = 10;
/// Number of instructions that `disassemble` lists from an address. Listings start at the address, because instructions
/// cannot be decoded backwards.
const INSTRUCTIONS: usize = 16;
/// Maximum size in bytes of a disassembled function.
const MAX_FUNCTION: u64 = 1 << 20;

impl Focus {
    /// Creates the state for a session inside a program that loads code and launches kernels itself.
    pub fn in_program() -> Focus {
        Focus {
            names: Some(NamedPlaces::default()),
            ..Focus::default()
        }
    }

    /// Resolves breakpoints by name in the code of a launch that is starting.
    pub fn begins(&self, session: &mut Session<'_, '_>) {
        if let Some(names) = &self.names {
            names.resolve(session);
        }
    }

    /// Updates the state after a stop.
    pub fn stopped(&mut self, session: &Session<'_, '_>, stop: &Stop) {
        let wave = session.wave();
        let line = wave.and_then(|wave| session.program().line(wave.pc));
        self.next_line = line.map(|line| Line {
            line: line.line.saturating_sub(LISTED / 2).max(1),
            ..line.clone()
        });
        self.hits = stop.numbers();
    }

    /// Formats the expressions printed at each stop.
    pub fn displays(&self, session: &Session<'_, '_>) -> String {
        let line = |(number, text, format): &(u32, String, Format)| {
            let value = show::value(session, text, *format);
            let value = value.unwrap_or_else(|error| format!("<{error}>"));
            format!("{number}: {} = {value}\n", printable(text))
        };
        self.displays.iter().map(line).collect()
    }
}

/// Executes a command.
///
/// # Errors
/// Returns a message for the user.
pub fn execute(
    focus: &mut Focus,
    session: &mut Session<'_, '_>,
    line: &str,
) -> Result<Executed, Message> {
    let word = word(line);
    let rest = line[word.len()..].trim();
    if line.is_empty() {
        return Ok(Executed::Text(String::new()));
    }
    let row = command(word).ok_or_else(|| {
        format!(
            "there is no command `{}`; help lists all",
            printable(if word.is_empty() { line } else { word })
        )
    })?;
    let text = match row.command {
        Command::Break | Command::Temporary => {
            let current = current_line(focus, session);
            let is_temporary = row.command == Command::Temporary;
            let names = focus.names.as_mut();
            add_breakpoint(current.as_ref(), session, rest, is_temporary, names)?
        }
        Command::Catch => catch(session, rest, focus.names.is_none())?,
        Command::Watch => add_watchpoint(session, rest)?,
        Command::Condition => condition(session, rest)?,
        Command::Ignore => ignore(session, rest)?,
        Command::Delete => delete(session, rest)?,
        Command::Enable => enable(session, rest, true)?,
        Command::Disable => enable(session, rest, false)?,
        Command::Info => info(session, rest)?,
        Command::Print => print(session, rest)?,
        Command::Display => display(focus, session, rest)?,
        Command::Undisplay => undisplay(focus, rest)?,
        Command::Set => set(session, rest)?,
        Command::Examine => examine(focus, session, rest)?,
        Command::Disassemble => disassemble(focus, session, rest)?,
        Command::List => list(focus, session, rest)?,
        Command::Backtrace => show::backtrace(session)?,
        Command::Wave => wave(session, rest)?,
        Command::Workgroup => workgroup(session, rest)?,
        Command::Lane => lane(session, rest)?,
        Command::Scheduler => scheduler(session, rest)?,
        Command::Echo => format!("{}\n", printable(rest)),
        Command::Help => help(rest)?,
        _ => return resume(focus, session, row.command, rest).map(Executed::Resume),
    };
    Ok(Executed::Text(text))
}

/// Executes commands that resume the run.
fn resume(
    focus: &Focus,
    session: &mut Session<'_, '_>,
    command: Command,
    rest: &str,
) -> Result<Resume, Message> {
    match command {
        Command::Quit => return Ok(Resume::Quit),
        Command::Start if focus.names.is_some() && session.is_running() => {
            session.set_stop_once(true);
            return Ok(Resume::Continue);
        }
        Command::Run if focus.names.is_some() && session.is_running() => {
            return Err(RUNS_ALREADY.to_owned());
        }
        Command::Run | Command::Start => {
            session.set_stop_once(command == Command::Start);
            return Ok(Resume::Restart);
        }
        // The program is waiting at its first launch.
        Command::Continue if !session.is_running() && focus.names.is_some() => {
            return Ok(Resume::Restart);
        }
        Command::Continue if !session.is_running() && !session.has_next_launch() => {
            return Err(no_launch(session));
        }
        Command::Continue => {
            if !rest.is_empty() {
                let passes = count(session, rest)?.saturating_sub(1);
                let mut is_used = false;
                for number in &focus.hits {
                    if let Some(stop) = session.stop_point_mut(*number) {
                        stop.ignored = passes;
                        is_used = true;
                    }
                }
                if !is_used {
                    return Err(
                        "continue takes a number only at a breakpoint or watchpoint".to_owned()
                    );
                }
            }
            return Ok(Resume::Continue);
        }
        _ => {}
    }
    if command == Command::Why {
        return why(session, rest);
    }
    let goes_back = matches!(
        command,
        Command::ReverseContinue
            | Command::ReverseFinish
            | Command::ReverseStep
            | Command::ReverseStepInstruction
    );
    if goes_back && let Some(lost) = session.past_is_lost() {
        return Err(lost.to_owned());
    }
    let pc = match session.wave() {
        Some(wave) => wave.pc,
        // Going back reruns the last launch.
        None if goes_back && !session.is_running() => 0,
        None => return Err(no_launch(session)),
    };
    let has_line = session.program().line(pc).is_some();
    if command == Command::Finish {
        return Ok(Resume::Finish);
    }
    if command == Command::Advance {
        let current = session.program().line(pc).cloned();
        return match stops_at(session, rest, current.as_ref())? {
            (StopKind::Addresses(addresses), _) if !rest.is_empty() && !addresses.is_empty() => {
                Ok(Resume::Until(addresses))
            }
            _ => Err("advance needs a symbol, a line or *ADDRESS".to_owned()),
        };
    }
    match command {
        Command::ReverseContinue => return Ok(Resume::BackToStop),
        Command::ReverseFinish => return Ok(Resume::BackToCall),
        _ => {}
    }
    let count = if rest.is_empty() {
        1
    } else {
        count(session, rest)?
    };
    if count == 0 {
        return Err("the number of steps is at least 1".to_owned());
    }
    Ok(match (command, has_line) {
        (Command::ReverseStep, true) => Resume::BackLines(count),
        (Command::ReverseStep | Command::ReverseStepInstruction, _) => Resume::Back(count),
        (Command::Step, true) => Resume::Lines { count, over: false },
        (Command::Next, true) => Resume::Lines { count, over: true },
        (Command::Next | Command::NextInstruction, _) => Resume::Instructions { count, over: true },
        _ => Resume::Instructions { count, over: false },
    })
}

/// Returns the error for commands that need a running launch.
fn no_launch(session: &Session<'_, '_>) -> Message {
    let remedy = if session.has_next_launch() {
        "continue"
    } else {
        "run or start"
    };
    format!("no launch is running: use {remedy}")
}

/// Executes `why`, which asks why an expression has its value.
fn why(session: &mut Session<'_, '_>, rest: &str) -> Result<Resume, Message> {
    let (depth, text) = slash(rest);
    let depth = match depth {
        "" => None,
        depth => match depth.parse::<u32>() {
            Ok(depth @ 1..) => Some(depth),
            _ => return Err(format!("`/{}` is not a number of levels", printable(depth))),
        },
    };
    if text.is_empty() {
        return Err("why needs a register, scc, an element or a place in LDS".to_owned());
    }
    let expr = parsed(session, text)?;
    let value = session.evaluate(&expr).map_err(|error| error.to_string())?;
    let target = session.resolve(&expr).map_err(|error| error.to_string())?;
    session
        .ask(text, &value, target, depth)
        .map_err(|error| error.to_string())?;
    Ok(Resume::Why)
}

/// Returns the source line of the wave in focus, or else the line at which the next listing starts.
fn current_line(focus: &Focus, session: &Session<'_, '_>) -> Option<Line> {
    let wave = session.wave();
    let here = wave.and_then(|wave| session.program().line(wave.pc));
    here.cloned().or_else(|| focus.next_line.clone())
}

fn info(session: &Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let mut words = rest.split_whitespace();
    let topic = words.next().unwrap_or_default();
    let names: Vec<&str> = words.collect();
    let topics = [
        "args",
        "breakpoints",
        "buffers",
        "dispatch",
        "files",
        "lanes",
        "line",
        "locals",
        "registers",
        "record",
        "symbols",
        "waves",
    ];
    let alias = match topic {
        "b" => "breakpoints",
        "watchpoints" => "breakpoints",
        "r" | "reg" | "regs" => "registers",
        "threads" | "thread" | "wave" => "waves",
        "lane" => "lanes",
        "source" => "line",
        other => other,
    };
    let found = topics
        .iter()
        .find(|it| !alias.is_empty() && it.starts_with(alias));
    Ok(match found.copied() {
        Some("breakpoints") => show::stop_points(session),
        Some("registers") => show::registers(session, &names)?,
        Some("waves") => show::waves(session),
        Some("lanes") => show::lanes(session)?,
        Some("dispatch") => show::dispatch(session),
        Some("line") => {
            let wave = session.wave().ok_or("no wave is running")?;
            format!("{}\n", describe(session, wave.pc))
        }
        Some("buffers") => {
            let line = |it: &gcn_debug::NamedBuffer| {
                let name = printable(&it.name);
                format!(
                    "{name}: {} x {} at {:#x}\n",
                    it.elements(),
                    it.ty.name(),
                    it.address
                )
            };
            session.buffers().iter().map(line).collect()
        }
        Some("record") => show::record(session)?,
        Some("symbols") => {
            let line =
                |it: &gcn_debug::Symbol| format!("{:#x} {}\n", it.address, printable(&it.name));
            session.program().symbols().iter().map(line).collect()
        }
        Some("files") => {
            let files = session.program().files();
            files
                .iter()
                .map(|file| format!("{}\n", printable(file)))
                .collect()
        }
        Some("args") => show::locals(session, true)?,
        Some(_) => show::locals(session, false)?,
        None => return Err(format!("info shows {}", topics.join(", "))),
    })
}

/// Splits text into the options after a leading slash, as in `/x`, and the rest.
fn slash(rest: &str) -> (&str, &str) {
    match rest.strip_prefix('/') {
        Some(behind) => {
            let end = behind.find(char::is_whitespace).unwrap_or(behind.len());
            (&behind[..end], behind[end..].trim())
        }
        None => ("", rest),
    }
}

fn format(letters: &str) -> Result<Format, Message> {
    let mut chars = letters.chars();
    match (chars.next(), chars.next()) {
        (None, _) => Ok(Format::Natural),
        (Some(letter), None) if letter != 'i' => Format::of_letter(letter).ok_or_else(|| {
            format!(
                "there is no format `{}`: d u x t f",
                letter.escape_default()
            )
        }),
        _ => Err(format!(
            "`/{}` is not a format: d u x t f",
            printable(letters)
        )),
    }
}

fn print(session: &Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let (letters, text) = slash(rest);
    let format = format(letters)?;
    if text.is_empty() {
        return Err("print needs an expression".to_owned());
    }
    let value = show::value(session, text, format)?;
    Ok(format!("{} = {value}\n", printable(text)))
}

fn display(focus: &mut Focus, session: &Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let (letters, text) = slash(rest);
    let format = format(letters)?;
    if text.is_empty() {
        return Ok(focus.displays(session));
    }
    parsed(session, text)?;
    focus.displayed += 1;
    let entry = (focus.displayed, text.to_owned(), format);
    focus.displays.push(entry.clone());
    let only = Focus {
        displays: vec![entry],
        ..Focus::default()
    };
    Ok(if session.is_running() {
        only.displays(session)
    } else {
        String::new()
    })
}

fn undisplay(focus: &mut Focus, rest: &str) -> Result<String, Message> {
    if rest.is_empty() {
        focus.displays.clear();
    }
    for word in rest.split_whitespace() {
        let number = word.parse::<u32>().ok();
        let before = focus.displays.len();
        focus.displays.retain(|(it, ..)| Some(*it) != number);
        if focus.displays.len() == before {
            return Err(format!("there is no display {}", printable(word)));
        }
    }
    Ok(String::new())
}

/// Returns the byte offset of the `=` in an assignment.
fn assignment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_part = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let is_before = before.is_some_and(|byte| matches!(byte, b'=' | b'!' | b'<' | b'>'));
        is_before || bytes.get(at + 1) == Some(&b'=')
    };
    text.match_indices('=')
        .map(|(at, _)| at)
        .find(|at| !is_part(*at))
}

fn set(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let text = rest
        .strip_prefix("var ")
        .or(rest.strip_prefix("variable "))
        .unwrap_or(rest);
    if let Some(mode) = text.strip_prefix("scheduler-locking") {
        let mode = match mode.trim() {
            "on" => "one",
            "off" => "all",
            other => {
                return Err(format!(
                    "scheduler-locking is on or off, not {}",
                    printable(other)
                ));
            }
        };
        return scheduler(session, mode);
    }
    let at = assignment(text).ok_or("set needs a place and a value, as set v3[5] = 7")?;
    let (place, value) = (text[..at].trim(), text[at + 1..].trim());
    let place = parsed(session, place)?;
    let value = parsed(session, value)?;
    let value = session
        .evaluate(&value)
        .map_err(|error| error.to_string())?;
    if let Some(value) = value.single(&session.view()) {
        let assigned = value.and_then(|value| session.assign(&place, value));
        assigned.map_err(|error| error.to_string())?;
        return Ok(String::new());
    }
    match (value, &place) {
        (
            Evaluated::Lanes(lanes),
            Expr::Place(Place::Vector {
                first,
                count,
                lane: None,
            }),
        ) => {
            let exec = session.wave().map_or(0, |wave| wave.exec());
            for (lane, value) in lanes.into_iter().enumerate() {
                if exec >> lane & 1 == 0 {
                    continue;
                }
                let lane = Expr::Number(Scalar::of_integer(lane as i128));
                let place = Expr::Place(Place::Vector {
                    first: *first,
                    count: *count,
                    lane: Some(lane.into()),
                });
                session
                    .assign(&place, value)
                    .map_err(|error| error.to_string())?;
            }
        }
        _ => return Err("the value is not a single number: name a lane or an element".to_owned()),
    }
    Ok(String::new())
}

fn examine(focus: &mut Focus, session: &Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let (letters, text) = slash(rest);
    let (mut format, mut size) = focus.examined.unwrap_or((Format::Hex, 4));
    let mut count: u64 = 1;
    let digits = letters
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(letters.len());
    if digits > 0 {
        count = letters[..digits]
            .parse()
            .map_err(|_| format!("{} is too large a count", &letters[..digits]))?;
    }
    for letter in letters[digits..].chars() {
        match letter {
            'b' => size = 1,
            'h' => size = 2,
            'w' => size = 4,
            'g' => size = 8,
            _ => {
                format = Format::of_letter(letter).ok_or_else(|| {
                    format!(
                        "`{}` is not a format or size: d u x t f i, b h w g",
                        letter.escape_default()
                    )
                })?;
            }
        }
    }
    if text.is_empty() {
        return Err("x needs an address, a buffer, or lds[OFFSET]".to_owned());
    }
    let (space, address) = address(session, text)?;
    focus.examined = Some((format, size));
    if format == Format::Instruction {
        if space != Space::Global || !session.program().has_code(address) {
            return Err(format!("{address:#x} is not in the code"));
        }
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        return Ok(show::disassembly(session, address & !3, u64::MAX, most));
    }
    show::memory(session, (space, address), count, size, format)
}

fn disassemble(focus: &Focus, session: &Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let program = session.program();
    let current = current_line(focus, session);
    let begin = match stops_at(session, rest, current.as_ref())? {
        (StopKind::Addresses(addresses), _) => addresses.first().copied().unwrap_or_default(),
        _ => return Err("disassemble needs a symbol, a line or *ADDRESS".to_owned()),
    };
    let symbol = program.symbol_at(begin);
    let start = symbol.map_or(begin, |symbol| symbol.address);
    let next = program
        .symbols()
        .iter()
        .filter(|it| !it.is_data)
        .map(|it| it.address);
    let next = next
        .filter(|address| *address > begin)
        .min()
        .unwrap_or(u64::MAX);
    let is_place = !rest.is_empty() && symbol.is_none_or(|symbol| symbol.address != begin);
    Ok(if is_place {
        show::disassembly(session, begin, next, INSTRUCTIONS)
    } else {
        show::disassembly(session, start, next.min(start + MAX_FUNCTION), usize::MAX)
    })
}

fn list(focus: &mut Focus, session: &Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let program = session.program();
    let current = current_line(focus, session);
    let first = if rest.is_empty() {
        match &focus.next_line {
            Some(line) => line.clone(),
            None => Line {
                file: program.files().into_iter().next().ok_or(
                    "the code has no debug information: disassemble lists its instructions",
                )?,
                line: 1,
            },
        }
    } else {
        let line = match places::source_line(session, rest, current.as_ref())? {
            Some(line) => line,
            None => {
                let functions = program.functions(rest);
                let symbol = functions
                    .first()
                    .ok_or_else(|| format!("no line or symbol is named {}", printable(rest)))?;
                let line = program.line(symbol.address);
                line.cloned()
                    .ok_or_else(|| format!("{} has no source line", printable(rest)))?
            }
        };
        Line {
            line: line.line.saturating_sub(LISTED / 2).max(1),
            ..line
        }
    };
    let text = show::source(session, &first, first.line, LISTED)?;
    focus.next_line = Some(Line {
        line: first.line.saturating_add(LISTED),
        ..first
    });
    Ok(text)
}

fn help(rest: &str) -> Result<String, Message> {
    let line = |row: &CommandRow| {
        let others = row.others.join(", ");
        let others = if others.is_empty() {
            others
        } else {
            format!(" ({others})")
        };
        format!("{}{others} {}\n", row.name, row.help)
    };
    if rest.is_empty() {
        return Ok(COMMANDS.iter().map(line).collect());
    }
    let row = command(rest).ok_or_else(|| format!("there is no command `{}`", printable(rest)))?;
    Ok(line(row))
}
