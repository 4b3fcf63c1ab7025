//! State that all waves of a run share: configuration, global memory, GDS, synchronisation resources, clocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gcn_isa::Isa;

use crate::gds::GDS_BYTES;
pub use crate::gds::{Gds, Gws};
pub use crate::host::{HostCalls, Monitor};
use crate::memory::Memory;

/// Treatment of an access that no allocation covers (errata E105).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnViolation {
    /// End the run with a fault, as a driver would.
    #[default]
    Stop,
    /// Loads give 0, stores are dropped, atomics are not done; the wave's sticky flag is set.
    Continue,
}

/// Choices that no source settles, and limits.
#[derive(Clone, Debug)]
pub struct Config {
    /// Instruction set.
    pub isa: Isa,
    /// Upper halves of the 4 GiB apertures of FLAT addresses (errata E088).
    pub apertures: Apertures,
    /// Treatment of violations.
    pub on_violation: OnViolation,
    /// Instructions after which a wave is stopped.
    pub limit: Option<u64>,
    /// True if DS_APPEND and DS_CONSUME on LDS add M0 to their offset, as LLVM's code expects (errata E051).
    pub append_adds_m0: bool,
    /// True if a negative LDS address is out of range on GCN 1.0 even if the sum with the offset is not (errata E039).
    pub si_checks_lds_base: bool,
    /// True if accesses of a dword or more ignore the two low bits of a FLAT address (errata E104).
    pub dword_alignment: bool,
    /// Bytes of GDS that dispatches have, 64 KiB at most (checklist 2.9).
    pub gds_bytes: u32,
    /// Contents of LDS before a workgroup starts (checklist 2.29).
    pub lds_fill: LdsFill,
    /// Contents of a wave's registers that nothing sets before it starts: zeros, or noise from this seed and the wave's place.
    pub register_fill: Option<u64>,
    /// Memory operations take effect as late as the wait counters allow, and the registers that they will write hold noise from
    /// this seed until then: a missing wait changes results. Nothing: they take effect at issue.
    pub late: Option<u64>,
    /// The waves of a workgroup have their turns in an order, and of lengths, that are drawn from this seed. Nothing: in their
    /// own order, each as long as the others.
    pub schedule: Option<u64>,
    /// Ticks of S_MEMREALTIME per second (errata E126).
    pub realtime_hz: u64,
    /// Host threads.
    pub threads: usize,
    /// True if nothing but one run at a time changes memory: then a run of one thread need not change it indivisibly.
    pub exclusive: bool,
    /// Instructions that a wave executes before another wave of its workgroup has its turn.
    pub quantum: u64,
}

/// Contents of LDS before a workgroup starts. Hardware does not clear it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LdsFill {
    /// Zeros.
    #[default]
    Zero,
    /// Noise from this seed and the workgroup's number.
    Random(u64),
}

/// The 4 GiB windows that FLAT addresses reach LDS and scratch through, by the upper half of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apertures {
    /// LDS.
    pub shared: u32,
    /// Scratch.
    pub private: u32,
}

impl Default for Apertures {
    /// Beyond every 48-bit address that an allocation can have.
    fn default() -> Apertures {
        Apertures {
            shared: 0x0001_0000,
            private: 0x0002_0000,
        }
    }
}

/// Ticks of S_MEMREALTIME per second unless configured: AMD documents 100 MHz for one part, 25 for another (errata E126).
const REALTIME_HZ: u64 = 100_000_000;
/// Instructions that a wave executes in one turn unless configured.
const QUANTUM: u64 = 10_000;

impl Config {
    /// The choices of the errata's part 7, one thread, no limit.
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

/// State that all waves of a run share.
pub struct Device {
    /// Choices and limits.
    pub config: Config,
    /// Global memory.
    pub memory: Memory,
    /// Global data share.
    pub gds: Arc<Gds>,
    /// Global wave synchronisation resources.
    pub gws: Gws,
    /// Set to stop a run from outside; shared, since a run borrows the device.
    pub interrupted: Arc<AtomicBool>,
    /// Learns how far a run is.
    pub monitor: Option<Arc<dyn Monitor>>,
    /// Answers the waves' calls to the host, where a kernel makes any.
    pub host_calls: Option<Arc<dyn HostCalls>>,
    /// Dispatches that it has run, or runs; devices that share memory count them together.
    dispatches: Arc<AtomicU64>,
    ticks: Arc<AtomicU64>,
    started: std::time::Instant,
}

impl Device {
    /// A device with no memory allocated.
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

    /// Another device with the memory of `self`, whose dispatches are counted together with those of `self`.
    pub fn beside(&self, config: Config) -> Device {
        Device {
            memory: self.memory.clone(),
            dispatches: self.dispatches.clone(),
            ..Device::new(config)
        }
    }

    /// The same device for runs beside those of `self`: memory, GDS and clocks are shared. The rest is its own, global wave
    /// synchronisation resources included.
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

    /// The number of a dispatch that begins, from 0 on.
    pub(crate) fn next_dispatch(&self) -> u64 {
        self.dispatches.fetch_add(1, Relaxed)
    }

    /// S_MEMTIME: shader clocks; it goes on with every instruction of a wave and with every reading.
    pub fn shader_clock(&self, executed: u64) -> u64 {
        // A monotonic counter for the whole device, never behind the wave's own progress.
        let now = self.ticks.fetch_max(executed, Relaxed).max(executed);
        self.ticks.fetch_add(1, Relaxed).max(now) + 1
    }

    /// S_MEMREALTIME: ticks of constant frequency since the device came to be.
    pub fn reference_clock(&self) -> u64 {
        let ticks =
            self.started.elapsed().as_nanos() * u128::from(self.config.realtime_hz) / 1_000_000_000;
        ticks as u64
    }
}
