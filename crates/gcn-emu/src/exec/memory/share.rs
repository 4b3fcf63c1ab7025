//! LDS accesses described by registers and constant offsets.

use std::ops::Range;

use gcn_isa::Isa;

use crate::device::Device;
use crate::fault::Intent;
use crate::lanes::{self, LANES, Lanes};
use crate::step::{ShareElements, Step};
use crate::wave::Wave;

/// Bounds of a register's values in the active lanes.
#[derive(Clone, Copy, Debug)]
struct Reach {
    register: Lanes,
    exec: u64,
    lowest: u32,
    greatest: u32,
    /// Number that identifies these bounds.
    number: u64,
}

/// Cache of recently computed bounds: code often accesses LDS with one address register and successive offsets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaches {
    /// Entries, indexed by a hash of wave and register number; empty before the first access.
    last: Vec<Reach>,
    /// Number of bounds computed so far.
    count: u64,
}

impl Reaches {
    const COUNT: usize = 16;
    /// Unused entry.
    const NONE: Reach = Reach {
        register: Lanes::ZERO,
        exec: 0,
        lowest: u32::MAX,
        greatest: 0,
        number: 0,
    };

    /// Returns the bounds of a register's values in the active lanes.
    fn of(&mut self, wave: &Wave, number: u8) -> &Reach {
        let (register, exec) = (wave.vgpr(number), wave.exec());
        let place = wave.id.wave.wrapping_mul(4) ^ u32::from(number);
        if self.last.is_empty() {
            self.last = vec![Reaches::NONE; Reaches::COUNT];
        }
        let known = &mut self.last[place as usize % Reaches::COUNT];
        if known.exec != exec || !lanes::are_equal(&known.register, register) {
            let (lowest, greatest) = lanes::reach(register, exec);
            self.count += 1;
            *known = Reach {
                register: *register,
                exec,
                lowest,
                greatest,
                number: self.count,
            };
        }
        known
    }
}

/// Upcoming LDS access of a DS instruction. The address of a lane's first element is its base plus `elements.offset`,
/// masked with `elements.mask`.
#[derive(Clone, Debug)]
pub struct ShareAccess<'a> {
    /// Instruction.
    pub step: &'a Step,
    /// Load, store or atomic.
    pub intent: Intent,
    /// Lanes that access memory; never empty.
    pub lanes: u64,
    /// Register with the bases.
    pub bases: &'a Lanes,
    /// Number that identifies the bases and the lanes: two accesses presented to the same
    /// [`crate::observe::WaveObserver`] with equal numbers have equal bases in the same lanes.
    pub bases_number: u64,
    /// Offsets of the elements from a base.
    pub elements: ShareElements,
    /// Range from the first byte of the lowest element to the end of the highest.
    pub range: Range<u64>,
}

impl<'a> ShareAccess<'a> {
    /// Returns the addresses of a lane's elements.
    #[inline]
    pub fn addresses(&self, lane: usize) -> impl Iterator<Item = u64> + use<> {
        self.elements.addresses(self.bases.0[lane])
    }

    /// True if each lane's bytes are known to lie above those of the previous lane, so that no two lanes access the
    /// same byte.
    pub fn ascends(&self) -> bool {
        let bytes = u32::from(self.elements.bytes);
        let stays_apart = bytes % (1 << self.elements.mask.trailing_zeros().min(31)) == 0;
        // The lanes from first to last, if they are contiguous.
        let first = self.lanes.trailing_zeros() as usize;
        let count = self.lanes.count_ones() as usize;
        let bases = self.bases.0.get(first..first + count).unwrap_or_default();
        let Some((_, next)) = bases.split_first() else {
            return false;
        };
        let is_row = self.lanes >> first == u64::MAX >> (LANES - count);
        stays_apart
            && is_row
            && self.elements.distance.is_none()
            && bases.iter().zip(next).fold(true, |all, (at, next)| {
                all & (next >= at) & (next.wrapping_sub(*at) >= bytes)
            })
    }

    /// Describes the LDS access of an instruction. `None` unless the instruction is a DS load, store or atomic in LDS
    /// with an active lane and no address overflows; also `None` on GCN 1.0 if `si_checks_lds_base` is set.
    #[inline]
    pub(crate) fn of(
        wave: &'a Wave,
        step: &'a Step,
        device: &Device,
        reaches: &mut Reaches,
    ) -> Option<ShareAccess<'a>> {
        let plan = step.memory.as_deref()?;
        let elements = plan.share?;
        let checks_base = wave.isa == Isa::Si && device.config.si_checks_lds_base;
        let exec = wave.exec();
        if checks_base || exec == 0 {
            return None;
        }
        let register = plan.vaddr?;
        let bases = wave.vgpr(register);
        let reach = reaches.of(wave, register);
        if reach.greatest > elements.greatest_base {
            return None;
        }
        let first = (reach.lowest + elements.offset) & elements.mask;
        let last = (reach.greatest + elements.offset) & elements.mask;
        let last = last.checked_add(elements.distance.unwrap_or(0))?;
        Some(ShareAccess {
            step,
            intent: plan.does.intent()?,
            lanes: exec,
            bases,
            bases_number: reach.number,
            elements,
            range: first.into()..u64::from(last) + u64::from(elements.bytes),
        })
    }
}
