//! Builder for kernel launches.
//!
//! A [`Launch`] combines a kernel, sizes, arguments (or an argument segment) and options: signals to wait for, an
//! instruction limit, a stop flag, progress counters, observers. [`Launch::problems`] lists its errors. A submitted
//! launch is prepared only when it starts, so a long queue uses little memory. A [`PreparedLaunch`] gives access to notes
//! and decoded code, and may be submitted several times.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gcn_emu::device::{Device as Emulated, HostCalls};
use gcn_emu::observe::Observers;
use gcn_emu::run::Restricted;

use crate::abi::hsa::{LaunchError, LaunchShape, Packet, PlacedBytes, beyond_compiled};
use crate::argument::Argument;
use crate::argument::place;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::prepared::PreparedLaunch;
use crate::prepared::{ArgumentSegment, PlacedLaunch, Submission};
use crate::progress::Progress;
use crate::queue::Queue;
use crate::signal::{CommandResult, Signal};

/// Default workgroup size in work-items: one wave.
const DEFAULT_GROUP: u32 = 64;

impl Kernel {
    /// Creates a launch of `grid` work-items in x, y and z. By default, workgroups have the size that the kernel requires,
    /// or else up to 64 work-items in x.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let completion = kernel.launch([64, 1, 1]).arg(&xs).run(&device.queue())?;
    /// assert_eq!((completion.stats.groups, completion.stats.waves), (1, 1));
    /// let shape = kernel.launch([1000, 2, 1]).arg(&xs).prepare()?.shape();
    /// assert_eq!((shape.grid, shape.group), ([1000, 2, 1], [64, 1, 1]));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn launch(&self, grid: [u32; 3]) -> Launch {
        let metadata = self.description().metadata.as_ref();
        let required = metadata.and_then(|metadata| metadata.reqd_workgroup_size);
        let required = required.map(|size| size.map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
        let most = metadata
            .and_then(|metadata| metadata.max_flat_workgroup_size)
            .and_then(|most| u32::try_from(most).ok())
            .filter(|most| *most != 0)
            .unwrap_or(DEFAULT_GROUP);
        let usual = [DEFAULT_GROUP.min(grid[0]).min(most), 1, 1];
        Launch {
            kernel: self.clone(),
            shape: LaunchShape {
                grid,
                group: required.unwrap_or(usual),
                dimensions: 1,
                offset: [0; 3],
                dynamic_lds: 0,
                stack: None,
            },
            arguments: Vec::new(),
            segment: None,
            threads: None,
            restricted: Vec::new(),
            acquires: true,
            submission: Submission::default(),
        }
    }
}

/// Builder for a kernel launch.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// # let xs = device.buffer("xs", &[1u32; 64])?;
/// let done = kernel.launch([64, 1, 1]).group([16, 1, 1]).arg(&xs).submit(&device.queue())?;
/// assert_eq!(done.wait()?.stats.groups, 4);
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a launch does nothing until it is submitted"]
pub struct Launch {
    kernel: Kernel,
    shape: LaunchShape,
    arguments: Vec<Argument>,
    segment: Option<ArgumentSegment>,
    threads: Option<usize>,
    restricted: Vec<Restricted>,
    acquires: bool,
    submission: Submission,
}

impl Launch {
    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Sets the workgroup size in x, y and z.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let completion = kernel.launch([64, 4, 1]).group([64, 2, 1]).arg(&xs).run(&device.queue())?;
    /// assert_eq!((completion.stats.groups, completion.stats.waves), (2, 4));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn group(mut self, group: [u32; 3]) -> Launch {
        self.shape.group = group;
        self
    }

    /// Sets OpenCL's global work offset.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let prepared = kernel.launch([64, 1, 1]).offset([1000, 0, 0]).prepare()?;
    /// assert_eq!(prepared.shape().offset, [1000, 0, 0]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn offset(mut self, offset: [u64; 3]) -> Launch {
        self.shape.offset = offset;
        self
    }

    /// Sets the minimum number of dimensions reported to the kernel, 1 to 3.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let prepared = kernel.launch([64, 1, 1]).dimensions(2).prepare()?;
    /// assert_eq!(prepared.shape().dimensions, 2);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn dimensions(mut self, dimensions: u16) -> Launch {
        self.shape.dimensions = dimensions;
        self
    }

    /// Adds bytes to the dynamic LDS per workgroup.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let launch = kernel.launch([64, 1, 1]).dynamic_lds(1024).dynamic_lds(512);
    /// assert!(launch.problems().is_empty());
    /// assert_eq!(launch.clone().prepare()?.shape().dynamic_lds, 1536);
    /// let error = &launch.dynamic_lds(64 << 10).problems()[0];
    /// assert!(error.to_string().contains("65536"), "{error}");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn dynamic_lds(mut self, bytes: u32) -> Launch {
        self.shape.dynamic_lds = self.shape.dynamic_lds.saturating_add(bytes);
        self
    }

    /// Sets the stack size per lane in bytes, in addition to the kernel's fixed scratch.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let launch = kernel.launch([64, 1, 1]);
    /// assert_eq!(launch.scratch_bytes_per_thread()?, 0);
    /// assert!(launch.stack(256).scratch_bytes_per_thread()? >= 64 * 256, "a wave has 64 lanes");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn stack(mut self, bytes: u32) -> Launch {
        self.shape.stack = Some(bytes);
        self
    }

    /// Appends an argument.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::scale_kernel();
    /// let xs = device.buffer("xs", &[1u32, 2])?;
    /// kernel.launch([2, 1, 1]).arg(&xs).arg(10u32).run(&device.queue())?;
    /// assert_eq!(xs.read::<u32>()?, [10, 20]);
    /// let error = kernel.launch([2, 1, 1]).arg(&xs).run(&device.queue()).unwrap_err();
    /// assert_eq!(error.to_string(), "scale takes 2 arguments, not 1");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn arg(mut self, argument: impl Into<Argument>) -> Launch {
        self.arguments.push(argument.into());
        self
    }

    /// Sets the initial bytes of the argument segment, instead of passing individual arguments.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let segment = xs.address().to_le_bytes().to_vec();
    /// kernel.launch([1, 1, 1]).raw_arguments(segment).submit(&device.queue())?.wait()?;
    /// assert_eq!(xs.read::<u32>()?, [2]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn raw_arguments(self, bytes: Vec<u8>) -> Launch {
        self.placed(vec![PlacedBytes { offset: 0, bytes }])
    }

    /// Sets bytes at given offsets in the argument segment, instead of passing individual arguments. The caller must
    /// keep referenced buffers alive until the launch has ended.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::scale_kernel();
    /// use gcn_runtime::hsa::PlacedBytes;
    /// let xs = device.buffer("xs", &[1u32, 2])?;
    /// let bytes = [xs.address(), 10].map(u64::to_le_bytes).concat();
    /// kernel.launch([2, 1, 1]).placed(vec![PlacedBytes { offset: 0, bytes }]).run(&device.queue())?;
    /// assert_eq!(xs.read::<u32>()?, [10, 20]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn placed(mut self, segment: Vec<PlacedBytes>) -> Launch {
        self.segment = Some(ArgumentSegment::Placed(segment));
        self
    }

    /// Sets the address of an argument segment in device memory or registered host memory, instead of passing
    /// individual arguments. The caller must initialize it, including hidden arguments, keep it alive until the launch
    /// has ended, and serve `printf` and host calls, because the runtime does not write to the segment.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let segment = device.buffer("segment", &[xs.address()])?;
    /// kernel.launch([1, 1, 1]).arguments_at(segment.address()).submit(&device.queue())?.wait()?;
    /// assert_eq!(xs.read::<u32>()?, [2]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn arguments_at(mut self, address: u64) -> Launch {
        self.segment = Some(ArgumentSegment::At(address));
        self
    }

    /// Passes the kernel the caller's dispatch packet, queue and argument segment, which the runtime does not modify: see
    /// [`Launch::arguments_at`]. Grid and workgroup sizes are those of the launch, not those in the packet.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_runtime::hsa::Packet;
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let segment = device.buffer("segment", &[xs.address()])?;
    /// // This kernel reads neither packet nor queue.
    /// let (packet, queue) = (device.allocate("packet", 64)?, device.allocate("queue", 256)?);
    /// let packet = Packet { packet: packet.address(), queue: queue.address(), arguments: segment.address() };
    /// kernel.launch([1, 1, 1]).packet(packet).run(&device.queue())?;
    /// assert_eq!(xs.read::<u32>()?, [2]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn packet(mut self, packet: Packet) -> Launch {
        self.segment = Some(ArgumentSegment::Packet(packet));
        self
    }

    /// Declares memory with restricted access. Checkers report violations, but the runtime does not prevent them.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_observe::{check::checkers, finding::Check};
    /// use gcn_runtime::{AccessRule, Restricted};
    /// # let xs = device.buffer("xs", &[1u32; 64])?;
    /// let range = xs.address()..xs.address() + 256;
    /// let findings = Default::default();
    /// let launch = kernel.launch([64, 1, 1]).arg(&xs).observers(&checkers(&[Check::Bounds], &findings));
    /// launch.restrict([Restricted { range, rule: AccessRule::WriteOnly }]).run(&device.queue())?;
    /// assert_eq!(findings.all().0[0].kind.name(), "load-from-write-only");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn restrict(mut self, memory: impl IntoIterator<Item = Restricted>) -> Launch {
        self.restricted.extend(memory);
        self
    }

    /// Enables or disables the acquire fence at the start of the launch, which invalidates caches; enabled by default.
    /// Results do not depend on the fence, but without it checkers report loads that may return stale values.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_observe::{check::checkers, finding::Check};
    /// # let (device, kernel) = example::scale_kernel();
    /// let (xs, findings) = (device.buffer("xs", &[1u32; 128])?, Default::default());
    /// let launch = kernel.launch([128, 1, 1]).group([128, 1, 1]).arg(&xs).arg(2u32).observers(&checkers(&[Check::Races], &findings));
    /// launch.clone().run(&device.queue())?;
    /// launch.acquires(false).run(&device.queue())?;
    /// assert_eq!(findings.all().0[0].kind.name(), "global-race");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn acquires(mut self, acquires: bool) -> Launch {
        self.acquires = acquires;
        self
    }

    /// Uses `host` instead of the runtime to serve the kernel's host calls after each turn of a wave.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// use gcn_runtime::{HostCalls, memory::Memory};
    /// #[derive(Debug, Default)]
    /// struct Turns(AtomicU64);
    /// impl HostCalls for Turns {
    ///     fn serve(&self, _: &Memory) -> Result<(), String> {
    ///         self.0.fetch_add(1, Relaxed);
    ///         Ok(())
    ///     }
    /// }
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let turns = Arc::new(Turns::default());
    /// kernel.launch([1, 1, 1]).arg(&xs).host_calls(turns.clone()).run(&device.queue())?;
    /// assert!(turns.0.load(Relaxed) >= 1, "the wave has had a turn");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn host_calls(mut self, host: Arc<dyn HostCalls>) -> Launch {
        self.submission.host = Some(host);
        self
    }

    /// Adds signals that must complete before the launch starts.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let first = kernel.launch([1, 1, 1]).arg(&xs).submit(&device.queue())?;
    /// let second = kernel.launch([1, 1, 1]).arg(&xs).after(&[first.clone()]).submit(&device.queue())?;
    /// second.wait()?;
    /// assert!(first.poll().is_some(), "the second launch waits, although in another queue");
    /// assert_eq!(xs.read::<u32>()?, [3]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn after(mut self, signals: &[Signal]) -> Launch {
        self.submission.after.extend_from_slice(signals);
        self
    }

    /// Sets the progress counters that the launch updates.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let progress = std::sync::Arc::default();
    /// let launch = kernel.launch([1, 1, 1]).arg(&xs).progress(&progress);
    /// launch.submit(&device.queue())?.wait()?;
    /// assert_eq!(progress.done().groups, 1);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn progress(mut self, progress: &Arc<Progress>) -> Launch {
        self.submission.progress = Some(progress.clone());
        self
    }

    /// Sets the observers of the launch. To observe host accesses to memory as well, use
    /// [`Device::observe`](crate::Device::observe).
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// use gcn_runtime::observe::{Dispatched, Events, Observer, Observers};
    ///
    /// #[derive(Default)]
    /// struct Dispatches(AtomicU64);
    /// impl Observer for Dispatches {
    ///     fn wants(&self) -> Events {
    ///         Events::DISPATCH
    ///     }
    ///     fn dispatch_begins(&self, _: &Dispatched<'_>) {
    ///         self.0.fetch_add(1, Relaxed);
    ///     }
    /// }
    ///
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let dispatches = Arc::new(Dispatches::default());
    /// let observers = Observers::none().with(dispatches.clone());
    /// let launch = kernel.launch([1, 1, 1]).arg(&xs).observers(&observers);
    /// launch.submit(&device.queue())?.wait()?;
    /// assert_eq!(dispatches.0.load(Relaxed), 1);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn observers(mut self, observers: &Observers) -> Launch {
        self.submission.observers = observers.clone();
        self
    }

    /// Stops each wave with a fault after this number of instructions, overriding the device's limit.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// use gcn_runtime::Error;
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let launch = kernel.launch([1, 1, 1]).arg(&xs).instruction_limit(1);
    /// let Err(Error::Fault(completion)) = launch.submit(&device.queue())?.wait() else {
    ///     panic!("the kernel has more than one instruction");
    /// };
    /// assert_eq!(completion.unfinished, 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn instruction_limit(mut self, instructions: u64) -> Launch {
        self.submission.limit = Some(instructions);
        self
    }

    /// Stops the launch when the flag is set. The launch then ends with [`Error::Fault`], whose completion contains the
    /// positions of its waves. Launches may share a flag; [`Signal::cancel`] of one sets it, and so stops all of them.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// use std::sync::Arc;
    /// use std::sync::atomic::AtomicBool;
    /// use gcn_runtime::Error;
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let stop = Arc::new(AtomicBool::new(true));
    /// let launch = kernel.launch([1, 1, 1]).arg(&xs).stop_flag(&stop);
    /// let outcome = launch.submit(&device.queue())?.wait();
    /// assert!(matches!(outcome, Err(Error::Fault(_))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stop_flag(mut self, flag: &Arc<AtomicBool>) -> Launch {
        self.submission.stop = Some(flag.clone());
        self
    }

    /// Sets the maximum number of host threads, at most that of the device.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let launch = kernel.launch([64, 8, 1]).arg(&xs).threads(1);
    /// assert_eq!(launch.run(&device.queue())?.stats.groups, 8, "in turn");
    /// assert_eq!(xs.read::<u32>()?, [9; 64]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn threads(mut self, most: usize) -> Launch {
        self.threads = Some(most);
        self
    }

    /// Returns the scratch size per host thread in bytes, for all workgroups that may be resident at the same time.
    ///
    /// # Errors
    /// Fails if the arguments do not match the kernel.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let launch = kernel.launch([1024, 1, 1]).group([256, 1, 1]);
    /// assert_eq!(launch.scratch_bytes_per_thread()?, 0, "the kernel has no stack");
    /// let bytes = launch.stack(16).scratch_bytes_per_thread()?;
    /// assert!(bytes > 0 && bytes % (16 * 256) == 0, "scratch for whole workgroups");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn scratch_bytes_per_thread(&self) -> Result<u64, Error> {
        let (placed, _) = self.clone().into_placed()?;
        Ok(placed.scratch_bytes_per_thread())
    }

    /// Returns the errors that prevent submission: the first error in the arguments, or else all invalid sizes.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let launch = kernel.launch([4096, 1, 1]).group([2048, 1, 1]).dynamic_lds(1 << 20);
    /// assert_eq!(launch.problems().len(), 2, "one for the group size, and one for its LDS");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn problems(&self) -> Vec<Error> {
        let as_error = |problem| Error::Launch(Arc::new(problem));
        match self.clone().into_placed() {
            Ok((placed, _)) => placed.problems().into_iter().map(as_error).collect(),
            Err(error) => vec![error],
        }
    }

    /// Returns an error if the kernel was not compiled for workgroups of this size. [`Launch::problems`] omits this error
    /// for launches of [packets](Launch::packet), because hardware executes them regardless.
    pub fn workgroup_problem(&self) -> Option<LaunchError> {
        beyond_compiled(self.kernel.description(), self.shape.group)
    }

    /// Builds the kernel's initial state, to inspect the launch or submit it several times.
    ///
    /// # Errors
    /// Returns the first of [`Launch::problems`], or an error if memory is exhausted or the entry point is not executable.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let prepared = kernel.launch([64, 1, 1]).arg(&xs).prepare()?;
    /// for _ in 0..3 {
    ///     prepared.run(&device.queue())?;
    /// }
    /// assert_eq!(xs.read::<u32>()?, [4; 64]);
    /// assert!(kernel.launch([0, 1, 1]).prepare().is_err(), "the grid has no work-items");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn prepare(self) -> Result<PreparedLaunch, Error> {
        let (placed, submission) = self.into_placed()?;
        PreparedLaunch::new(placed, submission)
    }

    /// Submits the launch to a queue of the module's device. The kernel's initial state is built when the launch
    /// starts.
    ///
    /// # Errors
    /// Returns [`Error::OtherDevice`] if the queue belongs to another device, or the first of [`Launch::problems`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_runtime::{Device, Error};
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let done = kernel.launch([64, 1, 1]).arg(&xs).submit(&device.queue())?;
    /// done.wait()?;
    /// assert_eq!(xs.read::<u32>()?, [2; 64]);
    /// let elsewhere = Device::new("gfx900")?.queue();
    /// let refused = kernel.launch([64, 1, 1]).arg(&xs).submit(&elsewhere);
    /// assert!(matches!(refused, Err(Error::OtherDevice)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn submit(self, queue: &Queue) -> Result<Signal, Error> {
        let (after, command) = self.command(queue)?;
        Ok(queue.launch(after, command))
    }

    /// Submits the launch to a queue and waits for its end. The calling thread runs the launch and earlier commands
    /// unless another thread is serving the queue.
    ///
    /// # Errors
    /// See [`Launch::submit`] and [`Signal::wait`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let completion = kernel.launch([1, 1, 1]).arg(&xs).run(&device.queue())?;
    /// assert_eq!((completion.stats.waves, xs.read::<u32>()?), (1, vec![2]));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn run(self, queue: &Queue) -> CommandResult {
        let (after, command) = self.command(queue)?;
        queue.launch_here(after, command)
    }

    /// Returns the signals to wait for, and the launch as a queue command.
    #[allow(clippy::type_complexity)]
    fn command(
        self,
        queue: &Queue,
    ) -> Result<
        (
            Vec<Signal>,
            impl FnOnce(&mut Emulated, &Signal) -> CommandResult + Send + 'static,
        ),
        Error,
    > {
        self.kernel.check_queue(queue)?;
        let (placed, submission) = self.into_placed()?;
        if let Some(problem) = placed.problems().into_iter().next() {
            return Err(Error::Launch(Arc::new(problem)));
        }
        let after = submission.after.clone();
        let command = move |device: &mut Emulated, signal: &Signal| {
            if !submission.begin(device, signal) {
                return Err(Error::Cancelled);
            }
            placed.run(&placed.prepare()?, &submission, device, signal)
        };
        Ok((after, command))
    }

    fn into_placed(self) -> Result<(PlacedLaunch, Submission), Error> {
        let Launch {
            kernel,
            mut shape,
            arguments,
            segment,
            threads,
            restricted,
            acquires,
            submission,
        } = self;
        let segment = match segment {
            Some(segment) => segment,
            None => ArgumentSegment::Placed(place(&kernel, &mut shape, &arguments)?),
        };
        let placed = PlacedLaunch {
            kernel,
            shape,
            segment,
            _kept: arguments,
            threads,
            restricted,
            acquires,
        };
        Ok((placed, submission))
    }
}
