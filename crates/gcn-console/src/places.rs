//! Parsers for expressions, element ranges, and locations for breakpoints and listings.

use gcn_debug::{
    EvalError, Evaluated, Expr, Line, ParseError, Session, Space, StopKind, Symbol, Target,
    evaluate, matches_pattern, parse, resolve,
};
use gcn_isa::Isa;
use gcn_report::printable;

/// Mnemonic suffixes that select an encoding, including the empty suffix.
const SUFFIXES: [&str; 5] = ["", "_e32", "_e64", "_sdwa", "_dpp"];

/// Error message of a command, for the user.
pub type Message = String;

/// Formats a parse error in the expression `text`.
pub fn parse_error(text: &str, error: &ParseError) -> Message {
    format!("{} in `{}`", error, printable(text))
}

/// Parses and evaluates an expression.
///
/// # Errors
/// Returns a message for the user.
pub fn value(session: &Session<'_, '_>, text: &str) -> Result<Evaluated, Message> {
    let expr = parse(text, session.program().isa()).map_err(|error| parse_error(text, &error))?;
    session.evaluate(&expr).map_err(|error| error.to_string())
}

/// Evaluates an expression to a number. A buffer evaluates to its address.
///
/// # Errors
/// Returns a message for the user.
pub fn number(session: &Session<'_, '_>, text: &str) -> Result<i128, Message> {
    let found = value(session, text)?;
    if let Some(number) = found.single(&session.view()) {
        return Ok(number.map_err(|error| error.to_string())?.integer());
    }
    match found {
        Evaluated::Buffer(number) => Ok(session.buffers()[number].address.into()),
        _ => Err(format!(
            "{text} has a value per lane: name one, as {text}[0]"
        )),
    }
}

/// Evaluates the operand of `x`. Returns its address space and address.
///
/// # Errors
/// Returns a message for the user.
pub fn address(session: &Session<'_, '_>, text: &str) -> Result<(Space, u64), Message> {
    let isa = session.program().isa();
    let expr = parse(text, isa).map_err(|error| parse_error(text, &error))?;
    let view = session.view();
    // For a pointer, use its value; for any other variable, use the variable's own address.
    if let Ok(Evaluated::Object(object)) = evaluate(&expr, &view) {
        let pointed = object.pointed(&view).ok().and_then(|it| it.address());
        if let Some(address) = pointed.or_else(|| object.address()) {
            return Ok(address);
        }
    }
    match resolve(&expr, &view) {
        Ok(Target::Memory { space, address, .. }) => return Ok((space, address)),
        Ok(Target::Buffer(number)) => return Ok((Space::Global, view.buffers[number].address)),
        Ok(_) | Err(EvalError::NotAPlace) => {}
        Err(error) => return Err(error.to_string()),
    }
    match evaluate(&expr, &view).map_err(|error| error.to_string())? {
        Evaluated::Scalar(number) => Ok((Space::Global, number.integer() as u64)),
        _ => Err(format!(
            "`{text}` is not an address: name a lane, as {text}[0]"
        )),
    }
}

/// Parses a source line written as `FILE:LINE` or `LINE`. Returns `None` if the text has another form.
///
/// # Errors
/// Returns a message for the user.
pub fn source_line(
    session: &Session<'_, '_>,
    text: &str,
    current: Option<&Line>,
) -> Result<Option<Line>, Message> {
    let program = session.program();
    let (file, digits) = match text.rsplit_once(':') {
        Some((file, digits)) => (Some(file), digits),
        None => (None, text),
    };
    let Ok(line) = digits.trim().parse::<u32>() else {
        return Ok(None);
    };
    if !program.has_lines() {
        return Err("the code has no debug information: compile or assemble it with -g".to_owned());
    }
    let file = match file {
        Some(name) => program.file(name).ok_or_else(|| {
            let files: Vec<String> = program.files().iter().map(|it| printable(it)).collect();
            format!(
                "no file {}; there are {}",
                printable(name),
                files.join(", ")
            )
        })?,
        None => match current.map(|line| line.file.clone()) {
            Some(file) => file,
            None => program
                .files()
                .into_iter()
                .next()
                .ok_or("no file is known")?,
        },
    };
    Ok(Some(Line { file, line }))
}

/// Parses a breakpoint location. Returns the kind and the description of the breakpoint.
///
/// # Errors
/// Returns a message for the user.
pub fn stops_at(
    session: &Session<'_, '_>,
    text: &str,
    current: Option<&Line>,
) -> Result<(StopKind, String), Message> {
    let program = session.program();
    let at = |address: u64| {
        (
            StopKind::Addresses(vec![address]),
            describe(session, address),
        )
    };
    if text.is_empty() {
        let wave = session.wave().ok_or("no wave is running: name a place")?;
        return Ok(at(wave.pc));
    }
    if let Some(expr) = text.strip_prefix('*') {
        let address = number(session, expr)? as u64;
        if !program.has_code(address) || !address.is_multiple_of(4) {
            return Err(format!(
                "{address:#x} is not the address of an instruction of the program"
            ));
        }
        return Ok(at(address));
    }
    if let Some(line) = source_line(session, text, current)? {
        let (line, addresses) = program.addresses(&line.file, line.line).ok_or_else(|| {
            format!(
                "{}:{} and the lines after it have no code",
                printable(&line.file),
                line.line
            )
        })?;
        let place = addresses.first().map(|address| describe(session, *address));
        let others = others(addresses.len());
        let description = place.unwrap_or_else(|| format!("{}:{}", line.file, line.line));
        return Ok((StopKind::Addresses(addresses), description + &others));
    }
    let (name, offset) = match text.split_once('+') {
        Some((name, offset)) => (name.trim(), Some(offset)),
        None => (text, None),
    };
    let functions = program.functions(name);
    if let Some(first) = functions.first() {
        let offset = offset.map(|offset| number(session, offset)).transpose()?;
        let moved = |it: &&Symbol| it.address.wrapping_add(offset.unwrap_or(0) as u64);
        let addresses: Vec<u64> = functions.iter().map(moved).collect();
        let is_code = |it: &u64| program.has_code(*it) && it.is_multiple_of(4);
        if !addresses.iter().all(is_code) {
            return Err(format!(
                "{text} is not the address of an instruction of the program"
            ));
        }
        let others = others(addresses.len());
        let description = describe(session, moved(first)) + &others;
        return Ok((StopKind::Addresses(addresses), description));
    }
    if is_mnemonic(program.isa(), text) {
        let kind = StopKind::Mnemonic(text.to_owned());
        return Ok((kind, format!("instruction {}", printable(text))));
    }
    let symbols = program.symbols().iter().filter(|it| !it.is_data);
    let mut names: Vec<&str> = symbols.map(|it| it.name.as_str()).collect();
    names.truncate(20);
    Err(format!(
        "no symbol, line or instruction is named {}; symbols are {}",
        printable(text),
        printable(&names.join(", "))
    ))
}

/// True if a pattern matches any mnemonic of the instruction set.
fn is_mnemonic(isa: Isa, pattern: &str) -> bool {
    let first = pattern.split('*').next().unwrap_or_default();
    isa.tables().names().any(|name| {
        // Skip most names quickly: compare the literal prefix of the pattern, which may extend into the suffix.
        (name.starts_with(first) || first.starts_with(name))
            && SUFFIXES
                .iter()
                .any(|suffix| matches_pattern(&format!("{name}{suffix}"), pattern))
    })
}

/// Returns the text to append to the description of the first of `count` locations.
fn others(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        2 => " and 1 other place".to_owned(),
        count => format!(" and {} other places", count - 1),
    }
}

/// Formats an address as its symbol, with the source line if known.
pub fn describe(session: &Session<'_, '_>, address: u64) -> String {
    let program = session.program();
    let symbol = program.symbolic(address);
    let symbol = symbol.map_or_else(|| format!("{address:#x}"), |symbol| printable(&symbol));
    match program.line(address) {
        Some(line) => format!("{symbol} ({}:{})", file_name(line), line.line),
        None => symbol,
    }
}

/// Returns the last component of a line's file path.
pub fn file_name(line: &Line) -> String {
    let name = line.file.rsplit('/').next().unwrap_or_default();
    printable(name)
}

/// Splits a range such as `ys[2..5]` into name, first element and end. Returns `None` if the text has another form.
pub fn elements(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('[')?;
    let (first, end) = rest.strip_suffix(']')?.split_once("..")?;
    Some((name.trim(), first, end))
}

/// Parses an expression.
///
/// # Errors
/// Returns a message for the user.
pub fn parsed(session: &Session<'_, '_>, text: &str) -> Result<Expr, Message> {
    parse(text, session.program().isa()).map_err(|error| parse_error(text, &error))
}

/// Evaluates an expression to a nonnegative number.
///
/// # Errors
/// Returns a message for the user.
pub fn count(session: &Session<'_, '_>, text: &str) -> Result<u64, Message> {
    let value = number(session, text)?;
    u64::try_from(value).map_err(|_| match value < 0 {
        true => format!("{value} is negative"),
        false => format!("{value} is too large"),
    })
}
