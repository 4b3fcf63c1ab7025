//! Compare-and-swap: lanes that fail do not write.

use std::collections::HashMap;

use gcn_emu::observe::{Context, LaneSpace, MemoryEvent};
use gcn_emu::step::MemoryPlan;
use gcn_isa::Ty;
use gcn_isa::effect::AtomicOp;

use crate::filter::lanes;

/// True for a per-lane integer compare-and-swap.
pub(super) fn is_swap(plan: &MemoryPlan) -> bool {
    let is_integer = matches!(
        plan.atomic(),
        Some((AtomicOp::CompareSwap, Ty::B32 | Ty::B64))
    );
    is_integer && !plan.family.is_scalar()
}

/// A compare-and-swap, between the event before it and the one after it.
#[derive(Debug)]
pub(super) struct Swap {
    /// Lanes whose swap succeeds unless another thread interferes.
    pub(super) expected: u64,
    /// Comparison value of each active lane.
    compared: Vec<(usize, u64)>,
}

/// Lanes of a compare-and-swap by result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SwapResult {
    pub(super) succeeded: u64,
    pub(super) failed: u64,
}

impl Swap {
    /// Predicts the result from memory before the access; lanes act in order.
    pub(super) fn begin(context: &Context<'_>, event: &MemoryEvent<'_>) -> Swap {
        let access = event.access();
        let mut written: HashMap<(bool, u64), u64> = HashMap::new();
        let mut swap = Swap {
            expected: 0,
            compared: Vec::new(),
        };
        for lane in lanes(access.lanes()) {
            let Some(value) = event.value(lane, 0) else {
                continue;
            };
            let (new, compared) = value.dwords().split_at(value.dwords().len() / 2);
            let (new, compared) = (number(new), number(compared));
            swap.compared.push((lane, compared));
            let is_lds = access.space(lane) == Some(LaneSpace::Lds);
            let at = if is_lds {
                Some(access.address[lane])
            } else {
                access.place(lane, 0)
            };
            let Some(at) = at else {
                continue;
            };
            let place = (is_lds, at);
            let now = match written.get(&place) {
                Some(now) => Some(*now),
                None => read(context, is_lds, at, access.bytes.into()),
            };
            if now == Some(compared) {
                swap.expected |= 1 << lane;
                written.insert(place, new);
            }
        }
        swap
    }

    /// Determines the result from the values the access has returned.
    pub(super) fn end(&self, event: &MemoryEvent<'_>) -> SwapResult {
        let mut outcome = SwapResult {
            succeeded: 0,
            failed: 0,
        };
        for &(lane, compared) in &self.compared {
            match event.value(lane, 0) {
                Some(old) if number(old.dwords()) != compared => outcome.failed |= 1 << lane,
                _ => outcome.succeeded |= 1 << lane,
            }
        }
        outcome
    }
}

/// Combines one or two dwords into a number.
fn number(dwords: &[u32]) -> u64 {
    let dwords = dwords.iter().take(2).rev();
    dwords.fold(0, |number, dword| number << 32 | u64::from(*dword))
}

/// Reads a number of four or eight bytes.
fn read(context: &Context<'_>, is_lds: bool, at: u64, bytes: usize) -> Option<u64> {
    let mut value = [0; 8];
    let now = value.get_mut(..bytes)?;
    if is_lds {
        let from = usize::try_from(at).ok()?;
        let lds = context.lds.bytes();
        now.copy_from_slice(lds.get(from..from.checked_add(bytes)?)?);
    } else if !context.dispatched.device.memory.read(at, now) {
        return None;
    }
    Some(u64::from_le_bytes(value))
}
