//! From arguments as written to the bytes that a kernel gets: which value is for which argument, of which type,
//! and buffers in guest memory.

use std::fs::File;
use std::io::Read;

use anyhow::{Context, Result, bail};
use gcn_emu::device::Device;
use gcn_object::{Argument, Kernel, ValueKind};
use gcn_runtime::hsa::Placed;

use super::fill::Fill;
use super::launch::Given;
use super::spec::Spec;
use super::value::{Bits, Type, ValueError, type_by_size};
use crate::input::{self, Data};
use crate::render::printable;

/// Bytes of an address.
const POINTER: u64 = 8;
/// Bytes of an LDS offset.
const LDS_POINTER: u64 = 4;

/// A buffer in guest memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// The name it was given.
    pub name: String,
    /// The argument's index.
    pub index: usize,
    /// Its address.
    pub address: u64,
    /// In bytes.
    pub bytes: u64,
    /// Of its elements.
    pub ty: Type,
}

/// Arguments, ready to be launched with.
#[derive(Default)]
pub struct Bound {
    /// Bytes of the argument segment.
    pub placed: Vec<Placed>,
    /// Buffers, in the order of the arguments.
    pub buffers: Vec<Buffer>,
    /// Bytes that they take.
    pub bytes: u64,
    /// Dynamic LDS that arguments ask for, in bytes.
    pub lds: u32,
}

/// What an argument of a kernel takes.
struct Parameter<'a> {
    /// Its name, or its index where it has none.
    name: String,
    index: usize,
    offset: u64,
    size: u64,
    takes: Takes<'a>,
    /// The element type that the metadata name, and how many of them (see [`Type::room`]).
    source: Option<(Type, usize)>,
}

/// The kinds of arguments.
enum Takes<'a> {
    Value,
    Buffer,
    Local {
        align: u64,
    },
    /// One that cannot be given here.
    Other(&'a ValueKind),
}

/// What a value is to become; nothing is allocated yet.
enum Plan<'a> {
    Bytes(Vec<u8>),
    /// A pointer to nothing.
    Null,
    Buffer {
        ty: Type,
        contents: Contents<'a>,
        bytes: u64,
    },
    Local {
        bytes: u32,
        align: u64,
    },
    /// The buffer of the argument of this name, from one of its elements on; its own elements may have another type.
    Same {
        name: &'a str,
        from: u64,
        ty: Option<Type>,
    },
}

/// Where a buffer's bytes come from.
enum Contents<'a> {
    Data(Data),
    /// So many elements.
    Filled(&'a Fill, u64),
}

/// Decides what every argument is, and puts buffers into guest memory, of which at most `budget` bytes are used.
///
/// # Errors
/// All arguments that are missing, unknown, given twice, or given wrong values; buffers that are too large.
pub fn bind(kernel: &Kernel, given: &[Given], device: &mut Device, budget: u64) -> Result<Bound> {
    let mut problems = Vec::new();
    let mut specs = Vec::new();
    for given in given {
        let spec = Spec::parse(&given.value)
            .map_err(|error| problems.push(format!("argument {}: {error}", printable(&given.name))))
            .ok();
        specs.push((given, spec));
    }
    let parameters = parameters(kernel);
    let plans = match &parameters {
        Some(parameters) => by_metadata(kernel, parameters, &specs, &mut problems),
        None => in_order(kernel, &specs, &mut problems),
    };
    if problems.is_empty() {
        unshared(&plans, &mut problems);
    }
    if !problems.is_empty() {
        let help = parameters.map(|parameters| listing(kernel, &parameters));
        bail!(Problems { problems, help });
    }
    let sizes = || {
        plans.iter().filter_map(|planned| match &planned.plan {
            Plan::Buffer { bytes, .. } => Some((&planned.name, *bytes)),
            _ => None,
        })
    };
    let needed = sizes().fold(0u64, |sum, (_, bytes)| sum.saturating_add(bytes));
    if needed > budget {
        let buffers = sizes().map(|(name, bytes)| format!("{} {bytes}", printable(name)));
        let list = buffers.collect::<Vec<_>>().join(", ");
        bail!(
            "the buffers take {needed} bytes ({list}), more than the {budget} bytes of memory there are; --memory changes that"
        );
    }
    let mut bound = place(kernel, plans, device)?;
    bound.bytes = needed;
    Ok(bound)
}

/// Buffers of other arguments that are none, or not as long.
fn unshared(plans: &[Planned<'_>], problems: &mut Vec<String>) {
    for planned in plans {
        let Plan::Same { name, from, .. } = planned.plan else {
            continue;
        };
        let other = plans.iter().find(|other| other.name == name);
        let wrong = match other.map(|other| &other.plan) {
            Some(Plan::Buffer { ty, bytes, .. }) => {
                let count = bytes / ty.size() as u64;
                (from > count).then(|| {
                    format!(
                        "{} has no element {from}, but {count} elements",
                        printable(name)
                    )
                })
            }
            Some(Plan::Same { name: of, .. }) => Some(format!(
                "{} is the buffer of {}; name an argument that has one of its own",
                printable(name),
                printable(of)
            )),
            Some(Plan::Null) => Some(without_buffer(name, "a null pointer")),
            Some(Plan::Local { .. }) => Some(without_buffer(name, "dynamic LDS")),
            Some(Plan::Bytes(_)) => Some(without_buffer(name, "passed by value")),
            None => Some(format!(
                "`{}` is neither a value nor another argument",
                printable(name)
            )),
        };
        if let Some(wrong) = wrong {
            problems.push(format!("argument {}: {wrong}", printable(&planned.name)));
        }
    }
}

/// The error of an argument that is to have the buffer of one that is `something` else.
fn without_buffer(name: &str, something: &str) -> String {
    format!("{} is {something}, so it has no buffer", printable(name))
}

/// Everything that is wrong with a launch.
#[derive(Debug, thiserror::Error)]
#[error("{}", .problems.join("; "))]
pub struct Problems {
    /// Each is a message.
    pub problems: Vec<String>,
    /// What would be right; may have several lines.
    pub help: Option<String>,
}

/// A value that goes to a place in the argument segment.
struct Planned<'a> {
    name: String,
    index: usize,
    offset: u64,
    plan: Plan<'a>,
}

/// The explicit arguments as the metadata have them; nothing for a kernel without.
fn parameters(kernel: &Kernel) -> Option<Vec<Parameter<'_>>> {
    let metadata = kernel.metadata.as_ref()?;
    if metadata.args.is_empty() && metadata.kernarg_segment_size > 0 {
        return None;
    }
    let explicit = metadata
        .args
        .iter()
        .filter(|argument| !argument.value_kind.is_hidden());
    Some(
        explicit
            .enumerate()
            .map(|(index, argument)| Parameter::new(index, argument))
            .collect(),
    )
}

/// What the arguments of a kernel are; nothing for one without metadata.
pub fn help(kernel: &Kernel) -> Option<String> {
    parameters(kernel).map(|parameters| listing(kernel, &parameters))
}

impl<'a> Parameter<'a> {
    fn new(index: usize, argument: &'a Argument) -> Parameter<'a> {
        Parameter {
            name: argument.name.clone().unwrap_or_else(|| index.to_string()),
            index,
            offset: argument.offset,
            size: argument.size,
            takes: match &argument.value_kind {
                ValueKind::ByValue => Takes::Value,
                ValueKind::GlobalBuffer => Takes::Buffer,
                ValueKind::DynamicSharedPointer => Takes::Local {
                    align: argument.pointee_align.unwrap_or(1).clamp(1, 4096),
                },
                other => Takes::Other(other),
            },
            source: argument.type_name.as_deref().and_then(Type::of_source),
        }
    }

    /// What the value has to be, for messages.
    fn wants(&self) -> String {
        let of = |source: Option<(Type, usize)>| match source {
            Some((ty, 1)) => format!(" of {ty}"),
            Some((ty, lanes)) => format!(" of {ty}, {} to an element", Type::room(lanes)),
            None => String::new(),
        };
        match (&self.takes, self.source) {
            (Takes::Value, Some((ty, lanes))) if self.is_of(ty, lanes) => {
                if lanes == 1 {
                    format!("a number, {ty}")
                } else {
                    format!("{lanes} numbers, {ty}")
                }
            }
            (Takes::Value, _) => format!("{} bytes by value", self.size),
            (Takes::Buffer, source) => format!("a buffer{}", of(source)),
            (Takes::Local { .. }, _) => "dynamic LDS, local:BYTES".to_owned(),
            (Takes::Other(kind), _) => format!("{}, which cannot be given", printable(kind.name())),
        }
    }

    /// Makes of a value what this argument takes.
    fn plan<'s>(&self, given: &Given, spec: &'s Spec) -> Result<Plan<'s>> {
        match (&self.takes, spec) {
            (Takes::Value, Spec::Numbers { ty, texts, .. }) => {
                self.value(*ty, texts).map(Plan::Bytes)
            }
            (Takes::Value, Spec::Filled { ty, count, fill }) => {
                let bytes = count.saturating_mul(ty.size() as u64);
                self.fits(bytes)?;
                Ok(Plan::Bytes(fill.bytes(*ty, 0..*count)))
            }
            (Takes::Value, Spec::File { path, .. }) => {
                let bytes = input::read(&given.path(path))?;
                self.fits(bytes.len() as u64)?;
                Ok(Plan::Bytes(bytes))
            }
            (Takes::Buffer, Spec::Null) => Ok(Plan::Null),
            (Takes::Buffer, Spec::Local(_)) => bail!("a buffer is wanted, not LDS"),
            (
                Takes::Buffer,
                Spec::Numbers {
                    ty: None,
                    texts,
                    list: false,
                },
            ) => {
                let number = texts.concat();
                bail!("a buffer is wanted, not a number; {number}, with a comma is a buffer of one")
            }
            (Takes::Buffer, spec) => buffer(given, spec, self.source.map(|source| source.0)),
            (Takes::Local { align }, Spec::Local(bytes)) => Ok(Plan::Local {
                bytes: *bytes,
                align: *align,
            }),
            (Takes::Local { .. }, _) => bail!("dynamic LDS is wanted: local:BYTES"),
            (Takes::Value, Spec::Same { name, .. }) => {
                bail!(ValueError::NotANumber(name.clone()))
            }
            (Takes::Value, Spec::Local(_) | Spec::Null) => {
                bail!("it is passed by value, {} bytes", self.size)
            }
            (Takes::Other(kind), _) => bail!(
                "arguments of kind {} cannot be given",
                printable(kind.name())
            ),
        }
    }

    fn fits(&self, bytes: u64) -> Result<()> {
        if bytes != self.size {
            bail!("it takes {} bytes, not {bytes}", self.size);
        }
        Ok(())
    }

    /// Numbers passed by value. Without a type they get the one of the metadata, or else one that fits the size.
    fn value(&self, ty: Option<Type>, texts: &[String]) -> Result<Vec<u8>> {
        let each = self.size / texts.len() as u64;
        let by_source = self
            .source
            .filter(|&(ty, lanes)| self.is_of(ty, lanes))
            .map(|source| source.0);
        let by_size = || texts.first().and_then(|text| type_by_size(text, each));
        let Some(ty) = ty.or(by_source).or_else(by_size) else {
            bail!(
                "{} numbers do not make up its {} bytes; give their type",
                texts.len(),
                self.size
            );
        };
        // What the fourth of a vector of three has is nobody's.
        let lanes = match self.source {
            Some((known, 3)) if known.size() == ty.size() => Type::room(texts.len()),
            _ => texts.len(),
        };
        self.fits((ty.size() * lanes) as u64)?;
        let is_float = |ty: Type| ty.bits() == Bits::Float;
        if let Some((known, _)) = self.source
            && known.size() == ty.size()
            && is_float(known) != is_float(ty)
        {
            bail!("it is {known}, not {ty}");
        }
        let mut bytes = elements(ty, texts)?;
        bytes.resize(ty.size() * lanes, 0);
        Ok(bytes)
    }

    /// Whether that many elements of a type are what it takes.
    fn is_of(&self, ty: Type, lanes: usize) -> bool {
        (ty.size() * Type::room(lanes)) as u64 == self.size
    }
}

/// The bytes of numbers.
fn elements(ty: Type, texts: &[String]) -> Result<Vec<u8>, ValueError> {
    let mut bytes = Vec::with_capacity(texts.len() * ty.size());
    for text in texts {
        bytes.extend(ty.parse(text)?.to_bytes());
    }
    Ok(bytes)
}

/// A buffer out of a value; `known` is the type that the metadata name.
fn buffer<'s>(given: &Given, spec: &'s Spec, known: Option<Type>) -> Result<Plan<'s>> {
    Ok(match spec {
        Spec::Numbers { ty, texts, .. } => {
            let ty = ty
                .or(known)
                .context("the metadata name no element type; write one, as in f32:1,2,3")?;
            let bytes = elements(ty, texts)?;
            Plan::Buffer {
                ty,
                bytes: bytes.len() as u64,
                contents: Contents::Data(Data::Read(bytes)),
            }
        }
        Spec::Filled { ty, count, fill } => {
            let bytes = count
                .checked_mul(ty.size() as u64)
                .context("the buffer is larger than any memory")?;
            Plan::Buffer {
                ty: *ty,
                bytes,
                contents: Contents::Filled(fill, *count),
            }
        }
        Spec::File { ty, path } => {
            let path = given.path(path);
            let data = Data::open(&path)?;
            let bytes = data.bytes();
            let ty = ty.or(known).unwrap_or(Type::U8);
            whole(bytes, ty).with_context(|| input::name(&path))?;
            Plan::Buffer {
                ty,
                bytes,
                contents: Contents::Data(data),
            }
        }
        Spec::Local(_) => bail!("a buffer is wanted, not LDS"),
        Spec::Null => Plan::Null,
        Spec::Same { name, from } => Plan::Same {
            name,
            from: *from,
            ty: known,
        },
    })
}

/// How many elements of `ty` are in so many bytes.
///
/// # Errors
/// There is a rest.
fn whole(bytes: u64, ty: Type) -> Result<u64, ValueError> {
    let size = ty.size() as u64;
    if bytes.is_multiple_of(size) {
        Ok(bytes / size)
    } else {
        Err(ValueError::Partial { bytes, ty })
    }
}

/// Values for the arguments that metadata name.
fn by_metadata<'s>(
    kernel: &Kernel,
    parameters: &[Parameter<'_>],
    specs: &'s [(&Given, Option<Spec>)],
    problems: &mut Vec<String>,
) -> Vec<Planned<'s>> {
    let mut plans: Vec<Planned<'s>> = Vec::new();
    let mut given_to = vec![false; parameters.len()];
    let nameless = parameters
        .iter()
        .all(|parameter| parameter.name == parameter.index.to_string());
    for (place, (given, spec)) in specs.iter().enumerate() {
        // A name that is also a number of another argument is a name.
        let named = parameters
            .iter()
            .find(|parameter| parameter.name == given.name);
        let numbered = || {
            parameters
                .iter()
                .find(|parameter| parameter.index.to_string() == given.name)
        };
        // Compilers leave names out unless asked; names are free to choose then, and the order counts.
        let in_order = || {
            parameters
                .get(place)
                .filter(|_| nameless && given.name.parse::<usize>().is_err())
        };
        let Some(parameter) = named.or_else(numbered).or_else(in_order) else {
            problems.push(format!(
                "kernel {} has no argument {}",
                printable(&kernel.name),
                printable(&given.name)
            ));
            continue;
        };
        given_to[parameter.index] = true;
        let name = printable(&given.name);
        if plans.iter().any(|planned| planned.index == parameter.index) {
            problems.push(format!("argument {name} is given twice"));
        }
        // What is wrong with a value that means nothing has been said.
        let Some(spec) = spec else {
            continue;
        };
        match parameter.plan(given, spec) {
            Ok(plan) => plans.push(Planned {
                name: label(parameter, given),
                index: parameter.index,
                offset: parameter.offset,
                plan,
            }),
            Err(error) => problems.push(format!("argument {name}: {error:#}")),
        }
    }
    for (parameter, is_given) in parameters.iter().zip(given_to) {
        if !is_given {
            problems.push(format!(
                "argument {} is missing",
                printable(&parameter.name)
            ));
        }
    }
    plans.sort_by_key(|planned| planned.index);
    plans
}

/// What an argument is called from now on: by its own name, or as it was given.
fn label(parameter: &Parameter<'_>, given: &Given) -> String {
    let named = parameter.name != parameter.index.to_string();
    if named {
        parameter.name.clone()
    } else {
        given.name.clone()
    }
}

/// The arguments that a kernel has, for people.
fn listing(kernel: &Kernel, parameters: &[Parameter<'_>]) -> String {
    if parameters.is_empty() {
        return format!("kernel {} takes no arguments", printable(&kernel.name));
    }
    let mut text = format!("kernel {} takes:", printable(&kernel.name));
    for parameter in parameters {
        let name = if parameter.name == parameter.index.to_string() {
            String::new()
        } else {
            format!(" {}", printable(&parameter.name))
        };
        text.push_str(&format!(
            "\n  {}{name}: {}",
            parameter.index,
            parameter.wants()
        ));
    }
    text
}

/// Values for a kernel that says nothing about its arguments: one after the other, naturally aligned.
fn in_order<'s>(
    kernel: &Kernel,
    specs: &'s [(&Given, Option<Spec>)],
    problems: &mut Vec<String>,
) -> Vec<Planned<'s>> {
    let mut plans = Vec::new();
    let mut end = 0u64;
    for (index, (given, spec)) in specs.iter().enumerate() {
        let Some(spec) = spec else {
            continue;
        };
        let plan = match spec {
            Spec::Numbers { ty: None, .. } => Err(anyhow::anyhow!(
                "kernel {} has no metadata, so a number needs a type, as in u32:42",
                printable(&kernel.name)
            )),
            Spec::Numbers {
                ty: Some(ty),
                texts,
                list: false,
            } => elements(*ty, texts).map(Plan::Bytes).map_err(Into::into),
            Spec::Local(bytes) => Ok(Plan::Local {
                bytes: *bytes,
                align: 1,
            }),
            spec => buffer(given, spec, None),
        };
        match plan {
            Ok(plan) => {
                let size = match &plan {
                    Plan::Bytes(bytes) => bytes.len() as u64,
                    Plan::Buffer { .. } | Plan::Same { .. } | Plan::Null => POINTER,
                    Plan::Local { .. } => LDS_POINTER,
                };
                let offset = end.next_multiple_of(size.max(1));
                end = offset + size;
                plans.push(Planned {
                    name: given.name.clone(),
                    index,
                    offset,
                    plan,
                });
            }
            Err(error) => problems.push(format!("argument {}: {error:#}", printable(&given.name))),
        }
    }
    let segment = u64::from(kernel.descriptor.kernarg_size);
    // A segment's size counts whole dwords or quads, and hidden arguments may follow.
    if problems.is_empty() && segment > 0 && end > segment {
        problems.push(format!(
            "the arguments take {end} bytes, but the descriptor of kernel {} says {segment}",
            printable(&kernel.name)
        ));
    } else if problems.is_empty() && specs.is_empty() && segment > 0 {
        problems.push(format!(
            "kernel {} reads {segment} bytes of arguments and has no metadata; give them in order, with types", printable(&kernel.name)
        ));
    }
    plans
}

/// Allocates buffers and makes the bytes of the argument segment.
fn place(kernel: &Kernel, plans: Vec<Planned<'_>>, device: &mut Device) -> Result<Bound> {
    let mut bound = Bound::default();
    let fixed = u64::from(kernel.descriptor.group_segment_fixed_size);
    // Buffers that others are come first.
    let (shared, own): (Vec<_>, Vec<_>) =
        (plans.into_iter()).partition(|planned| matches!(planned.plan, Plan::Same { .. }));
    for planned in own.into_iter().chain(shared) {
        let buffer = |address, bytes, ty| Buffer {
            name: planned.name.clone(),
            index: planned.index,
            address,
            bytes,
            ty,
        };
        let bytes = match planned.plan {
            Plan::Bytes(bytes) => bytes,
            Plan::Null => vec![0; POINTER as usize],
            Plan::Buffer {
                ty,
                contents,
                bytes,
            } => {
                let address = device.memory.allocate(&planned.name, bytes)?;
                let mut to = address;
                let mut write = |piece: &[u8]| {
                    device.memory.write(to, piece);
                    to += piece.len() as u64;
                };
                match contents {
                    Contents::Data(data) => data.pieces(write)?,
                    // Memory is zero already.
                    Contents::Filled(Fill::Zero, _) => {}
                    Contents::Filled(fill, count) => {
                        for piece in fill.pieces(ty, count) {
                            write(&piece);
                        }
                    }
                }
                bound.buffers.push(buffer(address, bytes, ty));
                address.to_le_bytes().to_vec()
            }
            Plan::Same { name, from, ty } => {
                let other = (bound.buffers.iter())
                    .find(|other| other.name == name)
                    .with_context(|| format!("{} is no buffer", printable(name)))?;
                let before = from * other.ty.size() as u64;
                let (address, bytes) = (other.address + before, other.bytes - before);
                let is_whole = |ty: &Type| whole(bytes, *ty).is_ok();
                let ty = ty.filter(is_whole).unwrap_or(other.ty);
                bound.buffers.push(buffer(address, bytes, ty));
                address.to_le_bytes().to_vec()
            }
            Plan::Local { bytes, align } => {
                let begin = (fixed + u64::from(bound.lds)).next_multiple_of(align);
                let end = begin + u64::from(bytes) - fixed;
                bound.lds = u32::try_from(end).context("more LDS than there is")?;
                (begin as u32).to_le_bytes().to_vec()
            }
        };
        bound.placed.push(Placed {
            offset: planned.offset,
            bytes,
        });
    }
    bound.buffers.sort_by_key(|buffer| buffer.index);
    Ok(bound)
}

/// Bytes of memory that the machine has to spare: half of what is available, where that can be found out.
pub fn spare_memory() -> u64 {
    /// What is assumed where it cannot be found out.
    const UNKNOWN: u64 = 4 << 30;
    let read = || {
        let mut text = String::new();
        File::open("/proc/meminfo")
            .ok()?
            .read_to_string(&mut text)
            .ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        kibibytes.checked_mul(1024 / 2)
    };
    read().unwrap_or(UNKNOWN)
}
