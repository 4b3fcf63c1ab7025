//! Prepared launches and their execution.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::device::{Device as Emulated, HostCalls};
use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::observe::Observers;
use gcn_emu::run::{self, AccessRule, Dispatch, Restricted};
use gcn_emu::{Code, Fidelity};

use crate::abi::hsa::{
    self, BeyondArguments, LaunchError, LaunchNote, LaunchShape, PlacedBytes, UnownedSources,
    UnsetSgprs,
};
use crate::abi::owned::Owned;
use crate::argument::Argument;
use crate::completion::Completion;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::progress::Progress;
use crate::queue::Queue;
use crate::signal::{CommandResult, Signal};

/// Argument segment of a launch.
#[derive(Clone, Debug)]
pub(crate) enum ArgumentSegment {
    Placed(Vec<PlacedBytes>),
    /// Address of the caller's segment.
    At(u64),
    /// Dispatch packet, queue and segment of the caller.
    Packet(hsa::Packet),
}

/// Launch whose arguments have been placed, shared by its submissions.
#[derive(Debug)]
pub(crate) struct PlacedLaunch {
    pub(crate) kernel: Kernel,
    pub(crate) shape: LaunchShape,
    pub(crate) segment: ArgumentSegment,
    /// Arguments, held to keep their buffers alive.
    pub(crate) _kept: Vec<Argument>,
    /// Maximum number of host threads.
    pub(crate) threads: Option<usize>,
    /// Memory with restricted access.
    pub(crate) restricted: Vec<Restricted>,
    /// True if the launch starts with an acquire fence.
    pub(crate) acquires: bool,
}

/// Options that may differ between submissions of a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Submission {
    pub(crate) after: Vec<Signal>,
    pub(crate) limit: Option<u64>,
    pub(crate) stop: Option<Arc<AtomicBool>>,
    pub(crate) progress: Option<Arc<Progress>>,
    pub(crate) observers: Observers,
    /// Host call handler that replaces the runtime's own.
    pub(crate) host: Option<Arc<dyn HostCalls>>,
}

impl PlacedLaunch {
    /// Describes the launch for the ABI code.
    fn launch(&self) -> hsa::KernelStart<'_> {
        let module = self.kernel.module();
        hsa::KernelStart {
            object: module.object(),
            loaded: module.loaded(),
            kernel: self.kernel.description(),
            shape: self.shape,
            arguments: match &self.segment {
                ArgumentSegment::Placed(placed) => hsa::Arguments::Placed(placed),
                ArgumentSegment::At(address) => hsa::Arguments::At(*address),
                ArgumentSegment::Packet(packet) => hsa::Arguments::Packet(*packet),
            },
            answers_host_calls: module.device().answers_host_calls(),
        }
    }

    pub(crate) fn problems(&self) -> Vec<LaunchError> {
        self.launch()
            .problems(self.kernel.module().device().target().isa)
    }

    pub(crate) fn scratch_bytes_per_thread(&self) -> u64 {
        self.launch().scratch_bytes_per_thread()
    }

    /// Returns the maximum number of host threads.
    fn threads(&self) -> usize {
        let all = self.kernel.module().device().threads();
        self.threads.map_or(all, |most| all.min(most.max(1)))
    }

    pub(crate) fn prepare(&self) -> Result<hsa::Prepared, Error> {
        let device = self.kernel.module().device();
        let emulated = device.emulated();
        let owned = match device.spare_blocks() {
            Some(spare) => Owned::of_spare(spare.clone()),
            None => Owned::new(&emulated.memory),
        };
        let prepared = self.launch().prepare(owned, emulated, self.threads());
        prepared.map_err(|error| Error::Launch(Arc::new(error)))
    }

    /// Returns the dispatch, with information for observers if there are any.
    fn dispatch<'a>(
        &self,
        prepared: &'a hsa::Prepared,
        observers: &Observers,
    ) -> Cow<'a, Dispatch> {
        if observers.wants().is_empty() {
            return Cow::Borrowed(&prepared.dispatch);
        }
        let memory = &self.kernel.module().device().emulated().memory;
        let arguments = prepared.dispatch.kernarg.iter();
        let read_only = arguments.flat_map(|it| self.launch().read_only(memory, it.start));
        let read_only = read_only.map(|range| Restricted {
            range,
            rule: AccessRule::ArgumentsRead,
        });
        Cow::Owned(Dispatch {
            restricted: read_only.chain(self.restricted.iter().cloned()).collect(),
            acquires: self.acquires,
            ..prepared.dispatch.clone()
        })
    }

    /// Runs the launch on a queue's view of the device.
    pub(crate) fn run(
        &self,
        prepared: &hsa::Prepared,
        submission: &Submission,
        device: &mut Emulated,
        signal: &Signal,
    ) -> CommandResult {
        let defaults = &self.kernel.module().device().emulated().config;
        device.config.limit = submission.limit.or(defaults.limit);
        device.config.threads = self.threads();
        device.monitor = submission.progress.as_ref().map(Progress::monitor);
        let own = || Some(prepared.hostcall.clone()? as Arc<dyn HostCalls>);
        device.host_calls = submission.host.clone().or_else(own);
        let ran = run::run(
            device,
            &prepared.code,
            &self.dispatch(prepared, &submission.observers),
            &submission.observers,
        );
        (device.host_calls, device.monitor) = (None, None);
        let ran = ran.map_err(|error| Error::Run(Arc::new(error)))?;
        let printf = prepared.printf.as_ref();
        let mut printed = printf.map_or_else(Vec::new, |printf| printf.take_text(&device.memory));
        let (text, lost) = match &prepared.hostcall {
            Some(host) => host.take_printed(),
            None => (Vec::new(), 0),
        };
        printed.extend(text);
        let completion = Arc::new(Completion {
            kernel: self.kernel.name().to_owned(),
            stats: ran.stats,
            printed,
            lost,
            notes: prepared.notes.clone(),
            violation: ran.violation,
            fault: ran.fault,
            places: ran.places,
            unfinished: ran.unfinished,
        });
        match &completion.fault {
            None => Ok(completion),
            Some(fault) => {
                // GWS state must not carry over to the next kernel.
                device.gws = gcn_emu::device::Gws::new();
                let is_cancelled = fault.kind == FaultKind::Interrupted && signal.is_cancelled();
                Err(if is_cancelled {
                    Error::Cancelled
                } else {
                    Error::Fault(completion)
                })
            }
        }
    }
}

impl Submission {
    /// Starts the command and installs its stop flag. Returns false if the command has been cancelled.
    pub(crate) fn begin(&self, device: &mut Emulated, signal: &Signal) -> bool {
        device.interrupted = self.stop.clone().unwrap_or_default();
        signal.begin(Some(device.interrupted.clone()))
    }
}

/// Handle to a launch whose initial state has been built; clones refer to the same launch. The launch may be submitted
/// several times. Its runs are serialized, because they share the argument segment.
///
/// `Send` and `Sync`.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// let xs = device.buffer("xs", &[1u32; 64])?;
/// let prepared = kernel.launch([64, 1, 1]).arg(&xs).prepare()?;
/// let queue = device.queue();
/// prepared.submit(&queue)?;
/// assert_eq!(prepared.run(&queue)?.stats.waves, 1);
/// assert_eq!(xs.read::<u32>()?, [3; 64]);
/// assert_eq!((prepared.kernel().name(), prepared.shape().grid), ("add_one", [64, 1, 1]));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct PreparedLaunch {
    built: Arc<Built>,
    submission: Submission,
}

struct Built {
    placed: PlacedLaunch,
    prepared: hsa::Prepared,
    /// Lock held during a run.
    turn: Mutex<()>,
}

impl PreparedLaunch {
    pub(crate) fn new(
        placed: PlacedLaunch,
        submission: Submission,
    ) -> Result<PreparedLaunch, Error> {
        let prepared = placed.prepare()?;
        Ok(PreparedLaunch {
            built: Arc::new(Built {
                placed,
                prepared,
                turn: Mutex::new(()),
            }),
            submission,
        })
    }

    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.built.placed.kernel
    }

    /// Returns the launch sizes.
    pub fn shape(&self) -> LaunchShape {
        self.built.placed.shape
    }

    /// Returns notes about the launch, such as an unknown stack size.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::hsa::LaunchNote;
    /// let text = example::ADD_ONE.replace(".end", ".amdhsa_uses_dynamic_stack 1\n.end");
    /// let (_, kernel) = example::kernel(&text, "add_one");
    /// let launch = kernel.launch([64, 1, 1]);
    /// let notes = launch.clone().prepare()?.notes().to_vec();
    /// assert_eq!(notes, [LaunchNote::DynamicStack { bytes: 4096, stack: 4096 }]);
    /// assert_eq!(launch.stack(16).prepare()?.shape().stack, Some(16), "as requested");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn notes(&self) -> &[LaunchNote] {
        &self.built.prepared.notes
    }

    /// Returns the kernel code decoded so far, which all launches of the kernel share.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
    /// prepared.run(&device.queue())?;
    /// let last = prepared.code().executed().last();
    /// assert_eq!(last.map(|step| step.inst.name()), Some("s_endpgm"));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn code(&self) -> &Code {
        &self.built.prepared.code
    }

    /// Returns executed loads beyond the given arguments, for a kernel without metadata.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let prepared = kernel.launch([1, 1, 1]).prepare()?;
    /// assert!(prepared.run(&device.queue()).is_err(), "the kernel has no pointer");
    /// let beyond = prepared.reads_beyond_arguments().expect("the kernel has loaded a pointer");
    /// assert_eq!((beyond.given, beyond.loaded), (0, 8));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn reads_beyond_arguments(&self) -> Option<BeyondArguments> {
        self.built
            .placed
            .launch()
            .reads_beyond_arguments(self.code())
    }

    /// Returns executed instructions with source registers beyond the kernel's allocation.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
    /// prepared.run(&device.queue())?;
    /// assert_eq!(prepared.unowned_sources(), None);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn unowned_sources(&self) -> Option<UnownedSources> {
        hsa::unowned_sources(self.code())
    }

    /// Returns the names of executed instructions, grouped by fidelity to hardware, exact ones first.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// # let xs = device.buffer("xs", &[1u32])?;
    /// use gcn_runtime::Fidelity;
    /// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
    /// prepared.run(&device.queue())?;
    /// let names = prepared.executed();
    /// assert_eq!(names.len(), 1, "all instructions are exact");
    /// assert!(names[&Fidelity::Exact].contains("s_endpgm"));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn executed(&self) -> BTreeMap<Fidelity, BTreeSet<&'static str>> {
        let mut names: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        let code = self.code();
        for step in code.executed() {
            let fidelity = Fidelity::of(&step.inst, code.vgprs());
            let of_fidelity = names.entry(fidelity).or_default();
            of_fidelity.insert(step.inst.name());
        }
        names
    }

    /// Returns the uninitialized SGPRs that contributed to the address of a faulting access.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::Error;
    /// // The descriptor does not request the address of the arguments.
    /// let wrong = example::ADD_ONE.replace(".amdhsa_user_sgpr_kernarg_segment_ptr 1", "");
    /// let (device, kernel) = example::kernel(&wrong, "add_one");
    /// let prepared = kernel.launch([1, 1, 1]).prepare()?;
    /// let Err(Error::Fault(completion)) = prepared.run(&device.queue()) else { panic!("the kernel has no pointer") };
    /// let fault = completion.fault.as_ref().expect("the launch has faulted");
    /// let unset = prepared.unset_sgprs(fault).expect("the address comes from s[0:1]");
    /// assert_eq!((unset.first, unset.count), (0, 2));
    /// assert!(unset.directives().eq([".amdhsa_user_sgpr_kernarg_segment_ptr"]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unset_sgprs(&self, fault: &Fault) -> Option<UnsetSgprs> {
        self.built.placed.launch().unset_sgprs(self.code(), fault)
    }

    /// Adds signals that must complete before submissions through this handle start.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
    /// let first = prepared.submit(&device.queue())?;
    /// prepared.clone().after(&[first]).submit(&device.queue())?.wait()?;
    /// assert_eq!(xs.read::<u32>()?, [3]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn after(mut self, signals: &[Signal]) -> PreparedLaunch {
        self.submission.after.extend_from_slice(signals);
        self
    }

    /// Sets the progress counters for submissions through this handle.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
    /// let (first, second) = (Default::default(), Default::default());
    /// for progress in [&first, &second] {
    ///     prepared.clone().progress(progress).run(&device.queue())?;
    /// }
    /// assert_eq!((first.done().groups, second.done().groups), (1, 1), "each counts its own run");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, progress: &Arc<Progress>) -> PreparedLaunch {
        self.submission.progress = Some(progress.clone());
        self
    }

    /// Sets the observers for submissions through this handle, replacing previous ones.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use std::sync::Arc;
    /// use gcn_observe::Trace;
    /// use gcn_runtime::observe::Observers;
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
    /// prepared.run(&device.queue())?;
    /// let (sender, lines) = std::sync::mpsc::channel();
    /// let trace = Trace::new(move |line: &str| drop(sender.send(line.to_owned())));
    /// prepared.observers(&Observers::none().with(Arc::new(trace))).run(&device.queue())?;
    /// assert!(lines.try_iter().any(|line| line.contains("s_endpgm")), "the second run is traced");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn observers(mut self, observers: &Observers) -> PreparedLaunch {
        self.submission.observers = observers.clone();
        self
    }

    /// Submits the launch to a queue of the module's device.
    ///
    /// # Errors
    /// Returns [`Error::OtherDevice`] if the queue belongs to another device.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
    /// let signals = [prepared.submit(&device.queue())?, prepared.submit(&device.queue())?];
    /// for signal in signals {
    ///     signal.wait()?;
    /// }
    /// assert_eq!(xs.read::<u32>()?, [3], "in turn, although in two queues");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn submit(&self, queue: &Queue) -> Result<Signal, Error> {
        self.kernel().check_queue(queue)?;
        Ok(queue.launch(self.submission.after.clone(), self.command()))
    }

    /// Submits the launch to a queue and waits for its end. The calling thread runs the launch and earlier commands
    /// unless another thread is serving the queue.
    ///
    /// # Errors
    /// See [`PreparedLaunch::submit`] and [`Signal::wait`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let prepared = kernel.launch([64, 1, 1]).arg(&xs).prepare()?;
    /// assert_eq!(prepared.run(&device.queue())?.stats.instructions, 6);
    /// assert_eq!(xs.read::<u32>()?, [2; 64]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn run(&self, queue: &Queue) -> CommandResult {
        self.kernel().check_queue(queue)?;
        queue.launch_here(self.submission.after.clone(), self.command())
    }

    fn command(&self) -> impl FnOnce(&mut Emulated, &Signal) -> CommandResult + Send + 'static {
        let PreparedLaunch { built, submission } = self.clone();
        move |device, signal| {
            let _turn = built.turn.lock().unwrap_or_else(PoisonError::into_inner);
            if !submission.begin(device, signal) {
                return Err(Error::Cancelled);
            }
            built
                .placed
                .run(&built.prepared, &submission, device, signal)
        }
    }
}

impl fmt::Debug for PreparedLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedLaunch")
            .field("kernel", &self.kernel().name())
            .field("shape", &self.shape())
            .finish_non_exhaustive()
    }
}
