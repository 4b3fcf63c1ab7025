//! Binding of arguments to kernel parameters by name, by index or in order, with types from the kernel's metadata or
//! symbol. [`arguments`] determines the value of each parameter and collects all errors, without allocating device
//! memory. [`place`] allocates the buffers and builds the argument segment.
//!
//! ```
//! # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
//! # use example::add_one;
//! use gcn_runtime::Device;
//! use gcn_args::bind::{self, Buffers, GivenArgument, place};
//! use gcn_runtime::data::Data;
//!
//! let device = Device::new("gfx900")?;
//! let kernel = device.load(&add_one())?.kernel("add_one")?;
//! let given = [GivenArgument::parse("xs", "u32*64:iota")];
//! let bound = bind::arguments(kernel.description(), &given, &[], &Data::open);
//! assert!(bound.problems.is_empty());
//! let mut buffers = Buffers::default();
//! let placement = place(bound.arguments, kernel.fixed_lds(), device.memory(), &mut buffers)?;
//! kernel.launch([64, 1, 1]).placed(placement.placed).submit(&device.queue())?.wait()?;
//! let xs = &buffers.views()[0];
//! let mut last = [0; 4];
//! assert!(device.memory().read(xs.address + 63 * 4, &mut last));
//! assert_eq!(last, 64u32.to_le_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod structure;
mod values;
mod argument;
mod place;

use std::collections::HashSet;

use gcn_object::{MAX_KERNARG_BYTES, ObjectKernel};
use gcn_runtime::parameters::{Parameter, parameters};

use crate::open::Open;
use crate::spec::Spec;
pub use argument::{BoundArgument, GivenArgument};
pub use error::{ArgumentError, BindError, PlaceError};
pub use place::{BufferView, Buffers, Placement, place};
pub use structure::{Block, Pointer};
use structure::{POINTER, structure};
pub use values::{Bound, BufferContents};

/// Size of an LDS offset in bytes.
const LDS_POINTER: u64 = 4;

/// Result of binding: bound arguments, and errors.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, GivenArgument};
/// use gcn_runtime::data::Data;
/// let given = [("xs", "u32*16"), ("factor", "1.5"), ("z", "1")];
/// let given = given.map(|(name, text)| GivenArgument::parse(name, text));
/// let binding = bind::arguments(kernel.description(), &given, &[], &Data::open);
/// let problems: Vec<String> = binding.problems.iter().map(ToString::to_string).collect();
/// assert_eq!(problems[1], "kernel scale has no argument z");
/// assert_eq!((binding.arguments.len(), problems.len()), (1, 2), "all problems are reported");
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Binding {
    /// Successfully bound arguments, in parameter order.
    pub arguments: Vec<BoundArgument>,
    /// All errors. If there are any, the arguments are incomplete.
    pub problems: Vec<BindError>,
}

/// Binds buffers shared by several launches: typed numbers, fills, bytes, files, `null`, or aliases of other buffers.
///
/// # Examples
/// ```
/// use gcn_args::bind::{Bound, GivenArgument, shared};
/// use gcn_runtime::data::Data;
/// let given = [GivenArgument::parse("table", "f32:1,2,3"), GivenArgument::parse("rest", "table[1]")];
/// let binding = shared(&given, &Data::open);
/// assert_eq!(binding.arguments[0].buffer_bytes(), Some(12));
/// assert!(matches!(&binding.arguments[1].bound, Bound::Alias { name, from: 1, .. } if name == "table"));
/// let beyond = shared(&[GivenArgument::parse("rest", "table[1]")], &Data::open);
/// assert!(beyond.problems[0].to_string().starts_with("buffer rest: "), "table does not exist");
/// let twice = shared(&[given[0].clone(), given[0].clone()], &Data::open);
/// assert_eq!(twice.problems[0].to_string(), "buffer table: a buffer of this name already exists");
/// ```
pub fn shared(given: &[GivenArgument], open: Open<'_>) -> Binding {
    let mut binding = Binding::default();
    for (given, is_repeated) in with_repeats(given) {
        let bound = match &given.spec {
            Ok(_) if is_repeated => Err(ArgumentError::Exists),
            Ok(spec) => values::buffer(spec, None, open),
            Err(error) => Err(error.clone().into()),
        };
        match bound {
            Ok(bound) => binding.arguments.push(BoundArgument {
                name: given.name.clone(),
                index: None,
                offset: 0,
                bound,
            }),
            Err(error) => binding.problems.push(BindError::Buffer {
                name: given.name.clone(),
                error,
            }),
        }
    }
    if binding.problems.is_empty() {
        let problem = |name, error| BindError::Buffer { name, error };
        binding.problems = references(&binding.arguments, &[], problem);
    }
    binding
}

/// Binds the arguments of a launch. Arguments may refer to the `shared` buffers.
///
/// If the kernel has metadata, an argument's name selects a parameter by name or index. If no parameter has a name, named
/// arguments are bound by position. Without metadata, all arguments are bound in order, and numbers need types.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{GivenArgument, arguments, shared};
/// use gcn_runtime::data::Data;
/// let table = shared(&[GivenArgument::parse("table", "u32:1,2,3")], &Data::open).arguments;
/// let given = [GivenArgument::parse("xs", "table"), GivenArgument::parse("1", "0x10")];
/// let binding = arguments(kernel.description(), &given, &table, &Data::open);
/// assert!(binding.problems.is_empty());
/// let factor = &binding.arguments[1];
/// assert_eq!((factor.name.as_str(), factor.index, factor.offset), ("factor", Some(1), 8));
/// ```
pub fn arguments(
    kernel: &ObjectKernel,
    given: &[GivenArgument],
    shared: &[BoundArgument],
    open: Open<'_>,
) -> Binding {
    let mut binding = Binding {
        problems: invalid(given),
        ..Binding::default()
    };
    match parameters(kernel) {
        Some(parameters) => by_metadata(kernel, &parameters, given, open, &mut binding),
        None => in_order(kernel, given, open, &mut binding),
    }
    check_references(&mut binding, shared);
    binding
}

/// Binds a structure, bytes or a file to the whole argument segment except hidden arguments. Any argument in `others` is an
/// error.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{Bound, GivenArgument, segment, shared};
/// use gcn_runtime::data::Data;
/// let table = shared(&[GivenArgument::parse("table", "u32:1,2,3")], &Data::open).arguments;
/// let whole = GivenArgument::parse("arguments", "{table[2], u32:3}");
/// let binding = segment(kernel.description(), &whole, &[], &table, &Data::open);
/// let Bound::Bytes(block) = &binding.arguments[0].bound else { panic!("{binding:?}") };
/// assert_eq!((block.bytes.len(), block.pointers[0].from), (16, 2));
/// ```
pub fn segment(
    kernel: &ObjectKernel,
    given: &GivenArgument,
    others: &[GivenArgument],
    shared: &[BoundArgument],
    open: Open<'_>,
) -> Binding {
    let mut binding = Binding {
        problems: invalid(others),
        ..Binding::default()
    };
    match whole(kernel, given, others, open) {
        Ok(block) => binding.arguments.push(BoundArgument {
            name: given.name.clone(),
            index: None,
            offset: 0,
            bound: Bound::Bytes(block),
        }),
        Err(error) => binding.problems.push(BindError::Segment(error)),
    }
    check_references(&mut binding, shared);
    binding
}

/// Pairs each argument with a flag that is true if an earlier argument has the same name.
fn with_repeats(given: &[GivenArgument]) -> impl Iterator<Item = (&GivenArgument, bool)> {
    let mut seen = HashSet::new();
    given
        .iter()
        .map(move |given| (given, !seen.insert(given.name.as_str())))
}

/// Returns an error for each argument whose text failed to parse.
fn invalid(given: &[GivenArgument]) -> Vec<BindError> {
    let problem = |given: &GivenArgument| {
        let error = given.spec.clone().err()?;
        Some(argument(&given.name, error))
    };
    given.iter().filter_map(problem).collect()
}

fn argument(name: &str, error: impl Into<ArgumentError>) -> BindError {
    BindError::Argument {
        name: name.to_owned(),
        error: error.into(),
    }
}

fn check_references(binding: &mut Binding, shared: &[BoundArgument]) {
    if binding.problems.is_empty() {
        let problem = |name, error| BindError::Argument { name, error };
        binding.problems = references(&binding.arguments, shared, problem);
    }
}

/// Returns errors for invalid references, and for buffers that have the name of a shared buffer.
fn references(
    arguments: &[BoundArgument],
    shared: &[BoundArgument],
    problem: impl Fn(String, ArgumentError) -> BindError,
) -> Vec<BindError> {
    let mut problems = Vec::new();
    for argument in arguments {
        let mut wrong = |error| problems.push(problem(argument.name.clone(), error));
        let unreachable = |name, from| unreachable(name, from, arguments, shared);
        match &argument.bound {
            Bound::Alias { name, from, .. } => {
                unreachable(name, *from).into_iter().for_each(&mut wrong);
            }
            Bound::Bytes(block) => {
                for Pointer { name, from, .. } in &block.pointers {
                    unreachable(name, *from).into_iter().for_each(&mut wrong);
                }
            }
            Bound::Buffer { .. } if shared.iter().any(|other| other.name == argument.name) => {
                wrong(ArgumentError::Exists);
            }
            Bound::Buffer { .. } | Bound::Null | Bound::Local { .. } => {}
        }
    }
    problems
}

/// Checks a reference to element `from` of buffer `name`. Returns its error, if any. The end of a buffer is valid.
fn unreachable(
    name: &str,
    from: u64,
    own: &[BoundArgument],
    shared: &[BoundArgument],
) -> Option<ArgumentError> {
    let named = || own.iter().chain(shared).filter(|other| other.name == name);
    // An alias of a shared buffer may have the name of that buffer.
    let has_memory = |other: &&BoundArgument| !matches!(other.bound, Bound::Alias { .. });
    let without = |kind| {
        Some(ArgumentError::NoBuffer {
            name: name.to_owned(),
            kind,
        })
    };
    match named()
        .find(has_memory)
        .or_else(|| named().next())
        .map(|other| &other.bound)
    {
        Some(Bound::Buffer { ty, bytes, .. }) => {
            let count = bytes / ty.size() as u64;
            (from > count).then(|| ArgumentError::NoElement {
                name: name.to_owned(),
                index: from,
                count,
            })
        }
        Some(Bound::Alias { name: of, .. }) => Some(ArgumentError::Alias {
            name: name.to_owned(),
            of: of.clone(),
        }),
        Some(Bound::Null) => without("a null pointer"),
        Some(Bound::Local { .. }) => without("dynamic LDS"),
        Some(Bound::Bytes(_)) => without("passed by value"),
        None => Some(ArgumentError::NoArgument(name.to_owned())),
    }
}

/// Returns the size of the argument segment up to the end of the last parameter, in bytes.
fn explicit_bytes(parameters: &[Parameter<'_>]) -> u64 {
    let end = |parameter: &Parameter| parameter.offset.saturating_add(parameter.size);
    parameters.iter().map(end).max().unwrap_or(0)
}

/// Converts a value to the bytes of the whole argument segment.
fn whole(
    kernel: &ObjectKernel,
    given: &GivenArgument,
    others: &[GivenArgument],
    open: Open<'_>,
) -> Result<Block, ArgumentError> {
    if let Some(other) = others.first() {
        return Err(ArgumentError::InSegment(other.name.clone()));
    }
    let bytes = |bytes| Block {
        bytes,
        ..Block::default()
    };
    let block = match given.spec.as_ref().map_err(Clone::clone)? {
        Spec::Bytes(written) => bytes(written.clone()),
        Spec::File { path, .. } => {
            bytes(open(path, MAX_KERNARG_BYTES)?.into_bytes(MAX_KERNARG_BYTES)?)
        }
        Spec::Struct(members) => structure(members)?,
        _ => return Err(ArgumentError::NotBytes(given.text.clone())),
    };
    let bytes = block.bytes.len() as u64;
    let known = match parameters(kernel) {
        Some(parameters) => Some(explicit_bytes(&parameters)),
        None => Some(u64::from(kernel.descriptor.kernarg_size)).filter(|bytes| *bytes > 0),
    };
    // A structure may include padding up to the hidden arguments.
    match known {
        Some(known) if bytes < known || bytes > known.next_multiple_of(POINTER) => {
            Err(ArgumentError::SegmentSize {
                kernel: kernel.name.clone(),
                wanted: known,
                given: bytes,
            })
        }
        _ => Ok(block),
    }
}

/// Binds values to the parameters described by metadata.
fn by_metadata(
    kernel: &ObjectKernel,
    parameters: &[Parameter<'_>],
    given: &[GivenArgument],
    open: Open<'_>,
    binding: &mut Binding,
) {
    let mut given_to = vec![false; parameters.len()];
    let nameless = parameters.iter().all(|parameter| parameter.name.is_none());
    for (place, (given, is_repeated)) in with_repeats(given).enumerate() {
        // Names take precedence over indices.
        let named = parameters
            .iter()
            .find(|parameter| parameter.name == Some(&given.name));
        let numbered = || {
            parameters
                .iter()
                .find(|parameter| parameter.index.to_string() == given.name)
        };
        // Compilers omit parameter names by default. Arguments may then have any names, and are bound by position.
        let in_order = || {
            parameters
                .get(place)
                .filter(|_| nameless && given.name.parse::<usize>().is_err())
        };
        let Some(parameter) = named.or_else(numbered).or_else(in_order) else {
            binding.problems.push(BindError::Unknown {
                kernel: kernel.name.clone(),
                name: given.name.clone(),
            });
            continue;
        };
        let Some(is_given) = given_to.get_mut(parameter.index) else {
            continue;
        };
        if std::mem::replace(is_given, true) || is_repeated {
            binding.problems.push(BindError::Twice(given.name.clone()));
            continue;
        }
        // Invalid values have already been reported.
        let Ok(spec) = &given.spec else {
            continue;
        };
        match values::bind(parameter, spec, open) {
            Ok(bound) => binding.arguments.push(BoundArgument {
                name: parameter.name.unwrap_or(&given.name).to_owned(),
                index: Some(parameter.index),
                offset: parameter.offset,
                bound,
            }),
            Err(error) => binding.problems.push(argument(&given.name, error)),
        }
    }
    for (parameter, is_given) in parameters.iter().zip(given_to) {
        if !is_given {
            binding.problems.push(BindError::Missing(parameter.label()));
        }
    }
    binding.arguments.sort_by_key(|argument| argument.index);
}

/// Binds values in order to the parameters of a kernel without metadata, at naturally aligned offsets.
fn in_order(kernel: &ObjectKernel, given: &[GivenArgument], open: Open<'_>, binding: &mut Binding) {
    let before = binding.problems.len();
    let mut end = 0u64;
    for (index, (given, is_repeated)) in with_repeats(given).enumerate() {
        if is_repeated {
            binding.problems.push(BindError::Twice(given.name.clone()));
            continue;
        }
        // Invalid values have already been reported.
        let Ok(spec) = &given.spec else {
            continue;
        };
        match values::untyped(kernel, spec, open) {
            Ok(bound) => {
                let (size, align) = match &bound {
                    Bound::Bytes(block) => (block.bytes.len() as u64, block.align),
                    Bound::Buffer { .. } | Bound::Alias { .. } | Bound::Null => (POINTER, POINTER),
                    Bound::Local { .. } => (LDS_POINTER, LDS_POINTER),
                };
                let offset = end.next_multiple_of(align.max(1));
                end = offset + size;
                binding.arguments.push(BoundArgument {
                    name: given.name.clone(),
                    index: Some(index),
                    offset,
                    bound,
                });
            }
            Err(error) => binding.problems.push(argument(&given.name, error)),
        }
    }
    let segment = u64::from(kernel.descriptor.kernarg_size);
    if binding.problems.len() > before || segment == 0 {
        return;
    }
    // The arguments may end before the segment does: its size is rounded up and may include hidden arguments.
    if end > segment {
        binding.problems.push(BindError::TooLong {
            kernel: kernel.name.clone(),
            given: end,
            wanted: segment,
        });
    } else if given.is_empty() {
        binding.problems.push(BindError::NoMetadata {
            kernel: kernel.name.clone(),
            bytes: segment,
        });
    }
}
