//! Agents: the host's processor, and a device for each target.

use gcn_runtime::hsa::max_lds;
use gcn_runtime::{Chip, Device};

use crate::abi::{Handle, HdpFlush, LinkInfo};

use crate::clock::TICKS_PER_SECOND;
use crate::info::Info;
use crate::pools::{MemoryPool, POOL_KINDS, PoolKind};
use crate::status::{HsaResult, Status};

/// Handles of agents count from here, so that other numbers are none.
const FIRST_HANDLE: Handle = 0x4743_4e00_0001;
/// Handles of instruction sets are those of their agents and this.
const ISA: Handle = 1 << 16;

/// Bytes of a cache line.
const LINE: u32 = 64;
/// KiB of a compute unit's first cache.
const L1: u32 = 16;
/// The size of the first cache of data of the host's first core, as `48K`.
const HOST_L1: &str = "/sys/devices/system/cpu/cpu0/cache/index0/size";
/// Most packets of a queue.
pub(crate) const MAX_QUEUE: u32 = 1 << 17;
/// Least packets of a queue.
pub(crate) const MIN_QUEUE: u32 = 64;
/// Queues that an agent may have.
const MAX_QUEUES: u32 = 128;
/// Work-items of a workgroup at most.
const MAX_GROUP: u32 = 1024;
/// Waves of a compute unit at most.
const WAVES: u32 = 40;
const SIMDS: u32 = 4;
const WAVE_LANES: u32 = 64;

/// The extension of images.
const IMAGES: u32 = 1;
/// First and last of the attributes of images, `hsa_ext_agent_info_t`.
const IMAGE_1D: u32 = 0x3000;
const IMAGE_PITCH_ALIGNMENT: u32 = 0x300c;
/// Values: elements by dimension (of 1D, arrays, buffers, 2D, arrays, depth, arrays of depth, 3D), layers, images that are
/// read, images that are written, samplers, alignment of rows.
const IMAGE_LIMITS: [&[u32]; 13] = [
    &[16384],
    &[16384],
    &[1 << 27],
    &[16384, 16384],
    &[16384, 16384],
    &[16384, 16384],
    &[16384, 16384],
    &[16384, 16384, 8192],
    &[8192],
    &[128],
    &[64],
    &[16],
    &[256],
];

/// The UUID of a device, by its number among all.
pub(crate) fn uuid(number: usize) -> String {
    format!("GPU-{:016x}", 0x6763_6e00 + number)
}

/// End of the names of processors that stand for several.
const GENERIC: &str = "-generic";

/// The features that a chip may have on or off, and the setting of a device.
fn features(device: &Device, chip: &Chip) -> impl Iterator<Item = (&'static str, bool)> {
    let is_on = |feature: &str| {
        let on = format!("{feature}+");
        device.features().contains(&on)
    };
    let names = chip.features.iter();
    names.map(move |feature| (*feature, is_on(feature)))
}

/// An agent.
#[derive(Debug)]
pub(crate) struct Agent {
    index: usize,
    pub(crate) kind: AgentKind,
    /// Bytes of its memory.
    pub(crate) memory: u64,
}

#[derive(Debug)]
pub(crate) enum AgentKind {
    Host {
        name: String,
        threads: u32,
        mhz: u32,
        /// KiB of a core's first cache of data.
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

    /// The agent of a device, whose number among all devices is `number`, whether programs see them or not.
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

    /// The position among all agents that a handle denotes.
    pub(crate) fn index_of(handle: Handle) -> Option<usize> {
        usize::try_from(handle.checked_sub(FIRST_HANDLE)?).ok()
    }

    /// The position of the agent of an instruction set.
    pub(crate) fn index_of_isa(isa: Handle) -> Option<usize> {
        Agent::index_of(isa.checked_sub(ISA)?)
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The emulated device, if it is none of the host's.
    pub(crate) fn emulated(&self) -> Option<&Device> {
        match &self.kind {
            AgentKind::Host { .. } => None,
            AgentKind::Device { device, .. } => Some(device),
        }
    }

    /// The handle of its instruction set, of which the host's processor has none.
    pub(crate) fn isa(&self) -> Option<Handle> {
        self.emulated().map(|_| self.handle() + ISA)
    }

    /// The name of its instruction set with features, such as `amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-`.
    pub(crate) fn isa_name(&self) -> String {
        let AgentKind::Device { device, chip, .. } = &self.kind else {
            return String::new();
        };
        let mut name = format!("amdgcn-amd-amdhsa--{}", device.target().name);
        for (feature, is_on) in features(device, chip) {
            name.push(':');
            name.push_str(feature);
            name.push(if is_on { '+' } else { '-' });
        }
        name
    }

    /// True if it runs code for a processor with features, such as `gfx906:xnack-`. As with AMD's loader, code for another
    /// processor is not run, even if that has the same instructions, nor code for another setting of a feature; generic
    /// processors, and objects that name none, are the emulated device's matter.
    pub(crate) fn runs(&self, id: &str) -> bool {
        let AgentKind::Device { device, chip, .. } = &self.kind else {
            return false;
        };
        let mut parts = id.split(':');
        let processor = parts.next().unwrap_or_default();
        let is_own = processor == device.target().name;
        let is_open = processor.is_empty() || processor.ends_with(GENERIC);
        let own: Vec<_> = features(device, chip).collect();
        (is_own || is_open)
            && parts.all(|part| {
                let has = |(feature, is_on): &(&str, bool)| {
                    part.strip_prefix(feature) == Some(if *is_on { "+" } else { "-" })
                };
                own.iter().any(has)
            })
    }

    /// The pools of its memory.
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

    /// The value of an `hsa_agent_info_t` or `hsa_amd_agent_info_t`.
    pub(crate) fn info(&self, attribute: u32) -> HsaResult<Info> {
        let of_device = |value: u32| self.number_of(0, |_, _| value);
        Ok(match attribute {
            0 => Info::Text(self.name(), 64),
            1 => Info::Text(self.number_of("CPU", |_, _| "AMD").to_owned(), 64),
            // Feature: kernel dispatches.
            2 => Info::U32(of_device(1)),
            // Machine model: large.
            3 => Info::U32(1),
            // Profile: the host's processor is of the full one, a discrete device of the base one.
            4 => Info::U32(self.number_of(1, |_, _| 0)),
            // Rounding: to nearest.
            5 => Info::U32(2),
            23 => Info::U32(of_device(2)),
            // Fast operations of 16 bits.
            24 => Info::Bool(self.number_of(false, |device, _| device.target().version().0 >= 8)),
            6 => Info::U32(of_device(WAVE_LANES)),
            7 => Info::U16s(vec![of_device(MAX_GROUP) as u16; 3]),
            8 => Info::U32(of_device(MAX_GROUP)),
            9 => Info::U32s(vec![of_device(u32::MAX); 3]),
            10 => Info::U32(of_device(u32::MAX)),
            11 => Info::U32(of_device(32)),
            12 => Info::U32(of_device(MAX_QUEUES)),
            13 => Info::U32(of_device(MIN_QUEUE)),
            14 => Info::U32(of_device(MAX_QUEUE)),
            // Queue type: several producers.
            15 => Info::U32(0),
            16 | 0xa004 => Info::U32(self.index as u32),
            // Type: CPU or GPU.
            17 => Info::U32(of_device(1)),
            18 => {
                let bytes = |level| self.cache(level).map_or(0, |kibibytes| kibibytes << 10);
                Info::U32s((1..=4).map(bytes).collect())
            }
            19 => Info::U64(self.isa().unwrap_or(0)),
            // Extensions: a bit for each. HIP allocates pitched memory only on a device that says it has images (hipMallocPitch
            // of HIP 5.2), so that these do; what makes an image returns an error (`api/refused.rs`).
            20 => {
                let mut extensions = vec![0; 128];
                extensions[0] = of_device(1 << IMAGES) as u8;
                Info::Bytes(extensions)
            }
            IMAGE_1D..=IMAGE_PITCH_ALIGNMENT => {
                let limit = IMAGE_LIMITS[(attribute - IMAGE_1D) as usize];
                let count = limit.iter().map(|value| of_device(*value)).collect();
                Info::U32s(count)
            }
            21 => Info::U16(1),
            22 => Info::U16(1),
            0xa000 => Info::U32(self.number_of(0, |_, chip| chip.device)),
            0xa001 => Info::U32(LINE),
            0xa002 | 0xa014 => Info::U32(match &self.kind {
                AgentKind::Host { threads, .. } => *threads,
                AgentKind::Device { chip, .. } => chip.compute_units,
            }),
            0xa003 => Info::U32(match &self.kind {
                AgentKind::Host { mhz, .. } => *mhz,
                AgentKind::Device { chip, .. } => chip.max_mhz,
            }),
            // Watch points of addresses.
            0xa005 => Info::U32(self.number_of(1, |_, _| 4)),
            // Bus, device and function.
            0xa006 => Info::U32(of_device((self.index as u32) << 8)),
            0xa007 => Info::U32(self.number_of(0, |_, chip| chip.memory_width)),
            0xa008 => Info::U32(self.number_of(0, |_, chip| chip.memory_mhz)),
            0xa009 => Info::Text(self.product(), 64),
            0xa00a => Info::U32(of_device(WAVES)),
            0xa00b => Info::U32(of_device(SIMDS)),
            0xa00c => Info::U32(self.number_of(0, |_, chip| chip.shader_engines)),
            0xa00d => Info::U32(of_device(1)),
            // Memory is the host's: nothing has to be flushed.
            0xa00e => Info::Flush(HdpFlush {
                mem_flush_cntl: 0,
                reg_flush_cntl: 0,
            }),
            0xa00f => Info::U32(0),
            0xa010 => Info::Bool(self.emulated().is_some()),
            0xa011 => Info::Text(
                match &self.kind {
                    AgentKind::Host { .. } => "CPU-XX".to_owned(),
                    AgentKind::Device { uuid, .. } => uuid.clone(),
                },
                21,
            ),
            0xa012 => Info::U32(1),
            0xa013 => Info::Bool(false),
            0xa016 => Info::U64(TICKS_PER_SECOND),
            0xa107 => Info::U32(self.number_of(0, |_, chip| chip.family)),
            // Versions of firmware: there is none.
            0xa108 | 0xa109 => Info::U32(0),
            // Copy engines, and those for copies between devices.
            0xa10a => Info::U32(of_device(1)),
            0xa10b => Info::U32(0),
            // IOMMU: none.
            0xa110 => Info::U32(0),
            // Dies.
            0xa111 => Info::U32(of_device(1)),
            0xa112 => Info::U32(self.index as u32),
            0xa113 => Info::U64(FIRST_HANDLE),
            // Properties of the memory and extensions of AQL: none.
            0xa114 | 0xa115 => Info::Bytes(vec![0; 8]),
            _ => return Err(Status::INVALID_ARGUMENT),
        })
    }

    /// KiB of a level of its caches; `None` if it has none, or Linux does not say it.
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
            AgentKind::Device { device, .. } => device.target().name.to_owned(),
        }
    }

    fn product(&self) -> String {
        match &self.kind {
            AgentKind::Host { name, .. } => name.clone(),
            AgentKind::Device { chip, .. } => format!("{} (emulated)", chip.product),
        }
    }

    /// The value of an `hsa_isa_info_t` of its instruction set.
    pub(crate) fn isa_info(&self, attribute: u32) -> HsaResult<Info> {
        let name = self.isa_name();
        Ok(match attribute {
            0 => Info::U32(name.len() as u32 + 1),
            1 => Info::Name(name),
            // One call convention, its wave, and waves of a compute unit.
            2 => Info::U32(1),
            3 => Info::U32(WAVE_LANES),
            4 => Info::U32(WAVES),
            // The large machine model, the base profile.
            5 => Info::Bytes(vec![0, 1]),
            6 => Info::Bytes(vec![1, 0]),
            // Rounding: default, to zero, to nearest.
            7 | 8 => Info::Bytes(vec![0, 0, 1]),
            9 => self.info(24)?,
            12 => self.info(7)?,
            13 => self.info(8)?,
            14 => self.info(9)?,
            16 => Info::U64(u64::MAX),
            17 => self.info(11)?,
            _ => return Err(Status::INVALID_ARGUMENT),
        })
    }

    /// The value of an `hsa_amd_agent_memory_pool_info_t`: this agent's access to a pool. Without a large BAR the host accesses
    /// memory of devices by copies only.
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
            // Never, by default, or when it is allowed.
            0 => Info::U32(match (is_own, is_group) {
                (false, true) => 0,
                (false, false) if self.emulated().is_none() && !has_large_bar => 0,
                (true, _) => 1,
                (false, false) if pool.kind.is_hosts() => 1,
                (false, false) => 2,
            }),
            1 => Info::U32(hops),
            // The link of each hop: PCI Express.
            2 if is_own => Info::Bytes(Vec::new()),
            2 => Info::Link(LinkInfo {
                min_latency: 0,
                max_latency: 0,
                min_bandwidth: 0,
                max_bandwidth: 0,
                atomic_support_32bit: true,
                atomic_support_64bit: true,
                coherent_support: true,
                link_type: 2,
                numa_distance: 20,
            }),
            _ => return Err(Status::INVALID_ARGUMENT),
        })
    }

    /// Bytes of a pool of this agent.
    pub(crate) fn pool_size(&self, kind: PoolKind) -> u64 {
        match (kind, &self.kind) {
            (PoolKind::Group, AgentKind::Device { device, .. }) => {
                max_lds(device.target().isa).into()
            }
            _ => self.memory,
        }
    }
}
