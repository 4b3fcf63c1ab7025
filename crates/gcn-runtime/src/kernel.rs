//! Kernels and their launches.

use std::sync::Arc;

use gcn_emu::device::Device as Emulated;
use gcn_emu::fault::FaultKind;
use gcn_emu::observe::Observers;
use gcn_emu::run;
use gcn_object::ValueKind;

use crate::bind::{self, Binding, BoundArgument, Given, Placement};
use crate::data::Open;
use crate::hsa::{self, Placed, Shape};
use crate::parameters::{self, Parameter};
use crate::progress::Progress;
use crate::value::Value;
use crate::{Buffer, Completion, Error, Module, Queue, Signal};

/// Work-items of a workgroup if nothing asks for another number: a wave.
const DEFAULT_GROUP: u32 = 64;
/// Bytes of a pointer to LDS.
const LDS_POINTER: u64 = 4;

/// A kernel of a module: a handle.
///
/// `Send` and `Sync`.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # use example::add_one;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let kernel = device.load(&add_one())?.kernel("add_one")?;
/// let xs = device.buffer("xs", &[1u32; 64])?;
/// let completion = kernel.launch([64, 1, 1]).arg(&xs).submit(&device.queue())?.wait()?;
/// assert_eq!(completion.stats.waves, 1);
/// assert_eq!(xs.read::<u32>(), [2; 64]);
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    index: usize,
}

impl Kernel {
    pub(crate) fn new(module: Module, index: usize) -> Kernel {
        Kernel { module, index }
    }

    fn kernel(&self) -> &gcn_object::Kernel {
        &self.module.object().kernels[self.index]
    }

    /// Symbol's name.
    pub fn name(&self) -> &str {
        &self.kernel().name
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The arguments that a caller gives, in their order; empty if the metadata do not say.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// assert_eq!(kernel.arguments().count(), 0, "assembled without metadata");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn arguments(&self) -> impl Iterator<Item = &gcn_object::Argument> {
        let metadata = self.kernel().metadata.as_ref();
        let all = metadata.map_or(&[][..], |metadata| &metadata.args);
        all.iter()
            .filter(|argument| !argument.value_kind.is_hidden())
    }

    /// The parameters that a caller gives arguments for, with their types as metadata and symbol say them; nothing if the
    /// metadata do not say.
    pub fn parameters(&self) -> Option<Vec<Parameter<'_>>> {
        parameters::parameters(self.kernel())
    }

    /// Binds arguments to the parameters, see [`bind::arguments`]. They may name buffers that are `shared` with other launches.
    pub fn bind(&self, given: &[Given], shared: &[BoundArgument], open: Open<'_>) -> Binding {
        bind::arguments(self.kernel(), given, shared, open)
    }

    /// Bytes of LDS of the kernel itself, in front of dynamic LDS.
    pub fn fixed_lds(&self) -> u32 {
        self.kernel().descriptor.group_segment_fixed_size
    }

    /// A launch of `grid` work-items in x, y and z. Without [`Launch::group`] workgroups have the size that the kernel
    /// requires, or up to 64 work-items in x.
    pub fn launch(&self, grid: [u32; 3]) -> Launch {
        let metadata = self.kernel().metadata.as_ref();
        let required = metadata.and_then(|metadata| metadata.reqd_workgroup_size);
        let required = required.map(|size| size.map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
        let most = metadata
            .and_then(|metadata| metadata.max_flat_workgroup_size)
            .and_then(|most| u32::try_from(most).ok())
            .filter(|most| *most != 0)
            .unwrap_or(DEFAULT_GROUP);
        let usual = [DEFAULT_GROUP.min(grid[0]).min(most), 1, 1];
        Launch {
            kernel: self.clone(),
            shape: Shape {
                grid,
                group: required.unwrap_or(usual),
                dimensions: 1,
                offset: [0; 3],
                dynamic_lds: 0,
                stack: None,
            },
            arguments: Vec::new(),
            segment: None,
            after: Vec::new(),
            progress: None,
            observers: Observers::none(),
        }
    }
}

/// An argument of a launch.
///
/// # Examples
/// ```
/// use gcn_runtime::Argument;
/// assert!(matches!(Argument::from(1.5f32), Argument::Bytes(bytes) if bytes == 1.5f32.to_le_bytes()));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Argument {
    /// A value's bytes, those of a structure too.
    Bytes(Vec<u8>),
    /// The address of a buffer, which is kept until the launch has ended.
    Buffer(Buffer),
    /// Bytes of LDS of each workgroup, whose address the kernel gets.
    Local(u32),
}

impl From<&Buffer> for Argument {
    fn from(buffer: &Buffer) -> Argument {
        Argument::Buffer(buffer.clone())
    }
}

macro_rules! values {
    ($($Type:ty)*) => {$(
        impl From<$Type> for Argument {
            fn from(value: $Type) -> Argument {
                Argument::Bytes(value.to_le_bytes().to_vec())
            }
        }
    )*};
}

impl From<Value> for Argument {
    fn from(value: Value) -> Argument {
        Argument::Bytes(value.to_bytes())
    }
}

values! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 }

impl Argument {
    /// Bytes in the argument segment.
    fn size(&self) -> u64 {
        match self {
            Argument::Bytes(bytes) => bytes.len() as u64,
            Argument::Buffer(_) => size_of::<u64>() as u64,
            Argument::Local(_) => LDS_POINTER,
        }
    }
}

/// The argument segment of a launch, where its arguments have places already.
#[derive(Clone, Debug)]
enum Segment {
    Placed(Vec<Placed>),
    /// At an address of the caller's.
    At(u64),
}

/// A launch that is being put together.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # use example::add_one;
/// # let device = gcn_runtime::Device::new("gfx900")?;
/// # let kernel = device.load(&add_one())?.kernel("add_one")?;
/// # let xs = device.buffer("xs", &[1u32; 64])?;
/// let done = kernel.launch([64, 1, 1]).group([16, 1, 1]).arg(&xs).submit(&device.queue())?;
/// assert_eq!(done.wait()?.stats.groups, 4);
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a launch does nothing until it is submitted"]
pub struct Launch {
    kernel: Kernel,
    shape: Shape,
    arguments: Vec<Argument>,
    segment: Option<Segment>,
    after: Vec<Signal>,
    progress: Option<Arc<Progress>>,
    observers: Observers,
}

impl Launch {
    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Sets the work-items of a workgroup in x, y and z.
    pub fn group(mut self, group: [u32; 3]) -> Launch {
        self.shape.group = group;
        self
    }

    /// Sets the first global number of the work-items, for OpenCL's kernels.
    pub fn offset(mut self, offset: [u64; 3]) -> Launch {
        self.shape.offset = offset;
        self
    }

    /// Sets the number of dimensions that the kernel sees at least, 1 to 3.
    pub fn dimensions(mut self, dimensions: u16) -> Launch {
        self.shape.dimensions = dimensions;
        self
    }

    /// Adds bytes of LDS for each workgroup.
    pub fn dynamic_lds(mut self, bytes: u32) -> Launch {
        self.shape.dynamic_lds = self.shape.dynamic_lds.saturating_add(bytes);
        self
    }

    /// Sets the bytes of each lane's stack beyond the fixed part of its scratch.
    pub fn stack(mut self, bytes: u32) -> Launch {
        self.shape.stack = Some(bytes);
        self
    }

    /// Adds an argument behind those that there are.
    pub fn arg(mut self, argument: impl Into<Argument>) -> Launch {
        self.arguments.push(argument.into());
        self
    }

    /// Gives the bytes that the argument segment begins with, in place of arguments.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let segment = xs.address().to_le_bytes().to_vec();
    /// kernel.launch([1, 1, 1]).raw_arguments(segment).submit(&device.queue())?.wait()?;
    /// assert_eq!(xs.read::<u32>(), [2]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn raw_arguments(mut self, bytes: Vec<u8>) -> Launch {
        self.segment = Some(Segment::Placed(vec![Placed { offset: 0, bytes }]));
        self
    }

    /// Gives arguments that have been bound and placed, in place of those of [`Launch::arg`]. Their buffers are the caller's to
    /// keep until the launch has ended.
    pub fn placed(mut self, placement: Placement) -> Launch {
        self.shape.dynamic_lds = self.shape.dynamic_lds.saturating_add(placement.lds);
        self.segment = Some(Segment::Placed(placement.placed));
        self
    }

    /// Gives the address of an argument segment, in device memory or registered host memory, in place of arguments. The caller
    /// owns it, keeps it until the launch has ended, and has written hidden arguments too: nothing is written to it. What the
    /// kernel prints and its calls to its host are the caller's to serve.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let segment = device.buffer("segment", &[xs.address()])?;
    /// kernel.launch([1, 1, 1]).arguments_at(segment.address()).submit(&device.queue())?.wait()?;
    /// assert_eq!(xs.read::<u32>(), [2]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn arguments_at(mut self, address: u64) -> Launch {
        self.segment = Some(Segment::At(address));
        self
    }

    /// Has the launch begin only when these signals are complete too.
    pub fn after(mut self, signals: &[Signal]) -> Launch {
        self.after.extend_from_slice(signals);
        self
    }

    /// Counts the launch's progress.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let progress = std::sync::Arc::default();
    /// let launch = kernel.launch([1, 1, 1]).arg(&xs).progress(&progress);
    /// launch.submit(&device.queue())?.wait()?;
    /// assert_eq!(progress.done().groups, 1);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn progress(mut self, progress: &Arc<Progress>) -> Launch {
        self.progress = Some(progress.clone());
        self
    }

    /// Has observers watch the launch. What the host does to memory they see by [`Device::observe`](crate::Device::observe).
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// use gcn_runtime::observe::{Dispatched, Events, Observer, Observers};
    ///
    /// #[derive(Default)]
    /// struct Dispatches(AtomicU64);
    /// impl Observer for Dispatches {
    ///     fn wants(&self) -> Events {
    ///         Events::DISPATCH
    ///     }
    ///     fn dispatch_begins(&self, _: &Dispatched<'_>) {
    ///         self.0.fetch_add(1, Relaxed);
    ///     }
    /// }
    ///
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let dispatches = Arc::new(Dispatches::default());
    /// let observers = Observers::none().with(dispatches.clone());
    /// let launch = kernel.launch([1, 1, 1]).arg(&xs).observers(&observers);
    /// launch.submit(&device.queue())?.wait()?;
    /// assert_eq!(dispatches.0.load(Relaxed), 1);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn observers(mut self, observers: &Observers) -> Launch {
        self.observers = observers.clone();
        self
    }

    /// Puts the launch into a queue of the module's device.
    ///
    /// # Errors
    /// Arguments that are not the kernel's; sizes that are not possible; a queue of another device.
    pub fn submit(self, queue: &Queue) -> Result<Signal, Error> {
        if !queue.device().is(self.kernel.module.device()) {
            return Err(Error::OtherDevice);
        }
        let Launch {
            kernel,
            mut shape,
            arguments,
            segment,
            after,
            progress,
            observers,
        } = self;
        let segment = match segment {
            Some(segment) => segment,
            None => Segment::Placed(place(&kernel, &mut shape, &arguments)?),
        };
        let prepared = Prepared {
            kernel,
            shape,
            segment,
            _kept: arguments,
            progress,
            observers,
        };
        let isa = queue.device().target().isa;
        let problem = prepared.launch().problems(isa).into_iter().next();
        match problem {
            Some(problem) => Err(Error::Launch(Arc::new(problem))),
            None => Ok(queue.launch(prepared, after)),
        }
    }
}

/// Places arguments: where the metadata have them, or one behind the other, aligned to their size.
fn place(kernel: &Kernel, shape: &mut Shape, arguments: &[Argument]) -> Result<Vec<Placed>, Error> {
    let name = || kernel.name().to_owned();
    let known = kernel.kernel().metadata.as_ref();
    let known = known.is_some_and(|metadata| !metadata.args.is_empty());
    let wanted: Vec<&gcn_object::Argument> = kernel.arguments().collect();
    if known && wanted.len() != arguments.len() {
        return Err(Error::ArgumentCount {
            kernel: name(),
            wanted: wanted.len(),
            given: arguments.len(),
        });
    }
    let fixed_lds = kernel.kernel().descriptor.group_segment_fixed_size;
    let mut end = 0u64;
    let mut placed = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let size = argument.size();
        let metadata = wanted.get(index);
        let offset = match metadata {
            Some(metadata) => metadata.offset,
            None => end.next_multiple_of(size.clamp(1, 16).next_power_of_two()),
        };
        if let Some(metadata) = metadata
            && metadata.size != size
        {
            return Err(Error::ArgumentSize {
                kernel: name(),
                index,
                wanted: metadata.size,
                given: size,
            });
        }
        end = offset.saturating_add(size);
        let bytes = match argument {
            Argument::Bytes(bytes) => bytes.clone(),
            Argument::Buffer(buffer) => buffer.address().to_le_bytes().to_vec(),
            Argument::Local(bytes) => {
                let is_pointer =
                    |m: &&&gcn_object::Argument| m.value_kind == ValueKind::DynamicSharedPointer;
                let align = metadata
                    .filter(is_pointer)
                    .and_then(|metadata| metadata.pointee_align)
                    .map_or(16, |align| align.clamp(1, 4096) as u32);
                let used = fixed_lds.saturating_add(shape.dynamic_lds);
                let address = used.checked_next_multiple_of(align).unwrap_or(u32::MAX);
                shape.dynamic_lds = address.saturating_add(*bytes) - fixed_lds;
                address.to_le_bytes().to_vec()
            }
        };
        placed.push(Placed { offset, bytes });
    }
    Ok(placed)
}

/// A launch in a queue.
pub(crate) struct Prepared {
    kernel: Kernel,
    shape: Shape,
    segment: Segment,
    /// Buffers live until the end.
    _kept: Vec<Argument>,
    progress: Option<Arc<Progress>>,
    observers: Observers,
}

impl Prepared {
    fn launch(&self) -> hsa::Launch<'_> {
        hsa::Launch {
            object: self.kernel.module.object(),
            loaded: self.kernel.module.loaded(),
            kernel: self.kernel.kernel(),
            shape: self.shape,
            arguments: match &self.segment {
                Segment::Placed(placed) => hsa::Arguments::Placed(placed),
                Segment::At(address) => hsa::Arguments::At(*address),
            },
            answers_host_calls: self.kernel.module.device().answers_host_calls(),
        }
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, device: &mut Emulated, signal: &Signal) -> crate::Outcome {
        device.interrupted = Arc::default();
        if !signal.begin(Some(device.interrupted.clone())) {
            return Err(Error::Cancelled);
        }
        device.monitor = self.progress.clone().map(|progress| progress as _);
        let prepared = self.launch().prepare(device);
        let prepared = prepared.map_err(|error| Error::Launch(Arc::new(error)))?;
        let ran = run::run(device, &prepared.code, &prepared.dispatch, &self.observers);
        (device.host_calls, device.monitor) = (None, None);
        let ran = ran.map_err(|error| Error::Run(Arc::new(error)))?;
        let printf = prepared.printf.as_ref();
        let mut printed = printf.map_or_else(Vec::new, |printf| printf.text(&device.memory));
        let (text, lost) = match &prepared.hostcall {
            Some(host) => host.printed(),
            None => (Vec::new(), 0),
        };
        printed.extend(text);
        let completion = Arc::new(Completion {
            kernel: self.kernel.name().to_owned(),
            stats: ran.stats,
            printed,
            lost,
            notes: prepared.notes,
            violation: ran.violation,
            fault: ran.fault,
            places: ran.places,
            unfinished: ran.unfinished,
        });
        match &completion.fault {
            None => Ok(completion),
            Some(fault) => {
                // What its waves waited for is no business of the next kernel's.
                device.gws = gcn_emu::gds::Gws::new();
                let is_stopped = fault.kind == FaultKind::Interrupted && signal.is_cancelled();
                Err(if is_stopped {
                    Error::Cancelled
                } else {
                    Error::Fault(completion)
                })
            }
        }
    }
}
