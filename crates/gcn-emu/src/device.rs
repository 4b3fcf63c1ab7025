//! State shared by all waves of a run: configuration, global memory, GDS, synchronization resources and clocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gcn_isa::Isa;

use crate::gds::GDS_BYTES;
pub use crate::gds::{Gds, Gws};
pub use crate::host::{HostCalls, Monitor, SavedCalls};
use crate::memory::Memory;

/// Handling of an access outside all allocations (errata E105).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnViolation {
    /// End the run with a fault, as a driver would.
    #[default]
    Stop,
    /// Loads return 0, stores and atomics are dropped, and the wave's sticky flag is set.
    Continue,
}

/// Configuration of a device: instruction set, limits, and choices for behavior that no source specifies.
#[derive(Clone, Debug)]
pub struct Config {
    /// Instruction set.
    pub isa: Isa,
    /// Upper 32 address bits of the 4 GiB apertures of FLAT addresses (errata E088).
    pub apertures: Apertures,
    /// Handling of memory violations.
    pub on_violation: OnViolation,
    /// Maximum number of instructions per wave.
    pub limit: Option<u64>,
    /// True if DS_APPEND and DS_CONSUME on LDS add M0 to their offset, as LLVM-generated code expects (errata E051).
    pub append_adds_m0: bool,
    /// True if a negative LDS address is out of range on GCN 1.0 even if adding the offset brings it into range (errata
    /// E039).
    pub si_checks_lds_base: bool,
    /// True if dword and larger accesses ignore the two low bits of a FLAT address (errata E104).
    pub dword_alignment: bool,
    /// Size of the GDS allocation in bytes, at most 64 KiB (checklist 2.9).
    pub gds_bytes: u32,
    /// Initial contents of LDS for each workgroup (checklist 2.29).
    pub lds_fill: LdsFill,
    /// Seed for registers that are not set at wave launch. The noise also depends on the wave's position. `None`
    /// fills them with zeros.
    pub register_fill: Option<u64>,
    /// Seed for late completion. Memory operations take effect as late as the wait counters allow, and their
    /// destination registers hold noise until then, so a missing wait changes results. `None` makes operations take
    /// effect at issue.
    pub late: Option<u64>,
    /// Seed for a random order and random lengths of the turns of a workgroup's waves. `None` runs waves in order with
    /// equal turns.
    pub schedule: Option<u64>,
    /// Ticks of S_MEMREALTIME per second (errata E126).
    pub realtime_hz: u64,
    /// Number of host threads.
    pub threads: usize,
    /// True if no other run modifies memory concurrently; a single-threaded run then needs no atomic updates.
    pub exclusive: bool,
    /// Number of instructions a wave executes before another wave of its workgroup gets a turn; 0 counts as 1.
    pub quantum: u64,
}

/// Initial contents of LDS for each workgroup. Hardware does not clear it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LdsFill {
    /// Zeros.
    #[default]
    Zero,
    /// Noise derived from this seed and the workgroup ID.
    Random(u64),
}

/// Upper 32 address bits of the 4 GiB windows through which FLAT addresses reach LDS and scratch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apertures {
    /// LDS.
    pub shared: u32,
    /// Scratch.
    pub private: u32,
}

impl Default for Apertures {
    /// Returns apertures above all 48-bit addresses, and thus above all allocations.
    fn default() -> Apertures {
        Apertures {
            shared: 0x0001_0000,
            private: 0x0002_0000,
        }
    }
}

/// Default rate of S_MEMREALTIME in ticks per second. AMD documents 100 MHz for one chip and 25 MHz for another (errata
/// E126).
const REALTIME_HZ: u64 = 100_000_000;
/// Default number of instructions per turn of a wave.
const QUANTUM: u64 = 10_000;

impl Config {
    /// Creates a configuration with the defaults from part 7 of the errata, one thread and no limit.
    pub fn new(isa: Isa) -> Config {
        Config {
            isa,
            apertures: Apertures::default(),
            on_violation: OnViolation::default(),
            limit: None,
            append_adds_m0: false,
            si_checks_lds_base: true,
            dword_alignment: false,
            gds_bytes: GDS_BYTES,
            lds_fill: LdsFill::default(),
            register_fill: None,
            late: None,
            schedule: None,
            realtime_hz: REALTIME_HZ,
            threads: 1,
            exclusive: true,
            quantum: QUANTUM,
        }
    }
}

/// State shared by all waves of a run.
pub struct Device {
    /// Configuration.
    pub config: Config,
    /// Global memory.
    pub memory: Memory,
    /// Global data share.
    pub gds: Arc<Gds>,
    /// Global wave synchronization resources.
    pub gws: Gws,
    /// Flag that stops a run; shared, because a run borrows the device.
    pub interrupted: Arc<AtomicBool>,
    /// Receiver of progress reports.
    pub monitor: Option<Arc<dyn Monitor>>,
    /// Server of the waves' calls to the host, if a kernel makes any.
    pub host_calls: Option<Arc<dyn HostCalls>>,
    /// Number of dispatches started; devices that share memory share this counter.
    dispatches: Arc<AtomicU64>,
    ticks: Arc<AtomicU64>,
    started: std::time::Instant,
}

impl Device {
    /// Creates a device without allocations.
    pub fn new(config: Config) -> Device {
        let gds_bytes = config.gds_bytes;
        Device {
            config,
            memory: Memory::new(),
            gds: Arc::new(Gds::new(gds_bytes)),
            gws: Gws::new(),
            interrupted: Arc::default(),
            monitor: None,
            host_calls: None,
            dispatches: Arc::default(),
            ticks: Arc::default(),
            started: std::time::Instant::now(),
        }
    }

    /// Creates a device that shares the memory and dispatch counter of `self`.
    pub fn beside(&self, config: Config) -> Device {
        Device {
            memory: self.memory.clone(),
            dispatches: self.dispatches.clone(),
            ..Device::new(config)
        }
    }

    /// Creates a handle for runs concurrent with those of `self`. Memory, GDS, clocks and the dispatch counter are
    /// shared, and the configuration is copied. Everything else, including global wave synchronization resources, is
    /// new.
    pub fn share(&self) -> Device {
        Device {
            config: self.config.clone(),
            memory: self.memory.clone(),
            gds: self.gds.clone(),
            gws: Gws::new(),
            interrupted: Arc::default(),
            monitor: None,
            host_calls: None,
            dispatches: self.dispatches.clone(),
            ticks: self.ticks.clone(),
            started: self.started,
        }
    }

    /// Assigns the number of a new dispatch, starting at 0.
    pub(crate) fn next_dispatch(&self) -> u64 {
        self.dispatches.fetch_add(1, Relaxed)
    }

    /// Value of S_MEMTIME in shader clocks. The clock advances with every read, and exceeds the wave's instruction
    /// count.
    pub fn shader_clock(&self, executed: u64) -> u64 {
        // Device-wide monotonic counter that never lags behind the wave's own progress.
        let now = self.ticks.fetch_max(executed, Relaxed).max(executed);
        self.ticks.fetch_add(1, Relaxed).max(now) + 1
    }

    /// Number of ticks of the shader clock so far.
    pub(crate) fn ticks(&self) -> u64 {
        self.ticks.load(Relaxed)
    }

    /// Sets the shader clock back to an earlier number of ticks.
    pub(crate) fn set_ticks(&self, ticks: u64) {
        self.ticks.store(ticks, Relaxed);
    }

    /// Value of S_MEMREALTIME: constant-rate ticks since the device was created.
    pub fn reference_clock(&self) -> u64 {
        let ticks =
            self.started.elapsed().as_nanos() * u128::from(self.config.realtime_hz) / 1_000_000_000;
        ticks as u64
    }
}
