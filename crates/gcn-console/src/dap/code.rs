//! Responses about waves, stack frames, sources, disassembly and memory.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gcn_debug::{Line, Listed, Session, Space, WaveId};
use serde_json::{Value, json};

use super::breakpoints::{address, file};
use super::protocol::{
    DisassembleArguments, LocationsArguments, MemoryArguments, Refusal, Source, StackFrame,
};
use super::references::{FRAMES_OF_WAVE, References, SourceNames, find_thread, thread_id};
use crate::show::{state, wave_name};

/// Maximum number of instructions in a response.
const MAX_INSTRUCTIONS: i64 = 1 << 14;

/// Maximum distance of the first instruction from the given address, in instructions.
const MAX_SKIP: i64 = 1 << 20;

/// Maximum number of bytes in a response.
const MAX_BYTES: u64 = 1 << 22;

/// Maximum number of source lines to return, or to search for code.
const MAX_LINES: u32 = 1 << 20;

/// Returns a thread for each wave that has started and not ended.
pub fn threads(session: &Session<'_, '_>) -> Value {
    let mut waves: Vec<_> = session.waves().collect();
    waves.sort_by_key(|wave| {
        let [x, y, z] = wave.id.group;
        ([z, y, x], wave.id.wave)
    });
    let threads = waves.into_iter().map(|wave| {
        let name = format!("{} ({})", wave_name(wave.id), state(wave));
        json!({"id": thread_id(session, wave.id), "name": name})
    });
    json!({"threads": threads.collect::<Vec<_>>()})
}

/// Describes a source file for the client: by path, or by reference number if only the debug information contains its
/// text.
pub fn source(session: &Session<'_, '_>, names: &SourceNames, name: &str) -> Source {
    let program = session.program();
    let last = name.rsplit('/').next().unwrap_or(name).to_owned();
    match program.path(name) {
        Some(path) => Source {
            name: Some(last),
            path: Some(path.to_string_lossy().into_owned()),
            source_reference: None,
        },
        None => {
            let files = program.files();
            let file = files.iter().find(|it| ***it == *name);
            let file = file.filter(|file| program.text(file).is_some());
            Source {
                name: Some(last),
                path: file.is_none().then(|| name.to_owned()),
                source_reference: file.map(|file| names.reference(file)),
            }
        }
    }
}

/// Returns the inline stack of a wave, innermost function first. `at` overrides the program counter.
///
/// # Errors
/// Fails if the wave has ended.
pub fn frames(
    session: &Session<'_, '_>,
    (references, names): (&mut References, &SourceNames),
    id: WaveId,
    at: Option<u64>,
    (line_base, column_base): (u32, u32),
) -> Result<Vec<StackFrame>, Refusal> {
    let wave = session.wave().ok_or("the wave has ended")?;
    let pc = at.unwrap_or(wave.pc);
    let location = session.program().location(pc);
    let number = references.frame(id);
    let symbol = location.symbol.unwrap_or_else(|| format!("{pc:#x}"));
    let frame = |place: usize, function: Option<String>, line: Option<&Line>| StackFrame {
        id: number + place as i64,
        name: function.unwrap_or_else(|| symbol.clone()),
        source: line.map(|line| source(session, names, &line.file)),
        line: line.map_or(0, |line| line.line - 1 + line_base),
        column: line.map_or(0, |_| column_base),
        instruction_pointer_reference: format!("{pc:#x}"),
    };
    if location.frames.len() <= 1 {
        let function = location.frames.into_iter().next().and_then(|it| it.0);
        return Ok(vec![frame(0, function, location.line.as_ref())]);
    }
    let frames = location.frames.into_iter().take(FRAMES_OF_WAVE as usize);
    let frames = frames.enumerate();
    Ok(frames
        .map(|(place, (function, line))| frame(place, function, line.as_ref()))
        .collect())
}

/// Returns the text of a source.
///
/// # Errors
/// Fails if the source is not available.
pub fn text(
    session: &Session<'_, '_>,
    names: &SourceNames,
    source: &Source,
) -> Result<Value, Refusal> {
    let file = file(session, names, source)?;
    let lines = session.program().text(&file);
    let lines = lines.ok_or_else(|| format!("{file} cannot be read"))?;
    let mut content = String::new();
    let mut next = 1;
    for (&number, line) in lines.range(1..=MAX_LINES) {
        // A `#line` directive may leave gaps in the line numbers.
        content.extend(std::iter::repeat_n('\n', (number - next) as usize));
        content += line;
        content.push('\n');
        next = number + 1;
    }
    Ok(json!({"content": content}))
}

/// Returns the sources of the program.
pub fn sources(session: &Session<'_, '_>, names: &SourceNames) -> Value {
    let files = session.program().files();
    let sources: Vec<Source> = files
        .iter()
        .map(|file| source(session, names, file))
        .collect();
    json!({"sources": sources})
}

/// Returns the lines at which breakpoints can be set.
///
/// # Errors
/// Fails if the program has no debug information, or no code from the source.
pub fn locations(
    session: &Session<'_, '_>,
    names: &SourceNames,
    arguments: &LocationsArguments,
    line_base: u32,
) -> Result<Value, Refusal> {
    let file = file(session, names, &arguments.source)?;
    let own = |line: i64| u32::try_from(line.saturating_add(1 - i64::from(line_base)));
    let first = own(arguments.line).unwrap_or(0);
    let last = own(arguments.end_line.unwrap_or(arguments.line)).unwrap_or(first);
    let end = last.saturating_add(1).min(first.saturating_add(MAX_LINES));
    let lines = session.program().lines_with_code(&file, first..end);
    let lines = lines
        .into_iter()
        .map(|line| json!({"line": line - 1 + line_base}));
    Ok(json!({"breakpoints": lines.collect::<Vec<_>>()}))
}

/// Disassembles instructions around an address.
///
/// # Errors
/// Fails if the address is invalid, or the requested range of instructions is too large.
pub fn disassembly(
    session: &Session<'_, '_>,
    names: &SourceNames,
    arguments: &DisassembleArguments,
    line_base: u32,
) -> Result<Value, Refusal> {
    let base = address(&arguments.memory_reference)?;
    let (count, skip) = (arguments.instruction_count, arguments.instruction_offset);
    if !(0..=MAX_INSTRUCTIONS).contains(&count) || skip.unsigned_abs() > MAX_SKIP as u64 {
        return Err(format!(
            "at most {MAX_INSTRUCTIONS} instructions are listed, {MAX_SKIP} from the address"
        ));
    }
    let address = base.wrapping_add_signed(arguments.offset);
    let listed = session.listing(address, skip, count as usize);
    let mut last: Option<Line> = None;
    let rows = listed
        .iter()
        .map(|it| row((session, names), it, &mut last, line_base));
    Ok(json!({"instructions": rows.collect::<Vec<_>>()}))
}

/// Creates the disassembly entry for an instruction. `last` is the source line of the previous instruction.
fn row(
    (session, names): (&Session<'_, '_>, &SourceNames),
    listed: &Listed,
    last: &mut Option<Line>,
    line_base: u32,
) -> Value {
    let bytes = listed.words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<String> = bytes.map(|byte| format!("{byte:02x}")).collect();
    let text = match (&listed.inst, listed.words.first()) {
        (Some(inst), _) => inst.text().to_string(),
        (None, Some(word)) => format!(".long {word:#x}"),
        (None, None) => "no memory".to_owned(),
    };
    let mut row = json!({
        "address": format!("{:#x}", listed.address),
        "instruction": text,
    });
    if !bytes.is_empty() {
        row["instructionBytes"] = json!(bytes.join(" "));
    }
    if listed.inst.is_none() {
        row["presentationHint"] = json!("invalid");
        return row;
    }
    let program = session.program();
    if let Some(symbol) = program.symbol_at(listed.address)
        && symbol.address == listed.address
    {
        row["symbol"] = json!(symbol.name);
    }
    if let Some(line) = program.line(listed.address)
        && last.as_ref() != Some(line)
    {
        row["location"] = json!(source(session, names, &line.file));
        row["line"] = json!(line.line - 1 + line_base);
        *last = Some(line.clone());
    }
    row
}

/// Resolves a memory reference and moves the focus to the wave and lane that it names.
fn place(session: &mut Session<'_, '_>, reference: &str) -> Result<(Space, u64), Refusal> {
    let mut parts = reference.split('/');
    let first = parts.next().unwrap_or_default();
    let space = match first {
        "lds" => Space::Lds,
        "scratch" => Space::Scratch,
        text => return Ok((Space::Global, address(text)?)),
    };
    let mut number = || parts.next().and_then(|it| it.parse::<i64>().ok());
    let unknown = || format!("`{reference}` is not a memory reference");
    let wave = find_thread(session, number().ok_or_else(unknown)?)?;
    session.set_focus(wave);
    if space == Space::Scratch {
        let lane = number().and_then(|lane| u64::try_from(lane).ok());
        if !lane.is_some_and(|lane| session.set_lane(lane)) {
            return Err(unknown());
        }
    }
    Ok((space, address(parts.next().unwrap_or_default())?))
}

/// Reads memory.
///
/// # Errors
/// Fails if the reference is invalid, or if the request exceeds the size limit.
pub fn read(session: &mut Session<'_, '_>, arguments: &MemoryArguments) -> Result<Value, Refusal> {
    let (space, base) = place(session, &arguments.memory_reference)?;
    if arguments.count > MAX_BYTES {
        return Err(format!("at most {MAX_BYTES} bytes are read at a time"));
    }
    let address = base.wrapping_add_signed(arguments.offset);
    let bytes = session.read_memory(space, address, arguments.count as usize);
    let missing = arguments.count - bytes.len() as u64;
    let mut body = json!({"address": format!("{address:#x}")});
    if !bytes.is_empty() {
        body["data"] = json!(STANDARD.encode(&bytes));
    }
    if missing > 0 {
        body["unreadableBytes"] = json!(missing);
    }
    Ok(body)
}

/// Writes memory.
///
/// # Errors
/// Fails if the reference is invalid, if the data is not Base64, or if part of the range is not accessible.
pub fn write(session: &mut Session<'_, '_>, arguments: &MemoryArguments) -> Result<Value, Refusal> {
    let (space, base) = place(session, &arguments.memory_reference)?;
    let data = STANDARD.decode(&arguments.data);
    let data = data.map_err(|error| format!("the data is not base64: {error}"))?;
    let address = base.wrapping_add_signed(arguments.offset);
    session
        .write_memory(space, address, &data)
        .map_err(|error| error.to_string())?;
    Ok(json!({"bytesWritten": data.len()}))
}
