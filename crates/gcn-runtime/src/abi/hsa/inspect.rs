//! Diagnoses executed code that loads arguments beyond those of the launch, or reads registers that the descriptor does
//! not request.
//!
//! Code is inspected in address order, ignoring branches, so the results are only hints.

use std::fmt;

use gcn_emu::Code;
use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::step::{Arg, Family, MemoryPlan, Step};
use gcn_isa::Does;
use gcn_isa::image::IMAGE_DWORDS;
use gcn_isa::uses::Registers;
use gcn_object::{Properties, UserSgpr};

use super::start::{Arguments, KernelStart};

/// Size of a dword in bytes.
const DWORD: u64 = 4;
/// Size of the largest common argument, in bytes.
const ARGUMENT: u64 = 8;
/// Number of registers, from `s0`, that are plain SGPRs on all targets.
const SGPRS: u8 = 102;

/// Loads beyond the launch arguments by a kernel without metadata.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// let prepared = kernel.launch([1, 1, 1]).prepare()?;
/// assert!(prepared.run(&device.queue()).is_err(), "the kernel has no pointer");
/// let beyond = prepared.reads_beyond_arguments().expect("the kernel has loaded a pointer");
/// assert!(beyond.to_string().starts_with("the kernel loads 8 bytes of arguments, but 0 are given"));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BeyondArguments {
    /// Size of the given arguments, in bytes.
    pub given: u64,
    /// Size of the arguments that the kernel loads, in bytes.
    pub loaded: u64,
    /// Address of the first load beyond the given arguments.
    pub pc: u64,
    /// Assembly text of that load.
    pub instruction: String,
}

impl fmt::Display for BeyondArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BeyondArguments { given, loaded, .. } = self;
        write!(
            f,
            "the kernel loads {loaded} bytes of arguments, but {given} are given; hidden arguments and zeros follow them"
        )
    }
}

/// Executed instructions with source registers beyond the kernel's allocation.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// let text = example::ADD_ONE.replace("v_mov_b32 v1, 1", "v_mov_b32 v1, v200");
/// let (device, kernel) = example::kernel(&text, "add_one");
/// let xs = device.buffer("xs", &[1u32])?;
/// let prepared = kernel.launch([1, 1, 1]).arg(&xs).prepare()?;
/// prepared.run(&device.queue())?;
/// let unowned = prepared.unowned_sources().expect("the kernel has few registers");
/// assert_eq!((unowned.instructions, unowned.vgprs), (1, 4), "VGPRs are allocated in blocks of four");
/// assert_eq!(unowned.instruction, "v_mov_b32_e32 v1, v200");
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnownedSources {
    /// Number of instructions with such sources.
    pub instructions: u64,
    /// Number of allocated VGPRs.
    pub vgprs: usize,
    /// Number of allocated SGPRs.
    pub sgprs: u8,
    /// Address of the first such instruction.
    pub pc: u64,
    /// Assembly text of the first such instruction.
    pub instruction: String,
}

impl fmt::Display for UnownedSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.instructions == 1 { "" } else { "s" };
        write!(
            f,
            "{} instruction{plural} with source registers that the wave does not have, which read as v0 and s0, as on \
             hardware: its kernel asks for {} VGPRs and {} SGPRs",
            self.instructions, self.vgprs, self.sgprs
        )
    }
}

/// Finds executed instructions with source registers beyond the kernel's allocation.
pub(crate) fn unowned_sources(code: &Code) -> Option<UnownedSources> {
    let mut steps = code.reading_outside();
    let first = steps.next()?;
    Some(UnownedSources {
        instructions: 1 + steps.count() as u64,
        vgprs: code.vgprs(),
        sgprs: code.sgprs(),
        pc: code.address(first.index),
        instruction: first.inst.text(),
    })
}

/// Uninitialized SGPRs that contributed to a faulting address.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnsetSgprs {
    /// First register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
    /// User SGPRs that the descriptor must request to initialize these registers: the one that fills them, followed by
    /// those that must precede it.
    pub missing: Vec<UserSgpr>,
}

impl fmt::Display for UnsetSgprs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "s{}", self.first)?,
            count => write!(f, "s[{}:{}]", self.first, self.first + count - 1)?,
        }
        f.write_str(", which nothing has set")?;
        for (number, directive) in self.directives().enumerate() {
            match number {
                0 => write!(f, ": the kernel does not ask for {directive}")?,
                _ => write!(f, ", nor for {directive}, which precedes it")?,
            }
        }
        Ok(())
    }
}

impl UnsetSgprs {
    /// Returns the assembler directives that request [`UnsetSgprs::missing`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::Error;
    /// let wrong = example::ADD_ONE.replace(".amdhsa_user_sgpr_kernarg_segment_ptr 1", "");
    /// let (device, kernel) = example::kernel(&wrong, "add_one");
    /// let prepared = kernel.launch([1, 1, 1]).prepare()?;
    /// let Err(Error::Fault(end)) = prepared.run(&device.queue()) else { panic!("the kernel has no pointer") };
    /// let unset = end.fault.as_ref().and_then(|fault| prepared.unset_sgprs(fault)).expect("s[0:1]");
    /// assert!(unset.directives().eq([".amdhsa_user_sgpr_kernarg_segment_ptr"]));
    /// assert!(unset.to_string().starts_with("s[0:1], which nothing has set: the kernel does not ask for"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn directives(&self) -> impl Iterator<Item = &'static str> {
        self.missing.iter().filter_map(|what| what.directive())
    }
}

/// User SGPRs that contain addresses or descriptors, most likely first.
const POINTERS: [UserSgpr; 4] = [
    UserSgpr::KernargSegmentPtr,
    UserSgpr::DispatchPtr,
    UserSgpr::QueuePtr,
    UserSgpr::PrivateSegmentBuffer,
];

/// Set of SGPRs and VGPRs as bitmaps.
#[derive(Clone, Copy, Default)]
struct Set {
    scalar: u128,
    vector: [u128; 2],
}

impl Set {
    fn scalars(first: u8, count: u8) -> Set {
        let mut set = Set::default();
        set.add(Registers::Scalar { first, count });
        set
    }

    fn add(&mut self, registers: Registers) {
        match registers {
            Registers::Vector { first, count } => {
                for register in (first..=u8::MAX).take(count.into()) {
                    self.vector[usize::from(register / 128)] |= 1 << (register % 128);
                }
            }
            Registers::Scalar { first, count } => {
                for register in (first..SGPRS).take(count.into()) {
                    self.scalar |= 1 << register;
                }
            }
            Registers::State(_) => {}
        }
    }

    fn with(self, other: Set) -> Set {
        let [low, high] = self.vector;
        Set {
            scalar: self.scalar | other.scalar,
            vector: [low | other.vector[0], high | other.vector[1]],
        }
    }

    fn overlaps(self, other: Set) -> bool {
        let vectors = self.vector.iter().zip(other.vector);
        self.scalar & other.scalar != 0 || vectors.fold(false, |is, (a, b)| is || a & b != 0)
    }

    fn without(self, other: Set) -> Set {
        let [low, high] = self.vector;
        Set {
            scalar: self.scalar & !other.scalar,
            vector: [low & !other.vector[0], high & !other.vector[1]],
        }
    }
}

/// Returns the registers that an instruction writes.
fn written(step: &Step) -> Set {
    let mut set = Set::default();
    for it in step.inst.uses().registers().filter(|it| it.written != 0) {
        set.add(it.registers);
    }
    set
}

/// Returns the registers that contain the address of an access.
fn address(plan: &MemoryPlan) -> Set {
    let scalar = |register, count| Set::scalars(register, count);
    let mut set = match (plan.family, plan.saddr) {
        (Family::Scalar, _) => scalar(plan.sbase, 2),
        (Family::ScalarBuffer | Family::ScalarScratch | Family::Buffer, _) => scalar(plan.sbase, 4),
        (Family::Image, _) => scalar(plan.sbase, IMAGE_DWORDS as u8),
        (Family::Global, Some(saddr)) => scalar(saddr, 2),
        (Family::Scratch, Some(saddr)) => scalar(saddr, 1),
        (Family::Flat | Family::Global | Family::Scratch | Family::Share, _) => Set::default(),
    };
    if let Some(register) = plan.sreg {
        set.add(Registers::Scalar {
            first: register,
            count: 1,
        });
    }
    if let Arg::Scalar(first) = plan.soffset {
        set.add(Registers::Scalar { first, count: 1 });
    }
    if let Some(first) = plan.vaddr {
        let is_pair = match plan.family {
            Family::Flat => true,
            Family::Global => plan.saddr.is_none(),
            _ => plan.addr64 || plan.idxen && plan.offen,
        };
        let count = if is_pair { 2 } else { 1 };
        set.add(Registers::Vector { first, count });
    }
    set
}

/// Returns the first SGPR of the pair that contains the base address of an access, if any.
fn base(plan: &MemoryPlan) -> Option<u8> {
    match plan.family {
        Family::Scalar => Some(plan.sbase),
        Family::Global => plan.saddr,
        Family::Share
        | Family::Flat
        | Family::Scratch
        | Family::Buffer
        | Family::Image
        | Family::ScalarScratch
        | Family::ScalarBuffer => None,
    }
}

impl KernelStart<'_> {
    /// Returns loads beyond the launch arguments, for a kernel without metadata. A load of the next possible argument is
    /// reported. Loads beyond it, up to the end of the hidden arguments, are assumed to read those.
    pub(crate) fn reads_beyond_arguments(&self, code: &Code) -> Option<BeyondArguments> {
        let Arguments::Placed(_) = self.arguments else {
            return None;
        };
        if self.kernel.metadata.is_some() {
            return None;
        }
        let mut sgprs = self.kernel.descriptor.kernel_code_properties.user_sgprs();
        let (_, segment, _) = sgprs.find(|(what, ..)| *what == UserSgpr::KernargSegmentPtr)?;
        let segment = u8::try_from(segment).ok()?;
        let given = self.explicit_end();
        let first_hidden = self.hidden().map(|(offset, ..)| offset).min();
        let last_hidden = self.hidden().map(|(offset, size, _)| offset + size).max();
        let next = first_hidden.unwrap_or(given).saturating_add(ARGUMENT);
        // Returns the end of a load beyond the given arguments.
        let beyond = |step: &Step| {
            let plan = step.memory.as_deref()?;
            let is_argument = plan.family == Family::Scalar
                && matches!(plan.does, Does::Load(_))
                && plan.sbase == segment
                && plan.sreg.is_none();
            let bytes = DWORD * u64::from(plan.ty.dwords());
            let offset = u64::try_from(plan.offset).ok();
            let begin = offset.filter(|_| is_argument)?;
            let end = begin.checked_add(bytes)?;
            // The last argument may end within a dword.
            let is_given = end <= given.next_multiple_of(DWORD);
            let is_hidden = begin >= next && last_hidden.is_some_and(|last| end <= last);
            (!is_given && !is_hidden).then_some(end)
        };
        let loads = |step: &Step| beyond(step).is_some();
        if !code.executed().any(loads) {
            return None;
        }
        let base = Set::scalars(segment, 2);
        let before = code
            .executed()
            .take_while(|step| !written(step).overlaps(base) || loads(step));
        let mut found: Option<BeyondArguments> = None;
        for step in before {
            let Some(loaded) = beyond(step) else {
                continue;
            };
            let found = found.get_or_insert_with(|| BeyondArguments {
                given,
                loaded,
                pc: code.address(step.index),
                instruction: step.inst.text(),
            });
            found.loaded = found.loaded.max(loaded);
            if written(step).overlaps(base) {
                break;
            }
        }
        found
    }

    /// Returns the uninitialized SGPRs that contributed to the address of a faulting access.
    pub(crate) fn unset_sgprs(&self, code: &Code, fault: &Fault) -> Option<UnsetSgprs> {
        let (FaultKind::Unmapped { .. } | FaultKind::Misaligned { .. }) = fault.kind else {
            return None;
        };
        let end = code.index(fault.pc)?;
        let mut steps: Vec<&Step> = code.executed().filter(|it| it.index <= end).collect();
        let plan = steps.pop()?.memory.as_deref()?;
        let mut wanted = address(plan);
        for step in steps.iter().rev() {
            let uses = step.inst.uses();
            let written = written(step);
            if !wanted.overlaps(written) {
                continue;
            }
            if uses.indexes_registers() {
                return None;
            }
            wanted = wanted.without(written);
            let read = uses.registers().filter(|it| it.read != 0);
            match step.memory.as_deref() {
                // A loaded value depends on the address of the load.
                Some(plan) => wanted = wanted.with(address(plan)),
                None => read
                    .filter(|it| it.operand().is_some())
                    .for_each(|it| wanted.add(it.registers)),
            }
        }
        let properties = self.kernel.descriptor.kernel_code_properties;
        let rsrc2 = self.kernel.descriptor.compute_pgm_rsrc2;
        let system = [
            rsrc2.enable_sgpr_workgroup_id_x(),
            rsrc2.enable_sgpr_workgroup_id_y(),
            rsrc2.enable_sgpr_workgroup_id_z(),
            rsrc2.enable_sgpr_workgroup_info(),
            rsrc2.enable_private_segment(),
        ];
        let users = rsrc2.user_sgpr_count() as u8;
        let set = users + system.into_iter().filter(|is_on| *is_on).count() as u8;
        let unset = wanted.without(Set::scalars(0, set)).scalar;
        // A base pair without a requested pointer is unset, even if it contains other initial values, such as workgroup IDs.
        let base = base(plan).filter(|first| {
            let is_kept = wanted.scalar & Set::scalars(*first, 2).scalar;
            let is_base = |(what, at, _): (UserSgpr, u32, u32)| {
                POINTERS.contains(&what) && at == u32::from(*first)
            };
            is_kept == Set::scalars(*first, 2).scalar && !properties.user_sgprs().any(is_base)
        });
        let (first, count) = match base {
            Some(first) => (first, 2),
            None if unset != 0 => {
                let first = unset.trailing_zeros();
                (first as u8, (unset >> first).trailing_ones() as u8)
            }
            None => return None,
        };
        Some(UnsetSgprs {
            first,
            count,
            missing: missing(properties, |(_, at, registers)| match base {
                Some(base) => at == u32::from(base),
                None => (at..at + registers).contains(&u32::from(first)),
            }),
        })
    }
}

/// Returns the minimum set of user SGPRs to request so that a pointer is in registers accepted by `is_place`. The pointer
/// comes first.
fn missing(
    properties: Properties,
    is_place: impl Fn((UserSgpr, u32, u32)) -> bool,
) -> Vec<UserSgpr> {
    /// Number of low property bits that request user SGPRs; each has a directive.
    const ASKED: u32 = 7;
    let absent = (1..1 << ASKED).filter(|extra: &u32| extra & properties.0 == 0);
    let found = absent.filter_map(|extra| {
        let added = || Properties(extra).user_sgprs().map(|(what, ..)| what);
        let mut all = Properties(properties.0 | extra).user_sgprs();
        let (there, ..) = all.find(|place| {
            let is_pointer = POINTERS.contains(&place.0);
            is_pointer && is_place(*place) && added().any(|what| what == place.0)
        })?;
        let rank = POINTERS.iter().position(|it| *it == there);
        let others = added().filter(|what| *what != there);
        let missing: Vec<UserSgpr> = std::iter::once(there).chain(others).collect();
        Some(((extra.count_ones(), rank), missing))
    });
    let best = found.min_by_key(|(rank, _)| *rank);
    best.map_or_else(Vec::new, |(_, missing)| missing)
}
