//! Client breakpoints: each request replaces all breakpoints of its kind, and unchanged ones keep their numbers and
//! hit counts.

use std::path::Path;
use std::sync::Arc;

use gcn_debug::{Line, Session, StopKind, Watched, WaveId};

use super::protocol::{Breakpoint, Refusal, Source, WantedBreakpoint};
use super::references::{SourceNames, find_thread, thread_id};
use crate::named_places::{NamedPlaces, PlaceName};
use crate::places::{describe, parsed, stops_at};
use crate::stop_commands::watched;

/// Maximum number of breakpoints per client.
const MAX_BREAKPOINTS: usize = 4096;
/// Message for a breakpoint whose location is not in the code of the current launch.
const ABSENT: &str = "not in the code of this launch; looked up again at the next";

/// Kind of breakpoint: the request that sets it, and its source if it has one. Each request replaces all breakpoints of
/// its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `setBreakpoints` for a source.
    Source(String),
    /// `setFunctionBreakpoints`.
    Functions,
    /// `setInstructionBreakpoints`.
    Instructions,
    /// `setDataBreakpoints`.
    Data,
}

/// Breakpoint that has been set.
struct Entry {
    kind: Kind,
    wanted: WantedBreakpoint,
    number: u32,
    answer: Breakpoint,
}

/// Breakpoints of a client.
#[derive(Default)]
pub struct Breakpoints {
    entries: Vec<Entry>,
    /// Names of lines and functions, for programs that load code at run time.
    names: Option<NamedPlaces>,
}

/// Location of a breakpoint, or value that a data breakpoint watches.
enum Place {
    Stop(StopKind, String),
    Watch(String, Watched, Option<(WaveId, u8)>),
}

impl Place {
    /// Returns a placeholder location for a name that is not in any loaded code.
    fn pending(name: &PlaceName) -> Place {
        Place::Stop(PlaceName::nowhere(), name.description())
    }
}

impl Breakpoints {
    /// Creates the table for a session inside a program. Each launch looks up lines and functions in its own code.
    pub fn in_program() -> Breakpoints {
        Breakpoints {
            names: Some(NamedPlaces::default()),
            ..Breakpoints::default()
        }
    }

    /// Looks up lines, functions and instructions in the code of a launch. Returns the breakpoints whose state has changed.
    pub fn resolve(&mut self, session: &mut Session<'_, '_>) -> Vec<Breakpoint> {
        let Some(names) = &self.names else {
            return Vec::new();
        };
        names.resolve(session);
        let mut changed = Vec::new();
        for entry in &mut self.entries {
            let stop = session
                .stop_points()
                .iter()
                .find(|it| it.number == entry.number);
            let Some(StopKind::Addresses(addresses)) = stop.map(|it| &it.kind) else {
                continue;
            };
            let first = addresses.first().copied();
            let present = first.filter(|first| session.program().has_code(*first));
            let reference = first.map(|first| format!("{first:#x}"));
            let answer = &mut entry.answer;
            if (answer.verified, &answer.instruction_reference) == (present.is_some(), &reference) {
                continue;
            }
            answer.verified = present.is_some();
            answer.message = present.is_none().then(|| ABSENT.to_owned());
            answer.instruction_reference = reference;
            if let (Kind::Source(_), Some(line)) = (
                &entry.kind,
                first.and_then(|first| session.program().line(first)),
            ) {
                answer.line = Some(line.line);
            }
            changed.push(answer.clone());
        }
        changed
    }

    /// Replaces the breakpoints of a kind. Line numbers start at 1.
    pub fn replace(
        &mut self,
        (session, sources): (&mut Session<'_, '_>, &SourceNames),
        kind: &Kind,
        source: &Source,
        wanted: Vec<WantedBreakpoint>,
    ) -> Vec<Breakpoint> {
        let (mut old, others) = std::mem::take(&mut self.entries)
            .into_iter()
            .partition::<Vec<_>, _>(|it| it.kind == *kind);
        self.entries = others;
        let mut answers = Vec::new();
        for wanted in wanted {
            let known = |it: &Entry| {
                // The user may have deleted the breakpoint with a console command.
                let is_there = || session.stop_points().iter().any(|s| s.number == it.number);
                it.wanted == wanted && is_there()
            };
            if let Some(place) = old.iter().position(known) {
                let entry = old.swap_remove(place);
                answers.push(entry.answer.clone());
                self.entries.push(entry);
                continue;
            }
            let full = self.entries.len() >= MAX_BREAKPOINTS;
            let answer = if full {
                Err(format!("there are {MAX_BREAKPOINTS} breakpoints already"))
            } else {
                set(
                    (session, sources),
                    kind,
                    source,
                    &wanted,
                    self.names.as_mut(),
                )
            };
            match answer {
                Ok(answer) => {
                    answers.push(answer.clone());
                    self.entries.push(Entry {
                        kind: kind.clone(),
                        wanted,
                        number: answer.id.unwrap_or_default(),
                        answer,
                    });
                }
                Err(message) => answers.push(refused(message)),
            }
        }
        for entry in old {
            session.delete(entry.number);
            if let Some(names) = &mut self.names {
                names.remove(entry.number);
            }
        }
        answers
    }

    /// Resets the hit counts for a rerun of the launches.
    pub fn restart(&self, session: &mut Session<'_, '_>) {
        for entry in &self.entries {
            if let Some(stop) = session.stop_point_mut(entry.number) {
                stop.hits = 0;
                // The hit condition was valid when the breakpoint was set.
                stop.ignored = ignored(entry.wanted.hit_condition.as_deref()).unwrap_or(0);
            }
        }
    }

    /// Returns the `reason` of the `stopped` event for a breakpoint.
    pub fn reason(&self, number: u32) -> &'static str {
        let entry = self.entries.iter().find(|it| it.number == number);
        match entry.map(|it| &it.kind) {
            Some(Kind::Functions) => "function breakpoint",
            Some(Kind::Instructions) => "instruction breakpoint",
            Some(Kind::Data) => "data breakpoint",
            Some(Kind::Source(_)) | None => "breakpoint",
        }
    }
}

/// Returns the response for a breakpoint that cannot be set.
pub fn refused(message: Refusal) -> Breakpoint {
    Breakpoint {
        message: Some(message),
        ..Breakpoint::default()
    }
}

/// Sets a breakpoint. If `names` is given, later launches look up a line or function that the current code lacks.
fn set(
    (session, sources): (&mut Session<'_, '_>, &SourceNames),
    kind: &Kind,
    source: &Source,
    wanted: &WantedBreakpoint,
    names: Option<&mut NamedPlaces>,
) -> Result<Breakpoint, Refusal> {
    let condition = match wanted.condition.as_deref().map(str::trim) {
        None | Some("") => None,
        Some(text) => Some((parsed(session, text)?, text.to_owned())),
    };
    let ignored = ignored(wanted.hit_condition.as_deref())?;
    let mut answer = Breakpoint::default();
    let mut name = None;
    let mut missing = None;
    let place = match kind {
        Kind::Source(_) => {
            let number = line_number(wanted.line)?;
            answer.source = Some(source.clone());
            name = match source.source_reference.filter(|it| *it > 0) {
                Some(reference) => {
                    let file = sources.find(reference)?;
                    Some(PlaceName::Text(format!("{file}:{number}")))
                }
                None => {
                    let path = source.path.as_ref();
                    path.map(|path| PlaceName::SourceLine(path.into(), number))
                }
            };
            match (line((session, sources), source, number), &name) {
                (Ok((line, addresses)), _) => {
                    answer.line = Some(line.line);
                    let first = addresses.first().copied().unwrap_or_default();
                    answer.instruction_reference = Some(format!("{first:#x}"));
                    let description = describe(session, first);
                    Place::Stop(StopKind::Addresses(addresses), description)
                }
                (Err(reason), Some(name)) if names.is_some() => {
                    answer.line = Some(number);
                    missing = Some(reason);
                    Place::pending(name)
                }
                (Err(reason), _) => return Err(reason),
            }
        }
        Kind::Functions => {
            let text = wanted.name.trim();
            if text.is_empty() {
                return Err("a function breakpoint needs a name".to_owned());
            }
            name = PlaceName::new(session, text, None)?;
            match (stops_at(session, text, None), &name) {
                (Ok((stop, description)), _) => {
                    if let StopKind::Addresses(addresses) = &stop {
                        let first = addresses.first();
                        answer.instruction_reference = first.map(|first| format!("{first:#x}"));
                    } else {
                        name = None;
                    }
                    Place::Stop(stop, description)
                }
                (Err(reason), Some(name)) if names.is_some() => {
                    missing = Some(reason);
                    Place::pending(name)
                }
                (Err(reason), _) => return Err(reason),
            }
        }
        Kind::Instructions => {
            let base = address(&wanted.instruction_reference)?;
            let address = base.wrapping_add_signed(wanted.offset);
            if !session.program().has_code(address) || !address.is_multiple_of(4) {
                return Err(format!(
                    "{address:#x} is not the address of an instruction of the program"
                ));
            }
            answer.instruction_reference = Some(format!("{address:#x}"));
            let description = describe(session, address);
            Place::Stop(StopKind::Addresses(vec![address]), description)
        }
        Kind::Data => data(session, wanted)?,
    };
    let number = match place {
        Place::Stop(stop, description) => session.add_breakpoint(&description, stop, false).number,
        Place::Watch(text, watched, wave) => {
            let before = (session.focus(), session.lane());
            if let Some((wave, lane)) = wave {
                session.set_focus(wave);
                session.set_lane(lane.into());
            }
            let stop = session.add_watchpoint(&text, watched);
            let number = stop.map(|stop| stop.number);
            if let Some(wave) = before.0 {
                session.set_focus(wave);
            }
            session.set_lane(before.1.into());
            number.map_err(|error| error.to_string())?
        }
    };
    if let Some(stop) = session.stop_point_mut(number) {
        stop.condition = condition;
        stop.ignored = ignored;
    }
    if let (Some(names), Some(name)) = (names, name) {
        names.add(number, name);
    }
    answer.id = Some(number);
    answer.verified = missing.is_none();
    answer.message = missing;
    Ok(answer)
}

fn line_number(line: i64) -> Result<u32, Refusal> {
    let line = u32::try_from(line).ok().filter(|line| *line > 0);
    line.ok_or_else(|| "line numbers start at 1".to_owned())
}

/// Resolves a source line, or the next one with code, to its addresses.
fn line(
    (session, sources): (&Session<'_, '_>, &SourceNames),
    source: &Source,
    line: u32,
) -> Result<(Line, Vec<u64>), Refusal> {
    let program = session.program();
    let file = file(session, sources, source)?;
    let found = program.addresses(&file, line);
    found.ok_or_else(|| format!("line {line} and the lines after it have no code"))
}

/// Returns the file in the debug information that corresponds to a source.
///
/// # Errors
/// Fails if the program has no debug information, or no code from the source.
pub fn file(
    session: &Session<'_, '_>,
    names: &SourceNames,
    source: &Source,
) -> Result<Arc<str>, Refusal> {
    let program = session.program();
    if !program.has_lines() {
        return Err("the code has no debug information: compile or assemble it with -g".to_owned());
    }
    let files = program.files();
    if let Some(number) = source.source_reference.filter(|number| *number > 0) {
        let name = names.find(number)?;
        if !files.contains(&name) {
            return Err(format!("the code of this launch has no source {name}"));
        }
        return Ok(name);
    }
    let path = source.path.as_deref().or(source.name.as_deref());
    let path = path.ok_or("a source needs a path")?;
    program.file_at(Path::new(path)).ok_or_else(|| {
        let files: Vec<&str> = files.iter().map(|it| &**it).collect();
        format!(
            "the program has no code of {path}; there are {}",
            files.join(", ")
        )
    })
}

/// Parses an address: hexadecimal with `0x`, as in responses, or decimal.
///
/// # Errors
/// Fails if the text is not an address.
pub fn address(text: &str) -> Result<u64, Refusal> {
    let digits = text.strip_prefix("0x");
    let found = match digits {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    found.map_err(|_| format!("`{text}` is not an address"))
}

/// Returns the number of hits to ignore for a hit condition such as `3`, `>= 3` or `> 2`.
fn ignored(condition: Option<&str>) -> Result<u64, Refusal> {
    let text = condition.unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(0);
    }
    let (digits, more) = match (text.strip_prefix(">="), text.strip_prefix('>')) {
        (Some(digits), _) => (digits, 0),
        (None, Some(digits)) => (digits, 1),
        (None, None) => (text, 0),
    };
    let number = digits.trim().parse::<u64>().ok();
    let number = number.and_then(|number| number.checked_add(more)?.checked_sub(1));
    number.ok_or_else(|| {
        format!("`{text}` is not a hit condition: N or >= N stops at hit N and later")
    })
}

/// Returns the data ID for `setDataBreakpoints`: `THREAD/LANE/EXPRESSION`. The thread is 0 if the expression does not
/// depend on a wave.
///
/// # Errors
/// Fails if the text is not an expression, or if it cannot be evaluated.
pub fn data_id(session: &Session<'_, '_>, text: &str) -> Result<String, Refusal> {
    let watched = watched(session, text)?;
    let view = session.view();
    let value = watched.current(&view);
    value.map_err(|error| error.to_string())?;
    let wave = session.focus().filter(|_| watched.is_of_wave(&view));
    let thread = wave.map_or(0, |wave| thread_id(session, wave));
    Ok(format!("{thread}/{}/{text}", session.lane()))
}

/// Parses the data ID of a data breakpoint into the value to watch.
fn data(session: &Session<'_, '_>, wanted: &WantedBreakpoint) -> Result<Place, Refusal> {
    if !matches!(wanted.access_type.as_deref(), None | Some("write")) {
        return Err("data breakpoints stop when a value changes, not when it is read".to_owned());
    }
    let mut parts = wanted.data_id.splitn(3, '/');
    let mut next = || parts.next().unwrap_or_default();
    let (thread, lane, text) = (next().parse::<i64>(), next().parse::<u8>(), next());
    let (Ok(thread), Ok(lane)) = (thread, lane) else {
        return Err(format!(
            "`{}` is not a value that dataBreakpointInfo returned",
            wanted.data_id
        ));
    };
    let wave = match thread {
        0 => None,
        thread => Some((find_thread(session, thread)?, lane)),
    };
    let watched = watched(session, text)?;
    Ok(Place::Watch(text.to_owned(), watched, wave))
}
