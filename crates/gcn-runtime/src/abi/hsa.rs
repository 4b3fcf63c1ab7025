//! The HSA ABI: how a code object lies in memory, and what a kernel finds when it starts.
//!
//! [`load`] puts a code object into guest memory. [`KernelStart::prepare`] builds what the packet processor and the
//! runtime build around a kernel: argument segment with its hidden arguments, dispatch packet, queue, and the
//! registers that the kernel descriptor asks for. The result is a [`Dispatch`] that knows nothing of HSA.
//!
//! Sources: "Kernel Dispatch", "Initial Kernel Execution State" and "Code Object Metadata" in LLVM's "User Guide
//! for AMDGPU Backend"; the packet and queue structures of the HSA runtime's public headers.

mod arguments;
mod inspect;
mod load;
mod registers;

use std::sync::Arc;

use gcn_emu::Code;
use gcn_emu::device::Device;
use gcn_emu::memory::{AllocError, Memory};
use gcn_emu::run::{Dispatch, Initial, MAX_GROUP, Unfit, fits};
use gcn_emu::wave::LANES;
use gcn_isa::Isa;
use gcn_object::{CodeObject, MAX_KERNARG_BYTES, ObjectKernel, ValueKind};

use crate::abi::hostcall::Hostcall;
use crate::abi::owned::Owned;
use crate::abi::printf::{FormatError, Formats, PrintfBuffer};
use arguments::Services;
pub(crate) use inspect::unowned_sources;
pub use inspect::{BeyondArguments, UnownedSources, UnsetSgprs};
pub use load::{LoadError, Loaded, LoadedSymbol, link, load};
use registers::{Pointers, VGPR_BLOCK, sgprs};

/// Waves of a dispatch at most. The packet's three 32-bit grid sizes allow 2^96 work-items; what is beyond this
/// many waves would run for days here, so it is refused instead of begun.
pub const MAX_WAVES: u128 = 1 << 30;
/// Bytes of scratch of a lane at most: the wave's size is a field of 13 bits in units of 1 KiB.
pub const MAX_SCRATCH_PER_LANE: u32 = ((1 << 13) - 1) * 1024 / 64;
/// Scratch of a lane, beyond the fixed part, for a kernel whose stack depends on the run, unless the caller asks for more or
/// less.
pub const DYNAMIC_STACK_BYTES: u32 = 4096;
/// The words that it looks at: the bytes of the buffer that are used, and its size; both are zero.
const MUTE_PRINTF_BYTES: u64 = 8;

/// The size of a dispatch.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// let shape = kernel.launch([100, 2, 1]).group([32, 1, 1]).dynamic_lds(256).prepare()?.shape();
/// assert_eq!((shape.grid, shape.group), ([100, 2, 1], [32, 1, 1]), "in work-items");
/// assert_eq!((shape.dimensions, shape.dynamic_lds, shape.stack), (1, 256, None));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchShape {
    /// Work-items in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a workgroup in x, y, z.
    pub group: [u32; 3],
    /// Dimensions that the caller asks for, 1 to 3; those of more than one work-item count in any case.
    pub dimensions: u16,
    /// The first global number of work-items in x, y, z; OpenCL's alone have one.
    pub offset: [u64; 3],
    /// Bytes of LDS behind the kernel's fixed part.
    pub dynamic_lds: u32,
    /// Bytes of a lane's scratch behind the kernel's fixed part; without, [`DYNAMIC_STACK_BYTES`] for a kernel whose
    /// stack depends on the run.
    pub stack: Option<u32>,
}

/// Bytes of the argument segment that the caller gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedBytes {
    /// Offset from the segment's start.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A kernel about to be started.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// use gcn_emu::device::{Config, Device};
/// use gcn_emu::observe::Observers;
/// use gcn_runtime::hsa::{Arguments, KernelStart, PlacedBytes, LaunchShape, load};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let mut device = Device::new(Config::new(target.isa));
/// let object = gcn_object::read(example::add_one())?;
/// let loaded = load(&device, &object, "the code")?;
/// let xs = device.memory.allocate("xs", 256)?;
/// let arguments = [PlacedBytes { offset: 0, bytes: xs.to_le_bytes().to_vec() }];
/// let start = KernelStart {
///     object: &object,
///     loaded: &loaded,
///     kernel: &object.kernels[0],
///     shape: LaunchShape { grid: [64, 1, 1], group: [64, 1, 1], dimensions: 1, offset: [0; 3], dynamic_lds: 0, stack: None },
///     arguments: Arguments::Placed(&arguments),
///     answers_host_calls: true,
/// };
/// let prepared = start.prepare(&device, 1)?;
/// gcn_emu::run::run(&mut device, &prepared.code, &prepared.dispatch, &Observers::none())?;
/// assert_eq!(device.memory.load_u32(xs + 63 * 4), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KernelStart<'a> {
    /// The object it is in.
    pub object: &'a CodeObject<'a>,
    /// Place in memory.
    pub loaded: &'a Loaded,
    /// The kernel.
    pub kernel: &'a ObjectKernel,
    /// The size of the dispatch.
    pub shape: LaunchShape,
    /// The arguments.
    pub arguments: Arguments<'a>,
    /// True if the runtime answers the kernel's calls to its host. Otherwise it makes no buffer for them, and leaves the hidden
    /// arguments of that buffer and of the heap as the caller gives them.
    pub answers_host_calls: bool,
}

/// The argument segment of a launch.
#[derive(Clone, Copy, Debug)]
pub enum Arguments<'a> {
    /// Explicit arguments, for which the launch makes a segment; it adds the hidden ones.
    Placed(&'a [PlacedBytes]),
    /// A segment at this address, hidden arguments included, which the caller owns. Nothing is written to it, so that the
    /// kernel's `printf` and calls to its host are the caller's to serve.
    At(u64),
    /// The segment that a dispatch packet of the caller's names, where the kernel finds that packet and its queue too.
    Packet(Packet),
}

/// A dispatch packet in a queue of the caller's: addresses in device memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The packet, an `hsa_kernel_dispatch_packet_t`.
    pub packet: u64,
    /// The queue, an `amd_queue_t`, with the apertures of [`Device::apertures`](crate::Device::apertures).
    pub queue: u64,
    /// The argument segment.
    pub arguments: u64,
}

/// A kernel ready to run.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let emulated = example::emulated();
/// # let start = emulated.start();
/// let prepared = start.prepare(&emulated.device, 4)?;
/// assert_eq!(prepared.dispatch.entry, emulated.loaded.moved(start.kernel.entry_address));
/// assert_eq!((prepared.dispatch.grid, prepared.dispatch.lds_bytes), ([64, 1, 1], 0));
/// assert!(prepared.hostcall.is_some(), "without metadata it may call its host");
/// # Ok::<(), gcn_runtime::hsa::LaunchError>(())
/// ```
pub struct Prepared {
    /// Code, which launches of the kernel share.
    pub code: Arc<Code>,
    /// The dispatch to run.
    pub dispatch: Dispatch,
    /// Decisions that nobody asked for.
    pub notes: Vec<LaunchNote>,
    /// Buffer for printing, if it prints.
    pub printf: Option<Printf>,
    /// Answers its calls to the host, if it makes any.
    pub hostcall: Option<Arc<Hostcall>>,
    /// Memory that the launch has for itself, such as the argument segment.
    pub owned: Owned,
}

/// The printf buffer of a run, and the formats of the object.
#[derive(Clone, Debug)]
pub struct Printf {
    buffer: PrintfBuffer,
    formats: Formats,
}

impl Printf {
    /// The text that the kernel has printed since this was last called. The buffer is empty afterwards.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let emulated = example::printing("1:1:4:x is %d");
    /// # let memory = &emulated.device.memory;
    /// let prepared = emulated.start().prepare(&emulated.device, 1)?;
    /// let printf = prepared.printf.as_ref().expect("the kernel prints `x is %d`");
    /// # example::print(memory, &prepared, 42);
    /// assert_eq!(printf.take_text(memory), b"x is 42");
    /// assert!(printf.take_text(memory).is_empty());
    /// # Ok::<(), gcn_runtime::hsa::LaunchError>(())
    /// ```
    pub fn take_text(&self, memory: &Memory) -> Vec<u8> {
        let text = self.buffer.text(memory, &self.formats);
        self.buffer.clear(memory);
        text
    }
}

/// Something decided that the user may want to know.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LaunchNote {
    /// The stack is not in the descriptor.
    #[error(
        "the size of the kernel's stack is unknown; each lane has {bytes} bytes of scratch, {stack} more than the fixed part"
    )]
    DynamicStack {
        /// Scratch of a lane.
        bytes: u64,
        /// Of these, what is beyond the fixed part.
        stack: u32,
    },
    /// Workgroups at the edge of the grid are partial.
    #[error(
        "a grid of {} has partial workgroups of {}; the kernel was compiled for whole workgroups only", by(.grid), by(.group)
    )]
    Partial {
        /// Work-items.
        grid: [u64; 3],
        /// Work-items of a workgroup.
        group: [u64; 3],
    },
    /// Output with this format will be missing.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The output is lost (errata E244).
    #[error(
        "the code object calls the device library's empty printf instead of the compiler's, and prints nothing"
    )]
    MutePrintf,
}

/// Reason for which a kernel cannot be started.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_runtime::Error;
/// let error = kernel.launch([64, 1, 1]).group([0, 1, 1]).prepare().unwrap_err();
/// assert!(matches!(error, Error::Launch(_)));
/// assert_eq!(error.to_string(), "a grid and a workgroup need at least one work-item in every dimension");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A dimension is zero.
    #[error("a grid and a workgroup need at least one work-item in every dimension")]
    Empty,
    /// Too many work-items in a workgroup.
    #[error("a workgroup of {0} work-items is too large: the limit is {MAX_GROUP}")]
    GroupTooLarge(u64),
    /// Too many work-items for this kernel.
    #[error(
        "a workgroup of {items} work-items is too large: the kernel was compiled for at most {most}"
    )]
    GroupBeyondKernel {
        /// Of the workgroup.
        items: u64,
        /// The most that the metadata allow.
        most: u64,
    },
    /// The kernel insists on another size.
    #[error("the kernel was compiled for workgroups of {}, not of {}", by(.required), by(.given))]
    GroupRequired {
        /// The size that the metadata require.
        required: [u64; 3],
        /// The size asked for.
        given: [u64; 3],
    },
    /// More than can be run.
    #[error(
        "a grid of {} in workgroups of {} has {waves} waves; the limit is {MAX_WAVES}", by(.grid), by(.group)
    )]
    TooManyWaves {
        /// Work-items.
        grid: [u64; 3],
        /// Work-items of a workgroup.
        group: [u64; 3],
        /// Waves.
        waves: u128,
    },
    /// More LDS than there is.
    #[error("a workgroup needs {bytes} bytes of LDS ({fixed} in the kernel, {dynamic} dynamic); {} has {most}", .isa.version())]
    Lds {
        /// In all.
        bytes: u64,
        /// Of the descriptor.
        fixed: u32,
        /// Of the launch.
        dynamic: u32,
        /// The generation.
        isa: Isa,
        /// The most that a workgroup can have.
        most: u32,
    },
    /// More scratch than the hardware can give.
    #[error(
        "the kernel needs {bytes} bytes of scratch per lane; the limit is {MAX_SCRATCH_PER_LANE}"
    )]
    Scratch {
        /// The descriptor's number.
        bytes: u64,
    },
    /// The argument segment is absurd.
    #[error("the argument segment has {bytes} bytes; the limit is {MAX_KERNARG_BYTES}")]
    Arguments {
        /// Size.
        bytes: u64,
    },
    /// More registers than a compute unit has.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Waves of 32 lanes do not exist on GCN.
    #[error("the kernel needs waves of 32 lanes, which {} does not have", .0.version())]
    Wave32(Isa),
    /// The entry is not code.
    #[error("the entry of the kernel at {0:#x} is not in an executable segment")]
    Entry(u64),
    /// No memory.
    #[error(transparent)]
    Memory(#[from] AllocError),
}

fn by(size: &[u64; 3]) -> String {
    format!("{} x {} x {}", size[0], size[1], size[2])
}

/// Bytes of LDS that a workgroup can have.
///
/// # Examples
/// ```
/// use gcn_isa::Target;
/// use gcn_runtime::hsa::max_lds;
/// let of = |name| max_lds(Target::named(name).expect("a target").isa);
/// assert_eq!((of("gfx600"), of("gfx900")), (32 << 10, 64 << 10));
/// ```
pub fn max_lds(isa: Isa) -> u32 {
    match isa {
        Isa::Si => 32 << 10,
        Isa::Ci | Isa::Vi | Isa::Stoney | Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => 64 << 10,
    }
}

impl KernelStart<'_> {
    /// The error in the sizes, for a device of instruction set `isa`.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let emulated = example::emulated();
    /// # let start = emulated.start();
    /// use gcn_runtime::hsa::{KernelStart, LaunchError, LaunchShape};
    /// let isa = emulated.device.config.isa;
    /// assert!(start.problems(isa).is_empty());
    /// let large = KernelStart { shape: LaunchShape { group: [2048, 1, 1], ..start.shape }, ..start };
    /// assert!(matches!(large.problems(isa)[..], [LaunchError::GroupTooLarge(2048)]));
    /// ```
    pub fn problems(&self, isa: Isa) -> Vec<LaunchError> {
        let LaunchShape {
            grid,
            group,
            dynamic_lds,
            ..
        } = self.shape;
        let mut problems = Vec::new();
        if grid.contains(&0) || group.contains(&0) {
            return vec![LaunchError::Empty];
        }
        let descriptor = &self.kernel.descriptor;
        let given = group.map(u64::from);
        let items = given
            .iter()
            .fold(1, |product: u64, n| product.saturating_mul(*n));
        let metadata = self.kernel.metadata.as_ref();
        let required = metadata.and_then(|m| m.reqd_workgroup_size);
        let most = metadata
            .and_then(|m| m.max_flat_workgroup_size)
            .filter(|most| *most != 0);
        if items > MAX_GROUP {
            problems.push(LaunchError::GroupTooLarge(items));
        } else if let Some(required) = required.filter(|required| *required != given) {
            problems.push(LaunchError::GroupRequired { required, given });
        } else if let Some(most) = most.filter(|most| items > *most) {
            problems.push(LaunchError::GroupBeyondKernel { items, most });
        }
        let groups = grid
            .iter()
            .zip(given)
            .map(|(grid, group)| u128::from(u64::from(*grid).div_ceil(group)));
        let waves = groups.fold(
            u128::from(items.div_ceil(LANES as u64)),
            u128::saturating_mul,
        );
        if waves > MAX_WAVES {
            problems.push(LaunchError::TooManyWaves {
                grid: grid.map(u64::from),
                group: given,
                waves,
            });
        }
        let fixed = descriptor.group_segment_fixed_size;
        let bytes = u64::from(fixed) + u64::from(dynamic_lds);
        let most = max_lds(isa);
        if bytes > u64::from(most) {
            problems.push(LaunchError::Lds {
                bytes,
                fixed,
                dynamic: dynamic_lds,
                isa,
                most,
            });
        }
        let waves = items.div_ceil(LANES as u64);
        if items <= MAX_GROUP
            && let Err(unfit @ Unfit::Registers { .. }) = fits(waves, self.vgprs() as u64, 0)
        {
            problems.push(unfit.into());
        }
        let scratch = self.scratch_bytes();
        if scratch > u64::from(MAX_SCRATCH_PER_LANE) {
            problems.push(LaunchError::Scratch { bytes: scratch });
        }
        let arguments = self.segment_bytes();
        if arguments > MAX_KERNARG_BYTES {
            problems.push(LaunchError::Arguments { bytes: arguments });
        }
        if descriptor.kernel_code_properties.enable_wavefront_size32() {
            problems.push(LaunchError::Wave32(isa));
        }
        problems
    }

    /// Bytes of scratch that each host thread of a run takes: of all workgroups that it may have begun and not ended.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let emulated = example::emulated();
    /// # let start = emulated.start();
    /// use gcn_runtime::hsa::{KernelStart, LaunchShape};
    /// assert_eq!(start.scratch_bytes_per_thread(), 0);
    /// let deep = KernelStart { shape: LaunchShape { stack: Some(128), ..start.shape }, ..start };
    /// assert!(deep.scratch_bytes_per_thread() >= 128 * 64, "a wave at least");
    /// ```
    pub fn scratch_bytes_per_thread(&self) -> u64 {
        self.dispatch().scratch_bytes_per_thread()
    }

    /// The dispatch but for registers and arguments, which have no address yet.
    fn dispatch(&self) -> Dispatch {
        let fixed_lds = self.kernel.descriptor.group_segment_fixed_size;
        Dispatch {
            kernel: Some(self.kernel.name.clone()),
            kernarg: None,
            restricted: Vec::new(),
            entry: self.loaded.moved(self.kernel.entry_address),
            grid: self.shape.grid,
            group: self.shape.group,
            lds_bytes: fixed_lds.saturating_add(self.shape.dynamic_lds),
            scratch_bytes_per_lane: self.scratch_bytes() as u32,
            initial: Initial::default(),
        }
    }

    /// Builds everything that the kernel finds when it starts, for a run on `threads` host threads at most.
    ///
    /// # Errors
    /// The first of [`KernelStart::problems`], or what only shows now.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let emulated = example::emulated();
    /// # let start = emulated.start();
    /// let prepared = start.prepare(&emulated.device, 1)?;
    /// assert_eq!(prepared.dispatch.kernel.as_deref(), Some("add_one"));
    /// let segment = prepared.dispatch.kernarg.clone().expect("its argument segment");
    /// assert!(emulated.device.memory.load_u32(segment.start).is_some());
    /// assert!(prepared.notes.is_empty() && prepared.printf.is_none());
    /// drop(prepared);
    /// assert_eq!(emulated.device.memory.load_u32(segment.start), None, "the segment is its own");
    /// # Ok::<(), gcn_runtime::hsa::LaunchError>(())
    /// ```
    pub fn prepare(&self, device: &Device, threads: usize) -> Result<Prepared, LaunchError> {
        let isa = device.config.isa;
        if let Some(problem) = self.problems(isa).into_iter().next() {
            return Err(problem);
        }
        let descriptor = &self.kernel.descriptor;
        let mut notes = Vec::new();
        let mut owned = Owned::new(&device.memory);
        let own_segment = matches!(self.arguments, Arguments::Placed(_));
        let printf = if own_segment {
            self.printf(&mut owned, &mut notes)?
        } else {
            None
        };
        let mut dispatch = self.dispatch();
        let waves = dispatch.resident_waves(threads);
        let answers = own_segment && self.answers_host_calls;
        let hostcall = if answers && self.asks_for(&ValueKind::HiddenHostcallBuffer) {
            Some(Arc::new(Hostcall::new(&mut owned, waves)?))
        } else {
            None
        };
        let printf_buffer = match &printf {
            Some(printf) => printf.buffer.address,
            None if own_segment && self.loaded.has_mute_printf => {
                notes.push(LaunchNote::MutePrintf);
                owned.allocate("no room for what is printed", MUTE_PRINTF_BYTES)?
            }
            None => 0,
        };
        let services = Services {
            printf: printf_buffer,
            hostcall: hostcall.as_ref().map_or(0, |host| host.address()),
            heap: hostcall.as_ref().map_or(0, |host| host.heap_address()),
            queue: match self.arguments {
                Arguments::Packet(given) => given.queue,
                Arguments::Placed(_) | Arguments::At(_) => self.queue(device, &mut owned)?,
            },
        };
        let arguments = match self.arguments {
            Arguments::Placed(placed) => {
                self.argument_segment(placed, device, &mut owned, &services)?
            }
            Arguments::At(address) => address,
            Arguments::Packet(given) => given.arguments,
        };
        dispatch.kernarg = Some(arguments..arguments.saturating_add(self.segment_bytes()));
        let packet = match self.arguments {
            Arguments::Packet(given) => given.packet,
            Arguments::Placed(_) | Arguments::At(_) => self.packet(&mut owned, arguments)?,
        };
        let entry = self.kernel.entry_address;
        let sgprs = sgprs(isa, descriptor.compute_pgm_rsrc1);
        let code = self
            .loaded
            .code(device, entry, self.vgprs(), sgprs)
            .ok_or(LaunchError::Entry(entry))?;
        let LaunchShape { grid, group, .. } = self.shape;
        let metadata = self.kernel.metadata.as_ref();
        let wants_whole = metadata.is_some_and(|m| m.uniform_work_group_size == Some(1));
        if wants_whole && (0..3).any(|d| !grid[d].is_multiple_of(group[d])) {
            notes.push(LaunchNote::Partial {
                grid: grid.map(u64::from),
                group: group.map(u64::from),
            });
        }
        if descriptor.kernel_code_properties.uses_dynamic_stack() {
            notes.push(LaunchNote::DynamicStack {
                bytes: self.scratch_bytes(),
                stack: self.stack_bytes(),
            });
        }
        let rsrc2 = descriptor.compute_pgm_rsrc2;
        dispatch.initial = Initial {
            sgprs: self.sgprs(
                isa,
                &Pointers {
                    packet,
                    queue: services.queue,
                    arguments,
                },
            ),
            work_item_ids: (rsrc2.enable_vgpr_workitem_id() as u8 + 1).min(3),
            mode: self.mode(),
        };
        Ok(Prepared {
            code,
            dispatch,
            notes,
            printf,
            hostcall,
            owned,
        })
    }

    /// A buffer for what the kernel prints, if it asks for one and the object says how to read it.
    fn printf(
        &self,
        owned: &mut Owned,
        notes: &mut Vec<LaunchNote>,
    ) -> Result<Option<Printf>, AllocError> {
        let metadata = self.object.metadata.as_ref();
        let strings = metadata.map_or(&[][..], |metadata| &metadata.printf);
        if strings.is_empty() || !self.asks_for(&ValueKind::HiddenPrintfBuffer) {
            return Ok(None);
        }
        let (formats, errors) = Formats::parse(strings);
        notes.extend(errors.into_iter().map(LaunchNote::Format));
        let buffer = PrintfBuffer::new(owned)?;
        Ok(Some(Printf { buffer, formats }))
    }

    /// VGPRs of a wave.
    fn vgprs(&self) -> usize {
        let rsrc1 = self.kernel.descriptor.compute_pgm_rsrc1;
        (rsrc1.granulated_workitem_vgpr_count() as usize + 1) * VGPR_BLOCK
    }

    /// Scratch of a lane.
    fn scratch_bytes(&self) -> u64 {
        let fixed = self.kernel.descriptor.private_segment_fixed_size;
        u64::from(fixed) + u64::from(self.stack_bytes())
    }

    /// Scratch of a lane beyond the fixed part.
    fn stack_bytes(&self) -> u32 {
        let properties = self.kernel.descriptor.kernel_code_properties;
        let dynamic = properties.uses_dynamic_stack();
        let unasked = if dynamic { DYNAMIC_STACK_BYTES } else { 0 };
        self.shape.stack.unwrap_or(unasked)
    }

    /// Workgroups in x, y, z, partial ones included.
    fn groups(&self) -> [u32; 3] {
        std::array::from_fn(|d| self.shape.grid[d].div_ceil(self.shape.group[d].max(1)))
    }

    /// Dimensions of the dispatch: those asked for, and those that have more than one work-item.
    fn dimensions(&self) -> u16 {
        let used = |d: usize| self.shape.grid[d] > 1 || self.shape.group[d] > 1;
        let used = if used(2) {
            3
        } else if used(1) {
            2
        } else {
            1
        };
        self.shape.dimensions.clamp(used, 3)
    }
}
