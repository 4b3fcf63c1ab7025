//! Types from the public headers (`hsa.h`, `hsa_ext_amd.h`, `hsa_ext_image.h`, `hsa_ven_amd_loader.h`,
//! `amd_hsa_queue.h`, `amd_hsa_signal.h`), with the layout that the headers define. The test `headers` compares sizes
//! and offsets.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use crate::status::Status;

/// `hsa_agent_t`, `hsa_signal_t` and all other structures that contain only a handle.
pub type Handle = u64;

/// `amd_signal_t`. A signal's handle is the address of this structure.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct AmdSignal {
    /// Signal kind: [`SIGNAL_USER`], [`SIGNAL_DOORBELL`], or 0 for an invalid signal.
    pub kind: AtomicI64,
    /// Current value.
    pub value: AtomicI64,
    /// Mailbox address. A kernel that changes the signal stores `event_id` there and then sends the interrupt message.
    /// For doorbells, the address of the [`Changes`](crate::changes::Changes) that the queue's thread waits on.
    pub event_mailbox_ptr: AtomicU64,
    /// Event number that kernels store in the mailbox.
    pub event_id: AtomicU32,
    /// Reserved.
    pub reserved1: u32,
    /// Start time in nanoseconds of the command that completed the signal.
    pub start_ts: AtomicU64,
    /// End time of the command in nanoseconds.
    pub end_ts: AtomicU64,
    /// For doorbells, the address of the queue.
    pub queue_ptr: AtomicU64,
    /// Reserved.
    pub reserved3: [u32; 2],
}

/// [`AmdSignal::kind`] of a signal that the program creates.
pub const SIGNAL_USER: i64 = 1;
/// [`AmdSignal::kind`] of a queue's doorbell.
pub const SIGNAL_DOORBELL: i64 = -1;

/// `hsa_queue_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HsaQueue {
    /// `hsa_queue_type_t`: multiple producers, a single producer, or cooperative kernels.
    pub kind: u32,
    /// Supported packet types, a bit mask of `hsa_queue_feature_t`.
    pub features: u32,
    /// Address of the packet ring buffer.
    pub base_address: u64,
    /// Doorbell signal.
    pub doorbell_signal: Handle,
    /// Number of packets, a power of two.
    pub size: u32,
    /// Reserved.
    pub reserved1: u32,
    /// Queue ID, unique in the process.
    pub id: u64,
}

/// `amd_queue_t`.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct AmdQueue {
    /// Fields that `hsa.h` defines.
    pub hsa_queue: HsaQueue,
    /// Reserved.
    pub reserved1: [u32; 4],
    /// Index of the next packet to reserve.
    pub write_dispatch_id: AtomicU64,
    /// High dword of the LDS aperture for FLAT instructions.
    pub group_segment_aperture_base_hi: u32,
    /// High dword of the scratch aperture for FLAT instructions.
    pub private_segment_aperture_base_hi: u32,
    /// Highest compute unit ID; always 0.
    pub max_cu_id: u32,
    /// Highest wave ID in a compute unit; always 0.
    pub max_wave_id: u32,
    /// Not used.
    pub max_legacy_doorbell_dispatch_id_plus_1: u64,
    /// Not used.
    pub legacy_doorbell_lock: u32,
    /// Reserved.
    pub reserved2: [u32; 9],
    /// Index of the next packet to process.
    pub read_dispatch_id: AtomicU64,
    /// Offset of `read_dispatch_id` in the structure.
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
    /// Queue flags, such as [`QUEUE_IS_PTR64`].
    pub queue_properties: u32,
    /// Reserved.
    pub reserved3: [u32; 2],
    /// Not used.
    pub queue_inactive_signal: Handle,
    /// Reserved.
    pub reserved4: [u32; 14],
}

/// Flag in [`AmdQueue::queue_properties`]: pointers are 64 bits wide.
pub const QUEUE_IS_PTR64: u32 = 1 << 1;

/// Size of an AQL packet in bytes.
pub const PACKET_BYTES: u64 = 64;

/// `hsa_kernel_dispatch_packet_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DispatchPacket {
    /// Packet type, barrier bit and fence scopes.
    pub header: u16,
    /// Number of grid dimensions.
    pub setup: u16,
    /// Workgroup size in work-items.
    pub workgroup_size: [u16; 3],
    /// Reserved.
    pub reserved0: u16,
    /// Grid size in work-items.
    pub grid_size: [u32; 3],
    /// Scratch size per work-item in bytes.
    pub private_segment_size: u32,
    /// LDS size per workgroup in bytes.
    pub group_segment_size: u32,
    /// Address of the kernel descriptor.
    pub kernel_object: u64,
    /// Address of the kernarg segment.
    pub kernarg_address: u64,
    /// Reserved.
    pub reserved2: u64,
    /// Signal to decrement when the kernel ends, or 0.
    pub completion_signal: Handle,
}

/// `hsa_barrier_and_packet_t` and `hsa_barrier_or_packet_t`, which have the same layout.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BarrierPacket {
    /// Packet type, barrier bit and fence scopes.
    pub header: u16,
    /// Reserved.
    pub reserved0: u16,
    /// Reserved.
    pub reserved1: u32,
    /// Signals that the packet waits for; 0 in unused entries.
    pub dep_signal: [Handle; 5],
    /// Reserved.
    pub reserved2: u64,
    /// Signal to decrement when the packet completes, or 0.
    pub completion_signal: Handle,
}

/// `hsa_amd_barrier_value_packet_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BarrierValuePacket {
    /// Packet type, barrier bit and fence scopes.
    pub header: u16,
    /// Vendor packet format: [`FORMAT_BARRIER_VALUE`].
    pub amd_format: u8,
    /// Reserved.
    pub reserved: u8,
    /// Reserved.
    pub reserved0: u32,
    /// Signal that the packet waits for, or 0.
    pub signal: Handle,
    /// Value with which the masked signal value is compared.
    pub value: i64,
    /// Mask applied to the signal value.
    pub mask: i64,
    /// Comparison, an `hsa_signal_condition_t`.
    pub cond: u32,
    /// Reserved.
    pub reserved1: u32,
    /// Reserved.
    pub reserved2: u64,
    /// Reserved.
    pub reserved3: u64,
    /// Signal to decrement when the packet completes, or 0.
    pub completion_signal: Handle,
}

/// Vendor packet format of a [`BarrierValuePacket`].
pub const FORMAT_BARRIER_VALUE: u8 = 2;

/// `hsa_dim3_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dim3 {
    /// X component.
    pub x: u32,
    /// Y component.
    pub y: u32,
    /// Z component.
    pub z: u32,
}

/// `hsa_pitched_ptr_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PitchedPtr {
    /// Base address.
    pub base: u64,
    /// Row pitch in bytes.
    pub pitch: usize,
    /// Slice pitch in bytes.
    pub slice: usize,
}

/// `hsa_amd_memory_pool_link_info_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LinkInfo {
    /// Minimum latency in nanoseconds; 0 if unknown.
    pub min_latency: u32,
    /// Maximum latency in nanoseconds; 0 if unknown.
    pub max_latency: u32,
    /// Minimum bandwidth in MB/s; 0 if unknown.
    pub min_bandwidth: u32,
    /// Maximum bandwidth in MB/s; 0 if unknown.
    pub max_bandwidth: u32,
    /// True if the link supports 32-bit atomics.
    pub atomic_support_32bit: bool,
    /// True if the link supports 64-bit atomics.
    pub atomic_support_64bit: bool,
    /// True if the link is coherent.
    pub coherent_support: bool,
    /// Link type, an `hsa_amd_link_info_type_t`.
    pub link_type: u32,
    /// NUMA distance.
    pub numa_distance: u32,
}

/// `hsa_amd_pointer_info_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PointerInfo {
    /// Size in bytes of the structure in the caller's version of the headers.
    pub size: u32,
    /// Pointer type, an `hsa_amd_pointer_type_t`.
    pub kind: u32,
    /// Base address for agents.
    pub agent_base_address: u64,
    /// Base address for the host.
    pub host_base_address: u64,
    /// Size of the memory in bytes.
    pub size_in_bytes: usize,
    /// User data set by the program.
    pub user_data: u64,
    /// Agent that owns the memory: that of its pool, or the host for locked memory.
    pub agent_owner: Handle,
    /// Flags of the memory's pool, an `hsa_amd_memory_pool_global_flag_t`.
    pub global_flags: u32,
    /// 1 if an allocation or a lock contains the address, 0 otherwise. Added in ROCm 7.2.
    pub registered: u32,
}

/// `hsa_amd_memory_access_desc_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// Permission, an `hsa_access_permission_t`.
    pub permissions: u32,
    /// Agent handle.
    pub agent: Handle,
}

/// `hsa_amd_profiling_dispatch_time_t` and `hsa_amd_profiling_async_copy_time_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Start time in system ticks.
    pub start: u64,
    /// End time in system ticks.
    pub end: u64,
}

/// `hsa_amd_hdp_flush_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HdpFlush {
    /// Address of the register that flushes host writes to device memory.
    pub mem_flush_cntl: u64,
    /// Address of the register that flushes host writes to registers.
    pub reg_flush_cntl: u64,
}

/// `hsa_amd_event_t` for a memory fault, the only supported event type.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryFaultEvent {
    /// Event type: always 0, a memory fault.
    pub event_type: u32,
    /// Handle of the agent on which the fault occurred.
    pub agent: Handle,
    /// Faulting address.
    pub virtual_address: u64,
    /// Fault reasons, a bit mask of `hsa_amd_memory_fault_reason_t`.
    pub fault_reason_mask: u32,
}

/// `hsa_ven_amd_loader_segment_descriptor_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SegmentDescriptor {
    /// Handle of the agent on which the segment is loaded.
    pub agent: Handle,
    /// Executable handle.
    pub executable: Handle,
    /// Storage type, an `hsa_ven_amd_loader_code_object_storage_type_t`.
    pub code_object_storage_type: u32,
    /// Address of the code object, or of its path if it was read from a file.
    pub code_object_storage_base: u64,
    /// Size in bytes of the code object, or of its path with the terminator.
    pub code_object_storage_size: usize,
    /// Offset of the segment in the code object in bytes.
    pub code_object_storage_offset: usize,
    /// Base address of the loaded segment.
    pub segment_base: u64,
    /// Size of the loaded segment in bytes.
    pub segment_size: usize,
}

/// `hsa_ext_image_format_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageFormat {
    /// Channel type, an `hsa_ext_image_channel_type_t`.
    pub channel_type: u32,
    /// Channel order, an `hsa_ext_image_channel_order_t`.
    pub channel_order: u32,
}

/// `hsa_ext_image_descriptor_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageDescriptor {
    /// Image geometry, an `hsa_ext_image_geometry_t`.
    pub geometry: u32,
    /// Width in texels.
    pub width: usize,
    /// Height in rows, or 0.
    pub height: usize,
    /// Depth of a 3D image in slices, or 0.
    pub depth: usize,
    /// Number of layers in an array, or 0.
    pub array_size: usize,
    /// Texel format.
    pub format: ImageFormat,
}

/// `hsa_ext_image_data_info_t`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageDataInfo {
    /// Size of the image data in bytes.
    pub size: usize,
    /// Required alignment of the image data in bytes.
    pub alignment: usize,
}

/// `hsa_ext_image_region_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageRegion {
    /// Coordinates of the first texel.
    pub offset: Dim3,
    /// Size in texels.
    pub range: Dim3,
}

/// `hsa_ext_sampler_descriptor_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SamplerDescriptor {
    /// Coordinate mode, an `hsa_ext_sampler_coordinate_mode_t`.
    pub coordinate_mode: u32,
    /// Filter mode, an `hsa_ext_sampler_filter_mode_t`.
    pub filter_mode: u32,
    /// Addressing mode, an `hsa_ext_sampler_addressing_mode_t`.
    pub address_mode: u32,
}

/// `hsa_ext_sampler_descriptor_v2_t`, added in ROCm 6.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SamplerDescriptorV2 {
    /// Coordinate mode, an `hsa_ext_sampler_coordinate_mode_t`.
    pub coordinate_mode: u32,
    /// Filter mode, an `hsa_ext_sampler_filter_mode_t`.
    pub filter_mode: u32,
    /// Addressing mode for each dimension, an `hsa_ext_sampler_addressing_mode_t`.
    pub address_modes: [u32; 3],
}

/// `hsa_ext_images_1_pfn_t`. `hsa_ext_images_1_00_pfn_t` and the tables before ROCm 6 are prefixes of this one.
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
/// Callback of functions that iterate over objects, called with each object's handle.
pub type HandleCallback = unsafe extern "C" fn(handle: Handle, data: *mut c_void) -> Status;
/// Queue error callback.
pub type QueueCallback =
    unsafe extern "C" fn(status: Status, queue: *mut HsaQueue, data: *mut c_void);
/// System event callback.
pub type SystemCallback =
    unsafe extern "C" fn(event: *const MemoryFaultEvent, data: *mut c_void) -> Status;
/// Deallocation callback, called before an allocation is freed.
pub type FreeCallback = unsafe extern "C" fn(address: *mut c_void, user_data: *mut c_void);
