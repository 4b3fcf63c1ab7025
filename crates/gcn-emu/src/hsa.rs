//! The HSA ABI: how a code object lies in memory, and what a kernel finds when it starts.
//!
//! [`load`] puts a code object into guest memory. [`Launch::prepare`] builds what the packet processor and the
//! runtime build around a kernel: argument segment with its hidden arguments, dispatch packet, queue, and the
//! registers that the kernel descriptor asks for. The result is a [`Dispatch`] that knows nothing of HSA.
//!
//! Sources: "Kernel Dispatch", "Initial Kernel Execution State" and "Code Object Metadata" in LLVM's "User Guide
//! for AMDGPU Backend"; the packet and queue structures of the HSA runtime's public headers.

use std::collections::HashMap;

use gcn_isa::Isa;
use gcn_object::{
    CodeObject, ImageError, Kernel, MAX_KERNARG_BYTES, Place, RelocationError, Rsrc1, Segment,
    Symbol, SymbolKind, UserSgpr, ValueKind, Version,
};

use crate::code::Code;
use crate::device::Device;
use crate::hostcall::Hostcall;
use crate::memory::{AllocError, Memory};
use crate::printf::{Buffer, FormatError, Formats};
use crate::run::{Dispatch, Initial, InitialSgpr, MAX_GROUP};

/// Waves of a dispatch at most. The packet's three 32-bit grid sizes allow 2^96 work-items; what is beyond this
/// many waves would run for days here, so it is refused instead of begun.
pub const MAX_WAVES: u128 = 1 << 30;
/// Bytes of scratch of a lane at most: the wave's size is a field of 13 bits in units of 1 KiB.
pub const MAX_SCRATCH_PER_LANE: u32 = ((1 << 13) - 1) * 1024 / 64;
/// Scratch of a lane, beyond the fixed part, for a kernel whose stack depends on the run, unless the caller asks for more or
/// less.
pub const DYNAMIC_STACK_BYTES: u32 = 4096;

/// User SGPRs at most.
const MAX_USER_SGPRS: usize = 16;
/// VGPRs are allocated in blocks of this many.
const VGPR_BLOCK: usize = 4;
/// SGPRs are allocated in blocks of this many, from GCN 1.2 on in pairs of blocks.
const SGPR_BLOCK: u32 = 8;
/// Bytes of the dispatch packet.
const PACKET_BYTES: u64 = 64;
/// Bytes of the queue structure as far as kernels look into it.
const QUEUE_BYTES: u64 = 256;
/// Where the queue structure has the upper halves of the apertures' bases (errata E088).
const QUEUE_SHARED_BASE: u64 = 0x40;
const QUEUE_PRIVATE_BASE: u64 = 0x44;
/// Packets that the queue has room for.
const QUEUE_PACKETS: u32 = 64;
const QUEUE_SIZE: u64 = 0x18;
/// A dispatch packet's header: type 2 is a kernel dispatch; acquire and release have system scope.
const PACKET_HEADER: u16 = 2 | 2 << 9 | 2 << 11;
/// The argument segment has whole lines of so many bytes: compilers load aligned groups of dwords that begin in it and
/// end behind it.
const KERNARG_LINE: u64 = 64;
/// What the device library's printf, which prints nothing, asks for room.
const MUTE_PRINTF: &str = "__printf_alloc";
/// What it looks at: how much of the buffer is used, and how much there is; both are zero.
const MUTE_PRINTF_BYTES: u64 = 8;
/// What Clang adds to the name of a managed variable of HIP for its memory; the name itself is a pointer's.
const MANAGED: &str = ".managed";
/// Bytes of a pointer.
const POINTER_BYTES: u64 = 8;
/// Alignment of the hidden arguments behind the others.
const HIDDEN_ALIGN: u64 = 8;

/// A code object in guest memory.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Address of its first byte.
    pub address: u64,
    /// Address that the object has for its first byte.
    pub linked: u64,
    segments: Vec<Segment>,
    symbols: Vec<LoadedSymbol>,
    /// Whether it has the device library's printf, which looks for a buffer that no metadata tell of (errata E244).
    has_mute_printf: bool,
}

/// A symbol of a loaded code object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadedSymbol {
    /// Its name.
    pub name: String,
    /// Where it is in guest memory.
    pub address: u64,
    /// In bytes; 0 where the object does not say.
    pub size: u64,
    /// Whether it is data.
    pub is_data: bool,
}

/// Why a code object cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be laid out.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Fields that depend on addresses cannot be filled in.
    #[error("{}", list(.0))]
    Relocations(Vec<RelocationError>),
    /// No memory.
    #[error(transparent)]
    Memory(#[from] AllocError),
}

fn list(errors: &[RelocationError]) -> String {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// Puts a code object into guest memory under `name`, relocated.
///
/// # Errors
/// [`LoadError`].
pub fn load(device: &mut Device, object: &CodeObject, name: &str) -> Result<Loaded, LoadError> {
    let mut image = object.image()?;
    let address = device.memory.allocate(name, image.bytes.len() as u64)?;
    object
        .apply_relocations(&mut image, address)
        .map_err(LoadError::Relocations)?;
    device.memory.write(address, &image.bytes);
    let moved = address.wrapping_sub(image.base);
    for (pointer, variable) in managed_variables(object) {
        let value = variable.value.wrapping_add(moved);
        let place = pointer.value.wrapping_add(moved);
        device.memory.write(place, &value.to_le_bytes());
    }
    let mut symbols: Vec<LoadedSymbol> = object
        .symbols
        .iter()
        .filter(|symbol| {
            matches!(symbol.place, Place::Section(_) | Place::Common { .. })
                && !symbol.name.is_empty()
        })
        .filter(|symbol| !matches!(symbol.kind, SymbolKind::Section | SymbolKind::File))
        .map(|symbol| LoadedSymbol {
            name: symbol.name.clone(),
            address: symbol.value.wrapping_add(moved),
            size: symbol.size,
            is_data: symbol.kind == SymbolKind::Object,
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.address);
    let metadata = object.metadata.as_ref();
    Ok(Loaded {
        address,
        linked: image.base,
        segments: image.segments,
        symbols,
        has_mute_printf: metadata.is_some_and(|metadata| metadata.printf.is_empty())
            && object.symbol(MUTE_PRINTF).is_some(),
    })
}

/// Managed variables of HIP: the pointers that code reaches them by, which the runtime fills in, and the variables
/// (errata E248).
fn managed_variables(object: &CodeObject) -> Vec<(&Symbol, &Symbol)> {
    let is_data = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Object && matches!(symbol.place, Place::Section(_))
    };
    let data = || object.symbols.iter().filter(is_data);
    let variables: HashMap<&str, &Symbol> = data()
        .filter_map(|symbol| Some((symbol.name.strip_suffix(MANAGED)?, symbol)))
        .collect();
    if variables.is_empty() {
        return Vec::new();
    }
    let pointers = data().filter(|symbol| symbol.size == POINTER_BYTES);
    pointers
        .filter_map(|pointer| Some((pointer, *variables.get(pointer.name.as_str())?)))
        .collect()
}

impl Loaded {
    /// Where an address of the object is in guest memory.
    pub fn moved(&self, address: u64) -> u64 {
        address.wrapping_sub(self.linked).wrapping_add(self.address)
    }

    /// The symbol that has this name in the source: of a managed variable its memory, not the pointer to it.
    pub fn symbol(&self, name: &str) -> Option<&LoadedSymbol> {
        let named = |name: &str| self.symbols.iter().find(|symbol| symbol.name == name);
        named(&format!("{name}{MANAGED}")).or_else(|| named(name))
    }

    /// The last code symbol at or before a guest address within the object, for messages.
    pub fn code_symbol_at(&self, address: u64) -> Option<&LoadedSymbol> {
        let end = self
            .segments
            .iter()
            .map(|s| s.address.wrapping_add(s.size))
            .max()?;
        let inside = (self.address..self.moved(end)).contains(&address);
        let mut before = self
            .symbols
            .iter()
            .rev()
            .filter(|s| !s.is_data && s.address <= address);
        before.next().filter(|_| inside)
    }

    /// The executable segment around an address of the object: guest address and bytes.
    fn code_around(&self, device: &Device, entry: u64) -> Option<(u64, Vec<u8>)> {
        let holds = |s: &&Segment| s.execute && entry >= s.address && entry - s.address < s.size;
        let segment = self.segments.iter().find(holds)?;
        let base = self.moved(segment.address);
        // The image is in memory, so its size fits.
        let mut bytes = vec![0; usize::try_from(segment.size).ok()?];
        device
            .memory
            .read(base, &mut bytes)
            .then_some((base, bytes))
    }
}

/// How large a dispatch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Work-items in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a workgroup in x, y, z.
    pub group: [u32; 3],
    /// Dimensions that the caller asks for, 1 to 3; those of more than one work-item count in any case.
    pub dimensions: u16,
    /// What work-items' global numbers begin with in x, y, z; OpenCL's alone have such.
    pub offset: [u64; 3],
    /// Bytes of LDS behind the kernel's fixed part.
    pub dynamic_lds: u32,
    /// Bytes of a lane's scratch behind the kernel's fixed part; without, [`DYNAMIC_STACK_BYTES`] for a kernel whose
    /// stack depends on the run.
    pub stack: Option<u32>,
}

/// Bytes of the argument segment that the caller gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Where they go, from the segment's start.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A kernel about to be started.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The object it is in.
    pub object: &'a CodeObject,
    /// Where that was loaded.
    pub loaded: &'a Loaded,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// How large the dispatch is.
    pub shape: Shape,
    /// The arguments, without hidden ones.
    pub arguments: &'a [Placed],
}

/// A kernel ready to run.
pub struct Prepared {
    /// Its code.
    pub code: Code,
    /// What to run.
    pub dispatch: Dispatch,
    /// What was decided without being asked.
    pub notes: Vec<Note>,
    /// Where it prints, if it does.
    pub printf: Option<Printf>,
}

/// The printf buffer of a run, and the formats of the object.
#[derive(Clone, Debug)]
pub struct Printf {
    buffer: Buffer,
    formats: Formats,
}

impl Printf {
    /// What the kernel has printed so far.
    pub fn text(&self, memory: &Memory) -> Vec<u8> {
        self.buffer.text(memory, &self.formats)
    }
}

/// Something decided that the user may want to know.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Note {
    /// The stack is not in the descriptor.
    #[error(
        "the kernel's stack depends on the run; each lane has {bytes} bytes of scratch, {stack} more than the fixed part"
    )]
    DynamicStack {
        /// Scratch of a lane.
        bytes: u64,
        /// Of these, what is beyond the fixed part.
        stack: u32,
    },
    /// Workgroups at the edge of the grid are partial.
    #[error(
        "a grid of {} has partial workgroups of {}; the kernel was compiled for whole ones and may take them for such", by(.grid), by(.group)
    )]
    Partial {
        /// Work-items.
        grid: [u64; 3],
        /// Work-items of a workgroup.
        group: [u64; 3],
    },
    /// What it prints with this format will be missing.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// What it prints is lost (errata E244).
    #[error(
        "the code object has the device library's printf instead of the compiler's, and prints nothing"
    )]
    MutePrintf,
}

/// Why a kernel cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A dimension is zero.
    #[error("a grid and a workgroup have at least one work-item in every dimension")]
    Empty,
    /// Too many work-items in a workgroup.
    #[error("a workgroup of {0} work-items is too large: the hardware takes {MAX_GROUP}")]
    GroupTooLarge(u64),
    /// Too many work-items for this kernel.
    #[error(
        "a workgroup of {items} work-items is too large: the kernel was compiled for at most {most}"
    )]
    GroupBeyondKernel {
        /// Of the workgroup.
        items: u64,
        /// What the metadata allow.
        most: u64,
    },
    /// The kernel insists on another size.
    #[error("the kernel was compiled for workgroups of {}, not of {}", by(.required), by(.given))]
    GroupRequired {
        /// What the metadata require.
        required: [u64; 3],
        /// What was asked for.
        given: [u64; 3],
    },
    /// More than can be run.
    #[error(
        "a grid of {} in workgroups of {} has {waves} waves; at most {MAX_WAVES} are run", by(.grid), by(.group)
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
        /// What a workgroup can have.
        most: u32,
    },
    /// More scratch than the hardware can give.
    #[error(
        "the kernel asks for {bytes} bytes of scratch a lane; at most {MAX_SCRATCH_PER_LANE} can be had"
    )]
    Scratch {
        /// What the descriptor says.
        bytes: u64,
    },
    /// The argument segment is absurd.
    #[error("the argument segment has {bytes} bytes, more than {MAX_KERNARG_BYTES}")]
    Arguments {
        /// Its size.
        bytes: u64,
    },
    /// Waves of 32 lanes do not exist on GCN.
    #[error("the kernel wants waves of 32 lanes, which {} does not have", .0.version())]
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
pub fn max_lds(isa: Isa) -> u32 {
    if isa == Isa::Si { 32 << 10 } else { 64 << 10 }
}

impl Launch<'_> {
    /// What is wrong with the sizes, for a device of instruction set `isa`.
    pub fn problems(&self, isa: Isa) -> Vec<LaunchError> {
        let Shape {
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
            u128::from(items.div_ceil(crate::lanes::LANES as u64)),
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

    /// Builds everything that the kernel finds when it starts.
    ///
    /// # Errors
    /// The first of [`Launch::problems`], or what only shows now.
    pub fn prepare(&self, device: &mut Device) -> Result<Prepared, LaunchError> {
        let isa = device.config.isa;
        if let Some(problem) = self.problems(isa).into_iter().next() {
            return Err(problem);
        }
        let descriptor = &self.kernel.descriptor;
        let mut notes = Vec::new();
        let printf = self.printf(device, &mut notes)?;
        let scratch = self.scratch_bytes() as u32;
        let mut dispatch = Dispatch {
            entry: self.loaded.moved(self.kernel.entry_address),
            grid: self.shape.grid,
            group: self.shape.group,
            lds_bytes: descriptor.group_segment_fixed_size + self.shape.dynamic_lds,
            scratch_bytes_per_lane: scratch,
            initial: Initial::default(),
        };
        let waves = dispatch.resident_waves(device.config.threads);
        device.hostcall = if self.asks_for(&ValueKind::HiddenHostcallBuffer) {
            Some(Hostcall::new(&mut device.memory, waves)?)
        } else {
            None
        };
        let hostcall = device.hostcall.as_ref();
        let printf_buffer = match &printf {
            Some(printf) => printf.buffer.address,
            None if self.loaded.has_mute_printf => {
                notes.push(Note::MutePrintf);
                device
                    .memory
                    .allocate("no room for what is printed", MUTE_PRINTF_BYTES)?
            }
            None => 0,
        };
        let services = Services {
            printf: printf_buffer,
            hostcall: hostcall.map_or(0, Hostcall::address),
            heap: hostcall.map_or(0, Hostcall::heap_address),
            queue: self.queue(device)?,
        };
        let arguments = self.argument_segment(device, &services)?;
        let packet = self.packet(device, arguments)?;
        let entry = self.kernel.entry_address;
        let (base, bytes) = self
            .loaded
            .code_around(device, entry)
            .ok_or(LaunchError::Entry(entry))?;
        let rsrc1 = descriptor.compute_pgm_rsrc1;
        let vgprs = (rsrc1.granulated_workitem_vgpr_count() as usize + 1) * VGPR_BLOCK;
        let code = Code::new(isa, base, &bytes, vgprs, sgprs(isa, rsrc1));
        let Shape { grid, group, .. } = self.shape;
        let metadata = self.kernel.metadata.as_ref();
        let wants_whole = metadata.is_some_and(|m| m.uniform_work_group_size == Some(1));
        if wants_whole && (0..3).any(|d| !grid[d].is_multiple_of(group[d])) {
            notes.push(Note::Partial {
                grid: grid.map(u64::from),
                group: group.map(u64::from),
            });
        }
        if descriptor.kernel_code_properties.uses_dynamic_stack() {
            notes.push(Note::DynamicStack {
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
        })
    }

    /// A buffer for what the kernel prints, if it asks for one and the object says how to read it.
    fn printf(
        &self,
        device: &mut Device,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Printf>, AllocError> {
        let metadata = self.object.metadata.as_ref();
        let strings = metadata.map_or(&[][..], |metadata| &metadata.printf);
        if strings.is_empty() || !self.asks_for(&ValueKind::HiddenPrintfBuffer) {
            return Ok(None);
        }
        let (formats, errors) = Formats::parse(strings);
        notes.extend(errors.into_iter().map(Note::Format));
        let buffer = Buffer::new(&mut device.memory)?;
        Ok(Some(Printf { buffer, formats }))
    }

    /// Whether the kernel has such a hidden argument.
    fn asks_for(&self, wanted: &ValueKind) -> bool {
        self.hidden().iter().any(|(.., kind)| kind == wanted)
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

    /// The initial MODE: rounding and denormals in bits 7:0, DX10 clamp 8, IEEE 9, exceptions 18:12, F16 overflow 23.
    fn mode(&self) -> u32 {
        const FLOAT_MODE: u32 = 0xff;
        const EXCEPTIONS: u32 = 0x7f;
        let rsrc1 = self.kernel.descriptor.compute_pgm_rsrc1;
        let rsrc2 = self.kernel.descriptor.compute_pgm_rsrc2;
        let exceptions =
            rsrc2.0 >> gcn_object::Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION.low;
        (rsrc1.0 >> Rsrc1::FLOAT_ROUND_MODE_32.low & FLOAT_MODE)
            | u32::from(rsrc1.enable_dx10_clamp()) << 8
            | u32::from(rsrc1.enable_ieee_mode()) << 9
            | (exceptions & EXCEPTIONS) << 12
            | u32::from(rsrc1.fp16_ovfl()) << 23
    }

    /// The scalar registers, in the order of the descriptor's bits; then those that differ by workgroup and wave.
    fn sgprs(&self, isa: Isa, pointers: &Pointers) -> Vec<InitialSgpr> {
        use InitialSgpr::{
            FlatScratchHigh, FlatScratchLow, GroupId, GroupInfo, ScratchBase, ScratchWaveOffset,
            Value,
        };
        let descriptor = &self.kernel.descriptor;
        let address = |address: u64| [Value(address as u32), Value((address >> 32) as u32)];
        let groups = self.groups();
        let scratch = self.scratch_bytes() as u32;
        let mut sgprs = Vec::new();
        for (what, ..) in descriptor.kernel_code_properties.user_sgprs() {
            match what {
                UserSgpr::PrivateSegmentBuffer => {
                    let [records, format] = scratch_descriptor(isa);
                    sgprs.extend([
                        ScratchBase(0),
                        ScratchBase(1),
                        Value(records),
                        Value(format),
                    ]);
                }
                UserSgpr::DispatchPtr => sgprs.extend(address(pointers.packet)),
                UserSgpr::QueuePtr => sgprs.extend(address(pointers.queue)),
                UserSgpr::KernargSegmentPtr => sgprs.extend(address(pointers.arguments)),
                UserSgpr::DispatchId => sgprs.extend(address(0)),
                // Before GCN 1.4: where the scratch is from the hidden base, and bytes of a lane. The hidden base
                // is the scratch itself here.
                UserSgpr::FlatScratchInit if isa < Isa::Gfx9 => {
                    sgprs.extend([Value(0), Value(scratch)])
                }
                UserSgpr::FlatScratchInit => sgprs.extend([FlatScratchLow, FlatScratchHigh]),
                UserSgpr::PrivateSegmentSize => sgprs.push(Value(scratch)),
                UserSgpr::GridWorkgroupCountX => sgprs.push(Value(groups[0])),
                UserSgpr::GridWorkgroupCountY => sgprs.push(Value(groups[1])),
                UserSgpr::GridWorkgroupCountZ => sgprs.push(Value(groups[2])),
            }
        }
        // The hardware counts what it loads by this field alone, and loads 16 at most.
        let rsrc2 = descriptor.compute_pgm_rsrc2;
        sgprs.resize(
            (rsrc2.user_sgpr_count() as usize).min(MAX_USER_SGPRS),
            Value(0),
        );
        let system = [
            (rsrc2.enable_sgpr_workgroup_id_x(), GroupId(0)),
            (rsrc2.enable_sgpr_workgroup_id_y(), GroupId(1)),
            (rsrc2.enable_sgpr_workgroup_id_z(), GroupId(2)),
            (rsrc2.enable_sgpr_workgroup_info(), GroupInfo),
            (rsrc2.enable_private_segment(), ScratchWaveOffset),
        ];
        sgprs.extend(
            system
                .into_iter()
                .filter(|(enabled, _)| *enabled)
                .map(|(_, sgpr)| sgpr),
        );
        sgprs
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

    /// The hidden arguments with their places: as the metadata have them; without metadata where the object's
    /// version puts them behind the others.
    fn hidden(&self) -> Vec<(u64, u64, ValueKind)> {
        if let Some(metadata) = self.kernel.metadata.as_ref().filter(|m| !m.args.is_empty()) {
            let hidden = metadata.args.iter().filter(|a| a.value_kind.is_hidden());
            let mut hidden: Vec<_> = hidden
                .map(|a| (a.offset, a.size, a.value_kind.clone()))
                .collect();
            hidden.extend(self.mute_printf_argument(&hidden));
            return hidden;
        }
        let begin = self.explicit_end().next_multiple_of(HIDDEN_ALIGN);
        self.hidden_layout()
            .iter()
            .map(|(offset, size, kind)| (begin + offset, *size, kind.clone()))
            .collect()
    }

    /// Hidden arguments where no metadata place them: offset from the first, size, what.
    fn hidden_layout(&self) -> &'static [(u64, u64, ValueKind)] {
        if self.object.version >= Version::V5 {
            HIDDEN_V5
        } else {
            HIDDEN_V2
        }
    }

    /// Where the device library's printf looks, in the hidden arguments that there are.
    fn mute_printf_argument(
        &self,
        hidden: &[(u64, u64, ValueKind)],
    ) -> Option<(u64, u64, ValueKind)> {
        let is_buffer =
            |(.., kind): &&(u64, u64, ValueKind)| *kind == ValueKind::HiddenPrintfBuffer;
        if !self.loaded.has_mute_printf || hidden.iter().any(|argument| is_buffer(&argument)) {
            return None;
        }
        let begin = hidden.iter().map(|(offset, ..)| *offset).min()?;
        let (offset, size, kind) = self.hidden_layout().iter().find(is_buffer)?;
        Some((begin.saturating_add(*offset), *size, kind.clone()))
    }

    fn explicit_end(&self) -> u64 {
        let end = |a: &Placed| a.offset.saturating_add(a.bytes.len() as u64);
        self.arguments
            .iter()
            .map(end)
            .max()
            .unwrap_or(0)
            .min(MAX_KERNARG_BYTES + 1)
    }

    /// Bytes of the argument segment.
    fn segment_bytes(&self) -> u64 {
        let metadata = self
            .kernel
            .metadata
            .as_ref()
            .map_or(0, |m| m.kernarg_segment_size);
        let hidden = self.hidden();
        let hidden_end = hidden
            .iter()
            .map(|(offset, size, _)| offset.saturating_add(*size))
            .max();
        u64::from(self.kernel.descriptor.kernarg_size)
            .max(metadata)
            .max(self.explicit_end())
            .max(hidden_end.unwrap_or(0))
    }

    /// What a hidden argument holds. Services of a host that do not exist (device queues, grids of several devices) have
    /// null for their addresses.
    fn hidden_value(&self, kind: &ValueKind, device: &Device, services: &Services) -> u64 {
        let Shape {
            grid,
            group,
            dynamic_lds,
            offset,
            ..
        } = self.shape;
        let count = |d: usize| u64::from(grid[d] / group[d].max(1));
        let remainder = |d: usize| u64::from(grid[d] % group[d].max(1));
        match kind {
            ValueKind::HiddenBlockCountX => count(0),
            ValueKind::HiddenBlockCountY => count(1),
            ValueKind::HiddenBlockCountZ => count(2),
            ValueKind::HiddenGroupSizeX => u64::from(group[0]),
            ValueKind::HiddenGroupSizeY => u64::from(group[1]),
            ValueKind::HiddenGroupSizeZ => u64::from(group[2]),
            ValueKind::HiddenRemainderX => remainder(0),
            ValueKind::HiddenRemainderY => remainder(1),
            ValueKind::HiddenRemainderZ => remainder(2),
            ValueKind::HiddenGlobalOffsetX => offset[0],
            ValueKind::HiddenGlobalOffsetY => offset[1],
            ValueKind::HiddenGlobalOffsetZ => offset[2],
            ValueKind::HiddenGridDims => u64::from(self.dimensions()),
            ValueKind::HiddenDynamicLdsSize => u64::from(dynamic_lds),
            ValueKind::HiddenPrivateBase => u64::from(device.config.apertures.private),
            ValueKind::HiddenSharedBase => u64::from(device.config.apertures.shared),
            ValueKind::HiddenQueuePtr => services.queue,
            ValueKind::HiddenPrintfBuffer => services.printf,
            ValueKind::HiddenHostcallBuffer => services.hostcall,
            ValueKind::HiddenHeapV1 => services.heap,
            _ => 0,
        }
    }

    fn argument_segment(
        &self,
        device: &mut Device,
        services: &Services,
    ) -> Result<u64, AllocError> {
        let bytes = self.segment_bytes().next_multiple_of(KERNARG_LINE);
        let address = device.memory.allocate("the argument segment", bytes)?;
        for argument in self.arguments {
            device
                .memory
                .write(address + argument.offset, &argument.bytes);
        }
        for (offset, size, kind) in self.hidden() {
            let value = self.hidden_value(&kind, device, services).to_le_bytes();
            let size = usize::try_from(size)
                .unwrap_or(value.len())
                .min(value.len());
            device.memory.write(address + offset, &value[..size]);
        }
        Ok(address)
    }

    fn packet(&self, device: &mut Device, arguments: u64) -> Result<u64, AllocError> {
        let Shape {
            grid,
            group,
            dynamic_lds,
            ..
        } = self.shape;
        let descriptor = &self.kernel.descriptor;
        let mut packet = Vec::with_capacity(PACKET_BYTES as usize);
        packet.extend(PACKET_HEADER.to_le_bytes());
        packet.extend(self.dimensions().to_le_bytes());
        packet.extend(group.iter().flat_map(|n| (*n as u16).to_le_bytes()));
        packet.extend([0; 2]);
        packet.extend(grid.iter().flat_map(|n| n.to_le_bytes()));
        packet.extend((self.scratch_bytes() as u32).to_le_bytes());
        packet.extend((descriptor.group_segment_fixed_size + dynamic_lds).to_le_bytes());
        packet.extend(
            self.loaded
                .moved(self.kernel.descriptor_address)
                .to_le_bytes(),
        );
        packet.extend(arguments.to_le_bytes());
        // Reserved, and no completion signal.
        packet.resize(PACKET_BYTES as usize, 0);
        let address = device
            .memory
            .allocate("the dispatch packet", PACKET_BYTES)?;
        device.memory.write(address, &packet);
        Ok(address)
    }

    fn queue(&self, device: &mut Device) -> Result<u64, AllocError> {
        let address = device.memory.allocate("the queue", QUEUE_BYTES)?;
        let apertures = device.config.apertures;
        let fields = [
            (QUEUE_SIZE, QUEUE_PACKETS),
            (QUEUE_SHARED_BASE, apertures.shared),
            (QUEUE_PRIVATE_BASE, apertures.private),
        ];
        for (offset, value) in fields {
            device.memory.write(address + offset, &value.to_le_bytes());
        }
        Ok(address)
    }
}

/// Addresses that hidden arguments may hold.
struct Services {
    queue: u64,
    /// Null if nothing is printed.
    printf: u64,
    /// Null if the host is not called.
    hostcall: u64,
    /// Null if nothing is allocated.
    heap: u64,
}

/// Addresses that registers may hold.
struct Pointers {
    packet: u64,
    queue: u64,
    arguments: u64,
}

/// SGPRs that the wave has. The descriptor's blocks include VCC and its like, which have numbers of their own.
fn sgprs(isa: Isa, rsrc1: Rsrc1) -> u8 {
    let blocks = rsrc1.granulated_wavefront_sgpr_count() + 1;
    let blocks = if isa >= Isa::Vi {
        blocks.next_multiple_of(2)
    } else {
        blocks
    };
    (blocks * SGPR_BLOCK).min(u32::from(isa.sgprs())) as u8
}

/// Dwords 2 and 3 of the buffer descriptor for scratch: no limit; swizzled by lane in elements of a dword. From
/// GCN 1.2 on the data format's bits belong to the stride when the lane is added, so they are zero.
fn scratch_descriptor(isa: Isa) -> [u32; 2] {
    const FORMAT_32: u32 = 4 << 15;
    const ELEMENT_4: u32 = 1 << 19;
    const INDEX_STRIDE_64: u32 = 3 << 21;
    const ADD_TID: u32 = 1 << 23;
    let by_generation = match isa {
        Isa::Si | Isa::Ci => FORMAT_32 | ELEMENT_4,
        Isa::Vi | Isa::Stoney => ELEMENT_4,
        Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => 0,
    };
    [u32::MAX, INDEX_STRIDE_64 | ADD_TID | by_generation]
}

/// Hidden arguments of versions 2 to 4: offset, size, what.
const HIDDEN_V2: &[(u64, u64, ValueKind)] = &[
    (0, 8, ValueKind::HiddenGlobalOffsetX),
    (8, 8, ValueKind::HiddenGlobalOffsetY),
    (16, 8, ValueKind::HiddenGlobalOffsetZ),
    (24, 8, ValueKind::HiddenPrintfBuffer),
    (32, 8, ValueKind::HiddenDefaultQueue),
    (40, 8, ValueKind::HiddenCompletionAction),
    (48, 8, ValueKind::HiddenMultigridSyncArg),
];

/// Hidden arguments from version 5 on.
const HIDDEN_V5: &[(u64, u64, ValueKind)] = &[
    (0, 4, ValueKind::HiddenBlockCountX),
    (4, 4, ValueKind::HiddenBlockCountY),
    (8, 4, ValueKind::HiddenBlockCountZ),
    (12, 2, ValueKind::HiddenGroupSizeX),
    (14, 2, ValueKind::HiddenGroupSizeY),
    (16, 2, ValueKind::HiddenGroupSizeZ),
    (18, 2, ValueKind::HiddenRemainderX),
    (20, 2, ValueKind::HiddenRemainderY),
    (22, 2, ValueKind::HiddenRemainderZ),
    (40, 8, ValueKind::HiddenGlobalOffsetX),
    (48, 8, ValueKind::HiddenGlobalOffsetY),
    (56, 8, ValueKind::HiddenGlobalOffsetZ),
    (64, 2, ValueKind::HiddenGridDims),
    (72, 8, ValueKind::HiddenPrintfBuffer),
    (80, 8, ValueKind::HiddenHostcallBuffer),
    (88, 8, ValueKind::HiddenMultigridSyncArg),
    (96, 8, ValueKind::HiddenHeapV1),
    (104, 8, ValueKind::HiddenDefaultQueue),
    (112, 8, ValueKind::HiddenCompletionAction),
    (120, 4, ValueKind::HiddenDynamicLdsSize),
    (192, 4, ValueKind::HiddenPrivateBase),
    (196, 4, ValueKind::HiddenSharedBase),
    (200, 8, ValueKind::HiddenQueuePtr),
    (208, 48, ValueKind::HiddenNone),
];
