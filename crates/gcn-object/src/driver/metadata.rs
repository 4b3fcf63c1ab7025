//! Parses the text that describes kernels in Catalyst's programs, which consists of lines `;kind:field:field…`.

use std::collections::HashMap;
use std::str::Split;

use super::model::{DriverArgument, DriverArgumentKind, DriverKernel, PointerSpace};

/// Size of an image argument in bytes.
const IMAGE_BYTES: u32 = 32;
/// Size of a counter argument in bytes.
const COUNTER_BYTES: u32 = 4;

/// Properties that the metadata text states.
#[derive(Default)]
pub(super) struct MetadataText {
    arguments: Vec<DriverArgument>,
    lds_bytes: Option<u64>,
    required_workgroup: Option<[u32; 3]>,
}

impl MetadataText {
    /// Parses the lines of known kinds. Unknown and malformed lines are skipped.
    pub fn read(text: &str, bits: u8) -> Self {
        let mut facts = Self::default();
        let mut samplers = Vec::new();
        for line in text.lines() {
            let Some((kind, rest)) = line.strip_prefix(';').and_then(|line| line.split_once(':'))
            else {
                continue;
            };
            let mut fields = rest.split(':');
            match kind {
                "value" => facts.arguments.extend(value(&mut fields)),
                "pointer" => facts.arguments.extend(pointer(&mut fields, bits)),
                "image" => facts.arguments.extend(image(&mut fields)),
                "counter" => facts.arguments.extend(counter(&mut fields)),
                "sampler" => samplers.extend(fields.next()),
                "constarg" => facts.set_const(&mut fields),
                "reflection" => facts.set_type(rest),
                "memory" if fields.next() == Some("hwlocal") => {
                    facts.lds_bytes = number(&mut fields).map(u64::from);
                }
                "cws" => {
                    let mut size = || number(&mut fields);
                    facts.required_workgroup =
                        size().zip(size()).zip(size()).map(|((x, y), z)| [x, y, z]);
                }
                _ => {}
            }
        }
        facts.set_samplers(&samplers);
        facts
    }

    /// Adds the properties to a kernel.
    pub fn apply(self, kernel: &mut DriverKernel) {
        kernel.arguments = self.arguments;
        kernel.lds_bytes = self.lds_bytes;
        kernel.required_workgroup = self.required_workgroup;
    }

    fn set_const(&mut self, fields: &mut Split<'_, char>) {
        let argument = number(fields).and_then(|index| self.arguments.get_mut(index as usize));
        if let Some(DriverArgument {
            kind: DriverArgumentKind::Pointer { is_const, .. },
            ..
        }) = argument
        {
            *is_const = true;
        }
    }

    /// Sets the source type of an argument. `rest` contains the argument number and the type.
    fn set_type(&mut self, rest: &str) {
        let Some((index, name)) = rest.split_once(':') else {
            return;
        };
        let argument = index
            .parse()
            .ok()
            .and_then(|index: usize| self.arguments.get_mut(index));
        if let Some(argument) = argument {
            argument.type_name = Some(name.to_owned());
        }
    }

    /// Marks the arguments named in `names` as samplers, since their own lines declare them as values. A compiler-generated
    /// name counts only if the argument also has the type of a sampler.
    fn set_samplers(&mut self, names: &[&str]) {
        if names.is_empty() {
            return;
        }
        let mut by_name: HashMap<String, usize> = HashMap::new();
        for (index, argument) in self.arguments.iter().enumerate() {
            by_name.extend(argument.name.clone().map(|name| (name, index)));
        }
        for name in names {
            let index = by_name.get(*name);
            let Some(argument) = index.and_then(|index| self.arguments.get_mut(*index)) else {
                continue;
            };
            let is_made_up = name.starts_with("unknown_");
            if !is_made_up || argument.type_name.as_deref() == Some("sampler_t") {
                argument.kind = DriverArgumentKind::Sampler;
            }
        }
    }
}

fn number(fields: &mut Split<'_, char>) -> Option<u32> {
    fields.next()?.parse().ok()
}

/// Returns the size in bytes of a scalar type, and its OpenCL name.
fn scalar(name: &str) -> Option<(u32, &'static str)> {
    Some(match name {
        "i8" => (1, "char"),
        "u8" => (1, "uchar"),
        "i16" => (2, "short"),
        "u16" => (2, "ushort"),
        "i32" => (4, "int"),
        "u32" => (4, "uint"),
        "i64" => (8, "long"),
        "u64" => (8, "ulong"),
        "float" => (4, "float"),
        "double" => (8, "double"),
        _ => return None,
    })
}

/// Parses `name:type:elements:1:offset` or `name:struct:bytes:1:offset`.
fn value(fields: &mut Split<'_, char>) -> Option<DriverArgument> {
    let name = fields.next()?.to_owned();
    let kind = fields.next()?;
    let count = number(fields)?;
    let offset = fields.nth(1).and_then(|offset| offset.parse().ok());
    let (size, type_name) = match scalar(kind) {
        Some((bytes, name)) => {
            // Three elements occupy the space of four.
            let elements = if count == 3 { 4 } else { count };
            let vector = if count == 1 {
                String::new()
            } else {
                count.to_string()
            };
            (elements.saturating_mul(bytes), format!("{name}{vector}"))
        }
        None => (count, kind.to_owned()),
    };
    Some(DriverArgument {
        name: Some(name),
        type_name: Some(type_name),
        kind: DriverArgumentKind::Value,
        offset,
        size: Some(size),
    })
}

/// Parses `name:type:1:1:offset:space:slot:alignment:access:volatile:restrict`.
fn pointer(fields: &mut Split<'_, char>, bits: u8) -> Option<DriverArgument> {
    let name = fields.next()?.to_owned();
    let target = fields.next()?;
    let target = scalar(target).map_or(target, |(_, name)| name);
    let offset = fields.nth(2).and_then(|offset| offset.parse().ok());
    let space = match fields.next()? {
        "uav" => PointerSpace::Global,
        "hl" => PointerSpace::Local,
        "hc" | "c" => PointerSpace::Constant,
        _ => return None,
    };
    let slot = number(fields);
    let is_read_only = fields.nth(1) == Some("RO") && space == PointerSpace::Global;
    Some(DriverArgument {
        name: Some(name),
        type_name: Some(format!("{target}*")),
        kind: DriverArgumentKind::Pointer {
            space,
            // LDS has no buffer table.
            slot: slot.filter(|_| space != PointerSpace::Local),
            is_const: is_read_only,
        },
        offset,
        size: Some(u32::from(bits / 8)),
    })
}

/// Parses `name:dimensions:access:slot:1:offset`.
fn image(fields: &mut Split<'_, char>) -> Option<DriverArgument> {
    let name = fields.next()?.to_owned();
    let dimensions = fields.next()?;
    let (read, write) = match fields.next()? {
        "RO" => (true, false),
        "WO" => (false, true),
        _ => (true, true),
    };
    let slot = number(fields);
    let offset = fields.nth(1).and_then(|offset| offset.parse().ok());
    Some(DriverArgument {
        name: Some(name),
        type_name: Some(format!("{dimensions} image")),
        kind: DriverArgumentKind::Image { slot, read, write },
        offset,
        size: Some(IMAGE_BYTES),
    })
}

/// Parses `name:bits:number:1:offset`.
fn counter(fields: &mut Split<'_, char>) -> Option<DriverArgument> {
    let name = fields.next()?.to_owned();
    let bits = fields.next()?;
    let slot = number(fields)?;
    let offset = fields.nth(1).and_then(|offset| offset.parse().ok());
    Some(DriverArgument {
        name: Some(name),
        type_name: Some(format!("counter{bits}_t")),
        kind: DriverArgumentKind::Counter(slot),
        offset,
        size: Some(COUNTER_BYTES),
    })
}
