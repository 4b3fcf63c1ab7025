//! Emulated devices and their configuration.

pub(crate) mod pool;
pub(crate) mod variations;
pub(crate) mod chips;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::device::{Apertures, Config, Device as Emulated};
use gcn_emu::memory::Memory;
use gcn_emu::observe::{LastingState, Observers};
use gcn_isa::Target;

use crate::abi::owned::SpareBlocks;
use crate::error::Error;
use pool::ThreadPool;
use variations::Variations;

/// Handle to an emulated GPU; clones refer to the same device. A process may have several devices, each with its own
/// memory.
///
/// `Send` and `Sync`: threads may use it concurrently.
///
/// # Examples
/// ```
/// let device = gcn_runtime::Device::new("gfx906:xnack-")?;
/// assert_eq!((device.target().name, device.features()), ("gfx906", &["xnack-".to_owned()][..]));
/// assert!(device.threads() >= 1 && device.answers_host_calls());
/// let buffer = device.allocate("scores", 4096)?;
/// assert_eq!(buffer.len(), 4096);
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<DeviceInner>);

struct DeviceInner {
    target: &'static Target,
    code_target: &'static Target,
    /// Feature settings in the target name, such as `xnack-`.
    features: Vec<String>,
    answers_host_calls: bool,
    /// Pool of launch memory for reuse, if enabled.
    spare: Option<Arc<SpareBlocks>>,
    emulated: Emulated,
    pool: Arc<ThreadPool>,
    /// Lock that a running kernel holds on an exclusive device.
    turn: Mutex<()>,
}

/// Returns the target for a device name such as `gfx906:xnack-`.
///
/// # Errors
/// Fails like [`Device::builder`].
fn emulated_target(name: &str) -> Result<&'static Target, Error> {
    let target = Target::named(name).ok_or_else(|| Error::Target(name.to_owned()))?;
    if turns_sramecc_off(name, target) {
        return Err(Error::SrameccOff(name.to_owned()));
    }
    Ok(target)
}

/// True if a target ID disables SRAM ECC, which the emulated chip has. Code compiled without ECC may expect D16 loads to
/// preserve the other half of a register, but with ECC they do not (errata E263).
pub(crate) fn turns_sramecc_off(name: &str, emulated: &Target) -> bool {
    const OFF: &str = "sramecc-";
    !emulated.isa.d16_load_keeps_half() && name.split(':').skip(1).any(|feature| feature == OFF)
}

/// Builder for devices. By default, a device uses all host processors, and its memory is not limited.
///
/// # Examples
/// ```
/// let device = gcn_runtime::Device::builder("gfx900:xnack-")?.memory(1 << 20).threads(2).build();
/// assert!(device.allocate("too much", 2 << 20).is_err());
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeviceBuilder {
    target: &'static Target,
    features: Vec<String>,
    config: Config,
    /// Number of threads. `None` for the number of host processors, which only `build` queries, because that is slow.
    threads: Option<usize>,
    memory: u64,
    /// Device to share memory with.
    shared: Option<Device>,
    answers_host_calls: bool,
    keeps_launch_memory: bool,
    code_target: Option<&'static Target>,
}

impl DeviceBuilder {
    /// Limits the total memory of the device in bytes: allocations, scratch, and the state of resident workgroups.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::builder("gfx900")?.memory(1 << 20).build();
    /// assert_eq!(device.usage(), (0, 1 << 20));
    /// assert!(device.allocate("too much", 2 << 20).is_err());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> DeviceBuilder {
        self.memory = bytes;
        self
    }

    /// Sets the number of host threads per kernel.
    ///
    /// # Examples
    /// ```
    /// let options = gcn_runtime::Device::builder("gfx900")?;
    /// assert_eq!(options.clone().threads(3).build().threads(), 3);
    /// assert_eq!(options.threads(0).build().threads(), 1, "a kernel needs a thread");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: usize) -> DeviceBuilder {
        self.threads = Some(threads.max(1));
        self
    }

    /// Sets the number of instructions after which a wave stops with a fault.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::Device;
    /// let device = Device::builder("gfx900")?.instruction_limit(3).build();
    /// let kernel = device.load(&example::add_one())?.kernel("add_one")?;
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let error = kernel.launch([1, 1, 1]).arg(&xs).run(&device.queue()).unwrap_err();
    /// assert_eq!(error.name(), "instruction-limit");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn instruction_limit(mut self, instructions: u64) -> DeviceBuilder {
        self.config.limit = Some(instructions);
        self
    }

    /// Promises that the host does not modify memory while a kernel runs, and serializes the kernels of all queues.
    /// Atomics of kernels on a single thread become faster. Kernels in two queues that wait for each other deadlock.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::Device;
    /// let device = Device::builder("gfx900")?.threads(1).exclusive().build();
    /// let kernel = device.load(&example::add_one())?.kernel("add_one")?;
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let queues = [device.queue(), device.queue()];
    /// for queue in &queues {
    ///     kernel.launch([1, 1, 1]).arg(&xs).submit(queue)?;
    /// }
    /// queues.iter().try_for_each(|queue| queue.finish())?;
    /// assert_eq!(xs.read::<u32>()?, [3]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn exclusive(mut self) -> DeviceBuilder {
        self.config.exclusive = true;
        self
    }

    /// Shares the memory and memory limit of another device. Addresses are then valid on both, as between peer devices.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::Device;
    /// let one = Device::new("gfx906")?;
    /// let other = Device::builder("gfx900")?.memory_of(&one).build();
    /// let xs = one.buffer("xs", &[1u32])?;
    /// let mut bytes = [0; 4];
    /// assert!(other.memory().read(xs.address(), &mut bytes) && bytes == [1, 0, 0, 0]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn memory_of(mut self, other: &Device) -> DeviceBuilder {
        self.shared = Some(other.clone());
        self
    }

    /// Leaves host calls of kernels (HIP's `printf`, `malloc`) to the caller. Launches do not allocate a host call buffer,
    /// and keep the caller's hidden arguments for the buffer and the heap.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::builder("gfx900")?.without_host_calls().build();
    /// assert!(!device.answers_host_calls());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn without_host_calls(mut self) -> DeviceBuilder {
        self.answers_host_calls = false;
        self
    }

    /// Reuses launch memory other than buffers (argument segments, packets) instead of freeing it. Launches are faster,
    /// but a stale pointer to such memory may access that of another launch.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::builder("gfx900")?.keeping_launch_memory().build();
    /// let before = device.usage();
    /// assert_eq!(before.0, 0, "nothing is kept before the first launch");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn keeping_launch_memory(mut self) -> DeviceBuilder {
        self.keeps_launch_memory = true;
        self
    }

    /// Loads code for this target instead of the device's own, but executes it as the device's chip does, like
    /// `HSA_OVERRIDE_GFX_VERSION` on real machines.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::Device;
    /// let gfx900 = Device::new("gfx900")?.target();
    /// let device = Device::builder("gfx906")?.code_target(gfx900).build();
    /// assert_eq!((device.target().name, device.code_target().name), ("gfx906", "gfx900"));
    /// device.load(&example::add_one())?; // for gfx900
    /// assert!(Device::new("gfx906")?.load(&example::add_one()).is_err());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn code_target(mut self, target: &'static Target) -> DeviceBuilder {
        self.code_target = Some(target);
        self
    }

    /// Adjusts limits and unspecified behaviour: see [`Config`]. To set the number of threads, use
    /// [`DeviceBuilder::threads`] instead.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::Device;
    /// let options = Device::builder("gfx900")?;
    /// let device = options.configure(|config| config.apertures.shared = 0x0003_0000).build();
    /// assert_eq!(device.apertures().shared, 0x0003_0000);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn configure(mut self, change: impl FnOnce(&mut Config)) -> DeviceBuilder {
        change(&mut self.config);
        self
    }

    /// Varies execution in ways that hardware also permits. A variation of `None` keeps the configured setting.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::{Device, Variations};
    /// let variations = Variations { late: Some(1), schedule: Some(2), ..Variations::default() };
    /// let device = Device::builder("gfx900")?.vary(&variations).build();
    /// let kernel = device.load(&example::add_one())?.kernel("add_one")?;
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// kernel.launch([64, 1, 1]).arg(&xs).run(&device.queue())?;
    /// assert_eq!(xs.read::<u32>()?, [2; 64], "the kernel has all its waits");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn vary(self, variations: &Variations) -> DeviceBuilder {
        self.configure(|config| variations.apply(config))
    }

    /// Creates the device.
    ///
    /// # Examples
    /// ```
    /// let options = gcn_runtime::Device::builder("gfx900")?.memory(4096);
    /// let (one, other) = (options.clone().build(), options.build());
    /// let _page = one.allocate("a page", 4096)?;
    /// assert_eq!((one.usage().0, other.usage().0), (4096, 0), "two devices");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn build(self) -> Device {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let mut config = self.config;
        config.threads = self.threads.unwrap_or_else(all);
        let emulated = match self.shared {
            Some(other) => other.emulated().beside(config),
            None => {
                let emulated = Emulated::new(config);
                emulated.memory.set_limit(self.memory);
                emulated
            }
        };
        Device(Arc::new(DeviceInner {
            target: self.target,
            code_target: self.code_target.unwrap_or(self.target),
            features: self.features,
            answers_host_calls: self.answers_host_calls,
            spare: self
                .keeps_launch_memory
                .then(|| Arc::new(SpareBlocks::new(&emulated.memory))),
            emulated,
            pool: ThreadPool::new(),
            turn: Mutex::new(()),
        }))
    }
}

impl Device {
    /// Creates a device for a target, such as `gfx900`, `gfx906:xnack-` or the name of a chip.
    ///
    /// # Errors
    /// Fails like [`Device::builder`].
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Device, Error};
    /// assert_eq!(Device::new("gfx900")?.target().name, "gfx900");
    /// assert!(matches!(Device::new("gfx1030"), Err(Error::Target(name)) if name == "gfx1030"));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn new(target: &str) -> Result<Device, Error> {
        Ok(Device::builder(target)?.build())
    }

    /// Returns a builder for a device of the named target.
    ///
    /// # Errors
    /// Returns [`Error::Target`] if the target is unknown, or [`Error::SrameccOff`] if the name disables SRAM ECC,
    /// which is enabled on the emulated chip.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::builder("gfx906:sramecc+:xnack-")?.threads(2).build();
    /// assert_eq!(device.features(), ["sramecc+", "xnack-"]);
    /// assert_eq!(device.threads(), 2);
    /// let without_ecc = gcn_runtime::Device::builder("gfx906:sramecc-");
    /// assert!(matches!(without_ecc, Err(gcn_runtime::Error::SrameccOff(_))));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn builder(target: &str) -> Result<DeviceBuilder, Error> {
        let named = emulated_target(target)?;
        let mut config = Config::new(named.isa);
        config.exclusive = false;
        Ok(DeviceBuilder {
            target: named,
            features: target.split(':').skip(1).map(str::to_owned).collect(),
            config,
            threads: None,
            memory: u64::MAX,
            shared: None,
            answers_host_calls: true,
            keeps_launch_memory: false,
            code_target: None,
        })
    }

    /// Returns the target of the device.
    pub fn target(&self) -> &'static Target {
        self.0.target
    }

    /// Returns the target whose code the device loads: its own, unless set by [`DeviceBuilder::code_target`].
    pub fn code_target(&self) -> &'static Target {
        self.0.code_target
    }

    /// Returns the feature settings in the target name, such as `xnack-`.
    pub fn features(&self) -> &[String] {
        &self.0.features
    }

    /// Returns the number of host threads per kernel.
    pub fn threads(&self) -> usize {
        self.0.emulated.config.threads
    }

    /// True if the runtime serves host calls; false after [`DeviceBuilder::without_host_calls`].
    pub fn answers_host_calls(&self) -> bool {
        self.0.answers_host_calls
    }

    /// Returns the pool of launch memory for reuse, if enabled.
    pub(crate) fn spare_blocks(&self) -> Option<&Arc<SpareBlocks>> {
        self.0.spare.as_ref()
    }

    /// Returns the memory in use, in whole pages, and the memory limit, in bytes.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::builder("gfx900")?.memory(1 << 20).build();
    /// let buffer = device.allocate("a page", 4096)?;
    /// assert_eq!(device.usage(), (4096, 1 << 20));
    /// drop(buffer);
    /// assert_eq!(device.usage(), (0, 1 << 20));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn usage(&self) -> (u64, u64) {
        self.memory().usage()
    }

    /// True if addresses are reproducible between program runs, because the usual address range was available.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let address = device.allocate("first", 4)?.address();
    /// assert_eq!(device.has_usual_addresses(), address == 0x1_0000_0000);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn has_usual_addresses(&self) -> bool {
        self.memory().is_at_usual_address()
    }

    /// Sets the observers of allocations, frees and host writes, replacing previous ones.
    ///
    /// # Examples
    /// ```
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// device.observe(&gcn_runtime::observe::Observers::none());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn observe(&self, observers: &Observers) {
        self.memory().observe(observers.clone());
    }

    /// Returns the guest memory.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let xs = device.buffer("xs", &[1u32, 2])?;
    /// assert_eq!(device.memory().load_u32(xs.address() + 4), Some(2));
    /// assert_eq!(device.memory().allocations()[0].name.to_string(), "xs");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn memory(&self) -> &Memory {
        &self.0.emulated.memory
    }

    /// Returns the state that outlives a launch, except the contents of memory: GDS, the shader clock, and the address from
    /// which scratch is allocated. A launch that is repeated needs it.
    ///
    /// # Examples
    /// ```
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// let state = device.lasting_state();
    /// // After some launches:
    /// device.restore(&state);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn lasting_state(&self) -> LastingState {
        LastingState::save(&self.0.emulated)
    }

    /// Restores the state of this device that [`Device::lasting_state`] returned.
    pub fn restore(&self, state: &LastingState) {
        state.restore(&self.0.emulated);
    }

    /// Returns the high dwords of the FLAT aperture bases, for queue structures in memory.
    ///
    /// # Examples
    /// ```
    /// let apertures = gcn_runtime::Device::new("gfx900")?.apertures();
    /// assert_ne!(apertures.shared, apertures.private, "LDS and scratch have separate apertures");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn apertures(&self) -> Apertures {
        self.0.emulated.config.apertures
    }

    /// True if both handles refer to the same device.
    pub(crate) fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the underlying `gcn-emu` device. Each queue has its own view of it.
    pub(crate) fn emulated(&self) -> &Emulated {
        &self.0.emulated
    }

    pub(crate) fn pool(&self) -> &Arc<ThreadPool> {
        &self.0.pool
    }

    /// Locks an exclusive device for a kernel. Returns `None` if the device is not exclusive.
    pub(crate) fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        let is_exclusive = self.0.emulated.config.exclusive;
        is_exclusive.then(|| self.0.turn.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Device").field(&self.0.target.name).finish()
    }
}
