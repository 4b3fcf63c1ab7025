//! The start of a kernel: its object, sizes and arguments, and the sizes that follow from these.

use gcn_emu::run::{Dispatch, Initial};
use gcn_object::{CodeObject, ObjectKernel};

use super::load::Loaded;

/// Scratch of a lane, beyond the fixed part, for a kernel whose stack depends on the run, unless the caller asks for more or
/// less.
pub(crate) const DYNAMIC_STACK_BYTES: u32 = 4096;
/// VGPRs are allocated in blocks of this many.
const VGPR_BLOCK: usize = 4;

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
    /// Bytes of a lane's scratch behind the kernel's fixed part; without, 4096 for a kernel whose stack depends
    /// on the run.
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelStart<'a> {
    /// The object it is in.
    pub(crate) object: &'a CodeObject<'a>,
    /// Place in memory.
    pub(crate) loaded: &'a Loaded,
    /// The kernel.
    pub(crate) kernel: &'a ObjectKernel,
    /// The size of the dispatch.
    pub(crate) shape: LaunchShape,
    /// The arguments.
    pub(crate) arguments: Arguments<'a>,
    /// True if the runtime answers the kernel's calls to its host. Otherwise it makes no buffer for them, and leaves the hidden
    /// arguments of that buffer and of the heap as the caller gives them.
    pub(crate) answers_host_calls: bool,
}

/// The argument segment of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arguments<'a> {
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

impl KernelStart<'_> {
    /// Bytes of scratch that each host thread of a run takes: of all workgroups that it may have begun and not ended.
    pub(crate) fn scratch_bytes_per_thread(&self) -> u64 {
        self.dispatch().scratch_bytes_per_thread()
    }

    /// The dispatch but for registers and arguments, which have no address yet.
    pub(super) fn dispatch(&self) -> Dispatch {
        let fixed_lds = self.kernel.descriptor.group_segment_fixed_size;
        Dispatch {
            kernel: Some(self.kernel.name.clone()),
            kernarg: None,
            restricted: Vec::new(),
            acquires: true,
            entry: self.loaded.moved(self.kernel.entry_address),
            grid: self.shape.grid,
            group: self.shape.group,
            lds_bytes: fixed_lds.saturating_add(self.shape.dynamic_lds),
            scratch_bytes_per_lane: self.scratch_bytes() as u32,
            initial: Initial::default(),
        }
    }

    /// VGPRs of a wave.
    pub(super) fn vgprs(&self) -> usize {
        let rsrc1 = self.kernel.descriptor.compute_pgm_rsrc1;
        (rsrc1.granulated_workitem_vgpr_count() as usize + 1) * VGPR_BLOCK
    }

    /// Scratch of a lane.
    pub(super) fn scratch_bytes(&self) -> u64 {
        let fixed = self.kernel.descriptor.private_segment_fixed_size;
        u64::from(fixed) + u64::from(self.stack_bytes())
    }

    /// Scratch of a lane beyond the fixed part.
    pub(super) fn stack_bytes(&self) -> u32 {
        let properties = self.kernel.descriptor.kernel_code_properties;
        let dynamic = properties.uses_dynamic_stack();
        let unasked = if dynamic { DYNAMIC_STACK_BYTES } else { 0 };
        self.shape.stack.unwrap_or(unasked)
    }

    /// Workgroups in x, y, z, partial ones included.
    pub(super) fn groups(&self) -> [u32; 3] {
        std::array::from_fn(|d| self.shape.grid[d].div_ceil(self.shape.group[d].max(1)))
    }

    /// Dimensions of the dispatch: those asked for, and those that have more than one work-item.
    pub(super) fn dimensions(&self) -> u16 {
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
