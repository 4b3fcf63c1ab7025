//! Misaligned memory accesses.
//!
//! | memory | required alignment | source |
//! |---|---|---|
//! | LDS and GDS up to GCN 1.2, and atomics in them on GCN 1.4 | the element size (16 for 96 bits) | errata E040 to E042 |
//! | LDS and GDS on GCN 1.4, except atomics | the element size, at most 4 bytes | errata E040, E041 |
//! | global memory, buffers, scratch | the element size, at most 4 bytes | errata E104 |
//! | atomics in global memory, buffers and scratch | the element size | errata E104 |
//! | scalar memory | 4 bytes, for each component of the address | errata E113, E119 |

use gcn_emu::fault::Intent;
use gcn_emu::observe::{Context, LaneSpace, MemoryEvent};
use gcn_emu::step::{Family, MemoryPlan};
use gcn_isa::uses::Space;
use gcn_isa::{Does, Isa};

use crate::filter::lanes;
use crate::finding::{Finding, FindingAddress, FindingKey, Findings, Kind};
use crate::quantity::quantity;

/// A misaligned access.
struct Misaligned {
    lane: usize,
    /// Address in device memory, or offset in LDS or GDS, including the low bits that hardware ignores.
    place: u64,
    space: LaneSpace,
    multiple: u64,
    /// Sentence that states the rule.
    rule: &'static str,
}

const DWORD: u64 = 4;

/// Rule for LDS and GDS accesses that need natural alignment, scalar memory, and GCN 1.0 buffers.
const IGNORES: &str = "hardware ignores the low bits of the address and accesses other bytes";
/// Rule for atomics outside LDS and GDS.
const VIOLATES: &str =
    "an atomic must be aligned to its size in every mode: a misaligned one is a violation";
/// Rule for all other accesses.
const BY_MODE: &str = "hardware allows it in the alignment mode \"unaligned\", which Linux sets, and otherwise ignores the low \
    bits of the address";

/// Returns the alignment required for an LDS or GDS element, and the rule.
fn of_share(isa: Isa, bytes: u64, is_atomic: bool) -> (u64, &'static str) {
    let natural = bytes.next_power_of_two();
    if isa < Isa::Gfx9 || is_atomic {
        (natural, IGNORES)
    } else {
        (natural.min(DWORD), BY_MODE)
    }
}

/// Returns the alignment required for an element in other memory, and the rule.
fn of_memory(isa: Isa, is_buffer: bool, bytes: u64, is_atomic: bool) -> (u64, &'static str) {
    let natural = bytes.next_power_of_two();
    if is_atomic {
        (natural, VIOLATES)
    } else if isa == Isa::Si && is_buffer {
        (natural.min(DWORD), IGNORES)
    } else {
        (natural.min(DWORD), BY_MODE)
    }
}

/// Finds the first lane with a misaligned access.
fn misaligned(context: &Context<'_>, event: &MemoryEvent<'_>) -> Option<Misaligned> {
    let plan = event.instruction.step.memory.as_deref()?;
    let intent = event.intent()?;
    if plan.family.is_scalar() {
        return scalar(context, plan, event);
    }
    if event.access().scalar {
        // The addresses of these accesses have no low bits.
        return None;
    }
    // The format determines the required alignment of these accesses.
    if matches!(
        plan.does,
        Does::LoadFormat(..)
            | Does::StoreFormat(..)
            | Does::LoadFormatHigh
            | Does::StoreFormatHigh
            | Does::Image(_)
    ) {
        return None;
    }
    let is_atomic = intent == Intent::Atomic;
    let isa = context.wave.isa;
    let bytes = u64::from(event.access().bytes);
    let mut elements = lanes(event.lanes()).flat_map(|lane| {
        let both = places(context, plan, event, lane);
        both.into_iter().flatten().map(move |it| (lane, it))
    });
    elements.find_map(|(lane, place)| {
        let space = event.access().space(lane)?;
        let (multiple, rule) = match space {
            LaneSpace::Lds | LaneSpace::Gds => of_share(isa, bytes, is_atomic),
            LaneSpace::Global | LaneSpace::Scratch | LaneSpace::Buffer => {
                of_memory(isa, plan.family == Family::Buffer, bytes, is_atomic)
            }
        };
        (multiple > 1 && place % multiple != 0).then_some(Misaligned {
            lane,
            place,
            space,
            multiple,
            rule,
        })
    })
}

/// Returns the addresses of a lane's elements, including the low bits that hardware ignores.
fn places(
    context: &Context<'_>,
    plan: &MemoryPlan,
    event: &MemoryEvent<'_>,
    lane: usize,
) -> [Option<u64>; 2] {
    let access = event.access();
    let wave = context.wave;
    let register = |number: Option<u8>| number.map_or(0, |it| wave.vgpr(it).0[lane]);
    if plan.family == Family::Share {
        if matches!(plan.does, Does::LoadByLane | Does::StoreByLane) {
            return [Some(access.address[lane]), None];
        }
        if matches!(plan.does, Does::AtomicFromLds(..)) {
            // The distance to the second element is in dwords, possibly in the high bits of the register.
            let low = register(plan.vaddr) & !plan.mask;
            return [Some(access.address[lane] | u64::from(low)), None];
        }
        let first = register(plan.vaddr).wrapping_add(plan.offset as u32);
        let second = first.wrapping_add(plan.distance as u32);
        let has_second = access.elements > 1;
        return [Some(first.into()), has_second.then_some(second.into())];
    }
    let place = access.place(lane, 0).unwrap_or(access.address[lane]);
    let low = if plan.family == Family::Buffer && wave.isa == Isa::Si {
        // The address lacks the low bits, which are computed from its components.
        let index = u8::from(plan.idxen);
        let offset = plan
            .offen
            .then(|| register(plan.vaddr.map(|it| it.wrapping_add(index))));
        let address = plan.addr64.then(|| register(plan.vaddr));
        let parts = offset.unwrap_or(0).wrapping_add(address.unwrap_or(0));
        u64::from(parts.wrapping_add(plan.offset as u32)) % DWORD
    } else {
        0
    };
    [Some(place | low), None]
}

/// Returns the access of a scalar load or store if a component of its address is misaligned.
fn scalar(context: &Context<'_>, plan: &MemoryPlan, event: &MemoryEvent<'_>) -> Option<Misaligned> {
    let wave = context.wave;
    event.access().space(0)?;
    let register = plan.sreg.map_or(0, |code| u64::from(wave.scalar(code)));
    let base = match plan.family {
        Family::ScalarBuffer => event.access().descriptor.base,
        _ => wave.scalar64(plan.sbase),
    };
    // The register offset of scalar scratch instructions is in units of 64 bytes.
    let register = if plan.family == Family::ScalarScratch {
        0
    } else {
        register
    };
    let low = (base | register | plan.offset as u64) % DWORD;
    (low != 0).then_some(Misaligned {
        lane: 0,
        place: event.access().address[0] - event.access().address[0] % DWORD + low,
        space: LaneSpace::Global,
        multiple: DWORD,
        rule: IGNORES,
    })
}

/// Reports misaligned accesses.
pub(super) fn look(findings: &Findings, context: &Context<'_>, event: &MemoryEvent<'_>) {
    if let Some(it) = misaligned(context, event) {
        let key = FindingKey::at(Kind::MisalignedAccess, context.pc);
        findings.report(key, Some(context.id()), || {
            let verb = match event.intent() {
                Some(Intent::Store) => "stores",
                Some(Intent::Atomic) => "updates",
                Some(Intent::Load) | None => "loads",
            };
            let (name, space) = match it.space {
                LaneSpace::Lds => ("LDS", Space::Lds),
                LaneSpace::Gds => ("GDS", Space::Gds),
                LaneSpace::Scratch => ("scratch", Space::Global),
                LaneSpace::Global | LaneSpace::Buffer => ("memory", Space::Global),
            };
            let message = format!(
                "{verb} {} of {name} at an address that is not a multiple of {}",
                quantity(event.access().bytes.into(), "byte"),
                it.multiple
            );
            let mut finding =
                Finding::new(Kind::MisalignedAccess, context, event.instruction, message);
            finding.place = finding.place.lane_of(event.access(), it.lane);
            finding.label = if space == Space::Global {
                format!("accesses {:#x}", it.place)
            } else {
                format!("accesses {name} at {:#x}", it.place)
            };
            finding.address = Some(FindingAddress {
                space,
                at: it.place,
            });
            finding.notes.push(it.rule.to_owned());
            finding
        });
    }
}
