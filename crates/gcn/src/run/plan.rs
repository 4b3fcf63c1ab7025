//! From values as written to what each argument of a kernel becomes: bytes, a buffer, dynamic LDS. Nothing is allocated.

use anyhow::{Context, Result, bail};
use gcn_object::{Kernel, MAX_KERNARG_BYTES};

use super::block::{Block, POINTER, Pointer, elements, structure};
use super::fill::Fill;
use super::launch::Given;
use super::parameters::{Parameter, Takes, explicit_bytes, parameters};
use super::spec::Spec;
use super::value::{Bits, Type, ValueError};
use crate::input::{self, Data};

/// Bytes of an LDS offset.
const LDS_POINTER: u64 = 4;

/// What a value becomes.
pub enum Plan {
    /// Bytes in the argument segment.
    Bytes(Block),
    /// A pointer to nothing.
    Null,
    /// A buffer of its own.
    Buffer {
        /// Type of the elements.
        ty: Type,
        /// What it begins as.
        contents: Contents,
        /// Its size.
        bytes: u64,
    },
    /// Dynamic LDS.
    Local {
        /// Its size.
        bytes: u32,
        /// Of its begin.
        align: u64,
    },
    /// The address of an element of another buffer.
    Same {
        /// The buffer.
        name: String,
        /// The element.
        from: u64,
        /// Type of its own elements, if the kernel says one.
        ty: Option<Type>,
    },
}

/// What a buffer begins as.
pub enum Contents {
    /// Bytes of a file, or as written.
    Data(Data),
    /// `n` elements.
    Filled(Fill, u64),
}

/// A value with its place.
pub struct Planned {
    /// The name that it goes by.
    pub name: String,
    /// The argument's number; nothing for a buffer that launches share.
    pub index: Option<usize>,
    /// From the start of the argument segment, in bytes.
    pub offset: u64,
    /// What it becomes.
    pub plan: Plan,
}

/// The arguments of a launch as written.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    /// One by one.
    pub given: &'a [Given],
    /// All explicit ones at once.
    pub segment: Option<&'a Given>,
}

/// A value as written, unless it is invalid, which has been reported.
type Written<'a> = (&'a Given, Option<Spec>);

/// The buffers that launches share.
pub fn shared(given: &[Given], problems: &mut Vec<String>) -> Vec<Planned> {
    let mut plans = Vec::new();
    for given in given {
        let plan = Spec::parse(&given.value)
            .map_err(Into::into)
            .and_then(|spec| buffer(given, &spec, None));
        match plan {
            Ok(plan) => plans.push(Planned {
                name: given.name.clone(),
                index: None,
                offset: 0,
                plan,
            }),
            Err(error) => problems.push(format!("buffer {}: {error:#}", given.name)),
        }
    }
    if problems.is_empty() {
        references(&plans, &[], "buffer", problems);
    }
    plans
}

/// The arguments of a launch of a kernel, among the buffers that it shares with others.
pub fn arguments(
    kernel: &Kernel,
    arguments: Arguments<'_>,
    shared: &[Planned],
    problems: &mut Vec<String>,
) -> Vec<Planned> {
    let before = problems.len();
    let mut specs: Vec<Written> = Vec::new();
    for given in arguments.given {
        let spec = Spec::parse(&given.value)
            .map_err(|error| problems.push(format!("argument {}: {error}", given.name)));
        specs.push((given, spec.ok()));
    }
    let parameters = parameters(kernel);
    let plans = match (arguments.segment, &parameters) {
        (Some(given), parameters) => match segment(kernel, parameters.as_deref(), given, &specs) {
            Ok(planned) => vec![planned],
            Err(error) => {
                problems.push(format!("the argument segment: {error:#}"));
                Vec::new()
            }
        },
        (None, Some(parameters)) => by_metadata(kernel, parameters, &specs, problems),
        (None, None) => in_order(kernel, &specs, problems),
    };
    if problems.len() == before {
        references(&plans, shared, "argument", problems);
    }
    plans
}

/// Bytes of the buffers that are planned, with their names.
pub fn sizes<'a>(plans: impl Iterator<Item = &'a Planned>) -> Vec<(&'a str, u64)> {
    let size = |planned: &'a Planned| match &planned.plan {
        Plan::Buffer { bytes, .. } => Some((planned.name.as_str(), *bytes)),
        _ => None,
    };
    plans.filter_map(size).collect()
}

/// Reports addresses in buffers that do not exist or are not as long, and buffers of the name of another.
fn references(plans: &[Planned], shared: &[Planned], what: &str, problems: &mut Vec<String>) {
    for planned in plans {
        let mut wrong = |message: String| {
            problems.push(format!("{what} {}: {message}", planned.name));
        };
        match &planned.plan {
            Plan::Same { name, from, .. } => {
                if let Some(message) = unreachable(name, *from, plans, shared) {
                    wrong(message);
                }
            }
            Plan::Bytes(block) => {
                for Pointer { name, from, .. } in &block.pointers {
                    if let Some(message) = unreachable(name, *from, plans, shared) {
                        wrong(message);
                    }
                }
            }
            Plan::Buffer { .. } if shared.iter().any(|other| other.name == planned.name) => {
                wrong("there is a buffer of this name already".to_owned());
            }
            Plan::Buffer { .. } | Plan::Null | Plan::Local { .. } => {}
        }
    }
}

/// The reason why there is no such element, if there is none.
fn unreachable(name: &str, from: u64, own: &[Planned], shared: &[Planned]) -> Option<String> {
    let mut all = own.iter().chain(shared);
    let without = |something: &str| Some(format!("{name} is {something}, so it has no buffer"));
    match all
        .find(|other| other.name == name)
        .map(|other| &other.plan)
    {
        Some(Plan::Buffer { ty, bytes, .. }) => {
            let count = bytes / ty.size() as u64;
            (from > count).then(|| format!("{name} has no element {from}, but {count} elements"))
        }
        Some(Plan::Same { name: of, .. }) => Some(format!(
            "{name} is the buffer of {of}; name an argument that has one of its own"
        )),
        Some(Plan::Null) => without("a null pointer"),
        Some(Plan::Local { .. }) => without("dynamic LDS"),
        Some(Plan::Bytes(_)) => without("passed by value"),
        None => Some(format!("`{name}` is neither a value nor another argument")),
    }
}

/// The whole argument segment but for hidden arguments, as bytes.
fn segment(
    kernel: &Kernel,
    parameters: Option<&[Parameter<'_>]>,
    given: &Given,
    others: &[Written<'_>],
) -> Result<Planned> {
    if let Some((other, _)) = others.first() {
        bail!("argument {} is in it already", other.name);
    }
    let block = match Spec::parse(&given.value)? {
        Spec::Bytes(bytes) => Block {
            bytes,
            ..Block::default()
        },
        Spec::File { path, .. } => {
            let path = given.path(&path);
            Block {
                bytes: input::read_up_to(&path, MAX_KERNARG_BYTES)?,
                ..Block::default()
            }
        }
        Spec::Struct(members) => structure(&members)?,
        _ => bail!(
            "`{}` is not bytes: @FILE, hex:00ff or {{u32:1, f32:2.5}}",
            given.value
        ),
    };
    let bytes = block.bytes.len() as u64;
    let known = match parameters {
        Some(parameters) => Some(explicit_bytes(parameters)),
        None => Some(u64::from(kernel.descriptor.kernarg_size)).filter(|bytes| *bytes > 0),
    };
    // What a structure ends with may be padding; what follows is the hidden arguments' own.
    if let Some(known) = known
        && (bytes < known || bytes > known.next_multiple_of(POINTER))
    {
        bail!(
            "the arguments of kernel {} take {known} bytes, not {bytes}",
            kernel.name
        );
    }
    Ok(Planned {
        name: given.name.clone(),
        index: None,
        offset: 0,
        plan: Plan::Bytes(block),
    })
}

impl Parameter<'_> {
    /// Makes of a value what this parameter takes.
    fn plan(&self, given: &Given, spec: &Spec) -> Result<Plan> {
        match (&self.takes, spec) {
            (Takes::Value, Spec::Numbers { ty, texts, .. }) => self.value(*ty, texts),
            (Takes::Value, Spec::Filled { ty, count, fill }) => {
                self.fits(count.saturating_mul(ty.size() as u64))?;
                Ok(bytes(fill.bytes(*ty, 0..*count)))
            }
            (Takes::Value, Spec::File { path, .. }) => {
                let path = given.path(path);
                let read = input::read_up_to(&path, MAX_KERNARG_BYTES)?;
                self.fits(read.len() as u64)?;
                Ok(bytes(read))
            }
            (Takes::Value, Spec::Bytes(written)) => {
                self.fits(written.len() as u64)?;
                Ok(bytes(written.clone()))
            }
            (Takes::Value, Spec::Struct(members)) => {
                let block = structure(members)?;
                let bytes = block.bytes.len() as u64;
                if bytes != self.size {
                    bail!(
                        "it takes {} bytes, and these members {bytes}; write padding as hex:00",
                        self.size
                    );
                }
                Ok(Plan::Bytes(block))
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
            (Takes::Other(kind), _) => bail!("arguments of kind {} cannot be given", kind.name()),
        }
    }

    fn fits(&self, bytes: u64) -> Result<()> {
        if bytes != self.size {
            bail!("it takes {} bytes, not {bytes}", self.size);
        }
        Ok(())
    }

    /// Numbers passed by value, of the type that is written with them or of the parameter's own.
    fn value(&self, ty: Option<Type>, texts: &[String]) -> Result<Plan> {
        let Some(ty) = ty.or(self.source.map(|source| source.0)) else {
            let number = texts.first().map_or("", String::as_str);
            let bits = self.size / texts.len().max(1) as u64 * 8;
            let example = match bits {
                8 => format!("u8:{number}"),
                16 | 64 => format!("u{bits}:{number} or f{bits}:{number}"),
                _ => format!("u32:{number} or f32:{number}"),
            };
            bail!(
                "the kernel does not say the type of its {} bytes; write it, as in {example}",
                self.size
            );
        };
        // The fourth lane of a vector of three is padding.
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
        let mut written = elements(ty, texts)?;
        written.resize(ty.size() * lanes, 0);
        Ok(bytes(written))
    }
}

/// Bytes without addresses.
fn bytes(bytes: Vec<u8>) -> Plan {
    let align = bytes.len() as u64;
    Plan::Bytes(Block {
        bytes,
        pointers: Vec::new(),
        align,
    })
}

/// A buffer out of a value; `known` is the type of its elements in the source.
fn buffer(given: &Given, spec: &Spec, known: Option<Type>) -> Result<Plan> {
    Ok(match spec {
        Spec::Numbers { ty, texts, .. } => {
            let ty = (ty.or(known))
                .context("the kernel does not say the element type; write one, as in f32:1,2,3")?;
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
                contents: Contents::Filled(fill.clone(), *count),
            }
        }
        Spec::File { ty, path } => {
            let path = given.path(path);
            let data = Data::open(&path)?;
            let bytes = data.bytes();
            let ty = ty.or(known).unwrap_or(Type::U8);
            if !bytes.is_multiple_of(ty.size() as u64) {
                let error = ValueError::Partial { bytes, ty };
                return Err(error).with_context(|| input::name(&path));
            }
            Plan::Buffer {
                ty,
                bytes,
                contents: Contents::Data(data),
            }
        }
        Spec::Local(_) => bail!("a buffer is wanted, not LDS"),
        Spec::Struct(_) => bail!("a buffer is wanted, not a structure"),
        Spec::Bytes(bytes) => Plan::Buffer {
            ty: known.unwrap_or(Type::U8),
            bytes: bytes.len() as u64,
            contents: Contents::Data(Data::Read(bytes.clone())),
        },
        Spec::Null => Plan::Null,
        Spec::Same { name, from } => Plan::Same {
            name: name.clone(),
            from: *from,
            ty: known,
        },
    })
}

/// Values for the parameters that metadata describe.
fn by_metadata(
    kernel: &Kernel,
    parameters: &[Parameter<'_>],
    specs: &[Written<'_>],
    problems: &mut Vec<String>,
) -> Vec<Planned> {
    let mut plans: Vec<Planned> = Vec::new();
    let mut given_to = vec![false; parameters.len()];
    let nameless = parameters.iter().all(|parameter| parameter.name.is_none());
    for (place, (given, spec)) in specs.iter().enumerate() {
        // A name that is also a number of another argument is a name.
        let named = parameters
            .iter()
            .find(|parameter| parameter.name == Some(&given.name));
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
                kernel.name, given.name
            ));
            continue;
        };
        let Some(is_given) = given_to.get_mut(parameter.index) else {
            continue;
        };
        if std::mem::replace(is_given, true) {
            problems.push(format!("argument {} is given twice", given.name));
            continue;
        }
        // An invalid value has been reported.
        let Some(spec) = spec else {
            continue;
        };
        match parameter.plan(given, spec) {
            Ok(plan) => plans.push(Planned {
                name: parameter.name.unwrap_or(&given.name).to_owned(),
                index: Some(parameter.index),
                offset: parameter.offset,
                plan,
            }),
            Err(error) => problems.push(format!("argument {}: {error:#}", given.name)),
        }
    }
    for (parameter, is_given) in parameters.iter().zip(given_to) {
        if !is_given {
            problems.push(format!("argument {} is missing", parameter.label()));
        }
    }
    plans.sort_by_key(|planned| planned.index);
    plans
}

/// Values for a kernel that says nothing about its arguments: one after the other, naturally aligned.
fn in_order(kernel: &Kernel, specs: &[Written<'_>], problems: &mut Vec<String>) -> Vec<Planned> {
    let before = problems.len();
    let mut plans = Vec::new();
    let mut end = 0u64;
    for (index, (given, spec)) in specs.iter().enumerate() {
        let Some(spec) = spec else {
            continue;
        };
        let plan = match spec {
            Spec::Numbers { ty: None, .. } => Err(anyhow::anyhow!(
                "kernel {} has no metadata, so a number needs a type, as in u32:42",
                kernel.name
            )),
            Spec::Numbers {
                ty: Some(ty),
                texts,
                list: false,
            } => elements(*ty, texts).map(bytes).map_err(Into::into),
            Spec::Struct(members) => structure(members).map(Plan::Bytes),
            Spec::Bytes(bytes) => Ok(Plan::Bytes(Block {
                bytes: bytes.clone(),
                pointers: Vec::new(),
                align: 1,
            })),
            Spec::Local(bytes) => Ok(Plan::Local {
                bytes: *bytes,
                align: 1,
            }),
            spec => buffer(given, spec, None),
        };
        match plan {
            Ok(plan) => {
                let (size, align) = match &plan {
                    Plan::Bytes(block) => (block.bytes.len() as u64, block.align),
                    Plan::Buffer { .. } | Plan::Same { .. } | Plan::Null => (POINTER, POINTER),
                    Plan::Local { .. } => (LDS_POINTER, LDS_POINTER),
                };
                let offset = end.next_multiple_of(align.max(1));
                end = offset + size;
                plans.push(Planned {
                    name: given.name.clone(),
                    index: Some(index),
                    offset,
                    plan,
                });
            }
            Err(error) => problems.push(format!("argument {}: {error:#}", given.name)),
        }
    }
    let segment = u64::from(kernel.descriptor.kernarg_size);
    // A segment's size counts whole dwords or quads, and hidden arguments may follow.
    if problems.len() == before && segment > 0 && end > segment {
        problems.push(format!(
            "the arguments take {end} bytes, but the descriptor of kernel {} says {segment}",
            kernel.name
        ));
    } else if problems.len() == before && specs.is_empty() && segment > 0 {
        problems.push(format!(
            "kernel {} reads {segment} bytes of arguments and has no metadata; give them in order, with types",
            kernel.name
        ));
    }
    plans
}
