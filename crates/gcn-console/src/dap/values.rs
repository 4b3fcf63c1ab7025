//! Responses about scopes, variables and expressions.

use gcn_debug::{
    EvalError, Evaluated, Format, NamedBuffer, ScalarType, Session, SourceObject, Space, Target,
    WaveId, resolve,
};
use serde_json::{Value, json};

use super::protocol::{
    ExpressionArguments, Refusal, Scope, ValueFormat, Variable, VariablesArguments,
};
use super::references::{Group, LANES, References, thread_id};
use crate::places::{describe, parsed, value};
use crate::show::{STATE, numbers};

/// Number of list elements returned if the request specifies no count.
const MAX_VALUES: u64 = 1000;

/// Maximum number of list elements in a response.
const MAX_PART: u64 = 1 << 16;

impl ValueFormat {
    /// Returns the format in which the request wants numbers.
    pub fn notation(self) -> Format {
        if self.hex {
            Format::Hex
        } else {
            Format::Natural
        }
    }
}

/// Returns the memory reference for an address.
pub fn memory_reference(session: &Session<'_, '_>, space: Space, address: u64) -> String {
    let wave = session.focus().map_or(0, |wave| thread_id(session, wave));
    match space {
        Space::Global => format!("{address:#x}"),
        Space::Lds => format!("lds/{wave}/{address:#x}"),
        Space::Scratch => format!("scratch/{wave}/{}/{address:#x}", session.lane()),
    }
}

/// Returns the scopes of a wave.
pub fn scopes(
    session: &Session<'_, '_>,
    references: &mut References,
    id: WaveId,
) -> Result<Vec<Scope>, Refusal> {
    let wave = session.wave().ok_or("the wave has ended")?;
    let registers = Some("registers");
    let mut scope = |name, group, hint, named, indexed| Scope {
        name,
        presentation_hint: hint,
        variables_reference: references.group(group),
        named_variables: named,
        indexed_variables: indexed,
        expensive: hint.is_none(),
    };
    let scalars = usize::from(wave.sgpr_count.min(wave.isa.sgprs()));
    let vectors = wave.vgprs.len();
    let locals = session.locals().unwrap_or_default();
    let mut all = Vec::new();
    if !locals.is_empty() {
        let count = Some(locals.iter().filter(|it| !it.is_hidden).count());
        all.push(scope(
            "Locals",
            Group::Locals(id),
            Some("locals"),
            count,
            None,
        ));
    }
    all.extend([
        scope(
            "Special registers",
            Group::Special(id),
            registers,
            Some(STATE.len()),
            None,
        ),
        scope(
            "Scalar registers",
            Group::Scalars(id),
            registers,
            Some(scalars),
            None,
        ),
        scope(
            "Vector registers",
            Group::Vectors(id),
            registers,
            Some(vectors),
            None,
        ),
        scope(
            "Lanes",
            Group::Lanes(id),
            registers,
            None,
            Some(LANES.into()),
        ),
        scope(
            "Buffers",
            Group::Buffers,
            Some("arguments"),
            Some(session.buffers().len()),
            None,
        ),
    ]);
    let lds = session.view().wave.map_or(0, |(_, lds)| lds.bytes().len());
    if lds > 0 {
        all.push(scope(
            "LDS",
            Group::Lds(id),
            None,
            None,
            Some(lds as u64 / 4),
        ));
    }
    Ok(all)
}

/// Builds the expression for a value from its group and name.
///
/// # Errors
/// Fails if no expression denotes the value.
pub fn expression(session: &Session<'_, '_>, group: &Group, name: &str) -> Result<String, Refusal> {
    Ok(match group {
        Group::Locals(_) => local_expression(name),
        Group::Special(_) | Group::Scalars(_) | Group::Vectors(_) => name.to_owned(),
        Group::Buffers => {
            let buffers = session.buffers();
            let number = buffers.iter().position(|it| buffer_name(it) == name);
            match number {
                Some(number) if is_name_of(session, name, number) => name.to_owned(),
                _ => return Err(format!("`{name}` is not a buffer in expressions")),
            }
        }
        Group::Object(_, object) => match name.starts_with('[') {
            true => part_expression(object, name),
            false => part_expression(object, &format!(".{name}")),
        },
        Group::Lane(_, lane) => format!("{name}[{lane}]"),
        Group::Register(_, register) => format!("{register}{name}"),
        Group::Buffer(number) => {
            let buffer = session.buffers().get(*number);
            let buffer = buffer.ok_or("there is no such buffer")?;
            let index = name.trim_matches(['[', ']']).parse::<u64>();
            let index = index.map_err(|_| format!("`{name}` is not an element"))?;
            let is_named = is_name_of(session, &buffer_name(buffer), *number);
            element(buffer, is_named, index)
        }
        Group::Lds(_) => format!("lds{name}"),
        Group::Lanes(_) => return Err("a lane is not a value".to_owned()),
    })
}

/// Moves the focus to the wave of a group.
///
/// # Errors
/// Fails if the wave has ended.
pub fn focus(session: &mut Session<'_, '_>, group: &Group) -> Result<(), Refusal> {
    let wave = match group {
        Group::Locals(wave)
        | Group::Object(wave, _)
        | Group::Special(wave)
        | Group::Scalars(wave)
        | Group::Vectors(wave)
        | Group::Lanes(wave)
        | Group::Lane(wave, _)
        | Group::Register(wave, _)
        | Group::Lds(wave) => *wave,
        Group::Buffers | Group::Buffer(_) => return Ok(()),
    };
    if session.set_focus(wave) {
        Ok(())
    } else {
        Err("the wave has ended".to_owned())
    }
}

/// Returns the name by which expressions refer to a buffer.
fn buffer_name(buffer: &NamedBuffer) -> String {
    if buffer.name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("arg{}", buffer.name)
    } else {
        buffer.name.clone()
    }
}

/// True if a name in expressions denotes this buffer, rather than a register or a variable.
fn is_name_of(session: &Session<'_, '_>, name: &str, number: usize) -> bool {
    matches!(value(session, name), Ok(Evaluated::Buffer(it)) if it == number)
}

/// Returns the expression for an element of a buffer.
fn element(buffer: &NamedBuffer, is_named: bool, index: u64) -> String {
    if is_named {
        return format!("{}[{index}]", buffer_name(buffer));
    }
    let offset = index.wrapping_mul(buffer.ty.bytes());
    let address = buffer.address.wrapping_add(offset);
    format!("*({}*){address:#x}", buffer.ty.name())
}

/// Creates the variable for a buffer, with the elements as children.
fn buffer(session: &Session<'_, '_>, references: &mut References, number: usize) -> Variable {
    let buffer = &session.buffers()[number];
    let ty = format!("{}*{}", buffer.ty.name(), buffer.elements());
    let name = buffer_name(buffer);
    Variable {
        evaluate_name: is_name_of(session, &name, number).then(|| name.clone()),
        name,
        value: format!("{ty} at {:#x}", buffer.address),
        ty: Some(ty),
        memory_reference: Some(memory_reference(session, Space::Global, buffer.address)),
        variables_reference: references.group(Group::Buffer(number)),
        indexed_variables: Some(buffer.elements()),
    }
}

/// Returns the values of a group whose wave has the focus.
///
/// # Errors
/// Fails if a value cannot be evaluated.
pub fn variables(
    session: &Session<'_, '_>,
    references: &mut References,
    group: &Group,
    arguments: &VariablesArguments,
) -> Result<Vec<Variable>, Refusal> {
    let format = arguments.format;
    let named = |references: &mut References, name: String| {
        variable(session, references, &name, &name, format)
    };
    match group {
        Group::Locals(_) => {
            let locals = session.locals().map_err(|error| error.to_string())?;
            let visible = locals.iter().filter(|it| !it.is_hidden);
            let each = visible.map(|local| {
                let (name, text) = (&local.name, local_expression(&local.name));
                match &local.object {
                    Ok(object) => source_variable(session, references, name, &text, object, format),
                    Err(error) => missing(name, error),
                }
            });
            Ok(each.collect())
        }
        Group::Object(_, text) => {
            let Evaluated::Object(object) = value(session, text)? else {
                return Err(format!("`{text}` no longer has parts"));
            };
            let view = session.view();
            let first = usize::try_from(arguments.start).unwrap_or(usize::MAX);
            let wanted = match arguments.count {
                0 => MAX_VALUES,
                count => count.min(MAX_PART),
            };
            let parts = object.parts(&view, first, wanted as usize);
            let parts = parts.map_err(|error| error.to_string())?;
            part(arguments, object.part_count(&view), |number| {
                let (suffix, object) = parts
                    .get(number as usize - first)
                    .ok_or("there is no such part")?;
                let name = suffix.trim_start_matches('.');
                let text = part_expression(text, suffix);
                Ok(match object {
                    Ok(object) => source_variable(session, references, name, &text, object, format),
                    Err(error) => missing(name, error),
                })
            })
        }
        Group::Special(_) => STATE
            .iter()
            .map(|name| named(references, (*name).to_owned()))
            .collect(),
        Group::Scalars(_) => {
            let wave = session.wave().ok_or("the wave has ended")?;
            let count = wave.sgpr_count.min(wave.isa.sgprs());
            (0..count)
                .map(|number| named(references, format!("s{number}")))
                .collect()
        }
        Group::Vectors(_) => {
            let count = session.wave().map_or(0, |wave| wave.vgprs.len());
            (0..count)
                .map(|number| named(references, format!("v{number}")))
                .collect()
        }
        Group::Lane(_, lane) => {
            let count = session.wave().map_or(0, |wave| wave.vgprs.len());
            let register = |number| {
                let name = format!("v{number}");
                let text = format!("{name}[{lane}]");
                variable(session, references, &name, &text, format)
            };
            (0..count).map(register).collect()
        }
        Group::Lanes(id) => part(arguments, LANES.into(), |lane| {
            Ok(self::lane(session, references, *id, lane as u8))
        }),
        Group::Register(_, register) => part(arguments, LANES.into(), |lane| {
            let name = format!("[{lane}]");
            let text = format!("{register}{name}");
            let mut found = variable(session, references, &name, &text, format)?;
            let exec = session.wave().map_or(0, |wave| wave.exec());
            if exec >> lane & 1 == 0 {
                found.ty = found.ty.map(|ty| ty + ", inactive lane");
            }
            Ok(found)
        }),
        Group::Buffers => {
            let numbers = 0..session.buffers().len();
            Ok(numbers
                .map(|number| buffer(session, references, number))
                .collect())
        }
        Group::Buffer(number) => {
            let buffer = session.buffers().get(*number);
            let buffer = buffer.ok_or("there is no such buffer")?;
            let is_named = is_name_of(session, &buffer_name(buffer), *number);
            part(arguments, buffer.elements(), |index| {
                let name = format!("[{index}]");
                let text = element(buffer, is_named, index);
                variable(session, references, &name, &text, format)
            })
        }
        Group::Lds(_) => {
            let bytes = session.view().wave.map_or(0, |(_, lds)| lds.bytes().len());
            part(arguments, bytes as u64 / 4, |dword| {
                let name = format!("[{:#x}]", dword * 4);
                let text = format!("lds{name}");
                variable(session, references, &name, &text, format)
            })
        }
    }
}

/// Returns an expression that denotes a source variable even if a register or a buffer has the same name.
fn local_expression(name: &str) -> String {
    format!("locals.{name}")
}

/// Returns the expression for a member or element of a source object, such as `.x` or `[2]`. Both bind tighter than `*`.
fn part_expression(object: &str, part: &str) -> String {
    if object.starts_with('*') {
        format!("({object}){part}")
    } else {
        format!("{object}{part}")
    }
}

/// Creates the variable for a source object, with its children if it has any.
fn source_variable(
    session: &Session<'_, '_>,
    references: &mut References,
    name: &str,
    text: &str,
    object: &SourceObject,
    format: ValueFormat,
) -> Variable {
    let view = session.view();
    let wave = session.focus();
    let children = object.part_count(&view);
    let group = wave.filter(|_| children > 0);
    let group = group.map(|wave| references.group(Group::Object(wave, text.to_owned())));
    let place = object.address();
    Variable {
        name: name.to_owned(),
        value: object.text(&view, format.notation()),
        ty: Some(object.ty().name.clone()),
        evaluate_name: Some(text.to_owned()),
        memory_reference: place.map(|(space, at)| memory_reference(session, space, at)),
        variables_reference: group.unwrap_or(0),
        ..Variable::default()
    }
}

/// Creates the variable for a source variable that is not available.
fn missing(name: &str, error: &EvalError) -> Variable {
    Variable {
        name: name.to_owned(),
        value: error.placeholder(),
        ..Variable::default()
    }
}

/// Returns the requested elements of a list of length `count`.
fn part(
    arguments: &VariablesArguments,
    count: u64,
    mut value: impl FnMut(u64) -> Result<Variable, Refusal>,
) -> Result<Vec<Variable>, Refusal> {
    let wanted = match arguments.count {
        0 => MAX_VALUES,
        wanted => wanted.min(MAX_PART),
    };
    let first = arguments.start.min(count);
    let end = count.min(first.saturating_add(wanted));
    let mut found = (first..end)
        .map(&mut value)
        .collect::<Result<Vec<_>, _>>()?;
    if arguments.count == 0 && end < count {
        found.push(Variable {
            name: "...".to_owned(),
            value: format!("{} more", count - end),
            ..Variable::default()
        });
    }
    Ok(found)
}

/// Creates the variable for a lane, with its registers as children.
fn lane(session: &Session<'_, '_>, references: &mut References, id: WaveId, lane: u8) -> Variable {
    let item = session.work_item(lane);
    let item = item.map_or_else(String::new, |item| {
        let [x, y, z] = item.global;
        format!("work-item {x},{y},{z}")
    });
    let is_active = session
        .wave()
        .is_some_and(|wave| wave.exec() >> lane & 1 == 1);
    let state = if is_active { "" } else { ", inactive" };
    Variable {
        name: format!("[{lane}]"),
        value: item + state,
        variables_reference: references.group(Group::Lane(id, lane)),
        ..Variable::default()
    }
}

/// Evaluates an expression and creates its variable, with children if it has any.
///
/// # Errors
/// Fails if the expression cannot be evaluated.
pub fn variable(
    session: &Session<'_, '_>,
    references: &mut References,
    name: &str,
    text: &str,
    format: ValueFormat,
) -> Result<Variable, Refusal> {
    let mut found = Variable {
        name: name.to_owned(),
        evaluate_name: Some(text.to_owned()),
        memory_reference: place(session, text),
        ..Variable::default()
    };
    let is_mask = matches!(text, "exec" | "vcc" | "mode" | "m0");
    let notation = if is_mask {
        Format::Hex
    } else {
        format.notation()
    };
    match value(session, text)? {
        Evaluated::Scalar(number) => {
            found.ty = Some(number.ty.name().to_owned());
            found.value = number.text(notation);
            if text == "pc" {
                found.value = format!("{:#x} <{}>", number.bits, describe(session, number.bits));
                found.memory_reference = Some(format!("{:#x}", number.bits));
            }
        }
        Evaluated::Lanes(lanes) => {
            let ty = lanes.first().map_or(ScalarType::U32, |first| first.ty);
            found.ty = Some(format!("{}*{LANES}", ty.name()));
            found.value = numbers(&lanes, notation);
            let wave = session.focus().ok_or("the wave has ended")?;
            found.variables_reference = references.group(Group::Register(wave, text.to_owned()));
            found.indexed_variables = Some(LANES.into());
        }
        Evaluated::Buffer(number) => {
            return Ok(Variable {
                name: found.name,
                evaluate_name: found.evaluate_name,
                ..buffer(session, references, number)
            });
        }
        Evaluated::Object(object) => {
            return Ok(source_variable(
                session, references, name, text, &object, format,
            ));
        }
    }
    Ok(found)
}

/// Returns the memory reference of an expression, or `None` if it does not denote a location in memory.
fn place(session: &Session<'_, '_>, text: &str) -> Option<String> {
    let expr = parsed(session, text).ok()?;
    let view = session.view();
    match resolve(&expr, &view).ok()? {
        Target::Memory { space, address, .. } => Some(memory_reference(session, space, address)),
        Target::Buffer(number) => {
            let address = session.buffers().get(number)?.address;
            Some(memory_reference(session, Space::Global, address))
        }
        _ => None,
    }
}

/// Assigns to the location that an expression denotes, and returns the new value.
///
/// # Errors
/// Fails if the expression does not denote a location, or the new value is not a number.
pub fn assign(
    session: &mut Session<'_, '_>,
    references: &mut References,
    text: &str,
    new: &str,
    format: ValueFormat,
) -> Result<Value, Refusal> {
    let place = parsed(session, text)?;
    let number = value(session, new)?.single(&session.view());
    let number = number.ok_or_else(|| format!("`{new}` is not a single number"))?;
    let number = number.map_err(|error| error.to_string())?;
    session
        .assign(&place, number)
        .map_err(|error| error.to_string())?;
    let found = variable(session, references, text, text, format)?;
    Ok(json!({
        "value": found.value,
        "type": found.ty,
        "variablesReference": found.variables_reference,
        "indexedVariables": found.indexed_variables.unwrap_or(0),
    }))
}

/// Evaluates an expression for the response of `evaluate`.
///
/// # Errors
/// Fails if the expression cannot be evaluated.
pub fn evaluated(
    session: &Session<'_, '_>,
    references: &mut References,
    arguments: &ExpressionArguments,
) -> Result<Value, Refusal> {
    let text = arguments.expression.trim();
    let found = variable(session, references, text, text, arguments.format)?;
    let mut body = json!({
        "result": found.value,
        "type": found.ty,
        "variablesReference": found.variables_reference,
    });
    if let Some(count) = found.indexed_variables {
        body["indexedVariables"] = json!(count);
    }
    if let Some(place) = found.memory_reference {
        body["memoryReference"] = json!(place);
    }
    Ok(body)
}
