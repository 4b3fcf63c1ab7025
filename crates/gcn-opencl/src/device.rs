//! Devices and their attributes.

use gcn_object::MAX_KERNARG_BYTES;
use gcn_runtime::hsa::max_lds;
use gcn_runtime::image::{ADDRESS_ALIGN, MAX_BUFFER, MAX_DEPTH, MAX_SIZE};
use gcn_runtime::{Chip, Device as Emulated};

use crate::abi::*;
use crate::handle::{Handle, Id, object, references};
use crate::image::PITCH_ALIGN;
use crate::info::{Info, version};
use crate::status::{Outcome, Status};

/// OpenCL version of the platform.
pub(crate) const VERSION: &str = concat!("OpenCL 3.0 gcn ", env!("CARGO_PKG_VERSION"));
/// [`VERSION`] as a number.
pub(crate) const NUMERIC_VERSION: u32 = version(3, 0, 0);
/// Version and name of an extension.
pub(crate) type Extension = (u32, &'static str);
/// Version and name of an OpenCL C 3.0 feature.
pub(crate) type LanguageFeature = (u32, &'static str);

/// Maximum work-group size that the compiler assumes if the source does not state one.
pub(crate) const MAX_GROUP: usize = 256;
/// Maximum work-group size in each dimension, available to kernels whose source requests it.
pub(crate) const MAX_ITEMS: usize = 1024;
/// Lanes per wave.
pub(crate) const WAVE: usize = 64;
/// Minimum alignment of every buffer in bytes, sufficient for any type.
pub(crate) const BASE_ALIGN: u64 = 128;
/// Maximum number of images that a kernel can read.
const MAX_READ_IMAGES: u32 = 128;
/// Maximum number of images that a kernel can write, including read-write images.
const MAX_WRITTEN_IMAGES: u32 = 64;
/// Maximum number of samplers per kernel.
const MAX_SAMPLERS: u32 = 16;
/// Maximum total size of a program's global variables in bytes.
const MAX_GLOBAL_VARIABLE: usize = 64 << 10;
/// Size of a launch's `printf` buffer in bytes.
const PRINTF_BUFFER: usize = gcn_runtime::printf::BUFFER_BYTES as usize;
/// Cache line size in bytes.
const CACHE_LINE: u32 = 64;

pub(crate) struct Device {
    id: Id<Device>,
    number: usize,
    pub(crate) emulated: Emulated,
    chip: &'static Chip,
    /// Device memory size in bytes.
    memory: u64,
}

object!(Device, INVALID_DEVICE);

impl Device {
    pub(crate) fn new(
        id: Id<Device>,
        number: usize,
        emulated: Emulated,
        chip: &'static Chip,
        memory: u64,
    ) -> Device {
        Device {
            id,
            number,
            emulated,
            chip,
            memory,
        }
    }

    /// Returns the instruction set version: major, minor and stepping.
    fn version(&self) -> (u32, u32, u32) {
        self.emulated.target().version()
    }

    /// Returns true if the device supports half-precision arithmetic.
    fn has_half(&self) -> bool {
        self.version().0 >= 8
    }

    /// Returns the supported OpenCL version: major and minor. GCN 1.0 devices support OpenCL 1.2, as with AMD's driver:
    /// they lack FLAT instructions, and AMD's device library implements C11 atomics only for generic addresses.
    pub(crate) fn opencl_version(&self) -> (u32, u32) {
        if self.version().0 >= 7 {
            (3, 0)
        } else {
            (1, 2)
        }
    }

    /// Returns true if the device supports OpenCL 3.0.
    pub(crate) fn is_of_3_0(&self) -> bool {
        self.opencl_version() >= (3, 0)
    }

    /// Returns true if compiled code keeps single-precision denormals.
    fn keeps_denormals(&self) -> bool {
        self.version().0 >= 9
    }

    /// Returns the maximum allocation size in bytes.
    pub(crate) fn max_allocation(&self) -> u64 {
        self.memory / 4 * 3
    }

    /// Returns the local memory size per work-group in bytes.
    pub(crate) fn local_memory(&self) -> u64 {
        max_lds(self.emulated.target().isa).into()
    }

    /// Returns the compiler's target name, with feature suffixes.
    pub(crate) fn target(&self) -> String {
        let mut target = self.emulated.target().name.to_owned();
        for feature in self.emulated.features() {
            target.push(':');
            target.push_str(feature);
        }
        target
    }

    pub(crate) fn extensions(&self) -> Vec<Extension> {
        const FIRST: u32 = version(1, 0, 0);
        let mut all = vec![
            (FIRST, "cl_khr_icd"),
            (FIRST, "cl_khr_byte_addressable_store"),
            (FIRST, "cl_khr_global_int32_base_atomics"),
            (FIRST, "cl_khr_global_int32_extended_atomics"),
            (FIRST, "cl_khr_local_int32_base_atomics"),
            (FIRST, "cl_khr_local_int32_extended_atomics"),
            (FIRST, "cl_khr_int64_base_atomics"),
            (FIRST, "cl_khr_int64_extended_atomics"),
            (FIRST, "cl_khr_fp64"),
        ];
        if self.has_half() {
            all.push((FIRST, "cl_khr_fp16"));
        }
        all.extend([
            (FIRST, "cl_khr_3d_image_writes"),
            (FIRST, "cl_khr_image2d_from_buffer"),
        ]);
        if self.is_of_3_0() {
            all.push((FIRST, "cl_khr_subgroups"));
        }
        all.extend([
            (FIRST, "cl_khr_extended_versioning"),
            (FIRST, "cl_amd_device_attribute_query"),
            (FIRST, "cl_amd_media_ops"),
            (FIRST, "cl_amd_media_ops2"),
        ]);
        all
    }

    /// Returns the supported OpenCL C 3.0 features.
    pub(crate) fn features(&self) -> Vec<LanguageFeature> {
        const FIRST: u32 = version(3, 0, 0);
        if !self.is_of_3_0() {
            return Vec::new();
        }
        let names = [
            "__opencl_c_atomic_order_acq_rel",
            "__opencl_c_atomic_order_seq_cst",
            "__opencl_c_atomic_scope_device",
            "__opencl_c_atomic_scope_all_devices",
            "__opencl_c_fp64",
            "__opencl_c_generic_address_space",
            "__opencl_c_int64",
            "__opencl_c_program_scope_global_variables",
            "__opencl_c_subgroups",
            "__opencl_c_work_group_collective_functions",
            "__opencl_c_images",
            "__opencl_c_3d_image_writes",
            "__opencl_c_read_write_images",
        ];
        names.into_iter().map(|name| (FIRST, name)).collect()
    }

    /// Returns the value of the attribute `name`. `platform` is the handle of the device's platform.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
    #[allow(clippy::too_many_lines)]
    pub(crate) fn info(&self, name: u32, platform: Handle) -> Outcome<Info> {
        /// OpenCL C versions that the compiler accepts.
        const LANGUAGES: [(u32, &str); 4] = [
            (version(1, 0, 0), "OpenCL C"),
            (version(1, 1, 0), "OpenCL C"),
            (version(1, 2, 0), "OpenCL C"),
            (version(3, 0, 0), "OpenCL C"),
        ];
        let chip = self.chip;
        let (major, minor, _) = self.version();
        let (opencl_major, opencl_minor) = self.opencl_version();
        let half = self.has_half();
        let float = CL_FP_INF_NAN
            | CL_FP_ROUND_TO_NEAREST
            | CL_FP_ROUND_TO_ZERO
            | CL_FP_ROUND_TO_INF
            | CL_FP_FMA;
        let orders = CL_DEVICE_ATOMIC_ORDER_RELAXED
            | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
            | CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
        let scopes = CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
            | CL_DEVICE_ATOMIC_SCOPE_DEVICE
            | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
        Ok(match name {
            CL_DEVICE_TYPE => Info::from(CL_DEVICE_TYPE_GPU),
            CL_DEVICE_VENDOR_ID => Info::from(0x1002_u32),
            CL_DEVICE_MAX_COMPUTE_UNITS => Info::from(chip.compute_units),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => Info::from(3u32),
            CL_DEVICE_MAX_WORK_GROUP_SIZE
            | CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD
            | CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD => Info::from(MAX_GROUP),
            CL_DEVICE_MAX_WORK_ITEM_SIZES => Info::array([MAX_ITEMS; 3]),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => {
                Info::from(4u32)
            }
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => {
                Info::from(2u32)
            }
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
                Info::from(u32::from(half))
            }
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => Info::from(1u32),
            CL_DEVICE_MAX_CLOCK_FREQUENCY => Info::from(chip.max_mhz),
            CL_DEVICE_ADDRESS_BITS => Info::from(64u32),
            CL_DEVICE_MAX_MEM_ALLOC_SIZE | CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => {
                Info::from(self.max_allocation())
            }
            CL_DEVICE_ERROR_CORRECTION_SUPPORT => Info::bool(false),
            CL_DEVICE_MAX_READ_IMAGE_ARGS => Info::from(MAX_READ_IMAGES),
            CL_DEVICE_MAX_WRITE_IMAGE_ARGS | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => {
                Info::from(MAX_WRITTEN_IMAGES)
            }
            CL_DEVICE_MAX_SAMPLERS => Info::from(MAX_SAMPLERS),
            CL_DEVICE_IMAGE_PITCH_ALIGNMENT => Info::from(PITCH_ALIGN as u32),
            CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => Info::from(ADDRESS_ALIGN as u32),
            CL_DEVICE_MAX_PIPE_ARGS
            | CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS
            | CL_DEVICE_PIPE_MAX_PACKET_SIZE
            | CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
            | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
            | CL_DEVICE_MAX_ON_DEVICE_QUEUES
            | CL_DEVICE_MAX_ON_DEVICE_EVENTS
            | CL_DEVICE_PARTITION_MAX_SUB_DEVICES
            | CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => Info::from(0u32),
            CL_DEVICE_IMAGE2D_MAX_WIDTH
            | CL_DEVICE_IMAGE2D_MAX_HEIGHT
            | CL_DEVICE_IMAGE3D_MAX_WIDTH
            | CL_DEVICE_IMAGE3D_MAX_HEIGHT => Info::from(MAX_SIZE),
            CL_DEVICE_IMAGE3D_MAX_DEPTH | CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => Info::from(MAX_DEPTH),
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => Info::from(MAX_BUFFER),
            CL_DEVICE_MAX_PARAMETER_SIZE => Info::from(MAX_PARAMETERS),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => Info::from(BASE_ALIGN as u32 * 8),
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => Info::from(128u32),
            CL_DEVICE_HALF_FP_CONFIG => Info::from(if half { float | CL_FP_DENORM } else { 0 }),
            CL_DEVICE_SINGLE_FP_CONFIG => {
                let denormals = if self.keeps_denormals() {
                    CL_FP_DENORM
                } else {
                    0
                };
                Info::from(float | denormals | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
            }
            CL_DEVICE_DOUBLE_FP_CONFIG => Info::from(float | CL_FP_DENORM),
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => Info::from(CL_READ_WRITE_CACHE),
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => Info::from(CACHE_LINE),
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => Info::from(u64::from(chip.l2) << 10),
            CL_DEVICE_GLOBAL_MEM_SIZE => Info::from(self.memory),
            CL_DEVICE_MAX_CONSTANT_ARGS => Info::from(8u32),
            CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => Info::from(MAX_GLOBAL_VARIABLE),
            CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => Info::from(MAX_GLOBAL_VARIABLE),
            CL_DEVICE_LOCAL_MEM_TYPE => Info::from(CL_LOCAL),
            CL_DEVICE_LOCAL_MEM_SIZE => Info::from(self.local_memory()),
            CL_DEVICE_HOST_UNIFIED_MEMORY => Info::bool(true),
            CL_DEVICE_PROFILING_TIMER_RESOLUTION => Info::from(1usize),
            CL_DEVICE_ENDIAN_LITTLE
            | CL_DEVICE_AVAILABLE
            | CL_DEVICE_IMAGE_SUPPORT
            | CL_DEVICE_COMPILER_AVAILABLE
            | CL_DEVICE_LINKER_AVAILABLE
            | CL_DEVICE_PREFERRED_INTEROP_USER_SYNC
            | CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => Info::bool(true),
            CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT
            | CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS
            | CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => Info::bool(self.is_of_3_0()),
            CL_DEVICE_PIPE_SUPPORT | CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD => Info::bool(false),
            CL_DEVICE_EXECUTION_CAPABILITIES => Info::from(CL_EXEC_KERNEL),
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
                Info::from(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
            }
            CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES
            | CL_DEVICE_PARTITION_AFFINITY_DOMAIN
            | CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => Info::from(0u64),
            CL_DEVICE_BUILT_IN_KERNELS | CL_DEVICE_IL_VERSION => Info::text(""),
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION | CL_DEVICE_ILS_WITH_VERSION => Info::nothing(),
            CL_DEVICE_PLATFORM => Info::from(platform),
            CL_DEVICE_NAME => Info::text(self.emulated.target().name),
            CL_DEVICE_VENDOR => Info::text("Advanced Micro Devices, Inc."),
            CL_DRIVER_VERSION => Info::text(env!("CARGO_PKG_VERSION")),
            CL_DEVICE_PROFILE => Info::text("FULL_PROFILE"),
            CL_DEVICE_VERSION => Info::text(&format!(
                "OpenCL {opencl_major}.{opencl_minor} gcn {}",
                env!("CARGO_PKG_VERSION")
            )),
            CL_DEVICE_NUMERIC_VERSION => Info::from(version(opencl_major, opencl_minor, 0)),
            // Highest version that is fully supported: OpenCL C 2.0 requires pipes.
            CL_DEVICE_OPENCL_C_VERSION => Info::text("OpenCL C 1.2 "),
            CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => Info::from(version(1, 2, 0)),
            CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
                let is_known =
                    |(number, _): &(u32, _)| self.is_of_3_0() || *number < NUMERIC_VERSION;
                Info::versions(LANGUAGES.into_iter().filter(is_known))
            }
            CL_DEVICE_OPENCL_C_FEATURES => Info::versions(self.features()),
            CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => Info::text(""),
            CL_DEVICE_EXTENSIONS => {
                let names: Vec<_> = self.extensions().into_iter().map(|it| it.1).collect();
                Info::text(&names.join(" "))
            }
            CL_DEVICE_EXTENSIONS_WITH_VERSION => Info::versions(self.extensions()),
            CL_DEVICE_PRINTF_BUFFER_SIZE => Info::from(PRINTF_BUFFER),
            CL_DEVICE_PARENT_DEVICE => Info::from(None),
            CL_DEVICE_PARTITION_PROPERTIES | CL_DEVICE_PARTITION_TYPE => Info::from(0isize),
            CL_DEVICE_REFERENCE_COUNT => Info::from(references(self)),
            CL_DEVICE_SVM_CAPABILITIES => Info::from(
                CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                    | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
                    | CL_DEVICE_SVM_ATOMICS,
            ),
            CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => Info::from(orders | scopes),
            CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
                Info::from(orders | scopes | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)
            }
            CL_DEVICE_MAX_NUM_SUB_GROUPS if !self.is_of_3_0() => Info::from(0u32),
            CL_DEVICE_MAX_NUM_SUB_GROUPS => Info::from((MAX_GROUP / WAVE) as u32),
            CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => Info::from(WAVE),
            CL_DEVICE_BOARD_NAME_AMD => Info::text(&format!("{} (emulated)", chip.product)),
            CL_DEVICE_PROFILING_TIMER_OFFSET_AMD => Info::from(0u64),
            CL_DEVICE_TOPOLOGY_AMD => Info(self.topology()),
            CL_DEVICE_PCIE_ID_AMD => Info::from(chip.device),
            CL_DEVICE_GLOBAL_FREE_MEMORY_AMD => {
                let (used, _) = self.emulated.usage();
                let free = (self.memory.saturating_sub(used) >> 10) as usize;
                Info::array([free, free])
            }
            CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD => Info::from(4u32),
            CL_DEVICE_SIMD_WIDTH_AMD => Info::from(16u32),
            CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD => Info::from(1u32),
            CL_DEVICE_WAVEFRONT_WIDTH_AMD => Info::from(WAVE as u32),
            CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD => Info::from(chip.memory_width / 128),
            CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD => Info::from(4u32),
            CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD => Info::from(256u32),
            CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD => Info::from(64u32 << 10),
            CL_DEVICE_LOCAL_MEM_BANKS_AMD => Info::from(32u32),
            CL_DEVICE_GFXIP_MAJOR_AMD => Info::from(major),
            CL_DEVICE_GFXIP_MINOR_AMD => Info::from(minor),
            CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD => Info::from(1u32),
            // Compute units are never reserved for a queue.
            CL_DEVICE_MAX_REAL_TIME_COMPUTE_QUEUES_AMD
            | CL_DEVICE_MAX_REAL_TIME_COMPUTE_UNITS_AMD => Info::from(0u32),
            CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD => Info::from(64usize << 10),
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// Returns the `cl_device_topology_amd`: a PCI location with a bus number unique to the device.
    fn topology(&self) -> Vec<u8> {
        /// Size of the union, whose last bytes are the PCI location.
        const BYTES: usize = 24;
        let mut bytes = vec![0; BYTES];
        bytes[..4].copy_from_slice(&CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD.to_ne_bytes());
        bytes[BYTES - 3] = self.number as u8 + 1;
        bytes
    }
}

/// Maximum total size of a kernel's arguments in bytes.
pub(crate) const MAX_PARAMETERS: usize = 1024;

const _: () = assert!(MAX_PARAMETERS as u64 <= MAX_KERNARG_BYTES);
