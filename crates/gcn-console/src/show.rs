//! Formatters for stops, values, memory and waves.

use std::fmt::Write as _;

use gcn_debug::{
    Change, Evaluated, Finding, Format, Line, Scalar, ScalarType, Session, Space, Stop, StopKind,
    Target, View, Waiting, Wave, WaveId, evaluate, folded, parse,
};

use crate::places::{Message, describe, file_name, parse_error};
use gcn_report::{plural, printable};

/// Maximum number of elements to print. A folded run of equal elements counts once.
const MAX_ELEMENTS: usize = 200;
/// Maximum number of instructions to list.
const MAX_INSTRUCTIONS: usize = 400;
/// Maximum number of bytes that `x` shows.
const MAX_BYTES: u64 = 1 << 16;

/// Formats a wave ID as workgroup and wave number.
pub fn wave_name(id: WaveId) -> String {
    let [x, y, z] = id.group;
    format!("workgroup {x},{y},{z}, wave {}", id.wave)
}

/// Formats numbers in braces, folding long runs of equal numbers.
pub fn numbers(all: &[Scalar], format: Format) -> String {
    first_numbers(all, all.len() as u64, format)
}

/// Formats `known`, the first of `total` numbers, like [`numbers`].
fn first_numbers(known: &[Scalar], total: u64, format: Format) -> String {
    let mut parts = Vec::new();
    let mut rest = known;
    while parts.len() < MAX_ELEMENTS
        && let Some(first) = rest.first()
    {
        let equal = rest.iter().take_while(|it| it.bits == first.bits).count();
        let text = first.text(format);
        let (part, count) = match folded(&text, equal) {
            Some(folded) => (folded, equal),
            None => (text, 1),
        };
        parts.push(part);
        rest = &rest[count..];
    }
    let more = total - (known.len() - rest.len()) as u64;
    if more > 0 {
        parts.push(format!("... {more} more"));
    }
    format!("{{{}}}", parts.join(", "))
}

/// Evaluates and formats an expression.
///
/// # Errors
/// Returns a message for the user.
pub fn value(session: &Session<'_, '_>, text: &str, format: Format) -> Result<String, Message> {
    let isa = session.program().isa();
    let expr = parse(text, isa).map_err(|error| parse_error(text, &error))?;
    let view = session.view();
    let found = evaluate(&expr, &view).map_err(|error| error.to_string())?;
    Ok(match found {
        Evaluated::Scalar(number) => number.text(format),
        Evaluated::Lanes(lanes) => {
            let exec = view.wave.map_or(0, |(wave, _)| wave.exec());
            let inactive = if exec == u64::MAX {
                String::new()
            } else {
                format!(", active lanes: exec = {exec:#x}")
            };
            format!("{}{inactive}", numbers(&lanes, format))
        }
        Evaluated::Buffer(number) => buffer(&view, number, format)?,
        Evaluated::Object(object) => printable(&object.text(&view, format)),
    })
}

fn buffer(view: &View<'_>, number: usize, format: Format) -> Result<String, Message> {
    let buffer = &view.buffers[number];
    let count = buffer.elements();
    let elements = (0..count.min(4 * MAX_ELEMENTS as u64)).map(|index| {
        view.read(Target::Memory {
            space: Space::Global,
            ty: buffer.ty,
            address: buffer.address + index * buffer.ty.bytes(),
        })
    });
    let elements: Result<Vec<Scalar>, _> = elements.collect();
    let elements = elements.map_err(|error| error.to_string())?;
    Ok(first_numbers(&elements, count, format))
}

/// Describes changes to watched values and the instruction that makes them. `verbs` are the verbs for the old value, the
/// new value and the remaining changes.
fn watchpoints(
    session: &Session<'_, '_>,
    changes: &[(u32, String, Change)],
    (id, pc): (WaveId, u64),
    verbs: [&str; 3],
) -> String {
    let [had, has, more] = verbs;
    let mut text = String::new();
    for (number, name, change) in changes {
        let is_mask = ["exec", "vcc"].iter().any(|mask| name.starts_with(mask));
        let format = if is_mask {
            Format::Hex
        } else {
            Format::Natural
        };
        let shown = |value: Option<Scalar>| {
            value.map_or_else(|| "no value".to_owned(), |value| value.text(format))
        };
        let _ = writeln!(text, "Watchpoint {number}: {}", printable(name));
        let (old, new) = (shown(change.old), shown(change.new));
        let _ = write!(text, "  {} {had} {old}, {has} {new}", change.part);
        if change.others > 0 {
            let _ = write!(text, "; {} more {more}", change.others);
        }
        text.push('\n');
    }
    let written = session.instruction(pc).map(|inst| inst.text());
    let by = wave_name(id);
    let _ = write!(text, "  by {by}, {}", describe(session, pc));
    let _ = write!(text, ": {}", written.unwrap_or_default());
    text
}

/// Formats the message of a finding, followed by its locations on separate lines.
pub fn finding(finding: &Finding) -> String {
    let lines = [&finding.message].into_iter().chain(&finding.places);
    let lines: Vec<String> = lines.map(|line| printable(line)).collect();
    lines.join("\n  ")
}

/// Describes the reason for a stop. Returns `None` after a step in either direction, or after an answer to `why`.
pub fn reason(session: &Session<'_, '_>, stop: &Stop) -> Option<String> {
    let list = |numbers: &[u32]| {
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        numbers.join(", ")
    };
    Some(match stop {
        Stop::Begin => {
            let dispatched = session.paused().map(|paused| paused.dispatched());
            let kernel = dispatched.and_then(|it| it.dispatch.kernel.as_deref());
            let kernel = kernel.map(printable);
            format!("{} begins", kernel.as_deref().unwrap_or("The launch"))
        }
        Stop::Breakpoints(numbers) => format!("Breakpoint {}", list(numbers)),
        Stop::Watchpoints { changes, by } => {
            watchpoints(session, changes, *by, ["was", "is", "changed"])
        }
        Stop::Step | Stop::Answered => return None,
        Stop::Returned => "The function has returned".to_owned(),
        Stop::WaveEnded(id) => format!("{} has ended", capital(&wave_name(*id))),
        Stop::Held(id) => format!(
            "{} waits for other waves, which are held: use `scheduler all`, or choose another with `wave`",
            capital(&wave_name(*id))
        ),
        Stop::Interrupted => "Interrupted".to_owned(),
        Stop::Fault(fault) => {
            let lane = fault.lane.map(|lane| format!(", lane {lane}"));
            let lane = lane.unwrap_or_default();
            format!("Fault: {}{lane}", fault.kind)
        }
        Stop::Findings(findings) => {
            let text = |it: &Finding| format!("{}: {}", it.name, finding(it));
            let texts: Vec<String> = findings.iter().map(text).collect();
            texts.join("\n")
        }
        Stop::Condition { number, error } => {
            let mut stops = session.stop_points().iter();
            let is_watch = stops.any(|it| it.number == *number && it.is_watch());
            let kind = if is_watch { "Watchpoint" } else { "Breakpoint" };
            format!("{kind} {number}: its condition cannot be evaluated: {error}")
        }
        Stop::Back(stops) if stops.is_empty() => return None,
        Stop::Back(stops) => {
            let ahead = ["is", "will be", "will change"];
            let texts = stops.iter().filter_map(|it| match it {
                Stop::Watchpoints { changes, by } => {
                    Some(watchpoints(session, changes, *by, ahead))
                }
                other => reason(session, other),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Stop::BackAtWaveBegin(id) => format!(
            "{} begins: reverse-continue goes back to other waves",
            capital(&wave_name(*id))
        ),
        Stop::BackAtBegin if session.earlier_launches() > 0 => {
            "Start of the launch: going back continues in the previous launch".to_owned()
        }
        Stop::BackAtBegin => "Start of the launch: nothing earlier is recorded".to_owned(),
        Stop::Diverged => {
            "The launch ended before it reached that point again: its path depends on host code that runs concurrently"
                .to_owned()
        }
    })
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// Formats the position of the wave in focus: header, source line and instruction. For faults, `at` overrides the
/// program counter.
pub fn position(session: &Session<'_, '_>, header: bool, at: Option<u64>) -> String {
    let Some(wave) = session.wave() else {
        return "No wave is running.\n".to_owned();
    };
    let pc = at.unwrap_or(wave.pc);
    let program = session.program();
    let mut text = String::new();
    if header {
        let _ = writeln!(text, "{}: {}", wave_name(wave.id), describe(session, pc));
    }
    let line = program.line(pc);
    if let Some(line) = line
        && let Some(source) = program.line_text(line)
    {
        let _ = writeln!(text, "{}\t{}", line.line, source_text(&source));
    }
    // A line of assembly source already shows the instruction.
    if line.is_none_or(|line| !line.file.ends_with(".s")) {
        text += &instruction(session, pc, true);
    }
    text
}

/// Formats a disassembly line for an instruction, with an arrow if `is_here`.
pub fn instruction(session: &Session<'_, '_>, address: u64, is_here: bool) -> String {
    let program = session.program();
    let place = program.symbolic(address);
    let place = place.map_or_else(|| format!("{address:#x}"), |place| printable(&place));
    let arrow = if is_here { "=>" } else { "  " };
    match session.instruction(address) {
        Some(inst) => format!("{arrow} {place}:\t{}\n", inst.text()),
        None => format!("{arrow} {place}:\tno instruction\n"),
    }
}

/// Disassembles at most `most` instructions from `begin` to `end`, with an arrow at the position of the wave in focus.
pub fn disassembly(session: &Session<'_, '_>, begin: u64, end: u64, most: usize) -> String {
    let pc = session.wave().map(|wave| wave.pc);
    let mut text = String::new();
    let mut address = begin;
    for _ in 0..most.min(MAX_INSTRUCTIONS) {
        if address >= end || !session.program().has_code(address) {
            return text;
        }
        text += &instruction(session, address, pc == Some(address));
        let dwords = session.instruction(address).map_or(1, |inst| inst.dwords());
        address += 4 * dwords as u64;
    }
    if address < end && session.program().has_code(address) && most > MAX_INSTRUCTIONS {
        text += "   ...\n";
    }
    text
}

/// Formats memory for the command `x`.
///
/// # Errors
/// Returns a message for the user.
pub fn memory(
    session: &Session<'_, '_>,
    (space, address): (Space, u64),
    count: u64,
    size: u64,
    format: Format,
) -> Result<String, Message> {
    let view = session.view();
    let ty = ScalarType::unsigned(size).unwrap_or(ScalarType::U32);
    if count.saturating_mul(size) > MAX_BYTES {
        return Err(format!("x shows at most {MAX_BYTES} bytes at a time"));
    }
    let per_line = match (format, size) {
        (Format::Binary, _) => 2,
        (_, 8) => 2,
        (_, 1) => 8,
        _ => 4,
    };
    let mut text = String::new();
    let mut missing = None;
    for number in 0..count {
        let place = address.wrapping_add(number * size);
        let target = Target::Memory {
            space,
            ty,
            address: place,
        };
        match view.read(target) {
            Ok(value) => {
                if number % per_line == 0 {
                    if number > 0 {
                        text.push('\n');
                    }
                    text += &label(&view, space, place);
                }
                let _ = write!(text, "\t{}", value.text(format));
            }
            Err(error) => {
                missing = Some(error.to_string());
                break;
            }
        }
    }
    match missing {
        Some(error) if text.is_empty() => Err(error),
        Some(error) => Ok(format!("{text}\n{error}\n")),
        None => Ok(text + "\n"),
    }
}

/// Formats an address, followed by the buffer or else the symbol that contains it.
fn label(view: &View<'_>, space: Space, address: u64) -> String {
    match space {
        Space::Lds => return format!("lds {address:#x}:"),
        Space::Scratch => return format!("scratch {address:#x}:"),
        Space::Global => {}
    }
    match view.buffer_at(address) {
        Some(place) => format!("{address:#x} <{}>:", printable(&place)),
        None => match view.program.symbolic(address) {
            Some(symbol) => format!("{address:#x} <{}>:", printable(&symbol)),
            None => format!("{address:#x}:"),
        },
    }
}

/// Returns a short description of a wave's state.
pub fn state(wave: &Wave) -> &'static str {
    match wave.waiting {
        Waiting::No => "runs",
        Waiting::Barrier => "at barrier",
        Waiting::Gws => "at GWS",
        Waiting::Asleep => "sleeps",
        Waiting::Ended => "ended",
    }
}

/// Formats a table of the waves that have started.
pub fn waves(session: &Session<'_, '_>) -> String {
    let focus = session.focus();
    let mut text = String::new();
    let mut waves: Vec<&Wave> = session.waves().collect();
    waves.sort_by_key(|wave| (wave.id.group, wave.id.wave));
    for wave in waves {
        let mark = if Some(wave.id) == focus { '*' } else { ' ' };
        let lanes = wave.exec().count_ones();
        let _ = writeln!(
            text,
            "{mark} {}: {}, {lanes} lanes, {} instructions, {}",
            wave_name(wave.id),
            state(wave),
            wave.executed,
            describe(session, wave.pc)
        );
    }
    if text.is_empty() {
        text = "No wave is running.\n".to_owned();
    }
    text
}

/// Lists the active lanes of the wave in focus with their work-item IDs.
pub fn lanes(session: &Session<'_, '_>) -> Result<String, Message> {
    let wave = session.wave().ok_or("no wave is running")?;
    let mut text = format!("exec = {:#x}\n", wave.exec());
    for lane in 0..64u8 {
        if wave.exec() >> lane & 1 == 0 {
            continue;
        }
        let item = session.work_item(lane).ok_or("no wave is running")?;
        let mark = if lane == session.lane() { '*' } else { ' ' };
        let ([a, b, c], [x, y, z]) = (item.local, item.global);
        let _ = writeln!(
            text,
            "{mark} lane {lane}: local {a},{b},{c}, global {x},{y},{z}"
        );
    }
    Ok(text)
}

/// Registers that `info registers` lists before the scalar registers.
pub const STATE: [&str; 6] = ["exec", "vcc", "scc", "m0", "mode", "pc"];

/// Formats registers of the wave in focus, for `info registers`.
///
/// # Errors
/// Returns a message for the user.
pub fn registers(session: &Session<'_, '_>, names: &[&str]) -> Result<String, Message> {
    let wave = session.wave().ok_or("no wave is running")?;
    let scalars = (0..wave.sgpr_count.min(wave.isa.sgprs())).map(|n| format!("s{n}"));
    let vectors = (0..wave.vgprs.len()).map(|n| format!("v{n}"));
    let state = STATE.iter().map(|name| (*name).to_owned());
    let all: Vec<String> = match names {
        [] => state.chain(scalars).collect(),
        ["all"] => state.chain(scalars).chain(vectors).collect(),
        ["vector"] => vectors.collect(),
        names => names.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut text = String::new();
    for name in all {
        let is_bits = matches!(name.as_str(), "exec" | "vcc" | "mode" | "m0");
        if name == "pc" {
            let _ = writeln!(text, "pc = {}", describe(session, wave.pc));
            continue;
        }
        let text_of = if name.starts_with('v') && name != "vcc" {
            value(session, &name, Format::Natural)?
        } else if is_bits {
            value(session, &name, Format::Hex)?
        } else {
            let hex = value(session, &name, Format::Hex)?;
            format!("{hex} ({})", value(session, &name, Format::Natural)?)
        };
        let _ = writeln!(text, "{name} = {text_of}");
    }
    Ok(text)
}

/// Formats a table of breakpoints and watchpoints.
pub fn stop_points(session: &Session<'_, '_>) -> String {
    let mut text = String::new();
    for stop in session.stop_points() {
        let kind = if stop.is_watch() { "watch" } else { "break" };
        let _ = write!(text, "{}: {kind} {}", stop.number, printable(&stop.text));
        if let StopKind::Watch { wave: Some(id), .. } = &stop.kind {
            let _ = write!(text, ", of {}", wave_name(*id));
        }
        if let Some((_, condition)) = &stop.condition {
            let _ = write!(text, ", if {}", printable(condition));
        }
        for (is_so, word) in [(stop.is_temporary, "once"), (!stop.is_enabled, "disabled")] {
            if is_so {
                let _ = write!(text, ", {word}");
            }
        }
        if stop.ignored > 0 {
            let _ = write!(text, ", ignored {} times more", stop.ignored);
        }
        if stop.hits > 0 {
            let _ = write!(text, ", hit {} times", stop.hits);
        }
        text.push('\n');
    }
    if text.is_empty() {
        text = "No breakpoints or watchpoints.\n".to_owned();
    }
    text
}

/// Lists the source variables in scope, either the parameters or the others, innermost function first.
///
/// # Errors
/// Returns a message for the user.
pub fn locals(session: &Session<'_, '_>, parameters: bool) -> Result<String, Message> {
    let wave = session.wave().ok_or("no wave is running")?;
    if !session.program().has_lines() {
        return Err("the code has no debug information: compile it with -g".to_owned());
    }
    let frames = session.program().location(wave.pc).frames;
    let view = session.view();
    let mut text = String::new();
    let mut last = None;
    let locals = session.locals().map_err(|error| error.to_string())?;
    let wanted = locals.iter().filter(|it| it.is_parameter == parameters);
    for local in wanted {
        if last != Some(local.frame) && frames.len() > 1 {
            let function = frames
                .get(local.frame)
                .and_then(|(name, _)| name.as_deref());
            let _ = writeln!(text, "{}:", printable(function.unwrap_or("?")));
        }
        last = Some(local.frame);
        let value = match &local.object {
            Ok(object) => object.text(&view, Format::Natural),
            Err(error) => error.placeholder(),
        };
        let indent = if frames.len() > 1 { "  " } else { "" };
        let _ = writeln!(
            text,
            "{indent}{} = {}",
            printable(&local.name),
            printable(&value)
        );
    }
    if text.is_empty() && locals.is_empty() {
        text = "No variables are known here: compile the source with -g (-X=-g).\n".to_owned();
    } else if text.is_empty() {
        let what = if parameters {
            "parameters"
        } else {
            "local variables"
        };
        text = format!("No {what}.\n");
    }
    Ok(text)
}

/// Describes the current launch.
pub fn dispatch(session: &Session<'_, '_>) -> String {
    let Some(paused) = session.paused() else {
        return "No launch is running.\n".to_owned();
    };
    let dispatch = paused.dispatched().dispatch;
    let sizes = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
    let kernel = dispatch.kernel.as_deref().unwrap_or("unnamed");
    let resident = paused.groups().count();
    let waves = paused.waves().count();
    format!(
        "kernel {}, grid {}, group {}, {} bytes of LDS, {} bytes of scratch per lane\n{resident} workgroups and {waves} waves \
         are running; {} instructions have been executed\n",
        printable(kernel),
        sizes(dispatch.grid),
        sizes(dispatch.group),
        dispatch.lds_bytes,
        dispatch.scratch_bytes_per_lane,
        paused.instructions()
    )
}

/// Describes the checkpoints for reverse execution.
///
/// # Errors
/// Fails if no launch is running, or reverse execution is not available.
pub fn record(session: &Session<'_, '_>) -> Result<String, Message> {
    let paused = session.paused().ok_or("no launch is running")?;
    if let Some(lost) = session.past_is_lost() {
        return Err(lost.to_owned());
    }
    let (checkpoints, bytes) = session.recorded();
    let earlier = match session.earlier_launches() {
        0 => String::new(),
        count => format!(
            ", and {} before it can be repeated",
            plural(count as u64, "launch", "es")
        ),
    };
    Ok(format!(
        "The recording starts with the launch, {} instructions ago{earlier}; checkpoints: {checkpoints}, {} KiB besides the first\n",
        paused.instructions(),
        bytes.div_ceil(1024)
    ))
}

/// Formats the inline stack of the wave in focus, innermost function first.
pub fn backtrace(session: &Session<'_, '_>) -> Result<String, Message> {
    let wave = session.wave().ok_or("no wave is running")?;
    let location = session.program().location(wave.pc);
    let mut text = String::new();
    if location.frames.is_empty() {
        return Ok(format!("#0 {}\n", describe(session, wave.pc)));
    }
    let count = location.frames.len();
    for (number, (function, line)) in location.frames.iter().enumerate() {
        let function = function.as_deref().map(printable);
        let _ = write!(text, "#{number} {}", function.as_deref().unwrap_or("?"));
        if let Some(line) = line {
            let _ = write!(text, " at {}:{}", file_name(line), line.line);
        }
        if number + 1 < count {
            text += " (inlined)";
        }
        text.push('\n');
    }
    Ok(text)
}

/// Formats a source line, with four spaces for each tab.
fn source_text(line: &str) -> String {
    printable(&line.trim_end().replace('\t', "    "))
}

/// Lists `count` lines of the file of `file`, starting at line `first`. Marks the line of the wave in focus.
///
/// # Errors
/// Returns a message for the user.
pub fn source(
    session: &Session<'_, '_>,
    file: &Line,
    first: u32,
    count: u32,
) -> Result<String, Message> {
    let lines = session.program().text(&file.file);
    let lines = lines.ok_or_else(|| format!("{} cannot be read", printable(&file.file)))?;
    let here = session
        .wave()
        .and_then(|wave| session.program().line(wave.pc));
    let mut text = String::new();
    for (&number, line) in lines.range(first..first.saturating_add(count)) {
        let is_here = here.is_some_and(|it| it.file == file.file && it.line == number);
        let mark = if is_here { ">" } else { " " };
        let _ = writeln!(text, "{mark}{number}\t{}", source_text(line));
    }
    if text.is_empty() {
        let last = lines.last_key_value().map_or(0, |(number, _)| *number);
        return Err(format!("{} has {last} lines", file_name(file)));
    }
    Ok(text)
}
