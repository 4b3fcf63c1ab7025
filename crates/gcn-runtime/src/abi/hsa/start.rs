//! Input for a kernel's initial state: object, sizes and arguments of a launch, and sizes derived from them.

use gcn_emu::run::{Dispatch, Initial};
use gcn_object::{CodeObject, ObjectKernel};

use super::load::Loaded;

/// Default dynamic stack size per lane in bytes, for kernels with a dynamic stack.
pub(crate) const DYNAMIC_STACK_BYTES: u32 = 4096;
/// Allocation granularity of VGPRs.
const VGPR_BLOCK: usize = 4;

/// Grid, workgroup and memory sizes of a launch.
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
    /// Grid size in work-items, as x, y, z.
    pub grid: [u32; 3],
    /// Workgroup size in work-items, as x, y, z.
    pub group: [u32; 3],
    /// Minimum number of dimensions, 1 to 3; dimensions with more than one work-item always count.
    pub dimensions: u16,
    /// Global work offset as x, y, z; used only by OpenCL.
    pub offset: [u64; 3],
    /// Dynamic LDS in bytes, after the kernel's static LDS.
    pub dynamic_lds: u32,
    /// Stack size per lane in bytes, beyond the kernel's fixed scratch. `None` for the default, which is 4096 for
    /// kernels with a dynamic stack.
    pub stack: Option<u32>,
}

/// Bytes at an offset in the argument segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedBytes {
    /// Offset from the start of the segment, in bytes.
    pub offset: u64,
    /// Bytes to write.
    pub bytes: Vec<u8>,
}

/// Kernel to be launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelStart<'a> {
    /// Object that contains the kernel.
    pub(crate) object: &'a CodeObject<'a>,
    pub(crate) loaded: &'a Loaded,
    pub(crate) kernel: &'a ObjectKernel,
    pub(crate) shape: LaunchShape,
    pub(crate) arguments: Arguments<'a>,
    /// True if the runtime serves host calls. If false, the caller's hidden arguments for buffer and heap are kept.
    pub(crate) answers_host_calls: bool,
}

/// Argument segment of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arguments<'a> {
    /// Explicit arguments. The launch builds a segment from these and the hidden arguments.
    Placed(&'a [PlacedBytes]),
    /// Address of the caller's segment, including hidden arguments. The runtime does not write to it, and the caller
    /// must serve `printf` and host calls.
    At(u64),
    /// The caller's dispatch packet, queue and segment, which are passed to the kernel.
    Packet(Packet),
}

/// Device addresses of the caller's dispatch packet, queue and argument segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Address of the packet, an `hsa_kernel_dispatch_packet_t`.
    pub packet: u64,
    /// Address of the queue, an `amd_queue_t` with the apertures from [`Device::apertures`](crate::Device::apertures).
    pub queue: u64,
    /// Address of the argument segment.
    pub arguments: u64,
}

impl KernelStart<'_> {
    /// Returns the scratch size per host thread in bytes, for all workgroups that may be resident at the same time.
    pub(crate) fn scratch_bytes_per_thread(&self) -> u64 {
        self.dispatch().scratch_bytes_per_thread()
    }

    /// Builds the dispatch without initial registers and argument segment, whose addresses are not known yet.
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

    /// Returns the number of VGPRs per wave.
    pub(super) fn vgprs(&self) -> usize {
        let rsrc1 = self.kernel.descriptor.compute_pgm_rsrc1;
        (rsrc1.granulated_workitem_vgpr_count() as usize + 1) * VGPR_BLOCK
    }

    /// Returns the scratch size per lane in bytes.
    pub(super) fn scratch_bytes(&self) -> u64 {
        let fixed = self.kernel.descriptor.private_segment_fixed_size;
        u64::from(fixed) + u64::from(self.stack_bytes())
    }

    /// Returns the scratch size per lane beyond the fixed part, in bytes.
    pub(super) fn stack_bytes(&self) -> u32 {
        let properties = self.kernel.descriptor.kernel_code_properties;
        let dynamic = properties.uses_dynamic_stack();
        let unasked = if dynamic { DYNAMIC_STACK_BYTES } else { 0 };
        self.shape.stack.unwrap_or(unasked)
    }

    /// Returns the number of workgroups in x, y and z, including partial ones.
    pub(super) fn groups(&self) -> [u32; 3] {
        std::array::from_fn(|d| self.shape.grid[d].div_ceil(self.shape.group[d].max(1)))
    }

    /// Returns the number of dimensions: the requested minimum, or more if a later dimension has several work-items.
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
