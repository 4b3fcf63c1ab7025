//! Memory instructions: [`execute`]. An access that has none of the common shapes takes two steps, [`addresses`], which
//! touches nothing, then [`perform`]. Observers see the [`Access`] of the first before either.
//!
//! The families differ in how they find addresses (`access`); loading, storing and updating an element is shared
//! (`places`), and so is what an atomic computes (`combine`). Operations complete at issue, lanes in ascending
//! order (errata E047), which is a legal outcome; the counters are kept all the same by the scoreboard.

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

/// Lanes and addresses of an instruction's access, and the values found there. It is kept from one instruction to the next, so that nothing is
/// allocated or cleared.
pub struct Transfer {
    /// Lanes and addresses, once they are known.
    access: OnceCell<Box<Access>>,
    /// Room for them until then.
    room: Cell<Option<Box<Access>>>,
    /// Windows of host code.
    pub(crate) windows: Windows,
    /// Values that were in memory before an atomic, low and high dwords; of other instructions anything.
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
    /// Forgets the access: the instruction is another.
    #[inline(always)]
    pub fn forget(&mut self) {
        if self.access.get().is_some() {
            self.room.set(self.access.take());
        }
    }

    /// Lanes and addresses, if they are known.
    #[inline(always)]
    pub fn known(&self) -> Option<&Access> {
        self.access.get().map(|access| &**access)
    }

    /// The same, found by `find` if they are not known. What that overwrites may be anything.
    pub fn access(&self, find: impl FnOnce(&mut Access)) -> &Access {
        self.access.get_or_init(|| {
            let mut access = self.room.take().unwrap_or_default();
            find(&mut access);
            access
        })
    }

    /// Lanes and addresses for the caller to overwrite, which are known then.
    pub fn access_mut(&mut self) -> &mut Access {
        self.access(|_| ());
        self.access.get_mut().expect("it is known")
    }
}

/// Executes a memory instruction, observed or not. What `transfer` knows of its access is taken from there.
///
/// Most instructions access memory in one of a few shapes: all lanes one place, a row, elements scattered in one
/// allocation. The fast path finds the shape in the registers with addresses and accesses memory at once. An access of
/// any other shape (lanes out of bounds, in several spaces or allocations, misaligned) takes the slow path, lane by lane:
/// [`addresses`], then [`perform`]. An observer's event has the addresses that [`addresses`] finds; the test `fast_paths`
/// executes each instruction on both paths and compares their effects.
///
/// There are two paths because the fast path does without the 64 addresses of eight bytes that [`addresses`] makes. With the
/// slow path alone ([`FastPath::None`](crate::step::FastPath) for all instructions), kernels on one thread took this many
/// times as long (best of 5 in turns on a Xeon with AVX-512, machine otherwise idle; `tests/kernels`): sgemm_tiled of
/// 512 by 512 2.8 times (0.294 s for 0.105 s), reduce_float of 16 Mi floats 2.6 times (0.336 s for 0.130 s), saxpy of 8 Mi
/// floats 1.7 times (0.093 s for 0.056 s).
///
/// # Errors
/// The fault, and the lane to blame. Lanes before it have had their effect.
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

/// [`execute`] of an instruction whose access has none of the shapes of [`execute_fast_path`].
///
/// # Errors
/// As of [`execute`].
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

/// `execute` of an instruction that has a fast path for its access. Nothing, and nothing has been done, of others.
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

/// Shape of what an instruction is about to access, found without its [`Access`]; `None` if it has none of these, or may go elsewhere
/// than to global memory.
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

/// The first step: where an instruction is about to go, without side effects. `access` is overwritten; it is the caller's so that
/// nothing is allocated or cleared.
pub fn addresses(wave: &Wave, step: &Step, device: &Device, access: &mut Access) {
    access::addresses(wave, step, device, access);
    if let Some(plan) = &step.memory
        && plan.family == Family::Image
    {
        image::addresses(wave, plan, access);
    }
}

/// The second step.
///
/// # Errors
/// The fault, and the lane to blame. Lanes before it have had their effect.
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
        // There M0 is a place (errata E309); nobody sets it for FLAT (errata E230).
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
        // These have been performed.
        Does::Lanes(_)
        | Does::Gws(_)
        | Does::OrderedCount
        | Does::LdsNop
        | Does::Cache(_)
        | Does::Probe
        | Does::Time(_)
        // No memory instruction that is executed does these.
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

/// Performs what goes to no address of memory. `None` if the instruction goes to some.
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
