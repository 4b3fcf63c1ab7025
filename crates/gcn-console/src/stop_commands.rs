//! Commands for breakpoints and watchpoints.

use gcn_debug::{Catches, Line, Session, StopKind, Watched};

use crate::named_places::{NamedPlaces, PlaceName};
use crate::places::{Message, count, elements, parsed, stops_at};
use gcn_report::printable;

/// Splits text at `if` into a location or expression and a condition.
fn split_condition(text: &str) -> (&str, Option<&str>) {
    if let Some(condition) = text.strip_prefix("if ") {
        return ("", Some(condition.trim()));
    }
    match text.split_once(" if ") {
        Some((place, condition)) => (place.trim(), Some(condition.trim())),
        None => (text, None),
    }
}

/// Executes `break` and `tbreak`. Line numbers without a file refer to the file of `current`. If `names` is given,
/// names not found in the current code are resolved in later launches.
///
/// # Errors
/// Returns a message for the user.
pub fn add_breakpoint(
    current: Option<&Line>,
    session: &mut Session<'_, '_>,
    rest: &str,
    is_temporary: bool,
    names: Option<&mut NamedPlaces>,
) -> Result<String, Message> {
    let (place, condition) = split_condition(rest);
    let condition = match condition {
        Some(text) => Some((parsed(session, text)?, text.to_owned())),
        None => None,
    };
    let name = match names {
        Some(names) => PlaceName::new(session, place, current)?.map(|name| (names, name)),
        None => None,
    };
    let found = stops_at(session, place, current);
    let (stops, description, missing) = match (found, &name) {
        (Ok((stops, description)), _) => (stops, description, None),
        (Err(missing), Some((_, name))) => {
            (PlaceName::nowhere(), name.description(), Some(missing))
        }
        (Err(message), None) => return Err(message),
    };
    let is_place = matches!(stops, StopKind::Addresses(_));
    let stop = session.add_breakpoint(&description, stops, is_temporary);
    stop.condition = condition;
    let number = stop.number;
    if let Some((names, name)) = name
        && is_place
    {
        names.add(number, name);
    }
    let kind = if is_temporary {
        "Temporary breakpoint"
    } else {
        "Breakpoint"
    };
    Ok(match missing {
        None => format!("{kind} {number} at {description}\n"),
        Some(missing) => {
            format!("{kind} {number} waits for the code of a later launch: {missing}\n")
        }
    })
}

/// Executes `watch`.
///
/// # Errors
/// Returns a message for the user.
pub fn add_watchpoint(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let (text, condition) = split_condition(rest);
    let condition = match condition {
        Some(text) => Some((parsed(session, text)?, text.to_owned())),
        None => None,
    };
    let watched = watched(session, text)?;
    let stop = session
        .add_watchpoint(text, watched)
        .map_err(|error| error.to_string())?;
    stop.condition = condition;
    Ok(format!("Watchpoint {}: {}\n", stop.number, printable(text)))
}

/// Parses a value to watch: an expression, a buffer, or elements of a buffer.
///
/// # Errors
/// Returns a message for the user.
pub fn watched(session: &Session<'_, '_>, text: &str) -> Result<Watched, Message> {
    if text.is_empty() {
        return Err(
            "watch needs a register, a buffer, or memory such as *(u32*)ADDRESS".to_owned(),
        );
    }
    let is_buffer = session.buffers().iter().any(|it| it.name == text);
    match elements(text) {
        Some(range) => watched_elements(session, range),
        None if is_buffer => watched_elements(session, (text, "", "")),
        None => Ok(Watched::Expr(parsed(session, text)?)),
    }
}

/// Parses a range of buffer elements. Omitted bounds default to those of the buffer.
fn watched_elements(
    session: &Session<'_, '_>,
    (name, first, end): (&str, &str, &str),
) -> Result<Watched, Message> {
    let named = |name: &str| session.buffers().iter().find(|it| it.name == name);
    // Unnamed argument 0 is written `arg0`; its buffer is named `0`.
    let buffer = named(name).or_else(|| named(name.strip_prefix("arg")?));
    let buffer = buffer.ok_or_else(|| format!("there is no buffer `{}`", printable(name)))?;
    let total = buffer.elements();
    let first = if first.trim().is_empty() {
        0
    } else {
        count(session, first)?
    };
    let end = if end.trim().is_empty() {
        total
    } else {
        count(session, end)?
    };
    if first >= end || end > total {
        return Err(format!("{name} has the elements 0..{total}"));
    }
    Ok(Watched::Elements {
        name: (name.to_owned(), first),
        address: buffer.address + first * buffer.ty.bytes(),
        count: end - first,
        ty: buffer.ty,
    })
}

/// Parses breakpoint numbers and ranges such as `2-5`. Ranges select the breakpoints that exist; empty text selects all.
fn stop_numbers(session: &Session<'_, '_>, rest: &str) -> Result<Vec<u32>, Message> {
    let known: Vec<u32> = session.stop_points().iter().map(|it| it.number).collect();
    if rest.is_empty() {
        return Ok(known);
    }
    let mut numbers = Vec::new();
    for word in rest.split([' ', ',']).filter(|word| !word.is_empty()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let bounds = first.parse::<u32>().ok().zip(last.parse::<u32>().ok());
        let before = numbers.len();
        if let Some((first, last)) = bounds {
            let selected = known.iter().filter(|it| (first..=last).contains(*it));
            numbers.extend(selected);
        }
        if numbers.len() == before {
            let word = printable(word);
            return Err(format!("there is no breakpoint or watchpoint {word}"));
        }
    }
    Ok(numbers)
}

/// Executes `delete`.
///
/// # Errors
/// Returns a message for the user.
pub fn delete(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    for number in stop_numbers(session, rest)? {
        session.delete(number);
    }
    Ok(String::new())
}

/// Executes `enable` and `disable`.
///
/// # Errors
/// Returns a message for the user.
pub fn enable(session: &mut Session<'_, '_>, rest: &str, enabled: bool) -> Result<String, Message> {
    for number in stop_numbers(session, rest)? {
        if let Some(stop) = session.stop_point_mut(number) {
            stop.is_enabled = enabled;
        }
    }
    Ok(String::new())
}

/// Executes `condition`.
///
/// # Errors
/// Returns a message for the user.
pub fn condition(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let (number, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let text = text.trim();
    let condition = if text.is_empty() {
        None
    } else {
        Some((parsed(session, text)?, text.to_owned()))
    };
    if number.is_empty() {
        return Err("condition needs the number of a breakpoint".to_owned());
    }
    for number in stop_numbers(session, number)? {
        if let Some(stop) = session.stop_point_mut(number) {
            stop.condition.clone_from(&condition);
        }
    }
    Ok(String::new())
}

/// Executes `ignore`.
///
/// # Errors
/// Returns a message for the user.
pub fn ignore(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    let (number, passes) = rest
        .split_once(' ')
        .ok_or("ignore needs the number of a breakpoint and a count")?;
    let passes = count(session, passes)?;
    for number in stop_numbers(session, number)? {
        if let Some(stop) = session.stop_point_mut(number) {
            stop.ignored = passes;
        }
    }
    Ok(String::new())
}

/// Argument of `catch` that selects faults.
const FAULT: &str = "fault";
/// Argument of `catch` that selects launch starts.
const LAUNCH: &str = "launch";
/// Argument of `catch` that selects launch ends.
const END: &str = "end";

/// Executes `catch`. The argument `end` exists only if `has_ends` is true.
///
/// # Errors
/// Returns a message for the user.
pub fn catch(session: &mut Session<'_, '_>, rest: &str, has_ends: bool) -> Result<String, Message> {
    let known = session.checks();
    let mut catches = Catches::default();
    for word in rest.split([' ', ',']).filter(|word| !word.is_empty()) {
        match word {
            "all" => {
                catches.faults = true;
                catches.checks.clone_from(&known);
            }
            "none" => {}
            FAULT => catches.faults = true,
            LAUNCH | "begin" => catches.launches = true,
            END if has_ends => catches.ends = true,
            name => {
                let check = known.iter().find(|it| **it == name).ok_or_else(|| {
                    let end = has_ends.then_some(END);
                    let names = [FAULT, LAUNCH].into_iter().chain(end).chain(known.clone());
                    let names: Vec<&str> = names.collect();
                    let help = if known.is_empty() {
                        "; --check adds the checkers"
                    } else {
                        ""
                    };
                    format!(
                        "`{}` cannot be caught: choose among all, none, {}{help}",
                        printable(name),
                        names.join(", ")
                    )
                })?;
                catches.checks.push(check);
            }
        }
    }
    if !rest.is_empty() {
        session.set_catches(catches);
    }
    let catches = session.catches();
    let row = |name: &str, stops: bool, otherwise: &str| {
        let word = if stops { "stops" } else { otherwise };
        format!("{name} {word}\n")
    };
    let mut text = row(FAULT, catches.faults, "is shown");
    for name in known {
        text += &row(name, catches.checks.contains(&name), "is shown");
    }
    text += &row(LAUNCH, catches.launches, "passes");
    if has_ends {
        text += &row(END, catches.ends, "is shown");
    }
    Ok(text)
}
