//! Types of the public headers (`hsa.h`, `hsa_ext_amd.h`, `hsa_ven_amd_loader.h`, `amd_hsa_queue.h`, `amd_hsa_signal.h`), in
//! their layout. The test `headers` compares sizes and offsets with the headers.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use crate::status::Status;

/// `hsa_agent_t`, `hsa_signal_t` and every other structure of one handle.
pub type Handle = u64;

/// `amd_signal_t`. Handles of signals are addresses of these.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct AmdSignal {
    /// [`SIGNAL_USER`], [`SIGNAL_DOORBELL`], or 0 for none.
    pub kind: AtomicI64,
    /// The value.
    pub value: AtomicI64,
    /// The address that kernels store `event_id` to after a change, before they send the interrupt message. For doorbells, the
    /// address of what their queue's thread sleeps on.
    pub event_mailbox_ptr: AtomicU64,
    /// The number for the mailbox.
    pub event_id: AtomicU32,
    /// Reserved.
    pub reserved1: u32,
    /// Begin of the command that completes the signal, in nanoseconds.
    pub start_ts: AtomicU64,
    /// End.
    pub end_ts: AtomicU64,
    /// For doorbells, the queue.
    pub queue_ptr: AtomicU64,
    /// Reserved.
    pub reserved3: [u32; 2],
}

/// Kind of a signal that programs make.
pub const SIGNAL_USER: i64 = 1;
/// Kind of a queue's doorbell.
pub const SIGNAL_DOORBELL: i64 = -1;

/// `hsa_queue_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HsaQueue {
    /// Number of producers, or that it is for cooperative kernels.
    pub kind: u32,
    /// Kinds of packets.
    pub features: u32,
    /// The packets.
    pub base_address: u64,
    /// The signal that producers ring.
    pub doorbell_signal: Handle,
    /// Number of packets, a power of two.
    pub size: u32,
    /// Reserved.
    pub reserved1: u32,
    /// A number that no other queue of the process has.
    pub id: u64,
}

/// `amd_queue_t`.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct AmdQueue {
    /// The public part.
    pub hsa_queue: HsaQueue,
    /// Reserved.
    pub reserved1: [u32; 4],
    /// Number of packets that have been reserved.
    pub write_dispatch_id: AtomicU64,
    /// High dword of the window of FLAT addresses into LDS.
    pub group_segment_aperture_base_hi: u32,
    /// High dword of the window into scratch.
    pub private_segment_aperture_base_hi: u32,
    /// Highest number of a compute unit.
    pub max_cu_id: u32,
    /// Highest number of a wave in a compute unit.
    pub max_wave_id: u32,
    /// Not used.
    pub max_legacy_doorbell_dispatch_id_plus_1: u64,
    /// Not used.
    pub legacy_doorbell_lock: u32,
    /// Reserved.
    pub reserved2: [u32; 9],
    /// Number of packets that have been taken.
    pub read_dispatch_id: AtomicU64,
    /// Offset of `read_dispatch_id`.
    pub read_dispatch_id_field_base_byte_offset: u32,
    /// Not used.
    pub compute_tmpring_size: u32,
    /// Not used.
    pub scratch_resource_descriptor: [u32; 4],
    /// Not used.
    pub scratch_backing_memory_location: u64,
    /// Not used.
    pub scratch_backing_memory_byte_size: u64,
    /// Not used.
    pub scratch_wave64_lane_byte_size: u32,
    /// Flags.
    pub queue_properties: u32,
    /// Reserved.
    pub reserved3: [u32; 2],
    /// Not used.
    pub queue_inactive_signal: Handle,
    /// Reserved.
    pub reserved4: [u32; 14],
}

/// Flag of [`AmdQueue::queue_properties`]: pointers have 64 bits.
pub const QUEUE_IS_PTR64: u32 = 1 << 1;

/// Bytes of an AQL packet.
pub const PACKET_BYTES: u64 = 64;

/// `hsa_kernel_dispatch_packet_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DispatchPacket {
    /// Type, barrier bit and fences.
    pub header: u16,
    /// Number of dimensions.
    pub setup: u16,
    /// Work-items of a workgroup.
    pub workgroup_size: [u16; 3],
    /// Reserved.
    pub reserved0: u16,
    /// Work-items.
    pub grid_size: [u32; 3],
    /// Bytes of scratch of a work-item.
    pub private_segment_size: u32,
    /// Bytes of LDS of a workgroup.
    pub group_segment_size: u32,
    /// The kernel descriptor.
    pub kernel_object: u64,
    /// The argument segment.
    pub kernarg_address: u64,
    /// Reserved.
    pub reserved2: u64,
    /// The signal to decrement at the end; 0 for none.
    pub completion_signal: Handle,
}

/// `hsa_barrier_and_packet_t`, and `hsa_barrier_or_packet_t`, which is the same.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BarrierPacket {
    /// Type, barrier bit and fences.
    pub header: u16,
    /// Reserved.
    pub reserved0: u16,
    /// Reserved.
    pub reserved1: u32,
    /// The signals to wait for; 0 for none.
    pub dep_signal: [Handle; 5],
    /// Reserved.
    pub reserved2: u64,
    /// The signal to decrement at the end; 0 for none.
    pub completion_signal: Handle,
}

/// `hsa_amd_barrier_value_packet_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BarrierValuePacket {
    /// Type, barrier bit and fences.
    pub header: u16,
    /// [`FORMAT_BARRIER_VALUE`].
    pub amd_format: u8,
    /// Reserved.
    pub reserved: u8,
    /// Reserved.
    pub reserved0: u32,
    /// The signal to wait for.
    pub signal: Handle,
    /// The value to compare with.
    pub value: i64,
    /// The bits of the signal's value to compare.
    pub mask: i64,
    /// The condition, an `hsa_signal_condition_t`.
    pub cond: u32,
    /// Reserved.
    pub reserved1: u32,
    /// Reserved.
    pub reserved2: u64,
    /// Reserved.
    pub reserved3: u64,
    /// The signal to decrement at the end; 0 for none.
    pub completion_signal: Handle,
}

/// Format of a vendor packet that is a [`BarrierValuePacket`].
pub const FORMAT_BARRIER_VALUE: u8 = 2;

/// `hsa_dim3_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dim3 {
    /// Width.
    pub x: u32,
    /// Height.
    pub y: u32,
    /// Depth.
    pub z: u32,
}

/// `hsa_pitched_ptr_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PitchedPtr {
    /// First byte.
    pub base: u64,
    /// Bytes from a row to the next.
    pub pitch: usize,
    /// Bytes from a slice to the next.
    pub slice: usize,
}

/// `hsa_amd_memory_pool_link_info_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LinkInfo {
    /// Nanoseconds; 0 for unknown.
    pub min_latency: u32,
    /// Nanoseconds; 0 for unknown.
    pub max_latency: u32,
    /// MB/s; 0 for unknown.
    pub min_bandwidth: u32,
    /// MB/s; 0 for unknown.
    pub max_bandwidth: u32,
    /// Atomics of 32 bits pass.
    pub atomic_support_32bit: bool,
    /// Atomics of 64 bits pass.
    pub atomic_support_64bit: bool,
    /// Coherent accesses pass.
    pub coherent_support: bool,
    /// An `hsa_amd_link_info_type_t`.
    pub link_type: u32,
    /// Distance as NUMA counts it.
    pub numa_distance: u32,
}

/// `hsa_amd_pointer_info_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PointerInfo {
    /// Bytes of this structure that the caller knows.
    pub size: u32,
    /// An `hsa_amd_pointer_type_t`.
    pub kind: u32,
    /// First byte as agents see it.
    pub agent_base_address: u64,
    /// First byte as the host sees it.
    pub host_base_address: u64,
    /// Bytes.
    pub size_in_bytes: usize,
    /// The program's own.
    pub user_data: u64,
    /// Agent of the pool.
    pub agent_owner: Handle,
    /// Flags of the pool.
    pub global_flags: u32,
    /// True if agents may access it; from 7.2 on.
    pub registered: u32,
}

/// `hsa_amd_memory_access_desc_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// An `hsa_access_permission_t`.
    pub permissions: u32,
    /// The agent.
    pub agent: Handle,
}

/// `hsa_amd_profiling_dispatch_time_t` and `hsa_amd_profiling_async_copy_time_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Begin in ticks of the system.
    pub start: u64,
    /// End.
    pub end: u64,
}

/// `hsa_amd_hdp_flush_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HdpFlush {
    /// Register that flushes writes of the host to device memory.
    pub mem_flush_cntl: u64,
    /// Register that flushes writes to registers.
    pub reg_flush_cntl: u64,
}

/// `hsa_amd_event_t` of a memory fault, the only type of event.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryFaultEvent {
    /// 0.
    pub event_type: u32,
    /// The agent.
    pub agent: Handle,
    /// The address.
    pub virtual_address: u64,
    /// Bits of an `hsa_amd_memory_fault_reason_t`.
    pub fault_reason_mask: u32,
}

/// `hsa_ven_amd_loader_segment_descriptor_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SegmentDescriptor {
    /// The agent that the segment is for.
    pub agent: Handle,
    /// The executable.
    pub executable: Handle,
    /// An `hsa_ven_amd_loader_code_object_storage_type_t`.
    pub code_object_storage_type: u32,
    /// First byte of the code object.
    pub code_object_storage_base: u64,
    /// Bytes.
    pub code_object_storage_size: usize,
    /// Offset of the segment's bytes in it.
    pub code_object_storage_offset: usize,
    /// First byte of the segment.
    pub segment_base: u64,
    /// Bytes.
    pub segment_size: usize,
}

/// `hsa_ext_image_format_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageFormat {
    /// An `hsa_ext_image_channel_type_t`.
    pub channel_type: u32,
    /// An `hsa_ext_image_channel_order_t`.
    pub channel_order: u32,
}

/// `hsa_ext_image_descriptor_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageDescriptor {
    /// An `hsa_ext_image_geometry_t`.
    pub geometry: u32,
    /// Texels of a row.
    pub width: usize,
    /// Rows, or 0.
    pub height: usize,
    /// Slices of an image of three dimensions, or 0.
    pub depth: usize,
    /// Layers of an array, or 0.
    pub array_size: usize,
    /// The format.
    pub format: ImageFormat,
}

/// `hsa_ext_image_data_info_t`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageDataInfo {
    /// Bytes.
    pub size: usize,
    /// Bytes that the address is a multiple of.
    pub alignment: usize,
}

/// `hsa_ext_image_region_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageRegion {
    /// First texel.
    pub offset: Dim3,
    /// Texels.
    pub range: Dim3,
}

/// `hsa_ext_sampler_descriptor_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SamplerDescriptor {
    /// An `hsa_ext_sampler_coordinate_mode_t`.
    pub coordinate_mode: u32,
    /// An `hsa_ext_sampler_filter_mode_t`.
    pub filter_mode: u32,
    /// An `hsa_ext_sampler_addressing_mode_t`.
    pub address_mode: u32,
}

/// `hsa_ext_sampler_descriptor_v2_t`, since ROCm 6.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SamplerDescriptorV2 {
    /// An `hsa_ext_sampler_coordinate_mode_t`.
    pub coordinate_mode: u32,
    /// An `hsa_ext_sampler_filter_mode_t`.
    pub filter_mode: u32,
    /// An `hsa_ext_sampler_addressing_mode_t` for each dimension.
    pub address_modes: [u32; 3],
}

/// `hsa_ext_images_1_pfn_t`. `hsa_ext_images_1_00_pfn_t` and that of releases before ROCm 6 are its beginning.
#[repr(C)]
#[derive(Debug)]
pub struct ImageTable {
    /// `hsa_ext_image_get_capability`.
    pub get_capability: unsafe extern "C" fn(Handle, u32, *const ImageFormat, *mut u32) -> Status,
    /// `hsa_ext_image_data_get_info`.
    pub data_get_info:
        unsafe extern "C" fn(Handle, *const ImageDescriptor, u32, *mut ImageDataInfo) -> Status,
    /// `hsa_ext_image_create`.
    pub create: unsafe extern "C" fn(
        Handle,
        *const ImageDescriptor,
        *const c_void,
        u32,
        *mut Handle,
    ) -> Status,
    /// `hsa_ext_image_destroy`.
    pub destroy: extern "C" fn(Handle, Handle) -> Status,
    /// `hsa_ext_image_copy`.
    pub copy: unsafe extern "C" fn(
        Handle,
        Handle,
        *const Dim3,
        Handle,
        *const Dim3,
        *const Dim3,
    ) -> Status,
    /// `hsa_ext_image_import`.
    pub import: unsafe extern "C" fn(
        Handle,
        *const c_void,
        usize,
        usize,
        Handle,
        *const ImageRegion,
    ) -> Status,
    /// `hsa_ext_image_export`.
    pub export: unsafe extern "C" fn(
        Handle,
        Handle,
        *mut c_void,
        usize,
        usize,
        *const ImageRegion,
    ) -> Status,
    /// `hsa_ext_image_clear`.
    pub clear: unsafe extern "C" fn(Handle, Handle, *const c_void, *const ImageRegion) -> Status,
    /// `hsa_ext_sampler_create`.
    pub sampler_create:
        unsafe extern "C" fn(Handle, *const SamplerDescriptor, *mut Handle) -> Status,
    /// `hsa_ext_sampler_destroy`.
    pub sampler_destroy: extern "C" fn(Handle, Handle) -> Status,
    /// `hsa_ext_image_get_capability_with_layout`.
    pub get_capability_with_layout:
        unsafe extern "C" fn(Handle, u32, *const ImageFormat, u32, *mut u32) -> Status,
    /// `hsa_ext_image_data_get_info_with_layout`.
    pub data_get_info_with_layout: unsafe extern "C" fn(
        Handle,
        *const ImageDescriptor,
        u32,
        u32,
        usize,
        usize,
        *mut ImageDataInfo,
    ) -> Status,
    /// `hsa_ext_image_create_with_layout`.
    pub create_with_layout: unsafe extern "C" fn(
        Handle,
        *const ImageDescriptor,
        *const c_void,
        u32,
        u32,
        usize,
        usize,
        *mut Handle,
    ) -> Status,
    /// `hsa_ext_sampler_create_v2`.
    pub sampler_create_v2:
        unsafe extern "C" fn(Handle, *const SamplerDescriptorV2, *mut Handle) -> Status,
}

/// `hsa_amd_signal_handler`.
pub type SignalHandler = unsafe extern "C" fn(value: i64, argument: *mut c_void) -> bool;
/// Callback of an iteration over handles.
pub type EachHandle = unsafe extern "C" fn(handle: Handle, data: *mut c_void) -> Status;
/// Callback for errors of a queue.
pub type QueueCallback =
    unsafe extern "C" fn(status: Status, queue: *mut HsaQueue, data: *mut c_void);
/// Callback for events of the system.
pub type SystemCallback =
    unsafe extern "C" fn(event: *const MemoryFaultEvent, data: *mut c_void) -> Status;
/// Callback of the end of an allocation.
pub type FreeCallback = unsafe extern "C" fn(address: *mut c_void, user_data: *mut c_void);
