//! Agents: the host CPU, and one device per target.

use gcn_runtime::hsa::max_lds;
use gcn_runtime::image::{ADDRESS_ALIGN, MAX_BUFFER, MAX_DEPTH, MAX_SIZE};
use gcn_runtime::{Chip, Device};

use crate::abi::{Handle, HdpFlush, LinkInfo};

use crate::clock::{TICKS_PER_SECOND, now};
use crate::info::{Info, unknown};
use crate::numbers::*;
use crate::pools::{MemoryPool, POOL_KINDS, PoolKind};
use crate::status::HsaResult;

/// Handle of the host agent, the first of consecutive handles. A large number makes it unlikely that an arbitrary
/// integer is a valid handle.
const FIRST_HANDLE: Handle = 0x4743_4e00_0001;
/// Offset from an agent's handle to the handle of its instruction set.
const ISA: Handle = 1 << 16;

/// Cache line size in bytes.
const LINE: u32 = 64;
/// L1 cache size per compute unit in KiB.
const L1: u32 = 16;
/// File that contains the L1 data cache size of the host's first core, such as `48K`.
const HOST_L1: &str = "/sys/devices/system/cpu/cpu0/cache/index0/size";
/// Maximum queue size in packets.
pub(crate) const MAX_QUEUE: u32 = 1 << 17;
/// Minimum queue size in packets.
pub(crate) const MIN_QUEUE: u32 = 64;
/// Maximum number of queues per agent.
const MAX_QUEUES: u32 = 128;
/// Maximum workgroup size in work-items.
const MAX_GROUP: u32 = 1024;
/// Maximum number of waves per compute unit.
const WAVES: u32 = 40;
const SIMDS: u32 = 4;
const WAVE_LANES: u32 = 64;

/// Values of consecutive attributes starting at [`HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS`]: maximum sizes by geometry
/// (1D, 1DA, 1DB, 2D, 2DA, 2DDEPTH, 2DADEPTH, 3D), maximum numbers of array layers, read-only image handles, read-write
/// image handles and samplers, and the row pitch alignment.
const IMAGE_LIMITS: [&[u32]; 13] = {
    const SIZE: u32 = MAX_SIZE as u32;
    const DEPTH: u32 = MAX_DEPTH as u32;
    [
        &[SIZE],
        &[SIZE],
        &[MAX_BUFFER as u32],
        &[SIZE, SIZE],
        &[SIZE, SIZE],
        &[SIZE, SIZE],
        &[SIZE, SIZE],
        &[SIZE, SIZE, DEPTH],
        &[DEPTH],
        &[128],
        &[64],
        &[16],
        &[ADDRESS_ALIGN as u32],
    ]
};

/// Returns a device's UUID. `number` is its index among all devices, including invisible ones.
pub(crate) fn uuid(number: usize) -> String {
    format!("GPU-{:016x}", 0x6763_6e00 + number)
}

/// Suffix of generic processor names. A generic processor covers several chips.
const GENERIC: &str = "-generic";

/// Iterates over the optional features of a device's target, yielding each name and true if the feature is enabled.
fn features(device: &Device) -> impl Iterator<Item = (&'static str, bool)> {
    Chip::of(device.code_target()).feature_settings(device.features())
}

#[derive(Debug)]
pub(crate) struct Agent {
    index: usize,
    pub(crate) kind: AgentKind,
    /// Memory size in bytes.
    pub(crate) memory: u64,
}

#[derive(Debug)]
pub(crate) enum AgentKind {
    Host {
        name: String,
        threads: u32,
        mhz: u32,
        /// L1 data cache size per core in KiB.
        l1: Option<u32>,
    },
    Device {
        device: Device,
        chip: &'static Chip,
        uuid: String,
    },
}

impl Agent {
    pub(crate) fn host(memory: u64) -> Agent {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name))?;
            line.split_once(':')
                .map(|(_, value)| value.trim().to_owned())
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Agent {
            index: 0,
            kind: AgentKind::Host {
                name: field("model name").unwrap_or_else(|| "CPU".to_owned()),
                threads: threads as u32,
                mhz: field("cpu MHz")
                    .and_then(|mhz| mhz.parse::<f64>().ok())
                    .map_or(0, |mhz| mhz as u32),
                l1: std::fs::read_to_string(HOST_L1)
                    .ok()
                    .and_then(|size| size.trim().strip_suffix('K')?.parse().ok()),
            },
            memory,
        }
    }

    /// Creates the agent for a device. `number` is its index among all devices, including invisible ones.
    pub(crate) fn device(
        index: usize,
        (number, device): (usize, Device),
        chip: &'static Chip,
        memory: u64,
    ) -> Agent {
        let uuid = uuid(number);
        Agent {
            index,
            kind: AgentKind::Device { device, chip, uuid },
            memory,
        }
    }

    pub(crate) fn handle(&self) -> Handle {
        FIRST_HANDLE + self.index as Handle
    }

    /// Returns the index that an agent handle encodes.
    pub(crate) fn index_of(handle: Handle) -> Option<usize> {
        usize::try_from(handle.checked_sub(FIRST_HANDLE)?).ok()
    }

    /// Returns the agent index that an instruction set handle encodes.
    pub(crate) fn index_of_isa(isa: Handle) -> Option<usize> {
        Agent::index_of(isa.checked_sub(ISA)?)
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Returns the emulated device; `None` for the host agent.
    pub(crate) fn emulated(&self) -> Option<&Device> {
        match &self.kind {
            AgentKind::Host { .. } => None,
            AgentKind::Device { device, .. } => Some(device),
        }
    }

    /// Returns the handle of the agent's instruction set; `None` for the host agent.
    pub(crate) fn isa(&self) -> Option<Handle> {
        self.emulated().map(|_| self.handle() + ISA)
    }

    /// Returns the instruction set name with features, such as `amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-`.
    pub(crate) fn isa_name(&self) -> String {
        let Some(device) = self.emulated() else {
            return String::new();
        };
        let mut name = format!("amdgcn-amd-amdhsa--{}", device.code_target().name);
        for (feature, is_on) in features(device) {
            name.push(':');
            name.push_str(feature);
            name.push(if is_on { '+' } else { '-' });
        }
        name
    }

    /// Returns true if the agent may run code for the target ID `id`, such as `gfx906:xnack-`. As in AMD's loader, the
    /// processor names must be equal, even if both processors have the same instructions, and no feature may conflict.
    /// Accepts generic processors and missing processor names, which the emulated device checks when it loads code.
    pub(crate) fn runs(&self, id: &str) -> bool {
        let Some(device) = self.emulated() else {
            return false;
        };
        let mut parts = id.split(':');
        let processor = parts.next().unwrap_or_default();
        let is_own = processor == device.code_target().name;
        let is_open = processor.is_empty() || processor.ends_with(GENERIC);
        let chip = Chip::of(device.code_target());
        (is_own || is_open) && chip.runs_features(device.features(), parts)
    }

    pub(crate) fn pools(&self) -> impl Iterator<Item = MemoryPool> {
        let is_host = self.emulated().is_none();
        let own = POOL_KINDS
            .iter()
            .filter(move |kind| kind.is_hosts() == is_host);
        own.map(|kind| MemoryPool::new(self.index, *kind))
    }

    fn number_of<T>(&self, of_host: T, of_device: impl FnOnce(&Device, &'static Chip) -> T) -> T {
        match &self.kind {
            AgentKind::Host { .. } => of_host,
            AgentKind::Device { device, chip, .. } => of_device(device, chip),
        }
    }

    /// Returns the value of `attribute`, an `hsa_agent_info_t` or `hsa_amd_agent_info_t`.
    pub(crate) fn info(&self, attribute: u32) -> HsaResult<Info> {
        let of_device = |value: u32| self.number_of(0, |_, _| value);
        Ok(match attribute {
            HSA_AGENT_INFO_NAME => Info::Text(self.name(), 64),
            HSA_AGENT_INFO_VENDOR_NAME => {
                Info::Text(self.number_of("CPU", |_, _| "AMD").to_owned(), 64)
            }
            HSA_AGENT_INFO_FEATURE => Info::U32(of_device(HSA_AGENT_FEATURE_KERNEL_DISPATCH)),
            HSA_AGENT_INFO_MACHINE_MODEL => Info::U32(HSA_MACHINE_MODEL_LARGE),
            HSA_AGENT_INFO_PROFILE => {
                Info::U32(self.number_of(HSA_PROFILE_FULL, |_, _| HSA_PROFILE_BASE))
            }
            HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE => {
                Info::U32(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
            }
            HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES => {
                Info::U32(of_device(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR))
            }
            HSA_AGENT_INFO_FAST_F16_OPERATION => {
                Info::Bool(self.number_of(false, |device, _| device.target().version().0 >= 8))
            }
            HSA_AGENT_INFO_WAVEFRONT_SIZE => Info::U32(of_device(WAVE_LANES)),
            HSA_AGENT_INFO_WORKGROUP_MAX_DIM => Info::U16s(vec![of_device(MAX_GROUP) as u16; 3]),
            HSA_AGENT_INFO_WORKGROUP_MAX_SIZE => Info::U32(of_device(MAX_GROUP)),
            HSA_AGENT_INFO_GRID_MAX_DIM => Info::U32s(vec![of_device(u32::MAX); 3]),
            HSA_AGENT_INFO_GRID_MAX_SIZE => Info::U32(of_device(u32::MAX)),
            HSA_AGENT_INFO_FBARRIER_MAX_SIZE => Info::U32(of_device(32)),
            HSA_AGENT_INFO_QUEUES_MAX => Info::U32(of_device(MAX_QUEUES)),
            HSA_AGENT_INFO_QUEUE_MIN_SIZE => Info::U32(of_device(MIN_QUEUE)),
            HSA_AGENT_INFO_QUEUE_MAX_SIZE => Info::U32(of_device(MAX_QUEUE)),
            HSA_AGENT_INFO_QUEUE_TYPE => Info::U32(HSA_QUEUE_TYPE_MULTI),
            HSA_AGENT_INFO_NODE | HSA_AMD_AGENT_INFO_DRIVER_NODE_ID => Info::U32(self.index as u32),
            HSA_AGENT_INFO_DEVICE => {
                Info::U32(self.number_of(HSA_DEVICE_TYPE_CPU, |_, _| HSA_DEVICE_TYPE_GPU))
            }
            HSA_AGENT_INFO_CACHE_SIZE => {
                let bytes = |level| self.cache(level).map_or(0, |kibibytes| kibibytes << 10);
                Info::U32s((1..=4).map(bytes).collect())
            }
            HSA_AGENT_INFO_ISA => Info::U64(self.isa().unwrap_or(0)),
            // Bit mask with one bit per extension.
            HSA_AGENT_INFO_EXTENSIONS => {
                let mut extensions = vec![0; 128];
                extensions[0] = of_device(1 << HSA_EXTENSION_IMAGES) as u8;
                Info::Bytes(extensions)
            }
            HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS
                ..=HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT => {
                let limit =
                    IMAGE_LIMITS[(attribute - HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS) as usize];
                let count = limit.iter().map(|value| of_device(*value)).collect();
                Info::U32s(count)
            }
            HSA_AGENT_INFO_VERSION_MAJOR => Info::U16(1),
            HSA_AGENT_INFO_VERSION_MINOR => Info::U16(1),
            HSA_AMD_AGENT_INFO_CHIP_ID => Info::U32(self.number_of(0, |_, chip| chip.device)),
            HSA_AMD_AGENT_INFO_CACHELINE_SIZE => Info::U32(LINE),
            HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT
            | HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT => Info::U32(match &self.kind {
                AgentKind::Host { threads, .. } => *threads,
                AgentKind::Device { chip, .. } => chip.compute_units,
            }),
            HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY => Info::U32(match &self.kind {
                AgentKind::Host { mhz, .. } => *mhz,
                AgentKind::Device { chip, .. } => chip.max_mhz,
            }),
            HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS => Info::U32(self.number_of(1, |_, _| 4)),
            // PCI bus, device and function numbers.
            HSA_AMD_AGENT_INFO_BDFID => Info::U32(of_device((self.index as u32) << 8)),
            HSA_AMD_AGENT_INFO_MEMORY_WIDTH => {
                Info::U32(self.number_of(0, |_, chip| chip.memory_width))
            }
            HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY => {
                Info::U32(self.number_of(0, |_, chip| chip.memory_mhz))
            }
            HSA_AMD_AGENT_INFO_PRODUCT_NAME => Info::Text(self.product(), 64),
            HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU => Info::U32(of_device(WAVES)),
            HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU => Info::U32(of_device(SIMDS)),
            HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES => {
                Info::U32(self.number_of(0, |_, chip| chip.shader_engines))
            }
            HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE => Info::U32(of_device(1)),
            // Device memory is host memory, so there is nothing to flush.
            HSA_AMD_AGENT_INFO_HDP_FLUSH => Info::Flush(HdpFlush {
                mem_flush_cntl: 0,
                reg_flush_cntl: 0,
            }),
            HSA_AMD_AGENT_INFO_DOMAIN => Info::U32(0),
            HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES => Info::Bool(self.emulated().is_some()),
            HSA_AMD_AGENT_INFO_UUID => Info::Text(
                match &self.kind {
                    AgentKind::Host { .. } => "CPU-XX".to_owned(),
                    AgentKind::Device { uuid, .. } => uuid.clone(),
                },
                21,
            ),
            HSA_AMD_AGENT_INFO_ASIC_REVISION => Info::U32(1),
            HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS => Info::Bool(false),
            HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY => Info::U64(TICKS_PER_SECOND),
            HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID => {
                Info::U32(self.number_of(0, |_, chip| chip.family))
            }
            // Emulated devices have no firmware.
            HSA_AMD_AGENT_INFO_UCODE_VERSION | HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION => {
                Info::U32(0)
            }
            HSA_AMD_AGENT_INFO_NUM_SDMA_ENG => Info::U32(of_device(1)),
            HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG => Info::U32(0),
            HSA_AMD_AGENT_INFO_IOMMU_SUPPORT => Info::U32(HSA_IOMMU_SUPPORT_NONE),
            HSA_AMD_AGENT_INFO_NUM_XCC => Info::U32(of_device(1)),
            HSA_AMD_AGENT_INFO_DRIVER_UID => Info::U32(self.index as u32),
            HSA_AMD_AGENT_INFO_NEAREST_CPU => Info::U64(FIRST_HANDLE),
            HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES => {
                let is_apu = self.number_of(false, |_, chip| chip.is_apu());
                // `hsa_flag_isset64` takes a bit number, not a mask.
                let flags = u64::from(is_apu) << HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU;
                Info::Bytes(flags.to_le_bytes().to_vec())
            }
            HSA_AMD_AGENT_INFO_AQL_EXTENSIONS => Info::Bytes(vec![0; 8]),
            // Scratch is allocated from device memory for each launch.
            HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX | HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT => {
                Info::U64(self.number_of(0, |_, _| self.memory))
            }
            // Clock counters of the GPU, the CPU and the system, then the system clock frequency.
            HSA_AMD_AGENT_INFO_CLOCK_COUNTERS if self.emulated().is_some() => {
                let clocks = [now(), now(), now(), TICKS_PER_SECOND];
                Info::Bytes(clocks.map(u64::to_le_bytes).concat())
            }
            _ => return Err(unknown("an agent", attribute)),
        })
    }

    /// Returns the size in KiB of the cache at `level`; `None` if that level does not exist or its size is unknown.
    pub(crate) fn cache(&self, level: u8) -> Option<u32> {
        match (&self.kind, level) {
            (AgentKind::Host { l1, .. }, 1) => *l1,
            (AgentKind::Device { .. }, 1) => Some(L1),
            (AgentKind::Device { chip, .. }, 2) => Some(chip.l2),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> String {
        match &self.kind {
            AgentKind::Host { name, .. } => name.clone(),
            AgentKind::Device { device, .. } => device.code_target().name.to_owned(),
        }
    }

    fn product(&self) -> String {
        match &self.kind {
            AgentKind::Host { name, .. } => name.clone(),
            AgentKind::Device { chip, .. } => format!("{} (emulated)", chip.product),
        }
    }

    /// Returns the value of `attribute`, an `hsa_isa_info_t`.
    pub(crate) fn isa_info(&self, attribute: u32) -> HsaResult<Info> {
        let name = self.isa_name();
        Ok(match attribute {
            HSA_ISA_INFO_NAME_LENGTH => Info::U32(name.len() as u32 + 1),
            HSA_ISA_INFO_NAME => Info::Name(name),
            // The only call convention, with its wavefront size and maximum number of wavefronts per compute unit.
            HSA_ISA_INFO_CALL_CONVENTION_COUNT => Info::U32(1),
            HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE => Info::U32(WAVE_LANES),
            HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT => Info::U32(WAVES),
            // One flag per value of the enumeration: small and large machine model; base and full profile; default
            // rounding, rounding to zero and to nearest.
            HSA_ISA_INFO_MACHINE_MODELS => Info::Bytes(vec![0, 1]),
            HSA_ISA_INFO_PROFILES => Info::Bytes(vec![1, 0]),
            HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES
            | HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES => Info::Bytes(vec![0, 0, 1]),
            HSA_ISA_INFO_FAST_F16_OPERATION => self.info(HSA_AGENT_INFO_FAST_F16_OPERATION)?,
            HSA_ISA_INFO_WORKGROUP_MAX_DIM => self.info(HSA_AGENT_INFO_WORKGROUP_MAX_DIM)?,
            HSA_ISA_INFO_WORKGROUP_MAX_SIZE => self.info(HSA_AGENT_INFO_WORKGROUP_MAX_SIZE)?,
            HSA_ISA_INFO_GRID_MAX_DIM => self.info(HSA_AGENT_INFO_GRID_MAX_DIM)?,
            HSA_ISA_INFO_GRID_MAX_SIZE => Info::U64(u64::MAX),
            HSA_ISA_INFO_FBARRIER_MAX_SIZE => self.info(HSA_AGENT_INFO_FBARRIER_MAX_SIZE)?,
            _ => return Err(unknown("an instruction set", attribute)),
        })
    }

    /// Returns the value of `attribute`, an `hsa_amd_agent_memory_pool_info_t`, for this agent's access to a pool.
    /// Without a large BAR, the host can access device memory only through copies.
    pub(crate) fn pool_info(
        &self,
        pool: MemoryPool,
        attribute: u32,
        has_large_bar: bool,
    ) -> HsaResult<Info> {
        let is_own = pool.agent == self.index;
        let is_group = pool.kind == PoolKind::Group;
        let hops = u32::from(!is_own);
        Ok(match attribute {
            HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS => Info::U32(match (is_own, is_group) {
                (false, true) => HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED,
                (false, false) if self.emulated().is_none() && !has_large_bar => {
                    HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
                }
                (true, _) => HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT,
                (false, false) if pool.kind.is_hosts() => {
                    HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                }
                (false, false) => HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT,
            }),
            HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS => Info::U32(hops),
            HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO if is_own => Info::Bytes(Vec::new()),
            HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO => Info::Link(LinkInfo {
                min_latency: 0,
                max_latency: 0,
                min_bandwidth: 0,
                max_bandwidth: 0,
                atomic_support_32bit: true,
                atomic_support_64bit: true,
                coherent_support: true,
                link_type: HSA_AMD_LINK_INFO_TYPE_PCIE,
                numa_distance: 20,
            }),
            _ => return Err(unknown("an agent's access to a pool", attribute)),
        })
    }

    /// Returns the size in bytes of the agent's pool of the given kind.
    pub(crate) fn pool_size(&self, kind: PoolKind) -> u64 {
        match (kind, &self.kind) {
            (PoolKind::Group, AgentKind::Device { device, .. }) => {
                max_lds(device.target().isa).into()
            }
            _ => self.memory,
        }
    }
}
