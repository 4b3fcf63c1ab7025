//! Exact counts for each instruction: executions, active lanes, accessed bytes and cache lines, and LDS bank conflicts.
//!
//! All counts are sums over waves, so they do not depend on the number of threads or the order of waves.

mod banks;
mod places;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::fault::Fault;
use gcn_emu::observe::{
    Context, Dispatched, Events, Instruction, MemoryEvent, Observer, Verdict, WaveObserver,
};
use gcn_emu::run::Stats;
use gcn_isa::effect::Control;
use gcn_isa::uses::{Space, Unit};
use gcn_isa::{Does, Encoding, Inst};

pub use banks::{BANK_BYTES, BANKS, conflicts};
pub use places::LINE_BYTES;

use places::AccessedPlaces;

/// Class of an instruction: its execution unit, or its role in program control.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// use gcn_observe::profile::Class;
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let text = "s_add_u32 s0, s0, s1\nv_add_f32 v0, v0, v1\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm";
/// let program = assemble(&Source { name: "a.s", text }, &Options::new(target)).program;
/// let names: Vec<&str> = program.listing().map(|listing| Class::of(&listing.inst).name()).collect();
/// assert_eq!(names, ["salu", "valu", "lds", "wait", "control"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Vector arithmetic, moves, and interpolation.
    Valu,
    /// Scalar arithmetic and moves.
    Salu,
    /// Scalar memory.
    Smem,
    /// Vector memory: buffers, images, GLOBAL and SCRATCH.
    Vmem,
    /// FLAT instructions, whose addresses determine the address space.
    Flat,
    /// The local data share (LDS), including lane permutations.
    Lds,
    /// The global data share (GDS), and global wave sync.
    Gds,
    /// Exports.
    Export,
    /// Branches and jumps, taken or not.
    Branch,
    /// S_WAITCNT.
    Wait,
    /// Barriers.
    Barrier,
    /// Messages.
    Message,
    /// Other program control, such as S_NOP and S_ENDPGM.
    Control,
}

impl Class {
    /// All classes, in report order.
    pub const ALL: &'static [Class] = &[
        Class::Valu,
        Class::Salu,
        Class::Smem,
        Class::Vmem,
        Class::Flat,
        Class::Lds,
        Class::Gds,
        Class::Export,
        Class::Branch,
        Class::Wait,
        Class::Barrier,
        Class::Message,
        Class::Control,
    ];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Valu => "valu",
            Class::Salu => "salu",
            Class::Smem => "smem",
            Class::Vmem => "vmem",
            Class::Flat => "flat",
            Class::Lds => "lds",
            Class::Gds => "gds",
            Class::Export => "export",
            Class::Branch => "branch",
            Class::Wait => "wait",
            Class::Barrier => "barrier",
            Class::Message => "message",
            Class::Control => "control",
        }
    }

    /// Returns the class of an instruction.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the unit decides for most effects"
    )]
    pub fn of(inst: &Inst) -> Class {
        match inst.does() {
            Does::Branch(_) | Does::Jump | Does::Fork | Does::ReturnFromTrap => Class::Branch,
            Does::Control(Control::Barrier) => Class::Barrier,
            Does::Control(Control::Waitcnt) => Class::Wait,
            Does::Control(Control::SendMsg { .. }) => Class::Message,
            Does::Control(_) => Class::Control,
            _ => Class::by_unit(inst),
        }
    }

    fn by_unit(inst: &Inst) -> Class {
        let uses = inst.uses();
        let goes_to = |space| uses.memory().is_some_and(|it| it.spaces().has(space));
        match uses.unit() {
            Unit::Scalar => Class::Salu,
            Unit::Vector | Unit::Interpolation => Class::Valu,
            Unit::ScalarMemory => Class::Smem,
            Unit::Flat if inst.encoding == Encoding::Flat => Class::Flat,
            Unit::VectorMemory | Unit::Flat => Class::Vmem,
            Unit::DataShare if goes_to(Space::Gds) || goes_to(Space::Gws) => Class::Gds,
            Unit::DataShare => Class::Lds,
            Unit::Export => Class::Export,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Counts of an instruction, or sums over several.
///
/// # Examples
/// ```
/// use gcn_observe::profile::Counts;
/// // One wave with all lanes active, and one with half of them.
/// let mut counts = Counts { executions: 1, vector_executions: 1, active_lanes: 64, ..Counts::default() };
/// counts += Counts { active_lanes: 32, ..counts };
/// assert_eq!((counts.executions, counts.active_lanes / counts.vector_executions), (2, 48));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Number of executions, counted per wave.
    pub executions: u64,
    /// Number of executions of vector instructions.
    pub vector_executions: u64,
    /// Number of active lanes, summed over executions of vector instructions.
    pub active_lanes: u64,
    /// Number of executions that accessed memory, LDS or GDS in any lane.
    pub accesses: u64,
    /// Number of bytes accessed, summed over lanes.
    pub bytes: u64,
    /// Number of executions that accessed global memory or scratch in any lane.
    pub memory_accesses: u64,
    /// Number of distinct 64-byte cache lines accessed in global memory and scratch, summed over executions.
    pub lines: u64,
    /// Number of LDS cycles lost to bank conflicts; see [`conflicts`].
    pub bank_conflicts: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.executions += other.executions;
        self.vector_executions += other.vector_executions;
        self.active_lanes += other.active_lanes;
        self.accesses += other.accesses;
        self.bytes += other.bytes;
        self.memory_accesses += other.memory_accesses;
        self.lines += other.lines;
        self.bank_conflicts += other.bank_conflicts;
    }
}

/// An instruction and its counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Decoded instruction.
    pub inst: Inst,
    /// Class of the instruction.
    pub class: Class,
    /// Counts, summed over all dispatches of the kernel.
    pub counts: Counts,
}

impl Counted {
    fn new(inst: Inst) -> Counted {
        Counted {
            class: Class::of(&inst),
            inst,
            counts: Counts::default(),
        }
    }
}

/// Counts of a kernel, including the functions that it calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelCounts {
    /// Number of dispatches that have ended, with or without a fault.
    pub dispatches: u64,
    /// Number of workgroups run.
    pub workgroups: u64,
    /// Number of waves run.
    pub waves: u64,
    /// Instructions by byte address.
    pub code: BTreeMap<u64, Counted>,
}

impl KernelCounts {
    /// Adds the counts of the same kernel loaded at an address `distance` bytes lower.
    ///
    /// # Examples
    /// ```
    /// # use gcn_asm::{Options, Source, assemble};
    /// # let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// # let program = assemble(&Source { name: "a.s", text: "s_endpgm" }, &Options::new(target)).program;
    /// # let inst = program.listing().next().expect("an instruction").inst;
    /// use gcn_observe::profile::{Class, Counted, Counts, KernelCounts};
    /// let counted = Counted { inst, class: Class::of(&inst), counts: Counts { executions: 3, ..Counts::default() } };
    /// let at = |pc| KernelCounts { dispatches: 1, code: [(pc, counted)].into(), ..KernelCounts::default() };
    /// let mut sum = at(0x2000);
    /// sum.add(&at(0x1000), 0x1000);
    /// assert_eq!((sum.dispatches, sum.code.len(), sum.code[&0x2000].counts.executions), (2, 1, 6));
    /// ```
    pub fn add(&mut self, other: &KernelCounts, distance: u64) {
        self.dispatches += other.dispatches;
        self.workgroups += other.workgroups;
        self.waves += other.waves;
        for (pc, counted) in &other.code {
            self.count(pc.wrapping_add(distance), counted);
        }
    }

    /// Adds to the counts of the instruction at address `pc`.
    fn count(&mut self, pc: u64, counted: &Counted) {
        let sum = self.code.entry(pc);
        let sum = sum.or_insert_with(|| Counted::new(counted.inst));
        sum.counts += counted.counts;
    }
}

/// Counts of kernels by symbol; `None` for kernels without a symbol.
pub type Kernels = BTreeMap<Option<String>, KernelCounts>;

/// Observer that collects a profile.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use std::sync::Arc;
/// use gcn_emu::observe::Observers;
/// use gcn_observe::profile::Profile;
/// let profile = Arc::new(Profile::new());
/// let observers = Observers::none().with(profile.clone());
/// let xs = device.buffer("xs", &[1u32; 128])?;
/// kernel.launch([128, 1, 1]).group([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
/// let kernels = profile.kernels();
/// let counted = &kernels[&Some("add_one".to_owned())];
/// assert_eq!((counted.dispatches, counted.workgroups, counted.waves, counted.code.len()), (1, 2, 2, 6));
/// let atomic = counted.code.values().find(|it| it.inst.name() == "global_atomic_add").expect("the atomic was executed");
/// assert_eq!((atomic.class.name(), atomic.counts.executions, atomic.counts.bytes), ("vmem", 2, 512));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Profile {
    kernels: Arc<Mutex<Kernels>>,
}

impl Profile {
    /// Creates an empty profile.
    pub fn new() -> Profile {
        Profile::default()
    }

    /// Returns the counts of the dispatches that have ended, by kernel symbol.
    pub fn kernels(&self) -> Kernels {
        let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.clone()
    }
}

impl Observer for Profile {
    fn wants(&self) -> Events {
        Events::DISPATCH | Events::WAVE | Events::ISSUE | Events::ACCESS
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(ThreadProfile {
            kernels: self.kernels.clone(),
            kernel: None,
            counted: Vec::new(),
            places: AccessedPlaces::default(),
        }))
    }

    fn dispatch_ends(&self, dispatched: &Dispatched<'_>, stats: &Stats, _fault: Option<&Fault>) {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = kernels.entry(dispatched.dispatch.kernel.clone());
        let kernel = kernel.or_default();
        kernel.dispatches += 1;
        kernel.workgroups += stats.groups;
        kernel.waves += stats.waves;
    }
}

/// Counts of the waves of one thread.
struct ThreadProfile {
    kernels: Arc<Mutex<Kernels>>,
    /// Symbol of the kernel, set by the first wave.
    kernel: Option<Option<String>>,
    /// Address and counts of each instruction, indexed by instruction number.
    counted: Vec<Option<(u64, Counted)>>,
    places: AccessedPlaces,
}

impl ThreadProfile {
    fn counts(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) -> &mut Counts {
        let step = instruction.step;
        if self.counted.len() <= step.index {
            self.counted.resize(step.index + 1, None);
        }
        let counted = &mut self.counted[step.index];
        let (_, counted) = counted.get_or_insert_with(|| (context.pc, Counted::new(step.inst)));
        &mut counted.counts
    }
}

impl WaveObserver for ThreadProfile {
    fn wave_begins(&mut self, context: &Context<'_>) {
        if self.kernel.is_none() {
            self.kernel = Some(context.dispatched.dispatch.kernel.clone());
        }
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let is_vector = !instruction.step.inst.encoding.is_scalar();
        let counts = self.counts(context, instruction);
        counts.executions += 1;
        if is_vector {
            counts.vector_executions += 1;
            counts.active_lanes += u64::from(instruction.exec.count_ones());
        }
    }

    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        let access = event.access();
        if access.intent.is_some() && access.lanes() != 0 {
            self.places.find(event);
            let (lines, bytes, bank_conflicts) = (
                self.places.lines(),
                self.places.bytes(),
                self.places.bank_conflicts(),
            );
            let is_memory = access.global | access.scratch | access.buffer != 0;
            let counts = self.counts(context, event.instruction);
            counts.accesses += 1;
            counts.bytes += bytes;
            counts.memory_accesses += u64::from(is_memory);
            counts.lines += lines;
            counts.bank_conflicts += bank_conflicts;
        }
        Verdict::Allow
    }
}

/// Merges the thread's counts after its last wave of the dispatch has ended.
impl Drop for ThreadProfile {
    fn drop(&mut self) {
        let Some(name) = self.kernel.take() else {
            return;
        };
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = kernels.entry(name).or_default();
        for (pc, counted) in self.counted.iter().flatten() {
            kernel.count(*pc, counted);
        }
    }
}
