//! Execution of memory instructions ([`execute`]). An access that has none of the common shapes takes two steps:
//! [`addresses`], which has no side effects, then [`perform`]. Observers see the [`Access`] that the first step
//! computed before the second one changes any state.
//!
//! Instruction families differ in how they compute addresses (`access`). They share the code that loads, stores and
//! updates an element (`places`) and the operations of atomics (`combine`). Operations complete at issue, with lanes in
//! ascending order (errata E047), which the architecture permits; the scoreboard still maintains the wait counters.

mod element;
mod combine;
mod spans;
mod wide;
mod buffer;
mod format;
mod access;
mod share;
mod extent;
mod places;
mod running;
mod scalar;
mod typed;
mod image;
mod moves;
mod order;
mod fast_path;

use std::cell::{Cell, OnceCell};
use std::fmt;

use gcn_isa::effect::Clock;
use gcn_isa::{Does, Ty};

use crate::device::Device;
use crate::fault::FaultKind;
use crate::gds::Gds;
use crate::lanes::Lanes;
use crate::lds::Lds;
use crate::memory::Windows;
use crate::step::{Family, FastPath, MemoryPlan, Step};
use crate::wave::Wave;

pub(crate) use access::SCRATCH_ROW;
pub use access::{Access, LaneSpace};
pub(crate) use buffer::Descriptor;
pub use image::{address_beyond, texel};
pub use running::{Attempt, LaneFault};
pub(crate) use share::Reaches;
pub use share::ShareAccess;
pub use spans::{Shape, Span};

use element::HALF_BITS;
use places::Places;
use running::Running;

/// Lanes and addresses of an instruction's access, and the old values of an atomic. Reused for each instruction to
/// avoid allocation and clearing.
pub struct Transfer {
    /// Lanes and addresses, once they are known.
    access: OnceCell<Box<Access>>,
    /// Spare allocation for the next access.
    room: Cell<Option<Box<Access>>>,
    /// Address windows for natively compiled code.
    pub(crate) windows: Windows,
    /// Values in memory before an atomic, as low and high dwords. Unspecified for other instructions.
    pub old: [Lanes; 2],
}

impl Default for Transfer {
    fn default() -> Transfer {
        Transfer {
            access: OnceCell::new(),
            room: Cell::new(Some(Box::default())),
            windows: Windows::default(),
            old: [Lanes::ZERO; 2],
        }
    }
}

impl fmt::Debug for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Transfer");
        fields
            .field("access", &self.known())
            .field("old", &self.old);
        fields.finish_non_exhaustive()
    }
}

impl Transfer {
    /// Discards the access of the previous instruction.
    #[inline(always)]
    pub fn forget(&mut self) {
        if self.access.get().is_some() {
            self.room.set(self.access.take());
        }
    }

    /// Discards everything that depends on a run, keeping the allocations.
    pub(crate) fn reset(&mut self) {
        self.forget();
        self.windows.forget();
    }

    /// Returns the lanes and addresses, if they are known.
    #[inline(always)]
    pub fn known(&self) -> Option<&Access> {
        self.access.get().map(|access| &**access)
    }

    /// Returns the lanes and addresses. If they are not known yet, `find` computes them; the initial contents of its
    /// argument are unspecified.
    pub fn access(&self, find: impl FnOnce(&mut Access)) -> &Access {
        self.access.get_or_init(|| {
            let mut access = self.room.take().unwrap_or_default();
            find(&mut access);
            access
        })
    }

    /// Returns the lanes and addresses for the caller to overwrite. Afterwards, they count as known.
    pub fn access_mut(&mut self) -> &mut Access {
        self.access(|_| ());
        self.access.get_mut().expect("it is known")
    }
}

/// Executes a memory instruction, observed or not. Reuses the access in `transfer` if it is known.
///
/// Most accesses have one of a few shapes: the same address in all lanes, consecutive elements, or elements scattered
/// in one allocation. The fast path recognizes the shape from the address registers and accesses memory directly. All
/// other accesses (lanes out of bounds, in several spaces or allocations, misaligned) take the slow path, lane by lane:
/// [`addresses`], then [`perform`]. An observer's event contains the addresses that [`addresses`] computes; the test
/// `fast_paths` executes each instruction on both paths and compares their effects.
///
/// The fast path avoids the 64 eight-byte addresses that [`addresses`] computes. If all instructions take the slow path
/// ([`FastPath::None`](crate::step::FastPath)), kernels of `tests/kernels` slow down by these factors on one thread of
/// an otherwise idle Xeon with AVX-512 (best of 5 alternating runs): sgemm_tiled (512 × 512) by 2.8 (0.105 s to 0.294
/// s), reduce_float (16 Mi floats) by 2.6 (0.130 s to 0.336 s), saxpy (8 Mi floats) by 1.7 (0.056 s to 0.093 s).
///
/// # Errors
/// Returns the fault and the lane that caused it. Lanes before it have completed.
#[inline(always)]
pub fn execute(
    wave: &mut Wave,
    step: &Step,
    lds: &mut Lds,
    device: &Device,
    transfer: &mut Transfer,
) -> Result<Attempt, LaneFault> {
    if let Some(plan) = step.memory.as_deref()
        && execute_fast_path(wave, plan, lds, device, transfer).is_some()
    {
        return Ok(Attempt::Done);
    }
    execute_slow_path(wave, step, lds, device, transfer)
}

/// [`execute`] for an instruction whose access has no shape that [`execute_fast_path`] handles.
///
/// # Errors
/// Returns the fault and the lane that caused it, as [`execute`] does.
pub fn execute_slow_path(
    wave: &mut Wave,
    step: &Step,
    lds: &mut Lds,
    device: &Device,
    transfer: &mut Transfer,
) -> Result<Attempt, LaneFault> {
    if transfer.known().is_none() {
        addresses(wave, step, device, transfer.access_mut());
    }
    perform(wave, step, transfer, lds, device)
}

/// Executes a memory instruction on its fast path. Returns `None`, without architectural effects, if the access has no
/// fast path.
#[inline(always)]
pub fn execute_fast_path(
    wave: &mut Wave,
    plan: &MemoryPlan,
    lds: &mut Lds,
    device: &Device,
    transfer: &mut Transfer,
) -> Option<()> {
    if plan.loads_coherently {
        device.memory.fence();
    }
    fast_path::perform(wave, plan, lds, device, &mut transfer.old)
}

/// Returns the shape of the access that an instruction is about to perform, without computing its [`Access`]. `None` if
/// it has none of the common shapes or might access a space other than global memory.
pub(crate) fn shape(wave: &Wave, step: &Step, device: &Device) -> Option<Shape> {
    let plan = step.memory.as_deref()?;
    let is_global = match plan.fast_path {
        FastPath::Load | FastPath::Store | FastPath::Atomic => true,
        FastPath::None
        | FastPath::LoadShare
        | FastPath::LoadSharePart
        | FastPath::StoreShare
        | FastPath::LoadScratch
        | FastPath::StoreScratch
        | FastPath::LoadBuffer
        | FastPath::StoreBuffer
        | FastPath::LoadScalar
        | FastPath::AtomicShare
        | FastPath::LoadFormat
        | FastPath::StoreFormat
        | FastPath::Moves(_)
        | FastPath::Nothing => false,
    };
    is_global.then(|| fast_path::shape(wave, plan, device))?
}

/// Performs the first step: computes the addresses that an instruction is about to access, without side effects.
/// `access` is overwritten; the caller provides it to avoid allocation and clearing.
pub fn addresses(wave: &Wave, step: &Step, device: &Device, access: &mut Access) {
    access::addresses(wave, step, device, access);
    if let Some(plan) = &step.memory
        && plan.family == Family::Image
    {
        image::addresses(wave, plan, access);
    }
}

/// Performs the second step: the access.
///
/// # Errors
/// Returns the fault and the lane that caused it. Lanes before it have completed.
pub fn perform(
    wave: &mut Wave,
    step: &Step,
    transfer: &mut Transfer,
    lds: &mut Lds,
    device: &Device,
) -> Result<Attempt, LaneFault> {
    let Some(plan) = &step.memory else {
        return Err((FaultKind::NotExecuted, None));
    };
    let Transfer { access, old, .. } = transfer;
    let access = &**access.get().expect("the addresses have been found");
    if let Some(outcome) = perform_unaddressed(wave, plan, device, old) {
        return Ok(outcome);
    }
    let isa = wave.isa;
    let m0 = wave.m0();
    let mut guard;
    let share = if access.gds != 0 {
        guard = device.gds.lock();
        Gds::share(&mut guard, m0)
    } else if access.to_lds.is_some() || plan.family == Family::Flat && m0 == 0 {
        // M0 is no limit here: for transfers to and from LDS it is an address (errata E309), and if it is 0, code with
        // FLAT accesses may never have set it (errata E230).
        lds.share(isa, u32::MAX)
    } else {
        lds.share(isa, m0)
    };
    let places = Places {
        device,
        share,
        access,
    };
    let mut run = Running {
        wave,
        plan,
        places,
        old,
    };
    if plan.family.is_scalar() {
        run.scalar()?;
        return Ok(Attempt::Done);
    }
    if plan.family == Family::Image {
        image::perform(&mut run)?;
        return Ok(Attempt::Done);
    }
    match plan.does {
        Does::Load(_) | Does::LoadFormat(..) if access.to_lds.is_some() => run.load_to_lds()?,
        Does::Load(ty) => run.load(ty)?,
        Does::LoadByLane => run.load(Ty::B32)?,
        Does::LoadHalf(ty, half) => run.load_half(ty, half)?,
        Does::Store(ty) => run.store(ty, 0)?,
        Does::StoreHigh(ty) => run.store(ty, HALF_BITS)?,
        Does::StoreByLane => run.store(Ty::B32, 0)?,
        Does::StoreFromLds => run.store_from_lds()?,
        Does::Atomic(op, ty) | Does::Return(op, ty) => run.atomic(op, ty)?,
        Does::LoadTwo(ty, _) => run.load_two(ty)?,
        Does::StoreTwo(ty, _) => run.store_two(ty)?,
        Does::ExchangeTwo(ty, _) => run.exchange_two(ty)?,
        Does::AtomicFromLds(op, ty) => run.atomic_from_lds(op, ty)?,
        Does::Count(op) => run.count(op)?,
        Does::LoadFormat(count, ty) => run.load_format(count, ty)?,
        Does::StoreFormat(count, ty) => run.store_format(count, ty)?,
        Does::LoadFormatHigh => run.load_format_high()?,
        Does::StoreFormatHigh => run.store_format_high()?,
        Does::ExchangeConditionally(ty) => run.exchange_conditionally(ty)?,
        // Performed above.
        Does::Lanes(_)
        | Does::Gws(_)
        | Does::OrderedCount
        | Does::LdsNop
        | Does::Cache(_)
        | Does::Probe
        | Does::Time(_)
        // Images have returned above, and no other memory instruction has these effects.
        | Does::Image(_)
        | Does::Export
        | Does::Alu(_)
        | Does::Compare(..)
        | Does::Branch(_)
        | Does::Jump
        | Does::ReturnFromTrap
        | Does::Fork
        | Does::Control(_) => return Err((FaultKind::NotExecuted, None)),
    }
    Ok(Attempt::Done)
}

/// Performs an instruction that accesses no memory address. Returns `None` if it does access one.
fn perform_unaddressed(
    wave: &mut Wave,
    plan: &MemoryPlan,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<Attempt> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`perform` lists what else memory instructions do"
    )]
    match plan.does {
        Does::Lanes(how) => moves::perform(wave, plan, how),
        Does::Gws(op) => return Some(order::synchronise(wave, plan, op, device)),
        Does::OrderedCount => return Some(order::count_in_order(wave, plan, device, old)),
        // Caches are coherent here, and translation needs no prefetch (errata E124, E125).
        Does::LdsNop | Does::Cache(_) | Does::Probe => {}
        Does::Time(clock) => {
            let time = match clock {
                Clock::Shader => device.shader_clock(wave.executed),
                Clock::Reference => device.reference_clock(),
            };
            wave.set_scalar64(plan.sdata, time);
        }
        _ => return None,
    }
    Some(Attempt::Done)
}
